// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens the way to PMU snapshots on each CPU, finds out who blocks it, and
 * chooses the back end.
 *
 * PMSSCR_EL1 is touched only where firmware.c says that it is open.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "cpu.h"
#include "firmware.h"
#include "gate.h"
#include "sysreg.h"

#include <linux/bitfield.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <asm/virt.h>

static char *backend = "auto";
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend,
		 "auto (default), hardware (snapshots or nothing), frozen (never touch PMSSCR_EL1)");

#define REASON_MAX 160

/**
 * struct gate_cpu - one CPU's gate
 * @state: can it capture?
 * @reason: the field that decides
 * @fw: what firmware says
 * @snapshots: may PMSSCR_EL1 and the saved values be touched?
 * @controls: may PMECR_EL1 be touched?
 * @owns_control: the control of our own level was changed
 * @control_was: its value before: MDCR_EL2 at EL2, else PMECR_EL1
 */
struct gate_cpu {
	enum pmscope_gate state;
	char reason[REASON_MAX];
	struct pmscope_fw fw;
	struct pmscope_access snapshots;
	struct pmscope_access controls;
	bool owns_control;
	u64 control_was;
};

static DEFINE_PER_CPU(struct gate_cpu, gate_cpu);
static int gate_hp_state;
static bool unloading;

static const char *const gate_names[] = {
	[PMSCOPE_GATE_ABSENT] = "absent",
	[PMSCOPE_GATE_UNUSED] = "unused",
	[PMSCOPE_GATE_UNKNOWN] = "unknown",
	[PMSCOPE_GATE_TRAPPED] = "trapped",
	[PMSCOPE_GATE_REFUSED] = "disabled or prohibited",
	[PMSCOPE_GATE_DISABLED] = "disabled",
	[PMSCOPE_GATE_PROHIBITED] = "prohibited",
	[PMSCOPE_GATE_STUCK] = "stuck",
	[PMSCOPE_GATE_ALLOWED] = "allowed",
};

static u64 read_control(void)
{
	if (is_kernel_in_hyp_mode())
		return read_sysreg(mdcr_el2);
	return read_sysreg_s(SYS_PMECR_EL1);
}

static void write_control(u64 val)
{
	if (is_kernel_in_hyp_mode())
		write_sysreg(val, mdcr_el2);
	else
		write_sysreg_s(val, SYS_PMECR_EL1);
	/* The control is in force for captures asked for from here on. */
	isb();
}

static u64 control_field(void)
{
	return is_kernel_in_hyp_mode() ? PMSCOPE_MDCR_EL2_PMSSE : PMECR_EL1_SSE;
}

static void set_control(u64 sse)
{
	u64 field = control_field();

	write_control((read_control() & ~field) | (sse << __ffs64(field)));
}

static void own_control(struct gate_cpu *gate)
{
	/* A CPU that comes back may still have what we wrote. */
	if (gate->owns_control)
		return;
	gate->control_was = read_control();
	gate->owns_control = true;
}

/*
 * el2_setup of 6.1 takes PMUVer for a signed field: from FEAT_PMUv3p8 on it
 * leaves MDCR_EL2.HPMN 0, and no event counter of the host counts.
 */
static void claim_counters(void)
{
	u64 mdcr = read_sysreg(mdcr_el2), all;

	all = FIELD_GET(PMSCOPE_PMCR_N, read_sysreg(pmcr_el0));
	if (!FIELD_GET(PMSCOPE_MDCR_EL2_HPMN, mdcr))
		write_control(mdcr | FIELD_PREP(PMSCOPE_MDCR_EL2_HPMN, all));
}

static __printf(3, 4) void settle(struct gate_cpu *gate, enum pmscope_gate state,
				  const char *format, ...)
{
	va_list args;

	gate->state = state;
	va_start(args, format);
	vsnprintf(gate->reason, sizeof(gate->reason), format, args);
	va_end(args);
}

/* For a field of several bits firmware reports the lowest one. */
static bool reports_pmsse(const struct gate_cpu *gate)
{
	return gate->fw.available & PMSCOPE_MDCR_EL3_PMSSE_LOW;
}

/*
 * The field that refuses what our own level allows.  PMSSE 0b01 hands over to
 * EL2.  Firmware that reports EnPMSS knows PMSSE, too, so a 0 means 0 then.
 */
static const char *blocking_field(const struct gate_cpu *gate)
{
	if (is_kernel_in_hyp_mode())
		return "MDCR_EL3.PMSSE";
	if (reports_pmsse(gate))
		return "MDCR_EL2.PMSSE";
	if (gate->snapshots.ground == PMSCOPE_REPORTED)
		return "MDCR_EL3.PMSSE";
	return "MDCR_EL3.PMSSE, or MDCR_EL2.PMSSE if that is 0b01,";
}

