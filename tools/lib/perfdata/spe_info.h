/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The words of SPE's PERF_RECORD_AUXTRACE_INFO (perf, util/arm-spe.h). */
#pragma once

#include "base/std.h"

/* The AUXTRACE type of SPE in perf. */
#define AUXTRACE_ARM_SPE 4

#define SPE_INFO_VERSION 2

/* The words of version 1, then of the version 2 header. */
enum {
	V1_PMU_TYPE,
	V1_PER_CPU,
	V1_WORDS
};
enum {
	V2_VERSION,
	V2_HEAD_WORDS,
	V2_PMU_TYPE,
	V2_CPUS,
	V2_WORDS
};
/* Version 2 has these words per CPU; CPU_PARAMS counts those from MIDR on. */
enum {
	CPU_MAGIC,
	CPU_NUMBER,
	CPU_PARAMS,
	CPU_MIDR,
	CPU_PMU_TYPE,
	CPU_MIN_INTERVAL, /* 0: unknown */
	CPU_EVENT_FILTER, /* only in newer recordings */
};

#define CPU_MAGIC_WORD UINT64_C(0x1010101010101010)
