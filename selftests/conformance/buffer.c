/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Profiling Buffer: Arm ARM D17.7, management events, and the freeze of
 * PMU counters that they cause (D13.5.2.2).
 */
#include "lib/pmu.h"
#include "lib/spe.h"
#include "lib/mmu.h"

#define GUARD 0xa5

static void fill_buffer(void)
{
	for (u64 i = 0; i < sizeof(spe_buffer); i++)
		((volatile u8 *)spe_buffer)[i] = GUARD;
}

static bool untouched(u64 from, u64 to)
{
	for (; from < to; from++)
		if (*(volatile u8 *)from != GUARD)
			return false;
	return true;
}

static void profile(u64 samples)
{
	spe_interval(1, false);
	profile_at(1, samples * 257);
}

/* More records than fit in a page: no record is shorter than this. */
#define SHORTEST_RECORD 32

static void fill_up(void)
{
	fill_buffer();
	spe_setup(base(), SPE_PAGE, 0);
	profile(SPE_PAGE / SHORTEST_RECORD);
}

TEST(PMBLIMITR_EL1_E_0_disables_the_buffer, lacks_spe(1))
{
	fill_buffer();
	spe_setup(base(), SPE_PAGE, 0);
	set_sysreg(0, PMBLIMITR_EL1);
	profile(10);
	EXPECT_REG(PMBPTR_EL1, base());
	EXPECT(untouched(base(), base() + SPE_PAGE));
}

TEST(RKLGPG_records_begin_at_the_write_pointer, lacks_spe(1))
{
	u64 pc, first;
	const u8 *next;

	fill_buffer();
	first = base() + 4 * max_size();
	spe_setup(first, BUFFER_SIZE - 4 * max_size(), 0);
	profile(3);
	EXPECT(untouched(base(), first));
	EXPECT(read_sysreg(PMBPTR_EL1) > first);
	EXPECT(spe_record((u8 *)first, (u8 *)read_sysreg(PMBPTR_EL1), &pc,
			  &next));
	EXPECT(untouched(read_sysreg(PMBPTR_EL1), base() + SPE_PAGE));
}

TEST(RKLGPG_nothing_is_written_from_the_limit_on, lacks_spe(1))
{
	fill_up();
	EXPECT(untouched(base() + SPE_PAGE, base() + 2 * SPE_PAGE));
	EXPECT(read_sysreg(PMBPTR_EL1) <= base() + SPE_PAGE);
}

TEST(buffer_full_management_event, lacks_spe(1))
{
	u64 pmbsr;

	fill_up();
	pmbsr = read_sysreg(PMBSR_EL1);
	EXPECT(pmbsr & PMBSR_S);
	EXPECT_EQ(PMBSR_EC(pmbsr), PMBSR_EC_OTHER);
	EXPECT_EQ(PMBSR_BSC(pmbsr), PMBSR_BSC_FULL);
	EXPECT_EQ(pmbsr & PMBSR_DL, 0);
	/* No room for one more record of the largest size. */
	EXPECT(read_sysreg(PMBPTR_EL1) + max_size() > base() + SPE_PAGE);
}

TEST(management_event_stops_profiling, lacks_spe(1))
{
	u64 pointer, counter;

	fill_up();
	pointer = read_sysreg(PMBPTR_EL1);
	counter = read_sysreg(PMSICR_EL1);
	profile_at(1, 5000);
	EXPECT_REG(PMBPTR_EL1, pointer);
	EXPECT_REG(PMSICR_EL1, counter);
}

TEST(PMBSR_EL1_S_asserts_PMBIRQ, lacks_spe(1))
{
	spe_setup(base(), SPE_PAGE, 0);
	EXPECT(!(GICR_ISPENDR0 & PMBIRQ));
	fill_up();
	EXPECT(GICR_ISPENDR0 & PMBIRQ);
	set_sysreg(0, PMBSR_EL1);
	EXPECT(!(GICR_ISPENDR0 & PMBIRQ));
}

