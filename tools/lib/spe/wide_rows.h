/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The part of wide.h that is the same for all vector extensions. Include it
 * after these definitions for one extension:
 *
 * WIDE, WIDE_INLINE: function attributes
 * struct wide_row: the first 64 bytes of a record
 * struct wide_rows: up to eight records; the first goes to row first of batch b
 * row_load(): loads a record
 * row_fits(): compares it with a shape
 * row_bytes(): a mask of the nonzero bytes of a row
 * rows_keep(): converts a record to row n
 * rows_put(): writes the rows to the columns, to fewer if brief
 */
#include "wide.h"

/*
 * Prefetch distance in bytes: at this pace the processor does not prefetch
 * early enough, nor data that is decoded only after the rows were read.
 */
#define AHEAD 3072

/* Writes fields that are not in the row directly to their columns. */
WIDE_INLINE void rows_settle(struct wide_rows *rows, size_t n, uint64_t settled,
			     uint64_t at, bool brief)
{
	const struct pmscope_batch *b = &rows->b;
	size_t i = rows->first + n;

	b->has[i] = settled;
	if (brief)
		return;
	b->offset[i] = at;
	b->op_class[i] = settled >> CLASS_BIT;
	b->op[i] = settled >> OP_BIT;
}

/*
 * The distance from the record in @row to the next one, without padding after
 * the row.
 */
WIDE_INLINE size_t row_distance(const struct wide_row *row,
				const struct row_shape *s)
{
	uint64_t behind = row_bytes(row) >> (s->length - 1) >> 1;

	return behind ? s->length + __builtin_ctzll(behind) : ROW_BYTES;
}

/*
 * The distance to the next record rarely changes. A predicted branch lets the
 * processor load the next record before it knows the shape of this one. The asm
 * statements keep the compiler from using @distance directly or with a
 * conditional move, which would wait for it.
 */
static inline size_t guess_distance(size_t before, size_t distance)
{
	size_t guess = before;

	asm("" : "+r"(guess));
	if (__builtin_expect(distance != before, 0)) {
		guess = distance;
		asm volatile("" : "+r"(guess));
	}
	return guess;
}

/* row_shape.settled of @record, with the operation at OP_BIT. */
static inline uint64_t settled_of(const struct decoder *d,
				  const struct row_shape *s,
				  const uint8_t *record, bool brief)
{
	uint64_t op = record[s->op_at] & s->op_mask;

	return brief ? s->settled & d->has : s->settled | op << OP_BIT;
}

/* Takes up to eight records; returns how many. */
WIDE_INLINE size_t rows_take(struct wide_rows *rows, struct decoder *d,
			     const struct shapes *shapes, size_t end,
			     size_t *distance, bool brief, bool padded)
{
	size_t at = d->start, n;

	for (n = 0; n < WIDE_ROWS && at < end; n++) {
		const uint8_t *record = d->buf + at;
		const struct row_shape *s =
			&shapes->rows[shapes_guess(shapes, record)];
		struct wide_row row = row_load(record);

		__builtin_prefetch(record + AHEAD);
		if (!row_fits(&row, s))
			break;
		rows_keep(rows, n, &row, s);
		rows_settle(rows, n, settled_of(d, s, record, brief),
			    d->offset + at, brief);
		*distance = guess_distance(
			*distance, padded ? row_distance(&row, s) : s->length);
		at += *distance;
		if (!d->buf[at])
			at = zeros_end(d->buf, d->len, at);
	}
	d->start = at;
	return n;
}

WIDE_INLINE void take_all(struct decoder *d, const struct shapes *shapes,
			  size_t end, bool brief, bool padded)
{
	size_t distance = 0, n = WIDE_ROWS;
	struct decoder next = *d;
	struct wide_rows rows;

	/* Do not clear it: often only a few records are decoded. */
	rows.b = *d->batch;
	rows.first = d->batch->count;
	while (n == WIDE_ROWS && rows.first + WIDE_ROWS <= rows.b.capacity) {
		n = rows_take(&rows, &next, shapes, end, &distance, brief,
			      padded);
		if (n)
			rows_put(&rows, brief);
		rows.first += n;
	}
	d->start = next.start;
	d->batch->count = rows.first;
}

/* Is there padding after the first record? Then assume it after all. */
static bool is_padded(const struct decoder *d, const struct shapes *shapes)
{
	const uint8_t *record = d->buf + d->start;

	return !record[shapes->rows[shapes_guess(shapes, record)].length];
}

WIDE_INLINE void take(struct decoder *d, const struct shapes *shapes,
		      size_t end)
{
	bool padded = d->start < end && is_padded(d, shapes);

	if (is_brief(d) && padded)
		take_all(d, shapes, end, true, true);
	else if (is_brief(d))
		take_all(d, shapes, end, true, false);
	else if (padded)
		take_all(d, shapes, end, false, true);
	else
		take_all(d, shapes, end, false, false);
}
