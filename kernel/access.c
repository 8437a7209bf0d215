// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which registers may be accessed, who allows snapshots, and which back end
 * captures.
 *
 * Firmware reports the traps of MDCR_EL3 as it answers
 * SMCCC_ARCH_FEATURE_AVAILABILITY (Arm DEN0028, SMCCC 1.5).  The traps of
 * Linux's own EL2 follow from its source.  Each CPU asks once, when it comes
 * online, for snapshots and for SPE.
 *
 * A 1 in the answer is a promise.  A 0 is not always a "no": Trusted Firmware-A
 * answers 0 for EnPMSN and EnPMS3 whatever they are, and for fields that it
 * does not know.  There the register is read once, under a guard (guard.h):
 * firmware that has the call (TF-A 2.13) injects an UNDEF at a trap that it
 * does not expect (TF-A 2.11).  Older firmware may stop the machine, so without
 * the call nothing is tried unless the administrator asks for it.
 *
 * Whether captures work is found out by experiment: nothing at EL1 or EL2 can
 * read MDCR_EL3.PMSSE.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "access.h"
#include "capture.h"
#include "compat.h"
#include "cpu.h"
#include "guard.h"
#include "sysreg.h"

#include <linux/arm-smccc.h>
#include <linux/bitfield.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <asm/virt.h>

static char *backend = "auto";
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend,
		 "how to capture: auto (default), hardware (or no pmu_snapshot), frozen (never access PMSSCR_EL1)");

static bool trust_firmware;
module_param(trust_firmware, bool, 0444);
MODULE_PARM_DESC(trust_firmware,
		 "access PMSSCR_EL1 and other registers even if firmware does not report that EL3 leaves them open, or if the kernel runs at EL1 below an EL2 of its own (if they trap, firmware before TF-A 2.11 may stop the machine, and KVM panics)");

/**
 * enum access_captures - the state of hardware snapshots on a CPU
 * @CAPTURES_ABSENT: the CPU has no FEAT_PMUv3_SS
 * @CAPTURES_UNUSED: backend=frozen
 * @CAPTURES_UNKNOWN: firmware does not say whether PMSSCR_EL1 traps
 * @CAPTURES_TRAPPED: MDCR_EL3.EnPMSS is 0, or HDFGRTR2_EL2.nPMSSCR_EL1 of
 *	the kernel's own EL2
 * @CAPTURES_REFUSED: disabled or prohibited, NC does not tell which
 * @CAPTURES_DISABLED: capture requests are ignored
 * @CAPTURES_PROHIBITED: captures complete without capturing
 * @CAPTURES_STUCK: a capture did not complete
 * @CAPTURES_ALLOWED: captures work
 *
 * PMSSCR_EL1 may be accessed in those after @CAPTURES_TRAPPED.
 */
enum access_captures {
	CAPTURES_ABSENT,
	CAPTURES_UNUSED,
	CAPTURES_UNKNOWN,
	CAPTURES_TRAPPED,
	CAPTURES_REFUSED,
	CAPTURES_DISABLED,
	CAPTURES_PROHIBITED,
	CAPTURES_STUCK,
	CAPTURES_ALLOWED,
};

static const char *const captures_names[] = {
	[CAPTURES_ABSENT] = "absent",
	[CAPTURES_UNUSED] = "unused",
	[CAPTURES_UNKNOWN] = "unknown",
	[CAPTURES_TRAPPED] = "trapped",
	[CAPTURES_REFUSED] = "disabled or prohibited",
	[CAPTURES_DISABLED] = "disabled",
	[CAPTURES_PROHIBITED] = "prohibited",
	[CAPTURES_STUCK] = "stuck",
	[CAPTURES_ALLOWED] = "allowed",
};

#define REASON_MAX 160

