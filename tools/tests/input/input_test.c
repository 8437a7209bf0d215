// SPDX-License-Identifier: GPL-2.0-or-later
/* Files, pipes and the rest of standard input. */
#include "base/io.h"
#include "fake_sysfs.h"

#include <pmscope/input.h>

#include <sys/socket.h>
#include <sys/time.h>

static void expect_bytes(struct pmscope_input *input, const char *bytes)
{
	ASSERT_TRUE(input);
	ASSERT_EQ(pmscope_input_size(input), strlen(bytes));
	if (*bytes)
		EXPECT_MEMEQ(pmscope_input_data(input), bytes, strlen(bytes));
	else
		EXPECT_TRUE(!pmscope_input_data(input));
	pmscope_input_release(input);
	pmscope_input_free(input);
}

static struct pmscope_input *opened(const char *path)
{
	struct pmscope_input *input;

	EXPECT_EQ(pmscope_input_open(path, &input), 0);
	return input;
}

static struct pmscope_input *open_standard(int fd, int expected)
{
	int saved = dup(STDIN_FILENO);
	struct pmscope_input *input;

	dup2(fd, STDIN_FILENO);
	EXPECT_EQ(pmscope_input_open("-", &input), expected);
	dup2(saved, STDIN_FILENO);
	close(saved);
	return input;
}

static int open_text(char dir[FAKE_SYSFS_PATH], const char *text)
{
	char path[FAKE_SYSFS_PATH + 16];

	fake_sysfs_make(dir);
	fake_sysfs_text(dir, "text", text);
	snprintf(path, sizeof(path), "%s/text", dir);
	return open(path, O_RDONLY | O_CLOEXEC);
}

TEST(standard_input_is_read_from_where_it_stands)
{
	char dir[FAKE_SYSFS_PATH];
	int fd = open_text(dir, "0123456789");

	ASSERT_TRUE(fd >= 0);
	expect_bytes(open_standard(fd, 0), "0123456789");
	ASSERT_EQ(lseek(fd, 4, SEEK_SET), 4);
	expect_bytes(open_standard(fd, 0), "456789");
	ASSERT_EQ(lseek(fd, 0, SEEK_END), 10);
	expect_bytes(open_standard(fd, 0), "");
	close(fd);
	fake_sysfs_remove(dir);
}

TEST(descriptors_have_names)
{
	char dir[FAKE_SYSFS_PATH], path[32];
	int fd = open_text(dir, "0123456789"), ends[2];

	ASSERT_TRUE(fd >= 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	expect_bytes(opened(path), "0123456789");
	ASSERT_EQ(pipe(ends), 0);
	ASSERT_EQ(write(ends[1], "piped", 5), (ssize_t)5);
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	expect_bytes(opened(path), "piped");
	close(ends[0]);
	close(fd);
	fake_sysfs_remove(dir);
}

/* Like a shell whose terminal another program left like this. */
TEST(standard_input_that_does_not_wait)
{
	pid_t child;
	int ends[2];

	ASSERT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		usleep(50000);
		_exit(write(ends[1], "late", 4) != 4);
	}
	ASSERT_TRUE(child > 0);
	close(ends[1]);
	expect_bytes(open_standard(ends[0], 0), "late");
	close(ends[0]);
	waitpid(child, NULL, 0);
}

/* A timed-out wait: waiting again might take forever. */
TEST(standard_input_that_gives_up)
{
	const struct timeval limit = {.tv_usec = 1000};
	int ends[2];

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	ASSERT_EQ(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit,
			     sizeof(limit)),
		  0);
	alarm(KTAP_HANGS);
	EXPECT_TRUE(!open_standard(ends[0], -EAGAIN));
	alarm(0);
	close(ends[0]);
	close(ends[1]);
}

/* A line of @size bytes including its newline, if it has one. */
static void expect_lines(size_t size, char fill)
{
	static char bytes[4 * LINE_ROOM], line[LINE_ROOM];
	FILE *file = fmemopen(bytes, sizeof(bytes), "r");

	ASSERT_TRUE(file);
	memset(bytes, fill, sizeof(bytes));
	memcpy(bytes, "first", 5);
	bytes[size - 1] = '\n';
	memcpy(bytes + size, "second\n", 7);
	ASSERT_TRUE(line_next(file, line));
	EXPECT_EQ(strncmp(line, "first", 5), 0);
	EXPECT_EQ(strlen(line), !fill		   ? 5
				: size < LINE_ROOM ? size - 1
						   : LINE_ROOM - 1);
	ASSERT_TRUE(line_next(file, line));
	EXPECT_STREQ(line, "second");
	fclose(file);
}

TEST(lines_of_any_length_are_lines)
{
	for (size_t size = LINE_ROOM - 3; size < LINE_ROOM + 4; size++) {
		expect_lines(size, 'x');
		expect_lines(size, '\0');
	}
	expect_lines(3 * LINE_ROOM, 'x');
	expect_lines(3 * LINE_ROOM, '\0');
}

TEST(what_cannot_be_opened)
{
	struct pmscope_input *input;

	EXPECT_EQ(pmscope_input_open("/nonexistent", &input), -ENOENT);
	EXPECT_TRUE(!input);
	EXPECT_EQ(pmscope_input_open("/", &input), -EISDIR);
	EXPECT_TRUE(!input);
	expect_bytes(opened("/dev/null"), "");
	pmscope_input_free(NULL);
}
