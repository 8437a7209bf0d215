// SPDX-License-Identifier: GPL-2.0-or-later
/* What `pmscope stat` prints on terminals of all widths, and into a file. */
#include "ktap.h"
#include "stat/stat.h"

#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

#define TEXT_SIZE 8192
#define EVENTS	  3

static int master = -1;
static FILE *slave;

/* A terminal that changes nothing in what is written to it. */
static bool terminal_open(void)
{
	struct termios raw;
	int fd;

	if (slave)
		return true;
	if (openpty(&master, &fd, NULL, NULL, NULL))
		return false;
	tcgetattr(fd, &raw);
	cfmakeraw(&raw);
	tcsetattr(fd, TCSANOW, &raw);
	slave = fdopen(fd, "w");
	terminal_use(slave);
	return slave && terminal_is_output();
}

static void terminal_resize(int columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};

	ioctl(master, TIOCSWINSZ, &size);
	terminal_measure();
}

static struct listed_event events[EVENTS] = {
	{.name = (char *)"pmu_snapshot/cpu_cycles/"},
	{.name = (char *)"pmu_snapshot/stall_slot_frontend/",
	 .pmu = (char *)"pmu_snapshot"},
	{.name = (char *)"armv8_pmuv3_0/instructions/"},
};

/* 10^15 - 1 is the longest number; the second is of another program. */
static struct stat_row rows[EVENTS] = {
	{.event = &events[0],
	 .cpu = 1,
	 .cpus = 2,
	 .value = 999999999999999,
	 .enabled = 3,
	 .running = 3,
	 .spread = 12.34},
	{.event = &events[1],
	 .cpu = 1,
	 .cpus = 2,
	 .value = 77,
	 .enabled = 3,
	 .running = 1,
	 .spread = 1.5},
	{.event = &events[2], .cpu = 1, .cpus = 2, .spread = -1},
};

static const char *const numbers[] = {"999,999,999,999,999", " 77 ",
				      "<not counted>"};

/* A terminal passes lines on one by one. */
static void read_lines(char text[TEXT_SIZE])
{
	struct pollfd poller = {.fd = master, .events = POLLIN};
	size_t length = 0;
	int nr = 0;

	while (nr < EVENTS && poll(&poller, 1, 10000) == 1) {
		ssize_t got =
			read(master, text + length, TEXT_SIZE - 1 - length);

		for (; got > 0; got--)
			nr += text[length++] == '\n';
	}
	text[length] = '\0';
}

/* What is printed to @out; a terminal's text is read from its other end. */
static void print(FILE *out, enum stat_by by, bool intervals,
		  char text[TEXT_SIZE])
{
	const struct stat_table table = {.row = rows, .nr = EVENTS};
	struct stat_printer printer = {
		.out = out, .intervals = intervals, .by = by};

	stat_print_table(&printer, &table, 12.5);
	fflush(out);
	if (out != slave)
		return;
	read_lines(text);
}

/* Returns how many lines there are; none is wider than @columns. */
static int expect_lines_fit(const char *text, size_t columns)
{
	int nr = 0;

	for (; *text; nr++) {
		size_t length = strcspn(text, "\n");

		if (length > columns)
			ktap_note("%.*s", (int)length, text);
		EXPECT_LE(length, columns);
		text += length + (text[length] == '\n');
	}
	return nr;
}

TEST(lines_fit_and_numbers_are_whole)
{
	static const enum stat_by all[] = {STAT_BY_NOTHING, STAT_BY_CORE,
					   STAT_BY_CPU, STAT_BY_THREAD};
	static char text[TEXT_SIZE];

	if (!terminal_open())
		SKIP("no pseudo terminal");
	for (int columns = 64; columns <= 160; columns += 8) {
		terminal_resize(columns);
		for (size_t i = 0; i < 8; i++) {
			print(slave, all[i % 4], i >= 4, text);
			EXPECT_EQ(expect_lines_fit(text, columns), EVENTS);
			for (int k = 0; k < EVENTS; k++)
				EXPECT_TRUE(strstr(text, numbers[k]));
		}
	}
}

static void squeeze(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		bool again = to > text && to[-1] == ' ';

		if (again && *from == '\n')
			to--;
		if (!again || *from != ' ')
			*to++ = *from;
	}
	*to = '\0';
}

TEST(a_wide_terminal_shows_what_a_file_gets)
{
	static char shown[TEXT_SIZE];
	char *whole = NULL;
	size_t size;

	if (!terminal_open())
		SKIP("no pseudo terminal");
	terminal_resize(200);
	for (int by = STAT_BY_NOTHING; by <= STAT_BY_THREAD; by++) {
		FILE *file = open_memstream(&whole, &size);

		ASSERT_TRUE(file);
		print(slave, by, true, shown);
		terminal_use(file);
		print(file, by, true, whole);
		fclose(file);
		terminal_use(slave);
		squeeze(shown);
		squeeze(whole);
		EXPECT_STREQ(shown, whole);
		free(whole);
	}
}

TEST(an_event_without_a_turn_says_to_run_longer)
{
	struct stat_row idle = rows[2];
	const struct stat_table table = {.row = &idle, .nr = 1};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct stat_printer printer = {.out = out};

	ASSERT_TRUE(out);
	terminal_use(out);
	idle.enabled = 3;
	stat_print_table(&printer, &table, 12.5);
	EXPECT_TRUE(!fclose(out) && strstr(text, "<not counted>") &&
		    strstr(text, "(run longer)\n"));
	terminal_use(slave ?: stdout);
	free(text);
}

/* Names become shorter first; then texts behind them are left out. */
TEST(what_a_narrow_terminal_leaves_out)
{
	static char text[TEXT_SIZE];

	if (!terminal_open())
		SKIP("no pseudo terminal");
	terminal_resize(160);
	print(slave, STAT_BY_NOTHING, false, text);
	EXPECT_TRUE(strstr(text, "  pmu_snapshot/stall_slot_frontend/"));
	EXPECT_TRUE(strstr(text, "  ( +- 1.50% )   (33.33%)"));
	terminal_resize(72);
	print(slave, STAT_BY_NOTHING, false, text);
	EXPECT_TRUE(strstr(text, "  pmu_snapshot/stall_slot.. "));
	EXPECT_TRUE(strstr(text, "  ( +- 1.50% )   (33.33%)"));
	terminal_resize(44);
	print(slave, STAT_BY_NOTHING, false, text);
	EXPECT_TRUE(strstr(text, "  pmu_snaps"));
	EXPECT_TRUE(!strstr(text, "+-"));
}
