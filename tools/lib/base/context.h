/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The thread that a record names in its Context packet. */
#pragma once

#include <pmscope/recording.h>

/*
 * CONTEXTIDR holds the thread if the kernel writes it
 * (CONFIG_PID_IN_CONTEXTIDR), at EL2 for a host with VHE.
 */
static inline uint32_t context_tid(const struct pmscope_batch *batch,
				   size_t row)
{
	uint32_t has = batch->has[row];

	if (has & PMSCOPE_HAS_CONTEXT_EL2)
		return batch->context_el2[row];
	if (has & PMSCOPE_HAS_CONTEXT_EL1)
		return batch->context_el1[row];
	return PMSCOPE_NO_ID;
}
