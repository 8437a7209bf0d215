// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/causes.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
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

static bool is_remote(uint64_t events, uint32_t from)
{
	bool remote = events & PMSCOPE_EVENT_BIT(REMOTE_ACCESS);

	return from & PMSCOPE_SOURCE_MEMORY
		       ? remote || from & PMSCOPE_SOURCE_REMOTE
		       : !from && remote &&
				 events & PMSCOPE_EVENT_BIT(LLC_REFILL);
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
	if (is_remote(events, from))
		return CAUSE_REMOTE;
	if (is_memory(events, from))
		return CAUSE_MEMORY;
	if (is_far_cache(events, from))
		return CAUSE_CACHE;
	if (events & PMSCOPE_EVENT_BIT(TLB_REFILL))
		return CAUSE_TLB;
	return events & PMSCOPE_EVENT_BIT(MISPRED) ? CAUSE_BRANCH : CAUSE_NONE;
}

enum row_cause row_cause_translated(const struct row_kind *kind)
{
	struct row_kind hit = *kind;

	hit.events &= ~PMSCOPE_EVENT_BIT(TLB_REFILL);
	return row_cause_of(&hit);
}

enum row_cause row_cause_with(enum row_cause cause, unsigned int op_class,
			      uint8_t op)
{
	uint32_t flags = pmscope_operation_flags(op_class, op);

	/* The half that stores has no source. */
	if ((cause == CAUSE_NONE || cause == CAUSE_SHARING ||
	     cause == CAUSE_CACHE) &&
	    flags & PMSCOPE_OP_ATOMIC)
		return CAUSE_ATOMIC;
	if (cause != CAUSE_NONE)
		return cause;
	if (op_class == PMSCOPE_OPERATION_OTHER)
		return CAUSE_ARITHMETIC;
	return flags & PMSCOPE_OP_STORE ? CAUSE_STORE : CAUSE_NONE;
}

struct row_wait *row_waits_get(struct row_waits **waits, enum row_cause cause)
{
	struct row_waits *w = *waits;

	if (!w || !w->of[cause]) {
		size_t nr = w ? w->nr : 0;

		w = realloc(w, sizeof(*w) + (nr + 1) * sizeof(w->all[0]));
		if (!w)
			return NULL;
		if (!nr)
			*w = (struct row_waits){};
		w->all[nr] = (struct row_wait){};
		w->of[cause] = w->nr = nr + 1;
		*waits = w;
	}
	return &w->all[w->of[cause] - 1];
}

int row_waits_join(struct row_waits **to, const struct row_waits *from)
{
	for (int i = 0; i < NR_CAUSES; i++) {
		const struct row_wait *x = row_waits_at(from, i);
		struct row_wait *sum = x ? row_waits_get(to, i) : NULL;

		if (x && !sum)
			return -ENOMEM;
		if (x)
			row_wait_join(sum, x);
	}
	return 0;
}

void row_needs_join(struct row_needs *to, const struct row_needs *from)
{
	for (int i = 0; i < NR_NEEDS; i++)
		for (int k = 0; k < NEED_CYCLES; k++)
			to->nr[i][k] += from->nr[i][k];
}

/*
 * If all of them wait, the low percentile waits, too: no CPU needs more than
 * @most. Of a few that are quick, more wait for them.
 */
unsigned int row_need(const struct row_needs *needs, enum row_need need)
{
	static const struct {
		unsigned int percent;
		unsigned int most;
		unsigned int none; /* without such an operation */
	} of[NR_NEEDS] = {
		[NEED_ACCESS] = {10, NEED_CYCLES, 4},
		[NEED_ATOMIC] = {10, 8, 0},
		[NEED_STORE] = {10, 20, 0},
		[NEED_ARITHMETIC] = {10, 4, 0},
		[NEED_TRANSLATE] = {10, 4, 1},
		[NEED_ISSUE] = {1, 8, 0},
	};
	uint64_t all = 0, seen = 0;
	unsigned int cycles = 0;

	for (int i = 0; i < NEED_CYCLES; i++)
		all += needs->nr[need][i];
	if (!all)
		return of[need].none;
	for (; cycles < of[need].most; cycles++) {
		seen += needs->nr[need][cycles];
		if (100 * seen >= of[need].percent * all)
			break;
	}
	return cycles;
}