static void blame_higher_level(struct gate_cpu *gate,
			       enum pmscope_capture_result result)
{
	const char *field = blocking_field(gate);

	if (result == PMSCOPE_TIMED_OUT)
		settle(gate, PMSCOPE_GATE_STUCK,
		       "PMSSCR_EL1.SS stays 1, the capture does not complete");
	else if (result == PMSCOPE_PROHIBITED)
		settle(gate, PMSCOPE_GATE_PROHIBITED, "%s is 0b10", field);
	else if (read_sysreg_s(SYS_PMSSCR_EL1) & PMSSCR_EL1_NC)
		settle(gate, PMSCOPE_GATE_REFUSED, "%s is 0b00 or 0b10", field);
	else
		settle(gate, PMSCOPE_GATE_DISABLED, "%s is 0b00", field);
}

/*
 * Table D13-10 by experiment: with our level at "prohibited" a capture works
 * only if a higher level decides; with "allowed" only if none objects.
 */
static void resolve_with_control(struct gate_cpu *gate)
{
	bool el2 = is_kernel_in_hyp_mode();
	enum pmscope_capture_result result;

	set_control(PMSCOPE_SSE_PROHIBITED);
	result = pmscope_capture_probe();
	set_control(PMSCOPE_SSE_ALLOWED);
	if (result == PMSCOPE_CAPTURED) {
		settle(gate, PMSCOPE_GATE_ALLOWED, "by %s 0b11",
		       el2 ? "MDCR_EL3.PMSSE" :
			     "MDCR_EL3.PMSSE or MDCR_EL2.PMSSE");
		return;
	}

	result = pmscope_capture_probe();
	if (result == PMSCOPE_CAPTURED)
		settle(gate, PMSCOPE_GATE_ALLOWED, "by %s 0b11, set by pmscope",
		       el2 ? "MDCR_EL2.PMSSE" : "PMECR_EL1.SSE");
	else
		blame_higher_level(gate, result);
}

/* PMECR_EL1 is out of reach: all depends on the levels above. */
static void resolve_without_control(struct gate_cpu *gate)
{
	enum pmscope_capture_result result = pmscope_capture_probe();

	if (result == PMSCOPE_CAPTURED)
		settle(gate, PMSCOPE_GATE_ALLOWED,
		       "by MDCR_EL3.PMSSE or MDCR_EL2.PMSSE 0b11");
	else if (reports_pmsse(gate))
		settle(gate, PMSCOPE_GATE_REFUSED,
		       "MDCR_EL3.EnPM2 is 0, so PMECR_EL1.SSE cannot be set, and MDCR_EL2.PMSSE is not 0b11");
	else
		blame_higher_level(gate, result);
}

static bool os_locked(void)
{
	return read_sysreg(oslsr_el1) & BIT(1);
}

/* May PMSSCR_EL1 be touched? */
static bool settle_access(struct gate_cpu *gate)
{
	if (gate->snapshots.state == PMSCOPE_ACCESS_OPEN)
		return true;

	if (gate->snapshots.state == PMSCOPE_ACCESS_UNKNOWN)
		settle(gate, PMSCOPE_GATE_UNKNOWN,
		       "MDCR_EL3.EnPMSS is not reported: firmware does not answer SMCCC_ARCH_FEATURE_AVAILABILITY; trust_firmware=1 takes it for 1");
	else if (gate->snapshots.ground == PMSCOPE_INFERRED)
		settle(gate, PMSCOPE_GATE_TRAPPED,
		       "HDFGRTR2_EL2.nPMSSCR_EL1 is 0 at the kernel's own EL2 (nVHE), where PMSSCR_EL1 traps; trust_firmware=1 takes it for 1");
	else
		settle(gate, PMSCOPE_GATE_TRAPPED,
		       "MDCR_EL3.EnPMSS is 0%s: PMSSCR_EL1 was tried and traps",
		       is_kernel_in_hyp_mode() ?
		       "" : ", or HDFGRTR2_EL2.nPMSSCR_EL1 of a hypervisor");
	return false;
}

static void resolve(struct gate_cpu *gate)
{
	if (!settle_access(gate))
		return;
	if (gate->owns_control)
		resolve_with_control(gate);
	else
		resolve_without_control(gate);

	if (gate->state != PMSCOPE_GATE_ALLOWED && os_locked())
		settle(gate, PMSCOPE_GATE_PROHIBITED,
		       "the OS Lock is locked (OSLSR_EL1.OSLK is 1)");
}

