/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of pmu_snapshot share: its events and their groups.
 */
#ifndef PMSCOPE_SNAPSHOT_EVENT_H
#define PMSCOPE_SNAPSHOT_EVENT_H

#include "capture.h"

#include <linux/list.h>
#include <linux/perf_event.h>
#include <asm/cpufeature.h>

struct pmscope_backing;
struct snap_stream;

/**
 * struct snap_event - our part of a perf event
 * @backing: its backing, or that of the event it was inherited from
 * @counter: the backing counter, while the event is scheduled in and has one
 * @served: generation of the last capture it took
 * @tstamp: event->tstamp when it last came by
 * @before: hw.prev_count before the last fold
 * @ran: event->total_time_running at the last fold
 * @ran_before: and at the one before
 * @ended: the group has lost a counter, and counts no more
 * @stream: where its records go; NULL for an event that only counts
 */
struct snap_event {
	struct pmscope_backing *backing;
	struct perf_event *counter;
	u64 served;
	u64 tstamp;
	u64 before;
	u64 ran;
	u64 ran_before;
	bool ended;
	struct snap_stream *stream;
};

static inline struct snap_event *to_snap(const struct perf_event *event)
{
	return event->pmu_private;
}

/* What PERF_EVENT_IOC_ID says: children count under the name of the parent. */
static inline u64 snap_primary_id(const struct perf_event *event)
{
	return event->parent ? event->parent->id : event->id;
}

/* The captures of a pseudo-NMI race with nobody; one retry is for its folds. */
#define SNAP_FOLD_RACES	4

/* Bring the event's count up to what its counter had counted at a capture. */
static __always_inline void snap_fold(struct perf_event *event, u64 value)
{
	struct snap_event *snap = to_snap(event);
	bool masks = system_uses_irq_prio_masking();
	unsigned long daif = 0;
	u64 prev;

	/* A pseudo-NMI may fold the same event, or record its count. */
	if (masks)
		daif = pmscope_mask_all_irqs();
	prev = local64_read(&event->hw.prev_count);
	local64_set(&event->hw.prev_count, value);
	local64_add(value - prev, &event->count);
	if (masks)
		pmscope_restore_irqs(daif);
	snap->before = prev;
	snap->ran_before = snap->ran;
	snap->ran = event->total_time_running;
}

/*
 * Members of a group: `for (m = leader; m; m = snap_next_member(leader, m))`.
 * On the CPU where the group runs, interrupts off; foreign events are among
 * them.
 */
static inline struct perf_event *snap_next_member(struct perf_event *leader,
						  struct perf_event *member)
{
	struct list_head *next = member == leader ? leader->sibling_list.next :
						    member->sibling_list.next;

	if (next == &leader->sibling_list)
		return NULL;
	return list_entry(next, struct perf_event, sibling_list);
}

/* snapshot/pmu.c */
bool snap_is_ours(const struct perf_event *event);
const struct pmscope_capture *snap_txn_capture(void);

int snap_add(struct perf_event *event, int flags);
void snap_del(struct perf_event *event, int flags);
void snap_lose_counter(struct perf_event *event);
void snap_start(struct perf_event *event, int flags);
void snap_stop(struct perf_event *event, int flags);
void snap_read(struct perf_event *event);
void snap_start_txn(struct pmu *pmu, unsigned int flags);
int snap_commit_txn(struct pmu *pmu);
void snap_cancel_txn(struct pmu *pmu);

/* snapshot/group.c */
bool snap_is_on_cpu(const struct perf_event *event);
void snap_end_group(struct perf_event *leader);
bool snap_note_end(struct perf_event *event);
void snap_hold_time(struct perf_event *event);
void snap_unfold_group(struct perf_event *leader);
void snap_capture_group(struct perf_event *event, struct pmscope_capture *cap);

/* snapshot/open.c */
int snap_event_init(struct perf_event *event);

#endif /* PMSCOPE_SNAPSHOT_EVENT_H */
