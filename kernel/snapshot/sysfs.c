// SPDX-License-Identifier: GPL-2.0-only
/*
 * names/, format/, caps/ and stats/ of the pmu_snapshot PMU.
 */
#include "access.h"
#include "capture.h"
#include "cpu.h"
#include "cpu_line.h"
#include "snapshot/records.h"
#include "snapshot/sysfs.h"

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/time64.h>
#include <asm/sysreg.h>

/*
 * names: the PMUv3 common events, as armv8_pmuv3 names them.  In events/, perf would
 * take them for its own: it opens an event without a PMU, such as inst_retired, on
 * each PMU that has the name there, and prints the sum.
 */

static ssize_t number_show(struct device *dev, struct device_attribute *attr,
			   char *page)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "event=0x%04llx\n", event->id);
}

#define PMSCOPE_EVENT(name, number, ...) \
	PMU_EVENT_ATTR_ID(name, number_show, number),

static struct attribute *snapshot_names[] = {
#include <events/pmuv3.def>
	NULL
};

/*
 * Does a CPU count a common event?  PMCEID<n>_EL0 names the events 0-0x3f and, in
 * the upper halves, 0x4000-0x403f (Arm ARM D24.5 "PMCEID0_EL0").
 */
static bool snap_sysfs_has_event(unsigned int event)
{
	unsigned int reg = (event & 0x20) >> 5, bit = event & 0x1f;
	int cpu;

	if (event & 0x4000)
		bit += 32;
	if (event & ~(0x4000 | 0x3f))
		return false;
	for_each_possible_cpu(cpu)
		if (pmscope_caps(cpu)->pmceid[reg] & BIT_ULL(bit))
			return true;
	return false;
}

static umode_t snap_sysfs_event_is_visible(struct kobject *kobj,
					   struct attribute *attr, int unused)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr.attr);

	return snap_sysfs_has_event(event->id) ? attr->mode : 0;
}

static const struct attribute_group snapshot_names_group = {
	.name = "names",
	.attrs = snapshot_names,
	.is_visible = snap_sysfs_event_is_visible,
};

/* format */

PMU_FORMAT_ATTR(event, "config:0-15");
PMU_FORMAT_ATTR(overflow, "config:16");
PMU_FORMAT_ATTR(spe, "config:17");
PMU_FORMAT_ATTR(request, "config:18");
PMU_FORMAT_ATTR(all, "config:19");

static struct attribute *snapshot_formats[] = {
	&format_attr_all.attr,
	&format_attr_event.attr,
	&format_attr_overflow.attr,
	&format_attr_request.attr,
	&format_attr_spe.attr,
	NULL
};

static const struct attribute_group snapshot_format_group = {
	.name = "format",
	.attrs = snapshot_formats,
};

/*
 * caps: one line if all CPUs have the same text, otherwise a line for each
 * CPU.  If the page is too small for all lines, the last one is "...".
 */

/* A state, the field that decides and its value (access.c) */
#define TEXT_MAX 256

typedef void (*cpu_text_fn)(int cpu, char *text);

static void snap_sysfs_backend(int cpu, char *text)
{
	const char *name = "none";

	if (pmscope_access_backend(cpu) == PMSCOPE_BACKEND_HARDWARE)
		name = "hardware";
	else if (pmscope_access_backend(cpu) == PMSCOPE_BACKEND_FROZEN)
		name = "frozen";
	strscpy(text, name, TEXT_MAX);
}

static void snap_sysfs_gate(int cpu, char *text)
{
	pmscope_access_print_captures(cpu, text, TEXT_MAX);
}

static void snap_sysfs_access(int cpu, char *text)
{
	*text = '\0';
	pmscope_access_print_cpu(cpu, text, TEXT_MAX);
}

static bool snap_sysfs_same_on_all_cpus(cpu_text_fn text_of, const char *first)
{
	char text[TEXT_MAX];
	int cpu;

	for_each_online_cpu(cpu) {
		text_of(cpu, text);
		if (strcmp(text, first))
			return false;
	}
	return true;
}

static ssize_t snap_sysfs_show_cpus(char *page, cpu_text_fn text_of)
{
	char text[TEXT_MAX];
	ssize_t len = 0;
	int cpu;

	text_of(cpumask_first(cpu_online_mask), text);
	if (snap_sysfs_same_on_all_cpus(text_of, text))
		return sysfs_emit(page, "%s\n", text);
	for_each_online_cpu(cpu) {
		text_of(cpu, text);
		if (!pmscope_emit_cpu(page, &len, cpu, text))
			break;
	}
	return len;
}

static ssize_t backend_show(struct device *dev, struct device_attribute *attr,
			    char *page)
{
	return snap_sysfs_show_cpus(page, snap_sysfs_backend);
}
static DEVICE_ATTR_RO(backend);

