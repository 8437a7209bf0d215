// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "wide.h"

static enum wide limit = WIDE_AVX512;

#ifdef __x86_64__

static enum wide processor_kind(void)
{
	if (__builtin_cpu_supports("avx512vbmi") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vl"))
		return WIDE_AVX512;
	return __builtin_cpu_supports("avx2") ? WIDE_AVX2 : WIDE_NONE;
}

void wide_take(struct decoder *d, const struct shapes *shapes, size_t end)
{
	if (wide_kind() == WIDE_AVX512)
		wide_take_avx512(d, shapes, end);
	else
		wide_take_avx2(d, shapes, end);
}

#else

static enum wide processor_kind(void)
{
	return WIDE_NONE;
}

void wide_take(struct decoder *d, const struct shapes *shapes, size_t end)
{
	(void)d;
	(void)shapes;
	(void)end;
}

#endif /* __x86_64__ */

enum wide wide_kind(void)
{
	enum wide kind = processor_kind();

	return kind < limit ? kind : limit;
}

void wide_at_most(enum wide most)
{
	limit = most;
}
