// SPDX-License-Identifier: GPL-2.0-or-later
#include "parquet/column.h"

#define VARINT_MAX 10

enum {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I8 = 3,
	THRIFT_I64 = 6,
	THRIFT_LIST = 9,
};

static void put(struct thrift *thrift, uint64_t value)
{
	char *p = output_reserve(thrift->out, VARINT_MAX);

	if (p)
		output_commit(thrift->out, thrift_varint(p, value));
}

static void put_byte(struct thrift *thrift, unsigned int value)
{
	char *p = output_reserve(thrift->out, 1);

	if (!p)
		return;
	*p++ = (char)value;
	output_commit(thrift->out, p);
}

static void put_binary(struct thrift *thrift, const void *data, size_t size)
{
	char *p;

	put(thrift, size);
	p = output_reserve(thrift->out, size);
	if (!p)
		return;
	memcpy(p, data, size);
	output_commit(thrift->out, p + size);
}

/* Ids of fields are written as the difference from the last one, if small. */
static void put_field(struct thrift *thrift, int id, unsigned int type)
{
	int *last = &thrift->last[thrift->depth];
	int step = id - *last;

	*last = id;
	if (step > 0 && step < 16) {
		put_byte(thrift, (unsigned int)step << 4 | type);
		return;
	}
	put_byte(thrift, type);
	put(thrift, thrift_zigzag(id));
}

void thrift_bool(struct thrift *thrift, int id, bool value)
{
	put_field(thrift, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i8(struct thrift *thrift, int id, int8_t value)
{
	put_field(thrift, id, THRIFT_I8);
	put_byte(thrift, (uint8_t)value);
}

void thrift_i32(struct thrift *thrift, int id, int32_t value)
{
	put_field(thrift, id, THRIFT_I32);
	put(thrift, thrift_zigzag(value));
}

void thrift_i64(struct thrift *thrift, int id, int64_t value)
{
	put_field(thrift, id, THRIFT_I64);
	put(thrift, thrift_zigzag(value));
}

void thrift_binary(struct thrift *thrift, int id, const void *data, size_t size)
{
	put_field(thrift, id, THRIFT_BINARY);
	put_binary(thrift, data, size);
}

void thrift_begin(struct thrift *thrift, int id)
{
	put_field(thrift, id, THRIFT_STRUCT);
	thrift_element_begin(thrift);
}

void thrift_end(struct thrift *thrift)
{
	put_byte(thrift, 0);
	thrift->depth--;
}

void thrift_list(struct thrift *thrift, int id, enum thrift_type type,
		 size_t nr)
{
	put_field(thrift, id, THRIFT_LIST);
	if (nr < 15) {
		put_byte(thrift, (unsigned int)nr << 4 | type);
		return;
	}
	put_byte(thrift, 0xf0 | type);
	put(thrift, nr);
}

void thrift_element_i32(struct thrift *thrift, int32_t value)
{
	put(thrift, thrift_zigzag(value));
}

void thrift_element_binary(struct thrift *thrift, const void *data, size_t size)
{
	put_binary(thrift, data, size);
}

void thrift_element_begin(struct thrift *thrift)
{
	thrift->last[++thrift->depth] = 0;
}
