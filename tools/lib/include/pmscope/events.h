/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Events of a sampled operation: the bits of an SPE Events packet. */
#ifndef PMSCOPE_EVENTS_H
#define PMSCOPE_EVENTS_H

#include <pmscope/api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pmscope_event {
	PMSCOPE_EVENT_EXCEPTION_GEN = 0,
	PMSCOPE_EVENT_RETIRED = 1,
	PMSCOPE_EVENT_L1D_ACCESS = 2,
	PMSCOPE_EVENT_L1D_REFILL = 3,
	PMSCOPE_EVENT_TLB_ACCESS = 4,
	PMSCOPE_EVENT_TLB_REFILL = 5,
	PMSCOPE_EVENT_NOT_TAKEN = 6,
	PMSCOPE_EVENT_MISPRED = 7,
	PMSCOPE_EVENT_LLC_ACCESS = 8,
	PMSCOPE_EVENT_LLC_REFILL = 9,
	PMSCOPE_EVENT_REMOTE_ACCESS = 10,
	PMSCOPE_EVENT_ALIGNMENT = 11,
	PMSCOPE_EVENT_TXN = 16,
	PMSCOPE_EVENT_SVE_PARTIAL_PRED = 17,
	PMSCOPE_EVENT_SVE_EMPTY_PRED = 18,
	PMSCOPE_EVENT_L2D_ACCESS = 19,
	PMSCOPE_EVENT_L2D_MISS = 20,
	PMSCOPE_EVENT_HITM = 21,
	PMSCOPE_EVENT_LFB = 22,
	PMSCOPE_EVENT_SNOOPED = 23,
	PMSCOPE_EVENT_STREAMING_SVE = 24,
	PMSCOPE_EVENT_SMCU = 25,
};

#define PMSCOPE_EVENT_BIT(name) (UINT64_C(1) << PMSCOPE_EVENT_##name)

/**
 * pmscope_event_name() - the word perf has for an event
 * @bit: 0 to 63
 * @midr: MIDR_EL1 of the CPU, for its IMPLEMENTATION DEFINED events; 0 when
 *	  not known
 *
 * Return: a constant string, or NULL for a bit without a name.
 */
PMSCOPE_API const char *pmscope_event_name(unsigned int bit, uint64_t midr);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_EVENTS_H */
