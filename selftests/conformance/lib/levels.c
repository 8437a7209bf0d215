/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exception levels: their controls, and the exceptions they take. */
#include "machine.h"
#include "mmu.h"
#include "pmu.h"
#include "spe.h"

#define EXIT_CALL	 0x7e57
#define EC_SVC32	 0x11
#define EC_SMC32	 0x13
#define EC_SVC64	 0x15
#define EC_HVC64	 0x16
#define EC_SMC64	 0x17

/* RES1 bits, no MMU, no caches. */
#define SCTLR_EL1_OFF	 0x30d00980UL
#define CPTR_EL2_OPEN	 0x32ffUL

struct frame {
	u64 x[31];
};

#define STACK_SIZE	 0x4000

extern char vectors[], run_at_done[], stacks[];

volatile struct trap trap;
volatile bool trap_expected;

static unsigned highest;

unsigned current_el(void)
{
	return FIELD(read_sysreg(CurrentEL), 3, 2);
}

unsigned highest_el(void)
{
	return highest;
}

bool have_el(unsigned el)
{
	u64 pfr0 = read_sysreg(id_aa64pfr0_el1);

	return FIELD(pfr0, el * 4 + 3, el * 4) != 0;
}

u64 run_at(unsigned el, u64 (*fn)(u64), u64 arg)
{
	return el == current_el() ? fn(arg) : run_below(el, fn, arg);
}

u64 run_below_aarch32(const u32 *code, u64 arg, u64 spsr);

u64 run_below_aarch32_el1(unsigned el, const u32 *code, u64 arg)
{
	/* SMC, in each vector of EL1 */
	static const u32 vectors_a32[8] __attribute__((aligned(32))) = {
		0xe1600070, 0xe1600070, 0xe1600070, 0xe1600070,
		0xe1600070, 0xe1600070, 0xe1600070, 0xe1600070,
	};
	u64 scr = read_sysreg(SCR_EL3), result;

	write_sysreg(vectors_a32, vbar_el1);
	set_sysreg(scr & ~SCR_RW, SCR_EL3);
	/* Supervisor or User mode, AIF masked */
	result = run_below_aarch32(code, arg, el ? 0x1d3 : 0x1d0);
	write_sysreg(scr, SCR_EL3);
	set_sysreg(vectors, vbar_el1);
	return result;
}

bool lacks_el(unsigned el)
{
	if (highest >= el && have_el(el))
		return false;
	skip("the machine does not have that Exception level");
	return true;
}

void set_os_lock(bool locked)
{
	set_sysreg(locked, oslar_el1);
}

static void prepare_el3(void)
{
	write_sysreg(vectors, vbar_el3);
	/* For traps to EL2 before anything ran there. */
	write_sysreg(stacks + 3 * STACK_SIZE, sp_el2);
	write_sysreg(SCR_NS | SCR_HCE | SCR_RW | SCR_APK | SCR_API |
		     SCR_FGTEN | SCR_HXEN | SCR_FGTEN2, SCR_EL3);
	write_sysreg(0, cptr_el3);
	/* EnPM2, EnPMSS and PMSSE as after reset; counting in EL3 too. */
	set_sysreg(MDCR_EL3_ENPM2 | MDCR_EL3_ENPMSS | MDCR_PMSSE(1) |
			   MDCR_EL3_NSPB(3) | MDCR_EL3_ENPMSN |
			   MDCR_EL3_ENPMS3 | MDCR_EL3_ENPMS4 | MDCR_EL3_SPME,
		   MDCR_EL3);
}

static void prepare_el2(void)
{
	u64 dfr0 = read_sysreg(id_aa64dfr0_el1);

	write_sysreg(vectors, vbar_el2);
	write_sysreg(HCR_RW, hcr_el2);
	write_sysreg(CPTR_EL2_OPEN, cptr_el2);
	/* EL1 owns the Profiling Buffer. */
	write_sysreg(PMCR_N(read_sysreg(PMCR_EL0)) | MDCR_PMSSE(1) |
		     MDCR_EL2_E2PB(3), MDCR_EL2);
	if (FIELD(dfr0, 19, 16)) {
		/* Firmware may keep FEAT_FGT2 from EL2. */
		TRY(write_sysreg(~0UL, HDFGRTR2_EL2));
		TRY(write_sysreg(~0UL, HDFGWTR2_EL2));
	}
	isb();
}

