// SPDX-License-Identifier: GPL-2.0-or-later
/* Do threads share data, or only the line? */
#include "command.h"
#include "ktap.h"
#include "random.h"
#include "recording_fixture.h"
#include "stream.h"

#include <pmscope/packet.h>

#include <inttypes.h>
#include <stdlib.h>

#define TEXT_SIZE 65536

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

#define MAX_ACCESSES 400
#define CPUS	     4

static void put_access(struct bytes *b, const struct access *a, uint64_t time)
{
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8, 0x1000);
	if (a->tid != NO_TID)
		put_packet(b, PMSCOPE_PACKET_CONTEXT, 0, 4, a->tid);
	if (a->op == BRANCH)
		put_packet(b, PMSCOPE_PACKET_OPERATION,
			   PMSCOPE_OPERATION_BRANCH, 1, 0);
	else
		put_packet(b, PMSCOPE_PACKET_OPERATION,
			   PMSCOPE_OPERATION_LOAD_STORE, 1, a->op);
	put_packet(b, PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TOTAL, 2,
		   10 + a->cpu);
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, a->va);
	if (a->pa)
		put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PA, 8,
			   a->pa);
	put_timestamp(b, time);
}

static uint32_t process_of(uint32_t tid)
{
	return tid > 10 && tid < 20 ? 10 : tid;
}

static void put_threads(struct bytes *b)
{
	for (uint32_t tid = 10; tid < 40; tid++)
		comm_at(b, 0, "task", 1, process_of(tid), tid);
	comm_at(b, 0, "swapper", 1, 0, 0);
}

static void put_recording(struct bytes *b, const struct access *accesses,
			  size_t nr)
{
	struct bytes trace[CPUS] = {};

	begin(b);
	put_threads(b);
	for (size_t i = 0; i < nr; i++)
		put_access(&trace[accesses[i].cpu], &accesses[i], 10 + i);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		if (trace[cpu].size)
			put_auxtrace(b, cpu, cpu, NO_TID, &trace[cpu]);
		bytes_fini(&trace[cpu]);
	}
	perfdata_end(b);
}

/* The report about the lines of @nr accesses. */
static void read_lines(const struct access *accesses, size_t nr,
		       const char *options, char *text)
{
	BYTES b = {};
	char command[128];

	put_recording(&b, accesses, nr);
	snprintf(command, sizeof(command), "report --cachelines %s", options);
	EXPECT_EQ(command_pmscope_text(&b, command, text, TEXT_SIZE), 0);
}

static void expect_in(const char *text, const char *wanted)
{
	if (!strstr(text, wanted))
		printf("# no \"%s\" in:\n%s\n", wanted, text);
	EXPECT_TRUE(strstr(text, wanted));
}

/* The only line of these accesses is that. */
static void expect_verdict(const char *of, const struct access *accesses,
			   size_t nr, const char *verdict)
{
	char text[TEXT_SIZE], wanted[64];
	unsigned int rows = 0;

	read_lines(accesses, nr, "--format=csv", text);
	for (const char *at = text; (at = strstr(at, "\n0x")); at++)
		rows++;
	snprintf(wanted, sizeof(wanted), ",%s,", verdict);
	if (rows != 1 || !strstr(text, wanted))
		printf("# %s: not%s in:\n%s\n", of, wanted, text);
	EXPECT_EQ(rows, 1U);
	EXPECT_TRUE(strstr(text, wanted));
}

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

TEST(verdicts)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t nr = 0;

		while (nr < MOST && cases[i].accesses[nr].va)
			nr++;
		expect_verdict(cases[i].of, cases[i].accesses, nr,
			       cases[i].verdict);
	}
}

/* The same address is another line in each process, without a physical one. */
TEST(processes_share_no_virtual_lines)
{
	static const struct access accesses[] = {{0, 20, ST, 0x9000, 0},
						 {1, 21, LD, 0x9000, 0}};
	char text[TEXT_SIZE];

	read_lines(accesses, 2, "--format=csv", text);
	expect_in(text, "\n0x9000,0,20,1,0,1,");
	expect_in(text, "\n0x9000,0,21,1,1,0,");
	EXPECT_FALSE(strstr(text, "sharing"));
}

