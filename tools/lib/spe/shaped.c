// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "shaped.h"

#include <string.h>

#define RARE                                                             \
	(PMSCOPE_HAS_PA | PMSCOPE_HAS_PREVIOUS | PMSCOPE_HAS_ALT_ISSUE | \
	 PMSCOPE_HAS_COUNTER)

static inline uint64_t shaped(const struct shape *s, const uint8_t *record,
			      enum record_slot slot)
{
	return load_payload(record + s->at[slot]) & s->mask[slot];
}

/*
 * Writes the record at @record (file offset @offset) to row @i of the batch.
 * @rare: some shapes have packets that few CPUs or programs produce.
 */
static inline void shape_put(const struct pmscope_batch *b, size_t i,
			     const struct shape *s, const uint8_t *record,
			     uint64_t offset, bool brief, bool rare)
{
	b->has[i] = brief ? s->has & BRIEF : s->has;
	b->pc[i] = shaped(s, record, SLOT_PC);
	b->timestamp[i] = shaped(s, record, SLOT_TIMESTAMP);
	b->events[i] = shaped(s, record, SLOT_EVENTS);
	b->context_el1[i] = shaped(s, record, SLOT_CONTEXT_EL1);
	b->context_el2[i] = shaped(s, record, SLOT_CONTEXT_EL2);
	b->total[i] = shaped(s, record, SLOT_TOTAL);
	b->source[i] = shaped(s, record, SLOT_SOURCE);
	if (brief)
		return;
	b->offset[i] = offset;
	b->target[i] = shaped(s, record, SLOT_TARGET);
	b->va[i] = shaped(s, record, SLOT_VA);
	b->issue[i] = shaped(s, record, SLOT_ISSUE);
	b->translate[i] = shaped(s, record, SLOT_TRANSLATE);
	b->op_class[i] = s->class;
	b->op[i] = shaped(s, record, SLOT_OPERATION);
	if (!rare)
		return;
	b->pa[i] = shaped(s, record, SLOT_PA);
	b->previous[i] = shaped(s, record, SLOT_PREVIOUS);
	b->alt_issue[i] = shaped(s, record, SLOT_ALT_ISSUE);
	b->counter[i] = shaped(s, record, SLOT_COUNTER) | s->counter;
}

/* Clears columns that none of the rows from @first on uses. */
static void rare_clear(struct pmscope_batch *b, size_t first)
{
	size_t nr = b->count - first;

	memset(b->previous + first, 0, nr * sizeof(*b->previous));
	memset(b->alt_issue + first, 0, nr * sizeof(*b->alt_issue));
	memset(b->counter + first, 0, nr * sizeof(*b->counter));
}

static void pa_clear(struct pmscope_batch *b, size_t first)
{
	memset(b->pa + first, 0, (b->count - first) * sizeof(*b->pa));
}

/* Records that begin here or later are not compared with shapes. */
static size_t shaped_end(const struct decoder *d, size_t limit)
{
	size_t end = d->len < SHAPE_ROOM ? 0 : d->len - SHAPE_ROOM + 1;

	return end < limit ? end : limit;
}

/* Takes consecutive records of known shapes. */
static inline bool take_each_shaped(struct decoder *d, struct shapes *shapes,
				    size_t limit, bool brief, bool rare)
{
	const struct pmscope_batch b = *d->batch;
	const uint8_t *buf = d->buf;
	size_t end = shaped_end(d, limit);
	size_t i = b.count, at = d->start;
	uint64_t unknown = 0;
	const struct shape *s = NULL;

	while (i < b.capacity && at < end) {
		s = shapes_find(shapes, buf + at);
		if (!s)
			break;
		shape_put(&b, i++, s, buf + at, d->offset + at, brief, rare);
		unknown += s->unknown;
		at += s->length;
		if (!buf[at])
			at = zeros_end(buf, d->len, at);
	}
	d->batch->count = i;
	d->start = at;
	d->stats->unknown += unknown;
	d->stats->records += i - b.count;
	return s;
}

/* Returns false at a record without a shape. */
static bool take_all_shaped(struct decoder *d, struct shapes *shapes,
			    size_t limit)
{
	size_t before = d->batch->count;
	bool found;

	if (is_brief(d))
		return take_each_shaped(d, shapes, limit, true, false);
	if (shapes->has & RARE)
		return take_each_shaped(d, shapes, limit, false, true);
	found = take_each_shaped(d, shapes, limit, false, false);
	rare_clear(d->batch, before);
	pa_clear(d->batch, before);
	return found;
}

bool take_shaped(struct decoder *d, struct shapes *shapes, size_t limit)
{
	struct pmscope_batch *b = d->batch;
	size_t before = b->count;
	bool found = true;

	while (found && b->count < b->capacity && d->start < limit)
		found = take_all_shaped(d, shapes, limit);
	if (!found && has_shape_room(d))
		shapes_credit(shapes, b->count - before);
	return found;
}