TEST(RHLXGD_restart_after_full_with_more_room, lacks_spe(1))
{
	u64 pointer;

	fill_up();
	pointer = read_sysreg(PMBPTR_EL1);
	set_sysreg(0, PMBLIMITR_EL1);
	set_sysreg(0, PMBSR_EL1);
	set_sysreg((base() + 2 * SPE_PAGE) | PMBLIMITR_E, PMBLIMITR_EL1);
	profile(3);
	EXPECT(read_sysreg(PMBPTR_EL1) > pointer);
	EXPECT_EQ(read_sysreg(PMBSR_EL1) & PMBSR_S, 0);
}

TEST(ILSYJL_discard_mode_writes_nothing, lacks_spe(1))
{
	fill_buffer();
	spe_setup(base(), SPE_PAGE, PMBLIMITR_FM_DISCARD);
	write_event_type(0, EVENT_SAMPLE_FEED | FILTER_NSH);
	start_counters(BIT(0));
	profile(100);
	stop_counters();
	EXPECT(read_counter(0) >= 99);
	EXPECT_REG(PMBPTR_EL1, base());
	EXPECT_REG(PMBSR_EL1, 0);
	EXPECT(untouched(base(), base() + SPE_PAGE));
}

TEST(RHXSYK_pointer_one_record_below_the_limit, lacks_spe(1))
{
	fill_buffer();
	spe_setup(base() + SPE_PAGE - max_size(), max_size(), 0);
	profile(2);
	EXPECT_EQ(PMBSR_BSC(read_sysreg(PMBSR_EL1)), PMBSR_BSC_FULL);
	EXPECT(!untouched(base() + SPE_PAGE - max_size(), base() + SPE_PAGE));
	EXPECT(untouched(base() + SPE_PAGE, base() + 2 * SPE_PAGE));
}

/* The tests below translate the buffer at EL1. */
static void profile_translated(u64 where)
{
	mmu_enable_el1();
	spe_start(where, SPE_PAGE, 0);
	profile_at(1, 4 * 257);
	mmu_disable_el1();
}

static void expect_fault(u64 where, unsigned fsc)
{
	profile_translated(where);
	EXPECT_EVENT(PMBSR_EC_STAGE1, fsc, where);
}

TEST(RLWHSF_pointers_are_virtual_addresses, lacks_spe(1))
{
	fill_buffer();
	profile_translated(mmu_alias(base()));
	EXPECT_PROFILED(mmu_alias(base()));
	EXPECT(!untouched(base(), base() + max_size()));
}

ROW_OF(RVGJHQ_translation_fault, lacks_spe(1),
       expect_fault(MMU_UNMAPPED, FSC_TRANSLATION_L1))
ROW_OF(RVGJHQ_permission_fault, lacks_spe(1),
       expect_fault(mmu_read_only(base()), FSC_PERMISSION_L1))
ROW_OF(RVGJHQ_access_flag_fault, lacks_spe(1),
       expect_fault(mmu_no_access_flag(base()), FSC_ACCESS_FLAG_L1))

TEST(RHLXGD_restart_after_a_fault_from_the_saved_pointer, lacks_spe(1))
{
	expect_fault(mmu_read_only(base()), FSC_PERMISSION_L1);
	/* Software clears S and keeps the pointers. */
	mmu_make_writable();
	mmu_enable_el1();
	set_sysreg(0, PMBSR_EL1);
	profile_at(1, 3 * 257);
	EXPECT_PROFILED(mmu_read_only(base()));
}

/* D13.5.2.2: PMBLIMITR_EL1.{PMFZ,E} are {1,1} and profiling is stopped. */
static void stop_with(u64 pmblimitr_bits)
{
	spe_setup(base(), SPE_PAGE, pmblimitr_bits);
	set_sysreg(PMBSR_S, PMBSR_EL1);
}

static void count(u64 pmcr)
{
	write_event_type(0, EVENT_CPU_CYCLES | FILTER_NSH);
	write_event_type(2, EVENT_CPU_CYCLES | FILTER_NSH);
	write_event_type(CYCLE_COUNTER, FILTER_NSH);
	write_event_type(INSN_COUNTER, FILTER_NSH);
	write_sysreg(BIT(0) | BIT(2) | BIT(CYCLE_COUNTER) | BIT(INSN_COUNTER),
		     PMCNTENSET_EL0);
	set_sysreg(PMCR_LC | PMCR_LP | PMCR_E | pmcr, PMCR_EL0);
}