static void find_access(struct gate_cpu *gate, unsigned long features)
{
	bool trusted = pmscope_fw_trusted();

	gate->snapshots = (struct pmscope_access){ };
	gate->controls = (struct pmscope_access){ };
	pmscope_fw_ask(&gate->fw);
	if (features & PMSCOPE_FEAT_SS && !pmscope_gate_forced_frozen())
		gate->snapshots = pmscope_fw_access(&gate->fw, PMSCOPE_PMSSCR,
						    trusted);
	if (features & (PMSCOPE_FEAT_SS | PMSCOPE_FEAT_EBEP))
		gate->controls = pmscope_fw_access(&gate->fw, PMSCOPE_PMECR,
						   trusted);
}

static void prepare(struct gate_cpu *gate, unsigned long features)
{
	find_access(gate, features);
	if (is_kernel_in_hyp_mode()) {
		own_control(gate);
		claim_counters();
	}
}

/* Runs on @cpu, at module load and whenever the CPU comes online */
static int open_gate(unsigned int cpu)
{
	unsigned long features = pmscope_caps(cpu)->features, flags;
	struct gate_cpu *gate = per_cpu_ptr(&gate_cpu, cpu);

	if (!(features & PMSCOPE_FEAT_PMUV3)) {
		settle(gate, PMSCOPE_GATE_ABSENT, "the CPU has no PMUv3");
		return 0;
	}

	local_irq_save(flags);
	prepare(gate, features);
	if (!(features & PMSCOPE_FEAT_SS)) {
		settle(gate, PMSCOPE_GATE_ABSENT, "ID_AA64DFR0_EL1.PMSS is 0");
	} else if (pmscope_gate_forced_frozen()) {
		settle(gate, PMSCOPE_GATE_UNUSED, "backend=frozen");
	} else {
		if (gate->controls.state == PMSCOPE_ACCESS_OPEN)
			own_control(gate);
		resolve(gate);
	}
	pmscope_capture_use_hardware(gate->state == PMSCOPE_GATE_ALLOWED);
	local_irq_restore(flags);
	return 0;
}

static void restore_control(struct gate_cpu *gate)
{
	u64 fields = control_field();

	if (is_kernel_in_hyp_mode())
		fields |= PMSCOPE_MDCR_EL2_HPMN;
	if (gate->owns_control)
		write_control((read_control() & ~fields) |
			      (gate->control_was & fields));
	gate->owns_control = false;
}

/*
 * Runs on @cpu, at module unload.  Not when a CPU goes offline: events leave it
 * after that, and it comes back with its controls reset.
 *
 * In a thread, not in an interrupt: that may come while KVM has a guest's
 * MDCR_EL2 in the register, and ours in memory to write it back (VHE).
 */
static int close_gate(unsigned int cpu)
{
	unsigned long flags;

	if (!unloading)
		return 0;
	local_irq_save(flags);
	restore_control(per_cpu_ptr(&gate_cpu, cpu));
	local_irq_restore(flags);
	return 0;
}

/* Firmware suspend loses MDCR_EL2 and PMECR_EL1; el2_setup knows no PMSSE. */
static int gate_cpu_pm(struct notifier_block *nb, unsigned long action,
		       void *data)
{
	if (action != CPU_PM_EXIT || !this_cpu_ptr(&gate_cpu)->owns_control)
		return NOTIFY_OK;

	if (this_cpu_ptr(&gate_cpu)->state > PMSCOPE_GATE_TRAPPED)
		set_control(PMSCOPE_SSE_ALLOWED);
	if (is_kernel_in_hyp_mode())
		claim_counters();
	return NOTIFY_OK;
}

/* Ahead of arm_pmu, which starts all counters at once: none may be EL2's then. */
static struct notifier_block gate_cpu_pm_nb = {
	.notifier_call = gate_cpu_pm,
	.priority = 1,
};

/**
 * pmscope_gate_forced_frozen() - did the administrator say backend=frozen?
 */
bool pmscope_gate_forced_frozen(void)
{
	return sysfs_streq(backend, "frozen");
}

static bool forced_hardware(void)
{
	return sysfs_streq(backend, "hardware");
}

/**
 * pmscope_gate_backend() - how the counters of a CPU are to be captured
 * @cpu: a possible CPU
 */
enum pmscope_backend pmscope_gate_backend(int cpu)
{
	if (pmscope_capture_uses_hardware(cpu))
		return PMSCOPE_BACKEND_HARDWARE;
	if (forced_hardware() ||
	    !(pmscope_caps(cpu)->features & PMSCOPE_FEAT_PMUV3))
		return PMSCOPE_BACKEND_NONE;
	return PMSCOPE_BACKEND_FROZEN;
}

/**
 * pmscope_gate_accessible() - may PMSSCR_EL1 and the SVRs of a CPU be read?
 * @cpu: a possible CPU
 */
bool pmscope_gate_accessible(int cpu)
{
	return per_cpu(gate_cpu, cpu).state > PMSCOPE_GATE_TRAPPED;
}

