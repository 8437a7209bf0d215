// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "wide.h"

#ifdef __x86_64__

#include <immintrin.h>

#define CAN	    "avx512f,avx512bw,avx512vl,avx512vbmi,bmi"
#define WIDE	    __attribute__((target(CAN)))
#define WIDE_INLINE WIDE __attribute__((always_inline)) static inline

/*
 * Bytes ahead of a record that are asked for: at this pace the processor does
 * not fetch them early enough by itself, nor at all what is decoded only when
 * the rows of these were looked at.
 */
#define AHEAD 3072

/* Some records: their rows, what is not in these, and their places. */
struct rows {
	__m512i row[WIDE_ROWS];
	__m512i settled;
	__m512i at;
};

WIDE_INLINE bool row_fits(__m512i row, const struct row_shape *shape)
{
	__m512i fixed = row & _mm512_loadu_si512(shape->bytes);

	return !_mm512_cmpneq_epi64_mask(fixed,
					 _mm512_loadu_si512(shape->fixed));
}

WIDE_INLINE __m512i row_put_in_order(__m512i row, const struct row_shape *shape)
{
	return _mm512_maskz_permutexvar_epi8(
		shape->kept, _mm512_loadu_si512(shape->from), row);
}

/* Word i of row j becomes word j of vector i; no loops: all in registers. */
WIDE_INLINE void rows_turn(const __m512i *row, __m512i *words)
{
	__m512i a[WIDE_ROWS], b[WIDE_ROWS];

	/* Words of two rows: 0 and 0, 2 and 2 ...; 1 and 1, 3 and 3 ... */
#pragma GCC unroll 4
	for (int i = 0; i < WIDE_ROWS; i += 2) {
		a[i] = _mm512_unpacklo_epi64(row[i], row[i + 1]);
		a[i + 1] = _mm512_unpackhi_epi64(row[i], row[i + 1]);
	}
	/* Of four rows: words 0 and 4, or 2 and 6; the same plus 1. */
#pragma GCC unroll 2
	for (int i = 0; i < 2; i++) {
		b[i] = _mm512_shuffle_i64x2(a[i], a[i + 2], 0x88);
		b[i + 2] = _mm512_shuffle_i64x2(a[i], a[i + 2], 0xdd);
		b[i + 4] = _mm512_shuffle_i64x2(a[i + 4], a[i + 6], 0x88);
		b[i + 6] = _mm512_shuffle_i64x2(a[i + 4], a[i + 6], 0xdd);
	}
#pragma GCC unroll 4
	for (int i = 0; i < WIDE_ROWS / 2; i++) {
		words[i] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0x88);
		words[i + 4] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0xdd);
	}
}

/* Words to a column, or their bits from @shift on to one of less. */
WIDE_INLINE void put_64(uint64_t *column, __m512i words)
{
	_mm512_storeu_si512(column, words);
}

WIDE_INLINE void put_32(uint32_t *column, __m512i words, unsigned int shift)
{
	words = _mm512_srli_epi64(words, shift);
	_mm256_storeu_si256((void *)column, _mm512_cvtepi64_epi32(words));
}

WIDE_INLINE void put_16(uint16_t *column, __m512i words, unsigned int shift)
{
	words = _mm512_srli_epi64(words, shift);
	_mm_storeu_si128((void *)column, _mm512_cvtepi64_epi16(words));
}

WIDE_INLINE void put_8(uint8_t *column, __m512i words, unsigned int shift)
{
	words = _mm512_srli_epi64(words, shift);
	_mm_storel_epi64((void *)column, _mm512_cvtepi64_epi8(words));
}

