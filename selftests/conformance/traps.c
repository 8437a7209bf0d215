/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may access the registers of PMU snapshots, of PMUv3p9 and of the
 * instruction counter: the pseudocode under "Accessing" of each register.
 */
#include "lib/fgt.h"
#include "lib/pmu.h"

struct reg {
	const char *name;
	void (*read)(void);	/* NULL for a write-only register */
	void (*write)(void);	/* NULL for a read-only register */
	u64 fgt2;		/* its bit in HDFGRTR2_EL2 and HDFGWTR2_EL2 */
	bool enpmss;		/* EL3 control: EnPMSS, else EnPM2 (or none) */
	bool enpm2;
	bool tpm;		/* MDCR_EL2.TPM and MDCR_EL3.TPM trap it */
};

/* RW(), RO() and WO(): register, fine-grained trap, other controls. */
#define REGS(RW, RO, WO)						\
	RW(PMSSCR_EL1, FGT2_PMSSCR, .enpmss = true)			\
	RO(PMCCNTSVR_EL1, FGT2_PMSSDATA, .enpmss = true)		\
	RO(PMICNTSVR_EL1, FGT2_PMSSDATA, .enpmss = true)		\
	RO(PMEVCNTSVR0_EL1, FGT2_PMSSDATA, .enpmss = true)		\
	RW(PMECR_EL1, FGT2_PMECR, .enpm2 = true, .tpm = true)		\
	RW(PMUACR_EL1, FGT2_PMUACR, .enpm2 = true, .tpm = true)		\
	RW(PMICNTR_EL0, FGT2_PMICNTR, .enpm2 = true, .tpm = true)	\
	RW(PMICFILTR_EL0, FGT2_PMICFILTR, .enpm2 = true, .tpm = true)	\
	WO(PMZR_EL0, FGT2_PMZR, .tpm = true)

#define PMEVCNTSVR0_EL1	 S2_0_C14_C8_0

REGS(FGT_BOTH, FGT_READ, FGT_WRITE)

#define RW(name, ...)	 { #name, read_##name, write_##name, __VA_ARGS__ },
#define RO(name, ...)	 { #name, read_##name, NULL, __VA_ARGS__ },
#define WO(name, ...)	 { #name, NULL, write_##name, __VA_ARGS__ },

static const struct reg regs[] = { REGS(RW, RO, WO) };

/* Bits of the answer of touch(). */
#define READ_TRAPPED	 BIT(0)
#define WRITE_TRAPPED	 BIT(1)

/* Accesses a register at the current level; what trapped. */
static u64 touch(u64 index)
{
	const struct reg *reg = &regs[index];
	u64 trapped = 0;

	if (reg->read && TRY(reg->read()))
		trapped |= READ_TRAPPED;
	if (reg->write && TRY(reg->write()))
		trapped |= WRITE_TRAPPED;
	return trapped;
}

static u64 all_accesses(const struct reg *reg)
{
	return (reg->read ? READ_TRAPPED : 0) |
	       (reg->write ? WRITE_TRAPPED : 0);
}

/* Every register, at el: exactly those in "trapped" go to target. */
static void expect_traps(unsigned el, unsigned target,
			 bool (*trapped)(const struct reg *))
{
	for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
		u64 wanted = trapped(&regs[i]) ? all_accesses(&regs[i]) : 0;

		if (!EXPECT_EQ(run_at(el, touch, i), wanted))
			note("%s at EL%u", regs[i].name, el);
		if (wanted) {
			EXPECT_EQ(trap.el, target);
			EXPECT_EQ(ESR_EC(trap.esr), EC_SYSREG);
		}
	}
}

static bool none(const struct reg *reg)
{
	return false;
}

static bool all(const struct reg *reg)
{
	return true;
}

static bool by_enpmss(const struct reg *reg)
{
	return reg->enpmss;
}

static bool by_enpm2(const struct reg *reg)
{
	return reg->enpm2;
}

