// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Names of the bits of an Events packet. */
#include "events.h"

#include "base/midr.h"

#define NAME(name)                     \
	{                              \
		name, sizeof(name) - 1 \
	}

static const struct event_name architected[64] = {
	[PMSCOPE_EVENT_EXCEPTION_GEN] = NAME("EXCEPTION-GEN"),
	[PMSCOPE_EVENT_RETIRED] = NAME("RETIRED"),
	[PMSCOPE_EVENT_L1D_ACCESS] = NAME("L1D-ACCESS"),
	[PMSCOPE_EVENT_L1D_REFILL] = NAME("L1D-REFILL"),
	[PMSCOPE_EVENT_TLB_ACCESS] = NAME("TLB-ACCESS"),
	[PMSCOPE_EVENT_TLB_REFILL] = NAME("TLB-REFILL"),
	[PMSCOPE_EVENT_NOT_TAKEN] = NAME("NOT-TAKEN"),
	[PMSCOPE_EVENT_MISPRED] = NAME("MISPRED"),
	[PMSCOPE_EVENT_LLC_ACCESS] = NAME("LLC-ACCESS"),
	[PMSCOPE_EVENT_LLC_REFILL] = NAME("LLC-REFILL"),
	[PMSCOPE_EVENT_REMOTE_ACCESS] = NAME("REMOTE-ACCESS"),
	[PMSCOPE_EVENT_ALIGNMENT] = NAME("ALIGNMENT"),
	[PMSCOPE_EVENT_TXN] = NAME("TXN"),
	[PMSCOPE_EVENT_SVE_PARTIAL_PRED] = NAME("SVE-PARTIAL-PRED"),
	[PMSCOPE_EVENT_SVE_EMPTY_PRED] = NAME("SVE-EMPTY-PRED"),
	[PMSCOPE_EVENT_L2D_ACCESS] = NAME("L2D-ACCESS"),
	[PMSCOPE_EVENT_L2D_MISS] = NAME("L2D-MISS"),
	[PMSCOPE_EVENT_HITM] = NAME("HITM"),
	[PMSCOPE_EVENT_LFB] = NAME("LFB"),
	[PMSCOPE_EVENT_SNOOPED] = NAME("SNOOPED"),
	[PMSCOPE_EVENT_STREAMING_SVE] = NAME("STREAMING-SVE"),
	[PMSCOPE_EVENT_SMCU] = NAME("SMCU"),
};

static const struct event_name late_prefetch = NAME("LATE-PREFETCH");

const struct event_name *event_name(unsigned int bit)
{
	return &architected[bit];
}

const struct event_name *event_name_of_cpu(unsigned int bit, uint64_t midr)
{
	if (bit == 12 && midr_model(midr) == MIDR_NEOVERSE_N1)
		return &late_prefetch;
	return NULL;
}

const char *pmscope_event_name(unsigned int bit, uint64_t midr)
{
	const struct event_name *name;

	if (bit > 63)
		return NULL;
	name = event_name_of_cpu(bit, midr);
	if (!name)
		name = event_name(bit);
	return name->length ? name->text : NULL;
}
