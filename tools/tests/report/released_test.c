// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * However large a recording is, its pages do not stay in memory after they are
 * read.
 */
#include "command.h"

#define CHUNK	 4096
#define CHUNKS	 ((256 << 20) / CHUNK)
#define MOST_KIB (176 << 10) /* of 256 MiB, with what the sanitizers want */

static const unsigned char record[] = {
	0xb0, 0x00, 0x10, 0x40, 0x00, 0x00, 0x00, 0x00, 0x80, 0x49,
	0x00, 0xb2, 0x00, 0x90, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x71, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

/* Loads with a PC, an address and much padding: few rows. */
static int write_trace(int fd)
{
	unsigned char chunk[CHUNK] = {};

	memcpy(chunk, record, sizeof(record));
	memcpy(chunk + CHUNK / 2, record, sizeof(record));
	for (int i = 0; i < CHUNKS; i++)
		if (write(fd, chunk, CHUNK) != CHUNK)
			return -1;
	return 0;
}

static int write_padding(int fd)
{
	if (write(fd, record, sizeof(record)) != sizeof(record))
		return -1;
	return ftruncate(fd, (off_t)CHUNK * CHUNKS);
}

/* The most memory the command has at once, in KiB; -1 when it fails. */
static long most_memory(const char *command)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	return usage.ru_maxrss;
}

static void expect_little(const char *view, const char *path)
{
	char command[4096];
	long most;

	snprintf(command, sizeof(command), "%s %s --raw -i %s >/dev/null",
		 command_pmscope(), view, path);
	most = most_memory(command);
	EXPECT_TRUE(most >= 0 && most < MOST_KIB);
	if (most < 0 || most >= MOST_KIB)
		ktap_note("%s: %ld KiB", view, most);
}

static void expect_all_little(const char *const *views, size_t nr,
			      int (*write_file)(int fd))
{
	char path[] = "/tmp/pmscope-test-XXXXXX";
	int fd = mkstemp(path);

	ASSERT_TRUE(fd >= 0);
	EXPECT_EQ(write_file(fd), 0);
	close(fd);
	for (size_t i = 0; i < nr; i++)
		expect_little(views[i], path);
	unlink(path);
}

TEST(all_views)
{
	static const char *const views[] = {
		"script --packets",
		"script --threads=1 --format=csv",
		"script --threads=3 --format=csv",
		"report --threads=1",
		"report --threads=3",
		"report --threads=3 --cachelines",
		"report --threads=3 --timeline",
	};

	expect_all_little(views, ARRAY_SIZE(views), write_trace);
}

/* The thread that reads on to the next row takes long, and the others wait. */
TEST(padding)
{
	static const char *const views[] = {"report --threads=1",
					    "report --threads=3"};

	expect_all_little(views, ARRAY_SIZE(views), write_padding);
}
