/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/output.h"
#include "parquet.h"

/*
 * Writes Thrift's compact protocol, in which Parquet has its headers and its
 * footer. Debian has no C library for either format.
 */
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

/* These functions append integers to @out in the encodings of Parquet. */

/* How many bits @value needs; 0 for 0. */
static inline unsigned int encode_width(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

/*
 * RLE: runs of one value, and other values packed into @width bits each. For
 * levels and for indices of a dictionary.
 */
void encode_runs(struct output *out, const uint32_t *values, size_t nr,
		 unsigned int width);

/* The same, for @nr times @value. */
void encode_same(struct output *out, uint32_t value, size_t nr,
		 unsigned int width);

/*
 * DELTA_BINARY_PACKED: differences, packed in blocks. @bits: of the column's
 * type, 32 or 64. @values: @nr of them, as numbers of 64 bits.
 */
void encode_deltas(struct output *out, const uint64_t *values, size_t nr,
		   unsigned int bits);

/* PLAIN: numbers of @bits, 32 or 64. */
void encode_plain(struct output *out, const uint64_t *values, size_t nr,
		  unsigned int bits);

/* Writes one column of a row group: a dictionary page and data pages. */

enum parquet_physical {
	PHYSICAL_BOOLEAN = 0,
	PHYSICAL_INT32 = 1,
	PHYSICAL_INT64 = 2,
	PHYSICAL_DOUBLE = 5,
	PHYSICAL_BYTES = 6,
};

enum parquet_physical parquet_physical(enum parquet_type type);

#define DICTIONARY_MAX ((size_t)1 << 16) /* entries, but for text */

/* Memory for one column of @rows at a time, and the compressor. */
struct parquet_scratch {
	size_t rows;
	bool all_levels;   /* each row has a value, or none has */
	bool constant;	   /* all have the same */
	uint32_t *order;   /* of the rows */
	uint32_t *moved;   /* the order that sorting makes next */
	uint32_t *levels;  /* 1: the row has a value; only if some have none */
	uint64_t *values;  /* those there are, in order */
	uint32_t *indices; /* of them in the dictionary */
	uint64_t *dictionary;
	size_t nr_dictionary;
	uint32_t *of_short; /* for values of 16 bits: indices, plus 1 */
	uint32_t *slots;    /* of a hash table: indices, plus 1 */
	size_t nr_slots;
	uint32_t *ranks; /* of all texts of the file */
	size_t max_ranks;
	struct output page;
	struct output packed;
	struct ZSTD_CCtx_s *zstd;
};

/* NULL if memory is short. */
struct parquet_scratch *scratch_new(void);
void scratch_free(struct parquet_scratch *scratch);

/* Makes room for so many rows. Returns 0 or -ENOMEM. */
int scratch_reserve(struct parquet_scratch *scratch, size_t rows);

/* The least and the largest value, and how many rows have none. */
struct parquet_statistics {
	bool known;
	uint64_t nulls;
	const void *least;
	size_t least_size;
	const void *most;
	size_t most_size;
	uint64_t numbers[2]; /* what these point to, unless it is text */
};

/* What the footer tells of a written column */
struct parquet_chunk {
	uint64_t dictionary_offset; /* of its page; 0: it has none */
	uint64_t data_offset;	    /* of its first data page */
	uint64_t bytes; /* in the file, and next before compression */
	uint64_t plain_bytes;
	int encoding; /* of the data pages */
	struct parquet_statistics statistics;
};

enum parquet_encoding {
	ENCODING_PLAIN = 0,
	ENCODING_RLE = 3,
	ENCODING_DELTA = 5,
	ENCODING_DICTIONARY = 8, /* RLE_DICTIONARY */
};

/* Writes @rows rows, ordered as in @scratch, at @offset. 0 or -errno. */
int column_write(struct parquet_scratch *scratch, FILE *file, uint64_t offset,
		 const struct parquet_values *values, size_t rows,
		 const struct strings *strings, struct parquet_chunk *chunk);
size_t column_count(const struct parquet_values *from, size_t rows);
bool column_is_constant(const struct parquet_values *from, size_t rows);
static inline uint64_t column_value(const struct parquet_values *values,
				    size_t row)
{
	switch (values->bytes) {
	case 1:
		return ((const uint8_t *)values->values)[row];
	case 2:
		return ((const uint16_t *)values->values)[row];
	case 4:
		return ((const uint32_t *)values->values)[row];
	default:
		return ((const uint64_t *)values->values)[row];
	}
}

static inline bool column_has(const struct parquet_values *values, size_t row)
{
	return values->present[row / 8] >> row % 8 & 1;
}
