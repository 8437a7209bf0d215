// SPDX-License-Identifier: GPL-2.0-or-later
/* PMBSR_EL1: what the driver has to do, and the words for people. */
#include "ktap.h"
#include "spe/syndrome.c"

#include "words.h"

#define S	BIT_ULL(17)
#define EA	BIT_ULL(18)
#define DL	BIT_ULL(19)
#define COLL	BIT_ULL(16)
#define EC(ec)	((u64)(ec) << 26)
#define FULL	1ULL

TEST(not_stopped)
{
	EXPECT_EQ(spe_syndrome_cause(0), SPE_CAUSE_NONE);
	EXPECT_EQ(spe_syndrome_cause(COLL), SPE_CAUSE_NONE);
	EXPECT_EQ(spe_syndrome_cause(FULL), SPE_CAUSE_NONE);
}

TEST(full_goes_on)
{
	EXPECT_EQ(spe_syndrome_cause(S | FULL), SPE_CAUSE_FULL);
	EXPECT_EQ(spe_syndrome_cause(S | COLL | FULL), SPE_CAUSE_FULL);
}

TEST(lost_data_forbids_a_restart)
{
	EXPECT_EQ(spe_syndrome_cause(S | DL | FULL), SPE_CAUSE_ABORT);
	EXPECT_EQ(spe_syndrome_cause(S | EA | FULL), SPE_CAUSE_ABORT);
	/* As spe_hw_save() leaves it: the buffer was neither full nor at fault. */
	EXPECT_EQ(spe_syndrome_cause(S | DL), SPE_CAUSE_ABORT);
	EXPECT_EQ(spe_syndrome_cause(S | EA), SPE_CAUSE_ABORT);
}

TEST(everything_else_is_a_fault)
{
	unsigned int ec, mss;

	for (ec = 0; ec < 64; ec++)
		for (mss = 0; mss < 64; mss++)
			if (ec || mss != FULL)
				ASSERT_EQ(spe_syndrome_cause(S | EC(ec) | mss),
					  SPE_CAUSE_FAULT);
	EXPECT_EQ(spe_syndrome_cause(S | DL | PMBSR_BSC_TOO_LARGE),
		  SPE_CAUSE_FAULT);
}

static int fault(unsigned int ec, unsigned int mss)
{
	return spe_syndrome_fault(S | EC(ec) | mss);
}

TEST(fault_classes)
{
	EXPECT_EQ(fault(0x24, 7), SPE_FAULT_STAGE1);
	EXPECT_EQ(fault(0x25, 7), SPE_FAULT_STAGE2);
	EXPECT_EQ(fault(0x1e, 0), SPE_FAULT_GPC);
	EXPECT_EQ(fault(0x1f, 4), SPE_FAULT_IMPDEF);
	EXPECT_EQ(fault(0, 4), SPE_FAULT_TOO_LARGE);
	EXPECT_EQ(fault(0, 0), SPE_FAULT_OTHER);
	EXPECT_EQ(fault(0x3f, 4), SPE_FAULT_OTHER);
}

static int level(unsigned int fsc)
{
	EXPECT_EQ(spe_syndrome_level(EC(0x25) | fsc),
		  spe_syndrome_level(EC(0x24) | fsc));
	return spe_syndrome_level(EC(0x24) | fsc);
}

TEST(levels)
{
	EXPECT_EQ(level(0x00), 0);
	EXPECT_EQ(level(0x07), 3);
	EXPECT_EQ(level(0x0d), 1);
	EXPECT_EQ(level(0x10), SPE_NO_LEVEL);
	EXPECT_EQ(level(0x12), -2);
	EXPECT_EQ(level(0x17), 3);
	EXPECT_EQ(level(0x22), -2);
	EXPECT_EQ(level(0x27), 3);
	EXPECT_EQ(level(0x29), -1);
	EXPECT_EQ(level(0x2a), -2);
	EXPECT_EQ(level(0x2b), -1);
	EXPECT_EQ(level(0x2c), -2);
	EXPECT_EQ(level(0x30), SPE_NO_LEVEL);
	EXPECT_EQ(spe_syndrome_level(7), SPE_NO_LEVEL);
}

