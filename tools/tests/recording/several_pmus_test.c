// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One recording of different CPUs, each kind with its own SPE PMU: the meaning
 * of a code depends on the CPU, even if two records are equal otherwise.
 */
#include "bytes.h"
#include "command.h"
#include "ktap.h"

#include <pmscope/packet.h>

#define NO_TID	      UINT32_MAX
#define TEXT_SIZE     65536
#define RECORDS	      64
#define USER_PC	      (UINT64_C(1) << 63 | 0x5000)
#define MIDR_N1	      0x410fd0c0
#define MIDR_HIP12    0x480fd060
#define PMU_OF_LITTLE 10
#define PMU_OF_BIG    11

/* From source 8, and with an event that has a name on a Neoverse N1. */
static void put_load_with_event(struct bytes *b, uint64_t time)
{
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8, USER_PC);
	put_packet(b, PMSCOPE_PACKET_CONTEXT, 0, 4, 10);
	put_packet(b, PMSCOPE_PACKET_OPERATION, PMSCOPE_OPERATION_LOAD_STORE, 1,
		   0);
	put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 2, 1 << 12);
	put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0, 1, 8);
	put_timestamp(b, time);
}

/* The same thread and code, by turns on both. */
static void put_recording(struct bytes *b)
{
	static const uint64_t cpus[][4] = {{0, MIDR_N1, PMU_OF_LITTLE},
					   {4, MIDR_HIP12, PMU_OF_BIG}};
	struct bytes trace[2] = {};

	perfdata_begin(b);
	put_auxtrace_info_v2(b, cpus, 2, 3);
	put_time_conv(b, 0, 1, 0);
	for (uint64_t time = 1; time <= RECORDS; time++)
		put_load_with_event(&trace[time % 2], time);
	for (unsigned int i = 0; i < 2; i++) {
		put_auxtrace(b, i, cpus[i][0], NO_TID, &trace[i]);
		bytes_fini(&trace[i]);
	}
	perfdata_end(b);
}

static void read_pmscope(char *text, const char *arguments)
{
	struct bytes b = {};

	put_recording(&b);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, TEXT_SIZE), 0);
	bytes_fini(&b);
}

static size_t count(const char *text, const char *word)
{
	size_t nr = 0;

	while ((text = strstr(text, word))) {
		nr++;
		text += strlen(word);
	}
	return nr;
}

TEST(script_names_sources_by_the_cpu)
{
	static const char *const forms[][3] = {
		{"script", "[0] ", "[4] "},
		{"script --format=jsonl", "\"cpu\":0,", "\"cpu\":4,"},
		{"script --format=csv -F cpu,source,source_name", "0,8,L2\n",
		 "4,8,local memory\n"},
		{"script --format=csv", ",8,L2,", ",8,local memory,"},
	};
	char text[TEXT_SIZE];

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		read_pmscope(text, forms[i][0]);
		EXPECT_EQ(count(text, "L2"), RECORDS / 2U);
		EXPECT_EQ(count(text, "local memory"), RECORDS / 2U);
		EXPECT_EQ(count(text, forms[i][1]), RECORDS / 2U);
		EXPECT_EQ(count(text, forms[i][2]), RECORDS / 2U);
	}
}

TEST(report_has_a_row_for_each_meaning)
{
	char text[TEXT_SIZE];

	read_pmscope(text, "report --sort=source --format=csv");
	EXPECT_EQ(count(text, "\nL2,32,0.5"), 1U);
	EXPECT_EQ(count(text, "\nlocal memory,32,0.5"), 1U);
	/* Within one row, too, with the shares of its sources. */
	read_pmscope(text, "report --sort=tid --format=csv");
	EXPECT_EQ(count(text, "\n10,64,1.0"), 1U);
	EXPECT_EQ(count(text, "L2=32"), 1U);
	EXPECT_EQ(count(text, "local memory=32"), 1U);
}

/* Whichever CPU is the last: a count is of both, so it has no name of one. */
TEST(report_counts_events_by_a_name_for_all)
{
	char text[TEXT_SIZE];

	for (size_t i = 0; i < 2; i++) {
		read_pmscope(text, i ? "report --sort=tid --format=csv"
				     : "report --sort=cpu --format=csv");
		EXPECT_EQ(count(text, "LATE-PREFETCH"), 0U);
		EXPECT_EQ(count(text, i ? "IMPDEF:12=64" : "IMPDEF:12=32"),
			  i ? 1U : 2U);
	}
	read_pmscope(text, "report --sort=tid --format=csv --filter=cpu=0");
	EXPECT_EQ(count(text, "IMPDEF:12=32"), 1U);
}

TEST(filters_know_the_cpu)
{
	char text[TEXT_SIZE];

	read_pmscope(text, "script --format=csv -F cpu --filter=source=L2 "
			   "2>&1");
	EXPECT_EQ(count(text, "\n0"), RECORDS / 2U);
	EXPECT_EQ(count(text, "\n4"), 0U);
	EXPECT_EQ(count(text, "32 samples filtered out"), 1U);
}

#define MANY 16

/* A remembered record does not apply to another CPU's. */
TEST(the_only_record_of_each_cpu)
{
	uint64_t cpus[MANY][4];
	struct bytes b = {}, trace = {};
	char text[TEXT_SIZE];

	for (uint64_t i = 0; i < MANY; i++) {
		bool last = i == MANY - 1;

		cpus[i][0] = i;
		cpus[i][1] = last ? MIDR_HIP12 : MIDR_N1;
		cpus[i][2] = last ? PMU_OF_BIG : PMU_OF_LITTLE;
	}
	perfdata_begin(&b);
	put_auxtrace_info_v2(&b, cpus, MANY, 3);
	put_time_conv(&b, 0, 1, 0);
	for (unsigned int i = 0; i < MANY; i++) {
		put_load_with_event(&trace, i + 1);
		put_auxtrace(&b, i, i, NO_TID, &trace);
		bytes_fini(&trace);
	}
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "script --format=csv", text,
				       TEXT_SIZE),
		  0);
	EXPECT_EQ(count(text, "L2"), MANY - 1U);
	EXPECT_EQ(count(text, "LATE-PREFETCH"), MANY - 1U);
	EXPECT_EQ(count(text, "IMPDEF:12"), 1U);
	bytes_fini(&b);
}

KTAP_MAIN