static bool by_tpm(const struct reg *reg)
{
	return reg->tpm;
}

TEST(no_trap_without_a_control)
{
	for (unsigned el = 1; el <= highest_el(); el++)
		expect_traps(el, 0, none);
}

#define ROW_EL3(name, clear, set, trapped)				\
	TEST(name, lacks_el(3))						\
	{								\
		change_sysreg(MDCR_EL3, clear, set);			\
		expect_traps(1, 3, trapped);				\
		expect_traps(2, 3, trapped);				\
		expect_traps(3, 0, none);				\
	}

ROW_EL3(MDCR_EL3_EnPMSS_traps_PMSSCR_and_saved_values,
	MDCR_EL3_ENPMSS, 0, by_enpmss)
ROW_EL3(MDCR_EL3_EnPM2_traps_PMECR_PMUACR_and_PMICNTR,
	MDCR_EL3_ENPM2, 0, by_enpm2)
ROW_EL3(MDCR_EL3_TPM_does_not_trap_PMSSCR, 0, MDCR_TPM, by_tpm)

TEST(MDCR_EL2_TPM_does_not_trap_PMSSCR, lacks_el(2))
{
	change_sysreg(MDCR_EL2, 0, MDCR_TPM);
	expect_traps(1, 2, by_tpm);
	expect_traps(2, 0, none);
}

/* One bit at a time, in the registers for reads and for writes. */
static void check_fgt2_bit(unsigned index)
{
	const struct reg *reg = &regs[index];
	u64 other = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].fgt2 != reg->fgt2)
			other |= run_at(1, touch, i);
	EXPECT_EQ(other, 0);
}

/* The trap on one register after another, of reads or of writes. */
#define ROW_FGT2(name, control, access, answer)				\
	TEST(name, lacks_el(2))						\
	{								\
		for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {	\
			const struct reg *reg = &regs[i];		\
									\
			set_sysreg(~reg->fgt2, control);		\
			EXPECT_EQ(run_at(1, touch, i),			\
				  reg->access ? answer : 0);		\
			if (reg->access)				\
				EXPECT_EQ(trap.el, 2);			\
			check_fgt2_bit(i);				\
			EXPECT_EQ(run_at(2, touch, i), 0);		\
		}							\
	}

ROW_FGT2(HDFGRTR2_EL2_traps_reads, HDFGRTR2_EL2, read, READ_TRAPPED)
ROW_FGT2(HDFGWTR2_EL2_traps_writes, HDFGWTR2_EL2, write, WRITE_TRAPPED)

static u64 zero_icntr(u64 unused)
{
	set_sysreg(BIT(INSN_COUNTER), PMZR_EL0);
	return 0;
}

/* A reset of PMICNTR_EL0 needs permission to write it, not its filter. */
TEST(HDFGWTR2_EL2_keeps_PMICNTR_from_PMZR, lacks_el(2))
{
	write_counter(INSN_COUNTER, 5);
	set_sysreg(~FGT2_PMICNTR, HDFGWTR2_EL2);
	run_at(1, zero_icntr, 0);
	EXPECT_EQ(read_counter(INSN_COUNTER), 5);
	set_sysreg(~FGT2_PMICFILTR, HDFGWTR2_EL2);
	run_at(1, zero_icntr, 0);
	EXPECT_EQ(read_counter(INSN_COUNTER), 0);
}

static u64 read_icntr(u64 unused)
{
	return TRY((void)read_sysreg(PMICNTR_EL0));
}

static u64 traps_at_el0(u64 hcr)
{
	u64 traps;

	set_sysreg(HCR_RW | hcr, hcr_el2);
	traps = run_at(0, read_icntr, 0);
	set_sysreg(HCR_RW, hcr_el2);
	return traps;
}

