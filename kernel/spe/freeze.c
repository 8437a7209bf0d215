// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeping PMCR_EL0.FZS set.
 *
 * PMCR_EL0 belongs to arm_pmuv3, which clears what it does not know each time
 * it starts its counters: at a context switch, or when an event comes or goes.
 * From the first event with freeze=1 on, a return probe on the function that starts
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

/* The bits that PMCR_EL0 must have on this CPU, 0 where nothing is frozen */
static DEFINE_PER_CPU(u64, freeze_bits);

/* The counters ran for a moment after the management event of this window. */
static DEFINE_PER_CPU(bool, thawed);

/* The probe was seen to work. */
static bool fired;

static void set_bits(void)
{
	write_sysreg(read_sysreg(pmcr_el0) | this_cpu_read(freeze_bits),
		     pmcr_el0);
	isb();
}

/*
 * Counters start with interrupts off, or in the PMU's own interrupt.  PMBIRQ may
 * wait meanwhile; from the write of PMCR_EL0 to here they counted.  So FZS comes
 * first, and what the SPU has written of PMBSR_EL1 by then is made visible (D17.7).
 */
static int counters_started(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!READ_ONCE(fired))
		WRITE_ONCE(fired, true);
	if (!this_cpu_read(freeze_bits))
		return 0;
	set_bits();
	psb_csync();
	isb();
	if (read_sysreg_s(SYS_PMBSR_EL1) & PMBSR_S)
		spe_freeze_thawed();
	return 0;
}

NOKPROBE_SYMBOL(counters_started);

static struct kretprobe probe;
static bool probing;
static DEFINE_MUTEX(probe_lock);

/* Starts the counters of one CPU. */
static void start_counters(void)
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
 * A compiler that sees all of the kernel (LTO) may have put the function into its
 * callers: the symbol is there then, and nothing comes by.
 */
static int insert_probe(void)
{
	int ret;

	/* An earlier try leaves an address, which may not stand beside a name. */
	probe = (struct kretprobe){
		.kp.symbol_name	= "armv8pmu_start",
		.handler	= counters_started,
	};
	ret = register_kretprobe(&probe);
	if (ret)
		return ret;
	start_counters();
	if (READ_ONCE(fired))
		return 0;
	unregister_kretprobe(&probe);
	pr_warn_once("freeze=1 is refused: counters start without a call of %s, so PMCR_EL0.FZS would not stay set\n",
		     probe.kp.symbol_name);
	return -EOPNOTSUPP;
}

/**
 * spe_freeze_get() - from now on spe_freeze_arm() holds
 *
 * The probe stays until the module goes: to insert and to remove it stops all
 * CPUs, which who opens and closes events is not to repeat.  Process context,
 * without locks of perf core.
 *
 * Return: 0, -EOPNOTSUPP where the kernel cannot probe arm_pmuv3.
 */
int spe_freeze_get(void)
{
	mutex_lock(&probe_lock);
	if (!probing)
		probing = !insert_probe();
	mutex_unlock(&probe_lock);
	return probing ? 0 : -EOPNOTSUPP;
}

/**
 * spe_freeze_exit() - before the module goes; no user is left
 */
void spe_freeze_exit(void)
{
	if (probing)
		unregister_kretprobe(&probe);
	probing = false;
}

/**
 * spe_freeze_arm() - set FZS on this CPU, and keep it set
 * @cycles: the cycle counter too, which takes PMCR_EL0.DP as well
 *	(FEAT_SPE_DPFZS); it then also stops where counting is prohibited
 */
void spe_freeze_arm(bool cycles)
{
	this_cpu_write(freeze_bits, PMSCOPE_PMCR_FZS |
				    (cycles ? PMSCOPE_PMCR_DP : 0));
	set_bits();
}

/**
 * spe_freeze_disarm() - leave PMCR_EL0 as arm_pmuv3 wants it
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
 * spe_freeze_new_window() - the next management event is still to come
 */
void spe_freeze_new_window(void)
{
	this_cpu_write(thawed, false);
}

/**
 * spe_freeze_thawed() - the counters ran behind the management event
 *
 * They do where PMCR_EL0.FZS or PMBLIMITR_EL1.E is 0 for a moment (RHSGZX).
 */
void spe_freeze_thawed(void)
{
	this_cpu_write(thawed, true);
}

NOKPROBE_SYMBOL(spe_freeze_thawed);

/**
 * spe_freeze_held() - have the counters of this CPU stood still?
 *
 * That is: since the management event that is pending.
 */
bool spe_freeze_held(void)
{
	return read_sysreg(pmcr_el0) & PMSCOPE_PMCR_FZS &&
	       !this_cpu_read(thawed);
}
