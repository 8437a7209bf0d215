/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a value follows from: two records alike in that have the same value, so
 * what was found or printed for one is remembered for the other
 * (read/sample_key.h).
 */
#ifndef PMSCOPE_FIELDS_DEPS_H
#define PMSCOPE_FIELDS_DEPS_H

enum dep {
	DEP_CODE = 1 << 0, /* the names of its PC */
	DEP_THREAD = 1 << 1,
	DEP_CPU = 1 << 2,
	DEP_OPERATION = 1 << 3,
	DEP_SOURCE = 1 << 4,
	DEP_EVENTS = 1 << 5,
	DEP_LINE = 1 << 6,  /* of the source: costs more than a symbol */
	DEP_LEVEL = 1 << 7, /* Exception level */
	DEP_TOTAL = 1 << 8, /* latency */
	DEP_DATA = 1 << 9,  /* the names of its data's address: deps_data() */
	DEP_RECORD =
		1 << 10, /* each record has another: not to be remembered */
};

/* These values need symbols to be looked up first. */
#define DEPS_OF_NAMES (DEP_CODE | DEP_THREAD | DEP_LINE | DEP_DATA)

#endif /* PMSCOPE_FIELDS_DEPS_H */
