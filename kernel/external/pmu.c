// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu_external: counts of a CPU, read from other CPUs.
 *
 * An event of CPU n is backed by a pinned counter of its arm_pmu, as an event of
 * pmu_snapshot is.  But perf core has it on another CPU, a housekeeping one, and any
 * CPU of the package reads it there: through the frame of CPU n, on which nothing runs
 * for it between the open and the close.
 */
#define pr_fmt(fmt) "pmscope: external: " fmt

#include "compat.h"
#include "cpu_line.h"
#include "external/external.h"
#include "external/frame.h"
#include "external/group.h"
#include "external/stream.h"
#include "snapshot/backing.h"
#include "snapshot/records.h"

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

#define CONFIG_EVENT	0xffff

static struct pmu ext_pmu;
static bool ext_registered;

/* Calls of perf core for one event */

/*
 * A CPU must not be interrupted to watch itself: if the one that reads goes offline, and
 * no other is left, the stream stands still.
 */
static struct snap_stream *ext_timer(const struct perf_event *event)
{
	const struct ext_event *ext = to_ext(event);

	return ext->cpu == smp_processor_id() ? NULL : ext->stream;
}

/* Until its open returns the counter is off, and ext_start_late() comes. */
static void ext_start(struct perf_event *event, int flags)
{
	struct ext_event *ext = to_ext(event);
	struct perf_event *counter = snap_backing_counter(ext->backing);

	if (!ext_is_stopped(event)) {
		if (ext_timer(event) && flags & PERF_EF_RELOAD)
			snap_records_reload(ext_timer(event));
		return;
	}
	if (READ_ONCE(counter->state) == PERF_EVENT_STATE_OFF)
		return;
	event->hw.state = 0;
	ext->based = false;
	ext->stood = 0;
	ext->ran = event->total_time_running;
	ext_fold(event);
	if (ext_timer(event))
		snap_records_start(ext_timer(event));
}

static void ext_start_late(void *info)
{
	struct perf_event *event = info;

	if (event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == smp_processor_id())
		ext_start(event, 0);
}

