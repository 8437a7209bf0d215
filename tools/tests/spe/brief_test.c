// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records decoded briefly have what they have otherwise, less some columns; and
 * what report prints does not depend on it.
 */
#include "command.h"

#include <pmscope/record.h>

#define ROWS 50000

static const uint32_t left = PMSCOPE_HAS_PC | PMSCOPE_HAS_TIMESTAMP |
			     PMSCOPE_HAS_EVENTS | PMSCOPE_HAS_CONTEXT_EL1 |
			     PMSCOPE_HAS_CONTEXT_EL2 | PMSCOPE_HAS_TOTAL |
			     PMSCOPE_HAS_SOURCE;

static void expect_row(const struct pmscope_batch *whole,
		       const struct pmscope_batch *brief, size_t row)
{
#define SAME(column) EXPECT_EQ(brief->column[row], whole->column[row])
	EXPECT_EQ(brief->has[row], whole->has[row] & left);
	SAME(pc);
	SAME(timestamp);
	SAME(events);
	SAME(context_el1);
	SAME(context_el2);
	SAME(total);
	SAME(source);
#undef SAME
	EXPECT_EQ(brief->offset[row] | brief->target[row] | brief->va[row] |
			  brief->pa[row] | brief->previous[row] |
			  brief->issue[row] | brief->translate[row] |
			  brief->alt_issue[row] | brief->op_class[row] |
			  brief->op[row] | brief->counter[row],
		  0U);
}

TEST(brief_records)
{
	struct pmscope_batch *whole = pmscope_batch_new(ROWS);
	struct pmscope_batch *brief = pmscope_batch_new(ROWS);
	struct pmscope_decode_stats all = {}, some = {};
	uint64_t state = stream_seed(20261123);
	BYTES b = {};

	ASSERT_TRUE(whole && brief);
	put_stream(&b, &state, 1000000);
	corrupt(&b, &state, 100);
	pmscope_decode(b.data, b.size, 0, PMSCOPE_DECODE_LAST, whole, &all);
	pmscope_decode(b.data, b.size, 0,
		       PMSCOPE_DECODE_LAST | PMSCOPE_DECODE_BRIEF, brief,
		       &some);
	EXPECT_TRUE(!memcmp(&all, &some, sizeof(all)));
	ASSERT_EQ(brief->count, whole->count);
	EXPECT_TRUE(whole->count > 1000);
	for (size_t row = 0; row < whole->count; row++)
		expect_row(whole, brief, row);
	pmscope_batch_free(whole);
	pmscope_batch_free(brief);
}

/* A filter that everything passes keeps whole records. */
TEST(exports_of_brief_records)
{
	static char brief[1 << 20], whole[1 << 20];
	const struct activity activity = {.seed = stream_seed(5),
					  .records = 20000,
					  .rare = 100,
					  .wild = 3};
	BYTES b = {};

	put_activity(&b, &activity);
	EXPECT_EQ(command_pmscope_text(&b, "export --format=folded -o -", brief,
				       sizeof(brief)),
		  0);
	EXPECT_EQ(command_pmscope_text(
			  &b, "export --format=folded -o - --filter='cpu>=0'",
			  whole, sizeof(whole)),
		  0);
	EXPECT_TRUE(strlen(whole) > 200);
	EXPECT_STREQ(brief, whole);
}
