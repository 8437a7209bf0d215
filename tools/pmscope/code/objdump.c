// SPDX-License-Identifier: GPL-2.0-or-later
#include "code/code.h"

/* A function takes milliseconds and less than 20 MiB. */
#define CPU_SECONDS 20
#define MEMORY	    (512UL << 20)
#define LINE	    512

static const char *const programs[] = {"aarch64-linux-gnu-objdump", "objdump"};

static void limit(int what, rlim_t value)
{
	const struct rlimit limits = {value, value};

	setrlimit(what, &limits);
}

/* In the child; does not return. */
static void execute(char *const *arguments, int input, int output)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, STDERR_FILENO) < 0 ||
	    dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    setenv("LC_ALL", "C", 1))
		_exit(127);
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	/* This process may have more: the last before exec. */
	limit(RLIMIT_AS, MEMORY);
	execvp(arguments[0], arguments);
	_exit(127);
}

/* Starts a program that reads @input. Returns its output, or NULL. */
static FILE *start(char *const *arguments, int input, pid_t *pid)
{
	int ends[2];
	FILE *output;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	*pid = fork();
	if (!*pid)
		execute(arguments, input, ends[1]);
	close(ends[1]);
	output = *pid < 0 ? NULL : fdopen(ends[0], "r");
	if (output)
		return output;
	close(ends[0]);
	if (*pid > 0)
		waitpid(*pid, NULL, 0);
	return NULL;
}

/* Returns whether the program succeeded. */
static bool end(FILE *output, pid_t pid)
{
	int status = -1;

	fclose(output);
	return TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) == pid && !status;
}

/* A file with the code. Returns a descriptor or -errno. */
static int code_file(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("code", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, bytes, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -ENOSPC;
}

/* " 1a4:\td503201f \tnop": offset, word, text, and a comment after "//". */
char *objdump_line(char *line, size_t *offset)
{
	char *end_of_offset, *comment, *text;

	*offset = strtoull(line, &end_of_offset, 16);
	if (end_of_offset == line || *end_of_offset != ':')
		return NULL;
	text = strchr(end_of_offset, '\t');
	text = text ? strchr(text + 1, '\t') : NULL;
	if (!text)
		return NULL;
	comment = strstr(++text, "//");
	if (comment)
		*comment = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

int objdump_run(const char *program, const uint8_t *bytes, size_t size,
		int (*take)(void *context, size_t offset, char *text),
		void *context)
{
	char *const arguments[] = {(char *)program,	 (char *)"-D",
				   (char *)"-z",	 (char *)"-bbinary",
				   (char *)"-EL",	 (char *)"-maarch64",
				   (char *)"/dev/stdin", NULL};
	int ret = 0, fd = code_file(bytes, size);
	char line[LINE];
	FILE *output;
	pid_t pid;

	if (fd < 0)
		return fd;
	output = start(arguments, fd, &pid);
	close(fd);
	if (!output)
		return -ENOMEM;
	while (!ret && fgets(line, sizeof(line), output)) {
		size_t offset;
		char *text = objdump_line(line, &offset);

		if (text)
			ret = take(context, offset, text);
	}
	end(output, pid);
	return ret;
}

static int note_nop(void *context, size_t offset, char *text)
{
	*(bool *)context |= !offset && !strcmp(text, "nop");
	return 0;
}

/* Other machines' objdump does not know the instruction. */
static bool knows(const char *program)
{
	static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
	bool known = false;

	return !objdump_run(program, nop, sizeof(nop), note_nop, &known) &&
	       known;
}

const char *objdump_find(const char *wanted)
{
	if (wanted)
		return knows(wanted) ? wanted : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (knows(programs[i]))
			return programs[i];
	return NULL;
}

void objdump_name(const char *program, char *name, size_t size)
{
	char *const arguments[] = {(char *)program, (char *)"--version", NULL};
	FILE *output;
	pid_t pid;

	snprintf(name, size, "%s", program);
	output = start(arguments, STDIN_FILENO, &pid);
	if (!output)
		return;
	if (!fgets(name, size, output))
		snprintf(name, size, "%s", program);
	name[strcspn(name, "\n")] = '\0';
	end(output, pid);
}
