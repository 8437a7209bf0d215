// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "wide.h"

#ifdef __x86_64__

#include <immintrin.h>

#define CAN	    "avx512f,avx512bw,avx512vl,avx512vbmi,bmi"
#define WIDE	    __attribute__((target(CAN)))
#define WIDE_INLINE WIDE __attribute__((always_inline)) static inline

struct wide_row {
	__m512i bytes;
};

/* Rows in order, what is not in these, and their places. */
struct wide_rows {
	struct pmscope_batch b;
	size_t first;
	__m512i row[WIDE_ROWS];
	__m512i settled;
	__m512i at;
};

WIDE_INLINE struct wide_row row_load(const uint8_t *record)
{
	return (struct wide_row){_mm512_loadu_si512(record)};
}

WIDE_INLINE bool row_fits(const struct wide_row *row,
			  const struct row_shape *shape)
{
	__m512i fixed = row->bytes & _mm512_loadu_si512(shape->bytes);

	return !_mm512_cmpneq_epi64_mask(fixed,
					 _mm512_loadu_si512(shape->fixed));
}

WIDE_INLINE uint64_t row_bytes(const struct wide_row *row)
{
	return _mm512_test_epi8_mask(row->bytes, row->bytes);
}

#define ROWS_SETTLE

WIDE_INLINE void rows_begin(struct wide_rows *rows)
{
	rows->settled = _mm512_setzero_si512();
	rows->at = _mm512_setzero_si512();
}

WIDE_INLINE void rows_keep(struct wide_rows *rows, size_t n,
			   const struct wide_row *row,
			   const struct row_shape *shape)
{
	rows->row[n] = _mm512_maskz_permutexvar_epi8(
		shape->kept, _mm512_loadu_si512(shape->from), row->bytes);
}

/*
 * Word @n: in memory, eight words would have to be there before they are read
 * as one, behind all that is on its way to columns.
 */
WIDE_INLINE __m512i word_put(__m512i words, size_t n, uint64_t word)
{
	return _mm512_mask_set1_epi64(words, 1 << n, word);
}

WIDE_INLINE void rows_settle(struct wide_rows *rows, size_t n, uint64_t settled,
			     uint64_t at, bool brief)
{
	rows->settled = word_put(rows->settled, n, settled);
	if (!brief)
		rows->at = word_put(rows->at, n, at);
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

WIDE_INLINE void rows_put(const struct wide_rows *rows, bool brief)
{
	const struct pmscope_batch *b = &rows->b;
	__m512i words[WIDE_ROWS], settled = rows->settled;
	size_t i = rows->first;

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

#include "wide_rows.h"

WIDE void wide_take_avx512(struct decoder *d, const struct shapes *shapes,
			   size_t end)
{
	take(d, shapes, end);
}

#endif /* __x86_64__ */
