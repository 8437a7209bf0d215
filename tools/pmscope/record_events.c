// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_events.h"
#include "message.h"
#include "session/pmu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPE_PERIOD    4096
#define SNAPSHOT_FREQ 1000

static const struct pmscope_event_rules rules = {.pmu = "pmu_snapshot"};

static int parse(struct pmscope_event_list *list, const char *text)
{
	struct pmscope_error err = {};
	int ret = pmscope_events_parse(list, text, &rules, &err);

	if (ret)
		error("%s", err.text);
	return ret;
}

static bool has_spe(void)
{
	char name[PMSCOPE_PMU_NAME_MAX];

	return !pmscope_pmu_instance(PMSCOPE_PMU_DEVICES, "arm_spe", 0, name);
}

/* The SPE event, on every SPE PMU there is. */
static int add_spe(struct pmscope_event_list *list,
		   const struct record_events_options *o)
{
	char text[512];
	int len;

	len = snprintf(text, sizeof(text),
		       "arm_spe/ts_enable=1,period=%" PRIu64,
		       o->period ? o->period : SPE_PERIOD);
	if (!o->no_jitter)
		len += sprintf(text + len, ",jitter=1");
	if (o->loads)
		len += sprintf(text + len, ",load_filter=1");
	if (o->stores)
		len += sprintf(text + len, ",store_filter=1");
	if (o->branches)
		len += sprintf(text + len, ",branch_filter=1");
	if (o->physical)
		len += sprintf(text + len, ",pa_enable=1");
	if (o->min_latency)
		len += sprintf(text + len, ",min_latency=%" PRIu64,
			       o->min_latency);
	if (o->event_filter)
		len += sprintf(text + len, ",event_filter=0x%" PRIx64,
			       o->event_filter);
	strcpy(text + len, "/");
	return parse(list, text);
}

/* A clock that ticks on each CPU, and the counters it captures. */
static int add_snapshot(struct pmscope_event_list *list,
			const struct record_events_options *o)
{
	size_t first = list->nr;
	char *text;
	int ret;

	if (strpbrk(o->snapshot, "{}")) {
		error("--snapshot %s: the events are one group, without braces",
		      o->snapshot);
		return -EINVAL;
	}
	if (asprintf(&text, "{cpu-clock,%s}:S", o->snapshot) < 0) {
		error("out of memory");
		return -ENOMEM;
	}
	ret = parse(list, text);
	free(text);
	if (ret)
		return ret;
	list->event[first].attr.attr.freq = 1;
	list->event[first].attr.attr.sample_freq =
		o->freq ? o->freq : SNAPSHOT_FREQ;
	return 0;
}

/* What was not given a period with the event gets that of -c or -F. */
static void set_periods(struct pmscope_event_list *list,
			const struct record_events_options *o)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct pmscope_event *event = &list->event[i];
		struct perf_event_attr *attr = &event->attr.attr;
		bool clock = !event->pmu && attr->type == PERF_TYPE_SOFTWARE;

		if (attr->sample_period)
			continue;
		attr->freq = !o->period || clock;
		if (event->pmu && !strncmp(event->pmu, "arm_spe_", 8)) {
			attr->freq = 0;
			attr->sample_period = SPE_PERIOD;
		}
		if (attr->freq)
			attr->sample_freq = o->freq ? o->freq : SNAPSHOT_FREQ;
		else if (o->period)
			attr->sample_period = o->period;
	}
}

static void set_privilege(struct pmscope_event_list *list,
			  const struct record_events_options *o)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct perf_event_attr *attr = &list->event[i].attr.attr;

		if (o->user)
			attr->exclude_kernel = attr->exclude_hv = 1;
		if (o->kernel)
			attr->exclude_user = 1;
	}
}

static int check(const struct record_events_options *o, bool spe)
{
	if (o->user && o->kernel)
		error("give either --user or --kernel");
	else if (o->no_spe && !o->snapshot && !o->events)
		error("--no-spe leaves nothing to record without --snapshot");
	else if (!spe && !o->snapshot && !o->events)
		error("there is no SPE PMU (arm_spe_0) on this machine: "
		      "'pmscope doctor' tells why, 'pmscope driver use' hands "
		      "the device to pmscope");
	else
		return 0;
	return -EINVAL;
}

int record_events(struct pmscope_event_list *list,
		  const struct record_events_options *o)
{
	bool spe = !o->events && !o->no_spe && has_spe();
	int ret = check(o, spe || o->events);

	if (!ret && !spe && !o->no_spe && !o->events)
		warning("there is no SPE PMU (arm_spe_0) on this machine: "
			"recording snapshots only");
	if (!ret && spe)
		ret = add_spe(list, o);
	if (!ret && o->events)
		ret = parse(list, o->events);
	if (!ret)
		set_periods(list, o);
	if (!ret && o->snapshot)
		ret = add_snapshot(list, o);
	if (!ret)
		set_privilege(list, o);
	return ret;
}

void record_events_options_free(struct record_events_options *options)
{
	free(options->events);
	free(options->snapshot);
}
