// SPDX-License-Identifier: GPL-2.0-or-later
#include "ktap.h"
#include "session/target.h"

#include <pthread.h>

/* Any directory works until an event is opened for it. */
TEST(a_control_group_that_is_descriptor_0)
{
	struct target target = {};
	struct pmscope_error err = {};

	close(STDIN_FILENO);
	ASSERT_EQ(target_cgroup(&target, "/sys/kernel", &err), 0);
	EXPECT_EQ(target.cgroup, STDIN_FILENO);
	EXPECT_TRUE(target.in_cgroup);
	target_free(&target);
	EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
}

TEST(no_control_group_leaves_descriptor_0_alone)
{
	struct target target = {};

	close(STDIN_FILENO);
	ASSERT_EQ(open("/", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	EXPECT_FALSE(target.in_cgroup);
	target_free(&target);
	EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), FD_CLOEXEC);
}

/* It has ended, even if its parent never reaps it. */
TEST(a_process_that_nobody_has_waited_for)
{
	struct target target = {};
	siginfo_t info;
	pid_t pid;

	ASSERT_EQ(target_add(&target, getpid()), 0);
	EXPECT_TRUE(target_alive(&target));
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	target.task[0] = pid;
	EXPECT_FALSE(target_alive(&target));
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	EXPECT_FALSE(target_alive(&target));
	target_free(&target);
}

TEST(lists_of_tasks)
{
	static const char *const wrong[] = {"0",    "-1", "1,",		",1",
					    "1,,1", "1x", "4294967297", "1,0"};
	struct target target = {};
	struct pmscope_error err = {};
	pid_t child = fork();
	char text[64];

	if (!child)
		pause();
	snprintf(text, sizeof(text), "%d,%d,%d", getpid(), child, getpid());
	EXPECT_EQ(target_threads(&target, text, &err), 0);
	ASSERT_EQ(target.nr_tasks, 2U);
	EXPECT_EQ(target.task[0], getpid());
	EXPECT_EQ(target.task[1], child);
	kill(child, SIGKILL);
	EXPECT_EQ(waitpid(child, NULL, 0), child);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(target_threads(&target, wrong[i], &err), -EINVAL);
		snprintf(text, sizeof(text), "'%s' is not a thread number",
			 wrong[i]);
		EXPECT_STREQ(err.text, text);
	}
	target_free(&target);
}

static void *alone(void *ready)
{
	pid_t self = gettid();

	if (write((intptr_t)ready, &self, sizeof(self)) == sizeof(self))
		pause();
	return NULL;
}

/* The first of whose threads has ended. */
static void __attribute__((noreturn)) run_on(int ready)
{
	pthread_t thread;

	pthread_create(&thread, NULL, alone, (void *)(intptr_t)ready);
	pthread_exit(NULL);
}

static bool has_exited(pid_t task)
{
	char text[256], *end;

	if (sysfs_read(text, sizeof(text), "/proc/%d/stat", task) < 0)
		return false;
	end = strrchr(text, ')');
	return end && end[2] == 'Z';
}

TEST(a_process_whose_first_thread_has_ended)
{
	struct target target = {};
	pid_t pid, thread = 0;
	int ready[2];

	ASSERT_EQ(pipe(ready), 0);
	pid = fork();
	if (!pid)
		run_on(ready[1]);
	ASSERT_EQ(read(ready[0], &thread, sizeof(thread)), sizeof(thread));
	while (!has_exited(pid))
		usleep(1000);
	ASSERT_EQ(target_add(&target, pid), 0);
	EXPECT_TRUE(target_alive(&target));
	target.task[0] = thread;
	EXPECT_TRUE(target_alive(&target));
	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	EXPECT_FALSE(target_alive(&target));
	target_free(&target);
}
