// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs of arm_spe_<n>: capabilities, CPUs and loss counters.  The format
 * directory is in spe/format.c.
 * Documentation/reference/ABI describes all files.
 */
#include "cpu_line.h"
#include "spe/errata.h"
#include "spe/pmu.h"

#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>

static ssize_t arch_inst_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	const struct spe_caps *caps = &dev_to_spe_pmu(dev)->caps;

	return sysfs_emit(buf, "%d\n", !!(caps->features & SPE_FEAT_ARCH_INST));
}
static DEVICE_ATTR_RO(arch_inst);

static ssize_t ernd_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	const struct spe_caps *caps = &dev_to_spe_pmu(dev)->caps;

	return sysfs_emit(buf, "%d\n", !!(caps->features & SPE_FEAT_ERND));
}
static DEVICE_ATTR_RO(ernd);

static ssize_t count_size_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_spe_pmu(dev)->caps.counter_bits);
}
static DEVICE_ATTR_RO(count_size);

static ssize_t min_interval_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_spe_pmu(dev)->caps.min_interval);
}
static DEVICE_ATTR_RO(min_interval);

static ssize_t event_filter_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%llx\n",
			  ~dev_to_spe_pmu(dev)->caps.pmsevfr_res0);
}
static DEVICE_ATTR_RO(event_filter);

static ssize_t access_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	char text[PMSCOPE_ACCESS_TEXT_MAX];

	spe_access_print(&dev_to_spe_pmu(dev)->caps, text, sizeof(text));
	return sysfs_emit(buf, "%s\n", text);
}
static DEVICE_ATTR_RO(access);

static struct attribute *caps_attrs[] = {
	&dev_attr_access.attr,
	&dev_attr_arch_inst.attr,
	&dev_attr_ernd.attr,
	&dev_attr_count_size.attr,
	&dev_attr_min_interval.attr,
	&dev_attr_event_filter.attr,
	NULL
};

static const struct attribute_group caps_group = {
	.name	= "caps",
	.attrs	= caps_attrs,
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%*pbl\n",
			  cpumask_pr_args(&dev_to_spe_pmu(dev)->cpus));
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t errata_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return spe_errata_emit(buf, dev_to_spe_pmu(dev)->caps.errata);
}
static DEVICE_ATTR_RO(errata);

static struct attribute *cpu_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_errata.attr,
	NULL
};

static const struct attribute_group cpu_group = {
	.attrs	= cpu_attrs,
};

/* One loss counter */
struct stat_attr {
	struct device_attribute	attr;
	enum spe_stat		stat;
};

static u64 stat_of(const struct spe_pmu *spe, int cpu, enum spe_stat stat)
{
	return spe_stats_read(&per_cpu_ptr(spe->cpu, cpu)->stats, stat);
}

/* The sum first: on very large machines the page does not hold all CPUs. */
static ssize_t stat_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	enum spe_stat stat = container_of(attr, struct stat_attr, attr)->stat;
	const struct spe_pmu *spe = dev_to_spe_pmu(dev);
	u64 total = 0, count;
	char text[24];
	ssize_t len;
	int cpu;

	for_each_possible_cpu(cpu)
		total += stat_of(spe, cpu, stat);
	len = sysfs_emit(buf, "total %llu\n", total);

	for_each_possible_cpu(cpu) {
		count = stat_of(spe, cpu, stat);
		snprintf(text, sizeof(text), "%llu", count);
		if (count && !pmscope_emit_cpu(buf, &len, cpu, text))
			break;
	}
	return len;
}

#define STAT(_name, _stat)						\
	static struct stat_attr stat_##_name = {			\
		.attr	= __ATTR(_name, 0400, stat_show, NULL),		\
		.stat	= _stat,					\
	}

STAT(windows,		SPE_STAT_WINDOWS);
STAT(buffer_full,	SPE_STAT_BUFFER_FULL);
STAT(truncated,		SPE_STAT_TRUNCATED);
STAT(no_room,		SPE_STAT_NO_ROOM);
STAT(data_loss,		SPE_STAT_DATA_LOSS);
STAT(external_abort,	SPE_STAT_EXTERNAL_ABORT);
STAT(faults,		SPE_STAT_FAULTS);
STAT(fault_stage1,	SPE_STAT_FAULT_STAGE1);
STAT(fault_stage2,	SPE_STAT_FAULT_STAGE2);
STAT(fault_gpc,		SPE_STAT_FAULT_GPC);
STAT(fault_impdef,	SPE_STAT_FAULT_IMPDEF);
STAT(fault_too_large,	SPE_STAT_FAULT_TOO_LARGE);
STAT(fault_other,	SPE_STAT_FAULT_OTHER);
STAT(collisions,	SPE_STAT_COLLISIONS);
STAT(spurious,		SPE_STAT_SPURIOUS);

static struct attribute *stat_attrs[] = {
	&stat_windows.attr.attr,
	&stat_buffer_full.attr.attr,
	&stat_truncated.attr.attr,
	&stat_no_room.attr.attr,
	&stat_data_loss.attr.attr,
	&stat_external_abort.attr.attr,
	&stat_faults.attr.attr,
	&stat_fault_stage1.attr.attr,
	&stat_fault_stage2.attr.attr,
	&stat_fault_gpc.attr.attr,
	&stat_fault_impdef.attr.attr,
	&stat_fault_too_large.attr.attr,
	&stat_fault_other.attr.attr,
	&stat_collisions.attr.attr,
	&stat_spurious.attr.attr,
	NULL
};

static const struct attribute_group stat_group = {
	.name	= "stats",
	.attrs	= stat_attrs,
};

const struct attribute_group *spe_attr_groups[] = {
	&cpu_group,
	&caps_group,
	&spe_format_group,
	&stat_group,
	NULL
};
