// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples into rows, a run at a time. Programs loop, so nearly every record is
 * like an earlier one in all that its row follows from: the row is remembered
 * by that, and found again without names.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>

#define MEMO_BITS 15
#define BLOCK	  256 /* records looked up before any is added */

/*
 * A row by what it follows from: a hash so wide that two of them do not meet,
 * in place of the values, so that many fit into the nearest caches.
 */
struct report_memo {
	uint64_t hash;
	uint32_t row;
	uint32_t epoch; /* 0: empty */
};

/* The thread of the newest row, which is nearly always that of the next. */
struct current {
	bool known;
	uint32_t context; /* as the record has it */
	uint32_t pid;
	uint32_t tid;
};

#define HAS_CONTEXT (PMSCOPE_HAS_CONTEXT_EL1 | PMSCOPE_HAS_CONTEXT_EL2)

static uint32_t context_of(const struct pmscope_batch *b, size_t row)
{
	uint32_t has = b->has[row];

	if (has & PMSCOPE_HAS_CONTEXT_EL2)
		return b->context_el2[row];
	return has & PMSCOPE_HAS_CONTEXT_EL1 ? b->context_el1[row]
					     : PMSCOPE_NO_ID;
}

static void current_update(struct current *current, const struct load *load,
			   const struct pmscope_run *run, size_t row)
{
	uint32_t context = context_of(run->batch, row);
	struct pmscope_sample sample;

	if (current->known && current->context == context)
		return;
	pmscope_recording_run_sample(load->recording, run, row, &sample);
	*current = (struct current){true, context, sample.pid, sample.tid};
}

static uint64_t mix_in(uint64_t hash, uint64_t value)
{
	__uint128_t product = (__uint128_t)(hash ^ value) *
			      UINT64_C(0x9e3779b97f4a7c15);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static uint64_t memo_hash(const struct report *r, const struct pmscope_run *run,
			  size_t row, const struct current *current)
{
	const struct pmscope_batch *b = run->batch;
	unsigned int deps = r->deps;
	uint64_t hash = 0;

	if (deps & DEP_CODE)
		hash = mix_in(hash, b->pc[row]);
	if (deps & (DEP_CODE | DEP_THREAD))
		hash = mix_in(hash, deps & DEP_THREAD ? current->tid
						      : current->pid);
	if (deps & DEP_CPU)
		hash = mix_in(hash, run->cpu);
	if (deps & (DEP_OPERATION | DEP_SOURCE | DEP_EVENTS))
		hash = mix_in(hash, b->has[row]);
	if (deps & DEP_OPERATION)
		hash = mix_in(hash, b->op[row] | b->op_class[row] << 8);
	if (deps & DEP_SOURCE)
		hash = mix_in(hash, b->source[row] | run->midr << 16);
	if (deps & DEP_EVENTS)
		hash = mix_in(hash, b->events[row]);
	return hash;
}

/* Finds the row by its names. */
static int memo_fill(struct report *r, const struct load *load,
		     const struct pmscope_run *run, size_t at,
		     struct report_memo *memo)
{
	struct pmscope_sample sample;
	struct report_row *row;
	struct view view;

	pmscope_recording_run_sample(load->recording, run, at, &sample);
	view_fill(&view, &sample, load->recording, load->symbols);
	row = report_row_of(r, &view);
	if (!row)
		return -ENOMEM;
	memo->row = row - r->rows;
	return 0;
}

static int memo_find(struct report *r, const struct load *load,
		     const struct pmscope_run *run, size_t at, uint64_t hash,
		     uint32_t *row)
{
	struct report_memo *memo = &r->memos[hash >> (64 - MEMO_BITS)];
	uint32_t epoch = run->epoch + 1;

	if (memo->hash != hash || memo->epoch != epoch) {
		*memo = (struct report_memo){.hash = hash, .epoch = epoch};
		if (memo_fill(r, load, run, at, memo))
			return -ENOMEM;
	}
	*row = memo->row;
	return 0;
}

static int memos_begin(struct report *r)
{
	if (!r->memos)
		r->memos = calloc((size_t)1 << MEMO_BITS, sizeof(*r->memos));
	return r->memos ? 0 : -ENOMEM;
}

/* In two steps, so that the waits for memory of many records overlap. */
static int add_block(struct report *r, const struct load *load,
		     const struct pmscope_run *run, size_t first, size_t nr,
		     struct current *current)
{
	uint32_t rows[BLOCK];

	for (size_t i = 0; i < nr; i++) {
		current_update(current, load, run, first + i);
		if (memo_find(r, load, run, first + i,
			      memo_hash(r, run, first + i, current), &rows[i]))
			return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		if (report_row_add(r, &r->rows[rows[i]], run->batch, first + i,
				   run->midr))
			return -ENOMEM;
	return 0;
}

int report_add_run(struct report *r, const struct load *load,
		   const struct pmscope_run *run)
{
	struct current current = {};

	if (memos_begin(r))
		return -ENOMEM;
	r->midr = run->midr;
	for (size_t at = run->first; at < run->end; at += BLOCK) {
		size_t nr = run->end - at < BLOCK ? run->end - at : BLOCK;

		if (add_block(r, load, run, at, nr, &current))
			return -ENOMEM;
	}
	return 0;
}
