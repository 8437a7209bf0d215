// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts of lines in a profile for LLVM. The discriminators are what clang 19
 * writes for loops that it unrolled or vectorized.
 */
#include "ktap.h"

#include "export/flows.h"

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

/* @bytes of the line of @frames that were @executed so often */
static void add(struct fdo_profile *profile, const struct pmscope_frame *frames,
		size_t nr, uint64_t executed, size_t bytes)
{
	const struct fdo_code code = {.executed = executed, .bytes = bytes};

	EXPECT_EQ(fdo_code_add(profile, frames, nr, &code), 0);
}

/* The profile as text; free with free(). */
static char *written(struct fdo_profile *profile)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fdo_write(profile, out);
	fclose(out);
	fdo_fini(profile);
	return text;
}

/* The count of a line with one byte */
static uint64_t count(uint32_t discriminator, uint64_t executed)
{
	const struct pmscope_frame frame = {.linkage = "f",
					    .discriminator = discriminator};
	CLEANUP(fdo_fini) struct fdo_profile profile = {};
	struct fdo_line *line;
	uint64_t result = 0;

	add(&profile, &frame, 1, executed, 1);
	line = fdo_line_of(&profile, &frame, 1);
	EXPECT_TRUE(line);
	if (line)
		result = line->count;
	return result;
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
	char *text;

	for (uint32_t turns = 1; turns <= 16; turns *= 4) {
		frame.discriminator = packed(2, turns, turns);
		add(&profile, &frame, 1, 5, 1);
	}
	text = written(&profile);
	EXPECT_STREQ(text, "f:105:0\n 2.2: 80\n");
	free(text);
}

#define WORDS(out, ...)                                 \
	do {                                            \
		const uint32_t words[] = {__VA_ARGS__}; \
		fwrite(words, sizeof(words), 1, out);   \
	} while (0)

static void put_name(FILE *out, const char *name)
{
	WORDS(out, strlen(name) + 1);
	fwrite(name, strlen(name) + 1, 1, out);
}

/* Functions by name, backwards; their counts have 63 bits. */
static void put_expected(FILE *out)
{
	WORDS(out, 0x67636461, 2, 0, 0xaa000000, 0, 4);
	put_name(out, "");
	put_name(out, "outer");
	put_name(out, "abc");
	put_name(out, "inner");
	WORDS(out, 0xac000000, 0, 2);
	WORDS(out, 0, 0, 1, 0, 1);	     /* outer.part.0 */
	WORDS(out, 3 << 16 | 0x41, 3, 1, 0); /* inner in it */
	WORDS(out, 1 << 16 | 5, 0, UINT32_MAX, INT32_MAX);
	WORDS(out, 9, 0, 1, 1, 0);			/* outer */
	WORDS(out, 0xffff0000, 1, 0, 1, 3, 2, 0, 7, 0); /* calls abc */
	WORDS(out, 0xae000000, 0, 0);
}

TEST(gcc_has_names_without_suffixes_and_whole_discriminators)
{
	const struct pmscope_frame frames[] = {
		{.linkage = "inner",
		 .line = 21,
		 .start = 20,
		 .discriminator = 5},
		{.linkage = "outer.part.0",
		 .line = 13,
		 .start = 10,
		 .discriminator = 0x41},
	};
	const struct pmscope_frame whole = {
		.linkage = "outer", .line = 9, .start = 10};
	const struct pmscope_frame never = {.linkage = "never"};
	CLEANUP(fdo_fini) struct fdo_profile profile = {.of_gcc = true};
	char *text[2];
	size_t size[2];
	FILE *out[2] = {open_memstream(&text[0], &size[0]),
			open_memstream(&text[1], &size[1])};

	add(&profile, frames, 2, UINT64_MAX, 4);
	add(&profile, &whole, 1, UINT64_C(1) << 32, 4);
	add(&profile, &never, 1, 0, 4);
	fdo_function_of(&profile, &whole, 1)->head = 9;
	EXPECT_EQ(fdo_call_add(fdo_line_of(&profile, &whole, 1), "abc.cold", 7),
		  0);
	EXPECT_EQ(fdo_write_gcov(&profile, out[0]), 0);
	put_expected(out[1]);
	for (int i = 0; i < 2; i++)
		fclose(out[i]);
	EXPECT_EQ(size[0], size[1]);
	EXPECT_EQ(memcmp(text[0], text[1], size[1]), 0);
	for (int i = 0; i < 2; i++)
		free(text[i]);
}

/* LLVM tells by totals whether a call is hot: they count bytes. */
TEST(totals_are_of_bytes)
{
	const struct pmscope_frame inner = {
		.linkage = "inner", .line = 21, .start = 20};
	const struct pmscope_frame outer = {
		.linkage = "outer", .line = 13, .start = 10};
	const struct pmscope_frame frames[] = {inner, outer};
	struct fdo_profile profile = {};
	char *text;

	add(&profile, frames, 2, 100, 3);
	add(&profile, frames, 2, 40, 2);
	add(&profile, &outer, 1, 7, 1);
	add(&profile, &inner, 1, 5, 4);
	add(&profile, &inner, 1, UINT64_MAX, 2);
	text = written(&profile);
	EXPECT_STREQ(text, "inner:18446744073709551615:0\n"
			   " 1: 18446744073709551615\n"
			   "outer:387:0\n"
			   " 3: 7\n"
			   " 3: inner:380\n"
			   "  1: 100\n");
	free(text);
}

/* It may serve other lines, and stand anywhere. */
TEST(cheap_code_does_not_tell_how_often_a_line_is_executed)
{
	const struct pmscope_frame first = {
		.linkage = "f", .line = 11, .start = 10};
	const struct pmscope_frame second = {
		.linkage = "f", .line = 12, .start = 10};
	const struct pmscope_frame third = {
		.linkage = "f", .line = 13, .start = 10};
	const struct fdo_code hoisted = {
		.executed = 100, .bytes = 2, .cheap = true};
	struct fdo_profile profile = {};
	char *text;

	EXPECT_EQ(fdo_code_add(&profile, &first, 1, &hoisted), 0);
	add(&profile, &first, 1, 7, 1);
	add(&profile, &first, 1, 5, 1);
	add(&profile, &second, 1, 0, 1);
	EXPECT_EQ(fdo_code_add(&profile, &second, 1, &hoisted), 0);
	EXPECT_EQ(fdo_code_add(&profile, &third, 1, &hoisted), 0);
	text = written(&profile);
	EXPECT_STREQ(text, "f:612:0\n 1: 7\n 2: 0\n 3: 100\n");
	free(text);
}