WIDE_INLINE void rows_put(struct rows *rows, const struct pmscope_batch *b,
			  size_t i, bool brief)
{
	__m512i words[WIDE_ROWS], settled = rows->settled;

	rows_turn(rows->row, words);
	put_32(b->has + i, settled, 0);
	put_64(b->pc + i, words[WORD_PC]);
	put_64(b->timestamp + i, words[WORD_TIMESTAMP]);
	put_64(b->events + i, words[WORD_EVENTS]);
	put_32(b->context_el1 + i, words[WORD_CONTEXTS], 0);
	put_32(b->context_el2 + i, words[WORD_CONTEXTS], 32);
	put_16(b->total + i, words[WORD_HALVES], 0);
	put_16(b->source + i, words[WORD_HALVES], 48);
	if (brief)
		return;
	put_64(b->offset + i, rows->at);
	put_64(b->target + i, words[WORD_TARGET]);
	put_64(b->va + i, words[WORD_VA]);
	put_64(b->pa + i, words[WORD_PA]);
	put_16(b->issue + i, words[WORD_HALVES], 16);
	put_16(b->translate + i, words[WORD_HALVES], 32);
	put_8(b->op_class + i, settled, CLASS_BIT);
	put_8(b->op + i, settled, OP_BIT);
}

/* From the record in @row to the next one, but for padding behind the row. */
WIDE_INLINE size_t row_distance(__m512i row, const struct row_shape *s)
{
	uint64_t behind = _mm512_test_epi8_mask(row, row) >> (s->length - 1);
	size_t distance = s->length + _tzcnt_u64(behind >> 1);

	return distance < ROW_BYTES ? distance : ROW_BYTES;
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

/*
 * Word @n: in memory, eight words would have to be there before they are read
 * as one, behind all that is on its way to columns.
 */
WIDE_INLINE __m512i word_put(__m512i words, size_t n, uint64_t word)
{
	return _mm512_mask_set1_epi64(words, 1 << n, word);
}

/* What is not in the row, at @at in the trace. */
WIDE_INLINE void settle(struct rows *rows, size_t n, const struct row_shape *s,
			const uint8_t *record, uint64_t at)
{
	uint64_t op = record[s->op_at] & s->op_mask;

	rows->settled = word_put(rows->settled, n, s->settled | op << OP_BIT);
	rows->at = word_put(rows->at, n, at);
}

/* The next records, up to eight; how many. */
WIDE_INLINE size_t rows_take(struct rows *rows, struct decoder *d,
			     const struct shapes *shapes, size_t end,
			     size_t *distance, bool brief, bool padded)
{
	size_t at = d->start, n;

	for (n = 0; n < WIDE_ROWS && at < end; n++) {
		const uint8_t *record = d->buf + at;
		const struct row_shape *s =
			&shapes->rows[shapes_guess(shapes, record)];
		__m512i row = _mm512_loadu_si512(record);

		_mm_prefetch((const char *)record + AHEAD, _MM_HINT_T0);
		if (!row_fits(row, s))
			break;
		rows->row[n] = row_put_in_order(row, s);
		if (brief)
			rows->settled =
				word_put(rows->settled, n, s->settled & d->has);
		else
			settle(rows, n, s, record, d->offset + at);
		*distance = guess_distance(
			*distance, padded ? row_distance(row, s) : s->length);
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
	const struct pmscope_batch b = *d->batch;
	size_t row = b.count, distance = 0, n = WIDE_ROWS;
	struct decoder next = *d;
	struct rows rows = {};

	while (n == WIDE_ROWS && row + WIDE_ROWS <= b.capacity) {
		n = rows_take(&rows, &next, shapes, end, &distance, brief,
			      padded);
		if (n)
			rows_put(&rows, &b, row, brief);
		row += n;
	}
	d->start = next.start;
	d->batch->count = row;
}

/* Is there padding behind the first record? So there is behind others. */
static bool is_padded(const struct decoder *d, const struct shapes *shapes)
{
	const uint8_t *record = d->buf + d->start;

	return !record[shapes->rows[shapes_guess(shapes, record)].length];
}

WIDE void wide_take(struct decoder *d, const struct shapes *shapes, size_t end)
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

#else

void wide_take(struct decoder *d, const struct shapes *shapes, size_t end)
{
	(void)d;
	(void)shapes;
	(void)end;
}

#endif /* __x86_64__ */
