/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all steps of a row do: put their text, find their value, go on. */
#ifndef PMSCOPE_SCRIPT_STEP_H
#define PMSCOPE_SCRIPT_STEP_H

#include "script/row.h"

#define HOT	 static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

static inline char *text_put(char *p, const struct step *step)
{
	memcpy(p, step->text, STEP_SHORT);
	return p + step->length;
}

static inline char *next_put(char *p, const struct step *step, struct row *row,
			     size_t at)
{
	return step[1].put(p, step + 1, row, at);
}

/* Where the value of a step is, one of @width bytes. */
static inline const void *member(const struct row *row, const struct step *step,
				 size_t at, size_t width)
{
	const char *batch = (const char *)&row->batch;

	return *(const char *const *)(batch + step->at) + at * width;
}

static inline uint64_t member_64(const struct row *row, const struct step *step,
				 size_t at)
{
	return *(const uint64_t *)member(row, step, at, 8);
}

static inline uint32_t member_32(const struct row *row, const struct step *step,
				 size_t at)
{
	return *(const uint32_t *)member(row, step, at, 4);
}

static inline uint16_t member_16(const struct row *row, const struct step *step,
				 size_t at)
{
	return *(const uint16_t *)member(row, step, at, 2);
}

#endif /* PMSCOPE_SCRIPT_STEP_H */
