// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every figure of diff, computed a second time by recount/difference.py, which
 * shares no code with pmscope.
 */
#include "command.h"

#define NEOVERSE_V2 0x410fd4f0
#define UNKNOWN_CPU 0x4e0f0990

/* @options: of difference.py; two recordings, which are freed */
static void recount_pair(struct bytes *old, struct bytes *new,
			 const char *options)
{
	char command[2 * RECOUNT_COMMAND];

	if (!recount_works())
		SKIP("no python3 with sqlite3 here");
	snprintf(command, sizeof(command),
		 "python3 -B " PMSCOPE_TESTS
		 "/recount/difference.py --pmscope=%s %s",
		 command_pmscope(), options);
	recount_tell(command_compares(old, new, command));
	bytes_fini(old);
	bytes_fini(new);
}

static void put_skewed_file(struct bytes *b, uint64_t midr, uint64_t seed,
			    uint32_t records)
{
	perfdata_begin(b);
	put_skewed_machine(b, midr, 2, 0xab);
	for (uint32_t task = 0; task < SKEWED_TASKS; task++) {
		struct where where = {SKEWED_TASK + task, SKEWED_TASK + task, 0,
				      0};

		put_mmap2(b, 0xffffe0000000, 0x20000000, 0, "[stack]", &where);
		put_mmap2(b, 0xaaaad0000000, 0x8000000, 0, "[heap]", &where);
		put_mmap2(b, 0xaaaad8000000, 0x8000000, 0, "//anon", &where);
	}
	put_skewed_traces(b, seed, 2, records);
	perfdata_end(b);
}

static void recount_cpus(uint64_t before, uint64_t after, const char *options)
{
	struct bytes old = {}, new = {};

	put_skewed_file(&old, before, 5, 1000);
	put_skewed_file(&new, after, 77, 800);
	recount_pair(&old, &new, options);
}

static void recount_skewed(const char *options)
{
	recount_cpus(NEOVERSE_N1, NEOVERSE_N1, options);
}

PLAIN_CASE(operations, recount_skewed("--options=--sort=op"));

PLAIN_CASE(sources_and_levels,
	   recount_skewed("--options='--sort=source,el --noise=0'"));

PLAIN_CASE(objects, recount_skewed("--options=--sort=object,op"));

/* Names are compared, codes without one are not. */
PLAIN_CASE(unlike_CPUs,
	   recount_cpus(NEOVERSE_N1, NEOVERSE_V2, "--options=--sort=op"));

PLAIN_CASE(a_CPU_without_names_and_one_with,
	   recount_cpus(UNKNOWN_CPU, NEOVERSE_V2, "--options=--sort=comm,op"));

PLAIN_CASE(unlike_CPUs_without_names,
	   recount_cpus(UNKNOWN_CPU, UNKNOWN_CPU + (1 << 4),
			"--options=--sort=comm,op"));

PLAIN_CASE(revisions_of_a_CPU_without_names,
	   recount_cpus(UNKNOWN_CPU, UNKNOWN_CPU + (1 << 20) + 1,
			"--options=--sort=comm,op"));

PLAIN_CASE(events_by_samples,
	   recount_skewed("--options='--sort=event --weight=samples'"));

PLAIN_CASE(much_noise_and_the_whole_recording,
	   recount_skewed("--options='--sort=comm,op --noise=25 "
			  "--per=nothing'"));

PLAIN_CASE(addresses, recount_skewed("--options=--sort=cacheline,target"));
PLAIN_CASE(latencies_as_rows, recount_skewed("--options='--sort=lat,cpu'"));

PLAIN_TEST(filters)
{
	recount_skewed("--where-old='op = \"load\"' --where-new='op = \"load\"'"
		       " --options='--sort=comm --filter=op=load'");
}

PLAIN_TEST(any_packets_and_damage)
{
	const struct activity before = {.seed = 9,
					.records = 2000,
					.rare = 50,
					.wild = 20,
					.bad_bytes = 50};
	const struct activity after = {
		.seed = 10, .records = 3000, .rare = 50, .wild = 10};
	struct bytes old = {}, new = {};

	put_activity(&old, &before);
	put_activity(&new, &after);
	recount_pair(&old, &new, "--options=--sort=dso,op");
}

/* The counts of what SPE sampled: a file of operations one in @each. */
static void put_counted(struct bytes *b, uint64_t seed, uint64_t each,
			uint64_t records)
{
	const uint64_t counted[3] = {records * each, records, records};
	BYTES trace = {};
	struct skewed s = {.random = seed, .ticks = 1};

	perfdata_begin_pipe(b);
	for (uint64_t i = 0; i < 3; i++)
		put_snapshot_event(b, i + 1, 0x4000 + i,
				   "pmu_snapshot/sample/");
	put_skewed_machine(b, NEOVERSE_N1, 2, 0xab);
	for (uint64_t time = 1; time < 3; time++) {
		struct snapshot_value values[3];

		for (uint64_t i = 0; i < 3; i++)
			values[i] = (struct snapshot_value){i + 1, counted[i]};
		put_snapshot_group(b, 0, time, values, 3);
	}
	for (uint64_t i = 0; i < records - 20; i++)
		put_skewed(&trace, &s);
	put_auxtrace(b, 0, 0, NO_ID, &trace);
}

PLAIN_TEST(operations_of_the_population)
{
	struct bytes old = {}, new = {};

	put_counted(&old, 3, 1000, 1200);
	put_counted(&new, 4, 4096, 900);
	recount_pair(&old, &new, "--options='--sort=op --per=population'");
}

static void recount_filters(const char *options)
{
	struct bytes old = {}, new = {};

	put_skewed_file(&old, NEOVERSE_N1, 5, 800);
	put_skewed_file(&new, NEOVERSE_N1, 5, 800);
	recount_pair(&old, &new, options);
}

PLAIN_CASE(two_filters,
	   recount_filters("--where-old='cpu = 0' --where-new='lat_total >= 4' "
			   "--options='--sort=op,pid --filter-a=cpu=0 "
			   "--filter-b=lat>=4'"));

PLAIN_CASE(nothing_passes_one_filter,
	   recount_filters("--where-new='lat_total >= 60000' "
			   "--options='--sort=op --filter-b=lat>=60000'"));
