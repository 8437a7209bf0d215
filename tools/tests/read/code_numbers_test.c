// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of instructions: what was set, or nothing if it was dropped. */
#include "ktap.h"
#include "bytes.h"

#include "read/caches.h"

#define SPACES 3
#define INSNS  (CODE_PIECES * 4)

static uint32_t number_of(uint64_t space, uint32_t insn)
{
	return space << 28 | (insn + 1);
}

/* Looks up random addresses; returns how many had their number already. */
static uint32_t look_up(struct code_numbers *numbers, uint32_t insns,
			uint32_t stride, uint32_t times)
{
	uint64_t state = 4711;
	uint32_t known = 0;

	for (uint32_t i = 0; i < times; i++) {
		uint64_t space = 1 + random_below(&state, SPACES);
		uint32_t insn = random_below(&state, insns);
		uint32_t *number =
			code_number(numbers, space, (uint64_t)insn * stride);

		if (*number) {
			EXPECT_EQ(*number, number_of(space, insn));
			known++;
		}
		*number = number_of(space, insn);
	}
	return known;
}

TEST(numbers_stay_while_there_is_room)
{
	struct code_numbers *numbers = code_numbers_new();

	ASSERT_TRUE(numbers != NULL);
	/* Of 3 * 1000 numbers, each is unknown at most once. */
	EXPECT_TRUE(look_up(numbers, 1000, 4, 50000) >= 47000);
	code_numbers_free(numbers);
}

TEST(numbers_are_right_when_pieces_take_turns)
{
	struct code_numbers *numbers = code_numbers_new();

	ASSERT_TRUE(numbers != NULL);
	look_up(numbers, INSNS, 1 << CODE_PIECE_SHIFT, 60000);
	code_numbers_free(numbers);
}

TEST(an_address_within_an_instruction_has_no_number)
{
	struct code_numbers *numbers = code_numbers_new();

	ASSERT_TRUE(numbers != NULL);
	*code_number(numbers, 1, 0x1002) = 7;
	EXPECT_EQ(*code_number(numbers, 1, 0x1002), 0);
	EXPECT_EQ(*code_number(numbers, 1, 0x1000), 0);
	code_numbers_free(numbers);
}
