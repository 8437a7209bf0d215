// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "shape.h"

#include <pmscope/packet.h>

/*
 * The search pauses when records without a shape outnumber those with one by
 * this.
 */
#define CREDIT 32
#define PAUSE  16 /* batches without a search */

void shapes_init(struct shapes *shapes)
{
	shapes->nr = 0;
	shapes->has = 0;
	shapes->credit = CREDIT;
	shapes->chosen = false;
	memset(shapes->word, 0, sizeof(shapes->word));
	memset(shapes->mask, 0, sizeof(shapes->mask));
	memset(shapes->guess, 0, sizeof(shapes->guess));
}

void shapes_credit(struct shapes *shapes, size_t found)
{
	if (found > CREDIT)
		found = CREDIT;
	shapes->credit += (int)found - 2;
	if (shapes->credit > CREDIT)
		shapes->credit = CREDIT;
	if (shapes->credit <= 0)
		shapes->credit = -PAUSE;
}

/* Does the length of the packet depend only on its header? */
static bool is_plain(const struct pmscope_packet *packet)
{
	return packet->type != PMSCOPE_PACKET_NONE &&
	       packet->type != PMSCOPE_PACKET_ALIGNMENT;
}

static void learn_payload(struct shape *shape, const uint8_t *record, size_t at,
			  const struct pmscope_packet *packet)
{
	const struct header *h = &spe_headers[record[at + packet->header - 1]];

	if (h->kind > HEADER_TIMESTAMP)
		return;
	shape->unknown += h->unknown || packet->index > 7;
	if (packet->type == PMSCOPE_PACKET_COUNTER &&
	    (h->unknown || packet->index > 7)) {
		shape->at[SLOT_COUNTER] = at + packet->header;
		shape->mask[SLOT_COUNTER] = UINT16_MAX;
		shape->counter = packet->index << 16;
	}
	if (h->unknown || packet->index > 7)
		return;
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

/* The mask of bytes in a word that are fixed in all shapes. */
static uint64_t common_mask(const struct shapes *shapes, unsigned int word)
{
	uint64_t mask = UINT64_MAX;

	for (unsigned int i = 0; i < shapes->nr; i++)
		mask &= shapes->shapes[i].bytes[word];
	return mask;
}

static bool differ(const struct shapes *shapes, unsigned int word,
		   uint64_t mask, unsigned int i, unsigned int j)
{
	return (shapes->shapes[i].fixed[word] ^ shapes->shapes[j].fixed[word]) &
	       mask;
}

/*
 * Counts pairs of shapes that @word distinguishes but the first word does not.
 */
static unsigned int pairs_of_word(const struct shapes *shapes,
				  unsigned int word)
{
	uint64_t mask = common_mask(shapes, word);
	unsigned int pairs = 0;

	for (unsigned int i = 0; i < shapes->nr; i++)
		for (unsigned int j = 0; j < i; j++)
			pairs += differ(shapes, word, mask, i, j) &&
				 !differ(shapes, shapes->word[0] / 8,
					 shapes->mask[0], i, j);
	return pairs;
}

/*
 * The operation distinguishes many shapes, too, for example loads and stores,
 * if it is at the same place in all of them.
 */
static void choose_operation(struct shapes *shapes)
{
	unsigned int at = shapes->shapes[0].at[SLOT_OPERATION];

	for (unsigned int i = 0; i < shapes->nr; i++)
		if (shapes->shapes[i].at[SLOT_OPERATION] != at)
			return;
	for (unsigned int i = 0; i < 2; i++)
		if (shapes->word[i] / 8 == at / 8)
			((uint8_t *)&shapes->mask[i])[at % 8] = 0xff;
}

static void choose_words(struct shapes *shapes)
{
	unsigned int left = shapes->nr * (shapes->nr - 1) / 2;

	memset(shapes->mask, 0, sizeof(shapes->mask));
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int best = 0, most = 0;

		for (unsigned int word = 0; word < SHAPE_WORDS; word++) {
			unsigned int pairs = pairs_of_word(shapes, word);

			best = pairs > most ? word : best;
			most = pairs > most ? pairs : most;
		}
		shapes->word[i] = 8 * best;
		shapes->mask[i] = common_mask(shapes, best);
		left -= most;
	}
	if (left)
		choose_operation(shapes);
	shapes->chosen = true;
}

void shapes_learn(struct shapes *shapes, const uint8_t *record, size_t length,
		  uint32_t has)
{
	struct shape *shape = &shapes->shapes[shapes->nr];

	if (length > SHAPE_BYTES)
		return;
	*shape = (struct shape){.has = has, .length = length};
	if (!learn(shape, record, length))
		return;
	shapes->nr++;
	shapes->has |= has;
	shapes->chosen = false;
}

const struct shape *shapes_search(struct shapes *shapes, const uint8_t *record)
{
	for (unsigned int i = 0; i < shapes->nr; i++) {
		if (!shape_fits(&shapes->shapes[i], record))
			continue;
		if (!shapes->chosen)
			choose_words(shapes);
		shapes->guess[shapes_hash(shapes, record)] = i;
		return &shapes->shapes[i];
	}
	return NULL;
}
