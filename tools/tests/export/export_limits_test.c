// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiles of more different samples than are held in memory: what is written
 * does not depend on the threads, and memory does not grow with the recording.
 */
#include "command.h"
#include "recording_fixture.h"

#define CPUS   4
#define CODE   UINT64_C(0x400000)
#define PLACES 256
#define FIRST  100 /* thread; one for each CPU */

/* KiB of private memory; all samples would need 10 MiB more or a multiple */
#define MEMORY "36864"

static void put_latencies(struct bytes *b, uint64_t *random, uint32_t tid,
			  uint64_t pc, uint64_t time)
{
	PUT_ADDRESS(b, PC, UINT64_C(1) << 63 | pc);
	PUT_CONTEXT(b, 1, tid);
	PUT_OPERATION(b, OTHER, 0);
	PUT_EVENTS(b, 1, 0x02);
	PUT_COUNTER(b, ISSUE, random_below(random, 4096));
	PUT_COUNTER(b, TOTAL, random_below(random, 4096));
	put_timestamp(b, time);
}

/*
 * Nearly no two samples are alike: latencies, or targets, differ. @branches:
 * how many of four are branches.
 */
static void put_sample(struct bytes *b, uint64_t *random, uint32_t tid,
		       uint64_t time, uint32_t branches)
{
	uint64_t from = CODE + 4 * random_below(random, PLACES);
	uint64_t to = CODE + 4 * random_below(random, 64 * PLACES);

	if (random_below(random, 4) < branches)
		put_branch(b, tid, from, to, from & ~UINT64_C(255), 0, 0x82);
	else
		put_latencies(b, random, tid, from, time);
}

static void put_recording(struct bytes *b, size_t samples, uint32_t branches)
{
	uint64_t random = 1;

	begin(b);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		const struct where where = at(1, FIRST, FIRST + cpu);
		BYTES trace = {};

		put_mmap2(b, CODE, 0x100000, 0, "/usr/bin/program", &where);
		comm_at(b, 0, cpu % 2 ? "odd" : "even", 1, FIRST, FIRST + cpu);
		for (size_t i = 0; i < samples / CPUS; i++)
			put_sample(&trace, &random, FIRST + cpu, 100 + 8 * i,
				   branches);
		put_auxtrace(b, cpu, cpu, NO_TID, &trace);
	}
	perfdata_end(b);
}

/* What export writes; to be freed. */
static char *exported(const struct bytes *b, const char *format,
		      const char *options, size_t *size)
{
	char arguments[256], *text = NULL;
	FILE *pipe, *copy = open_memstream(&text, size);
	int c;

	snprintf(arguments, sizeof(arguments),
		 "export --format=%s -o - %s 2>/dev/null", format, options);
	pipe = command_pmscope_reads(b, arguments);
	while (pipe && copy && (c = getc(pipe)) != EOF)
		putc(c, copy);
	EXPECT_EQ(pipe ? pclose(pipe) : -1, 0);
	if (copy)
		fclose(copy);
	return text;
}

static void expect_alike(const struct bytes *b, const char *format,
			 const char *options, const char *other)
{
	size_t size, other_size;
	FREED char *text = exported(b, format, options, &size);
	FREED char *other_text = exported(b, format, other, &other_size);

	EXPECT_TRUE(size > 0);
	EXPECT_EQ(size, other_size);
	EXPECT_TRUE(size == other_size && !memcmp(text, other_text, size));
}

TEST(profiles_do_not_depend_on_threads)
{
	static const char *const formats[] = {"pprof", "firefox", "bolt",
					      "autofdo", "gcov"};
	BYTES b = {};

	put_recording(&b, 20000, 2);
	for (size_t i = 0; i < 5; i++) {
		expect_alike(&b, formats[i], "--threads=1 --most=6000",
			     "--threads=3 --most=6000");
		expect_alike(&b, formats[i], "--threads=1 --most=100",
			     "--threads=4 --most=100");
	}
}

/* Exit status of export with so much memory, in KiB or "unlimited". */
static int status_in(const struct bytes *b, const char *format,
		     const char *memory, const char *options)
{
	char command[512];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "ulimit -d %s; %s export --format=%s -o /dev/null "
		 "--threads=1 %s 2>/dev/null",
		 memory, command_pmscope(), format, options);
	pipe = command_reads(b, command);
	return pipe ? pclose(pipe) : -1;
}

static void expect_bound(const struct bytes *b, const char *format)
{
	EXPECT_EQ(status_in(b, format, MEMORY, "--most=10000"), 0);
	EXPECT_TRUE(status_in(b, format, MEMORY, "--most=100000000") != 0);
}

/* The sanitizers have memory of their own. */
PLAIN_TEST(memory_does_not_grow_with_the_recording)
{
	BYTES b = {};

	put_recording(&b, 400000, 0);
	expect_bound(&b, "pprof");
	expect_bound(&b, "firefox");
	bytes_fini(&b);
	put_recording(&b, 480000, 4);
	expect_bound(&b, "bolt");
	expect_bound(&b, "autofdo");
}

/* What goes through a temporary file is the same, and counts the same. */
TEST(branches_beyond_memory_are_all_there)
{
	static const char *const formats[] = {"bolt", "autofdo"};
	BYTES b = {};

	put_recording(&b, 20000, 2);
	for (size_t i = 0; i < 2; i++) {
		expect_alike(&b, formats[i], "", "--most=1");
		expect_alike(&b, formats[i], "", "--most=1000");
	}
}

TEST(branches_need_room_in_a_temporary_file)
{
	BYTES b = {};

	put_recording(&b, 20000, 2);
	setenv("TMPDIR", "/nowhere", 1);
	EXPECT_EQ(status_in(&b, "bolt", "unlimited", "--most=100"), 1 << 8);
	EXPECT_EQ(status_in(&b, "bolt", "unlimited", ""), 0);
	unsetenv("TMPDIR");
}
