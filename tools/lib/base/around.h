/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Bounds around an address within which a result stays valid. */
#pragma once

#include <pmscope/recording.h>

/* The result is valid for at most @bytes before the address. */
static inline void around_begins(struct pmscope_around *around, uint64_t bytes)
{
	if (around && bytes < around->before)
		around->before = bytes;
}

/* The result is valid for at most @bytes after the address. */
static inline void around_ends(struct pmscope_around *around, uint64_t bytes)
{
	if (around && bytes < around->behind)
		around->behind = bytes;
}
