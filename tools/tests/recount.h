/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recount/recount.py, which computes every figure of report a second time. */
#ifndef PMSCOPE_TESTS_RECOUNT_H
#define PMSCOPE_TESTS_RECOUNT_H

#include "command.h"
#include "ktap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define RECOUNT_COMMAND 512

static inline bool recount_works(void)
{
	return !system("python3 -c 'import sqlite3' 2>/dev/null");
}

/* The command, to which the name of a recording is added. */
static inline void recount_command(char command[RECOUNT_COMMAND])
{
	snprintf(command, RECOUNT_COMMAND,
		 "python3 -B " PMSCOPE_TESTS "/recount/recount.py --pmscope=%s",
		 command_pmscope());
}

/* Tells what recount.py says of a recording. */
static inline void recount_tell(FILE *pipe)
{
	char line[RECOUNT_COMMAND];
	int status;

	ASSERT_TRUE(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		line[strcspn(line, "\n")] = '\0';
		ktap_note("%s", line);
	}
	status = pclose(pipe);
	EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

/* @options: "", or " --counters" for what counters say only */
static inline void recount_file(const struct bytes *file, const char *options)
{
	char command[RECOUNT_COMMAND];

	recount_command(command);
	strncat(command, options, sizeof(command) - strlen(command) - 1);
	recount_tell(command_reads(file, command));
}

#endif /* PMSCOPE_TESTS_RECOUNT_H */
