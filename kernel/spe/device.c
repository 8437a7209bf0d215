// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiling device: probing it, and CPUs that come online, go offline and
 * lose power.
 *
 * The driver has no table of devices.  It binds only where the administrator
 * wrote "pmscope" to the device's driver_override, so loading the module takes
 * nothing away from arm_spe_pmu.
 *
 * It cannot be unbound through sysfs: before 6.15 perf core cannot unregister a
 * PMU with open events, and a driver cannot refuse an unbind.  The way to give
 * the device back is to unload the module, to which open events hold a
 * reference.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "compat.h"
#include "cpu.h"
#include "spe/pmu.h"
#include "spe/spe.h"

#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/mmu.h>

#define DRIVER_NAME	"pmscope"

static bool physical_buffers;
module_param(physical_buffers, bool, 0444);
MODULE_PARM_DESC(physical_buffers,
		 "give SPE buffers to the hardware by physical address (FEAT_SPE_nVM) even where virtual ones would do, and whether or not firmware says that it opened PMBMAR_EL1");

/* driver_override takes any device, so look whether it is a profiling unit. */
static bool spe_is_device(struct platform_device *pdev)
{
	const char *dt_name = "arm,statistical-profiling-extension-v1";
	/* Made from the MADT by drivers/perf/arm_pmu_acpi.c */
	const char *acpi_name = "arm,spe-v1";

	return of_device_is_compatible(pdev->dev.of_node, dt_name) ||
	       !strcmp(pdev->name, acpi_name);
}

/* Say in the kernel log why a CPU cannot profile; @ret: of spe_caps_probe() */
static void spe_report_no_caps(struct device *dev, int cpu, int ret,
			       const struct spe_caps *caps)
{
	switch (ret) {
	case -ENODEV:
		dev_warn(dev, "CPU%d has no FEAT_SPE (ID_AA64DFR0_EL1.PMSVer is 0)\n",
			 cpu);
		break;
	case -EPERM:
		dev_err(dev, "CPU%d: the Profiling Buffer belongs to a higher Exception level (PMBIDR_EL1.P is 1): firmware or the hypervisor has to open it (MDCR_EL3.NSPB, MDCR_EL2.E2PB)\n",
			cpu);
		break;
	case -EACCES:
		dev_err(dev, "CPU%d: PMSIDR_EL1 was tried and traps: firmware or the hypervisor has to open the profiling registers (MDCR_EL3.NSPB, MDCR_EL2.TPMS)\n",
			cpu);
		break;
	default:
		dev_err(dev, "CPU%d: record size or alignment unknown (PMSIDR_EL1 0x%llx, PMBIDR_EL1 0x%llx)\n",
			cpu, caps->pmsidr, caps->pmbidr);
		break;
	}
}

/* One CPU asked for its capabilities */
struct caps_request {
	struct spe_caps	caps;
	int		ret;
};

static void spe_probe_ipi(void *data)
{
	struct caps_request *req = data;

	req->ret = spe_caps_probe(&req->caps, physical_buffers);
}

static int spe_report_no_cpu(const struct spe_pmu *spe, int cpu,
			     const struct caps_request *failed)
{
	struct device *dev = &spe->pdev->dev;

	if (cpu < nr_cpu_ids) {
		spe_report_no_caps(dev, cpu, failed->ret, &failed->caps);
		return failed->ret;
	}
	dev_err(dev, "none of its CPUs %*pbl is online\n",
		cpumask_pr_args(&spe->affinity));
	return -ENODEV;
}

/*
 * What the online CPUs of the device have in common, without those that cannot
 * profile at all: spe_hotplug_add() leaves them out and says why.
 */