static void prepare_pmu(void)
{
	write_sysreg(0xffffffffUL | BIT(INSN_COUNTER), PMCNTENCLR_EL0);
	write_sysreg(0xffffffffUL | BIT(INSN_COUNTER), PMINTENCLR_EL1);
	write_sysreg(PMCR_LC | PMCR_LP | PMCR_P | PMCR_C, PMCR_EL0);
	write_sysreg(0xffffffffUL | BIT(INSN_COUNTER), PMOVSCLR_EL0);
	write_sysreg(0, PMUSERENR_EL0);
	/*
	 * PMCR_EL0.P and C leave the instruction counter; firmware may trap it.
	 */
	TRY(write_sysreg(0, PMICNTR_EL0));
	isb();
}

static u64 nothing(u64 arg)
{
	return arg;
}

/* A trap from EL1 to EL2 finds a stack there. */
static void give_stacks(void)
{
	for (unsigned el = 1; el < highest; el++)
		if (have_el(el))
			run_at(el, nothing, 0);
}

void prepare_levels(void)
{
	highest = current_el();
	trap_expected = false;
	if (highest == 3)
		prepare_el3();
	if (have_el(2))
		prepare_el2();
	write_sysreg(vectors, vbar_el1);
	write_sysreg(SCTLR_EL1_OFF, sctlr_el1);
	set_os_lock(false);
	give_stacks();
	prepare_pmu();
}

void restore_levels(void)
{
	mmu_restore();
	/* Firmware may keep the buffer from this level. */
	if (have_spe() && !TRY(write_sysreg(0, PMBLIMITR_EL1))) {
		write_sysreg(0, PMBSR_EL1);
		spe_disable();
	}
	TRY(set_sse(SSE_DISABLED));
}

#define READ_AT(reg)							\
	static u64 read_##reg(unsigned el)				\
	{								\
		return el == 1 ? read_sysreg(reg##_el1) :		\
		       el == 2 ? read_sysreg(reg##_el2) :		\
				 read_sysreg(reg##_el3);		\
	}
#define WRITE_AT(reg)							\
	static void write_##reg(unsigned el, u64 value)			\
	{								\
		if (el == 1)						\
			write_sysreg(value, reg##_el1);			\
		else if (el == 2)					\
			write_sysreg(value, reg##_el2);			\
		else							\
			write_sysreg(value, reg##_el3);			\
	}

READ_AT(esr)
READ_AT(elr)
READ_AT(far)
WRITE_AT(elr)
WRITE_AT(spsr)

static bool is_exit_call(u64 esr)
{
	u64 ec = ESR_EC(esr);

	/* AArch32 does not report the immediate of an SMC. */
	if (ec == EC_SMC32)
		return true;
	return FIELD(esr, 15, 0) == EXIT_CALL &&
	       (ec == EC_SVC32 || ec == EC_SVC64 || ec == EC_HVC64 || ec == EC_SMC64);
}

static void unexpected(unsigned index, unsigned el, u64 esr)
{
	note("unexpected exception: vector %u to EL%u", index, el);
	note("ESR 0x%lx, ELR 0x%lx, FAR 0x%lx", esr, read_elr(el),
	     read_far(el));
	put_char('\n');
	power_off(2);
}

/* Called from the vectors in start.S. */
void exception_taken(unsigned index, struct frame *frame);
void exception_taken(unsigned index, struct frame *frame)
{
	unsigned el = current_el();
	u64 esr = read_esr(el);
	bool synchronous = index % 4 == 0;

	(void)frame;
	if (synchronous && is_exit_call(esr)) {
		write_elr(el, (u64)run_at_done);
		write_spsr(el, 0x3c1 | el << 2);
		return;
	}
	if (!synchronous || !trap_expected)
		unexpected(index, el, esr);
	trap.count++;
	trap.el = el;
	trap.esr = esr;
	trap.elr = read_elr(el);
	trap.far = read_far(el);
	write_elr(el, trap.elr + 4);
}
