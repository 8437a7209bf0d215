// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may access what, and who allows captures: found on a CPU that the tests
 * make up, and given back.
 */
#include "ktap.h"

#include <stdarg.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* In place of compat.h and guard.h */
#define PMSCOPE_COMPAT_H
#define PMSCOPE_GUARD_H
#define PMSCOPE_EL2_OPENS_PMSDSFR	false
#define pmscope_guard_read(reg, val)	guard_read(reg, &(val))

#define SYS_ID_AA64PFR0_EL1	sys_reg(3, 0, 0, 4, 0)
#define SYS_ID_AA64MMFR0_EL1	sys_reg(3, 0, 0, 7, 0)
#define SYS_PMCCNTR_EL0		0
#define SYS_PMCCFILTR_EL0	0
#define SYS_PMSNEVFR_EL1	sys_reg(3, 0, 9, 9, 1)
#define read_sysreg(reg)	(cpu.reg)
#define write_sysreg(val, reg)	(cpu.reg = (val))
#define isb()
#define __ffs64			__builtin_ctzl

#define module_param(...)
#define MODULE_PARM_DESC(...)
#define __printf(...)
#define pr_err(...)			((void)sizeof(printf(__VA_ARGS__)))
#define pr_info				pr_err
#define sysfs_streq(a, b)		(!strcmp(a, b))
#define DEFINE_PER_CPU(...)		struct access_cpu access_cpu
#define this_cpu_ptr(at)		(at)
#define this_cpu_read(var)		(var)
#define per_cpu(var, nr)		(*((void)(nr), &(var)))
#define per_cpu_ptr(at, nr)		((void)(nr), (at))
#define for_each_online_cpu(nr)		for ((nr) = 0; (nr) < 1; (nr)++)
#define local_irq_save(flags)		((flags) = 0)
#define local_irq_restore(flags)	((void)(flags))

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action, void *data);
	int priority;
};

enum { NOTIFY_OK, CPU_PM_EXIT, CPUHP_AP_ONLINE_DYN, SMCCC_CONDUIT_NONE };
#define cpu_pm_register_notifier(nb)	((void)(nb))
#define cpu_pm_unregister_notifier(nb)	((void)(nb))
#define cpuhp_remove_state(state)	((void)(state), access_cpu_offline(0))

static inline int cpuhp_setup_state(int state, const char *name, int (*on)(unsigned int nr),
				    int (*off)(unsigned int nr))
{
	return on(0);
}

struct arm_smccc_res {
	u64 a0, a1;
};

#define arm_smccc_1_1_get_conduit()	(!SMCCC_CONDUIT_NONE)
#define ARM_SMCCC_ARCH_FEATURES_FUNC_ID	0
#define ARM_SMCCC_CALL_VAL(...)		1

/* The CPU, its firmware (@answers, @available, @pmsse) and what traps */
static struct machine {
	u64 pmsse, mdcr_el2, pmecr, pmcr_el0, oslsr_el1, daif, pmsscr, pfr0, mmfr0, available;
	bool vhe, answers;
	u32 traps;
} cpu;

#define is_kernel_in_hyp_mode()	(cpu.vhe)

static inline void arm_smccc_1_1_invoke(u64 func, u64 arg, struct arm_smccc_res *res)
{
	*res = (struct arm_smccc_res){ cpu.answers ? 0 : -1, cpu.available };
}

bool guard_read(u32 reg, u64 *val)
{
	*val = 0;
	return reg != cpu.traps;
}

#include "access.c"

u64 read_sysreg_s(u32 reg)
{
	return reg == SYS_PMECR_EL1 ? cpu.pmecr :
	       reg == SYS_PMSSCR_EL1 ? cpu.pmsscr :
	       reg == SYS_ID_AA64PFR0_EL1 ? cpu.pfr0 : cpu.mmfr0;
}

void write_sysreg_s(u64 value, u32 reg)
{
	EXPECT_EQ(reg, SYS_PMECR_EL1);
	cpu.pmecr = value;
}

static bool hardware;

void pmscope_capture_use_hardware(bool use)
{
	hardware = use;
}

bool pmscope_capture_uses_hardware(int nr)
{
	return !nr && hardware;
}

enum pmscope_capture_result pmscope_capture_last_result(int nr)
{
	return nr;
}

