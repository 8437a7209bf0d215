// SPDX-License-Identifier: GPL-2.0-or-later
/* Do threads share data, or only the line? */
#include "symbols_scenario.h"

/* Operations on memory: bit 0 is a store, 0x02 extended, bit 2 an atomic. */
#define LD	  0x00
#define ST	  0x01
#define LD_ATOMIC 0x06
#define ST_ATOMIC 0x07
#define LD_EXCL	  0x0a
#define ST_EXCL	  0x0b
#define BRANCH	  0xff /* of no such class */

/**
 * struct access - one sample
 * @tid: thread 11 to 19 is of process 10, others are of their own; or NO_TID
 * @pa: 0: not recorded
 */
struct access {
	uint32_t cpu;
	uint32_t tid;
	uint8_t op;
	uint64_t va;
	uint64_t pa;
};

#define CPUS 4

static void put_access(struct bytes *b, const struct access *a, uint64_t time)
{
	PUT_ADDRESS(b, PC, 0x1000);
	if (a->tid != NO_TID)
		PUT_CONTEXT(b, 0, a->tid);
	if (a->op == BRANCH)
		PUT_OPERATION(b, BRANCH, 0);
	else
		PUT_OPERATION(b, LOAD_STORE, a->op);
	PUT_COUNTER(b, TOTAL, 10 + a->cpu);
	PUT_ADDRESS(b, VA, a->va);
	if (a->pa)
		PUT_ADDRESS(b, PA, a->pa);
	put_timestamp(b, time);
}

static uint32_t process_of(uint32_t tid)
{
	return tid > 10 && tid < 20 ? 10 : tid;
}

STEP_OF(put_accesses)
{
	const struct access *accesses = step->data;
	struct bytes trace[CPUS] = {};

	for (uint32_t tid = 10; tid < 40; tid++)
		comm_at(&sc->b, 0, "task", 1, process_of(tid), tid);
	comm_at(&sc->b, 0, "swapper", 1, 0, 0);
	for (size_t i = 0; i < step->v[0]; i++)
		put_access(&trace[accesses[i].cpu], &accesses[i], 10 + i);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		if (trace[cpu].size)
			put_auxtrace(&sc->b, cpu, cpu, NO_TID, &trace[cpu]);
		bytes_fini(&trace[cpu]);
	}
}
#define ACCESSES_OF(table, nr) TELL_OF(put_accesses, NULL, table, nr)
#define ACCESSES(...)                                              \
	ACCESSES_OF(((const struct access[]){__VA_ARGS__}),        \
		    sizeof((const struct access[]){__VA_ARGS__}) / \
			    sizeof(struct access))
#define LINES(options) COMMAND("report --cachelines " options)

#define MOST 4
static const struct {
	const char *of;
	struct access accesses[MOST];
	const char *verdict;
} cases[] = {
	{"words of their own",
	 {{0, 11, LD, 0x9000, 0},
	  {0, 11, ST, 0x9000, 0},
	  {1, 12, LD, 0x9008, 0},
	  {1, 12, ST, 0x9008, 0}},
	 "false sharing,2"},
	{"halves of a word",
	 {{0, 11, ST, 0x9000, 0}, {1, 12, ST, 0x9004, 0}},
	 "false sharing,2"},
	{"one word",
	 {{0, 11, ST, 0x9000, 0}, {1, 12, LD, 0x9000, 0}},
	 "true sharing,2"},
	{"one of several words",
	 {{0, 11, ST, 0x9000, 0},
	  {1, 12, ST, 0x9010, 0},
	  {2, 13, LD, 0x9010, 0},
	  {1, 12, ST, 0x9020, 0}},
	 "true sharing,3"},
	{"reading what one thread writes beside it",
	 {{0, 11, ST, 0x9000, 0},
	  {1, 12, LD, 0x9008, 0},
	  {2, 13, LD, 0x9008, 0}},
	 "false sharing,3"},
	{"reading",
	 {{0, 11, LD, 0x9000, 0}, {1, 12, LD, 0x9000, 0}},
	 "read only,2"},
	{"a thread that moves",
	 {{0, 11, ST, 0x9000, 0},
	  {1, 11, LD, 0x9000, 0},
	  {2, 11, ST, 0x9008, 0}},
	 "one thread,1"},
	{"two threads on one CPU",
	 {{0, 11, ST, 0x9000, 0}, {0, 12, ST, 0x9000, 0}},
	 "true sharing,2"},
	{"atomics that return what was there",
	 {{0, 11, LD_ATOMIC, 0x9000, 0}, {1, 12, LD_ATOMIC, 0x9000, 0}},
	 "true sharing,2"},
	{"atomics that return nothing, and a load",
	 {{0, 11, ST_ATOMIC, 0x9000, 0}, {1, 12, LD, 0x9000, 0}},
	 "true sharing,2"},
	{"exclusive loads",
	 {{0, 11, LD_EXCL, 0x9000, 0}, {1, 12, LD_EXCL, 0x9000, 0}},
	 "read only,2"},
	{"exclusive stores",
	 {{0, 11, LD_EXCL, 0x9000, 0}, {1, 12, ST_EXCL, 0x9000, 0}},
	 "true sharing,2"},
	{"processes with one physical line",
	 {{0, 20, ST, 0x9000, 0x88000}, {1, 21, LD, 0x5000, 0x88000}},
	 "true sharing,2"},
	{"processes with parts of one physical line",
	 {{0, 20, ST, 0x9000, 0x88000}, {1, 21, LD, 0x9008, 0x88008}},
	 "false sharing,2"},
	{"the kernel's memory",
	 {{0, 20, ST, 0x00ff800000009000, 0},
	  {1, 21, LD, 0x00ff800000009000, 0}},
	 "true sharing,2"},
	{"the idle threads of two CPUs",
	 {{0, 0, ST, 0x00ff800000009000, 0}, {1, 0, LD, 0x00ff800000009000, 0}},
	 "true sharing,2"},
	{"threads that are not known, on two CPUs",
	 {{0, NO_TID, ST, 0x9000, 0}, {1, NO_TID, LD, 0x9000, 0}},
	 "true sharing,2"},
	{"threads that are not known, on one CPU",
	 {{0, NO_TID, ST, 0x9000, 0}, {0, NO_TID, LD, 0x9008, 0}},
	 "one thread,1"},
	{"branches beside a thread that writes",
	 {{0, 11, ST, 0x9000, 0}, {1, 12, BRANCH, 0x9000, 0}},
	 "one thread,1"},
	{"branches alone", {{1, 12, BRANCH, 0x9000, 0}}, "one thread,0"},
};

