/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMBPTR_EL1 and PMBLIMITR_EL1 (Arm ARM D17.7.4): the values with which
 * profiling can start and continue.
 */
#include "lib/spe.h"
#include "lib/mmu.h"

static u64 align(void)
{
	return PMBIDR_ALIGN(read_sysreg(PMBIDR_EL1));
}

static void fill(u8 value)
{
	for (u64 i = 0; i < sizeof(spe_buffer); i++)
		((volatile u8 *)spe_buffer)[i] = value;
}

static bool untouched(void)
{
	for (u64 i = 0; i < sizeof(spe_buffer); i++)
		if (((volatile u8 *)spe_buffer)[i] != 0xa5)
			return false;
	return true;
}

static void profile(u64 samples)
{
	profile_at(1, samples * 257);
}

static void program(u64 pointer, u64 limit, u64 pmblimitr_bits)
{
	spe_setup(pointer, 0, pmblimitr_bits);
	set_sysreg(0, PMBLIMITR_EL1);
	write_sysreg(limit | PMBLIMITR_E | pmblimitr_bits, PMBLIMITR_EL1);
	spe_interval(1, false);
	isb();
}

static u64 choice(void)
{
	return property("sync-choice", 0);
}

/* As sync-choice says: an event, records discarded, or an UNKNOWN pointer */
static void expect_nothing_written(u64 pointer, u64 limit)
{
	fill(0xa5);
	program(pointer, limit, 0);
	profile(3);
	if (choice() < 2)
		EXPECT_EVENT(PMBSR_EC_OTHER,
			     choice() ? PMBSR_BSC_NOT_ALLOWED : PMBSR_BSC_FULL,
			     pointer);
	else
		EXPECT_REG(PMBSR_EL1, 0);
	EXPECT_EQ(read_sysreg(PMBPTR_EL1) == pointer, choice() != 3);
	EXPECT(untouched());
}

TEST(RPGGHS_pointer_too_close_to_the_limit,
     lacks_spe(1) ||
     skip_if(align() == max_size(), "an aligned pointer is never closer"))
{
	for (u64 room = align(); room < max_size(); room += align())
		expect_nothing_written(base() + SPE_PAGE - room,
				       base() + SPE_PAGE);
}

TEST(RPGGHS_pointer_at_or_beyond_the_limit, lacks_spe(1))
{
	expect_nothing_written(base() + SPE_PAGE, base() + SPE_PAGE);
	expect_nothing_written(base() + 3 * SPE_PAGE, base() + SPE_PAGE);
	expect_nothing_written(base(), 0);
	expect_nothing_written(base() | 0xffUL << 56, 0);
}

TEST(RPGGHS_not_in_discard_mode, lacks_spe(1))
{
	fill(0xa5);
	program(base() + 3 * SPE_PAGE, base(), PMBLIMITR_FM_DISCARD);
	profile(20);
	EXPECT_REG(PMBSR_EL1, 0);
	EXPECT_REG(PMBPTR_EL1, base() + 3 * SPE_PAGE);
	EXPECT(untouched());
}

TEST(RHXSYK_top_bytes_differ, lacks_spe(1))
{
	expect_nothing_written(base(), (base() + SPE_PAGE) | 1UL << 56);
	expect_nothing_written(base() | 0xffUL << 56, base() + SPE_PAGE);
}

/* Neither bit 32 nor those above it are left out of the comparison. */
TEST(RHXSYK_limit_beyond_4_GiB, lacks_spe(1))
{
	for (unsigned bit = 32; bit < 48; bit++) {
		program(base() + 2 * SPE_PAGE, (base() + SPE_PAGE) | BIT(bit), 0);
		profile(3);
		EXPECT_PROFILED(base() + 2 * SPE_PAGE);
	}
}

TEST(RKLGPG_low_bits_of_the_pointers, lacks_spe(1))
{
	set_sysreg(0, PMBLIMITR_EL1);
	write_sysreg(base() | (align() - 1), PMBPTR_EL1);
	EXPECT_EQ(read_sysreg(PMBPTR_EL1) & (align() - 1), 0);
	/* FM, PMFZ and nVM are below LIMIT; the rest is RES0. */
	write_sysreg(base() | 0xf58, PMBLIMITR_EL1);
	EXPECT_REG(PMBLIMITR_EL1, base());
}