static bool moves(unsigned n)
{
	u64 before = read_counter(n);

	work(100000);
	return read_counter(n) != before;
}

TEST(RHSGZX_FZS_freezes_the_first_range, lacks_spe(1))
{
	count(PMCR_FZS);
	spe_setup(base(), SPE_PAGE, PMBLIMITR_PMFZ);
	EXPECT(moves(0));
	stop_with(PMBLIMITR_PMFZ);
	EXPECT(!moves(0));
	EXPECT(!moves(INSN_COUNTER));
	/* FEAT_SPE_DPFZS is not implemented. */
	EXPECT(moves(CYCLE_COUNTER));
}

TEST(RHSGZX_cycle_counter_is_not_affected_by_DP, lacks_spe(1))
{
	count(PMCR_FZS | PMCR_DP);
	stop_with(PMBLIMITR_PMFZ);
	EXPECT(moves(CYCLE_COUNTER));
}

TEST(RHSGZX_needs_FZS_PMFZ_and_E, lacks_spe(1))
{
	count(0);
	stop_with(PMBLIMITR_PMFZ);
	EXPECT(moves(0));
	count(PMCR_FZS);
	stop_with(0);
	EXPECT(moves(0));
	stop_with(PMBLIMITR_PMFZ);
	EXPECT(!moves(0));
	change_sysreg(PMBLIMITR_EL1, PMBLIMITR_E, 0);
	EXPECT(moves(0));
}

TEST(RHSGZX_clearing_S_thaws, lacks_spe(1))
{
	u64 frozen;

	count(PMCR_FZS);
	stop_with(PMBLIMITR_PMFZ);
	EXPECT(!moves(0));
	frozen = read_counter(0);
	set_sysreg(0, PMBSR_EL1);
	/* The counters run again at once, not only after the next read. */
	work(100000);
	EXPECT_NE(read_counter(0), frozen);
	EXPECT(moves(0));
}

TEST(RHSGZX_buffer_full_freezes, lacks_spe(1))
{
	u64 frozen;

	count(PMCR_FZS);
	spe_setup(base(), SPE_PAGE, PMBLIMITR_PMFZ);
	profile(SPE_PAGE / SHORTEST_RECORD);
	frozen = read_counter(0);
	EXPECT(read_sysreg(PMBSR_EL1) & PMBSR_S);
	EXPECT_NE(frozen, 0);
	work(1000);
	EXPECT_EQ(read_counter(0), frozen);
}

/* The sample that fills the buffer is the event that overflows a counter. */
TEST(a_management_event_finds_a_counter_overflowed, lacks_spe(1))
{
	write_event_type(0, EVENT_SAMPLE_FEED | FILTER_NSH);
	write_counter(0, ~0UL);
	write_sysreg(BIT(0), PMINTENSET_EL1);
	start_counters(BIT(0));
	spe_setup(base(), max_size(), 0);
	profile(2);
	EXPECT(read_sysreg(PMBSR_EL1) & PMBSR_S);
	EXPECT(GICR_ISPENDR0 & PMUIRQ);
	EXPECT_REG(PMOVSCLR_EL0, BIT(0));
	EXPECT_EQ(read_counter(0), 0);
}

TEST(RHSGZX_HPMFZS_freezes_the_second_range,
     lacks_spe(1) || skip_if(!have_el(2), "needs EL2"))
{
	set_sysreg(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_EL2_HPMFZS |
			   MDCR_PMSSE(1) | MDCR_EL2_E2PB(3),
		   MDCR_EL2);
	count(0);
	stop_with(PMBLIMITR_PMFZ);
	EXPECT(moves(0));
	EXPECT(!moves(2));
	count(PMCR_FZS);
	EXPECT(!moves(0));
	set_sysreg(MDCR_HPMN(2) | MDCR_EL2_HPME | MDCR_PMSSE(1) |
			   MDCR_EL2_E2PB(3),
		   MDCR_EL2);
	EXPECT(!moves(0));
	EXPECT(moves(2));
}
