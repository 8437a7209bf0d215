// SPDX-License-Identifier: GPL-2.0-or-later
/* What a recording tells of its CPUs: AUXTRACE_INFO, and the header. */
#include "bytes.h"
#include "ktap.h"

#include <pmscope/events.h>
#include <pmscope/recording.h>

#include <string.h>

#define N1 0x410fd0c0
#define V1 0x410fd400

struct told {
	uint64_t cpu;
	uint64_t midr;
	uint64_t event_filter;
};

/* AUXTRACE_INFO of version 2; a CPU has @params words, four of them known. */
static void put_info(struct bytes *b, const struct told *cpus, size_t nr,
		     uint64_t params)
{
	struct bytes body = {};

	put(&body, 4, 4);
	put(&body, 0, 4);
	put(&body, 2, 8);
	put(&body, 4, 8);
	put(&body, 10, 8);
	put(&body, nr, 8);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t words[] = {cpus[i].midr, 10, 1024,
					  cpus[i].event_filter, 5};

		put(&body, 0x1010101010101010, 8);
		put(&body, cpus[i].cpu, 8);
		put(&body, params, 8);
		for (size_t j = 0; j < params; j++)
			put(&body, words[j], 8);
	}
	put_record(b, PMSCOPE_RECORD_AUXTRACE_INFO, 0, &body);
	bytes_fini(&body);
}

/* The CPUID of the header, as a pipe has it. */
static void put_cpuid(struct bytes *b, const char *midr)
{
	struct bytes body = {};

	put(&body, PMSCOPE_FEATURE_CPUID, 8);
	put(&body, 24, 4);
	bytes_add(&body, midr, strlen(midr));
	put_zeros(&body, 24 - strlen(midr));
	put_zeros(&body, 4);
	put_record(b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
	bytes_fini(&body);
}

static void put_trace(struct bytes *b, uint32_t index, uint32_t cpu)
{
	struct bytes trace = {};

	put_load(&trace, 0x5000, 0x9000, 100);
	put_auxtrace(b, index, cpu, 77, &trace);
	bytes_fini(&trace);
}

/* MIDRs of areas of @cpus, by the header's and @told, if there is any. */
static void expect_midrs(const struct told *told, size_t nr,
			 const uint32_t *cpus, const uint64_t *midrs)
{
	struct pmscope_recording *r;
	struct pmscope_trace trace;
	struct bytes b = {};

	perfdata_begin_pipe(&b);
	put_cpuid(&b, "0x00000000410fd0c0");
	if (nr)
		put_info(&b, told, nr, 3);
	else
		put_auxtrace_info(&b, 4);
	for (uint32_t i = 0; i < 3; i++)
		put_trace(&b, i, cpus[i]);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, NULL, &r), 0);
	for (uint32_t i = 0; i < 3; i++) {
		ASSERT_TRUE(pmscope_recording_trace(r, i, &trace));
		EXPECT_EQ(trace.midr, midrs[i]);
	}
	pmscope_recording_free(r);
	bytes_fini(&b);
}

static const uint32_t areas[] = {0, 1, PMSCOPE_NO_ID};

TEST(header_tells_where_nothing_else_does)
{
	static const uint64_t midrs[] = {N1, N1, N1};

	expect_midrs(NULL, 0, areas, midrs);
}

TEST(header_tells_nothing_of_cpus_that_differ)
{
	static const struct told told[] = {{1, V1, 0}, {2, N1, 0}};
	static const uint64_t midrs[] = {0, V1, 0};

	expect_midrs(told, 2, areas, midrs);
}

TEST(cpu_that_is_not_told_may_be_another)
{
	static const struct told told[] = {{1, N1, 0}, {2, N1, 0}};
	static const uint64_t midrs[] = {0, N1, N1};

	expect_midrs(told, 2, areas, midrs);
}

static void expect_filters(const struct told *told, uint64_t params,
			   const uint64_t *filters)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	perfdata_begin_pipe(&b);
	put_info(&b, told, 2, params);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, NULL, &r), 0);
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(pmscope_recording_event_filter(r, areas[i]),
			  filters[i]);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(event_filter_of_each_cpu)
{
	static const struct told differ[] = {{0, N1, 6}, {1, V1, UINT64_MAX}};
	static const struct told alike[] = {{0, N1, 6}, {1, N1, 6}};
	static const uint64_t each[] = {6, UINT64_MAX, 0};
	static const uint64_t all[] = {6, 6, 6};
	static const uint64_t none[] = {0, 0, 0};

	expect_filters(differ, 4, each);
	expect_filters(differ, 5, each);
	expect_filters(alike, 4, all);
	expect_filters(alike, 3, none);
}

KTAP_MAIN
