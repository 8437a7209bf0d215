// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "wide.h"

#ifdef __x86_64__

#include <immintrin.h>

#define WIDE	    __attribute__((target("avx2,bmi")))
#define WIDE_INLINE WIDE __attribute__((always_inline)) static inline

#define HALVES 2 /* per row, of four words each */

struct wide_row {
	__m256i half[HALVES];
	const uint8_t *record;
};

/* The first halves of all rows, then the second halves. */
struct wide_rows {
	struct pmscope_batch b;
	size_t first;
	__m256i half[HALVES][WIDE_ROWS];
};

WIDE_INLINE __m256i load(const uint8_t *bytes)
{
	return _mm256_loadu_si256((const void *)bytes);
}

WIDE_INLINE struct wide_row row_load(const uint8_t *record)
{
	return (struct wide_row){{load(record), load(record + 32)}, record};
}

WIDE_INLINE bool row_fits(const struct wide_row *row,
			  const struct row_shape *shape)
{
	__m256i differ[HALVES];

#pragma GCC unroll 2
	for (int i = 0; i < HALVES; i++)
		differ[i] = (row->half[i] & load(shape->bytes + 32 * i)) ^
			    load(shape->fixed + 32 * i);
	differ[0] |= differ[1];
	return _mm256_testz_si256(differ[0], differ[0]);
}

WIDE_INLINE uint32_t zeros(__m256i bytes)
{
	return _mm256_movemask_epi8(
		_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
}

WIDE_INLINE uint64_t row_bytes(const struct wide_row *row)
{
	return ~(zeros(row->half[0]) | (uint64_t)zeros(row->half[1]) << 32);
}

/* Moves the bytes of each quarter of the record to their places in the row. */
WIDE_INLINE void rows_keep(struct wide_rows *rows, size_t n,
			   const struct wide_row *row,
			   const struct row_shape *shape)
{
	__m256i half[HALVES] = {};

#pragma GCC unroll 4
	for (int i = 0; i < ROW_QUARTERS; i++) {
		__m256i quarter = _mm256_broadcastsi128_si256(
			_mm_loadu_si128((const void *)(row->record + 16 * i)));

#pragma GCC unroll 2
		for (int j = 0; j < HALVES; j++)
			half[j] |= _mm256_shuffle_epi8(
				quarter, load(shape->quarter[i] + 32 * j));
	}
#pragma GCC unroll 2
	for (int j = 0; j < HALVES; j++)
		rows->half[j][n] = half[j];
}

/* Loads quarters of two rows, one into each lane. */
WIDE_INLINE __m256i lanes(const __m128i *lower, const __m128i *upper)
{
	return _mm256_inserti128_si256(
		_mm256_castsi128_si256(_mm_load_si128(lower)),
		_mm_load_si128(upper), 1);
}

/* Transposes: word i of half row j becomes word j of vector i. */
WIDE_INLINE void halves_turn(const __m256i *half, __m256i *words)
{
	const __m128i *quarter = (const void *)half;

#pragma GCC unroll 2
	for (int i = 0; i < 2; i++) {
		__m256i a = lanes(quarter + i, quarter + 4 + i);
		__m256i b = lanes(quarter + 2 + i, quarter + 6 + i);

		words[2 * i] = _mm256_unpacklo_epi64(a, b);
		words[2 * i + 1] = _mm256_unpackhi_epi64(a, b);
	}
}

WIDE_INLINE void put_64(uint64_t *column, __m256i words)
{
	_mm256_storeu_si256((void *)column, words);
}

/* Stores the lower and upper halves of words. */
WIDE_INLINE void put_32(uint32_t *lower, uint32_t *upper, __m256i words)
{
	__m128 a = (__m128)_mm256_castsi256_si128(words);
	__m128 b = (__m128)_mm256_extracti128_si256(words, 1);

	_mm_storeu_ps((float *)lower, _mm_shuffle_ps(a, b, 0x88));
	_mm_storeu_ps((float *)upper, _mm_shuffle_ps(a, b, 0xdd));
}

/* Four entries of a column, at any entry. */
typedef double column_part __attribute__((aligned(2), may_alias));

WIDE_INLINE void put_part(uint16_t *column, double part)
{
	*(column_part *)column = part;
}

/* Stores the quarters of words, lowest first; only the outer two if brief. */
WIDE_INLINE void put_16(uint16_t *const *columns, size_t i, __m256i words,
			bool brief)
{
	/* Transposes within pairs of words, then across all four. */
	const __m256i pairs = _mm256_broadcastsi128_si256(_mm_setr_epi8(
		0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
	__m256i turned = _mm256_shuffle_epi8(words, pairs);
	__m128i a = _mm256_castsi256_si128(turned);
	__m128i b = _mm256_extracti128_si256(turned, 1);
	__m128d lower = (__m128d)_mm_unpacklo_epi32(a, b);
	__m128d upper = (__m128d)_mm_unpackhi_epi32(a, b);

	put_part(columns[0] + i, lower[0]);
	put_part(columns[3] + i, upper[1]);
	if (brief)
		return;
	put_part(columns[1] + i, lower[1]);
	put_part(columns[2] + i, upper[0]);
}

/* Stores rows @n to @n + 3. */
WIDE_INLINE void rows_put_four(const struct wide_rows *rows, size_t n,
			       bool brief)
{
	const struct pmscope_batch *b = &rows->b;
	uint16_t *const halves[] = {b->total, b->issue, b->translate,
				    b->source};
	__m256i words[WIDE_ROWS];
	size_t i = rows->first + n;

	halves_turn(rows->half[0] + n, words);
	halves_turn(rows->half[1] + n, words + 4);
	put_64(b->pc + i, words[WORD_PC]);
	put_64(b->timestamp + i, words[WORD_TIMESTAMP]);
	put_64(b->events + i, words[WORD_EVENTS]);
	put_32(b->context_el1 + i, b->context_el2 + i, words[WORD_CONTEXTS]);
	put_16(halves, i, words[WORD_HALVES], brief);
	if (brief)
		return;
	put_64(b->target + i, words[WORD_TARGET]);
	put_64(b->va + i, words[WORD_VA]);
	put_64(b->pa + i, words[WORD_PA]);
}

WIDE_INLINE void rows_put(const struct wide_rows *rows, bool brief)
{
	rows_put_four(rows, 0, brief);
	rows_put_four(rows, WIDE_ROWS / 2, brief);
}

#include "wide_rows.h"

WIDE void wide_take_avx2(struct decoder *d, const struct shapes *shapes,
			 size_t end)
{
	take(d, shapes, end);
}

#endif /* __x86_64__ */
