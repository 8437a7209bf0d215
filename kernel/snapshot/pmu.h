/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmu_snapshot, and the groups of its events: one capture serves all members.
 */
#ifndef PMSCOPE_SNAPSHOT_PMU_H
#define PMSCOPE_SNAPSHOT_PMU_H

#include "capture.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"

#include <linux/list.h>
#include <linux/perf_event.h>

/*
 * Members of a group: `for (m = leader; m; m = snap_next_member(leader, m))`.
 * Call on the CPU where the group runs, with interrupts off. Includes events of
 * other PMUs.
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

/**
 * snap_group_is_on_cpu() - does an event of ours count on this CPU now?
 * @event: an event of pmu_snapshot
 *
 * Context: interrupts off, or a pseudo-NMI that interrupts perf core while it
 * schedules.
 * Return: false also if its group has lost a counter
 */
static inline bool snap_group_is_on_cpu(const struct perf_event *event)
{
	const struct perf_event *counter = READ_ONCE(to_snap(event)->counter);

	return counter && !(event->hw.state & PERF_HES_STOPPED) &&
	       !to_snap(event)->error && snap_backing_on_cpu(counter);
}

const struct pmscope_capture *snap_group_txn_capture(void);
void snap_group_capture(struct perf_event *event, struct pmscope_capture *cap);

int snap_pmu_init(struct pmu *streaming, const struct attribute_group **groups);
void snap_pmu_exit(void);

#endif /* PMSCOPE_SNAPSHOT_PMU_H */
