/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Which parts of a record a value depends on. Records that are equal in these
 * parts have the same value, so it is looked up or printed once and then reused
 * (read/sample_key.h).
 */
#ifndef PMSCOPE_SAMPLE_DEPS_H
#define PMSCOPE_SAMPLE_DEPS_H

enum dep {
	DEP_CODE = 1 << 0, /* symbol and file of the PC */
	DEP_THREAD = 1 << 1,
	DEP_CPU = 1 << 2,
	DEP_OPERATION = 1 << 3,
	DEP_SOURCE = 1 << 4,
	DEP_EVENTS = 1 << 5,
	DEP_LINE = 1 << 6,	 /* source line: slower than a symbol */
	DEP_LEVEL = 1 << 7,	 /* Exception level */
	DEP_TOTAL = 1 << 8,	 /* latency */
	DEP_DATA = 1 << 9,	 /* symbol of the data address: deps_data() */
	DEP_RECORD = 1 << 10,	 /* differs in each record: not worth caching */
	DEP_PC = 1 << 11,	 /* the PC itself */
	DEP_TARGET = 1 << 12,	 /* address that a branch went to */
	DEP_CACHELINE = 1 << 13, /* of the data address */
	DEP_CALLERS = 1 << 14,	 /* the call chain that is nearest in time */
	DEP_OFFSET = 1 << 15,	 /* of the PC in its symbol, if that is known */
	DEP_PLACE = 1 << 16,	 /* files and offsets of PC and target */
	DEP_BRANCH = 1 << 17,	 /* symbols of where branches went */
	DEP_INTERVAL = 1 << 18,	 /* the sampling interval of the CPU */
};

/* These values need symbols to be looked up first. */
#define DEPS_OF_NAMES (DEP_CODE | DEP_THREAD | DEP_LINE | DEP_DATA)

#endif /* PMSCOPE_SAMPLE_DEPS_H */
