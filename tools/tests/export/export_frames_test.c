// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of exports: call chains of another event, where a function that two
 * others call has the caller whose chain is nearest in time; and the names of
 * the kernel and its modules.
 */
#include "command.h"
#include "symbols_scenario.h"

#define TASK	10
#define BASE	UINT64_C(0x400000)
#define KERNEL	UINT64_C(0xffff800080000000)
#define MODULE	UINT64_C(0xffff80007a000000)
#define MAIN	PROGRAM_TEXT
#define WORK	(PROGRAM_TEXT + 0x40)
#define IDLE	(PROGRAM_TEXT + 0x80)
#define SIZE	0x40
#define DATA_AT (BASE + PROGRAM_GAP + PROGRAM_DATA)
#define STACK	UINT64_C(0x7ffff0000000)
#define TYPE	(PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN)

static const struct program_symbol symbols[] = {
	{"main", MAIN, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"work", WORK, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"idle", IDLE, SIZE, STT_FUNC, STB_GLOBAL, false},
	{"counters", PROGRAM_DATA, 0x80, STT_OBJECT, STB_GLOBAL, false},
};

/* "work" ran, called by @caller, which "main" called @deep times in itself. */
STEP_OF(put_chain)
{
	BYTES body = {};

	put(&body, PERFDATA_ID, 8);
	PUT(&body, 4, TASK, TASK);
	put(&body, step->v[0], 8);
	put(&body, 0, 8); /* CPU */
	PUT(&body, 8, 2 + step->v[2], BASE + WORK + 4, BASE + step->v[1] + 8);
	for (unsigned int i = 0; i < step->v[2]; i++)
		put(&body, BASE + MAIN + 8, 8);
	put_record(&sc->b, PERF_RECORD_SAMPLE, 0, &body);
}
#define CHAIN(time, caller, deep) CALL(put_chain, time, caller, deep)

/* Something at EL1, Non-secure. */
#define IN_KERNEL(pc, time)                                          \
	T_PACKET(PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,      \
		 ((pc) & (UINT64_MAX >> 8)) | UINT64_C(0xa0) << 56), \
		T_PACKET(PMSCOPE_PACKET_CONTEXT, 0, 4, TASK), T_TIME(time)

STEP_OF(trace_work)
{
	for (uint64_t i = 0; i < 10; i++)
		put_load_of(&sc->trace, TASK, BASE + WORK + 4 * (i % 2),
			    i % 4 == 3 ? STACK + i : DATA_AT + 8 * (i % 3),
			    990 + 300 * i);
}

/* Two places of the kernel have one stack, in one slice of time. */
#define RECORDED(deep)                                                         \
	ELF("root/usr/bin/program", symbols), TYPE_IS(TYPE),                   \
		COMM(1, TASK, TASK, "test"),                                   \
		KERNEL_MAP(KERNEL, 0x10000, KERNEL, "[kernel.kallsyms]_text"), \
		KERNEL_MAP(MODULE, 0x1000, 0,                                  \
			   "/lib/modules/6.12/kernel/fs/a.ko.xz"),             \
		MMAP(1, TASK, TASK, BASE, 0x1000, 0, "/usr/bin/program"),      \
		MMAP(1, TASK, TASK, DATA_AT, 0x1000, PROGRAM_DATA,             \
		     "/usr/bin/program"),                                      \
		MMAP(1, TASK, TASK, STACK, 0x1000, 0, "[stack]"),              \
		CHAIN(1000, MAIN, 0), CHAIN(2000, IDLE, deep),                 \
		CALL(trace_work), T_LOAD_OF(5000, TASK, BASE + MAIN, 0x9000),  \
		IN_KERNEL(KERNEL + 0x100, 6000),                               \
		IN_KERNEL(KERNEL + 0x104, 6000),                               \
		IN_KERNEL(MODULE + 0x100, 7000), AREA(0, 0, 0, NO_TID)

SCENARIO(callers_are_frames, RECORDED(0),
	 COMMAND("export --format=folded -o - --symfs=$D/root"),
	 HAS("test;main;/usr/bin/program;work 2\n"),
	 HAS("test;idle;/usr/bin/program;work 8\n"),
	 HAS("test;/usr/bin/program;main 1\n"),
	 HAS("test;[kernel.kallsyms];[unknown] 2\n"),
	 HAS("test;[a];[unknown] 1\n"));

/* By other decoders, which also compare the sums. */
STEP_OF(compare_exports)
{
	char command[RECOUNT_COMMAND];

	if (!recount_works())
		SKIP("no python3 here");
	perfdata_end(&sc->b);
	sc->ended = true;
	snprintf(command, sizeof(command),
		 "python3 -B " PMSCOPE_TESTS
		 "/recount/exported.py --pmscope=%s --symfs=%s",
		 command_pmscope(), fixture_path("root"));
	recount_tell(command_reads(&sc->b, command));
}

SCENARIO(all_exports_have_them, RECORDED(0), CALL(compare_exports));

SCENARIO(deep_call_chains, RECORDED(40), CALL(compare_exports));
