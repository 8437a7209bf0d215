// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of pmu_snapshot events as a whole: captured at once outside of perf's
 * calls, and ended at once when one of the counters is lost.
 */
#include "snapshot/backing.h"
#include "capture.h"
#include "snapshot/event.h"

#include <linux/perf_event.h>

/**
 * snap_is_on_cpu() - does an event of ours count on this CPU now?
 * @event: an event of pmu_snapshot
 *
 * Safe from contexts that interrupt perf core while it schedules.
 */
bool snap_is_on_cpu(const struct perf_event *event)
{
	const struct perf_event *counter = READ_ONCE(to_snap(event)->counter);

	return counter && !(event->hw.state & PERF_HES_STOPPED) &&
	       !to_snap(event)->ended && pmscope_backing_on_cpu(counter);
}

static bool has_failed(const struct perf_event *event)
{
	const struct perf_event *counter = to_snap(event)->counter;

	return counter && READ_ONCE(counter->state) == PERF_EVENT_STATE_ERROR;
}

static bool any_failed(struct perf_event *leader)
{
	struct perf_event *member = leader;

	for (; member; member = snap_next_member(leader, member))
		if (snap_is_ours(member) && has_failed(member))
			return true;
	return false;
}

/**
 * snap_end_group() - the members of a group take note of its end
 * @leader: of the group, on this CPU; interrupts off
 *
 * What is not folded yet is not to be, until they start again.
 */
void snap_end_group(struct perf_event *leader)
{
	struct perf_event *member = leader;

	for (; member; member = snap_next_member(leader, member))
		if (snap_is_ours(member))
			to_snap(member)->ended = true;
}

/**
 * snap_note_end() - has the group of an event lost a counter?
 * @event: any member, active on this CPU; interrupts off
 *
 * Pinned counters of a CPU go before those of a task, which perf core then puts
 * into the error state, one by one, for good.  The group ends as a whole, at its
 * last capture.  Members that stop first forget their counter, so all take note.
 *
 * Return: true if it has, and is not to be folded any more.
 */
bool snap_note_end(struct perf_event *event)
{
	if (!to_snap(event)->ended && any_failed(event->group_leader))
		snap_end_group(event->group_leader);
	return to_snap(event)->ended;
}

/**
 * snap_hold_time() - what does not count does not run
 * @event: its group has ended; interrupts off
 *
 * Read alone there is no error to return, as snap_commit_txn() does for groups:
 * the time stands still with the count, and users scale as for any event that
 * did not always run.
 */
void snap_hold_time(struct perf_event *event)
{
	/* perf core may be about to change it. */
	if (!in_nmi())
		event->total_time_running = to_snap(event)->ran;
}

static void unfold(struct perf_event *event)
{
	struct snap_event *snap = to_snap(event);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	local64_sub(local64_read(&event->hw.prev_count) - snap->before,
		    &event->count);
	local64_set(&event->hw.prev_count, snap->before);
	snap->ran = snap->ran_before;
	snap_hold_time(event);
}

/**
 * snap_unfold_group() - back to the capture before that of this transaction
 * @leader: of a group that has ended, and each of whose members was read in it
 */
void snap_unfold_group(struct perf_event *leader)
{
	struct perf_event *member = leader;

	for (; member; member = snap_next_member(leader, member))
		if (snap_is_ours(member))
			unfold(member);
}

static u64 group_counters(struct perf_event *leader)
{
	struct perf_event *member = leader;
	u64 set = 0;

	for (; member; member = snap_next_member(leader, member))
		if (snap_is_ours(member) && snap_is_on_cpu(member))
			set |= BIT_ULL(pmscope_backing_number(to_snap(member)->counter));
	return set;
}

static bool fold_group(struct perf_event *leader,
		       const struct pmscope_capture *cap)
{
	struct perf_event *member = leader;
	u64 value;

	for (; member; member = snap_next_member(leader, member)) {
		if (!snap_is_ours(member) || !snap_is_on_cpu(member))
			continue;
		if (!pmscope_backing_value(to_snap(member)->counter, cap,
					   &value))
			return false;
		snap_fold(member, value);
	}
	return true;
}

/**
 * snap_capture_group() - capture, and bring the counts of a group up to it
 * @event: any member, active on this CPU; interrupts off
 * @cap: the capture
 */
void snap_capture_group(struct perf_event *event, struct pmscope_capture *cap)
{
	struct perf_event *leader = event->group_leader;
	unsigned int tries = 0;

	snap_note_end(event);
	do {
		pmscope_capture(group_counters(leader), cap);
	} while (!fold_group(leader, cap) && ++tries < SNAP_FOLD_RACES);
}
