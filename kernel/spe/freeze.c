// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeping PMCR_EL0.FZS set.
 *
 * PMCR_EL0 belongs to arm_pmuv3, which clears FZS each time it starts its
 * counters: at a context switch, or when an event is added or removed.  From
 * the first event with freeze=1 on, a return probe on the function that starts
 * them sets FZS again on the CPUs where such an event runs.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "spe/freeze.h"
#include "spe/regs.h"
#include "sysreg.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>

/* The bits that PMCR_EL0 must have on this CPU, 0 if nothing is frozen */
static DEFINE_PER_CPU(u64, freeze_bits);

/* The counters have counted since the management event of this window. */
static DEFINE_PER_CPU(bool, freeze_lapsed);

/* The probe has been called. */
static bool freeze_probe_called;

static void spe_freeze_set_bits(void)
{
	write_sysreg(read_sysreg(pmcr_el0) | this_cpu_read(freeze_bits),
		     pmcr_el0);
	isb();
}

/*
 * Counters start with interrupts off, or in the PMU's own interrupt, so PMBIRQ
 * may be pending here.  Then they counted from the write of PMCR_EL0 until now.
 * FZS is set first, so that no event is missed between the look and the freeze;
 * PSB and ISB make the hardware's update of PMBSR_EL1 visible (D17.7).
 */
static int spe_freeze_started(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	if (!READ_ONCE(freeze_probe_called))
		WRITE_ONCE(freeze_probe_called, true);
	if (!this_cpu_read(freeze_bits))
		return 0;
	spe_freeze_set_bits();
	psb_csync();
	isb();
	if (read_sysreg_s(SYS_PMBSR_EL1) & PMBSR_S)
		spe_freeze_note_lapse();
	return 0;
}

NOKPROBE_SYMBOL(spe_freeze_started);

static struct kretprobe freeze_probe;
static bool freeze_probe_inserted;
static DEFINE_MUTEX(freeze_probe_lock);

/* Make arm_pmuv3 start the counters of one CPU. */
static void spe_freeze_start_counters(void)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_HARDWARE,
		.config	= PERF_COUNT_HW_CPU_CYCLES,
		.size	= sizeof(attr),
	};
	struct perf_event *event;
	int cpu;

	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL,
							 NULL);
		if (IS_ERR(event))
			continue;
		perf_event_release_kernel(event);
		return;
	}
}

/*
 * LTO may have inlined the function into its callers: the symbol exists then,
 * but the probe is never called.
 */
static int spe_freeze_insert_probe(void)
{
	int ret;

	/* A failed registration leaves an address: start from zero. */
	freeze_probe = (struct kretprobe){
		.kp.symbol_name	= "armv8pmu_start",
		.handler	= spe_freeze_started,
	};
	ret = register_kretprobe(&freeze_probe);
	if (ret)
		return ret;
	spe_freeze_start_counters();
	if (READ_ONCE(freeze_probe_called))
		return 0;
	unregister_kretprobe(&freeze_probe);
	pr_warn_once("freeze=1 is refused: counters start without a call of %s, so PMCR_EL0.FZS would not stay set\n",
		     freeze_probe.kp.symbol_name);
	return -EOPNOTSUPP;
}

/**
 * spe_freeze_get() - insert the probe that keeps FZS set
 *
 * The probe stays until the module is unloaded.  Inserting and removing it
 * stops all CPUs, and users could repeat that by opening and closing events.
 *
 * Context: process, without locks of perf core.
 * Return: 0, -EOPNOTSUPP where the kernel cannot probe arm_pmuv3.
 */
int spe_freeze_get(void)
{
	mutex_lock(&freeze_probe_lock);
	if (!freeze_probe_inserted)
		freeze_probe_inserted = !spe_freeze_insert_probe();
	mutex_unlock(&freeze_probe_lock);
	return freeze_probe_inserted ? 0 : -EOPNOTSUPP;
}

/**
 * spe_freeze_exit() - remove the probe; no event is left
 */
void spe_freeze_exit(void)
{
	if (freeze_probe_inserted)
		unregister_kretprobe(&freeze_probe);
	freeze_probe_inserted = false;
}

/**
 * spe_freeze_arm() - set FZS on this CPU, and keep it set
 * @cycles: freeze the cycle counter too.  That takes PMCR_EL0.DP as well
 *	(FEAT_SPE_DPFZS), which also stops it where counting is prohibited.
 */
void spe_freeze_arm(bool cycles)
{
	this_cpu_write(freeze_bits, PMSCOPE_PMCR_FZS |
				    (cycles ? PMSCOPE_PMCR_DP : 0));
	spe_freeze_set_bits();
}

/**
 * spe_freeze_disarm() - give PMCR_EL0 back to arm_pmuv3
 */
void spe_freeze_disarm(void)
{
	u64 bits = this_cpu_read(freeze_bits);

	if (!bits)
		return;
	this_cpu_write(freeze_bits, 0);
	write_sysreg(read_sysreg(pmcr_el0) & ~bits, pmcr_el0);
	isb();
}

/**
 * spe_freeze_new_window() - wait for the next management event
 */
void spe_freeze_new_window(void)
{
	this_cpu_write(freeze_lapsed, false);
}

/**
 * spe_freeze_note_lapse() - the counters counted after the management event
 *
 * They do while PMCR_EL0.FZS or PMBLIMITR_EL1.E is 0 (RHSGZX).
 */
void spe_freeze_note_lapse(void)
{
	this_cpu_write(freeze_lapsed, true);
}

NOKPROBE_SYMBOL(spe_freeze_note_lapse);

/**
 * spe_freeze_held() - are the counters of this CPU frozen?
 *
 * Return: true if they have been since the pending management event.
 */
bool spe_freeze_held(void)
{
	return read_sysreg(pmcr_el0) & PMSCOPE_PMCR_FZS &&
	       !this_cpu_read(freeze_lapsed);
}
