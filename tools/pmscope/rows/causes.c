// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/causes.h"

#include <pmscope/events.h>
#include <pmscope/source.h>

#define MEMORY (PMSCOPE_SOURCE_MEMORY | PMSCOPE_SOURCE_DEVICE)

static bool is_shared(uint64_t events, uint32_t from)
{
	if (from & PMSCOPE_SOURCE_CACHE && from & PMSCOPE_SOURCE_PEER)
		return true;
	return events & PMSCOPE_EVENT_BIT(SNOOPED) && !(from & MEMORY);
}

/* Without a source that is known, the miss of the last level tells. */
static bool is_memory(uint64_t events, uint32_t from)
{
	return from ? from & MEMORY : events & PMSCOPE_EVENT_BIT(LLC_REFILL);
}

static bool is_far_cache(uint64_t events, uint32_t from)
{
	return events & PMSCOPE_EVENT_BIT(L1D_REFILL) ||
	       (from & PMSCOPE_SOURCE_CACHE && !(from & PMSCOPE_SOURCE_OWN));
}

enum row_cause row_cause_of(const struct row_kind *kind)
{
	uint64_t events = kind->events;
	uint32_t from = 0;

	if (kind->source & KIND_SOURCED)
		from = pmscope_source_flags(kind->source >> 32,
					    kind->source & 0xffff);
	if (is_shared(events, from))
		return CAUSE_SHARING;
	if (is_memory(events, from))
		return CAUSE_MEMORY;
	if (events & PMSCOPE_EVENT_BIT(TLB_REFILL))
		return CAUSE_TLB;
	if (is_far_cache(events, from))
		return CAUSE_CACHE;
	return events & PMSCOPE_EVENT_BIT(MISPRED) ? CAUSE_BRANCH : CAUSE_NONE;
}
