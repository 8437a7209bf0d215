// SPDX-License-Identifier: GPL-2.0-or-later
/* The thread of a record, and its name at that time. */
#include "scenario.h"

/* The trace comes first in the file: perf writes it so. */
SCENARIO(name_of_a_thread_over_time, LOAD(150, 0, 11), LOAD(250, 0, 11),
	 LOAD(260, 0, 12), COMM(100, 10, 11, "old"), COMM(200, 10, 11, "new"),
	 ROW(150, 11), PID(10), CPU_IS(0), NAME("old"), NEXT(250), NAME("new"),
	 ROW(260, 12), PID(PMSCOPE_NO_ID), NAME(NULL), END);

/* Each CPU has a ring, and rings are read one after another. */
SCENARIO(names_that_are_not_in_order_of_time, COMM(200, 10, 11, "new"),
	 COMM(200, 10, 11, "newer"), COMM(100, 10, 11, "old"), LOAD(150, 0, 11),
	 LOAD(250, 0, 11), NEXT(150), NAME("old"), NEXT(250), NAME("newer"));

static const char *kept;

STEP_IS(keep_name, kept = sc->s.comm);
STEP_IS(expect_kept, EXPECT_TRUE(sc->s.comm == kept));
STEP_IS(expect_length, EXPECT_EQ(strlen(sc->s.comm), step->v[0]));

/* Names of kernel workers are longer than the kernel's comm. */
TEST(long_names_of_threads)
{
	static const char unbound[] = "kworker/u16:3-events_unbound";
	static const char saving[] = "kworker/u16:3-events_power_efficient";
	static const char too_long[] =
		"0123456789012345678901234567890123456789"
		"0123456789012345678901234567890123456789";

	PLAY(LOADS(150, 450, 100, 0, 11), COMM(100, 11, 11, unbound),
	     COMM(200, 11, 11, saving), COMM(300, 11, 11, unbound),
	     COMM(400, 11, 11, too_long), NEXT(150), NAME(unbound),
	     CALL(keep_name), NEXT(250), NAME(saving), NEXT(350),
	     CALL(expect_kept), NEXT(450), CALL(expect_length, 63));
}

SCENARIO(the_idle_thread_has_a_name, LOAD(30, 0, 0), ROW(30, 0), PID(0),
	 NAME("swapper"));

SCENARIO(switches_tell_the_thread_without_context_packets,
	 SWITCH(100, 0, 10, 11), SWITCH(100, 1, 20, 21), SWITCH(200, 0, 30, 31),
	 LOAD(150, 0, NO_TID), LOAD(160, 1, NO_TID), LOAD(250, 0, NO_TID),
	 LOAD(260, 1, NO_TID), ROW(150, 11), PID(10), ROW(160, 21),
	 ROW(250, 31), ROW(260, 21));

/* No switch event tells that it has the number of the first from then on. */
static void expect_number_taken(uint32_t context)
{
	PLAY(COMM(10, 10, 10, "first"), COMM(20, 10, 11, "other"),
	     SWITCH(100, 0, 10, 11), EXEC(200, 10, "program"),
	     FORK(300, 10, 11, 10), LOAD(150, 0, context),
	     LOAD(250, 0, context), LOAD(350, 1, 11), ROW(150, 11),
	     NAME("other"), ROW(250, 10), NAME("program"),
	     /* Another that has its number later. */
	     ROW(350, 11));
}

TEST(a_thread_that_runs_a_program_has_the_number_of_the_first)
{
	expect_number_taken(NO_TID);
	expect_number_taken(11);
}

/* It belongs to the time of the one before it; later ones have their own. */
SCENARIO(a_record_without_a_time_is_between_its_neighbours,
	 SWITCH(100, 0, 10, 11), SWITCH(200, 0, 30, 31), SWITCH(300, 0, 40, 41),
	 T_LOAD(150), T_UNTIMED, T_LOAD(250), T_LOAD(350),
	 AREA(0, 0, 0, NO_TID), ROW(150, 11), UNTIMED, TID(11), ROW(250, 31),
	 ROW(350, 41));

/* With none before it, it is of when the next was. */
SCENARIO(the_first_record_has_no_time, SWITCH(100, 0, 10, 11),
	 SWITCH(100, 1, 20, 21), SWITCH(200, 0, 30, 31), LOAD(140, 1, NO_TID),
	 T_UNTIMED, T_LOAD(150), T_LOAD(250), AREA(0, 0, 0, NO_TID),
	 ROW(140, 21), UNTIMED, TID(11), ROW(150, 11), ROW(250, 31));

