// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"
#include "base/clock.h"

#include <sys/timerfd.h>

/* Short compared with most programs; longer where opening a group is slow. */
#define TURN_MS	      20
#define TURN_SWITCHES 4
#define COUNTERS_MAX  31

unsigned int stat_turns_counters(void)
{
	uint64_t counters = 0;

	if (sysfs_number(&counters, PMSCOPE_PMU_DEVICES "/" SNAPSHOT_PMU
							"/caps/counters") ||
	    !counters || counters > COUNTERS_MAX)
		return 6;
	return counters;
}

/* In an interval each group has two turns, if there is time. */
static unsigned int turn_ms(const struct stat_run *run)
{
	unsigned int ms = run->config->interval_ms / 2 / run->events.nr_groups;
	unsigned int least = run->switch_ms * TURN_SWITCHES;

	if (!run->config->interval_ms || ms > TURN_MS)
		ms = TURN_MS;
	return ms > least ? ms : least ? least : 1;
}

int stat_turns_start(struct stat_run *run)
{
	unsigned int ms = turn_ms(run);
	struct itimerspec spec = {
		.it_value = {ms / 1000, ms % 1000 * 1000000},
	};

	if (run->turn_fd < 0)
		run->turn_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (run->turn_fd >= 0 && !timerfd_settime(run->turn_fd, 0, &spec, NULL))
		return 0;
	error("timer: %s", strerror(errno));
	return -errno;
}

static int64_t now_ms(void)
{
	return clock_ns() / 1000000;
}

static int parse(struct stat_run *run, const char *text)
{
	const struct event_rules rules = {.pmu = SNAPSHOT_PMU};
	struct event_list events = {};
	struct pmscope_error err = {};
	int ret = events_parse(&events, text, &rules, &err);

	if (ret) {
		error("%s", ret == -ENOMEM ? "out of memory" : err.text);
		return ret;
	}
	events_free(&run->events);
	run->events = events;
	run->tally.turns = events.nr_groups > 1;
	return 0;
}

int stat_turns_plan(struct stat_run *run, unsigned int counters)
{
	FREED char *text = NULL;
	int ret = metric_plan_events(&run->plan, counters, &text);

	if (ret == -ENOSPC)
		error("a metric needs more counters than the %u that are free",
		      counters);
	else if (ret)
		error("out of memory");
	else
		ret = parse(run, text);
	return ret;
}

/* The events of a group are next to each other. */
static struct event_list group_events(const struct stat_run *run,
				      unsigned int group)
{
	const struct event_list *all = &run->events;
	struct event_list one = {.nr_groups = 1};
	size_t first = 0;

	while (all->event[first].group != group)
		first++;
	one.event = &all->event[first];
	while (first + one.nr < all->nr && one.event[one.nr].group == group)
		one.nr++;
	return one;
}

void stat_turns_select(struct stat_run *run)
{
	run->open = run->events;
	run->tally.first = 0;
	if (!run->tally.turns)
		return;
	run->open = group_events(run, run->turn);
	run->tally.first = run->open.event - run->events.event;
}

static int try_group(const struct stat_run *run, unsigned int group)
{
	const struct event_list one = group_events(run, group);
	const struct count_rules rules = {.inherit = !run->target.system_wide};
	struct pmscope_counters *counters = NULL;
	struct pmscope_error err = {};
	int ret = pmscope_counters_open(&counters, &one, &run->target, &rules,
					&err);

	pmscope_counters_free(counters);
	return ret;
}

/* Other errors are reported when the group is opened to count. */
static bool all_fit(const struct stat_run *run)
{
	for (unsigned int i = 0; i < run->events.nr_groups; i++) {
		int ret = try_group(run, i);

		if (ret == -EBUSY || ret == -ENOSPC)
			return false;
	}
	return true;
}

int stat_turns_fit(struct stat_run *run)
{
	unsigned int counters = stat_turns_counters();
	int ret = 0;

	while (!ret && !all_fit(run))
		ret = stat_turns_plan(run, --counters);
	return ret;
}

int stat_turns_end(struct stat_run *run)
{
	struct pmscope_error err = {};
	int ret;

	if (!run->counters)
		return 0;
	ret = told(pmscope_counters_disable(run->counters, &err), &err)
		      ?: stat_tally_read(&run->tally, run->counters);
	if (!ret)
		stat_tally_end_turn(&run->tally);
	pmscope_counters_free(run->counters);
	run->counters = NULL;
	return ret;
}

static int turn_open(struct stat_run *run)
{
	const struct count_rules rules = {
		.inherit = !run->target.system_wide &&
			   !run->config->measure.no_inherit &&
			   !run->config->per_thread,
	};
	struct pmscope_error err = {};
	int ret = pmscope_counters_open(&run->counters, &run->open,
					&run->target, &rules, &err);

	if (!ret)
		ret = pmscope_counters_enable(run->counters, &err);
	/* All tasks may have ended. */
	return ret == -ESRCH ? 0 : told(ret, &err);
}

int stat_turns_next(struct stat_run *run)
{
	int64_t start = now_ms();
	int ret = stat_turns_end(run);

	if (!ret && run->family.nr)
		ret = family_tasks(&run->family, &run->target);
	if (ret)
		return ret;
	run->turn = (run->turn + 1) % run->events.nr_groups;
	stat_turns_select(run);
	ret = turn_open(run);
	run->switch_ms = now_ms() - start;
	return ret ? ret : stat_turns_start(run);
}