/* EL0 below a host is not a guest's EL0. */
TEST(HDFGRTR2_EL2_is_not_for_EL0_of_the_host,
     skip_if(highest_el() != 2, "EL2 is not the highest"))
{
	write_sysreg(PMUSERENR_UEN, PMUSERENR_EL0);
	write_sysreg(BIT(INSN_COUNTER), PMUACR_EL1);
	write_sysreg(~FGT2_PMICNTR, HDFGRTR2_EL2);
	EXPECT_EQ(traps_at_el0(HCR_TGE), 1);
	EXPECT_EQ(traps_at_el0(HCR_TGE | HCR_E2H), 0);
}

TEST(SCR_EL3_FGTEn2_traps_EL1_to_EL2, lacks_el(3) || lacks_el(2))
{
	change_sysreg(SCR_EL3, SCR_FGTEN2, 0);
	expect_traps(1, 2, all);
	expect_traps(2, 0, none);
	expect_traps(3, 0, none);
}

static u64 read_hdfgrtr2(u64 unused)
{
	return TRY((void)read_sysreg(HDFGRTR2_EL2));
}

TEST(SCR_EL3_FGTEn2_traps_HDFGRTR2_to_EL3, lacks_el(3))
{
	EXPECT_EQ(run_at(2, read_hdfgrtr2, 0), 0);
	change_sysreg(SCR_EL3, SCR_FGTEN2, 0);
	EXPECT_EQ(run_at(2, read_hdfgrtr2, 0), 1);
	EXPECT_EQ(trap.el, 3);
}

/* EL2 comes first: a fine-grained trap wins over EnPMSS. */
TEST(PMSSCR_EL1_trap_to_EL2_has_priority, lacks_el(3))
{
	change_sysreg(MDCR_EL3, MDCR_EL3_ENPMSS, 0);
	write_sysreg(~FGT2_PMSSCR, HDFGRTR2_EL2);
	set_sysreg(~FGT2_PMSSCR, HDFGWTR2_EL2);
	EXPECT_EQ(run_at(1, touch, 0), READ_TRAPPED | WRITE_TRAPPED);
	EXPECT_EQ(trap.el, 2);
}

static void set_hpmn(unsigned hpmn)
{
	change_sysreg(MDCR_EL2, MDCR_HPMN_MASK, MDCR_HPMN(hpmn));
}

static u64 saved_traps(u64 n)
{
	return TRY((void)read_saved(n));
}

TEST(PMEVCNTSVR_beyond_HPMN_traps_to_EL2, lacks_el(2))
{
	unsigned counters = event_counters();

	for (unsigned hpmn = 1; hpmn <= counters; hpmn++) {
		set_hpmn(hpmn);
		for (unsigned n = 0; n < counters; n++) {
			u64 traps = run_at(1, saved_traps, n);

			EXPECT_EQ(traps, n >= hpmn);
			if (traps)
				EXPECT_EQ(trap.el, 2);
			EXPECT_EQ(saved_traps(n), 0);
		}
		EXPECT_EQ(run_at(1, saved_traps, CYCLE_COUNTER), 0);
	}
}

static u64 counter_traps(u64 n)
{
	u64 traps = TRY((void)read_counter(n));

	traps += TRY(write_counter(n, 0));
	traps += TRY((void)read_event_type(n));
	return traps;
}

TEST(PMEVCNTR_beyond_HPMN_traps_to_EL2, lacks_el(2))
{
	unsigned counters = event_counters();

	set_hpmn(2);
	for (unsigned n = 0; n < counters; n++)
		EXPECT_EQ(run_at(1, counter_traps, n), n >= 2 ? 3 : 0);
}

static u64 own_counters(u64 unused)
{
	return event_counters();
}

TEST(PMCR_EL0_N_is_HPMN_at_EL1, lacks_el(2))
{
	unsigned counters = event_counters();

	set_hpmn(3);
	EXPECT_EQ(run_at(1, own_counters, 0), 3);
	EXPECT_EQ(event_counters(), counters);
}