static void text(u64 pmbsr, const char *class,
		 const char *detail)
{
	EXPECT_STREQ(spe_syndrome_text(pmbsr), class);
	EXPECT_STREQ(spe_syndrome_detail(pmbsr), detail);
}

TEST(words)
{
	text(FULL, "buffer full", "");
	text(4, "buffer larger than the hypervisor allows", "");
	text(0, "access not allowed, or buffer not full", "");
	text(9, "unknown buffer status code", "");
	text(EC(0x24) | 0x07, "stage 1 data abort", ": translation fault");
	text(EC(0x25) | 0x0d, "stage 2 data abort", ": permission fault");
	text(EC(0x24) | 0x3f, "stage 1 data abort",
	     ": unknown fault status code");
	text(EC(0x24) | 0x1c, "stage 1 data abort",
	     ": unknown fault status code");
	text(EC(0x1e), "granule protection check fault", "");
	text(EC(0x1f), "IMPLEMENTATION DEFINED event", "");
	text(EC(0x3f), "unknown event class", "");
}

/* The first and the last code of each fault, Arm ARM D24.7 "PMBSR_EL1" */
TEST(words_of_each_fault_status_code)
{
	static const struct {
		unsigned int first, last;
		const char *detail;
	} code[] = {
		{ 0x00, 0x03, ": address size fault" },
		{ 0x04, 0x07, ": translation fault" },
		{ 0x08, 0x0b, ": access flag fault" },
		{ 0x0c, 0x0f, ": permission fault" },
		{ 0x10, 0x10, ": external abort" },
		{ 0x11, 0x11, ": asynchronous external abort" },
		{ 0x12, 0x17, ": external abort on translation table walk" },
		{ 0x18, 0x1a, ": unknown fault status code" },
		{ 0x21, 0x21, ": alignment fault" },
		{ 0x22, 0x27, ": granule protection fault on walk" },
		{ 0x28, 0x28, ": granule protection fault" },
		{ 0x29, 0x29, ": address size fault" },
		{ 0x2a, 0x2b, ": translation fault" },
		{ 0x2c, 0x2c, ": address size fault" },
		{ 0x30, 0x30, ": TLB conflict" },
		{ 0x31, 0x31, ": unsupported atomic hardware update" },
		{ 0x32, 0x3f, ": unknown fault status code" },
	};
	unsigned int i, fsc;

	for (i = 0; i < ARRAY_SIZE(code); i++)
		for (fsc = code[i].first; fsc <= code[i].last; fsc++)
			EXPECT_STREQ(spe_syndrome_detail(EC(0x24) | fsc),
				     code[i].detail);
	EXPECT_EQ(level(0x18), SPE_NO_LEVEL);
	EXPECT_EQ(level(0x28), SPE_NO_LEVEL);
}

TEST(the_whole_text)
{
	char text[SPE_SYNDROME_TEXT_MAX];
	int len;

	len = spe_syndrome_print(text, sizeof(text), S | EC(0x24) | DL | 0x07);
	EXPECT_STREQ(text,
		     "stage 1 data abort: translation fault, level 3, data lost");
	EXPECT_EQ(len, (int)strlen(text));
	spe_syndrome_print(text, sizeof(text), S | EA | FULL);
	EXPECT_STREQ(text, "buffer full, external abort");
}

/* Each text fits: the longest is cut nowhere. */
TEST(room_for_each_text)
{
	char text[SPE_SYNDROME_TEXT_MAX], all[1024];
	unsigned int code;

	for (code = 0; code < 0x1000; code++) {
		u64 pmbsr = S | DL | EA | EC(code >> 6) | (code & 0x3f);

		spe_syndrome_print(text, sizeof(text), pmbsr);
		spe_syndrome_print(all, sizeof(all), pmbsr);
		ASSERT_EQ(strcmp(text, all), 0);
	}
}
