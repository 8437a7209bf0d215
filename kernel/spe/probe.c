// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking a profiling device.
 *
 * The driver has no table of devices.  It binds only where the administrator
 * wrote "pmscope" to the device's driver_override, so installing the module
 * takes nothing away from arm_spe_pmu.
 *
 * It cannot be unbound through sysfs: before 6.15 perf core cannot take a PMU
 * away while events of it are open, and a driver cannot refuse an unbind.  An
 * open event holds a reference to the module instead, so that the one way to
 * give the device back, unloading the module, is safe and refused while in use.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "cpu.h"
#include "compat.h"
#include "access.h"
#include "spe/spe.h"
#include "spe/errata.h"
#include "spe/freeze.h"
#include "spe/pmu.h"
#include "spe/regs.h"

#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/cputype.h>
#include <asm/mmu.h>

#define DRIVER_NAME	"pmscope"

static bool physical_buffers;
module_param(physical_buffers, bool, 0444);
MODULE_PARM_DESC(physical_buffers,
		 "give SPE buffers to the hardware by physical address (FEAT_SPE_nVM) even where virtual ones would do, and whether or not firmware says that it opened PMBMAR_EL1");

/* driver_override takes any device, so look whether it is a profiling unit. */
static bool is_spe_device(struct platform_device *pdev)
{
	const char *dt_name = "arm,statistical-profiling-extension-v1";
	/* Made from the MADT by drivers/perf/arm_pmu_acpi.c */
	const char *acpi_name = "arm,spe-v1";

	return of_device_is_compatible(pdev->dev.of_node, dt_name) ||
	       !strcmp(pdev->name, acpi_name);
}

/**
 * spe_report_no_caps() - say in the kernel log why a CPU cannot profile
 * @dev: the profiling device
 * @cpu: the CPU
 * @ret: what spe_caps_probe() returned, not 0
 * @caps: as far as it came
 */
void spe_report_no_caps(struct device *dev, int cpu, int ret,
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

/* Features whose registers EL3, and EL2, have to open one by one */
static const struct guarded {
	enum pmscope_guarded	reg;
	unsigned long		feature;
	const char		*name;
} guarded[] = {
	{ PMSCOPE_PMSNEVFR, SPE_FEAT_FILT_INV_EVENT, "inverse event filter" },
	{ PMSCOPE_PMSDSFR, SPE_FEAT_FILT_SOURCE, "data source filter" },
	{ PMSCOPE_PMBMAR, SPE_FEAT_PHYSICAL, "physical buffers" },
};

/* On this CPU */
static void close_features(struct spe_caps *caps)
{
	bool trusted;

	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++) {
		if (!(caps->features & guarded[i].feature))
			continue;
		trusted = pmscope_access_is_trusted() ||
			  (guarded[i].reg == PMSCOPE_PMBMAR && physical_buffers);
		spe_caps_guard(caps, guarded[i].feature, guarded[i].reg,
			       pmscope_access_find(guarded[i].reg, trusted));
	}
}

/**
 * spe_probe_cpu() - what this CPU can do, and firmware and EL2 let it
 * @caps: filled in as far as possible
 *
 * Nothing may profile on this CPU.  Interrupts off, or pinned to the CPU.
 *
 * Return: 0, or an error of spe_caps_probe().
 */
int spe_probe_cpu(struct spe_caps *caps)
{
	int ret = spe_caps_probe(caps);

	if (ret)
		return ret;
	caps->errata = spe_errata_of(read_cpuid_id());
	close_features(caps);
	return 0;
}

/**
 * spe_access_print() - which registers firmware opened, in words
 * @caps: of spe_probe_cpu(), or merged
 * @text: where to
 * @size: of it
 *
 * Return: as scnprintf(); 0 where the CPUs have none
 */
int spe_access_print(const struct spe_caps *caps, char *text, size_t size)
{
	int len = 0;

	*text = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++) {
		if (caps->access[guarded[i].reg].state == PMSCOPE_ACCESS_NONE)
			continue;
		if (len)
			len += scnprintf(text + len, size - len, ", ");
		len += pmscope_access_print(text + len, size - len,
					    guarded[i].reg,
					    caps->access[guarded[i].reg]);
	}
	return len;
}

static void report_guarded(struct device *dev, const struct guarded *g,
			   struct pmscope_access access)
{
	const char *reg = pmscope_access_register(g->reg);
	const char *field = pmscope_access_field(g->reg);

	if (access.state == PMSCOPE_ACCESS_TRAPPED &&
	    access.known_by == PMSCOPE_INFERRED)
		dev_warn(dev, "no %s: the kernel's own EL2 (nVHE) traps %s (HDFGRTR2_EL2.n%s is 0); trust_firmware=1 takes it for open\n",
			 g->name, reg, reg);
	else if (access.state == PMSCOPE_ACCESS_TRAPPED)
		dev_warn(dev, "no %s: %s was tried and traps (MDCR_EL3.%s is 0, or a hypervisor traps it)\n",
			 g->name, reg, field);
	else if (access.state == PMSCOPE_ACCESS_UNKNOWN &&
		 g->reg == PMSCOPE_PMSDSFR)
		dev_warn(dev, "no %s: firmware does not say whether it traps %s (MDCR_EL3.%s is not reported); trust_firmware=1 takes it for open\n",
			 g->name, reg, field);
}

