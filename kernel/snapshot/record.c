// SPDX-License-Identifier: GPL-2.0-only
/*
 * struct pmscope_record from a capture.
 */
#include "snapshot/backing.h"
#include "snapshot/event.h"
#include "snapshot/record.h"
#include "sysreg.h"

#include <linux/build_bug.h>
#include <linux/pmscope.h>
#include <linux/sched.h>
#include <linux/smp.h>

static struct pmscope_record_counter *
next_counter(struct pmscope_record *record)
{
	struct pmscope_record_counter *counters = (void *)(record + 1);

	return &counters[record->nr_counters++];
}

static void fill_register(struct pmscope_record_counter *to, unsigned int n,
			  const struct pmscope_capture *cap)
{
	to->number = n;
	to->type = pmscope_counter_type(n);
	to->value = cap->value[n];
}

/* Return: the member's counter as a bit of PMCNTENSET_EL0, 0 if it has none. */
static u64 add_member(struct pmscope_record *record, struct perf_event *member,
		      const struct pmscope_capture *cap)
{
	struct pmscope_record_counter *to = next_counter(record);
	unsigned int n;

	*to = (struct pmscope_record_counter){
		.flags = PMSCOPE_COUNTER_MEMBER,
		.id = snap_primary_id(member),
		.count = local64_read(&member->count),
	};
	if (!snap_is_on_cpu(member)) {
		to->flags |= PMSCOPE_COUNTER_STALE;
		return 0;
	}
	n = pmscope_backing_number(to_snap(member)->counter);
	fill_register(to, n, cap);
	return BIT_ULL(n);
}

static u64 add_members(struct pmscope_record *record, struct perf_event *leader,
		       const struct pmscope_capture *cap)
{
	struct perf_event *member = leader;
	u64 set = 0;

	for (; member; member = snap_next_member(leader, member))
		if (snap_is_ours(member) &&
		    record->nr_counters < PMSCOPE_NR_COUNTERS)
			set |= add_member(record, member, cap);
	return set;
}

static void add_others(struct pmscope_record *record, u64 set,
		       const struct pmscope_capture *cap)
{
	struct pmscope_record_counter *to;

	for (; set; set &= set - 1) {
		to = next_counter(record);
		*to = (struct pmscope_record_counter){};
		fill_register(to, __ffs64(set), cap);
	}
}

static void add_spe(struct pmscope_record *record,
		    const struct pmscope_spe_window *spe)
{
	record->flags |= PMSCOPE_RECORD_HAS_SPE;
	if (spe->frozen)
		record->flags |= PMSCOPE_RECORD_SPE_FROZEN;
	record->pmbsr = spe->pmbsr;
	record->pmbptr = spe->pmbptr;
	record->aux_offset = spe->aux_offset;
	record->aux_size = spe->aux_size;
}

/* A hardware capture was tried, so PMSSCR_EL1 may be accessed. */
static u64 pmsscr_after(const struct pmscope_capture *cap)
{
	if (cap->backend != PMSCOPE_BACKEND_HARDWARE &&
	    cap->result == PMSCOPE_CAPTURED)
		return 0;
	return read_sysreg_s(SYS_PMSSCR_EL1);
}

/**
 * snap_record_fill() - make the record of a capture
 * @record: room for SNAP_RECORD_MAX bytes
 * @event: the streaming event, active on this CPU
 * @trigger: why
 * @cap: the capture, folded into the counts of @event's group; interrupts off
 *	since then
 *
 * Leaves record->lost 0.
 */
void snap_record_fill(struct pmscope_record *record, struct perf_event *event,
		      const struct snap_trigger *trigger,
		      const struct pmscope_capture *cap)
{
	/* A child's own namespace is that of the task that made it by fork(). */
	struct pid_namespace *owner = (event->parent ?: event)->ns;
	u64 set;

	BUILD_BUG_ON(sizeof(*record) % 8);
	BUILD_BUG_ON(sizeof(struct pmscope_record_counter) % 8);

	*record = (struct pmscope_record){
		.magic = PMSCOPE_RECORD_MAGIC,
		.version = PMSCOPE_RECORD_VERSION,
		.counters_at = sizeof(*record),
		.counter_size = sizeof(struct pmscope_record_counter),
		.trigger = trigger->by,
		.backend = cap->backend,
		.result = cap->result,
		.flags = trigger->throttled ? PMSCOPE_RECORD_THROTTLED : 0,
		.cpu = smp_processor_id(),
		.pid = task_tgid_nr_ns(current, owner),
		.tid = task_pid_nr_ns(current, owner),
		.id = snap_primary_id(event),
		.time = event->clock(),
		.cntvct = read_sysreg(cntvct_el0),
		.stopped = cap->stopped,
		.pmsscr = pmsscr_after(cap),
		.cookie = trigger->cookie,
	};
	if (trigger->spe)
		add_spe(record, trigger->spe);

	set = add_members(record, event->group_leader, cap);
	if (event->attr.config & PMSCOPE_SNAPSHOT_ALL)
		add_others(record, cap->counters & ~set, cap);
	record->size = sizeof(*record) +
		       record->nr_counters * sizeof(struct pmscope_record_counter);
}
