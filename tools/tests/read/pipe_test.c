// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands that read a pipe: they print the same as of the file, in little
 * memory and without a copy on the disk, unless a view needs two passes.
 * PMSCOPE_PIPE_MB is the size of the long one.
 */
#include "command.h"

#include "base/io.h"

/* More than is held back; and what a command takes besides. */
#define FILE_MB	   72
#define LONG_MB	   192
#define RSS_MAX_KB (128 << 10)

static char directory[64];

static bool enter_directory(void)
{
	strcpy(directory, "/tmp/pmscope-test-XXXXXX");
	return mkdtemp(directory) && !chdir(directory);
}

static void leave_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	EXPECT_EQ(chdir("/"), 0);
	EXPECT_EQ(system(command), 0);
}

/* Writes rounds to @fd until there are @size bytes, or nobody reads them. */
static bool write_rounds(struct rounds *r, int fd, uint64_t size)
{
	BYTES b = {};
	uint64_t written = 0;
	int ret;

	rounds_begin(r, &b);
	do {
		rounds_put(r, &b);
		if (written + b.size >= size)
			rounds_end(r, &b);
		ret = io_write(fd, b.data, b.size);
		written += b.size;
		b.size = 0;
	} while (!ret && written < size);
	return !ret;
}

static bool write_file(const char *name, struct rounds *r, uint64_t size)
{
	CLOSED int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	bool done = fd >= 0 && write_rounds(r, fd, size);

	return done;
}

static int run(const char *fmt, const char *arguments, const char *name)
{
	char command[2048];
	int status;

	snprintf(command, sizeof(command), fmt, command_pmscope(), arguments,
		 name);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A file as standard input has the same name as a pipe there. */
static void expect_same(const char *arguments, const char *name)
{
	int file = run("%s %s -i - <%s >a 2>c", arguments, name);
	int pipe = run("cat %3$s | %1$s %2$s -i - >b 2>d", arguments, name);

	EXPECT_EQ(file, pipe);
	if (system("cmp a b") || system("cmp c d"))
		printf("# of %s, %s\n", arguments, name);
	EXPECT_EQ(system("cmp -s a b && cmp -s c d"), 0);
	EXPECT_EQ(system("test -s a || test -s c"), 0);
}

static const char *const streamed[] = {
	"report --format=csv --sort=sym,dso,cpu,comm",
	"report --format=jsonl",
	"report --cachelines --format=csv",
	"report --timeline --format=csv",
	"script --format=csv",
	"script --format=jsonl",
	"script -F time,cpu,pid,pc,dso,offset",
	"script --show-mmap-events",
	"annotate --format=csv",
	"export --format=folded -o -",
	"export --format=bolt -o -",
	"export --format=pprof --threads=1 -o -",
	"export --format=autofdo -o -",
};

static const char *const copied[] = {
	"script --packets",
	"report --header --format=jsonl",
	"export --format=firefox --threads=1 -o -",
};

#define SIZE(array) ARRAY_SIZE(array)

TEST(views_of_a_pipe_and_of_the_file)
{
	struct rounds r = {.seed = 1, .records = 50, .lag = 2, .gaps = true};

	ASSERT_TRUE(enter_directory());
	ASSERT_TRUE(write_file("rounds", &r, 1 << 20));
	for (size_t i = 0; i < SIZE(streamed); i++)
		expect_same(streamed[i], "rounds");
	for (size_t i = 0; i < SIZE(copied); i++)
		expect_same(copied[i], "rounds");
	leave_directory();
}

TEST(a_pipe_that_is_cut)
{
	struct rounds r = {.seed = 2, .records = 50};

	ASSERT_TRUE(enter_directory());
	ASSERT_TRUE(write_file("rounds", &r, 1 << 20));
	EXPECT_EQ(truncate("rounds", 700001), 0);
	expect_same("report --format=csv", "rounds");
	expect_same("script --format=csv", "rounds");
	EXPECT_EQ(run("cat %3$s | %1$s %2$s -i - >b 2>d", "report", "rounds"),
		  1);
	EXPECT_EQ(system("grep -q 'offset 0x.*cut short' d"), 0);
	leave_directory();
}

/* Longer than what is held back: the order of rows is the file's. */
PLAIN_TEST(views_of_a_long_pipe)
{
	struct rounds r = {.seed = 3, .records = 500, .lag = 2};

	ASSERT_TRUE(enter_directory());
	ASSERT_TRUE(write_file("rounds", &r, FILE_MB << 20));
	expect_same("report --format=csv --sort=dso,cpu", "rounds");
	expect_same("script -F time,cpu,dso --filter=dso=/usr/lib/1.so",
		    "rounds");
	leave_directory();
}

static uint64_t size_of_long(void)
{
	const char *given = getenv("PMSCOPE_PIPE_MB");

	return (given ? strtoull(given, NULL, 10) : LONG_MB) << 20;
}

static pid_t start_writer(int ends[2], uint64_t size)
{
	struct rounds r = {.seed = 4, .records = 2000};
	pid_t pid = fork();

	if (pid)
		return pid;
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	write_rounds(&r, ends[1], size);
	_exit(0);
}

static pid_t start_reader(int ends[2])
{
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("TMPDIR", "/nowhere", 1);
	execl(command_pmscope(), "pmscope", "report", "-", "--format=csv",
	      "--sort=dso", "-o", "out", NULL);
	_exit(127);
}

PLAIN_TEST(a_long_pipe_takes_little_memory_and_no_disk)
{
	uint64_t size = size_of_long();
	struct rusage usage;
	int ends[2], status;
	pid_t writer, reader;

	ASSERT_TRUE(enter_directory());
	ASSERT_EQ(pipe(ends), 0);
	writer = start_writer(ends, size);
	reader = start_reader(ends);
	close(ends[0]);
	close(ends[1]);
	EXPECT_EQ(wait4(reader, &status, 0, &usage), reader);
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	waitpid(writer, NULL, 0);
	printf("# %llu MB: %ld KB of memory\n", (unsigned long long)size >> 20,
	       usage.ru_maxrss);
	EXPECT_LT(usage.ru_maxrss, RSS_MAX_KB);
	EXPECT_EQ(system("test $(wc -l <out) -ge 8"), 0);
	leave_directory();
}

/* Call chains are read first, so the pipe is copied, and there must be room. */
TEST(views_that_need_two_passes_say_so)
{
	struct rounds r = {.seed = 5, .records = 50};

	ASSERT_TRUE(enter_directory());
	ASSERT_TRUE(write_file("rounds", &r, 1 << 20));
	EXPECT_EQ(run("cat %3$s | TMPDIR=/nowhere %1$s %2$s -i - >b 2>d",
		      "script --packets", "rounds"),
		  1);
	EXPECT_EQ(system("grep -q 'a pipe is first copied to a file in TMPDIR'"
			 " d"),
		  0);
	EXPECT_EQ(run("cat %3$s | TMPDIR=/nowhere %1$s %2$s -i - >b 2>d",
		      "script", "rounds"),
		  0);
	leave_directory();
}