TEST(RHLXGD_restart_without_an_event, lacks_spe(1))
{
	u64 pointer, limit, counter;

	program(base(), base() + 8 * SPE_PAGE, 0);
	profile(5);
	pointer = read_sysreg(PMBPTR_EL1);
	limit = read_sysreg(PMBLIMITR_EL1);
	counter = read_sysreg(PMSICR_EL1);
	EXPECT_REG(PMBSR_EL1, 0);

	/* Another owner uses the registers. */
	program(base() + 16 * SPE_PAGE, base() + 24 * SPE_PAGE, 0);
	profile(5);

	set_sysreg(0, PMBLIMITR_EL1);
	write_sysreg(pointer, PMBPTR_EL1);
	set_sysreg(counter, PMSICR_EL1);
	set_sysreg(limit, PMBLIMITR_EL1);
	profile(5);
	EXPECT_REG(PMBSR_EL1, 0);
	EXPECT_EQ(read_sysreg(PMBPTR_EL1) - pointer, pointer - base());
}

TEST(RHLXGD_restart_with_S_set_stays_stopped, lacks_spe(1))
{
	u64 pointer, counter;

	fill(0xa5);
	program(base(), base() + SPE_PAGE, 0);
	set_sysreg(PMBSR_S, PMBSR_EL1);
	pointer = read_sysreg(PMBPTR_EL1);
	counter = read_sysreg(PMSICR_EL1);
	profile(20);
	EXPECT_REG(PMBPTR_EL1, pointer);
	EXPECT_REG(PMSICR_EL1, counter);
	EXPECT_REG(PMBSR_EL1, PMBSR_S);
	EXPECT(untouched());
	/* No constraint on the pointers either. */
	program(base() + 2 * SPE_PAGE, base(), 0);
	set_sysreg(PMBSR_S, PMBSR_EL1);
	profile(20);
	EXPECT_REG(PMBSR_EL1, PMBSR_S);
	EXPECT(untouched());
}

TEST(RHLXGD_full_again_from_the_saved_pointers,
     lacks_spe(1) || skip_if(choice(), "sync-choice"))
{
	u64 pointer;

	program(base(), base() + SPE_PAGE, 0);
	profile(SPE_PAGE / 16);
	pointer = read_sysreg(PMBPTR_EL1);
	EXPECT_EQ(PMBSR_BSC(read_sysreg(PMBSR_EL1)), PMBSR_BSC_FULL);
	set_sysreg(0, PMBSR_EL1);
	profile(3);
	EXPECT_EQ(PMBSR_BSC(read_sysreg(PMBSR_EL1)), PMBSR_BSC_FULL);
	EXPECT_REG(PMBPTR_EL1, pointer);
}

/* A record whose second page is not mapped: D17.7.7 and DL. */
TEST(RHLXGD_DL_pointer_is_inside_a_record,
     lacks_spe(1) || skip_if(align() >= 32, "no record crosses the page"))
{
	u64 edge = mmu_edge(), start = edge - align();

	mmu_enable_el1();
	program(start, edge + SPE_PAGE, 0);
	profile(3);
	mmu_disable_el1();
	EXPECT_EVENT(PMBSR_EC_STAGE1, FSC_TRANSLATION_L2, edge);
	EXPECT(read_sysreg(PMBSR_EL1) & PMBSR_DL);
}

/* Two pages that are apart in physical memory. */
TEST(D17_7_7_record_crosses_a_page,
     lacks_spe(1) || skip_if(align() >= 32, "no record crosses the page"))
{
	u64 joint = mmu_joint(), pc, end;
	const u8 *p, *next;
	unsigned records = 0;

	mmu_enable_el1();
	*(volatile u64 *)joint = 0;
	program(joint - align(), joint + SPE_PAGE, 0);
	profile(3);
	EXPECT_NE(*(volatile u64 *)joint, 0);
	end = read_sysreg(PMBPTR_EL1);
	EXPECT_REG(PMBSR_EL1, 0);
	for (p = (u8 *)(joint - align()); (u64)p < end; p = next, records++)
		if (!EXPECT(spe_record(p, (u8 *)end, &pc, &next)))
			break;
	EXPECT(records >= 2);
}

