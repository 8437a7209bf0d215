/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* jitdump: tools/perf/Documentation/jitdump-specification.txt of Linux. */
#ifndef PMSCOPE_SYMBOLS_JIT_RECORDS_H
#define PMSCOPE_SYMBOLS_JIT_RECORDS_H

#include <stdint.h>

#define JITDUMP_MAGIC 0x4a695444 /* "JiTD", in the writer's byte order */
#define JITDUMP_TICKS 1		 /* the times are no CLOCK_MONOTONIC */
#define CODE_LOAD     0
#define CODE_MOVE     1
#define CODE_LINES    2 /* JIT_CODE_DEBUG_INFO */

/* Sizes of the file header, and of each type of record after its header. */
struct dump_header {
	uint32_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t machine;
	uint32_t padding;
	uint32_t pid;
	uint64_t timestamp;
	uint64_t flags;
};

struct dump_record {
	uint32_t type;
	uint32_t size;
	uint64_t timestamp;
};

struct dump_load {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t address;
	uint64_t size;
	uint64_t index;
};

struct dump_move {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t from;
	uint64_t to;
	uint64_t size;
	uint64_t index;
};

/* For code that a later record describes. */
struct dump_lines {
	uint64_t address;
	uint64_t count;
};

/* The name of the file follows, and a zero. */
struct dump_line {
	uint64_t address;
	uint32_t line;
	uint32_t discriminator;
};

#endif /* PMSCOPE_SYMBOLS_JIT_RECORDS_H */
