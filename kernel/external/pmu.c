// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu_external: counts of a CPU, read from other CPUs.
 *
 * An event of CPU n is backed by a pinned counter of its arm_pmu, as an event of
 * pmu_snapshot is.  But perf core has it on another CPU, a housekeeping one, and any
 * CPU of the package reads it there: through the frame of CPU n, on which nothing runs
 * for it between the open and the close.
 *
 * One capture serves a group.  perf core works on a group in a transaction, or with the
 * PMU disabled; what is read in such a window is of one capture.
 */
#define pr_fmt(fmt) "pmscope: external: " fmt

#include "compat.h"
#include "cpu_line.h"
#include "external/external.h"
#include "external/frame.h"
#include "snapshot/backing.h"
#include "snapshot/pmu.h"

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sysfs.h>
#include <asm/barrier.h>

#define CONFIG_EVENT	0xffff

/*
 * Captures in a row that may come to nothing: some 100 us, in which a CPU has changed
 * its counters.
 */
#define MAX_TRIES	32

/**
 * struct ext_event - private data of a perf event
 * @backing: its counter
 * @cpu: the CPU that is watched
 * @idx: hw.idx of the counter while that is on its CPU, or -1
 * @raw: its hw.prev_count
 * @folded: its count up to @raw
 * @total: what the counter had counted at the last capture of the group
 * @valid: @total is of that capture
 * @based: hw.prev_count is a total; else the first capture sets it
 * @stood: the time for which the count stood still, because captures failed
 * @ran: event->total_time_running at the last fold
 */
struct ext_event {
	struct snap_backing *backing;
	int cpu;
	int idx;
	u64 raw;
	u64 folded;
	u64 total;
	bool valid;
	bool based;
	u64 stood;
	u64 ran;
};

/**
 * struct ext_window - while perf core works on groups on this CPU
 * @depth: how many times it has begun to
 * @leader: of the group that was captured, or NULL
 * @ret: how that ended
 * @reads: the transaction is a read
 */
struct ext_window {
	unsigned int depth;
	struct perf_event *leader;
	int ret;
	bool reads;
};

static DEFINE_PER_CPU(struct ext_window, ext_window);
static struct pmu ext_pmu;
static bool ext_registered;

static struct ext_event *to_ext(const struct perf_event *event)
{
	return event->pmu_private;
}

static bool ext_is_ours(const struct perf_event *event)
{
	return event->pmu == &ext_pmu;
}

/* Counters of another CPU */

/* What arm_pmu changes when it gives a counter to an event, or takes it back */
static void ext_note_counter(struct perf_event *event)
{
	struct ext_event *ext = to_ext(event);
	struct perf_event *counter = snap_backing_counter(ext->backing);

	ext->idx = READ_ONCE(counter->state) == PERF_EVENT_STATE_ACTIVE ?
			   READ_ONCE(counter->hw.idx) : -1;
	ext->raw = local64_read(&counter->hw.prev_count);
	ext->folded = local64_read(&counter->count);
}

/* Return: false if the CPU was changing the counter meanwhile */
static bool ext_take_total(struct perf_event *event,
			   const struct ext_capture *cap)
{
	struct ext_event *ext = to_ext(event), was = *ext;
	unsigned int n;
	u64 total;

	ext_note_counter(event);
	if (ext->idx != was.idx || ext->raw != was.raw ||
	    ext->folded != was.folded)
		return false;
	/* It was not enabled yet, is lost, or left with its CPU. */
	ext->valid = ext->idx >= 0;
	if (!ext->valid)
		return true;
	n = pmscope_idx_to_counter(ext->idx);
	if (!(cap->counters & BIT_ULL(n)))
		return false;
	total = ext->folded + ((cap->value[n] - ext->raw) &
		snap_backing_mask(snap_backing_counter(ext->backing)));
	/* Less than before: between both halves of a fold */
	if (ext->based && (s64)(total - ext->total) < 0)
		return false;
	ext->total = total;
	return true;
}

static int ext_try_group(struct ext_frame *frame, struct perf_event *leader)
{
	struct perf_event *member;
	struct ext_capture cap;
	int ret;

	for (member = leader; member; member = snap_next_member(leader, member))
		if (ext_is_ours(member))
			ext_note_counter(member);
	/* What was noted is read before the frame, ... */
	rmb();
	ret = ext_capture(frame, &cap);
	/* ... and what is noted again behind it. */
	rmb();
	for (member = leader; !ret && member;
	     member = snap_next_member(leader, member))
		if (ext_is_ours(member) && !ext_take_total(member, &cap))
			ret = -EAGAIN;
	return ret;
}

static int ext_capture_group(struct perf_event *leader)
{
	struct ext_frame *frame = ext_frame(to_ext(leader)->cpu);
	unsigned int tries = 0;
	int ret = -ENODEV;

	raw_spin_lock(&frame->lock);
	while (frame->powered && tries < MAX_TRIES) {
		ret = ext_try_group(frame, leader);
		if (!ret)
			break;
		tries += ret == -EIO ? MAX_TRIES / 4 : 1;
		frame->stats[EXT_RETRIED]++;
		cpu_relax();
	}
	frame->stats[ret ? EXT_FAILED : EXT_CAPTURED]++;
	raw_spin_unlock(&frame->lock);
	return ret;
}

/* Windows */