static const struct access two_words[] = {
	{0, 11, ST, 0x9008, 0}, {1, 11, LD, 0x9008, 0}, {2, 12, LD, 0x9010, 0},
	{2, 12, LD, 0x9010, 0}, {0, 13, ST, 0x9010, 0},
};

TEST(parts_with_their_threads)
{
	char text[TEXT_SIZE];

	read_lines(two_words, 5, "--format=csv", text);
	expect_in(
		text,
		",true "
		"sharing,3,0,55,0,1.000000,,\"\",\"\",8=1/1@11|16=2/1@12+13\n");
	read_lines(two_words, 5, "--format=jsonl", text);
	expect_in(text, "\"verdict\":\"true sharing\",\"threads\":3,");
	expect_in(text, "\"offsets\":[{\"offset\":8,\"loads\":1,\"stores\":1,"
			"\"atomics\":0,\"peer\":0,"
			"\"remote_memory\":0,\"timed\":2,\"mean\":10.500,"
			"\"threads\":[{\"pid\":10,\"tid\":11,\"comm\":\"task\","
			"\"cpus\":\"0-1\",\"loads\":1,\"stores\":1,");
	expect_in(text, "{\"offset\":16,\"loads\":2,\"stores\":1,");
	expect_in(text, "\"tid\":12,\"comm\":\"task\",\"cpus\":\"2\","
			"\"loads\":2,\"stores\":0,");
	expect_in(text, "\"code\":[{\"sym\":\"[unknown]\",\"loads\":2,"
			"\"stores\":1}]}]}\n");
	read_lines(two_words, 5, "", text);
	expect_in(text, "  true sharing ");
	expect_in(text,
		  "\n# 0x9000: true sharing\n"
		  "      0x8        1        1        0        2     10.5  ");
	expect_in(text, "  11 (0-1)  [unknown] 1/1\n");
	expect_in(text, "  12 (2), 13 (0)  [unknown] 2/1\n");
}

/* Two blocks of 64 KiB of node 5, the second and the third; the first has none.
 */
static void put_nodes(struct bytes *b)
{
	BYTES feature = {};
	const uint64_t words[] = {1, 0x10000, 1, 5, 3, 3, 6};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put(&feature, words[i], 8);
	perfdata_put_feature(b, PMSCOPE_FEATURE_MEM_TOPOLOGY, &feature);
}

/* CPUs 0 and 2 are of node 0, CPU 1 of node 3, and CPU 3 of none. */
TEST(nodes_of_the_cpus)
{
	static const struct access accesses[] = {{0, 11, LD, 0x9000, 0},
						 {1, 12, LD, 0x9000, 0},
						 {3, 13, LD, 0x9000, 0},
						 {2, 13, BRANCH, 0x9000, 0},
						 {3, 13, LD, 0xa000, 0}};
	static const char *const lists[] = {"0,2", "1"};
	BYTES b = {}, feature = {};
	char text[TEXT_SIZE];

	put(&feature, 2, 4);
	for (uint32_t i = 0; i < 2; i++) {
		put(&feature, 3 * i, 4);
		put_zeros(&feature, 16);
		put(&feature, 4, 4);
		bytes_add(&feature, lists[i], strlen(lists[i]));
		put_zeros(&feature, 4 - strlen(lists[i]));
	}
	put_recording(&b, accesses, 5);
	perfdata_put_feature(&b, PMSCOPE_FEATURE_NUMA_TOPOLOGY, &feature);
	EXPECT_EQ(command_pmscope_text(&b, "report --cachelines --format=csv",
				       text, sizeof(text)),
		  0);
	expect_in(text, "0x9000,0,10,4,3,0,0,4,11.500,\"0-1,3\",\"-\",");
	expect_in(text, ",read only,3,0,46,0,0.800000,,\"0,3\",");
	expect_in(text, ",one thread,1,0,13,0,0.200000,,\"\",");
}