const struct pmscope_cpu_caps *pmscope_caps(int nr)
{
	static const struct pmscope_cpu_caps caps = {
		.features = PMSCOPE_FEAT_PMUV3 | PMSCOPE_FEAT_SS,
	};

	return nr ? NULL : &caps;
}

/* Table D13-10 */
enum pmscope_capture_result pmscope_capture_probe(void)
{
	u64 sse = cpu.pmsse;

	if (sse == 1)
		sse = FIELD_GET(PMSCOPE_MDCR_EL2_PMSSE, cpu.mdcr_el2);
	if (sse == 1)
		sse = FIELD_GET(PMECR_EL1_SSE, cpu.pmecr);
	return cpu.oslsr_el1 & 2 ? PMSCOPE_PROHIBITED :
	       sse == 3 ? PMSCOPE_CAPTURED :
	       sse == 2 ? PMSCOPE_PROHIBITED : PMSCOPE_DISABLED;
}

#define PMCR_6	   (6UL << 11)
#define MDCR_HPME  BIT(7)
#define MDCR_OTHER (3UL << 12 | 3UL << 30)
#define OTHERS	   BIT(8)
#define SSE(sse)   ((u64)(sse) << 3)
#define PMSSE(sse) .mdcr_el2 = (u64)(sse) << 30 | OTHERS
#define ENPMSS	   PMSCOPE_MDCR_EL3_ENPMSS
#define ENPM2	   PMSCOPE_MDCR_EL3_ENPM2
#define SAYS(bits) .answers = true, .available = (bits)
#define OPEN	   SAYS(ENPMSS | ENPM2)
#define OPEN_PMSSE	   SAYS(ENPMSS | ENPM2 | BIT(30))
#define EL2	   .pfr0 = BIT(8), .mmfr0 = 2UL << 56
#define HYP	   .vhe = true
#define TRAPS	   .traps = SYS_PMSSCR_EL1

/* MDCR_EL2 before and after */
static const u64 claims[][2] = {
	{ 0, 6 },
	{ MDCR_OTHER, MDCR_OTHER | 6 },
	{ 6, 6 },
	{ 2, 2 },
	{ MDCR_HPME, MDCR_HPME },
	{ MDCR_HPME | 2, MDCR_HPME | 2 },
};

TEST(counters_are_claimed_only_if_none_counts)
{
	for (size_t i = 0; i < ARRAY_SIZE(claims); i++)
		EXPECT_EQ(pmscope_claim_counters(claims[i][0], PMCR_6),
			  claims[i][1]);
}

static const struct {
	const char *said;
	struct machine cpu;
} gates[] = {
	{ "allowed: by PMECR_EL1.SSE 0b11, set by pmscope", { 1, PMSSE(1), SSE(3), OPEN } },
	{ "allowed: by MDCR_EL3.PMSSE or MDCR_EL2.PMSSE 0b11", { 3, PMSSE(0), 0, OPEN } },
	{ "allowed: by MDCR_EL3.PMSSE or MDCR_EL2.PMSSE 0b11", { 1, PMSSE(3), SSE(1), OPEN } },
	{ "allowed: by MDCR_EL2.PMSSE 0b11, set by pmscope", { 1, PMSSE(0), SAYS(ENPMSS), HYP } },
	{ "allowed: by MDCR_EL2.PMSSE 0b11, set by pmscope", { 1, PMSSE(3) | 3, OPEN, HYP } },
	{ "allowed: by MDCR_EL3.PMSSE 0b11", { 3, PMSSE(0), OPEN, HYP } },
	{ "prohibited: MDCR_EL3.PMSSE is 0b10", { 2, PMSSE(0), SAYS(ENPM2), HYP } },
	{ "prohibited: MDCR_EL2.PMSSE is 0b10", { 1, PMSSE(2), OPEN_PMSSE } },
	{ "disabled: MDCR_EL3.PMSSE is 0b00", { 0, PMSSE(0), OPEN } },
	{ "disabled: MDCR_EL2.PMSSE is 0b00", { 1, PMSSE(0), OPEN_PMSSE } },
	{ "prohibited: the OS Lock is locked (OSLSR_EL1.OSLK is 1)",
	  { 3, PMSSE(0), OPEN, .oslsr_el1 = 2 } },
};

