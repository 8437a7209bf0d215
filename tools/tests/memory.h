/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMSCOPE_TESTS_MEMORY_H
#define PMSCOPE_TESTS_MEMORY_H

#include <malloc.h>

/* Bytes that are not given back, of the heap and beside it. */
static inline size_t memory_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

#endif /* PMSCOPE_TESTS_MEMORY_H */
