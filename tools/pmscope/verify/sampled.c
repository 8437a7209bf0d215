// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify/verify.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

#define NR_INSNS  (MIX_KINDS * MIX_TIMES + 2)
#define SHIFT_MAX 15

/* Wilson and Hilferty: the cube root is nearly normal, a little above. */
double chi_square_limit(unsigned int freedom)
{
	double v = 2 / (9.0 * freedom);

	return freedom * pow(1 - v + 4.753 * sqrt(v), 3);
}

/* 0 to 3: load, other, store, branch, as they follow each other in the loop */
static unsigned int kind_of(const struct pmscope_batch *batch, size_t row)
{
	uint32_t flags =
		pmscope_operation_flags(batch->op_class[row], batch->op[row]);

	return flags & PMSCOPE_OP_BRANCH  ? 3
	       : flags & PMSCOPE_OP_STORE ? 2
	       : flags & PMSCOPE_OP_LOAD  ? 0
					  : 1;
}

/* SUBS and B.NE end the loop. */
static unsigned int kind_at(size_t insn)
{
	return insn < NR_INSNS - 2 ? MIX_ORDER[insn % 16] - '0'
	       : insn % 2	   ? 3
				   : 1;
}

static int64_t insn_of(const struct pmscope_batch *batch, size_t row,
		       uint64_t body)
{
	int64_t offset = pmscope_code_address(batch->pc[row]) - body;

	return offset < 0 || offset >= 4 * NR_INSNS ? -1 : offset / 4;
}

static uint64_t count_misplaced(const struct pmscope_batch *batch,
				uint64_t body, int shift)
{
	uint64_t misplaced = 0;

	for (size_t i = 0; i < batch->count; i++) {
		int64_t insn = insn_of(batch, i, body);

		if (insn >= 0)
			misplaced += kind_at((insn + NR_INSNS - shift) %
					     NR_INSNS) != kind_of(batch, i);
	}
	return misplaced;
}

void mixed_of(struct mixed *mixed, const struct pmscope_batch *batch,
	      uint64_t body)
{
	uint64_t least;

	memset(mixed, 0, sizeof(*mixed));
	for (size_t i = 0; i < batch->count; i++) {
		int64_t insn = insn_of(batch, i, body);

		if (insn < 0) {
			mixed->outside++;
			continue;
		}
		mixed->at[insn]++;
		mixed->nr++;
	}
	mixed->misplaced = least = count_misplaced(batch, body, 0);
	for (int shift = 1; shift <= SHIFT_MAX; shift++) {
		uint64_t others = count_misplaced(batch, body, shift);

		if (others < least / 4) {
			mixed->shift = shift;
			least = others;
		}
	}
}

/*
 * @m: the item that is farthest from what is due. What a CPU fuses or splits
 * makes that no accident, but not wrong.
 */
static struct judged judge_shares(const uint64_t *count, const double *due,
				  size_t nr, unsigned int freedom,
				  double margin, struct measured *m)
{
	double chi_square = 0, worst = -1;
	struct judged j;

	*m = (struct measured){.known = true};
	for (size_t i = 0; i < nr; i++) {
		double off = fabs(count[i] - due[i]);

		if (due[i] <= 0)
			continue;
		chi_square += off * off / due[i];
		if (off / due[i] <= worst)
			continue;
		worst = off / due[i];
		m->expected = due[i];
		m->counted = count[i];
	}
	j = verdict_of(m, 1, margin);
	if (chi_square <= chi_square_limit(freedom) && m->expected > 0)
		j.verdict = VERDICT_EXACT;
	else if (j.verdict == VERDICT_DEAD)
		j.verdict = VERDICT_SOMETHING;
	return j;
}

struct judged judge_mix(const struct pmscope_batch *batch, struct measured *m)
{
	static const double insns[MIX_KINDS] = {16, 17, 16, 17};
	uint64_t of_kind[MIX_KINDS] = {};
	double due[MIX_KINDS];

