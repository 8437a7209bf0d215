// SPDX-License-Identifier: GPL-2.0-or-later
/* The output of commands does not depend on the number of threads. */
#include "command.h"

#define RECORDS 20000

static const char *const commands[] = {
	"script",
	"script --format=csv --filter=comm=/n1,lat'>=1'",
	"script --format=jsonl",
	"report --sort=sym,dso,comm --format=jsonl",
	"report --sort=event,source --format=csv --filter=tid=11\\|12",
	"report --sort=symbol_daddr,dso_daddr,line --format=csv",
	"report --cachelines",
	"report --cachelines --format=csv",
	"export --format=pprof -o -",
	"export --format=firefox -o -",
	"export --format=folded -o -",
};

static void run(struct bytes *out, const char *command, const char *file,
		unsigned int threads)
{
	char line[4096 + 256], part[4096];
	FILE *pipe;
	size_t n;

	snprintf(line, sizeof(line), "%s %s --threads=%u -i %s 2>&1",
		 command_pmscope(), command, threads, file);
	pipe = popen(line, "r");
	ASSERT_TRUE(pipe);
	while ((n = fread(part, 1, sizeof(part), pipe)))
		bytes_add(out, part, n);
	put(out, pclose(pipe), 4);
}

static void compare(const char *command, const char *file)
{
	static const unsigned int numbers[] = {2, 3, 8};
	BYTES one = {};

	run(&one, command, file, 1);
	EXPECT_TRUE(one.size > 100);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		BYTES many = {};

		run(&many, command, file, numbers[i]);
		EXPECT_EQ(many.size, one.size);
		EXPECT_TRUE(many.size == one.size &&
			    !memcmp(many.data, one.data, one.size));
	}
}

static void compare_all(const struct activity *activity)
{
	char file[] = "/tmp/pmscope-threads-XXXXXX";
	BYTES b = {};
	int fd = mkstemp(file);

	put_activity(&b, activity);
	ASSERT_TRUE(fd >= 0);
	ASSERT_EQ(write(fd, b.data, b.size), (ssize_t)b.size);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		compare(commands[i], file);
	unlink(file);
}

TEST(a_quiet_machine)
{
	const struct activity activity = {.seed = stream_seed(1),
					  .records = RECORDS,
					  .rare = 5000,
					  .counted = true};

	compare_all(&activity);
}

TEST(a_busy_machine)
{
	const struct activity activity = {.seed = stream_seed(2),
					  .records = RECORDS,
					  .rare = 30,
					  .counted = true};

	compare_all(&activity);
}

/*
 * Records of any kind, with any time or none, and bytes that are not packets.
 */
TEST(a_damaged_trace)
{
	const struct activity activity = {.seed = stream_seed(3),
					  .records = RECORDS,
					  .rare = 300,
					  .wild = 4,
					  .bad_bytes = 20};

	compare_all(&activity);
}
