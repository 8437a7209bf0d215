/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What holds for an address holds around it, as far as these have not seen. */
#ifndef PMSCOPE_BASE_AROUND_H
#define PMSCOPE_BASE_AROUND_H

#include <pmscope/recording.h>

/* No more than @bytes before the address. */
static inline void around_begins(struct pmscope_around *around, uint64_t bytes)
{
	if (around && bytes < around->before)
		around->before = bytes;
}

/* No more than @bytes behind it. */
static inline void around_ends(struct pmscope_around *around, uint64_t bytes)
{
	if (around && bytes < around->behind)
		around->behind = bytes;
}

#endif /* PMSCOPE_BASE_AROUND_H */