/**
 * struct access_cpu - what one CPU may do
 * @answers: firmware implements SMCCC_ARCH_FEATURE_AVAILABILITY
 * @available: the answer for MDCR_EL3, at the bit positions of that register.
 *	1 means that the feature can be used, whatever the polarity of the trap
 * @own_el2: the kernel left EL2 at boot (nVHE); its EL2 code may trap
 * @snapshots: PMSSCR_EL1 and the saved values
 * @controls: PMECR_EL1
 * @captures: do captures work?
 * @reason: the field that decides @captures
 * @owns_control: the control of our own level was changed
 * @control_was: its value before: MDCR_EL2 at EL2, else PMECR_EL1
 */
struct access_cpu {
	bool answers;
	u64 available;
	bool own_el2;
	struct pmscope_access snapshots;
	struct pmscope_access controls;
	enum access_captures captures;
	char reason[REASON_MAX];
	bool owns_control;
	u64 control_was;
};

static DEFINE_PER_CPU(struct access_cpu, access_cpu);
static int access_hp_state;
static bool access_unloading;

/* Registers */

#define GUARDED_READ(reg)						\
static bool access_read_##reg(u64 *val)					\
{									\
	return pmscope_guard_read(SYS_##reg, *val);			\
}

GUARDED_READ(PMSSCR_EL1)
GUARDED_READ(PMECR_EL1)
GUARDED_READ(PMSNEVFR_EL1)
GUARDED_READ(PMSDSFR_EL1)
GUARDED_READ(PMBMAR_EL1)

/* The state of a register whose field firmware answers with 0. */
enum access_if_zero {
	ZERO_IS_TRIED,	/* nothing: the register is tried */
	ZERO_IS_NO,	/* it traps: firmware that answers knows the field */
	ZERO_IS_OPEN,	/* firmware sets the field with NSPB, which SPE needs */
};

/* Names of the registers and of their fields in MDCR_EL3 */
const struct pmscope_register pmscope_registers[PMSCOPE_NR_GUARDED] = {
	[PMSCOPE_PMSSCR] = { "PMSSCR_EL1", "EnPMSS" },
	[PMSCOPE_PMECR] = { "PMECR_EL1", "EnPM2" },
	[PMSCOPE_PMSNEVFR] = { "PMSNEVFR_EL1", "EnPMSN" },
	[PMSCOPE_PMSDSFR] = { "PMSDSFR_EL1", "EnPMS3" },
	[PMSCOPE_PMBMAR] = { "PMBMAR_EL1", "EnPMS4" },
};

/*
 * @own_el2: el2_setup leaves the trap in HDFGxTR2_EL2 enabled where it knows
 * FEAT_FGT2, see __init_el2_fgt2.
 */
static const struct {
	u64 mask;
	bool (*read)(u64 *val);
	enum access_if_zero if_zero;
	bool own_el2;
} guarded[] = {
	[PMSCOPE_PMSSCR] = { PMSCOPE_MDCR_EL3_ENPMSS, access_read_PMSSCR_EL1,
			     .own_el2 = true },
	[PMSCOPE_PMECR] = { PMSCOPE_MDCR_EL3_ENPM2, access_read_PMECR_EL1,
			    ZERO_IS_NO, .own_el2 = true },
	[PMSCOPE_PMSNEVFR] = { PMSCOPE_MDCR_EL3_ENPMSN,
			       access_read_PMSNEVFR_EL1, ZERO_IS_OPEN },
	[PMSCOPE_PMSDSFR] = { PMSCOPE_MDCR_EL3_ENPMS3, access_read_PMSDSFR_EL1,
			      .own_el2 = !PMSCOPE_EL2_OPENS_PMSDSFR },
	[PMSCOPE_PMBMAR] = { PMSCOPE_MDCR_EL3_ENPMS4, access_read_PMBMAR_EL1,
			     .own_el2 = true },
};

/* DEN0028 7.8; an SMC64 call, its result is a 64-bit mask */
#define FEATURE_AVAILABILITY                                            \
	ARM_SMCCC_CALL_VAL(ARM_SMCCC_FAST_CALL, ARM_SMCCC_SMC_64,       \
			   ARM_SMCCC_OWNER_ARCH, 3)

/* The selector of a register is its encoding, as sys_reg() makes it */
#define SELECT_MDCR_EL3 sys_reg(3, 6, 1, 3, 1)

static bool access_ask_mdcr_el3(u64 *available)
{
	struct arm_smccc_res res;

	if (arm_smccc_1_1_get_conduit() == SMCCC_CONDUIT_NONE)
		return false;

	arm_smccc_1_1_invoke(ARM_SMCCC_ARCH_FEATURES_FUNC_ID,
			     FEATURE_AVAILABILITY, &res);
	if ((int)res.a0 < 0)
		return false;

	arm_smccc_1_1_invoke(FEATURE_AVAILABILITY, SELECT_MDCR_EL3, &res);
	if ((int)res.a0 < 0)
		return false;

	*available = res.a1;
	return true;
}

/*
 * A kernel that was started at EL2 and runs at EL1 (nVHE, pKVM) traps in
 * HDFGxTR2_EL2 what it does not use itself.  KVM panics at such a trap, and
 * without KVM the access comes again and again.
 *
 * Modules cannot ask where the kernel was started.  A hypervisor hides EL2, or
 * FGT2, from its guests; where it does not, this errs on the safe side, and the
 * administrator may know better.
 */
static bool access_has_own_el2(void)
{
	u64 pfr0 = read_sysreg_s(SYS_ID_AA64PFR0_EL1);
	u64 mmfr0 = read_sysreg_s(SYS_ID_AA64MMFR0_EL1);

	return !trust_firmware && !is_kernel_in_hyp_mode() &&
	       FIELD_GET(PMSCOPE_PFR0_EL2, pfr0) &&
	       FIELD_GET(PMSCOPE_MMFR0_FGT, mmfr0) >= PMSCOPE_FGT_FGT2;
}

/* On this CPU.  Fast calls do not sleep. */
static void access_ask(struct access_cpu *ac)
{
	ac->available = 0;
	ac->answers = access_ask_mdcr_el3(&ac->available);
	ac->own_el2 = access_has_own_el2();
}

/* Even with trust_firmware=1: a refusal is better than an oops later. */
static struct pmscope_access access_try(enum pmscope_guarded reg, bool trusted)
{
	struct pmscope_access access = {
		.state = PMSCOPE_ACCESS_TRAPPED,
		.known_by = PMSCOPE_TRIED,
	};
	u64 val;

	if (guarded[reg].read(&val)) {
		access.state = PMSCOPE_ACCESS_OPEN;
		if (trusted)
			access.known_by = PMSCOPE_TRUSTED;
	}
	return access;
}

/**
 * pmscope_access_find() - may a register of this CPU be accessed, and how is
 *	that known?
 * @reg: a register of the CPU; for SPE registers, PMSIDR_EL1 does not trap
 * @trusted: the administrator says that it is open, as with trust_firmware=1
 *
 * Context: pinned to a CPU that has been online since pmscope_access_init().
 * Return: never PMSCOPE_ACCESS_NONE
 */
struct pmscope_access pmscope_access_find(enum pmscope_guarded reg,
					  bool trusted)
{
	const struct access_cpu *ac = this_cpu_ptr(&access_cpu);

	trusted |= trust_firmware;
	if (ac->own_el2 && guarded[reg].own_el2)
		return (struct pmscope_access){ PMSCOPE_ACCESS_TRAPPED,
						PMSCOPE_INFERRED };
	if (ac->available & guarded[reg].mask)
		return (struct pmscope_access){ PMSCOPE_ACCESS_OPEN,
						PMSCOPE_REPORTED };
	if (ac->answers && guarded[reg].if_zero == ZERO_IS_NO)
		return (struct pmscope_access){ PMSCOPE_ACCESS_TRAPPED,
						PMSCOPE_REPORTED };
	if (guarded[reg].if_zero == ZERO_IS_OPEN)
		return (struct pmscope_access){ PMSCOPE_ACCESS_OPEN,
						PMSCOPE_INFERRED };
	if (ac->answers || trusted)
		return access_try(reg, trusted);
	return (struct pmscope_access){ PMSCOPE_ACCESS_UNKNOWN,
					PMSCOPE_NOT_REPORTED };
}

/* In words */

/**
 * pmscope_access_print() - an access in words: "PMSSCR_EL1 open (tried)"
 * @text: the buffer
 * @size: its size
 * @reg: the register
 * @access: from pmscope_access_find()
 *
 * Context: any.
 * Return: as scnprintf(); 0 for a register that the CPU does not have
 */
int pmscope_access_print(char *text, size_t size, enum pmscope_guarded reg,
			 struct pmscope_access access)
{
	static const char *const states[] = {
		[PMSCOPE_ACCESS_UNKNOWN] = "unknown",
		[PMSCOPE_ACCESS_TRAPPED] = "trapped",
		[PMSCOPE_ACCESS_OPEN] = "open",
	};
	static const char *const known_by[] = {
		[PMSCOPE_NOT_REPORTED] = "not reported",
		[PMSCOPE_REPORTED] = "reported",
		[PMSCOPE_INFERRED] = "inferred",
		[PMSCOPE_TRIED] = "tried",
		[PMSCOPE_TRUSTED] = "trusted",
	};

	if (access.state == PMSCOPE_ACCESS_NONE)
		return 0;
	return scnprintf(text, size, "%s %s (%s)", pmscope_registers[reg].name,
			 states[access.state], known_by[access.known_by]);
}

/**
 * pmscope_access_print_cpu() - which registers of snapshots are open on a CPU
 * @cpu: a possible CPU
 * @text: the buffer
 * @size: its size
 *
 * Context: any.
 * Return: as scnprintf(); 0 where the CPU has none
 */
int pmscope_access_print_cpu(int cpu, char *text, size_t size)
{
	const struct access_cpu *ac = per_cpu_ptr(&access_cpu, cpu);
	int len;

	len = pmscope_access_print(text, size, PMSCOPE_PMSSCR, ac->snapshots);
	if (len && ac->controls.state != PMSCOPE_ACCESS_NONE)
		len += scnprintf(text + len, size - len, ", ");
	return len + pmscope_access_print(text + len, size - len,
					  PMSCOPE_PMECR, ac->controls);
}

/* The control of our own level: MDCR_EL2.PMSSE or PMECR_EL1.SSE */

static u64 access_read_control(void)
{
	if (is_kernel_in_hyp_mode())
		return read_sysreg(mdcr_el2);
	return read_sysreg_s(SYS_PMECR_EL1);
}

static void access_write_control(u64 val)
{
	if (is_kernel_in_hyp_mode())
		write_sysreg(val, mdcr_el2);
	else
		write_sysreg_s(val, SYS_PMECR_EL1);
	/* The control is in force for captures requested from here on. */
	isb();
}

static u64 access_control_field(void)
{
	return is_kernel_in_hyp_mode() ? PMSCOPE_MDCR_EL2_PMSSE : PMECR_EL1_SSE;
}

static void access_set_control(u64 sse)
{
	u64 field = access_control_field();

	access_write_control((access_read_control() & ~field) |
			     (sse << __ffs64(field)));
}

static void access_own_control(struct access_cpu *ac)
{
	/* A CPU that comes online again may still have what we wrote. */
	if (ac->owns_control)
		return;
	ac->control_was = access_read_control();
	ac->owns_control = true;
}

static void access_claim_counters(void)
{
	u64 mdcr = read_sysreg(mdcr_el2);
	u64 wanted = pmscope_claim_counters(mdcr, read_sysreg(pmcr_el0));

	if (wanted != mdcr)
		access_write_control(wanted);
}

/* Do captures work? */

static __printf(3, 4) void access_decide(struct access_cpu *ac,
					 enum access_captures captures,
					 const char *format, ...)
{
	va_list args;

	ac->captures = captures;
	va_start(args, format);
	vsnprintf(ac->reason, sizeof(ac->reason), format, args);
	va_end(args);
}

/* For a field of several bits, firmware reports only the lowest bit. */
static bool access_reports_pmsse(const struct access_cpu *ac)
{
	return ac->available & PMSCOPE_MDCR_EL3_PMSSE_LOW;
}

/*
 * The field that blocks captures although our own level allows them.  PMSSE
 * 0b01 delegates to EL2.  Firmware that reports EnPMSS also knows PMSSE, so a
 * reported 0 is true.
 */
static const char *access_blocking_field(const struct access_cpu *ac)
{
	if (is_kernel_in_hyp_mode())
		return "MDCR_EL3.PMSSE";
	if (access_reports_pmsse(ac))
		return "MDCR_EL2.PMSSE";
	if (ac->snapshots.known_by == PMSCOPE_REPORTED)
		return "MDCR_EL3.PMSSE";
	return "MDCR_EL3.PMSSE, or MDCR_EL2.PMSSE if that is 0b01,";
}

static void access_blame_higher_level(struct access_cpu *ac,
				      enum pmscope_capture_result result)
{
	const char *field = access_blocking_field(ac);

	if (result == PMSCOPE_TIMED_OUT)
		access_decide(ac, CAPTURES_STUCK,
			      "PMSSCR_EL1.SS stays 1, the capture does not complete");
	else if (result == PMSCOPE_PROHIBITED)
		access_decide(ac, CAPTURES_PROHIBITED, "%s is 0b10", field);
	else if (read_sysreg_s(SYS_PMSSCR_EL1) & PMSSCR_EL1_NC)
		access_decide(ac, CAPTURES_REFUSED, "%s is 0b00 or 0b10",
			      field);
	else
		access_decide(ac, CAPTURES_DISABLED, "%s is 0b00", field);
}

/*
 * Table D13-10 by experiment: while our level prohibits captures, one works
 * only if a higher level decides; while it allows them, only if no level
 * prohibits them.
 */
static void access_probe_with_control(struct access_cpu *ac)
{
	bool el2 = is_kernel_in_hyp_mode();
	enum pmscope_capture_result result;

	access_set_control(PMSCOPE_SSE_PROHIBITED);
	result = pmscope_capture_probe();
	access_set_control(PMSCOPE_SSE_ALLOWED);
	if (result == PMSCOPE_CAPTURED) {
		access_decide(ac, CAPTURES_ALLOWED, "by %s 0b11",
			      el2 ? "MDCR_EL3.PMSSE" :
				    "MDCR_EL3.PMSSE or MDCR_EL2.PMSSE");
		return;
	}

	result = pmscope_capture_probe();
	if (result == PMSCOPE_CAPTURED)
		access_decide(ac, CAPTURES_ALLOWED,
			      "by %s 0b11, set by pmscope",
			      el2 ? "MDCR_EL2.PMSSE" : "PMECR_EL1.SSE");
	else
		access_blame_higher_level(ac, result);
}

/* PMECR_EL1 traps, so only EL2 and EL3 decide. */
static void access_probe_without_control(struct access_cpu *ac)
{
	enum pmscope_capture_result result = pmscope_capture_probe();

	if (result == PMSCOPE_CAPTURED)
		access_decide(ac, CAPTURES_ALLOWED,
			      "by MDCR_EL3.PMSSE or MDCR_EL2.PMSSE 0b11");
	else if (access_reports_pmsse(ac))
		access_decide(ac, CAPTURES_REFUSED,
			      "MDCR_EL3.EnPM2 is 0, so PMECR_EL1.SSE cannot be set, and MDCR_EL2.PMSSE is not 0b11");
	else
		access_blame_higher_level(ac, result);
}

static bool access_os_locked(void)
{
	return read_sysreg(oslsr_el1) & BIT(1);
}

/* May PMSSCR_EL1 be accessed? */
static bool access_check_pmsscr(struct access_cpu *ac)
{
	if (ac->snapshots.state == PMSCOPE_ACCESS_OPEN)
		return true;

	if (ac->snapshots.state == PMSCOPE_ACCESS_UNKNOWN)
		access_decide(ac, CAPTURES_UNKNOWN,
			      "MDCR_EL3.EnPMSS is not reported: firmware does not answer SMCCC_ARCH_FEATURE_AVAILABILITY; trust_firmware=1 assumes that it is 1");
	else if (ac->snapshots.known_by == PMSCOPE_INFERRED)
		access_decide(ac, CAPTURES_TRAPPED,
			      "HDFGRTR2_EL2.nPMSSCR_EL1 is 0 at the kernel's own EL2 (nVHE), where PMSSCR_EL1 traps; trust_firmware=1 assumes that it is 1");
	else
		access_decide(ac, CAPTURES_TRAPPED,
			      "MDCR_EL3.EnPMSS is 0%s: PMSSCR_EL1 was tried and traps",
			      is_kernel_in_hyp_mode() ?
			      "" : ", or HDFGRTR2_EL2.nPMSSCR_EL1 of a hypervisor");
	return false;
}

static void access_probe_captures(struct access_cpu *ac)
{
	if (!access_check_pmsscr(ac))
		return;
	if (ac->owns_control)
		access_probe_with_control(ac);
	else
		access_probe_without_control(ac);

	if (ac->captures != CAPTURES_ALLOWED && access_os_locked())
		access_decide(ac, CAPTURES_PROHIBITED,
			      "the OS Lock is locked (OSLSR_EL1.OSLK is 1)");
}

/* CPUs come online, lose their registers, and get them back */

static void access_find_registers(struct access_cpu *ac, unsigned long features)
{
	ac->snapshots = (struct pmscope_access){ };
	ac->controls = (struct pmscope_access){ };
	if (features & PMSCOPE_FEAT_SS && !pmscope_access_is_forced_frozen())
		ac->snapshots = pmscope_access_find(PMSCOPE_PMSSCR, false);
	if (features & (PMSCOPE_FEAT_SS | PMSCOPE_FEAT_EBEP))
		ac->controls = pmscope_access_find(PMSCOPE_PMECR, false);
}

static void access_prepare(struct access_cpu *ac, unsigned long features)
{
	access_find_registers(ac, features);
	if (is_kernel_in_hyp_mode()) {
		access_own_control(ac);
		access_claim_counters();
	}
}

static void access_open_snapshots(struct access_cpu *ac, unsigned long features)
{
	access_prepare(ac, features);
	if (!(features & PMSCOPE_FEAT_SS)) {
		access_decide(ac, CAPTURES_ABSENT,
			      "ID_AA64DFR0_EL1.PMSS is 0");
	} else if (pmscope_access_is_forced_frozen()) {
		access_decide(ac, CAPTURES_UNUSED, "backend=frozen");
	} else {
		if (ac->controls.state == PMSCOPE_ACCESS_OPEN)
			access_own_control(ac);
		access_probe_captures(ac);
	}
	pmscope_capture_use_hardware(ac->captures == CAPTURES_ALLOWED);
}

/* Runs on @cpu, at module load and whenever the CPU comes online */
static int access_cpu_online(unsigned int cpu)
{
	unsigned long features = pmscope_caps(cpu)->features, flags;
	struct access_cpu *ac = per_cpu_ptr(&access_cpu, cpu);

	local_irq_save(flags);
	access_ask(ac);
	if (features & PMSCOPE_FEAT_PMUV3)
		access_open_snapshots(ac, features);
	else
		access_decide(ac, CAPTURES_ABSENT, "the CPU has no PMUv3");
	local_irq_restore(flags);
	return 0;
}

static void access_restore_control(struct access_cpu *ac)
{
	u64 fields = access_control_field();

	if (is_kernel_in_hyp_mode())
		fields |= PMSCOPE_MDCR_EL2_HPMN;
	if (ac->owns_control)
		access_write_control((access_read_control() & ~fields) |
				     (ac->control_was & fields));
}

/*
 * Runs on @cpu, at module unload.  Not when a CPU goes offline: events leave it
 * after that, and it comes back with its controls reset.
 *
 * In a thread, not in an interrupt: that may come while KVM has a guest's
 * MDCR_EL2 in the register, and ours in memory to write it back (VHE).
 */
static int access_cpu_offline(unsigned int cpu)
{
	unsigned long flags;

	if (!access_unloading)
		return 0;
	local_irq_save(flags);
	access_restore_control(per_cpu_ptr(&access_cpu, cpu));
	local_irq_restore(flags);
	return 0;
}

/* Firmware suspend loses MDCR_EL2 and PMECR_EL1; el2_setup knows no PMSSE. */
static int access_cpu_pm(struct notifier_block *nb, unsigned long action,
			 void *data)
{
	if (action != CPU_PM_EXIT || !this_cpu_ptr(&access_cpu)->owns_control)
		return NOTIFY_OK;

	if (this_cpu_ptr(&access_cpu)->captures > CAPTURES_TRAPPED)
		access_set_control(PMSCOPE_SSE_ALLOWED);
	if (is_kernel_in_hyp_mode())
		access_claim_counters();
	return NOTIFY_OK;
}

/* Before arm_pmu restarts its counters: until then EL2 may own them (HPMN). */
static struct notifier_block access_cpu_pm_nb = {
	.notifier_call = access_cpu_pm,
	.priority = 1,
};

/* Interface to other files */

/**
 * pmscope_access_is_forced_frozen() - did the administrator say backend=frozen?
 *
 * Context: any.
 * Return: true if so
 */
bool pmscope_access_is_forced_frozen(void)
{
	return sysfs_streq(backend, "frozen");
}

static bool access_is_forced_hardware(void)
{
	return sysfs_streq(backend, "hardware");
}

/**
 * pmscope_access_backend() - the back end that captures a CPU
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: PMSCOPE_BACKEND_NONE if there is no PMU, or backend=hardware and the
 * hardware cannot capture
 */
enum pmscope_backend pmscope_access_backend(int cpu)
{
	if (pmscope_capture_uses_hardware(cpu))
		return PMSCOPE_BACKEND_HARDWARE;
	if (access_is_forced_hardware() ||
	    !(pmscope_caps(cpu)->features & PMSCOPE_FEAT_PMUV3))
		return PMSCOPE_BACKEND_NONE;
	return PMSCOPE_BACKEND_FROZEN;
}

/*
 * An inferred state is good enough for an event that asks for the register.  A
 * dump reads it only where firmware has SMCCC_ARCH_FEATURE_AVAILABILITY: such
 * firmware injects an UNDEF at a trap that it does not expect.
 */
static bool access_is_safe(enum pmscope_guarded reg)
{
	struct pmscope_access access = pmscope_access_find(reg, false);

	return access.state == PMSCOPE_ACCESS_OPEN &&
	       (access.known_by != PMSCOPE_INFERRED ||
		this_cpu_read(access_cpu.answers));
}

/**
 * pmscope_access_may_dump() - may a dump read a register of this CPU?
 * @reg: the register; for SPE registers, one that the CPU has
 *
 * Context: pinned to a CPU that has been online since pmscope_access_init().
 * Return: false also for PMSSCR_EL1, PMECR_EL1 and the registers that trap with
 * them if the CPU has none of them
 */
bool pmscope_access_may_dump(enum pmscope_guarded reg)
{
	const struct access_cpu *ac = this_cpu_ptr(&access_cpu);

	switch (reg) {
	case PMSCOPE_PMSSCR:
		return ac->captures > CAPTURES_TRAPPED;
	case PMSCOPE_PMECR:
		return ac->controls.state == PMSCOPE_ACCESS_OPEN ||
		       (ac->available & PMSCOPE_MDCR_EL3_ENPM2 && !ac->own_el2);
	default:
		return access_is_safe(reg);
	}
}

/* If captures worked when the CPU came online: the result of the last one */
static enum access_captures access_captures_now(int cpu)
{
	enum access_captures captures = per_cpu(access_cpu, cpu).captures;

	if (captures != CAPTURES_ALLOWED)
		return captures;
	switch (pmscope_capture_last_result(cpu)) {
	case PMSCOPE_TIMED_OUT:
		return CAPTURES_STUCK;
	case PMSCOPE_DISABLED:
		return CAPTURES_DISABLED;
	case PMSCOPE_PROHIBITED:
		return CAPTURES_PROHIBITED;
	default:
		return captures;
	}
}

static const char *access_reason(int cpu)
{
	if (access_captures_now(cpu) == per_cpu(access_cpu, cpu).captures)
		return per_cpu(access_cpu, cpu).reason;
	return pmscope_capture_uses_hardware(cpu) ?
		"the last capture failed, though captures worked when the CPU came online" :
		"PMSSCR_EL1.SS stayed 1; given up until the CPU comes online again";
}

/**
 * pmscope_access_print_captures() - the state of hardware snapshots on a CPU,
 *	then the register field that decides it and its value
 * @cpu: a CPU that has been online
 * @text: the buffer
 * @size: its size
 *
 * Context: any.
 * Return: as scnprintf()
 */
int pmscope_access_print_captures(int cpu, char *text, size_t size)
{
	return scnprintf(text, size, "%s: %s",
			 captures_names[access_captures_now(cpu)],
			 access_reason(cpu));
}

/*
 * Print one line for the first CPU that has the feature, with what blocks it.
 */
static void access_log_blocked(void)
{
	const char *instead = access_is_forced_hardware() ?
		"no pmu_snapshot there" :
		"pmu_snapshot uses the frozen back end";
	enum access_captures captures;
	int cpu;

	for_each_online_cpu(cpu) {
		captures = per_cpu(access_cpu, cpu).captures;
		if (captures <= CAPTURES_UNUSED || captures == CAPTURES_ALLOWED)
			continue;
		pr_err("CPU %d: hardware snapshots %s: %s; %s\n", cpu,
		       captures_names[captures],
		       per_cpu(access_cpu, cpu).reason, instead);
		return;
	}
}

/* Print one line with the registers that are open, and how this is known. */
static void access_log_registers(void)
{
	char text[PMSCOPE_ACCESS_TEXT_MAX];
	int cpu;

	for_each_online_cpu(cpu) {
		if (!pmscope_access_print_cpu(cpu, text, sizeof(text)))
			continue;
		pr_info("CPU %d: %s\n", cpu, text);
		return;
	}
}

/**
 * pmscope_access_init() - find what each CPU may access, and allow captures,
 *	now and when a CPU comes online
 *
 * Context: process, in module init; pmscope_caps_init() was called.
 * Return: 0, -EINVAL for an unknown backend=, or an errno of cpuhp.
 */
int pmscope_access_init(void)
{
	int ret;

	if (!pmscope_access_is_forced_frozen() &&
	    !access_is_forced_hardware() && !sysfs_streq(backend, "auto")) {
		pr_err("unknown backend=%s; valid: auto, hardware, frozen\n",
		       backend);
		return -EINVAL;
	}
	/* User space sees the name in cpu/hotplug/states, so it stays. */
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmscope/gate:online",
				access_cpu_online, access_cpu_offline);
	if (ret < 0)
		return ret;
	access_hp_state = ret;
	cpu_pm_register_notifier(&access_cpu_pm_nb);
	access_log_registers();
	access_log_blocked();
	return 0;
}

/**
 * pmscope_access_exit() - give every CPU its controls back as they were
 *
 * Context: process.
 */
void pmscope_access_exit(void)
{
	cpu_pm_unregister_notifier(&access_cpu_pm_nb);
	access_unloading = true;
	cpuhp_remove_state(access_hp_state);
}