/* There is one line. */
#define ONE_LINE LINES("--format=csv"), TIMES(1, "\n0x")

TEST(verdicts)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char wanted[64];
		size_t nr = 0;

		while (nr < MOST && cases[i].accesses[nr].va)
			nr++;
		snprintf(wanted, sizeof(wanted), ",%s,", cases[i].verdict);
		ktap_note("%s", cases[i].of);
		PLAY(ACCESSES_OF(cases[i].accesses, nr), ONE_LINE, HAS(wanted));
	}
}

/* A program's struct is mapped to 0x9000. */
STEP_OF(map_stats)
{
	unsigned long offset = 0, address = 0, stats;
	const char *line;

	stats = strtoul(fixture_output("nm root/usr/bin/program | "
				       "sed -n 's/ D stats$//p'"),
			NULL, 16);
	line = fixture_output("readelf -lW root/usr/bin/program | "
			      "grep 'LOAD.* RW '");
	EXPECT_EQ(sscanf(line, " LOAD %lx %lx", &offset, &address), 2);
	put_mmap2(&sc->b, 0x9000, 0x1000, stats - address + offset,
		  "/usr/bin/program", &(struct where){.pid = 10, .tid = 10});
}

static const char stats_program[] =
	"struct { long hits, misses; char name[16]; struct stats *p; }"
	"stats = {1, 2};\n"
	"int main(void) { return 0; }\n";

static const char stats_layout[] =
	"\n# Layout: 0x0 stats.hits, 0x8 stats.misses, "
	"0x10 stats.name[], 0x20 stats.p\n"
	"# Move apart: 0x0 stats.hits (thread 11 stores), "
	"0x8 stats.misses (thread 12 stores), "
	"0x14 stats.name[] (thread 12 loads)\n";

#define LAYOUT \
	"\"layout\":[{\"offset\":0,\"size\":8,\"member\":\"stats.hits\"},"
#define MEMBER "{\"offset\":16,\"size\":16,\"member\":\"stats.name[]\"},"

SCENARIO(members_to_move_apart, PROGRAM(stats_program, "-g"), CALL(map_stats),
	 ACCESSES({0, 11, ST, 0x9000, 0}, {1, 12, ST, 0x9008, 0},
		  {1, 12, LD, 0x9014, 0}),
	 LINES("--symfs=$D/root"), HAS("# 0x9000: false sharing\n"),
	 HAS(" stats.hits "), HAS(" stats.name[] "), HAS(stats_layout),
	 LINES("--symfs=$D/root --format=jsonl"), HAS(LAYOUT), HAS(MEMBER));

/* CPUs 0 and 2 are of node 0, CPU 1 of node 3, and CPU 3 of none. */
PLAIN_TEST(nodes_of_the_cpus)
{
	static const char *const lists[] = {"0,2", "1"};
	BYTES feature = {};

	put(&feature, 2, 4);
	for (uint32_t i = 0; i < 2; i++) {
		put(&feature, 3 * i, 4);
		put_zeros(&feature, 16);
		put(&feature, 4, 4);
		bytes_add(&feature, lists[i], strlen(lists[i]));
		put_zeros(&feature, 4 - strlen(lists[i]));
	}
	PLAY(ACCESSES({0, 11, LD, 0x9000, 0}, {1, 12, LD, 0x9000, 0},
		      {3, 13, LD, 0x9000, 0}, {2, 13, BRANCH, 0x9000, 0},
		      {3, 13, LD, 0xa000, 0}),
	     FEATURE(PMSCOPE_FEATURE_NUMA_TOPOLOGY, &feature), RECOUNT);
}

/*
 * Two blocks of 64 KiB of node 5, the second and the third; the first has none.
 */
PLAIN_TEST(nodes_of_physical_lines)
{
	BYTES feature = {};

	PUT(&feature, 8, 1, 0x10000, 1, 5, 3, 3, 6);
	PLAY(ACCESSES({0, 11, LD, 0x9000, 0x1ffc0},
		      {0, 11, LD, 0x9000, 0x20000},
		      {0, 11, LD, 0x9000, 0x30000}, {0, 11, LD, 0x12000, 0}),
	     FEATURE(PMSCOPE_FEATURE_MEM_TOPOLOGY, &feature), RECOUNT);
}
