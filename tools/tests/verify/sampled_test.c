// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts of SPE from records that are made here, right and wrong. */
#include "verify/verify.h"
#include "base/names.h"
#include "ktap.h"

#include <pmscope/events.h>

#define BODY	    0x400000
#define NR_INSNS    66
#define PER_INSN    90
#define CLASS_OTHER 0
#define CLASS_LDST  1
#define CLASS_BR    2

static struct pmscope_batch *batch;

static void add(uint64_t pc, uint8_t op_class, uint8_t op, uint64_t events)
{
	size_t i = batch->count++;

	batch->has[i] = PMSCOPE_HAS_SOURCE | PMSCOPE_HAS_EVENTS |
			PMSCOPE_HAS_OPERATION | PMSCOPE_HAS_PC;
	batch->pc[i] = pc | UINT64_C(1) << 63;
	batch->op_class[i] = op_class;
	batch->op[i] = op;
	batch->events[i] = events;
	batch->source[i] = 0;
	batch->total[i] = 0;
}

/* @times samples of the @insn-th instruction, whose PC is @shift too high */
static void add_insn(size_t insn, size_t times, size_t shift)
{
	static const struct {
		uint8_t op_class, op;
		uint64_t events;
	} kinds[] = {{CLASS_LDST, 0, 0},
		     {CLASS_OTHER, 0, 0},
		     {CLASS_LDST, 1, 0},
		     {CLASS_BR, 1, PMSCOPE_EVENT_BIT(NOT_TAKEN)}};
	size_t kind = insn < 64 ? MIX_ORDER[insn % 16] - '0' : 1;
	uint64_t pc = BODY + 4 * ((insn + shift) % NR_INSNS);

	while (times--)
		if (insn == 65)
			add(pc, CLASS_BR, 1, 0);
		else
			add(pc, kinds[kind].op_class, kinds[kind].op,
			    kinds[kind].events);
}

BEFORE_EACH(batch = batch ?: pmscope_batch_new(100000); batch->count = 0)

/* Loop samples where each @skipped-th instruction's go to the next one. */
static struct mixed mixed(size_t skipped, size_t shift)
{
	struct mixed mixed;

	for (size_t i = 0; i < NR_INSNS; i++) {
		bool passes = skipped && i % skipped == 0;
		bool takes = skipped && (i + NR_INSNS - 1) % skipped == 0;

		add_insn(i,
			 passes	 ? 0
			 : takes ? 2 * PER_INSN
				 : PER_INSN,
			 shift);
	}
	mixed_of(&mixed, batch, BODY);
	return mixed;
}

TEST(a_sampler_that_is_right)
{
	struct mixed m = mixed(0, 0);
	struct measured of;

	EXPECT_EQ(m.nr, NR_INSNS * PER_INSN);
	EXPECT_EQ(m.misplaced, 0);
	EXPECT_EQ(judge_mix(batch, &of).verdict, VERDICT_EXACT);
	EXPECT_EQ(judge_places(&m, &of).verdict, VERDICT_EXACT);
	EXPECT_EQ(judge_bias(&m, &of).verdict, VERDICT_EXACT);
	EXPECT_EQ(judge_not_taken(batch, &of).verdict, VERDICT_EXACT);
	EXPECT_EQ(of.counted, 16 * PER_INSN);
}

TEST(skid)
{
	for (int shift = 1; shift < 16; shift++) {
		struct mixed m = mixed(0, shift);
		struct measured of;

		EXPECT_EQ(m.shift, shift);
		EXPECT_EQ(judge_places(&m, &of).verdict, VERDICT_SOMETHING);
		EXPECT_EQ(judge_mix(batch, &of).verdict, VERDICT_EXACT);
		batch->count = 0;
	}
}

TEST(some_instructions_are_never_sampled)
{
	for (size_t each = 2; each < 64; each++) {
		struct mixed m = mixed(each, 0);
		struct measured of;

		EXPECT_EQ(judge_bias(&m, &of).verdict, VERDICT_SOMETHING);
		EXPECT_EQ(judge_places(&m, &of).verdict, VERDICT_EXACT);
		batch->count = 0;
	}
}

TEST(some_kinds_are_sampled_more)
{
	struct measured of;

	mixed(0, 0);
	add_insn(0, 16 * PER_INSN, 0);
	EXPECT_EQ(judge_mix(batch, &of).verdict, VERDICT_SOMETHING);
}

/* By the incomplete gamma function: a millionth is above these. */
TEST(chi_square_limits)
{
	EXPECT_TRUE(fabs(chi_square_limit(3) / 30.665 - 1.04) < 0.04);
	EXPECT_TRUE(fabs(chi_square_limit(60) / 127.096 - 1.04) < 0.04);
}

TEST(nothing_is_sampled)
{
	struct mixed m;
	struct measured of;

	mixed_of(&m, batch, BODY);
	EXPECT_TRUE(judge_mix(batch, &of).verdict != VERDICT_EXACT);
	EXPECT_TRUE(judge_places(&m, &of).verdict != VERDICT_EXACT);
	EXPECT_TRUE(judge_bias(&m, &of).verdict != VERDICT_EXACT);
}

TEST(loads_of_a_loop)
{
	static const struct loop misses = {
		.body = (const char *)BODY,
		.region = RING_2,
		.per = {[INSTRUCTIONS] = 10,
			[L1_MISSES] = 8,
			[WALKS] = UNKNOWN},
	};
	struct of_loads l;

	for (int i = 0; i < 100; i++) {
		add(BODY, CLASS_LDST, 0, PMSCOPE_EVENT_BIT(L1D_REFILL));
		batch->total[i] = i;
		batch->source[i] = i < 90 ? 8 : 0;
	}
	add(BODY, CLASS_LDST, 1, 0);
	add(BODY + 40, CLASS_LDST, 0, 0); /* behind the loop */
	see_loads(&l, 0, batch, &misses, MIDR_NEOVERSE_N1, true);
	EXPECT_EQ(l.refills[0].counted, 100);
	EXPECT_EQ(l.refills[0].expected, 100);
	EXPECT_TRUE(l.refills[0].known && !l.walks[0].known &&
		    l.source[0].known);
	EXPECT_EQ(l.source[0].counted, 90);
	EXPECT_EQ(l.latency[0], 49.5);
	see_loads(&l, 0, batch, &misses, 0x12345, true);
	EXPECT_TRUE(!l.source[0].known);
}
