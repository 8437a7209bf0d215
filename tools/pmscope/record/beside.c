// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"
#include "base/names.h"

/* Not in step with what happens each millisecond */
#define CLOCK_FREQ 999

#define MAX_SAMPLE_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

#define COUNT(name) SNAPSHOT_PMU "/" name "/"
#define RATE	    COUNT("cpu_cycles") "," COUNT("inst_retired")
#define STALLS	    COUNT("stall_frontend") "," COUNT("stall_backend")

static const char *const counters[] = {RATE "," STALLS, RATE, NULL};

/* The kernel lowers the limit if samples take too much CPU time. */
uint64_t beside_max_rate(void)
{
	uint64_t rate = UINT64_MAX;

	sysfs_number(&rate, MAX_SAMPLE_RATE);
	return rate;
}

static int parse(struct event_list *list, const char *names,
		 const struct beside *beside, struct pmscope_error *err)
{
	const struct event_rules rules = {.devices = beside->devices,
					  .cpus = beside->cpus};
	char *text = NULL;
	int ret;

	if (!names)
		return events_parse(list, "cpu-clock", &rules, err);
	if (asprintf(&text, "{cpu-clock,%s}:S", names) < 0)
		return pmscope_fail_nomem(err);
	ret = events_parse(list, text, &rules, err);
	free(text);
	return ret;
}

/* The same part of what runs, which may have become less meanwhile */
static void like_spe(struct event_list *list, size_t first,
		     const struct beside *beside)
{
	const struct perf_event_attr *like = &list->event[0].attr.attr;
	struct perf_event_attr *leader = &list->event[first].attr.attr;
	uint64_t max = beside_max_rate();

	for (size_t i = first; i < list->nr; i++) {
		struct perf_event_attr *attr = &list->event[i].attr.attr;

		attr->exclude_user = like->exclude_user;
		attr->exclude_kernel = like->exclude_kernel;
		attr->exclude_hv = like->exclude_hv;
	}
	/* Without it, counters are read when recording ends. */
	if (!beside->clock)
		return;
	leader->freq = 1;
	leader->sample_freq = beside->freq
				      ?: max < CLOCK_FREQ ? max
							  : CLOCK_FREQ;
	/* There SPE samples no operations either. */
	leader->exclude_idle = 1;
}

int beside_add(struct event_list *list, const struct beside *beside,
	       unsigned int way, struct pmscope_error *err)
{
	size_t first = list->nr;
	size_t at = beside->counters ? way : ARRAY_SIZE(counters) - 1 + way;
	int ret;

	if (!list->nr || at >= ARRAY_SIZE(counters) ||
	    (!counters[at] && !beside->clock))
		return 0;
	ret = parse(list, counters[at], beside, err);
	if (ret)
		return ret;
	like_spe(list, first, beside);
	return 1;
}

int beside_open(struct event_list *list, const struct beside *beside,
		int (*open)(void *run, bool is_beside,
			    struct pmscope_error *err),
		void *run, struct pmscope_error *uncounted,
		struct pmscope_error *err)
{
	struct pmscope_error first = {};
	size_t nr = list->nr;
	int added, ret;

	for (unsigned int way = 0;; way++) {
		ret = added = beside_add(list, beside, way, err);
		if (added >= 0)
			ret = open(run, added, err);
		if (!ret || !added)
			break;
		if (!way && added > 0)
			first = *err;
		events_truncate(list, nr);
	}
	if (!ret && beside->counters && list->nr <= nr + 1)
		*uncounted = first;
	return ret;
}
