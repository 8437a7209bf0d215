/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes Thrift's compact protocol, in which Parquet has its headers and its
 * footer. Debian has no C library for either format.
 */
#pragma once

#include "cli/output.h"

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_BINARY = 8,
	THRIFT_STRUCT = 12,
};

#define THRIFT_DEPTH 8

/* Starts as zeros but for @out. Fields must come in the order of their ids. */
struct thrift {
	struct output *out;
	int last[THRIFT_DEPTH]; /* id of the last field of each open struct */
	int depth;
};

/* A number of 7 bits a byte, the lowest first. Returns the end. */
static inline char *thrift_varint(char *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (char)(value | 0x80);
	*p++ = (char)value;
	return p;
}

/* Numbers near 0 become small ones: 0, -1, 1, -2 are 0, 1, 2, 3. */
static inline uint64_t thrift_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

/* Fields of the open struct; of a list, elements have no id. */
void thrift_bool(struct thrift *thrift, int id, bool value);
void thrift_i8(struct thrift *thrift, int id, int8_t value);
void thrift_i32(struct thrift *thrift, int id, int32_t value);
void thrift_i64(struct thrift *thrift, int id, int64_t value);
void thrift_binary(struct thrift *thrift, int id, const void *data,
		   size_t size);

/* A field that is a struct, up to thrift_end(). */
void thrift_begin(struct thrift *thrift, int id);
void thrift_end(struct thrift *thrift);

/* A field that is a list; its elements follow. */
void thrift_list(struct thrift *thrift, int id, enum thrift_type type,
		 size_t nr);
void thrift_element_i32(struct thrift *thrift, int32_t value);
void thrift_element_binary(struct thrift *thrift, const void *data,
			   size_t size);
void thrift_element_begin(struct thrift *thrift);
