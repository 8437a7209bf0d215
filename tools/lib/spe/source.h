/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Families of CPUs that share the meaning of Data Source codes. */
#pragma once

#include <pmscope/source.h>

enum source_family {
	SOURCES_UNKNOWN,
	SOURCES_COMMON, /* most CPUs by Arm */
	SOURCES_AMPERE1A,
	SOURCES_HISILICON,
	NR_SOURCE_FAMILIES
};

/* Codes from here on have no meaning in any family. */
#define NR_SOURCE_CODES 19

/* What a code means: a row of the tables in source.c. */
struct source {
	const char *name;
	uint32_t flags; /* enum pmscope_source_flag */
	/* Members of union perf_mem_data_src, as perf sets them */
	struct source_level {
		uint16_t lvl;
		uint8_t lvl_num;
		uint8_t snoop;
		uint8_t snoopx;
		uint8_t remote;
	} level;
};

/* The family of the CPU, from the table in base/cpus.def */
enum source_family source_family(uint64_t midr);

/* Returns NULL if the code has no meaning in this family. */
const struct source *source_find(enum source_family family, uint64_t code);
