// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU types in a recording: AUXTRACE_INFO, and the header. */
#include "happening.h"
#include "ktap.h"

#include <pmscope/events.h>

#include <stdlib.h>
#include <string.h>

#define N1 0x410fd0c0
#define V1 0x410fd400

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

/* Appends traces of @cpus to @b, opens it, and returns their MIDRs. */
static struct pmscope_recording *
open_areas(struct bytes *b, const uint32_t *cpus, const uint64_t *midrs)
{
	struct pmscope_trace trace = {};
	struct pmscope_recording *r;

	for (uint32_t i = 0; i < 3; i++)
		put_trace(b, i, cpus[i]);
	if (pmscope_recording_open(b->data, b->size, NULL, &r))
		abort();
	for (uint32_t i = 0; i < 3; i++) {
		EXPECT_TRUE(pmscope_recording_trace(r, i, &trace));
		EXPECT_EQ(trace.midr, midrs[i]);
	}
	return r;
}

/* MIDRs of areas of @cpus, from the header's and @told, if there is any. */
static void expect_midrs(const uint64_t (*told)[4], size_t nr,
			 const uint32_t *cpus, const uint64_t *midrs)
{
	struct bytes b = {};

	perfdata_begin_pipe(&b);
	put_cpuid(&b, "0x00000000410fd0c0");
	if (nr)
		put_auxtrace_info_v2(&b, told, nr, 3);
	else
		put_auxtrace_info(&b, TYPE_ARM_SPE);
	pmscope_recording_free(open_areas(&b, cpus, midrs));
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
	static const uint64_t told[][4] = {{1, V1, 10}, {2, N1, 10}};
	static const uint64_t midrs[] = {0, V1, 0};

	expect_midrs(told, 2, areas, midrs);
}

TEST(unrecorded_cpu_may_be_another)
{
	static const uint64_t told[][4] = {{1, N1, 10}, {2, N1, 10}};
	static const uint64_t midrs[] = {0, N1, N1};

	expect_midrs(told, 2, areas, midrs);
}

static void expect_filters(const uint64_t (*told)[4], uint64_t params,
			   const uint64_t *filters)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	perfdata_begin_pipe(&b);
	put_auxtrace_info_v2(&b, told, 2, params);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, NULL, &r), 0);
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(pmscope_recording_event_filter(r, areas[i]),
			  filters[i]);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(event_filter_of_each_cpu)
{
	static const uint64_t differ[][4] = {{0, N1, 10, 6},
					     {1, V1, 10, UINT64_MAX}};
	static const uint64_t alike[][4] = {{0, N1, 10, 6}, {1, N1, 10, 6}};
	static const uint64_t each[] = {6, UINT64_MAX, 0};
	static const uint64_t all[] = {6, 6, 6};
	static const uint64_t none[] = {0, 0, 0};

	expect_filters(differ, 4, each);
	expect_filters(differ, 5, each);
	expect_filters(alike, 4, all);
	expect_filters(alike, 3, none);
}