/* pmu_disable */
static void ext_begin(struct pmu *pmu)
{
	struct ext_window *window = this_cpu_ptr(&ext_window);

	if (!window->depth++)
		window->leader = NULL;
}

/* pmu_enable, and cancel_txn */
static void ext_end(struct pmu *pmu)
{
	this_cpu_ptr(&ext_window)->depth--;
}

static void ext_start_txn(struct pmu *pmu, unsigned int flags)
{
	ext_begin(pmu);
	this_cpu_ptr(&ext_window)->reads = flags & PERF_PMU_TXN_READ;
}

/* The read of a group fails instead of returning an old count. */
static int ext_commit_txn(struct pmu *pmu)
{
	struct ext_window *window = this_cpu_ptr(&ext_window);

	ext_end(pmu);
	return window->reads && window->leader ? window->ret : 0;
}

/* Makes @total of each member current. */
static int ext_update_group(struct perf_event *event)
{
	struct ext_window *window = this_cpu_ptr(&ext_window);
	struct perf_event *leader = event->group_leader;

	if (window->depth && window->leader == leader)
		return window->ret;
	window->ret = ext_capture_group(leader);
	window->leader = leader;
	return window->ret;
}

/* Counts */

/*
 * A count that stands still has no error to return, but in a transaction.  So its
 * running time stands still, too, and users scale as for any event that did not always
 * run, until the next capture brings both up to date.
 */
static void ext_stand_still(struct perf_event *event)
{
	struct ext_event *ext = to_ext(event);

	ext->stood += event->total_time_running - ext->ran;
	event->total_time_running = ext->ran;
}

static void ext_fold(struct perf_event *event)
{
	struct ext_event *ext = to_ext(event);
	u64 before;
	int ret;

	ret = ext_update_group(event);
	if (!ret && !ext->valid)
		this_cpu_ptr(&ext_window)->ret = ret = -EBUSY;
	if (ret) {
		ext_stand_still(event);
		return;
	}
	before = local64_xchg(&event->hw.prev_count, ext->total);
	if (ext->based)
		local64_add(ext->total - before, &event->count);
	ext->based = true;
	event->total_time_running += ext->stood;
	ext->stood = 0;
	ext->ran = event->total_time_running;
}

/* Calls of perf core for one event */

static bool ext_is_stopped(const struct perf_event *event)
{
	return event->hw.state & PERF_HES_STOPPED;
}

/* Until its open returns the counter is off, and ext_start_late() comes. */
static void ext_start(struct perf_event *event, int flags)
{
	struct ext_event *ext = to_ext(event);
	struct perf_event *counter = snap_backing_counter(ext->backing);

	if (!ext_is_stopped(event) ||
	    READ_ONCE(counter->state) == PERF_EVENT_STATE_OFF)
		return;
	event->hw.state = 0;
	ext->based = false;
	ext->stood = 0;
	ext->ran = event->total_time_running;
	ext_fold(event);
}

static void ext_start_late(void *info)
{
	struct perf_event *event = info;

	if (event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == smp_processor_id())
		ext_start(event, 0);
}

static void ext_stop(struct perf_event *event, int flags)
{
	if (ext_is_stopped(event))
		return;
	ext_fold(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
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
	ext_stop(event, PERF_EF_UPDATE);
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

	if (is_sampling_event((struct perf_event *)event) ||
	    event->attach_state & PERF_ATTACH_TASK ||
	    has_branch_stack((struct perf_event *)event) || attr->exclusive ||
	    attr->sigtrap || attr->precise_ip)
		return -EOPNOTSUPP;
	if (event->cpu < 0 || attr->config & ~CONFIG_EVENT)
		return -EINVAL;
	for (word = 1; word < PMSCOPE_ATTR_CONFIGS; word++)
		if (pmscope_attr_config(attr, word))
			return -EINVAL;
	return 0;
}

/* A CPU that reads for @watched; not below nr_cpu_ids if there is no other */
static unsigned int ext_reader_of(unsigned int watched)
{
	unsigned int cpu, found = cpumask_any_but(cpu_online_mask, watched);

	rcu_read_lock();
	for_each_cpu_and(cpu, housekeeping_cpumask(HK_TYPE_DOMAIN), cpu_online_mask)
		if (cpu != watched)
			found = cpu;
	rcu_read_unlock();
	return found;
}

static void ext_destroy(struct perf_event *event)
{
	struct ext_event *ext = to_ext(event);

	snap_backing_release(ext->backing);
	ext_frame_unwatch(ext->cpu);
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
	event->pmu_private = ext;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	ret = snap_backing_enable_later(ext->backing, event, ext_start_late);
	if (ret)
		goto out_unwatch;
	return 0;

out_unwatch:
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
	event->event_caps |= PERF_EV_CAP_READ_ACTIVE_PKG;
	event->destroy = ext_destroy;
	return 0;
}

static struct pmu ext_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_invalid_context,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
	.event_init	= ext_event_init,
	.add		= ext_add,
	.del		= ext_del,
	.start		= ext_start,
	.stop		= ext_stop,
	.read		= ext_read,
	.pmu_disable	= ext_begin,
	.pmu_enable	= ext_end,
	.start_txn	= ext_start_txn,
	.commit_txn	= ext_commit_txn,
	.cancel_txn	= ext_end,
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

static struct attribute *ext_caps[] = {
	&dev_attr_frames.attr,
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

static struct attribute *ext_stats[] = {
	&dev_attr_captured.attr,
	&dev_attr_failed.attr,
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
