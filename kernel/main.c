// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmscope: PMU snapshots (FEAT_PMUv3_SS), of this CPU and of others, and statistical
 * profiling (FEAT_SPE) as perf PMUs.  Each is registered only where its feature is.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "access.h"
#include "cpu.h"
#include "debugfs.h"
#include "external/external.h"
#include "snapshot/backing.h"
#include "snapshot/records.h"
#include "snapshot/snapshot.h"
#include "snapshot/sysfs.h"
#include "spe/spe.h"

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>

static const struct {
	unsigned long feature;
	const char *name;
} feature_names[] = {
	{ PMSCOPE_FEAT_PMUV3, "PMUv3" },
	{ PMSCOPE_FEAT_PMUV3P5, "PMUv3p5" },
	{ PMSCOPE_FEAT_PMUV3P7, "PMUv3p7" },
	{ PMSCOPE_FEAT_PMUV3P9, "PMUv3p9" },
	{ PMSCOPE_FEAT_SS, "PMUv3_SS" },
	{ PMSCOPE_FEAT_ICNTR, "PMUv3_ICNTR" },
	{ PMSCOPE_FEAT_EBEP, "EBEP" },
	{ PMSCOPE_FEAT_SPE, "SPE" },
};

/* One line.  An asterisk marks a feature that only some CPUs have. */
static void __init log_features(void)
{
	unsigned long all = 0, common = ~0UL;
	char text[128] = "";
	size_t i, len = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!pmscope_caps(cpu)->valid)
			continue;
		all |= pmscope_caps(cpu)->features;
		common &= pmscope_caps(cpu)->features;
	}
	for (i = 0; i < ARRAY_SIZE(feature_names); i++) {
		if (!(all & feature_names[i].feature))
			continue;
		len += scnprintf(text + len, sizeof(text) - len, " %s%s",
				 feature_names[i].name,
				 common & feature_names[i].feature ? "" : "*");
	}
	pr_info("features:%s; %u event counters on CPU %u\n",
		len ? text : " none",
		pmscope_caps(cpumask_first(cpu_online_mask))->nr_counters,
		cpumask_first(cpu_online_mask));
}

static int __init check_features(bool has_frames)
{
	if (pmscope_caps_any(PMSCOPE_FEAT_SS) ||
	    pmscope_caps_any(PMSCOPE_FEAT_SPE) ||
	    pmscope_access_is_forced_frozen() || has_frames)
		return 0;

	pr_err("no CPU has FEAT_PMUv3_SS (ID_AA64DFR0_EL1.PMSS) or FEAT_SPE (ID_AA64DFR0_EL1.PMSVer); backend=frozen gives pmu_snapshot on plain PMUv3, and external= pmu_external\n");
	return -ENODEV;
}

static int __init pmscope_init(void)
{
	int ret, snapshot, external = -ENODEV;
	bool has_frames;

	ret = pmscope_caps_init();
	if (ret)
		return ret;

	has_frames = ext_frames_find();
	ret = check_features(has_frames);
	if (ret)
		goto out_caps;
	log_features();

	ret = pmscope_access_init();
	if (ret)
		goto out_caps;

	ret = snap_records_init();
	if (ret)
		goto out_access;
	ret = snap_backing_init();
	if (ret)
		goto out_records;

	/* Each of them is useful without the others. */
	snapshot = pmscope_snapshot_init(snap_sysfs_groups);
	if (has_frames)
		external = pmscope_external_init();
	ret = pmscope_spe_init();
	if (ret && snapshot && external) {
		ret = snapshot;
		goto out_backing;
	}
	pmscope_regs_init();
	return 0;

out_backing:
	pmscope_snapshot_exit();
	snap_backing_exit();
out_records:
	snap_records_exit();
out_access:
	pmscope_access_exit();
out_caps:
	pmscope_caps_exit();
	return ret;
}

static void __exit pmscope_exit(void)
{
	pmscope_regs_exit();
	pmscope_spe_exit();
	pmscope_external_exit();
	pmscope_snapshot_exit();
	snap_backing_exit();
	snap_records_exit();
	pmscope_access_exit();
	pmscope_caps_exit();
}

module_init(pmscope_init);
module_exit(pmscope_exit);

MODULE_DESCRIPTION("PMU snapshots and statistical profiling for Arm");
MODULE_LICENSE("GPL");