/* All counters are ours where none is another's. */
static void check_counters(u64 before)
{
	EXPECT_EQ(cpu.mdcr_el2 & 7, cpu.vhe ? before & 7 ?: 6 : 0);
}

TEST(who_allows_captures_is_said_and_all_is_given_back)
{
	char text[200];

	for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
		const struct machine *was = &gates[i].cpu;

		access_cpu = (struct access_cpu){ };
		access_unloading = false;
		cpu = *was;
		cpu.pmcr_el0 = PMCR_6;
		EXPECT_EQ(pmscope_access_init(), 0);
		pmscope_access_print_captures(0, text, sizeof(text));
		EXPECT_EQ(strcmp(text, gates[i].said), 0);
		EXPECT_EQ(hardware, text[0] == 'a');
		check_counters(was->mdcr_el2);
		/* Power is lost */
		cpu.mdcr_el2 = was->mdcr_el2;
		cpu.pmecr = 0;
		access_cpu_pm(NULL, CPU_PM_EXIT, NULL);
		check_counters(was->mdcr_el2);
		EXPECT_EQ(pmscope_capture_probe() == PMSCOPE_CAPTURED, hardware);
		/* What others have written meanwhile stays. */
		cpu.mdcr_el2 ^= OTHERS | BIT(20);
		cpu.pmecr |= BIT(1);
		pmscope_access_exit();
		EXPECT_EQ(cpu.mdcr_el2, was->mdcr_el2 ^ (OTHERS | BIT(20)));
		EXPECT_EQ(cpu.pmecr, was->pmecr | BIT(1));
	}
}

/* What is known of a register, with trust_firmware=1 where @trust */
static const struct {
	enum pmscope_guarded reg;
	struct pmscope_access is;
	bool trust;
	struct machine cpu;
} finds[] = {
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_REPORTED }, 0, { SAYS(ENPMSS) } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_TRIED }, 0, { SAYS(ENPM2) } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_TRAPPED, PMSCOPE_TRIED }, 0, { SAYS(0), TRAPS } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_UNKNOWN, PMSCOPE_NOT_REPORTED }, 0, { TRAPS } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_TRUSTED }, 1, { .traps = 0 } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_TRAPPED, PMSCOPE_TRIED }, 1, { TRAPS } },
	{ PMSCOPE_PMECR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_REPORTED }, 0, { SAYS(ENPM2) } },
	{ PMSCOPE_PMECR, { PMSCOPE_ACCESS_TRAPPED, PMSCOPE_REPORTED }, 0, { SAYS(ENPMSS) } },
	{ PMSCOPE_PMECR, { PMSCOPE_ACCESS_UNKNOWN, PMSCOPE_NOT_REPORTED }, 0, { TRAPS } },
	{ PMSCOPE_PMSNEVFR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_INFERRED }, 1, { EL2 } },
	{ PMSCOPE_PMSNEVFR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_INFERRED }, 0, { EL2 } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_TRAPPED, PMSCOPE_INFERRED }, 0, { OPEN, EL2 } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_REPORTED }, 1, { OPEN, EL2 } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_REPORTED }, 0, { OPEN, EL2, HYP } },
	/* A hypervisor hides EL2, or FEAT_FGT2. */
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_REPORTED }, 0,
	  { OPEN, .mmfr0 = 2UL << 56 } },
	{ PMSCOPE_PMSSCR, { PMSCOPE_ACCESS_OPEN, PMSCOPE_REPORTED }, 0,
	  { OPEN, .pfr0 = BIT(8), .mmfr0 = 1UL << 56 } },
};

static void check_find(size_t i, bool trusted)
{
	struct pmscope_access is = pmscope_access_find(finds[i].reg, trusted);

	EXPECT_EQ(is.state, finds[i].is.state);
	EXPECT_EQ(is.known_by, finds[i].is.known_by);
}

TEST(what_may_be_accessed_is_known)
{
	for (size_t i = 0; i < ARRAY_SIZE(finds); i++) {
		cpu = finds[i].cpu;
		trust_firmware = finds[i].trust;
		access_ask(&access_cpu);
		check_find(i, false);
		/* The administrator's word for one register */
		trust_firmware = false;
		check_find(i, finds[i].trust);
	}
}
