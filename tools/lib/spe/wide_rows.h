/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * How records are taken eight at a time, whatever the processor. For inclusion
 * behind what depends on it:
 *
 * WIDE, WIDE_INLINE: attributes of functions that are for it
 * struct wide_row: 64 bytes from the start of a record
 * struct wide_rows: some records; the batch b, its row first is for the first
 * row_load(), row_fits(): of the record and a shape
 * row_bytes(): a bit for each byte of a row that is no 0
 * rows_keep(): record n of some
 * rows_put(): to columns; of those that are brief fewer
 */
#include "wide.h"

/*
 * Prefetch distance in bytes: at this pace the processor does not prefetch
 * early enough, nor data that is decoded only after the rows were read.
 */
#define AHEAD 3072

/* Fields that are not in a row go straight to columns. */
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
 * Mostly the next record is as far as it was before: so the processor may
 * assume, and need not wait until it knows the shape of one to look at the
 * next. The compiler would have it wait: it must neither know that the two are
 * the same nor choose between them without a jump.
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

/* Of the record at @record: enum pmscope_has bits, and where shape.h says. */
static inline uint64_t settled_of(const struct decoder *d,
				  const struct row_shape *s,
				  const uint8_t *record, bool brief)
{
	uint64_t op = record[s->op_at] & s->op_mask;

	return brief ? s->settled & d->has : s->settled | op << OP_BIT;
}

/* The next records, up to eight; how many. */
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

	/* Do not clear all of it: often only a few records are decoded. */
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

/* If there is padding after the first record, there is after others, too. */
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
