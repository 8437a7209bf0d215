// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"
#include "base/names.h"

#include <linux/pmscope.h>

#define SNAPSHOT_FREQ	1000
#define OVERFLOW_PERIOD 1000000

static int parse(struct event_list *list, const char *text,
		 const struct record_events_options *o)
{
	const struct event_rules rules = {
		.devices = o->devices, .pmu = SNAPSHOT_PMU, .cpus = o->cpus};
	struct pmscope_error err = {};

	return told(events_parse(list, text, &rules, &err), &err);
}

static uint64_t sample_freq(const struct record_events_options *o)
{
	uint64_t max = beside_max_rate();

	return o->freq ?: max < SNAPSHOT_FREQ ? max : SNAPSHOT_FREQ;
}

static int add_spe(struct event_list *list,
		   const struct record_events_options *o)
{
	char text[RECORD_SPE_EVENT_MAX];

	return record_spe_event(o, text) ?: parse(list, text, o);
}

/* The kernel may lower its limit at any time, so this is only a warning. */
static void limit_freq(struct record_events_options *o)
{
	uint64_t max = o->freq ? beside_max_rate() : UINT64_MAX;

	if (o->freq <= max)
		return;
	warning("-F %" PRIu64 " is above the kernel's limit: sampling %" PRIu64
		" times a second ('sysctl kernel.perf_event_max_sample_rate' "
		"raises the limit)",
		o->freq, max);
	o->freq = max;
}

/* Adds the events of @text, the first of which is a clock that samples. */
static int add_clock(struct event_list *list, const char *text,
		     const struct record_events_options *o)
{
	size_t first = list->nr;
	int ret = parse(list, text, o);

	if (ret)
		return ret;
	list->event[first].attr.attr.freq = 1;
	list->event[first].attr.attr.sample_freq = sample_freq(o);
	return 0;
}

/* A clock that ticks on each CPU, and the counters it captures. */
static int add_snapshot(struct event_list *list,
			const struct record_events_options *o)
{
	char *text;
	int ret;

	if (strpbrk(o->snapshot, "{}")) {
		error("--snapshot %s: the events form one group; remove the "
		      "braces",
		      o->snapshot);
		return -EINVAL;
	}
	if (asprintf(&text, "{cpu-clock,%s}:S", o->snapshot) < 0)
		return no_memory();
	ret = add_clock(list, text, o);
	free(text);
	return ret;
}

/* SPE samples have no stacks: these tell who calls the sampled functions. */
static int add_stacks(struct event_list *list,
		      const struct record_events_options *o)
{
	size_t first = list->nr;
	int ret = add_clock(list, "cpu-clock", o);
	struct perf_event_attr *attr;

	if (ret)
		return ret;
	attr = &list->event[first].attr.attr;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_kernel = o->user;
	attr->exclude_callchain_user = o->kernel;
	return 0;
}

bool record_events_spe(const struct event_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		if (event_is_spe(&list->event[i]))
			return true;
	return false;
}

/* report needs these to estimate operations from samples. */
static int add_totals(struct event_list *list,
		      const struct record_events_options *o)
{
	if (!record_events_spe(list)) {
		error("--totals requires SPE, which is not recorded");
		return -EINVAL;
	}
	return parse(list,
		     "{" SNAPSHOT_PMU "/sample_pop,spe,period=1/," SNAPSHOT_PMU
		     "/sample_feed/," SNAPSHOT_PMU "/sample_filtrate/}",
		     o);
}

/* Of a stream without a timer, which counts triggers, not Hz; or 0. */
static uint64_t default_period(const struct listed_event *event)
{
	uint64_t config = event->attr.attr.config;

	if (!event_is_snapshot(event))
		return 0;
	if (config & PMSCOPE_SNAPSHOT_OVERFLOW)
		return OVERFLOW_PERIOD;
	return !!(config & PMSCOPE_SNAPSHOT_TRIGGER_MASK);
}

/*
 * An event without a period gets that of -c or -F. With both, -c is for SPE and
 * counters, -F for clocks beside them.
 */
static void set_periods(struct event_list *list,
			const struct record_events_options *o)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct listed_event *event = &list->event[i];
		struct perf_event_attr *attr = &event->attr.attr;

		if (attr->sample_period)
			continue;
		if (default_period(event)) {
			attr->sample_period =
				o->period ?: default_period(event);
			continue;
		}
		attr->freq = !o->period ||
			     (o->freq && !event->pmu &&
			      event->attr.attr.type == PERF_TYPE_SOFTWARE);
		if (event_is_spe(event)) {
			attr->freq = 0;
			attr->sample_period = RECORD_PERIOD;
		}
		if (attr->freq)
			attr->sample_freq = sample_freq(o);
		else if (o->period)
			attr->sample_period = o->period;
	}
}

