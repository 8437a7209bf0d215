// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "wide.h"

/* Where a row has the payload of a slot, and room for how many bytes of it. */
static const struct {
	uint8_t at, width;
} places[NR_SLOTS] = {
	[SLOT_PC] = {8 * WORD_PC, 8},
	[SLOT_TARGET] = {8 * WORD_TARGET, 8},
	[SLOT_VA] = {8 * WORD_VA, 8},
	[SLOT_PA] = {8 * WORD_PA, 8},
	[SLOT_TIMESTAMP] = {8 * WORD_TIMESTAMP, 8},
	[SLOT_EVENTS] = {8 * WORD_EVENTS, 8},
	[SLOT_CONTEXT_EL1] = {8 * WORD_CONTEXTS, 4},
	[SLOT_CONTEXT_EL2] = {8 * WORD_CONTEXTS + 4, 4},
	[SLOT_TOTAL] = {8 * WORD_HALVES, 2},
	[SLOT_ISSUE] = {8 * WORD_HALVES + 2, 2},
	[SLOT_TRANSLATE] = {8 * WORD_HALVES + 4, 2},
	[SLOT_SOURCE] = {8 * WORD_HALVES + 6, 2},
};

/* What rows have no place for is rare, or needs to be counted. */
static bool is_wide(const struct shape *shape)
{
	return shape->length <= ROW_BYTES && !shape->unknown &&
	       !shape->mask[SLOT_PREVIOUS] && !shape->mask[SLOT_ALT_ISSUE] &&
	       wide_kind() != WIDE_NONE;
}

static void row_keep(struct row_shape *row, unsigned int to, unsigned int from)
{
	row->from[to] = from;
	row->quarter[from / 16][to] = from % 16;
}

static void row_learn(struct row_shape *row, const struct shape *shape)
{
	memset(row->from, NOT_KEPT, sizeof(row->from));
	memset(row->quarter, NOT_KEPT, sizeof(row->quarter));
	for (unsigned int slot = 0; slot < NR_SLOTS; slot++) {
		unsigned int at = places[slot].at;

		for (unsigned int i = 0; i < places[slot].width; i++) {
			if (!(shape->mask[slot] >> 8 * i))
				break;
			row_keep(row, at + i, shape->at[slot] + i);
		}
	}
}

bool row_shape_learn(struct row_shape *row, const struct shape *shape)
{
	*row = (struct row_shape){.fixed = {0xff}};
	if (!is_wide(shape))
		return false;
	memcpy(row->fixed, shape->fixed, ROW_BYTES);
	memcpy(row->bytes, shape->bytes, ROW_BYTES);
	row->settled = shape->has | (uint64_t)shape->class << CLASS_BIT;
	row->op_at = shape->at[SLOT_OPERATION];
	row->op_mask = shape->mask[SLOT_OPERATION];
	row->length = shape->length;
	row_learn(row, shape);
	return true;
}
