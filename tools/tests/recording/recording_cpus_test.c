// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU types in a recording: AUXTRACE_INFO, and the header. */
#include "scenario.h"

#define N1	0x410fd0c0
#define V1	0x410fd400
#define V2	0x410fd490
#define NO_AREA PMSCOPE_NO_ID

/* The CPUID of the header, as a pipe has it, is that of a Neoverse N1. */
STEP_OF(put_cpuid)
{
	BYTES body = {};

	put(&body, PMSCOPE_FEATURE_CPUID, 8);
	put(&body, 24, 4);
	bytes_add(&body, "0x00000000410fd0c0\0\0\0\0\0", 24);
	put_zeros(&body, 4);
	put_record(&sc->b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
}

STEP_OF(expect_midr)
{
	struct pmscope_trace trace = {};

	EXPECT_TRUE(pmscope_recording_trace(sc->r, step->v[0], &trace));
	EXPECT_EQ(trace.midr, step->v[1]);
}

STEP_IS(expect_filter,
	EXPECT_EQ(pmscope_recording_event_filter(sc->r, step->v[0]),
		  step->v[1]));

/* Areas of CPU 0, 1 and none must be of these types. */
#define AREAS(first, second, third)                                        \
	T_LOAD(100), AREA(0, 0, 0, 77), T_LOAD(100), AREA(0, 1, 1, 77),    \
		T_LOAD(100), AREA(0, 2, NO_AREA, 77), TRACES(3),           \
		CALL(expect_midr, 0, first), CALL(expect_midr, 1, second), \
		CALL(expect_midr, 2, third)
#define FILTERS(first, second, third)                                          \
	OPENED, CALL(expect_filter, 0, first), CALL(expect_filter, 1, second), \
		CALL(expect_filter, NO_AREA, third)

SCENARIO(header_tells_where_nothing_else_does, PIPE, CALL(put_cpuid),
	 INFO(TYPE_ARM_SPE), AREAS(N1, N1, N1));

TEST(header_tells_nothing_of_cpus_that_differ)
{
	static const uint64_t told[][4] = {{1, V1, 10}, {2, N1, 10}};

	PLAY(PIPE, CALL(put_cpuid), INFO_V2(told, 2, 3), AREAS(0, V1, 0));
}

TEST(unrecorded_cpu_may_be_another)
{
	static const uint64_t told[][4] = {{1, N1, 10}, {2, N1, 10}};

	PLAY(PIPE, CALL(put_cpuid), INFO_V2(told, 2, 3), AREAS(0, N1, N1));
}

TEST(event_filter_of_each_cpu)
{
	static const uint64_t differ[][4] = {{0, N1, 10, 6},
					     {1, V1, 10, UINT64_MAX}};
	static const uint64_t alike[][4] = {{0, N1, 10, 6}, {1, N1, 10, 6}};

	PLAY(PIPE, INFO_V2(differ, 2, 4), FILTERS(6, UINT64_MAX, 0));
	PLAY(PIPE, INFO_V2(differ, 2, 5), FILTERS(6, UINT64_MAX, 0));
	PLAY(PIPE, INFO_V2(alike, 2, 4), FILTERS(6, 6, 6));
	PLAY(PIPE, INFO_V2(alike, 2, 3), FILTERS(0, 0, 0));
}

#define MIDR(value) IS(s.midr, value)

/* AUXTRACE_INFO of version 2 has MIDR_EL1 for each CPU. */
TEST(midr_of_each_cpu)
{
	static const uint64_t cpus[][4] = {{0, N1, 10}, {5, V2, 11}};

	PLAY(BARE, INFO_V2(cpus, 2, 3), CONV(0, 1, 0), LOAD(50, 0, 10),
	     LOAD(60, 5, 10), LOAD(70, 6, 10), NEXT(50), MIDR(N1), NEXT(60),
	     MIDR(V2), NEXT(70), MIDR(0));
}

/* CPUs with value 0, and CPUs that are missing. */
TEST(midr_of_cpus_that_do_not_tell_it)
{
	static const uint64_t cpus[][4] = {{0, 0, 10}, {1, V2, 10}};

	PLAY(BARE, OPTIONS(.midr = HIP12), INFO_V2(cpus, 2, 3), CONV(0, 1, 0),
	     LOAD(50, 0, 10), LOAD(60, 1, 10), LOAD(70, 2, 10), NEXT(50),
	     MIDR(HIP12), NEXT(60), MIDR(V2), NEXT(70), MIDR(HIP12));
}

#define MAGIC 0x1010101010101010

/* simpleperf: its own version and counts, then five words per CPU. */
SCENARIO(midr_of_each_cpu_by_simpleperf, PIPE,
	 RECORD(PMSCOPE_RECORD_AUXTRACE_INFO, 0,
		/* type, version, CPUs and type of the SPE PMU, snapshot */
		TYPE_ARM_SPE, 1, 2 | UINT64_C(10) << 32, 0,
		/* magic, number, minimal interval, MIDR, is SPE there */
		MAGIC, 0, 0, V1, 0, MAGIC, 1, 256, N1, 1),
	 AREAS(V1, N1, 0), FILTERS(0, 0, 0), CALL(expect_filter, 2, 0));

/*
 * An area of a thread has no CPU: the type is known if all CPUs are alike. A
 * later perf has a parameter more.
 */
TEST(midr_of_a_thread_where_all_cpus_are_alike)
{
	static const uint64_t cpus[][4] = {{0, V2, 10}, {1, V2, 10}};

	PLAY(BARE, INFO_V2(cpus, 2, 4), CONV(0, 1, 0), T_LOAD(100),
	     AREA(0, 0, NO_CPU, 77), NEXT(100), MIDR(V2));
}

static const uint64_t big_little[][4] = {{0, V2, 10}, {1, N1, 10}};

STEP_IS(flip,
	sc->b.data[sc->last + 16 + step->v[0] / 8] ^= 1 << step->v[0] % 8);

/* Whatever the counts in the header are, nothing is read past the record. */
TEST(auxtrace_info_that_lies)
{
	for (unsigned int word = 0; word < 16; word++)
		for (unsigned int bit = 0; bit < 64; bit += 3)
			PLAY(BARE, INFO_V2(big_little, 2, 3),
			     CALL(flip, 64 * word + bit), CONV(0, 1, 0),
			     LOAD(50, 0, 10), NEXT(50));
}

/* Words of AUXTRACE_INFO, from its version on. */
#define AT_HEADER_SIZE	1
#define AT_CPUS		3
#define AT_PARAMS	6 /* of the first CPU */
#define WORD(at, value) PATCH(8 + 8 * (at), value)

/* No CPU may have zero words, nor more than the record. */
TEST(cpus_of_a_size_that_cannot_be)
{
	for (unsigned int params = 0; params < 256; params += 255)
		PLAY(BARE, INFO_V2(big_little, 2, 3), WORD(AT_PARAMS, params),
		     ERROR("of 2 CPUs has only 0"));
}

/* Two CPUs, or none, although more are announced. */
SCENARIO(auxtrace_info_that_ends_early, BARE, INFO_V2(big_little, 2, 3),
	 WORD(AT_CPUS, 3), LOAD(50, 0, 10), ERROR("of 3 CPUs has only 2"), ANEW,
	 BARE, INFO_V2(big_little, 2, 3), WORD(AT_CPUS, 3),
	 WORD(AT_HEADER_SIZE, 99), LOAD(50, 0, 10),
	 ERROR("of 3 CPUs has only 0"));

STEP_OF(expect_unknown_layout)
{
	const char *error = pmscope_recording_error(sc->r);

	EXPECT_EQ(sc->s.has_time, step->v[0]);
	EXPECT_TRUE(strstr(error, "offset 0x") == error);
	EXPECT_TRUE(strstr(error, "AUXTRACE_INFO of an unknown layout"));
	EXPECT_EQ(!strstr(error, "samples have no time"), step->v[0]);
}

/* A vendor's: PMU type, shift, multiplier and zero of the clock, and more. */
#define FOREIGN_INFO                                                         \
	RECORD(PMSCOPE_RECORD_AUXTRACE_INFO, 0, TYPE_ARM_SPE, 10, 10, 40, 0, \
	       1, 1, 3)

/* The samples are shown, and their missing times reported. */
SCENARIO(auxtrace_info_of_another_layout, BARE, FOREIGN_INFO, LOAD(50, 0, 10),
	 TAKE, CALL(expect_unknown_layout, false), ANEW, BARE, FOREIGN_INFO,
	 CONV(0, 1, 0), LOAD(50, 0, 10), TAKE,
	 CALL(expect_unknown_layout, true));