SCENARIO(itrace_start_tells_the_first_thread, ITRACE(100, 2, 10, 11),
	 LOAD(150, 2, NO_TID), ROW(150, 11), CPU_IS(2));

SCENARIO(an_area_of_a_thread_is_its_own, T_LOAD(100), AREA(0, 0, NO_CPU, 77),
	 ROW(100, 77), CPU_IS(PMSCOPE_NO_ID));

/* CONTEXTIDR has numbers of the outermost PID namespace. */
SCENARIO(switches_tell_the_thread_of_another_pid_namespace,
	 COMM(0, 5, 5, "inside"), SWITCH(100, 0, 5, 5), LOAD(150, 0, 90005),
	 COMM(160, 8, 9, "known"), LOAD(170, 0, 9), ROW(150, 5), NAME("inside"),
	 ROW(170, 9), NAME("known"));

/* Thread 9 runs but is unknown; thread 2 is known to be kthreadd. */
TEST(unknown_numbers_beside_the_kernels_threads)
{
	static const uint32_t rows[][2] = {{0, 9},
					   {PERF_RECORD_MISC_GUEST_KERNEL, 5}};

	for (int i = 0; i < 2; i++)
		PLAY(COMM_OF(rows[i][0], 0, 2, 2, "kthreadd"),
		     COMM(0, 5, 5, "five"), SWITCH(100, 0, 5, 5),
		     LOAD(150, 0, 9), ROW(150, rows[i][1]));
}

/* All seven, of device 4; the PID namespace matters. */
#define OTHER_NS 4, 0xeffffffc
#define NAMESPACES(tid, inode)                                               \
	SIDE(PERF_RECORD_NAMESPACES, 0, 0, tid, tid,                         \
	     (uint64_t)(tid) << 32 | (tid), 7, OTHER_NS, OTHER_NS, OTHER_NS, \
	     4, inode, OTHER_NS, OTHER_NS, OTHER_NS)
_Static_assert(PID_NS_INDEX == 3, "the fourth of them");

/* Thread 5 runs, and CONTEXTIDR has 9, also the number of another thread. */
static void expect_among_namespaces(uint64_t inode_of_9, uint32_t tid)
{
	PLAY(COMM(0, 5, 5, "five"), COMM(0, 9, 9, "nine"),
	     NAMESPACES(5, 0xf0000001), NAMESPACES(9, inode_of_9),
	     /* A thread outside the recorder's namespace has no number. */
	     NAMESPACES(0, 0xeffffffc), SWITCH(100, 0, 5, 5), LOAD(150, 0, 9),
	     LOAD(160, 0, 0), ERROR(""), ROW(150, tid), ROW(160, 0));
}

CASE(numbers_of_another_pid_namespace_are_not_taken,
     expect_among_namespaces(0xf0000001, 5));

CASE(numbers_of_the_outermost_pid_namespace_are,
     expect_among_namespaces(0xeffffffc, 9));

/* A truncated record, or one without a PID namespace, is ignored. */
TEST(namespaces_that_are_not_whole)
{
	static const uint64_t of_5 = 5 | UINT64_C(5) << 32;

	PLAY(SIDE(PERF_RECORD_NAMESPACES, 0, 0, 5, 5, of_5, 7),
	     COMM(0, 9, 9, "nine"), SWITCH(100, 0, 5, 5), LOAD(150, 0, 9),
	     ROW(150, 9));
	PLAY(SIDE(PERF_RECORD_NAMESPACES, 0, 0, 5, 5, of_5, PID_NS_INDEX, 0, 0,
		  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	     COMM(0, 9, 9, "nine"), SWITCH(100, 0, 5, 5), LOAD(150, 0, 9),
	     ROW(150, 9));
}

/* Two loads without a thread, in the area of a CPU, opened for thread 11. */
#define AREA_OF_11 T_LOAD(150), T_LOAD(250), AREA(0, 0, 0, 11)

/* perf has it in AUXTRACE; kernels and perfs of old tell no more. */
SCENARIO(thread_that_an_area_of_a_cpu_was_opened_for, AREA_OF_11,
	 COMM(100, 10, 11, "name"), ROW(150, 11), PID(10), NAME("name"));

/* It is ignored if better facts are known. */
SCENARIO(switches_before_the_thread_of_an_area, AREA_OF_11,
	 SWITCH(200, 0, 20, 21), ROW(150, 11), ROW(250, 21));
