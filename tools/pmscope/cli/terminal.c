// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cli.h"

#include <sys/ioctl.h>

#define DEFAULT_WIDTH 80
#define LEAST_WIDTH   40 /* narrower tables cannot be read */

const char *const terminal_colours[] = {"auto", "always", "never", NULL};

static bool no_pager;
static int colour;
static pid_t pager;

/* What the output was when the program began. */
static struct {
	int fd;
	bool known;
	bool is_terminal;
	int width;
	int rows;
} output = {.fd = STDOUT_FILENO};

int option_no_pager(const struct option_row *, const char *, void *)
{
	no_pager = true;
	return 0;
}

int option_colour(const struct option_row *row, const char *arg, void *)
{
	return option_choice(row, arg, &colour);
}

static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !strcmp(term, "dumb");
}

void terminal_use(FILE *out)
{
	output.fd = fileno(out);
	output.known = false;
	output.width = 0;
	output.rows = 0;
}

void terminal_measure(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = {};
	int width = 0;

	if (!ioctl(output.fd, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (!width && columns)
		width = atoi(columns);
	if (width <= 0)
		width = DEFAULT_WIDTH;
	output.width = MAX(width, LEAST_WIDTH);
	output.rows = size.ws_row;
}

/* The pager hides the terminal, so this must come first. */
static void look(void)
{
	if (output.known)
		return;
	output.known = true;
	output.is_terminal = isatty(output.fd);
	if (output.is_terminal)
		terminal_measure();
}

bool terminal_is_output(void)
{
	look();
	return output.is_terminal;
}

int terminal_width(void)
{
	look();
	return output.width;
}

int terminal_rows(void)
{
	look();
	return output.rows;
}

bool terminal_has_colour(void)
{
	const char *no = getenv("NO_COLOR");

	if (colour != COLOUR_AUTO)
		return colour == COLOUR_ALWAYS;
	return terminal_is_output() && !(no && *no) && !is_dumb();
}

static bool is_in_path(const char *program)
{
	const char *path = getenv("PATH");
	char file[4096];
	size_t length;

	for (; path && *path; path += length + (path[length] == ':')) {
		length = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)length, path,
			 program);
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

/* The pager's command line; NULL for none. */
static const char *pager_command(void)
{
	const char *command = getenv("PMSCOPE_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return is_in_path("less") ? "less" : NULL;
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/*
 * In the child: -F ends less if the output fits, -R shows colours, -S cuts long
 * lines, -X leaves the output on the screen; -G marks no match, and -j5 shows
 * what is above it.
 */
__attribute__((noreturn)) static void
run_pager(const char *command, const char *at, const int ends[2])
{
	char options[64];
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(ends[0], STDIN_FILENO);
	dup2(output.fd, STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
	snprintf(options, sizeof(options), "FRSX%s%s", at ? "Gj5$+/" : "",
		 at ?: "");
	setenv("LESS", options, 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* The pager ignores Ctrl-C; it must not lose its terminal to the shell. */
static void on_interrupt(int number)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	_exit(128 + number);
}

/* Errors of the command must not be written over the pager's screen. */
static void join_pager(int fd)
{
	const struct sigaction action = {.sa_handler = on_interrupt};

	dup2(fd, output.fd);
	if (isatty(STDERR_FILENO))
		dup2(fd, STDERR_FILENO);
	close(fd);
	sigaction(SIGINT, &action, NULL);
}

void pager_begin(void)
{
	pager_begin_at(NULL);
}

void pager_begin_at(const char *at)
{
	const char *command;
	int ends[2];

	/* Without a number of rows no pager can tell what fits. */
	if (pager || no_pager || !terminal_is_output() || !output.rows ||
	    is_dumb())
		return;
	command = pager_command();
	if (!command || pipe(ends))
		return;
	fflush(stdout);
	pager = fork();
	if (!pager)
		run_pager(command, at, ends);
	close(ends[0]);
	if (pager < 0) {
		pager = 0;
		close(ends[1]);
		return;
	}
	join_pager(ends[1]);
}

void pager_end(void)
{
	if (!pager)
		return;
	fclose(stdout);
	fclose(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}