static void ext_stop_all(struct perf_event *event)
{
	if (ext_is_stopped(event))
		return;
	if (ext_timer(event))
		snap_records_stop(ext_timer(event));
	ext_fold(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/* As snap_streaming_stop(): an AUX area comes or goes, or a RELOAD follows. */
static void ext_stop(struct perf_event *event, int flags)
{
	if (!to_ext(event)->stream || !(flags & PERF_EF_UPDATE))
		ext_stop_all(event);
}

static int ext_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		ext_start(event, flags);
	return 0;
}

static void ext_del(struct perf_event *event, int flags)
{
	ext_stop_all(event);
}

/* On any CPU of the package: PERF_EV_CAP_READ_ACTIVE_PKG */
static void ext_read(struct perf_event *event)
{
	/* A BPF program in an NMI, which may have interrupted a capture */
	if (!ext_is_stopped(event) && !in_nmi())
		ext_fold(event);
}

/* Open and close */

static int ext_check_attr(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	unsigned int word;

	if (event->attach_state & PERF_ATTACH_TASK ||
	    has_branch_stack((struct perf_event *)event) || attr->exclusive ||
	    attr->sigtrap || attr->precise_ip)
		return -EOPNOTSUPP;
	if (event->cpu < 0 || attr->config & ~CONFIG_EVENT)
		return -EINVAL;
	for (word = 1; word < PMSCOPE_ATTR_CONFIGS; word++)
		if (pmscope_attr_config(attr, word))
			return -EINVAL;
	if (!attr->sample_period)
		return 0;
	/* Its records hold the whole group. */
	if (event->group_leader != event)
		return -EINVAL;
	return snap_records_check_timer(attr);
}

/* pmu::check_period, for PERF_EVENT_IOC_PERIOD */
static int ext_check_period(struct perf_event *event, u64 period)
{
	return period < PMSCOPE_TIMER_PERIOD_MIN ? -EINVAL : 0;
}

/*
 * A CPU that reads for @watched; not below nr_cpu_ids if there is no other.  Best is one
 * that nobody watches, so that none has to watch itself when another goes offline.
 */
static unsigned int ext_reader_of(unsigned int watched)
{
	unsigned int cpu, found = cpumask_any_but(cpu_online_mask, watched);
	bool unwatched = false;

	rcu_read_lock();
	for_each_cpu_and(cpu, housekeeping_cpumask(HK_TYPE_DOMAIN), cpu_online_mask) {
		if (cpu == watched || (unwatched && ext_frame(cpu)->watchers))
			continue;
		unwatched = !ext_frame(cpu)->watchers;
		found = cpu;
	}
	rcu_read_unlock();
	return found;
}

static void ext_destroy(struct perf_event *event)
{
	struct ext_event *ext = to_ext(event);

	snap_backing_release(ext->backing);
	ext_frame_unwatch(ext->cpu);
	kfree(ext->stream);
	kfree(ext);
}

/* The counter comes first: creating it takes the privilege to look at a CPU. */
static int ext_open(struct perf_event *event, struct ext_event *ext)
{
	int ret;

	ext->cpu = event->cpu;
	ext->backing = snap_backing_create(event, NULL);
	if (IS_ERR(ext->backing))
		return PTR_ERR(ext->backing);
	ret = ext_frame_watch(ext->cpu);
	if (ret)
		goto out_release;
	if (event->attr.sample_period) {
		ext->stream = ext_stream_create(event);
		ret = ext->stream ? 0 : -ENOMEM;
	}
	if (ret)
		goto out_unwatch;
	event->pmu_private = ext;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	ret = snap_backing_enable_later(ext->backing, event, ext_start_late);
	if (ret)
		goto out_unwatch;
	return 0;

out_unwatch:
	kfree(ext->stream);
	event->pmu_private = NULL;
	ext_frame_unwatch(ext->cpu);
out_release:
	snap_backing_release(ext->backing);
	return ret;
}

static int ext_event_init(struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;
	struct ext_event *ext;
	unsigned int reader;
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	ret = ext_check_attr(event);
	if (ret)
		return ret;
	if (!cpumask_test_cpu(event->cpu, &ext_proven))
		return -ENODEV;
	/* All members watch one CPU, so that one capture serves them. */
	if (leader != event &&
	    (!ext_is_ours(leader) || to_ext(leader)->cpu != event->cpu))
		return -EINVAL;
	reader = leader == event ? ext_reader_of(event->cpu) : leader->cpu;
	if (reader >= nr_cpu_ids)
		return -EOPNOTSUPP;

	ext = kzalloc(sizeof(*ext), GFP_KERNEL);
	if (!ext)
		return -ENOMEM;
	ret = ext_open(event, ext);
	if (ret) {
		kfree(ext);
		return ret;
	}
	event->cpu = reader;
	/* The timer of a stream does not take the lock that reads elsewhere take. */
	if (!leader->attr.sample_period)
		event->event_caps |= PERF_EV_CAP_READ_ACTIVE_PKG;
	event->destroy = ext_destroy;
	return 0;
}

static struct pmu ext_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_invalid_context,
	.event_init	= ext_event_init,
	.add		= ext_add,
	.del		= ext_del,
	.start		= ext_start,
	.stop		= ext_stop,
	.read		= ext_read,
	.check_period	= ext_check_period,
	.setup_aux	= snap_records_setup_aux,
	.free_aux	= snap_records_free_aux,
};

/* sysfs */

PMU_FORMAT_ATTR(event, "config:0-15");

static struct attribute *ext_formats[] = {
	&format_attr_event.attr,
	NULL
};

static const struct attribute_group ext_format_group = {
	.name = "format",
	.attrs = ext_formats,
};