/* One record, as sync-choice says: written, a fault, discarded, or skipped */
static void expect_crossing(u64 edge)
{
	u64 start = edge - align(), end;

	program(start, edge + SPE_PAGE, 0);
	profile(1);
	end = read_sysreg(PMBPTR_EL1);
	if (choice() == 1)
		EXPECT_EVENT(PMBSR_EC_STAGE1, FSC_ALIGNMENT, start);
	else
		EXPECT_REG(PMBSR_EL1, 0);
	EXPECT_EQ(end > edge, choice() == 0 || choice() == 3);
	EXPECT_EQ(end == start, choice() == 1 || choice() == 2);
}

/* To Device memory, and between its pages */
TEST(D17_7_7_record_crosses_memory_types,
     lacks_spe(1) || skip_if(align() >= 32, "no record crosses the page"))
{
	u64 edges[] = { mmu_device_edge(), mmu_device_edge() + SPE_PAGE };

	mmu_enable_el1();
	for (unsigned i = 0; i < ARRAY_SIZE(edges); i++) {
		volatile u64 *word = (u64 *)edges[i];

		*word = 0;
		expect_crossing(edges[i]);
		EXPECT_EQ(*word != 0, choice() == 0);
	}
}

/* Nothing is at this address, with stage 1 off. */
TEST(RVGJHQ_External_abort, lacks_spe(1))
{
	program(MMU_UNMAPPED, MMU_UNMAPPED + SPE_PAGE, 0);
	profile(3);
	EXPECT_EVENT(PMBSR_EC_STAGE1, FSC_SYNC_EXTERNAL, MMU_UNMAPPED);
	EXPECT(read_sysreg(PMBSR_EL1) & PMBSR_EA);
}

TEST(RVGJHQ_TBI_ignores_the_top_byte, lacks_spe(1))
{
	u64 pointer = mmu_alias(base()) | 0x5aUL << 56;

	mmu_enable_el1_with(TCR_TBI0);
	program(pointer, pointer + BUFFER_SIZE, 0);
	fill(0xa5);
	profile(3);
	EXPECT_PROFILED(pointer);
	EXPECT(!untouched());
	mmu_enable_el1_with(0);
	program(pointer, pointer + SPE_PAGE, 0);
	profile(3);
	mmu_disable_el1();
	EXPECT_EQ(PMBSR_EC(read_sysreg(PMBSR_EL1)), PMBSR_EC_STAGE1);
	EXPECT_REG(PMBPTR_EL1, pointer);
}

/* PAN prevents EL1, but not the SPU, from writing memory that EL0 may write. */
static u64 profile_with_pan(u64 pointer)
{
	u64 faults;

	asm volatile("msr S0_0_C4_C1_4, xzr");	/* PAN 1 */
	faults = TRY(*(volatile u64 *)pointer = 0);
	profile_at(current_el(), 3 * 257);
	asm volatile("msr S0_0_C4_C0_4, xzr");	/* PAN 0 */
	return faults;
}

TEST(D17_7_6_PAN_does_not_apply, lacks_spe(1))
{
	u64 pointer = mmu_alias(base());

	mmu_enable_el1();
	mmu_open_to_el0(true);
	program(pointer, pointer + BUFFER_SIZE, 0);
	EXPECT_EQ(run_at(1, profile_with_pan, pointer), 1);
	EXPECT_PROFILED(pointer);
}

/* The same in EL2&0. */
TEST(D17_7_6_PAN_does_not_apply_in_EL2_0, lacks_spe(2))
{
	u64 pointer = mmu_alias_el2(base());

	own_buffer(2);
	set_sysreg(HCR_RW | HCR_E2H, hcr_el2);
	mmu_open_to_el0(true);
	mmu_enable_el2(true);
	program(pointer, pointer + BUFFER_SIZE, 0);
	EXPECT_EQ(run_at(2, profile_with_pan, pointer), 1);
	EXPECT_PROFILED(pointer);
}

/* From EL1: profiles EL0 while it fills up what waits to be written. */
static u64 profile_el0(u64 rounds)
{
	set_sysreg(PMSCR_E0SPE, PMSCR_EL1);
	run_at(0, run_loop, rounds);
	set_sysreg(0, PMSCR_EL1);
	return 0;
}

static void expect_el0_profiled(u64 pointer)
{
	program(pointer, pointer + BUFFER_SIZE, 0);
	run_at(1, profile_el0, 20 * 257);
	spe_drain();
	EXPECT_PROFILED(pointer);
}