/* AUXTRACE_INFO of version 2 has MIDR_EL1 for each CPU. */
TEST(midr_of_each_cpu)
{
	static const uint64_t cpus[][4] = {{0, 0x410fd0c0, 10},
					   {5, 0x410fd490, 11}};
	struct pmscope_recording *r;
	struct bytes b = {};
	struct pmscope_sample s;

	perfdata_begin(&b);
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	put_time_conv(&b, 0, 1, 0);
	load_at(&b, 0, 10, 0x5000, 50);
	load_at(&b, 5, 10, 0x5000, 60);
	load_at(&b, 6, 10, 0x5000, 70);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	EXPECT_EQ(s.midr, 0x410fd0c0U);
	expect_next(r, &s, 60);
	EXPECT_EQ(s.midr, 0x410fd490U);
	expect_next(r, &s, 70);
	EXPECT_EQ(s.midr, 0U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* CPUs with value 0, and CPUs that are missing. */
TEST(midr_of_cpus_that_do_not_tell_it)
{
	static const uint64_t cpus[][4] = {{0, 0, 10}, {1, 0x410fd490, 10}};
	static const struct pmscope_recording_options options = {
		.size = sizeof(options), .midr = 0x480fd060};
	struct pmscope_recording *r;
	struct bytes b = {};
	struct pmscope_sample s;

	perfdata_begin(&b);
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	put_time_conv(&b, 0, 1, 0);
	load_at(&b, 0, 10, 0x5000, 50);
	load_at(&b, 1, 10, 0x5000, 60);
	load_at(&b, 2, 10, 0x5000, 70);
	perfdata_end(&b);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, &options, &r), 0);
	expect_next(r, &s, 50);
	EXPECT_EQ(s.midr, 0x480fd060U);
	expect_next(r, &s, 60);
	EXPECT_EQ(s.midr, 0x410fd490U);
	expect_next(r, &s, 70);
	EXPECT_EQ(s.midr, 0x480fd060U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* simpleperf: its own version and counts, then five words per CPU. */
static void put_simpleperf_info(struct bytes *b)
{
	static const uint64_t words[] = {
		/* type, version, CPUs and type of the SPE PMU, snapshot */
		TYPE_ARM_SPE, 1, 2 | UINT64_C(10) << 32, 0,
		/* magic, number, minimal interval, MIDR, is SPE there */
		0x1010101010101010, 0, 0, V1, 0, 0x1010101010101010, 1, 256, N1,
		1};
	struct bytes body = {};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put(&body, words[i], 8);
	put_record(b, PMSCOPE_RECORD_AUXTRACE_INFO, 0, &body);
	bytes_fini(&body);
}

TEST(midr_of_each_cpu_by_simpleperf)
{
	static const uint64_t midrs[] = {V1, N1, 0};
	struct pmscope_recording *r;
	struct bytes b = {};

	perfdata_begin_pipe(&b);
	put_simpleperf_info(&b);
	r = open_areas(&b, areas, midrs);
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(pmscope_recording_event_filter(r, i), 0U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* An area of a thread has no CPU: the type is known if all CPUs are alike. */
TEST(midr_of_a_thread_where_all_cpus_are_alike)
{
	static const uint64_t cpus[][4] = {{0, 0x410fd490, 10},
					   {1, 0x410fd490, 10}};
	struct bytes b = {}, trace = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	perfdata_begin(&b);
	/* A later perf has a parameter more. */
	put_auxtrace_info_v2(&b, cpus, 2, 4);
	put_time_conv(&b, 0, 1, 0);
	put_load(&trace, 0x5000, 0x9000, 100);
	put_auxtrace(&b, 0, NO_CPU, 77, &trace);
	r = open_bytes(&b);
	expect_next(r, &s, 100);
	EXPECT_EQ(s.midr, 0x410fd490U);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* Whatever the counts in the header are, nothing is read past the record. */
TEST(auxtrace_info_that_lies)
{
	static const uint64_t cpus[][4] = {{0, 0x410fd490, 10},
					   {1, 0x410fd0c0, 10}};
	struct bytes b = {};
	size_t info;

	perfdata_begin(&b);
	info = b.size;
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	put_time_conv(&b, 0, 1, 0);
	load_at(&b, 0, 10, 0x5000, 50);
	for (size_t word = info + 16; word < info + 16 + 16 * 8; word += 8) {
		for (unsigned int bit = 0; bit < 64; bit += 3) {
			uint8_t kept[8];
			struct pmscope_recording *r;
			struct pmscope_sample s;

			memcpy(kept, b.data + word, 8);
			b.data[word + bit / 8] ^= 1 << bit % 8;
			r = open_bytes(&b);
			expect_next(r, &s, 50);
			pmscope_recording_free(r);
			memcpy(b.data + word, kept, 8);
		}
	}
	bytes_fini(&b);
}

#define AT_PARAMS 6 /* the word of AUXTRACE_INFO, of the first CPU */

/* No CPU may have zero words, nor more than the record. */
TEST(cpus_of_a_size_that_cannot_be)
{
	static const uint64_t cpus[][4] = {{0, 0x410fd490, 10},
					   {1, 0x410fd0c0, 10}};
	struct pmscope_recording *r;
	struct bytes b = {};
	size_t info;

	perfdata_begin(&b);
	info = b.size;
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	for (unsigned int params = 0; params < 256; params += 255) {
		b.data[info + 16 + 8 * AT_PARAMS] = params;
		r = open_bytes(&b);
		EXPECT_TRUE(strstr(pmscope_recording_error(r),
				   "of 2 CPUs has only 0"));
		pmscope_recording_free(r);
	}
	bytes_fini(&b);
}

/* Two CPUs, or none, although more are announced. */
TEST(auxtrace_info_that_ends_early)
{
	static const uint64_t cpus[][4] = {{0, 0x410fd490, 10},
					   {1, 0x410fd0c0, 10}};
	struct pmscope_recording *r;
	struct bytes b = {};
	size_t info;

	perfdata_begin(&b);
	info = b.size;
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	load_at(&b, 0, 10, 0x5000, 50);
	b.data[info + 16 + 3 * 8] = 3;
	r = open_bytes(&b);
	EXPECT_TRUE(strstr(pmscope_recording_error(r), "of 3 CPUs has only 2"));
	pmscope_recording_free(r);
	b.data[info + 16 + 8] = 99; /* where the first is */
	r = open_bytes(&b);
	EXPECT_TRUE(strstr(pmscope_recording_error(r), "of 3 CPUs has only 0"));
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* A vendor's: PMU type, shift, multiplier and zero of the clock, and more. */
static void put_foreign_info(struct bytes *b)
{
	static const uint64_t words[] = {TYPE_ARM_SPE, 10, 10, 40, 0, 1, 1, 3};
	struct bytes body = {};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put(&body, words[i], 8);
	put_record(b, PMSCOPE_RECORD_AUXTRACE_INFO, 0, &body);
	bytes_fini(&body);
}

/* The samples are shown, and their missing times reported. */
TEST(auxtrace_info_of_another_layout)
{
	for (int clock = 0; clock < 2; clock++) {
		struct pmscope_recording *r;
		struct pmscope_sample s;
		struct bytes b = {};

		perfdata_begin(&b);
		put_foreign_info(&b);
		if (clock)
			put_time_conv(&b, 0, 1, 0);
		load_at(&b, 0, 10, 0x5000, 50);
		r = open_bytes(&b);
		EXPECT_EQ(pmscope_recording_next(r, &s), 1);
		EXPECT_EQ(s.has_time, clock);
		EXPECT_TRUE(strstr(pmscope_recording_error(r), "offset 0x") ==
			    pmscope_recording_error(r));
		EXPECT_TRUE(strstr(pmscope_recording_error(r),
				   "AUXTRACE_INFO of an unknown layout"));
		EXPECT_EQ(!strstr(pmscope_recording_error(r),
				  "samples have no time"),
			  clock);
		pmscope_recording_free(r);
		bytes_fini(&b);
	}
}

KTAP_MAIN