TEST(nodes_of_physical_lines)
{
	static const struct access accesses[] = {{0, 11, LD, 0x9000, 0x1ffc0},
						 {0, 11, LD, 0x9000, 0x20000},
						 {0, 11, LD, 0x9000, 0x30000},
						 {0, 11, LD, 0x12000, 0}};
	BYTES b = {};
	char text[TEXT_SIZE];

	put_recording(&b, accesses, 4);
	put_nodes(&b);
	EXPECT_EQ(command_pmscope_text(&b, "report --cachelines --format=jsonl",
				       text, sizeof(text)),
		  0);
	expect_in(text, "\"address\":\"0x1ffc0\",\"physical\":true,");
	expect_in(text, "\"latency\":10,\"share\":0.250000,\"node\":5,");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		EXPECT_EQ(!!strstr(line, "\"node\":5,"),
			  strstr(line, "\"0x1ffc0\"") ||
				  strstr(line, "\"0x20000\""));
}

/* Unused, read, written and both, by CPUs too. */
TEST(atomics_read_and_write)
{
	static const struct access accesses[] = {{0, 11, LD_ATOMIC, 0x9000, 0},
						 {1, 11, ST_ATOMIC, 0x9008, 0}};
	char text[TEXT_SIZE];

	read_lines(accesses, 2, "--format=csv", text);
	expect_in(text, "\n0x9000,0,10,2,1,1,0,2,10.500,\"0-1\",\"0-1\","
			"BB......,\"[unknown]\",one thread,1,2,21,0,");
}

/* A line with shared data comes before one that is only busy. */
TEST(shared_lines_are_first)
{
	static const struct access accesses[] = {
		{0, 11, ST, 0x8000, 0}, {0, 11, ST, 0x8000, 0},
		{1, 11, LD, 0x8000, 0}, {0, 11, ST, 0x9000, 0},
		{1, 12, LD, 0x9020, 0},
	};
	char text[TEXT_SIZE];

	read_lines(accesses, 5, "--format=csv", text);
	EXPECT_TRUE(strstr(text, "\n0x9000,") < strstr(text, "\n0x8000,"));
}

/* The verdict for the line at @address, from each pair of accesses. */
static const char *judge(const struct access *a, size_t nr, uint64_t address,
			 uint64_t size)
{
	bool many = false, written = false, shared = false;

	for (size_t i = 0; i < nr; i++) {
		if (a[i].va / size != address / size)
			continue;
		written |= a[i].op != LD && a[i].op != LD_EXCL;
		for (size_t j = 0; j < nr; j++) {
			if (a[j].va / size != address / size ||
			    a[j].tid == a[i].tid)
				continue;
			many = true;
			shared |= a[j].va == a[i].va && a[i].op != LD &&
				  a[i].op != LD_EXCL;
		}
	}
	if (!many)
		return "one thread";
	if (!written)
		return "read only";
	return shared ? "true sharing" : "false sharing";
}

/* Each printed line has the verdict of judge(). Returns their number. */
static unsigned int check_lines(const struct access *a, size_t nr, char *text,
				uint64_t size)
{
	unsigned int lines = 0;
	char wanted[32];

	strtok(text, "\n");
	for (char *line; (line = strtok(NULL, "\n")); lines++) {
		const char *verdict =
			judge(a, nr, strtoull(line, NULL, 16), size);

		snprintf(wanted, sizeof(wanted), ",%s,", verdict);
		expect_in(line, wanted);
	}
	return lines;
}

TEST(any_accesses)
{
	static const uint8_t operations[] = {
		LD, LD, LD, ST, LD_ATOMIC, ST_ATOMIC, LD_EXCL, ST_EXCL};
	static const uint64_t sizes[] = {16, 64, 256, 4096};
	struct access accesses[MAX_ACCESSES];
	uint64_t state = stream_seed(1);
	char text[TEXT_SIZE], options[64];

	for (size_t i = 0; i < MAX_ACCESSES; i++)
		accesses[i] = (struct access){
			.cpu = random_below(&state, CPUS),
			.tid = 11 + random_below(&state, 5),
			.op = operations[random_below(&state, 8)],
			.va = 0x9000 + random_below(&state, 0x2000) / 4 * 4,
		};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(options, sizeof(options),
			 "--format=csv --line-size=%" PRIu64, sizes[i]);
		read_lines(accesses, MAX_ACCESSES, options, text);
		EXPECT_GT(check_lines(accesses, MAX_ACCESSES, text, sizes[i]),
			  0U);
	}
}

KTAP_MAIN
