/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Scaling of counts if groups were multiplexed. */
#pragma once

#include "base/std.h"

/* From the time @running to @enabled, rounded, as perf stat does. */
static inline uint64_t scaled_count(uint64_t count, uint64_t enabled,
				    uint64_t running)
{
	if (!running || running >= enabled)
		return count;
	return ((unsigned __int128)count * enabled + running / 2) / running;
}