static ssize_t gate_show(struct device *dev, struct device_attribute *attr,
			 char *page)
{
	return snap_sysfs_show_cpus(page, snap_sysfs_gate);
}
static DEVICE_ATTR_RO(gate);

static ssize_t access_show(struct device *dev, struct device_attribute *attr,
			   char *page)
{
	return snap_sysfs_show_cpus(page, snap_sysfs_access);
}
static DEVICE_ATTR_RO(access);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *page)
{
	cpumask_var_t mask;
	int cpu, len;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for_each_online_cpu(cpu)
		if (pmscope_access_backend(cpu) != PMSCOPE_BACKEND_NONE)
			cpumask_set_cpu(cpu, mask);
	len = sysfs_emit(page, "%*pbl\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return len;
}
static DEVICE_ATTR_RO(cpumask);

/*
 * A task may run on any CPU, so its groups can use no more counters than the CPU
 * with the fewest has.
 */
static ssize_t counters_show(struct device *dev, struct device_attribute *attr,
			     char *page)
{
	unsigned int least = PMSCOPE_NR_COUNTERS;
	int cpu;

	for_each_online_cpu(cpu)
		least = min(least, pmscope_caps(cpu)->nr_counters);
	return sysfs_emit(page, "%u\n", least);
}
static DEVICE_ATTR_RO(counters);

static struct attribute *snapshot_caps[] = {
	&dev_attr_access.attr,
	&dev_attr_backend.attr,
	&dev_attr_counters.attr,
	&dev_attr_cpumask.attr,
	&dev_attr_gate.attr,
	NULL
};

static const struct attribute_group snapshot_caps_group = {
	.name = "caps",
	.attrs = snapshot_caps,
};

/*
 * stats: captures and records since the module was loaded, the sum of all
 * CPUs.  For root only, as they show what other users measure.
 */

#define STAT_ATTR(name, field)                                              \
static ssize_t name##_show(struct device *dev,                              \
			   struct device_attribute *attr, char *page)       \
{                                                                           \
	struct pmscope_capture_stats stats;                                 \
									    \
	pmscope_capture_stats(&stats);                                      \
	return sysfs_emit(page, "%llu\n", stats.field);                     \
}                                                                           \
static DEVICE_ATTR_ADMIN_RO(name)

STAT_ATTR(captured, result[PMSCOPE_CAPTURED]);
STAT_ATTR(prohibited, result[PMSCOPE_PROHIBITED]);
STAT_ATTR(disabled, result[PMSCOPE_DISABLED]);
STAT_ATTR(timed_out, result[PMSCOPE_TIMED_OUT]);
STAT_ATTR(raced, result[PMSCOPE_RACED]);
STAT_ATTR(given_up, given_up);
STAT_ATTR(frozen, frozen);

static ssize_t stopped_ns_show(struct device *dev,
			       struct device_attribute *attr, char *page)
{
	struct pmscope_capture_stats stats;

	pmscope_capture_stats(&stats);
	return sysfs_emit(page, "%llu\n",
			  mul_u64_u32_div(stats.stopped, NSEC_PER_SEC,
					  read_sysreg(cntfrq_el0)));
}
static DEVICE_ATTR_ADMIN_RO(stopped_ns);

#define STREAM_STAT_ATTR(name, field)                                       \
static ssize_t name##_show(struct device *dev,                              \
			   struct device_attribute *attr, char *page)       \
{                                                                           \
	struct snap_stream_stats stats;                                  \
									    \
	snap_records_stats(&stats, false);                               \
	return sysfs_emit(page, "%llu\n", stats.field);                     \
}                                                                           \
static DEVICE_ATTR_ADMIN_RO(name)

STREAM_STAT_ATTR(periods_missed, missed);
STREAM_STAT_ATTR(records, records);
STREAM_STAT_ATTR(records_lost, lost);

static struct attribute *snapshot_stats[] = {
	&dev_attr_captured.attr,
	&dev_attr_disabled.attr,
	&dev_attr_frozen.attr,
	&dev_attr_given_up.attr,
	&dev_attr_periods_missed.attr,
	&dev_attr_prohibited.attr,
	&dev_attr_raced.attr,
	&dev_attr_records.attr,
	&dev_attr_records_lost.attr,
	&dev_attr_stopped_ns.attr,
	&dev_attr_timed_out.attr,
	NULL
};

static const struct attribute_group snapshot_stats_group = {
	.name = "stats",
	.attrs = snapshot_stats,
};

const struct attribute_group *snap_sysfs_groups[] = {
	&snapshot_names_group,
	&snapshot_format_group,
	&snapshot_caps_group,
	&snapshot_stats_group,
	NULL
};
