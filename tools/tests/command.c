// SPDX-License-Identifier: GPL-2.0-or-later
#include "command.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_MAX 8192

const char *command_pmscope(void)
{
	const char *given = getenv("PMSCOPE");

	return given ? given : PMSCOPE_TESTS "/../../build/bin/pmscope";
}

FILE *command_reads(const struct bytes *file, const char *command)
{
	char path[] = "/tmp/pmscope-test-XXXXXX", line[COMMAND_MAX + 64];
	int fd = mkstemp(path);
	FILE *pipe = NULL;

	if (fd < 0)
		return NULL;
	snprintf(line, sizeof(line), "%s -i %s; s=$?; rm %s; exit $s", command,
		 path, path);
	if (write(fd, file->data, file->size) == (ssize_t)file->size)
		pipe = popen(line, "r");
	if (!pipe)
		unlink(path);
	close(fd);
	return pipe;
}

FILE *command_pmscope_reads(const struct bytes *file, const char *arguments)
{
	char command[COMMAND_MAX];

	snprintf(command, sizeof(command), "%s %s", command_pmscope(),
		 arguments);
	return command_reads(file, command);
}

int command_pmscope_text(const struct bytes *file, const char *arguments,
			 char *text, size_t size)
{
	FILE *pipe = command_pmscope_reads(file, arguments);
	size_t n;
	int status;

	*text = '\0';
	if (!pipe)
		return -1;
	n = fread(text, 1, size - 1, pipe);
	text[n] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
