// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "wide.h"

static enum wide limit = NR_WIDE - 1;

static wide_take_fn *const takes[NR_WIDE] = {
#if defined(__x86_64__)
	[WIDE_AVX2] = wide_take_avx2,
#elif defined(__aarch64__) && defined(__AARCH64EL__)
	[WIDE_NEON] = wide_take_neon,
#endif
};

static enum wide processor_kind(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
		       ? WIDE_AVX2
		       : WIDE_NONE;
#else
	return NR_WIDE - 1; /* all processors have it */
#endif
}

enum wide wide_kind(void)
{
	enum wide kind = processor_kind();

	return kind < limit ? kind : limit;
}

void wide_at_most(enum wide most)
{
	limit = most;
}

void wide_take(struct decoder *d, const struct shapes *shapes, size_t end)
{
	takes[wide_kind()](d, shapes, end);
}
