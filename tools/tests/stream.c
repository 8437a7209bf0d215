// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream.h"
#include "random.h"

#include <pmscope/packet.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SHAPES 64

/* One with two bytes of header although its index is below 8. */
static void put_extended(struct bytes *b, uint64_t *state)
{
	put(b, 0x20, 1);
	put_packet(b, PMSCOPE_PACKET_COUNTER, random_below(state, 8), 2,
		   random_next(state));
}

static void put_alignment(struct bytes *b, uint64_t *state)
{
	put(b, 0x20 | random_below(state, 4), 2);
}

void put_any_packet(struct bytes *b, uint64_t *state)
{
	uint64_t value = random_next(state);

	switch (random_below(state, 16)) {
	case 0 ... 1:
		put_packet(b, PMSCOPE_PACKET_EVENTS, 0,
			   1 << random_below(state, 4), value);
		break;
	case 2:
		put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0,
			   1 << random_below(state, 4), value);
		break;
	case 3 ... 4:
		put_packet(b, PMSCOPE_PACKET_CONTEXT, random_below(state, 4), 4,
			   value);
		break;
	case 5 ... 6:
		put_packet(b, PMSCOPE_PACKET_OPERATION, random_below(state, 4),
			   1, value);
		break;
	case 7 ... 10:
		put_packet(b, PMSCOPE_PACKET_ADDRESS, random_below(state, 5), 8,
			   value);
		break;
	case 11 ... 12:
		put_packet(b, PMSCOPE_PACKET_COUNTER, random_below(state, 5), 2,
			   value);
		break;
	case 13:
		put_packet(b, PMSCOPE_PACKET_ADDRESS, random_below(state, 32),
			   8, value);
		break;
	case 14:
		put_packet(b, PMSCOPE_PACKET_COUNTER, random_below(state, 32),
			   2, value);
		break;
	case 15:
		put_extended(b, state);
		break;
	}
}

static void put_closing(struct bytes *b, uint64_t *state)
{
	if (random_below(state, 4))
		put_timestamp(b, random_next(state));
	else
		put(b, 1, 1); /* END */
}

void put_any_record(struct bytes *b, uint64_t *state)
{
	for (unsigned int n = random_below(state, 14); n; n--) {
		if (!random_below(state, 4))
			put_zeros(b, random_below(state, 12));
		if (!random_below(state, 64))
			put_alignment(b, state);
		put_any_packet(b, state);
	}
	put_closing(b, state);
	if (!random_below(state, 4))
		put_zeros(b, random_below(state, 40));
}

/* The same packets at the same places each time; the payloads are new. */
void put_shaped_record(struct bytes *b, uint64_t *state, unsigned int shapes)
{
	uint64_t layout = 1 + random_below(state, shapes);
	size_t start = b->size;
	struct bytes record = {};
	struct pmscope_packet packet;

	layout *= UINT64_C(0x9e3779b97f4a7c15);
	for (unsigned int n = 3 + random_below(&layout, 8); n; n--) {
		put_any_packet(&record, &layout);
		put_zeros(&record, random_below(&layout, 3));
	}
	put_closing(&record, &layout);
	bytes_add(b, record.data, record.size);
	for (size_t at = start; at < b->size; at += packet.length) {
		if (pmscope_packet_decode(b->data + at, b->size - at, at,
					  &packet) <= 0)
			break;
		for (size_t i = at + packet.header;
		     packet.payload && i < at + packet.length; i++)
			b->data[i] = random_next(state) >> 56;
	}
	bytes_fini(&record);
}

void put_stream(struct bytes *b, uint64_t *state, size_t size)
{
	size_t end = b->size + size;
	unsigned int shapes = 1 + random_below(state, MAX_SHAPES);

	while (b->size < end)
		for (unsigned int n = random_below(state, 200); n; n--) {
			if (random_below(state, 8))
				put_shaped_record(b, state, shapes);
			else
				put_any_record(b, state);
		}
}

void corrupt(struct bytes *b, uint64_t *state, unsigned int count)
{
	while (b->size && count--)
		b->data[random_below(state, b->size)] =
			random_next(state) >> 56;
}

uint64_t stream_seed(uint64_t otherwise)
{
	const char *given = getenv("PMSCOPE_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : otherwise;

	printf("# PMSCOPE_SEED=%" PRIu64 "\n", seed);
	return seed ? seed : 1;
}
