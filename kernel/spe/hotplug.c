// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that come, go and lose power.
 */
#include "spe/pmu.h"
#include "compat.h"
#include "spe/errata.h"

#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/platform_device.h>
#include <linux/smp.h>

static int online_state;

static bool may_join(struct spe_pmu *spe, unsigned int nr)
{
	struct device *dev = &spe->pdev->dev;
	struct spe_caps caps = { };
	int ret = spe_probe_cpu(&caps);

	if (ret) {
		spe_report_no_caps(dev, nr, ret, &caps);
		return false;
	}
	if (spe_caps_cover(&caps, &spe->caps)) {
		spe_errata_report(dev, spe_caps_join(&spe->caps, &caps));
		return true;
	}
	dev_warn(dev, "CPU%u stays out of %s: its PMSIDR_EL1 0x%llx PMBIDR_EL1 0x%llx lacks what the other CPUs have\n",
		 nr, spe->name, caps.pmsidr, caps.pmbidr);
	return false;
}

static bool join(struct spe_pmu *spe, unsigned int nr)
{
	if (!may_join(spe, nr))
		return false;

	/* The registers are UNKNOWN after a reset. */
	spe_hw_exclude_guests();
	spe_hw_reset();
	return true;
}

/*
 * Runs on the CPU.  One that cannot do what the PMU promised stays out of it;
 * that is no reason to refuse the CPU to everyone else.  One that was to go
 * offline and stays may profile still.
 */
static int spe_cpu_online(unsigned int nr, struct hlist_node *node)
{
	struct spe_pmu *spe = hlist_entry_safe(node, struct spe_pmu, node);
	struct spe_cpu *cpu = per_cpu_ptr(spe->cpu, nr);

	if (!cpumask_test_cpu(nr, &spe->affinity))
		return 0;
	if (!cpu->event && !join(spe, nr))
		return 0;

	enable_percpu_irq(spe->irq, IRQ_TYPE_NONE);
	cpumask_set_cpu(nr, &spe->cpus);
	cpu->ready = true;
	return 0;
}

/*
 * Runs on the CPU, before perf core removes the events from it. An active event
 * continues until then: if a later teardown callback fails, the CPU stays
 * online, and nothing would restart the event.
 */
static int spe_cpu_offline(unsigned int nr, struct hlist_node *node)
{
	struct spe_pmu *spe = hlist_entry_safe(node, struct spe_pmu, node);
	struct spe_cpu *cpu = per_cpu_ptr(spe->cpu, nr);

	if (!cpu->ready)
		return 0;

	cpu->ready = false;
	disable_percpu_irq(spe->irq);
	return 0;
}

/* Idle states and suspend may switch the CPU off with an event on it. */
static int spe_cpu_pm(struct notifier_block *nb, unsigned long action,
		      void *unused)
{
	struct spe_pmu *spe = container_of(nb, struct spe_pmu, pm);
	struct spe_cpu *cpu = this_cpu_ptr(spe->cpu);

	if (!cpu->ready && !cpu->event)
		return NOTIFY_OK;

	switch (action) {
	case CPU_PM_ENTER:
		spe_run_suspend(cpu);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		spe_run_resume(cpu);
		break;
	}
	return NOTIFY_OK;
}

/* Profile no more on this CPU; interrupts are off. */
static void quiesce(void *data)
{
	struct spe_pmu *spe = data;
	struct spe_cpu *cpu = this_cpu_ptr(spe->cpu);

	cpu->ready = false;
	spe_run_stop(cpu);
	spe_hw_reset();
}

/**
 * spe_hotplug_quiesce() - stop profiling on all CPUs for good
 * @spe: registered; process context
 *
 * For shutdown: the kernel that kexec starts must not find a unit that writes
 * to memory.
 */
void spe_hotplug_quiesce(struct spe_pmu *spe)
{
	on_each_cpu_mask(&spe->cpus, quiesce, spe, true);
}

static void remove_instance(void *data)
{
	struct spe_pmu *spe = data;

	cpuhp_state_remove_instance(online_state, &spe->node);
	/* The next driver finds a unit that does nothing. */
	spe_hotplug_quiesce(spe);
}

static void remove_pm(void *data)
{
	struct spe_pmu *spe = data;

	cpu_pm_unregister_notifier(&spe->pm);
}

/**
 * spe_hotplug_add() - make the CPUs of a device ready, now and later
 * @spe: with its interrupt requested
 *
 * Fills spe->cpus.  Undone when the driver lets go of the device.
 *
 * Return: 0 or -errno.
 */
int spe_hotplug_add(struct spe_pmu *spe)
{
	struct device *dev = &spe->pdev->dev;
	int ret;

	ret = cpuhp_state_add_instance(online_state, &spe->node);
	if (ret)
		return ret;
	ret = devm_add_action_or_reset(dev, remove_instance, spe);
	if (ret)
		return ret;

	spe->pm.notifier_call = spe_cpu_pm;
	ret = cpu_pm_register_notifier(&spe->pm);
	if (ret)
		return ret;
	return devm_add_action_or_reset(dev, remove_pm, spe);
}

/**
 * spe_hotplug_init() - reserve the CPU hotplug state
 *
 * Return: 0 or -errno.
 */
int spe_hotplug_init(void)
{
	int ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN,
					  "perf/arm/pmscope_spe:online",
					  spe_cpu_online, spe_cpu_offline);

	if (ret < 0)
		return ret;
	online_state = ret;
	return 0;
}

/**
 * spe_hotplug_exit() - give the CPU hotplug state back
 */
void spe_hotplug_exit(void)
{
	cpuhp_remove_multi_state(online_state);
}
