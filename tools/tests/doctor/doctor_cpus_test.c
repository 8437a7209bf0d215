// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/doctor.h"
#include "ktap.h"

#define KINDS(...)                             \
	kinds((const uint64_t[]){__VA_ARGS__}, \
	      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static char text[128];

static const char *kinds(const uint64_t *midr, size_t nr)
{
	doctor_kinds(text, sizeof(text), midr, nr);
	return text;
}

TEST(one_kind)
{
	EXPECT_STREQ(KINDS(0x414fd0c1), "0x00000000414fd0c1 (CPU 0)");
	EXPECT_STREQ(KINDS(1, 1, 1), "0x0000000000000001 (CPU 0-2)");
}

CASE(kinds_in_any_order,
     EXPECT_STREQ(KINDS(1, 2, 2, 1, 3, 1), "0x0000000000000001 (CPU 0,3,5), "
					   "0x0000000000000002 (CPU 1-2), "
					   "0x0000000000000003 (CPU 4)"));

/* An offline CPU has no register values. */
TEST(kinds_that_are_not_known)
{
	EXPECT_STREQ(KINDS(0, 5, 0, 5), "0x0000000000000005 (CPU 1,3)");
	EXPECT_STREQ(KINDS(0, 0), "unknown");
	doctor_kinds(text, sizeof(text), NULL, 0);
	EXPECT_STREQ(text, "unknown");
}

TEST(more_kinds_than_fit)
{
	uint64_t midr[64];

	for (size_t i = 0; i < 64; i++)
		midr[i] = i + 1;
	doctor_kinds(text, sizeof(text), midr, 64);
	EXPECT_EQ(strlen(text), sizeof(text) - 1);
}