/* The alias of EL1 is not accessible at EL0. */
TEST(D17_7_6_writes_for_EL0_are_privileged, lacks_spe(1))
{
	mmu_enable_el1();
	expect_el0_profiled(mmu_alias(base()));
}

TEST(D17_7_6_writes_for_EL0_of_the_host_are_privileged,
     lacks_spe(2) ||
     skip_if(highest_el() != 2, "EL0 with TGE is run from EL2 only"))
{
	u64 pointer = mmu_alias_el2(base());

	own_buffer(2);
	set_sysreg(HCR_RW | HCR_E2H | HCR_TGE, hcr_el2);
	mmu_enable_el2(true);
	program(pointer, pointer + BUFFER_SIZE, 0);
	set_sysreg(PMSCR_EL2_E0HSPE, PMSCR_EL2);
	run_at(0, run_loop, 20 * 257);
	set_sysreg(0, PMSCR_EL2);
	spe_drain();
	EXPECT_PROFILED(pointer);
}

static u64 store_at_el0(u64 address)
{
	*(volatile u64 *)address = 0;
	return 0;
}

static u64 el0_faults(u64 address)
{
	return TRY(run_at(0, store_at_el0, address));
}

/* E0PD1 bars EL0 from the upper half, in which EL0 may write here. */
TEST(D17_7_6_E0PD_does_not_apply,
     lacks_spe(1) ||
     skip_if(!FIELD(read_sysreg(id_aa64mmfr2_el1), 63, 60), "no FEAT_E0PD"))
{
	u64 pointer = mmu_alias_el1_upper(base());

	mmu_enable_el1();
	EXPECT_EQ(run_at(1, el0_faults, pointer), 0);
	mmu_enable_el1_with(TCR_E0PD1);
	EXPECT_EQ(run_at(1, el0_faults, pointer), 1);
	expect_el0_profiled(pointer);
}

/* PMBIDR_EL1.Align: each record begins at a multiple, zeros fill up the rest. */
TEST(RKLGPG_each_record_is_aligned, lacks_spe(1))
{
	u64 snapshot[3], pc, end, records = 0;
	const u8 *p = spe_buffer, *next;

	snapshot[0] = read_sysreg(PMSSCR_EL1);
	snapshot[1] = read_sysreg(PMCCNTSVR_EL1);
	snapshot[2] = read_sysreg(PMICNTSVR_EL1);
	fill(0xa5);
	program(base(), base() + BUFFER_SIZE, 0);
	profile(9);
	end = read_sysreg(PMBPTR_EL1);
	EXPECT_EQ(end % align(), 0);
	EXPECT_REG(PMBSR_EL1, 0);
	for (; (u64)p < end; p = next, records++) {
		const u8 *last = p;

		EXPECT_EQ((u64)p % align(), 0);
		if (!EXPECT(spe_record(p, (u8 *)end, &pc, &next)))
			break;
		EXPECT(next <= (u8 *)end && next > p);
		for (const u8 *q = p; q < next; q++)
			if (*q)
				last = q;
		/* No record of the model is longer than 64 bytes. */
		if (!EXPECT(last < p + 64))
			note("record at offset %lu", (u64)p - base());
	}
	EXPECT(records >= 8 && records <= 10);
	for (; end < base() + BUFFER_SIZE + SPE_PAGE; end++)
		if (!EXPECT_EQ(*(volatile u8 *)end, 0xa5))
			break;
	/* And nothing is written elsewhere. */
	EXPECT_REG(PMSSCR_EL1, snapshot[0]);
	EXPECT_REG(PMCCNTSVR_EL1, snapshot[1]);
	EXPECT_REG(PMICNTSVR_EL1, snapshot[2]);
}

TEST(D17_7_8_TLB_maintenance_reaches_the_SPU, lacks_spe(1))
{
	u64 pointer = mmu_alias(base()), there;

	mmu_enable_el1();
	program(pointer, pointer + 4 * SPE_PAGE, 0);
	profile(3);
	EXPECT_REG(PMBSR_EL1, 0);
	there = read_sysreg(PMBPTR_EL1);
	mmu_hide_alias(true);
	profile(3);
	EXPECT_EQ(PMBSR_FSC(read_sysreg(PMBSR_EL1)), FSC_TRANSLATION_L1);
	EXPECT_REG(PMBPTR_EL1, there);
}