static int spe_probe_caps(struct spe_pmu *spe)
{
	int cpu, failed_cpu = nr_cpu_ids;
	struct caps_request failed = { };
	bool found = false;

	cpus_read_lock();
	for_each_cpu_and(cpu, &spe->affinity, cpu_online_mask) {
		struct caps_request req = { };

		smp_call_function_single(cpu, spe_probe_ipi, &req, 1);
		if (req.ret) {
			failed = req;
			failed_cpu = cpu;
		} else if (found) {
			spe_caps_merge(&spe->caps, &req.caps);
		} else {
			spe->caps = req.caps;
			found = true;
		}
	}
	cpus_read_unlock();
	if (!found)
		return spe_report_no_cpu(spe, failed_cpu, &failed);

	if (spe->caps.max_buffer < PAGE_SIZE) {
		dev_err(&spe->pdev->dev, "the hypervisor allows a buffer of %llu bytes only (PMBIDR_EL1.MaxBuffSize)\n",
			spe->caps.max_buffer);
		return -EOPNOTSUPP;
	}
	spe_caps_report_access(&spe->pdev->dev, &spe->caps);
	return 0;
}

/* Is there a PMU of this name, of ours or of arm_spe_pmu? */
static bool spe_name_taken(struct device *pmu_dev, const char *name)
{
	struct device *dev = bus_find_device_by_name(pmu_dev->bus, NULL, name);

	put_device(dev);
	return dev;
}

/*
 * The first arm_spe_<n> that is free.  perf core does not export its bus, but
 * the device of the "software" PMU is on it.
 */
static int spe_choose_name(struct spe_pmu *spe)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_DUMMY,
		.size		= sizeof(attr),
		.disabled	= 1,
	};
	struct perf_event *event;
	unsigned int n = 0;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);

	do {
		snprintf(spe->name, sizeof(spe->name), "arm_spe_%u", n++);
	} while (spe_name_taken(event->pmu->dev, spe->name));

	perf_event_release_kernel(event);
	return 0;
}

static int spe_online_state;

static bool spe_cpu_may_join(struct spe_pmu *spe, unsigned int nr)
{
	struct device *dev = &spe->pdev->dev;
	struct spe_caps caps = { };
	int ret = spe_caps_probe(&caps, physical_buffers);

	if (ret) {
		spe_report_no_caps(dev, nr, ret, &caps);
		return false;
	}
	if (spe_caps_join(dev, &spe->caps, &caps))
		return true;
	dev_warn(dev, "CPU%u stays out of %s: its PMSIDR_EL1 0x%llx PMBIDR_EL1 0x%llx lacks what the other CPUs have\n",
		 nr, spe->name, caps.pmsidr, caps.pmbidr);
	return false;
}

static bool spe_cpu_join(struct spe_pmu *spe, unsigned int nr)
{
	if (!spe_cpu_may_join(spe, nr))
		return false;
	spe_run_resume(per_cpu_ptr(spe->cpu, nr));
	return true;
}

/*
 * Runs on the CPU.  A CPU that lacks what the PMU promised comes online, but
 * not for this PMU.  After an aborted offline an event may still run.
 */
static int spe_cpu_online(unsigned int nr, struct hlist_node *node)
{
	struct spe_pmu *spe = hlist_entry_safe(node, struct spe_pmu, node);
	struct spe_cpu *cpu = per_cpu_ptr(spe->cpu, nr);

	if (!cpumask_test_cpu(nr, &spe->affinity))
		return 0;
	if (!cpu->event && !spe_cpu_join(spe, nr))
		return 0;

	enable_percpu_irq(spe->irq, IRQ_TYPE_NONE);
	cpumask_set_cpu(nr, &spe->cpus);
	cpu->ready = true;
	return 0;
}

/*
 * Runs on the CPU, before perf core removes the events from it.  The event that
 * profiles now runs on until then: if a later teardown callback fails, the CPU
 * stays online, and nobody would start the event again.
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

/* Idle states and suspend may switch the CPU off while an event runs. */
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

/* Stop profiling on this CPU; interrupts are off. */
static void spe_cpu_quiesce(void *data)
{
	struct spe_pmu *spe = data;
	struct spe_cpu *cpu = this_cpu_ptr(spe->cpu);

	cpu->ready = false;
	spe_run_stop(cpu);
	/* No event runs: this only resets the registers. */
	spe_run_resume(cpu);
}

