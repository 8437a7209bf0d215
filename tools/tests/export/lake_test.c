// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export --format=parquet: each dataset is compared in SQL with what script
 * prints of the same recording, by lake.mjs, and with the others.
 */
#include "command.h"
#include "recording_fixture.h"

#define PMU_TYPE     10
#define COMMAND_SIZE 2048
#define COMPARISONS  8
#define DATASETS     6
#define MANY_RECORDS 30000

/* Options, and behind it "-i" and the recording. Damage is no failure here. */
static const char compare[] =
	"sh -c 'dir=$(mktemp -d) chosen=%s && "
	"{ %s export --format=parquet --symbols --addresses -o $dir $chosen "
	"$2; "
	"%s script $chosen --format=csv -F +cgroup,+build_id,+file_offset,"
	"+target_build_id,+target_offset,+counter,+counter_value,+midr,"
	"+operations,+object,+member $2 >$dir/all.csv; } 2>/dev/null; "
	"node " PMSCOPE_TESTS "/export/lake.mjs %s $dir $dir/all.csv; "
	"s=$?; rm -r $dir; exit $s' sh";

static void compare_datasets(struct bytes *b, const char *chosen)
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
	snprintf(command, sizeof(command), compare, chosen, pmscope, pmscope,
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
	compare_datasets(&b, "");
}

CASE(tasks_that_fork_switch_and_are_counted,
     compare_activity(&(struct activity){
	     .seed = 7, .records = 3000, .rare = 20, .counted = true}));

TEST(times_choose_samples_and_counts)
{
	BYTES b = {};

	put_activity(&b, &(struct activity){.seed = 7,
					    .records = 3000,
					    .rare = 20,
					    .counted = true});
	compare_datasets(&b, "--time=0.000001,0.000002");
}

CASE(tasks_in_control_groups,
     compare_activity(&(struct activity){.seed = 11,
					 .records = 3000,
					 .rare = 20,
					 .counted = true,
					 .grouped = true}));

/* A line for each dataset as each reader sees it. "-i" and a file follow. */
static const char four[] =
	"sh -c 'dir=$(mktemp -d) && "
	"%s export --format=parquet --symbols --addresses -o $dir $2 && "
	"for part in $dir/*/*/*/*.parquet; do mv $part $dir/x.parquet; "
	"node " PMSCOPE_TESTS "/parquet/readers.mjs %s $dir/x.parquet duckdb "
	"clickhouse hyparquet polars | "
	"cut -d: -f2- | uniq -c | sed \"s|^ *|${part#$dir/dataset=} |\"; done; "
	"s=$?; rm -r $dir; exit $s' sh";

PLAIN_TEST(four_readers_of_all_datasets)
{
	const char *consumers = getenv("PMSCOPE_CONSUMERS");
	char command[COMMAND_SIZE], line[COMMAND_SIZE];
	unsigned int lines = 0;
	BYTES b = {};
	FILE *pipe;

	if (!consumers)
		SKIP("no reader of Parquet: set PMSCOPE_CONSUMERS");
	put_activity(&b, &(struct activity){.seed = 12,
					    .records = 3000,
					    .rare = 20,
					    .counted = true,
					    .grouped = true});
	snprintf(command, sizeof(command), four, command_pmscope(), consumers);
	pipe = command_reads(&b, command);
	ASSERT_TRUE(pipe);
	for (; fgets(line, sizeof(line), pipe); lines++) {
		EXPECT_TRUE(strstr(line, ".parquet 4 "));
		if (!strstr(line, ".parquet 4 "))
			ktap_note("%s", line);
	}
	EXPECT_EQ(pclose(pipe), 0);
	EXPECT_EQ(lines, (unsigned int)DATASETS);
}

CASE(records_of_any_packets,
     compare_activity(&(struct activity){
	     .seed = 8, .records = 2000, .rare = 50, .wild = 2}));

CASE(traces_with_damage,
     compare_activity(&(struct activity){.seed = 9,
					 .records = 3000,
					 .rare = 50,
					 .wild = 20,
					 .bad_bytes = 100}));

CASE(no_sample, compare_activity(&(struct activity){.seed = 10, .rare = 5}));

#define SERVICES 300

/* Asks SQL in the directory of the datasets. "-i" and a file follow. */
static const char ask[] =
	"sh -c 'dir=$(mktemp -d) && "
	"%s export --format=parquet --label=zone=a --label=rack=7 -o $dir $2 "
	"2>/dev/null; cd $dir && node " PMSCOPE_TESTS
	"/export/ask.mjs %s \"$SQL\"; rm -r $dir' sh";

TEST(threads_of_too_many_names)
{
	const char *consumers = getenv("PMSCOPE_CONSUMERS");
	unsigned int all, names, others, unlabelled, told;
	char command[COMMAND_SIZE], name[16];
	BYTES b = {};
	FILE *pipe;

	if (!consumers)
		SKIP("no reader of Parquet: set PMSCOPE_CONSUMERS");
	begin(&b);
	for (uint32_t tid = 1; tid <= SERVICES; tid++) {
		snprintf(name, sizeof(name), "worker-%u", tid);
		comm_at(&b, 0, name, 10, tid, tid);
		load_at(&b, 0, tid, 0x400100, 100 + tid);
		load_at(&b, 0, tid, 0x400104, 100 + tid);
	}
	perfdata_end(&b);
	setenv("SQL",
	       "select sum(samples), count(distinct comm), "
	       "sum(samples) filter (comm = '[other]'), "
	       "count(*) filter (labels = 'zone=a,rack=7') - count(*), "
	       "(select number from read_parquet('dataset=losses/*/*/*') "
	       "where kind = 'other_services') "
	       "from read_parquet('dataset=rollup/*/*/*')",
	       1);
	snprintf(command, sizeof(command), ask, command_pmscope(), consumers);
	pipe = command_reads(&b, command);
	ASSERT_TRUE(pipe);
	EXPECT_EQ(fscanf(pipe, "%u %u %u %u %u", &all, &names, &others,
			 &unlabelled, &told),
		  5);
	EXPECT_EQ(pclose(pipe), 0);
	EXPECT_EQ(all, 2U * SERVICES);
	EXPECT_EQ(names, 257U);
	EXPECT_EQ(others, 2U * (SERVICES - 256));
	EXPECT_EQ(told, others);
	EXPECT_EQ(unlabelled, 0U);
}