	for (size_t i = 0; i < batch->count; i++)
		of_kind[kind_of(batch, i)]++;
	for (size_t k = 0; k < MIX_KINDS; k++)
		due[k] = batch->count * insns[k] / NR_INSNS;
	return judge_shares(of_kind, due, MIX_KINDS, MIX_KINDS - 1, 0.3, m);
}

struct judged judge_places(const struct mixed *mixed, struct measured *m)
{
	*m = (struct measured){
		.expected = mixed->nr + mixed->outside,
		.counted = mixed->nr - mixed->misplaced,
		.known = true,
	};
	/* A few are of what starts and ends the loop. */
	return verdict_of(m, 1, 0.05);
}

struct judged judge_bias(const struct mixed *mixed, struct measured *m)
{
	size_t nr = MIX_KINDS * MIX_TIMES;
	double due[MIX_KINDS * MIX_TIMES], of_kind[MIX_KINDS] = {};

	for (size_t i = 0; i < nr; i++)
		of_kind[kind_at(i)] += mixed->at[i];
	for (size_t i = 0; i < nr; i++)
		due[i] = of_kind[kind_at(i)] / MIX_TIMES;
	return judge_shares(mixed->at, due, nr, nr - MIX_KINDS, 0.5, m);
}

struct judged judge_not_taken(const struct pmscope_batch *batch,
			      struct measured *m)
{
	double last = 1.0 / (MIX_TIMES + 1);

	*m = (struct measured){.known = true};
	for (size_t i = 0; i < batch->count; i++) {
		m->expected += (kind_of(batch, i) == 3) * (1 - last);
		m->counted +=
			!!(batch->events[i] & PMSCOPE_EVENT_BIT(NOT_TAKEN));
	}
	return verdict_of(m, 1, 0.1);
}

static bool is_from(const struct pmscope_batch *batch, size_t row,
		    uint64_t midr, enum region region)
{
	union perf_mem_data_src src = {
		.val = pmscope_data_src(batch, row, midr, 0)};

	switch (region) {
	case RING_P:
		return pmscope_source_is_peer(batch, row, midr);
	case RING_M:
		return pmscope_source_flags(midr, batch->source[row]) &
		       (PMSCOPE_SOURCE_MEMORY | PMSCOPE_SOURCE_REMOTE);
	case RING_2:
		return src.mem_lvl_num == PERF_MEM_LVLNUM_L2;
	default:
		return src.mem_lvl_num == PERF_MEM_LVLNUM_L1;
	}
}

void see_loads(struct of_loads *l, size_t at, const struct pmscope_batch *batch,
	       const struct loop *loop, uint64_t midr, bool misses)
{
	uint64_t body = (uintptr_t)loop->body, loads = 0, cycles = 0;
	uint64_t refills = 0, walks = 0, source = 0;

	for (size_t i = 0; i < batch->count; i++) {
		uint64_t events = batch->events[i];

		/* Others prepare the loop. */
		if (kind_of(batch, i) ||
		    pmscope_code_address(batch->pc[i]) - body >=
			    4 * loop->per[INSTRUCTIONS])
			continue;
		loads++;
		cycles += batch->total[i];
		refills += !!(events & PMSCOPE_EVENT_BIT(L1D_REFILL));
		walks += !!(events & PMSCOPE_EVENT_BIT(TLB_REFILL));
		source += is_from(batch, i, midr, loop->region);
	}
	l->latency[at] = loads ? (double)cycles / loads : 0;
	l->refills[at] = (struct measured){
		.known = loop->per[L1_MISSES] >= 0,
		.expected = loop->per[L1_MISSES] > 0 ? loads : 0,
		.counted = refills,
		.instructions = loads,
	};
	l->walks[at] = (struct measured){
		.known = loop->per[WALKS] >= 0,
		.expected = loop->per[WALKS] > 0 ? loads : 0,
		.counted = walks,
		.instructions = loads,
	};
	l->source[at] = (struct measured){
		.known = loop->region != PAGES &&
			 (loop->region != RING_M || misses) &&
			 pmscope_source_name(midr, 0),
		.expected = loads,
		.counted = source,
	};
}