/*
 * Stop profiling on all CPUs.  At shutdown, because SPE must not write to the
 * memory of the kernel that kexec starts.
 */
static void spe_hotplug_quiesce(struct spe_pmu *spe)
{
	on_each_cpu_mask(&spe->cpus, spe_cpu_quiesce, spe, true);
}

static void spe_hotplug_remove(void *data)
{
	struct spe_pmu *spe = data;

	cpuhp_state_remove_instance(spe_online_state, &spe->node);
	/* The next driver finds a unit that does nothing. */
	spe_hotplug_quiesce(spe);
}

static void spe_pm_remove(void *data)
{
	struct spe_pmu *spe = data;

	cpu_pm_unregister_notifier(&spe->pm);
}

/*
 * Make the CPUs of a device ready, now and when they come online.  Fills
 * spe->cpus.  Undone when the driver lets go of the device.
 */
static int spe_hotplug_add(struct spe_pmu *spe)
{
	struct device *dev = &spe->pdev->dev;
	int ret;

	ret = cpuhp_state_add_instance(spe_online_state, &spe->node);
	if (ret)
		return ret;
	ret = devm_add_action_or_reset(dev, spe_hotplug_remove, spe);
	if (ret)
		return ret;

	spe->pm.notifier_call = spe_cpu_pm;
	ret = cpu_pm_register_notifier(&spe->pm);
	if (ret)
		return ret;
	return devm_add_action_or_reset(dev, spe_pm_remove, spe);
}

static int spe_hotplug_init(void)
{
	int ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN,
					  "perf/arm/pmscope_spe:online",
					  spe_cpu_online, spe_cpu_offline);

	if (ret < 0)
		return ret;
	spe_online_state = ret;
	return 0;
}

static void spe_hotplug_exit(void)
{
	cpuhp_remove_multi_state(spe_online_state);
}

static void spe_free_irq(void *data)
{
	struct spe_pmu *spe = data;

	free_percpu_irq(spe->irq, spe->cpu);
}

static int spe_request_irq(struct spe_pmu *spe)
{
	struct device *dev = &spe->pdev->dev;
	int ret;

	ret = pmscope_request_percpu_irq(spe->irq, spe_irq_handler, DRIVER_NAME,
					 &spe->affinity, spe->cpu);
	if (ret) {
		dev_err(dev, "interrupt %d is taken (%d): another driver uses the profiling unit\n",
			spe->irq, ret);
		return ret;
	}
	return devm_add_action_or_reset(dev, spe_free_irq, spe);
}

static void spe_unregister(void *data)
{
	struct spe_pmu *spe = data;

	perf_pmu_unregister(&spe->pmu);
}

static int spe_check_device(struct platform_device *pdev)
{
	if (!spe_is_device(pdev)) {
		dev_err(&pdev->dev, "driver_override is pmscope, but this is no Statistical Profiling device\n");
		return -ENODEV;
	}
	return 0;
}

/*
 * By virtual or by physical addresses?  With kernel page table isolation user
 * space runs without the mapping that the hardware would write to, so there it
 * takes physical ones.
 */
static int spe_choose_addresses(struct spe_pmu *spe)
{
	struct device *dev = &spe->pdev->dev;
	bool isolated = arm64_kernel_unmapped_at_el0();
	unsigned long features = spe->caps.features;

	spe->physical = physical_buffers || isolated ||
			!(features & SPE_FEAT_VIRTUAL);
	if (!spe->physical || features & SPE_FEAT_PHYSICAL)
		return 0;

	if (isolated)
		dev_err(dev, "the Profiling Buffer is not mapped while user space runs, because kernel page table isolation is on, and the CPU cannot write it by physical address (FEAT_SPE_nVM): boot with kpti=off if the CPU is not affected by Meltdown\n");
	else
		dev_err(dev, "no physical addresses for the Profiling Buffer (PMBIDR_EL1 0x%llx, ID_AA64DFR2_EL1 0x%llx)\n",
			spe->caps.pmbidr, spe->caps.dfr2);
	return -EPERM;
}

