// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export --format=parquet: each dataset is compared in SQL with what script
 * prints of the same recording, by lake.mjs, and with the others.
 */
#include "activity.h"
#include "command.h"
#include "ktap.h"
#include "skewed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TYPE_ARM_SPE 10
#define NO_ID	     UINT32_MAX
#define NEOVERSE_N1  0x410fd0c0
#define HIP12	     0x480fd060
#define COMMAND_SIZE 2048
#define COMPARISONS  7
#define MANY_RECORDS 30000

/* "-i" and the recording follow. Damage is no failure here. */
static const char compare[] =
	"sh -c 'dir=$(mktemp -d) && "
	"{ %s export --format=parquet --symbols --addresses -o $dir $2; "
	"%s script --format=csv $2 >$dir/all.csv; } 2>/dev/null; "
	"node " PMSCOPE_TESTS "/export/lake.mjs %s $dir $dir/all.csv; "
	"s=$?; rm -r $dir; exit $s' sh";

static void compare_datasets(struct bytes *b)
{
	const char *consumers = getenv("PMSCOPE_CONSUMERS");
	const char *pmscope = command_pmscope();
	char command[COMMAND_SIZE], line[COMMAND_SIZE];
	unsigned int lines = 0;
	FILE *pipe;
	int status;

	if (!consumers) {
		bytes_fini(b);
		SKIP("no reader of Parquet: set PMSCOPE_CONSUMERS");
	}
	snprintf(command, sizeof(command), compare, pmscope, pmscope,
		 consumers);
	pipe = command_reads(b, command);
	ASSERT_TRUE(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		const char *sep = strstr(line, ": ");

		EXPECT_TRUE(sep && !strcmp(sep, ": 0\n"));
		if (!sep || strcmp(sep, ": 0\n") != 0)
			ktap_note("%s", line);
		lines++;
	}
	status = pclose(pipe);
	EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
	EXPECT_EQ(lines, COMPARISONS);
	bytes_fini(b);
}

static void compare_activity(const struct activity *activity)
{
	struct bytes b = {};

	put_activity(&b, activity);
	compare_datasets(&b);
}

TEST(tasks_that_fork_switch_and_are_counted)
{
	compare_activity(&(struct activity){
		.seed = 7, .records = 3000, .rare = 20, .counted = true});
}

TEST(records_of_any_packets)
{
	compare_activity(&(struct activity){
		.seed = 8, .records = 2000, .rare = 50, .wild = 2});
}

TEST(traces_with_damage)
{
	compare_activity(&(struct activity){.seed = 9,
					    .records = 3000,
					    .rare = 50,
					    .wild = 20,
					    .bad_bytes = 100});
}

TEST(no_sample)
{
	compare_activity(&(struct activity){.seed = 10, .rare = 5});
}

static void put_machine(struct bytes *b)
{
	static const uint64_t cpus[][4] = {{0, NEOVERSE_N1, TYPE_ARM_SPE, 0},
					   {1, HIP12, TYPE_ARM_SPE, 0}};
	struct where where = {SKEWED_TASK, SKEWED_TASK, 1, 0};

	put_auxtrace_info_v2(b, cpus, 2, 4);
	put_time_conv(b, 10, 25600, 123456789);
	for (uint32_t task = 0; task < SKEWED_TASKS; task++) {
		where.pid = where.tid = SKEWED_TASK + task;
		put_comm(b, 0, task & 1 ? "odd" : "even", &where);
		put_mmap2_of(b, SKEWED_TEXT, 0x100000, "/bin/skewed", 0xab, 20,
			     &where);
	}
}

/* Sources with names and without, and a kernel that is not mapped. */
TEST(CPUs_of_two_kinds)
{
	struct bytes b = {};

	perfdata_begin(&b);
	put_machine(&b);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct skewed s = {.random = 5 + cpu,
				   .ticks = 1000,
				   .layout = cpu ? SKEWED_KUNPENG : SKEWED_N1};
		struct bytes trace = {};

		for (unsigned int i = 0; i < MANY_RECORDS; i++)
			put_skewed(&trace, &s);
		put_auxtrace(&b, cpu, cpu, NO_ID, &trace);
		bytes_fini(&trace);
	}
	perfdata_end(&b);
	compare_datasets(&b);
}

KTAP_MAIN