TEST(CPUs_of_two_kinds)
{
	struct bytes b = {};

	perfdata_begin(&b);
	put_skewed_machine(&b, NEOVERSE_N1, 2, 0xab);
	put_skewed_traces(&b, 5, 2, MANY_RECORDS);
	perfdata_end(&b);
	compare_datasets(&b, "");
}

/* The address of an instruction, as its packet has it. */
static uint64_t at_el1(uint64_t address)
{
	return (address & UINT64_MAX >> 8) | UINT64_C(1) << 61;
}

static const uint64_t program = 0xffff800080001000, page = 0xffff800080009000,
		      module = 0xffff80007a000000, nothing = 0xffff8000a0000000,
		      user = 0x5008;

/* The samples of one program, while BPF programs come to the same place. */
static void put_round(struct bytes *b, uint64_t time)
{
	const uint64_t pcs[] = {at_el1(program + 8),
				at_el1(program + 16),
				at_el1(page + 16),
				at_el1(module + 0x20),
				at_el1(nothing + 4 * time),
				user + 4 * time,
				user,
				0x400100};
	char name[32];

	snprintf(name, sizeof(name), "bpf_prog_%u", (unsigned int)time);
	ksymbol_of(b, PERF_RECORD_KSYMBOL_TYPE_BPF, program, 0x100, 0, name,
		   time);
	for (size_t i = 0; i < ARRAY_SIZE(pcs); i++)
		load_at(b, 0, 7, pcs[i], time + 10 + i);
	load_at(b, 0, 0, user, time + 30);
	ksymbol_of(b, PERF_RECORD_KSYMBOL_TYPE_BPF, program, 0x100,
		   PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, name, time + 50);
}

static void put_code(struct bytes *b)
{
	struct where kernel = {NO_ID, 0, 0, 0};
	BYTES trace = {};

	begin(b);
	put_mmap2(b, module, 0x4000, 0, "/lib/secret/odd-one.ko.xz", &kernel);
	comm_at(b, 0, "secretary", 10, 7, 7);
	map_at(b, 0x400000, "/srv/secret/bin", 10, 7);
	map_at(b, 0x5000, "//anon", 10, 7);
	map_at(b, 0x7000, "[stack]", 10, 7);
	ksymbol_of(b, PERF_RECORD_KSYMBOL_TYPE_OOL, page, 0x1000, 0,
		   "kprobe_insn_page", 100);
	for (uint64_t time = 100; time < 500; time += 100)
		put_round(b, time);
	put_load_of(&trace, 7, user, 0x7008, 600);
	put_load_of(&trace, 7, user, 0x400010, 601);
	put_auxtrace(b, 0, 0, PMSCOPE_NO_ID, &trace);
	perfdata_end(b);
}

/* Memory of no file has addresses, but no offsets in a file. */
TEST(code_of_no_file)
{
	struct bytes b = {};

	put_code(&b);
	compare_datasets(&b, "");
}

/*
 * Rows that have a path or a filter, then numbers that are addresses: with
 * --redact, and without. "-i" and a file follow.
 */
static const char seek[] =
	"sh -c 'dir=$(mktemp -d); mkdir -p $dir/root/tmp; "
	"echo 5000 1000 made-of-secret/a.js >$dir/root/tmp/perf-7.map; "
	"for option in --redact --addresses; do "
	"%s export --format=parquet --symbols $option --filter=comm!=secret "
	"--symfs=$dir/root -o $dir/$option $2 2>/dev/null; for part in "
	"$dir/$option/*/*/*/*; do "
	"node " PMSCOPE_TESTS "/export/ask.mjs %s \"select * from "
	"read_parquet(\\\"$part\\\", hive_partitioning = false)\"; done "
	">$dir/rows; grep -c secret $dir/rows; "
	"grep -cE \"(^|	)18446[0-9]{15}(	|$)\" $dir/rows; done; "
	"rm -r $dir' sh";

TEST(redacted_datasets_have_no_paths_and_addresses)
{
	const char *consumers = getenv("PMSCOPE_CONSUMERS");
	unsigned int redacted[2], whole[2];
	char command[COMMAND_SIZE];
	BYTES b = {};
	FILE *pipe;

	if (!consumers)
		SKIP("no reader of Parquet: set PMSCOPE_CONSUMERS");
	put_code(&b);
	snprintf(command, sizeof(command), seek, command_pmscope(), consumers);
	pipe = command_reads(&b, command);
	ASSERT_TRUE(pipe);
	EXPECT_EQ(fscanf(pipe, "%u %u %u %u", &redacted[0], &redacted[1],
			 &whole[0], &whole[1]),
		  4);
	EXPECT_EQ(pclose(pipe), 0);
	EXPECT_EQ(redacted[0], 0U);
	EXPECT_EQ(redacted[1], 0U);
	EXPECT_TRUE(whole[0] > 4);
	EXPECT_TRUE(whole[1] > 16);
}