static void set_privilege(struct event_list *list,
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

/* The first option given that configures the SPE event; NULL if none. */
static const char *spe_option(const struct record_events_options *o)
{
	const struct {
		bool given;
		const char *name;
	} options[] = {
		{o->keep.loads, "--loads"},
		{o->keep.stores, "--stores"},
		{o->keep.branches, "--branches"},
		{o->keep.min_latency, "--min-latency"},
		{o->keep.events, "--event-filter"},
		{o->source, "--source"},
		{o->filter, "--filter"},
		{o->no_jitter, "--no-jitter"},
		{o->physical, "--physical"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

/* Refuse options that would have no effect. */
static int check_spe_options(const struct record_events_options *o)
{
	const char *option = spe_option(o);

	if (option && o->events)
		error("%s cannot be combined with -e; set a field of the event "
		      "instead, for example arm_spe/load_filter=1/",
		      option);
	else if (option && o->no_spe)
		error("%s cannot be combined with --no-spe", option);
	else if (o->period && o->no_spe && !o->events)
		error("-c applies to SPE and to events of -e; use -F for "
		      "snapshots");
	else
		return 0;
	return -EINVAL;
}

/* Only beside what record chooses itself, and not twice. */
static bool has_clock_beside(const struct record_events_options *o)
{
	return !o->no_clock && !o->events && !o->no_spe && !o->snapshot &&
	       !o->stacks && !o->cgroups;
}

static bool any_has(const struct event_list *list, bool freq)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->event[i].attr.attr.freq == freq)
			return true;
	return false;
}

/* The same check for options that depend on the events. */
static int check_periods(const struct event_list *list,
			 const struct record_events_options *o)
{
	if (o->freq && !has_clock_beside(o) && !any_has(list, true))
		error("-F applies to --snapshot, -g, --all-cgroups, the clock "
		      "beside SPE and to events of -e without a period; use -c "
		      "for SPE");
	else if (o->freq && o->period && o->events && !any_has(list, false))
		error("-c and -F are mutually exclusive for these events");
	else
		return 0;
	return -EINVAL;
}

static int check(const struct record_events_options *o, bool spe)
{
	if (o->user && o->kernel)
		error("--user and --kernel are mutually exclusive");
	else if (o->no_spe && !o->snapshot && !o->events)
		error("nothing to record: --no-spe requires --snapshot");
	else if (!spe && !o->snapshot && !o->events)
		error("there is no SPE PMU (arm_spe_0) on this machine: "
		      "'pmscope doctor' shows why, 'pmscope driver use' moves "
		      "the device to pmscope");
	else
		return check_spe_options(o);
	return -EINVAL;
}

static int add_all(struct event_list *list,
		   const struct record_events_options *o)
{
	bool spe = !o->events && !o->no_spe && record_spe_is_there(o);
	int ret = check(o, spe || o->events);

	if (!ret && !spe && !o->no_spe && !o->events)
		warning("there is no SPE PMU (arm_spe_0) on this machine: "
			"recording snapshots only");
	if (!ret && spe)
		ret = add_spe(list, o);
	if (!ret && o->events)
		ret = parse(list, o->events, o);
	if (!ret && o->totals)
		ret = add_totals(list, o);
	if (!ret)
		set_periods(list, o);
	if (!ret)
		record_spe_limit_periods(list, o);
	if (!ret && o->snapshot)
		ret = add_snapshot(list, o);
	if (!ret && o->stacks)
		ret = add_stacks(list, o);
	/* SPE samples do not tell the control group: those of a clock do. */
	if (!ret && o->cgroups && !o->snapshot && !o->stacks)
		ret = add_clock(list, "cpu-clock", o);
	if (!ret)
		ret = check_periods(list, o);
	if (!ret)
		set_privilege(list, o);
	return ret;
}

int record_events(struct event_list *list,
		  const struct record_events_options *options)
{
	struct record_events_options o = *options;

	if (!o.devices)
		o.devices = PMSCOPE_PMU_DEVICES;
	limit_freq(&o);
	return add_all(list, &o);
}

struct beside record_events_beside(const struct record_events_options *o)
{
	return (struct beside){
		.clock = has_clock_beside(o),
		.counters = !o->no_counters && !o->events && !o->no_spe &&
			    !o->snapshot,
		.freq = o->freq,
		.devices = o->devices,
		.cpus = o->cpus,
	};
}

void record_events_options_free(struct record_events_options *options)
{
	free(options->events);
	free(options->filter);
	free(options->source);
	free(options->snapshot);
}