/**
 * pmscope_gate_controls() - may PMECR_EL1, PMUACR_EL1 and PMICNTR_EL0 of a CPU
 *	be touched, those that it has?
 * @cpu: a possible CPU
 */
bool pmscope_gate_controls(int cpu)
{
	const struct gate_cpu *gate = per_cpu_ptr(&gate_cpu, cpu);

	return gate->controls.state == PMSCOPE_ACCESS_OPEN ||
	       gate->fw.available & ~gate->fw.el2_traps &
	       PMSCOPE_MDCR_EL3_ENPM2;
}

/**
 * pmscope_gate_access() - which registers are open on a CPU, in words
 * @cpu: a possible CPU
 * @text: where to
 * @size: of it
 *
 * Return: as scnprintf(); 0 where the CPU has none
 */
int pmscope_gate_access(int cpu, char *text, size_t size)
{
	const struct gate_cpu *gate = per_cpu_ptr(&gate_cpu, cpu);
	int len;

	len = pmscope_access_print(text, size, PMSCOPE_PMSSCR,
				   gate->snapshots);
	if (len && gate->controls.state != PMSCOPE_ACCESS_NONE)
		len += scnprintf(text + len, size - len, ", ");
	return len + pmscope_access_print(text + len, size - len,
					  PMSCOPE_PMECR, gate->controls);
}

/* A gate that was open when the CPU came online: what the last capture met */
static enum pmscope_gate state_now(int cpu)
{
	enum pmscope_gate state = per_cpu(gate_cpu, cpu).state;

	if (state != PMSCOPE_GATE_ALLOWED)
		return state;
	switch (pmscope_capture_last_result(cpu)) {
	case PMSCOPE_TIMED_OUT:
		return PMSCOPE_GATE_STUCK;
	case PMSCOPE_DISABLED:
		return PMSCOPE_GATE_DISABLED;
	case PMSCOPE_PROHIBITED:
		return PMSCOPE_GATE_PROHIBITED;
	default:
		return state;
	}
}

/**
 * pmscope_gate_name() - the gate state of a CPU, in one word
 * @cpu: a possible CPU
 */
const char *pmscope_gate_name(int cpu)
{
	return gate_names[state_now(cpu)];
}

/**
 * pmscope_gate_reason() - the register field that decides, and its value
 * @cpu: a CPU that has been online
 */
const char *pmscope_gate_reason(int cpu)
{
	if (state_now(cpu) == per_cpu(gate_cpu, cpu).state)
		return per_cpu(gate_cpu, cpu).reason;
	return pmscope_capture_uses_hardware(cpu) ?
		"the last capture failed, though captures worked when the CPU came online" :
		"PMSSCR_EL1.SS stayed 1; given up until the CPU comes online again";
}

/* One line says what blocks, for the first CPU that has the feature. */
static void report_blocked(void)
{
	const char *instead = forced_hardware() ?
		"no pmu_snapshot there" :
		"pmu_snapshot uses the frozen back end";
	enum pmscope_gate state;
	int cpu;

	for_each_online_cpu(cpu) {
		state = per_cpu(gate_cpu, cpu).state;
		if (state <= PMSCOPE_GATE_UNUSED ||
		    state == PMSCOPE_GATE_ALLOWED)
			continue;
		pr_err("CPU %d: hardware snapshots %s: %s; %s\n", cpu,
		       gate_names[state], per_cpu(gate_cpu, cpu).reason,
		       instead);
		return;
	}
}

/* One line says what is open, and how that is known. */
static void report_access(void)
{
	char text[PMSCOPE_ACCESS_TEXT_MAX];
	int cpu;

	for_each_online_cpu(cpu) {
		if (!pmscope_gate_access(cpu, text, sizeof(text)))
			continue;
		pr_info("CPU %d: %s\n", cpu, text);
		return;
	}
}

/**
 * pmscope_gate_init() - open the gate of every CPU, now and as they come online
 *
 * Return: 0, -EINVAL for an unknown backend=, or an errno of cpuhp.
 */
int pmscope_gate_init(void)
{
	int ret;

	if (!pmscope_gate_forced_frozen() && !forced_hardware() &&
	    !sysfs_streq(backend, "auto")) {
		pr_err("backend=%s is none of auto, hardware, frozen\n",
		       backend);
		return -EINVAL;
	}
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmscope/gate:online",
				open_gate, close_gate);
	if (ret < 0)
		return ret;
	gate_hp_state = ret;
	cpu_pm_register_notifier(&gate_cpu_pm_nb);
	report_access();
	report_blocked();
	return 0;
}

/**
 * pmscope_gate_exit() - give every CPU its controls back as they were
 */
void pmscope_gate_exit(void)
{
	cpu_pm_unregister_notifier(&gate_cpu_pm_nb);
	unloading = true;
	cpuhp_remove_state(gate_hp_state);
}
