/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small perf.data of either form, and all that a reader finds in one. */
#ifndef PMSCOPE_TESTS_CONTAINER_H
#define PMSCOPE_TESTS_CONTAINER_H

#include "bytes.h"

#include <stddef.h>

/* Where records are from. */
extern const struct where here;

/* COMM, AUXTRACE with 100 bytes, COMM. */
void put_records(struct bytes *b);
void make_file(struct bytes *b);
void make_pipe(struct bytes *b);

/* Records read, by kind. */
struct seen {
	unsigned int comms;
	unsigned int auxtraces;
	unsigned int others;
	size_t payload;
	unsigned int sum; /* of all bytes: every one must be readable */
	char error[160];
};

/* Ends the program where there is a record behind the last one. */
struct seen read_all(const struct bytes *b);

#endif /* PMSCOPE_TESTS_CONTAINER_H */
