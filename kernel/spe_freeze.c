// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeping PMCR_EL0.FZS set.
 *
 * PMCR_EL0 belongs to arm_pmuv3, which clears what it does not know each time
 * it starts its counters: at a context switch, or when an event comes or goes.
 * As long as an event with freeze=1 is open, a return probe on the function that
 * starts them sets FZS again on the CPUs where such an event runs.
 */
#include "spe_freeze.h"
#include "spe_regs.h"
#include "sysreg.h"

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>

/* The bits that PMCR_EL0 must have on this CPU, 0 where nothing is frozen */
static DEFINE_PER_CPU(u64, freeze_bits);

/* The counters ran for a moment behind the management event of this window. */
static DEFINE_PER_CPU(bool, thawed);

static void set_bits(void)
{
	write_sysreg(read_sysreg(pmcr_el0) | this_cpu_read(freeze_bits),
		     pmcr_el0);
	isb();
}

/*
 * Counters start with interrupts off, or in the PMU's own interrupt.  PMBIRQ may
 * wait meanwhile; from the write of PMCR_EL0 to here they counted.
 */
static int counters_started(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!this_cpu_read(freeze_bits))
		return 0;
	if (read_sysreg_s(SYS_PMBSR_EL1) & PMBSR_S)
		spe_freeze_thawed();
	set_bits();
	return 0;
}

NOKPROBE_SYMBOL(counters_started);

static struct kretprobe probe;
static bool probing;
static atomic_t users = ATOMIC_INIT(0);
static DEFINE_MUTEX(probe_lock);

static int start_probing(void)
{
	int ret;

	/* register_kretprobe() wants all the rest to be 0, each time. */
	probe = (struct kretprobe){
		.kp.symbol_name	= "armv8pmu_start",
		.handler	= counters_started,
	};
	ret = register_kretprobe(&probe);
	probing = !ret;
	return ret;
}

static void stop_probing(struct work_struct *unused)
{
	mutex_lock(&probe_lock);
	if (probing && !atomic_read(&users)) {
		unregister_kretprobe(&probe);
		probing = false;
	}
	mutex_unlock(&probe_lock);
}

/* Events are freed under locks that must not be held when probes change. */
static DECLARE_WORK(stop_work, stop_probing);

/**
 * spe_freeze_get() - from now on spe_freeze_arm() holds
 *
 * Process context, without locks of perf core.
 *
 * Return: 0, -EOPNOTSUPP where the kernel cannot probe arm_pmuv3.
 */
int spe_freeze_get(void)
{
	int ret = 0;

	mutex_lock(&probe_lock);
	if (!probing)
		ret = start_probing() ? -EOPNOTSUPP : 0;
	if (!ret)
		atomic_inc(&users);
	mutex_unlock(&probe_lock);
	return ret;
}

/**
 * spe_freeze_get_again() - spe_freeze_get() for who has a friend that did
 */
void spe_freeze_get_again(void)
{
	atomic_inc(&users);
}

/**
 * spe_freeze_put() - undo spe_freeze_get()
 */
void spe_freeze_put(void)
{
	if (atomic_dec_and_test(&users))
		schedule_work(&stop_work);
}

/**
 * spe_freeze_exit() - before the module goes; no user is left
 */
void spe_freeze_exit(void)
{
	flush_work(&stop_work);
	stop_probing(NULL);
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
