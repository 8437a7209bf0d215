// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "wide.h"

#if defined(__aarch64__) && defined(__AARCH64EL__)

#include <arm_neon.h>

#define WIDE
#define WIDE_INLINE __attribute__((always_inline)) static inline

struct wide_row {
	uint8x16x4_t bytes;
};

/* The first quarters (two words each) of all rows, then the second, ... */
struct wide_rows {
	struct pmscope_batch b;
	size_t first;
	uint64x2_t quarter[ROW_QUARTERS][WIDE_ROWS];
};

WIDE_INLINE struct wide_row row_load(const uint8_t *record)
{
	return (struct wide_row){vld1q_u8_x4(record)};
}

WIDE_INLINE bool row_fits(const struct wide_row *row,
			  const struct row_shape *shape)
{
	uint8x16_t differ = vdupq_n_u8(0);

#pragma GCC unroll 4
	for (int i = 0; i < ROW_QUARTERS; i++)
		differ |=
			(row->bytes.val[i] & vld1q_u8(shape->bytes + 16 * i)) ^
			vld1q_u8(shape->fixed + 16 * i);
	return !vmaxvq_u32(vreinterpretq_u32_u8(differ));
}

/* Each byte becomes one bit; pairwise sums collect eight bits in a byte. */
WIDE_INLINE uint64_t row_bytes(const struct wide_row *row)
{
	const uint8x16_t bit =
		vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
	uint8x16_t is[ROW_QUARTERS];

#pragma GCC unroll 4
	for (int i = 0; i < ROW_QUARTERS; i++)
		is[i] = vtstq_u8(row->bytes.val[i], row->bytes.val[i]) & bit;
	is[0] = vpaddq_u8(vpaddq_u8(is[0], is[1]), vpaddq_u8(is[2], is[3]));
	is[0] = vpaddq_u8(is[0], is[0]);
	return vgetq_lane_u64(vreinterpretq_u64_u8(is[0]), 0);
}

WIDE_INLINE void rows_keep(struct wide_rows *rows, size_t n,
			   const struct wide_row *row,
			   const struct row_shape *shape)
{
#pragma GCC unroll 4
	for (int i = 0; i < ROW_QUARTERS; i++)
		rows->quarter[i][n] = vreinterpretq_u64_u8(
			vqtbl4q_u8(row->bytes, vld1q_u8(shape->from + 16 * i)));
}

/* put_even() and put_odd() store the even or odd words of eight rows. */
WIDE_INLINE void put_even(uint64_t *column, const uint64x2_t *quarter)
{
#pragma GCC unroll 4
	for (int i = 0; i < WIDE_ROWS; i += 2)
		vst1q_u64(column + i, vtrn1q_u64(quarter[i], quarter[i + 1]));
}

WIDE_INLINE void put_odd(uint64_t *column, const uint64x2_t *quarter)
{
#pragma GCC unroll 4
	for (int i = 0; i < WIDE_ROWS; i += 2)
		vst1q_u64(column + i, vtrn2q_u64(quarter[i], quarter[i + 1]));
}

/* Stores the lower and upper halves of the even words. */
WIDE_INLINE void put_contexts(uint32_t *lower, uint32_t *upper,
			      const uint64x2_t *quarter)
{
#pragma GCC unroll 2
	for (int i = 0; i < WIDE_ROWS; i += 4) {
		uint32x4_t a = vreinterpretq_u32_u64(
			vtrn1q_u64(quarter[i], quarter[i + 1]));
		uint32x4_t b = vreinterpretq_u32_u64(
			vtrn1q_u64(quarter[i + 2], quarter[i + 3]));

		vst1q_u32(lower + i, vuzp1q_u32(a, b));
		vst1q_u32(upper + i, vuzp2q_u32(a, b));
	}
}

/* Stores the quarters of the odd words. */
WIDE_INLINE void put_halves(const struct pmscope_batch *b, size_t i,
			    const uint64x2_t *quarter, bool brief)
{
	uint16x8_t words[WIDE_ROWS / 2], even[2], odd[2];

#pragma GCC unroll 4
	for (int j = 0; j < WIDE_ROWS / 2; j++)
		words[j] = vreinterpretq_u16_u64(
			vtrn2q_u64(quarter[2 * j], quarter[2 * j + 1]));
#pragma GCC unroll 2
	for (int j = 0; j < 2; j++) {
		even[j] = vuzp1q_u16(words[2 * j], words[2 * j + 1]);
		odd[j] = vuzp2q_u16(words[2 * j], words[2 * j + 1]);
	}
	vst1q_u16(b->total + i, vuzp1q_u16(even[0], even[1]));
	vst1q_u16(b->source + i, vuzp2q_u16(odd[0], odd[1]));
	if (brief)
		return;
	vst1q_u16(b->issue + i, vuzp1q_u16(odd[0], odd[1]));
	vst1q_u16(b->translate + i, vuzp2q_u16(even[0], even[1]));
}

WIDE_INLINE void rows_put(const struct wide_rows *rows, bool brief)
{
	const struct pmscope_batch *b = &rows->b;
	size_t i = rows->first;

	_Static_assert(WORD_CONTEXTS % 2 == 0 && WORD_HALVES % 2, "see above");
	put_even(b->pc + i, rows->quarter[WORD_PC / 2]);
	put_even(b->timestamp + i, rows->quarter[WORD_TIMESTAMP / 2]);
	put_odd(b->events + i, rows->quarter[WORD_EVENTS / 2]);
	put_contexts(b->context_el1 + i, b->context_el2 + i,
		     rows->quarter[WORD_CONTEXTS / 2]);
	put_halves(b, i, rows->quarter[WORD_HALVES / 2], brief);
	if (brief)
		return;
	put_odd(b->target + i, rows->quarter[WORD_TARGET / 2]);
	put_even(b->va + i, rows->quarter[WORD_VA / 2]);
	put_odd(b->pa + i, rows->quarter[WORD_PA / 2]);
}

#include "wide_rows.h"

void wide_take_neon(struct decoder *d, const struct shapes *shapes, size_t end)
{
	take(d, shapes, end);
}

#endif /* __aarch64__ */