/* Features of the device's CPUs that at least one of them may not use */
static void report_access(struct device *dev, const struct spe_caps *caps)
{
	char text[PMSCOPE_ACCESS_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++)
		report_guarded(dev, &guarded[i], caps->access[guarded[i].reg]);
	if (spe_access_print(caps, text, sizeof(text)))
		dev_info(dev, "%s\n", text);
}

/* One CPU asked for its capabilities */
struct caps_request {
	struct spe_caps	caps;
	int		ret;
};

static void read_caps_ipi(void *data)
{
	struct caps_request *req = data;

	req->ret = spe_probe_cpu(&req->caps);
}

static int report_no_cpu(const struct spe_pmu *spe, int cpu,
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
 * What the online CPUs of the device have in common.  Those that cannot
 * profile at all do not count, spe_hotplug_add() leaves them out and says why.
 */
static int probe_caps(struct spe_pmu *spe)
{
	int cpu, failed_cpu = nr_cpu_ids;
	struct caps_request failed = { };
	bool found = false;

	cpus_read_lock();
	for_each_cpu_and(cpu, &spe->affinity, cpu_online_mask) {
		struct caps_request req = { };

		smp_call_function_single(cpu, read_caps_ipi, &req, 1);
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
		return report_no_cpu(spe, failed_cpu, &failed);

	if (spe->caps.max_buffer < PAGE_SIZE) {
		dev_err(&spe->pdev->dev, "the hypervisor allows a buffer of %llu bytes only (PMBIDR_EL1.MaxBuffSize)\n",
			spe->caps.max_buffer);
		return -EOPNOTSUPP;
	}
	report_access(&spe->pdev->dev, &spe->caps);
	return 0;
}

/* Is there a PMU of this name, of ours or of arm_spe_pmu? */
static bool pmu_name_taken(struct device *pmu_dev, const char *name)
{
	struct device *dev = bus_find_device_by_name(pmu_dev->bus, NULL, name);

	put_device(dev);
	return dev;
}

/*
 * The first arm_spe_<n> that is free.  perf core does not export its bus, but
 * the device of the "software" PMU is on it.
 */
static int choose_name(struct spe_pmu *spe)
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
	} while (pmu_name_taken(event->pmu->dev, spe->name));

	perf_event_release_kernel(event);
	return 0;
}

static void free_irq_action(void *data)
{
	struct spe_pmu *spe = data;

	free_percpu_irq(spe->irq, spe->cpu);
}

static int request_irq_action(struct spe_pmu *spe)
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
	return devm_add_action_or_reset(dev, free_irq_action, spe);
}

static void unregister_action(void *data)
{
	spe_pmu_unregister(data);
}

static int check_device(struct platform_device *pdev)
{
	if (!is_spe_device(pdev)) {
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
static int choose_addresses(struct spe_pmu *spe)
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

static struct spe_pmu *alloc_spe(struct platform_device *pdev)
{
	struct spe_pmu *spe;
	int cpu;

	spe = devm_kzalloc(&pdev->dev, sizeof(*spe), GFP_KERNEL);
	if (!spe)
		return NULL;
	spe->cpu = devm_alloc_percpu(&pdev->dev, struct spe_cpu);
	if (!spe->cpu)
		return NULL;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(spe->cpu, cpu)->spe = spe;
	spe->pdev = pdev;
	return spe;
}

static void announce(const struct spe_pmu *spe)
{
	const struct spe_caps *caps = &spe->caps;

	dev_info(&spe->pdev->dev, "%s on CPUs %*pbl: PMSVer %u, features 0x%lx, %s buffers, records up to %u bytes, align %u, latencies %u bits, interval from %u\n",
		 spe->name, cpumask_pr_args(&spe->cpus), caps->pmsver,
		 caps->features, spe->physical ? "physical" : "virtual",
		 caps->max_record, caps->align, caps->counter_bits,
		 caps->min_interval);
	spe_errata_report(&spe->pdev->dev, caps->errata);
}

static int spe_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct spe_pmu *spe;
	int ret;

	ret = check_device(pdev);
	if (ret)
		return ret;

	spe = alloc_spe(pdev);
	if (!spe)
		return -ENOMEM;

	spe->irq = pmscope_get_percpu_irq(pdev, &spe->affinity);
	if (spe->irq < 0)
		return dev_err_probe(dev, spe->irq, "no per-CPU interrupt\n");

	ret = probe_caps(spe) ?: choose_addresses(spe) ?: choose_name(spe) ?:
	      request_irq_action(spe) ?: spe_hotplug_add(spe);
	if (ret)
		return ret;

	/* Last, since user space may open events from here on. */
	ret = spe_pmu_register(spe);
	if (ret)
		return dev_err_probe(dev, ret, "cannot register %s\n",
				     spe->name);
	ret = devm_add_action_or_reset(dev, unregister_action, spe);
	if (ret)
		return ret;

	platform_set_drvdata(pdev, spe);
	announce(spe);
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

/* CPUs may bring FEAT_SPE later, so that does not tell. */
static bool offered;

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
	offered = true;
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
	if (!offered)
		return;
	platform_driver_unregister(&spe_driver);
	spe_freeze_exit();
	spe_hotplug_exit();
	offered = false;
}