/* perf opens events for all CPUs on these. */
static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *page)
{
	return sysfs_emit(page, "%*pbl\n", cpumask_pr_args(&ext_proven));
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *ext_attrs[] = {
	&dev_attr_cpumask.attr,
	NULL
};

static const struct attribute_group ext_group = {
	.attrs = ext_attrs,
};

/* Of each CPU: its layout, or why its frame is not used. */
static ssize_t frames_show(struct device *dev, struct device_attribute *attr,
			   char *page)
{
	const struct ext_frame *frame;
	ssize_t len = 0;
	char text[96];
	int cpu;

	for_each_possible_cpu(cpu) {
		frame = ext_frame(cpu);
		snprintf(text, sizeof(text), "%s%s",
			 frame->why ? "refused: " : "",
			 frame->why ?: frame->address ?
			 ext_layout_names[frame->layout] : "none");
		if (!pmscope_emit_cpu(page, &len, cpu, text))
			break;
	}
	return len;
}
static DEVICE_ATTR_RO(frames);

/* Of each CPU: where the PC of its records comes from */
static ssize_t pc_show(struct device *dev, struct device_attribute *attr,
		       char *page)
{
	ssize_t len = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		if (!pmscope_emit_cpu(page, &len, cpu,
				      ext_pc_names[ext_frame(cpu)->pc]))
			break;
	return len;
}
static DEVICE_ATTR_RO(pc);

static struct attribute *ext_caps[] = {
	&dev_attr_frames.attr,
	&dev_attr_pc.attr,
	NULL
};

static const struct attribute_group ext_caps_group = {
	.name = "caps",
	.attrs = ext_caps,
};

/* The sum of all CPUs, for root only, as it shows what others measure */
#define STAT_ATTR(name, nr)                                                 \
static ssize_t name##_show(struct device *dev,                              \
			   struct device_attribute *attr, char *page)       \
{                                                                           \
	u64 sum = 0;                                                        \
	int cpu;                                                            \
									    \
	for_each_possible_cpu(cpu)                                          \
		sum += READ_ONCE(ext_frame(cpu)->stats[nr]);                 \
	return sysfs_emit(page, "%llu\n", sum);                             \
}                                                                           \
static DEVICE_ATTR_ADMIN_RO(name)

STAT_ATTR(captured, EXT_CAPTURED);
STAT_ATTR(failed, EXT_FAILED);
STAT_ATTR(retried, EXT_RETRIED);

#define STREAM_STAT_ATTR(name, field)                                       \
static ssize_t name##_show(struct device *dev,                              \
			   struct device_attribute *attr, char *page)       \
{                                                                           \
	struct snap_stream_stats stats;                                     \
									    \
	snap_records_stats(&stats, true);                                   \
	return sysfs_emit(page, "%llu\n", stats.field);                     \
}                                                                           \
static DEVICE_ATTR_ADMIN_RO(name)

STREAM_STAT_ATTR(periods_missed, missed);
STREAM_STAT_ATTR(records, records);
STREAM_STAT_ATTR(records_lost, lost);

static struct attribute *ext_stats[] = {
	&dev_attr_captured.attr,
	&dev_attr_failed.attr,
	&dev_attr_periods_missed.attr,
	&dev_attr_records.attr,
	&dev_attr_records_lost.attr,
	&dev_attr_retried.attr,
	NULL
};

static const struct attribute_group ext_stats_group = {
	.name = "stats",
	.attrs = ext_stats,
};

static const struct attribute_group *ext_groups[] = {
	&ext_group,
	&ext_format_group,
	&ext_caps_group,
	&ext_stats_group,
	NULL
};

/* Init and exit */

/* On a CPU that goes offline: the events that it reads move to another. */
static int ext_reader_leaves(unsigned int cpu)
{
	unsigned int other = ext_reader_of(cpu);

	if (ext_registered && other < nr_cpu_ids)
		perf_pmu_migrate_context(&ext_pmu, cpu, other);
	return 0;
}

/**
 * pmscope_external_init() - register pmu_external
 *
 * Context: process, in module init; ext_frames_find() found some, and
 * snap_backing_init() was called.
 * Return: 0, also if all frames were refused: sysfs tells why; or an errno.
 */
int __init pmscope_external_init(void)
{
	int ret = ext_frames_init(ext_reader_leaves);

	if (ret)
		return ret;
	ext_group_set_ops(&ext_pmu);
	ext_pmu.attr_groups = ext_groups;
	ret = perf_pmu_register(&ext_pmu, "pmu_external", -1);
	if (ret) {
		pr_err("registration failed: %d\n", ret);
		ext_frames_exit();
	}
	ext_registered = !ret;
	return ret;
}

/**
 * pmscope_external_exit() - undo pmscope_external_init(), also if it failed
 *
 * Context: process; no event is left.
 */
void pmscope_external_exit(void)
{
	if (!ext_registered)
		return;
	/* First what may move events, so that nobody does while the PMU goes. */
	ext_frames_exit();
	perf_pmu_unregister(&ext_pmu);
	ext_registered = false;
}
