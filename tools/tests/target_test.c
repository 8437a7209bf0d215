// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/target.h"
#include "ktap.h"

#include <fcntl.h>
#include <unistd.h>

/* Any folder does until an event is opened for it. */
TEST(a_control_group_that_is_descriptor_0)
{
	struct pmscope_target target = {};
	struct pmscope_error err = {};

	close(STDIN_FILENO);
	ASSERT_EQ(pmscope_target_cgroup(&target, "/sys/kernel", &err), 0);
	EXPECT_EQ(target.cgroup, STDIN_FILENO);
	EXPECT_TRUE(target.in_cgroup);
	pmscope_target_free(&target);
	EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
}

TEST(no_control_group_leaves_descriptor_0_alone)
{
	struct pmscope_target target = {};

	close(STDIN_FILENO);
	ASSERT_EQ(open("/", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	EXPECT_FALSE(target.in_cgroup);
	pmscope_target_free(&target);
	EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), FD_CLOEXEC);
}

KTAP_MAIN
