// SPDX-License-Identifier: GPL-2.0-or-later
/* The program that is measured: it waits to be started. */
#include "ktap.h"

#include "session/target.h"

#include <poll.h>

static int prepare(struct workload *workload, const char *program)
{
	static char *argv[2];
	struct pmscope_error err = {};

	argv[0] = (char *)program;
	return workload_prepare(workload, argv, false, &err);
}

TEST(a_program_that_runs)
{
	struct workload workload = {};
	struct pmscope_error err = {};
	int status = 1;

	ASSERT_EQ(prepare(&workload, "true"), 0);
	EXPECT_EQ(workload_start(&workload, &err), 0);
	EXPECT_EQ(workload_wait(&workload, &status), 0);
	EXPECT_EQ(status, 0);
}

TEST(a_program_that_there_is_not)
{
	struct workload workload = {};
	struct pmscope_error err = {};

	ASSERT_EQ(prepare(&workload, "/no/such/program"), 0);
	EXPECT_EQ(workload_start(&workload, &err), -ENOENT);
	workload_free(&workload);
}

/*
 * Like Ctrl-C, which also reaches the program: it stays until its events are
 * read.
 */
TEST(a_signal_that_its_parent_blocks)
{
	struct workload workload = {};
	struct pmscope_error err = {};
	sigset_t set, before;
	int status = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	ASSERT_EQ(prepare(&workload, "true"), 0);
	kill(workload.pid, SIGTERM);
	EXPECT_EQ(poll(&(struct pollfd){workload.pidfd, POLLIN, 0}, 1, 200), 0);
	EXPECT_EQ(workload_start(&workload, &err), 0);
	EXPECT_EQ(workload_wait(&workload, &status), 0);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* A signal that it cannot block is no error of the program or the tool. */
TEST(a_signal_before_it_is_started)
{
	struct workload workload = {};
	struct pmscope_error err = {};
	int status = 0;

	ASSERT_EQ(prepare(&workload, "true"), 0);
	kill(workload.pid, SIGKILL);
	ASSERT_EQ(waitid(P_PID, workload.pid, &(siginfo_t){},
			 WEXITED | WNOWAIT),
		  0);
	EXPECT_EQ(workload_start(&workload, &err), 0);
	EXPECT_EQ(workload_wait(&workload, &status), 0);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