static struct spe_pmu *spe_alloc(struct platform_device *pdev)
{
	struct spe_pmu *spe;
	int cpu;

	spe = devm_kzalloc(&pdev->dev, sizeof(*spe), GFP_KERNEL);
	if (!spe)
		return NULL;
	spe->cpu = devm_alloc_percpu(&pdev->dev, struct spe_cpu);
	if (!spe->cpu)
		return NULL;

	for_each_possible_cpu(cpu) {
		per_cpu_ptr(spe->cpu, cpu)->caps = &spe->caps;
		per_cpu_ptr(spe->cpu, cpu)->name = spe->name;
	}
	spe->pdev = pdev;
	return spe;
}

static void spe_announce(const struct spe_pmu *spe)
{
	const struct spe_caps *caps = &spe->caps;

	dev_info(&spe->pdev->dev, "%s on CPUs %*pbl: PMSVer %u, features 0x%lx, %s buffers, records up to %u bytes, align %u, latencies %u bits, interval from %u\n",
		 spe->name, cpumask_pr_args(&spe->cpus), caps->pmsver,
		 caps->features, spe->physical ? "physical" : "virtual",
		 caps->max_record, caps->align, caps->counter_bits,
		 caps->min_interval);
	spe_caps_report_errata(&spe->pdev->dev, caps->errata);
}

static int spe_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct spe_pmu *spe;
	int ret;

	ret = spe_check_device(pdev);
	if (ret)
		return ret;

	spe = spe_alloc(pdev);
	if (!spe)
		return -ENOMEM;

	spe->irq = pmscope_get_percpu_irq(pdev, &spe->affinity);
	if (spe->irq < 0)
		return dev_err_probe(dev, spe->irq, "no per-CPU interrupt\n");

	ret = spe_probe_caps(spe) ?: spe_choose_addresses(spe) ?:
	      spe_choose_name(spe) ?: spe_request_irq(spe) ?:
	      spe_hotplug_add(spe);
	if (ret)
		return ret;

	/* Last: from here on user space may open events. */
	ret = spe_pmu_register(spe);
	if (ret)
		return dev_err_probe(dev, ret, "cannot register %s\n",
				     spe->name);
	ret = devm_add_action_or_reset(dev, spe_unregister, spe);
	if (ret)
		return ret;

	platform_set_drvdata(pdev, spe);
	spe_announce(spe);
	return 0;
}

static void spe_shutdown(struct platform_device *pdev)
{
	spe_hotplug_quiesce(platform_get_drvdata(pdev));
}

static struct platform_driver spe_driver = {
	.driver		= {
		.name			= DRIVER_NAME,
		.suppress_bind_attrs	= true,
	},
	.probe		= spe_probe,
	.shutdown	= spe_shutdown,
};

/* pmscope_caps_any() may change its answer when CPUs come online. */
static bool spe_offered;

/**
 * pmscope_spe_init() - offer the profiling driver
 *
 * Return: 0, -ENODEV where no CPU has FEAT_SPE, or another -errno.
 */
int pmscope_spe_init(void)
{
	int ret;

	if (!pmscope_caps_any(PMSCOPE_FEAT_SPE))
		return -ENODEV;

	ret = spe_hotplug_init();
	if (ret)
		goto out;
	ret = platform_driver_register(&spe_driver);
	if (ret)
		goto out_hotplug;
	spe_offered = true;
	return 0;

out_hotplug:
	spe_hotplug_exit();
out:
	pr_err("arm_spe: registration failed: %d\n", ret);
	return ret;
}

/**
 * pmscope_spe_exit() - undo pmscope_spe_init(), also if it failed
 *
 * Lets go of all profiling devices.
 */
void pmscope_spe_exit(void)
{
	if (!spe_offered)
		return;
	platform_driver_unregister(&spe_driver);
	spe_freeze_exit();
	spe_hotplug_exit();
	spe_offered = false;
}
