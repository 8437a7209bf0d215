// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "shape.h"

#include <pmscope/packet.h>

/*
 * How far records without a shape may outnumber those with one, before the
 * search is given up.
 */
#define CREDIT 32

void shapes_init(struct shapes *shapes)
{
	shapes->nr = 0;
	shapes->credit = CREDIT;
}

void shapes_credit(struct shapes *shapes, size_t found)
{
	if (found > CREDIT)
		found = CREDIT;
	shapes->credit += (int)found - 2;
	if (shapes->credit > CREDIT)
		shapes->credit = CREDIT;
}

/* A packet whose length depends on nothing but its header. */
static bool is_plain(const struct pmscope_packet *packet)
{
	return packet->type != PMSCOPE_PACKET_NONE &&
	       packet->type != PMSCOPE_PACKET_ALIGNMENT;
}

static void learn_payload(struct shape *shape, const uint8_t *record, size_t at,
			  const struct pmscope_packet *packet)
{
	const struct header *h = &spe_headers[record[at + packet->header - 1]];

	if (h->unknown || packet->index > 7 || h->kind > HEADER_TIMESTAMP) {
		shape->unknown += h->unknown || packet->index > 7;
		return;
	}
	shape->at[h->slot] = at + packet->header;
	shape->mask[h->slot] = UINT64_MAX >> h->shift;
	if (h->slot == SLOT_OPERATION)
		shape->class = packet->index;
}

static void learn_fixed(struct shape *shape, const uint8_t *record, size_t at,
			const struct pmscope_packet *packet)
{
	size_t n = packet->type == PMSCOPE_PACKET_PAD ? packet->length
						      : packet->header;

	memcpy((uint8_t *)shape->fixed + at, record + at, n);
	memset((uint8_t *)shape->bytes + at, 0xff, n);
}

static bool learn(struct shape *shape, const uint8_t *record, size_t length)
{
	struct pmscope_packet packet;

	for (size_t at = 0; at < length; at += packet.length) {
		if (pmscope_packet_decode(record + at, length - at, at,
					  &packet) <= 0 ||
		    !is_plain(&packet))
			return false;
		learn_fixed(shape, record, at, &packet);
		learn_payload(shape, record, at, &packet);
	}
	return true;
}

void shapes_learn(struct shapes *shapes, const uint8_t *record, size_t length,
		  uint32_t has)
{
	struct shape *shape = &shapes->shapes[shapes->nr];

	if (shapes->nr == NR_SHAPES || length > SHAPE_BYTES)
		return;
	*shape = (struct shape){.has = has, .length = length};
	if (!learn(shape, record, length))
		return;
	shapes->order[shapes->nr] = shapes->nr;
	shapes->nr++;
}
