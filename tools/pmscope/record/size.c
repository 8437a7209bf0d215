// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/size.h"

#define RECORD_BYTES 64
/* More operations than any CPU executes per second. */
#define OPERATIONS (UINT64_C(6) << 30)
/* The time, ms, that we may be late; the kernel wakes us at half a buffer. */
#define LATE_MS 50
#define LARGEST (UINT64_C(64) << 20)
/*
 * Use at most this share of memory for all buffers: it is kernel memory and
 * cannot be swapped.
 */
#define MEMORY_SHARE 16

uint64_t record_aux_size(uint64_t period, uint64_t cpus, uint64_t memory)
{
	uint64_t rate = OPERATIONS / (period ? period : 1) * RECORD_BYTES;
	uint64_t wanted = 2 * (rate / 1000 * LATE_MS), size = AUX_SIZE_MIN;

	while (size < wanted && size < LARGEST)
		size *= 2;
	while (size > AUX_SIZE_MIN &&
	       size > memory / MEMORY_SHARE / (cpus ? cpus : 1))
		size /= 2;
	return size;
}
