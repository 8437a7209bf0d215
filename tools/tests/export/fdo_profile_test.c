// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts of lines in a profile for LLVM. The discriminators are what clang 19
 * writes for loops that it unrolled or vectorized.
 */
#include "ktap.h"

#include "export/fdo_profile.h"

#include <stdlib.h>

/* As LLVM encodes a number, and how many bits that takes. */
static uint32_t encoded(uint32_t number, unsigned int *bits)
{
	*bits = !number ? 1 : number > 0x1f ? 14 : 7;
	if (!number)
		return 1;
	if (number > 0x1f)
		number = (number & 0xfe0) << 1 | (number & 0x1f) | 0x20;
	return number << 1;
}

static uint32_t packed(uint32_t base, uint32_t turns, uint32_t copy)
{
	unsigned int first, second, third;
	uint32_t word = encoded(base, &first);

	word |= encoded(turns, &second) << first;
	return word | encoded(copy, &third) << (first + second);
}

static uint64_t count(uint32_t discriminator, uint64_t executed)
{
	const struct pmscope_frame frame = {.discriminator = discriminator};

	return fdo_count(&frame, executed);
}

TEST(code_that_does_one_turn)
{
	EXPECT_EQ(count(0, 7), 7U);
	EXPECT_EQ(count(2 << 1, 7), 7U);
	EXPECT_EQ(count(packed(0, 0, 0), 7), 7U);
	EXPECT_EQ(count(packed(3, 1, 5), 7), 7U);
	EXPECT_EQ(count(packed(300, 0, 2), 7), 7U);
}

TEST(code_that_does_several_turns_at_once)
{
	EXPECT_EQ(count(packed(0, 4, 0), 7), 28U);
	EXPECT_EQ(count(packed(2, 16, 0), 7), 112U);
	EXPECT_EQ(count(packed(2, 4, 3), 7), 28U);
	EXPECT_EQ(count(packed(40, 32, 0), 7), 224U);
	/* A loop over bytes: two vectors of 16 at once, then one of 8 */
	EXPECT_EQ(count(24580, 1000), 32000U);
	EXPECT_EQ(count(2052, 1000), 8000U);
	EXPECT_EQ(count(packed(2, 4, 0), UINT64_MAX), UINT64_MAX);
}

TEST(lines_of_one_base_are_one)
{
	struct fdo_profile profile = {};
	struct pmscope_frame frame = {.linkage = "f", .line = 12, .start = 10};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t turns = 1; turns <= 16; turns *= 4) {
		struct fdo_line *line;

		frame.discriminator = packed(2, turns, turns);
		line = fdo_line_of(&profile, &frame, 1);
		ASSERT_TRUE(line);
		if (line->count < fdo_count(&frame, 5))
			line->count = fdo_count(&frame, 5);
	}
	fdo_write(&profile, out);
	fclose(out);
	EXPECT_STREQ(text, "f:80:0\n 2.2: 80\n");
	fdo_fini(&profile);
	free(text);
}

KTAP_MAIN
