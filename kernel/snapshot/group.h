/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of pmu_snapshot events: one capture serves all members.
 */
#ifndef PMSCOPE_SNAPSHOT_GROUP_H
#define PMSCOPE_SNAPSHOT_GROUP_H

#include "capture.h"

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

void snap_group_init(const struct pmu *counting, const struct pmu *streaming);
void snap_group_exit(void);

bool snap_group_is_ours(const struct perf_event *event);
bool snap_group_is_on_cpu(const struct perf_event *event);

void snap_group_start(struct perf_event *event);
void snap_group_stop(struct perf_event *event);
void snap_group_read(struct perf_event *event);
void snap_group_fail(struct perf_event *leader);

void snap_group_start_txn(struct pmu *pmu, unsigned int flags);
int snap_group_commit_txn(struct pmu *pmu);
void snap_group_cancel_txn(struct pmu *pmu);
const struct pmscope_capture *snap_group_txn_capture(void);

void snap_group_capture(struct perf_event *event, struct pmscope_capture *cap);

#endif /* PMSCOPE_SNAPSHOT_GROUP_H */
