// SPDX-License-Identifier: GPL-2.0-or-later
/* Operation types: every payload there is. */
#include "ktap.h"
#include "base/std.h"

#include <pmscope/operation.h>

static const char *text_of(unsigned int class, uint8_t payload)
{
	static char text[64];

	text[pmscope_operation_text(class, payload, text)] = '\0';
	return text;
}

/* Loads and stores differ in bit 0 only: so must their words. */
TEST(every_store_is_worded_as_its_load)
{
	for (unsigned int v = 0; v < 256; v += 2) {
		char load[64];

		strcpy(load, text_of(PMSCOPE_OPERATION_LOAD_STORE, v));
		/* MEMSET has no load form. */
		if (v == 0x24)
			continue;
		EXPECT_STREQ(text_of(PMSCOPE_OPERATION_LOAD_STORE, v + 1) + 2,
			     load + 2);
	}
}

/* A table of operations has no row without a name. */
TEST(every_operation_has_a_text)
{
	for (unsigned int class = 0; class < 4; class ++)
		for (unsigned int v = 0; v < 256; v++)
			EXPECT_TRUE(*text_of(class, v) != '\0');
	EXPECT_STREQ(text_of(PMSCOPE_OPERATION_OTHER, 0x10),
		     "OP-TYPE 0x10 (0)");
	EXPECT_STREQ(text_of(4, 0), "");
}

TEST(loads_and_stores_are_distinguished)
{
	for (unsigned int v = 0; v < 256; v++) {
		uint32_t flags = pmscope_operation_flags(
			PMSCOPE_OPERATION_LOAD_STORE, v);

		EXPECT_EQ(flags & (PMSCOPE_OP_LOAD | PMSCOPE_OP_STORE),
			  (uint32_t)(v & 1 ? PMSCOPE_OP_STORE
					   : PMSCOPE_OP_LOAD));
		EXPECT_STREQ(pmscope_operation_class_name(
				     PMSCOPE_OPERATION_LOAD_STORE, v),
			     v & 1 ? "store" : "load");
	}
}

TEST(branch_flags)
{
	static const struct {
		uint8_t payload;
		uint32_t flags;
	} rows[] = {
		{0x00, 0},
		{0x01, PMSCOPE_OP_CONDITIONAL},
		{0x02, PMSCOPE_OP_INDIRECT},
		{0x04, PMSCOPE_OP_GCS},
		{0x08, PMSCOPE_OP_CALL},
		{0x12, PMSCOPE_OP_RETURN | PMSCOPE_OP_INDIRECT},
		{0x18, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT_EQ(pmscope_operation_flags(PMSCOPE_OPERATION_BRANCH,
						  rows[i].payload),
			  rows[i].flags | PMSCOPE_OP_BRANCH);
}

TEST(load_store_flags)
{
	static const struct {
		uint8_t payload;
		uint32_t flags;
	} rows[] = {
		{0x00, PMSCOPE_OP_LOAD},
		{0x05, PMSCOPE_OP_STORE | PMSCOPE_OP_SIMD_FP},
		{0x1e, PMSCOPE_OP_LOAD | PMSCOPE_OP_ATOMIC |
			       PMSCOPE_OP_EXCLUSIVE |
			       PMSCOPE_OP_ACQUIRE_RELEASE},
		{0x14, PMSCOPE_OP_LOAD | PMSCOPE_OP_MTE_TAG},
		{0x21, PMSCOPE_OP_STORE | PMSCOPE_OP_MEMCPY},
		{0x25, PMSCOPE_OP_STORE | PMSCOPE_OP_MEMSET},
		{0x8c, PMSCOPE_OP_LOAD | PMSCOPE_OP_SVE |
			       PMSCOPE_OP_PREDICATED |
			       PMSCOPE_OP_GATHER_SCATTER},
		{0x44, PMSCOPE_OP_LOAD | PMSCOPE_OP_GCS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT_EQ(pmscope_operation_flags(PMSCOPE_OPERATION_LOAD_STORE,
						  rows[i].payload),
			  rows[i].flags);
}

TEST(class_without_meaning)
{
	EXPECT_EQ(pmscope_operation_flags(3, 0xff), 0U);
	EXPECT_STREQ(text_of(3, 0xff), "OP-TYPE 0xff (3)");
	EXPECT_STREQ(pmscope_operation_class_name(3, 0), "unknown");
}
