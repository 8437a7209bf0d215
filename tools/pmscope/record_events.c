// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_events.h"
#include "message.h"
#include "session/pmu.h"
#include "session/sysfs.h"
#include "snapshot/pmu.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/pmscope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAPSHOT_FREQ	1000
#define OVERFLOW_PERIOD 1000000

/* PMSIRR_EL1.INTERVAL: 24 bits, of multiples of 256; 0 is UNKNOWN */
#define INTERVAL_STEP	 UINT64_C(256)
#define LARGEST_INTERVAL (UINT64_C(0xffffff) * INTERVAL_STEP)

#define MAX_SAMPLE_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

static const char *devices(const struct record_events_options *o)
{
	return o->devices ? o->devices : PMSCOPE_PMU_DEVICES;
}

static int parse(struct pmscope_event_list *list, const char *text,
		 const struct record_events_options *o)
{
	const struct pmscope_event_rules rules = {.devices = devices(o),
						  .pmu = SNAPSHOT_PMU};
	struct pmscope_error err = {};
	int ret = pmscope_events_parse(list, text, &rules, &err);

	if (ret)
		error("%s", err.text);
	return ret;
}

static bool has_spe(const struct record_events_options *o)
{
	char name[PMSCOPE_PMU_NAME_MAX];

	return !pmscope_pmu_instance(devices(o), "arm_spe", 0, name);
}

/* The kernel lowers it when samples take too much of a CPU's time. */
static uint64_t max_sample_rate(void)
{
	uint64_t rate = UINT64_MAX;

	pmscope_sysfs_number(&rate, MAX_SAMPLE_RATE);
	return rate;
}

static uint64_t sample_freq(const struct record_events_options *o)
{
	uint64_t max;

	if (o->freq)
		return o->freq;
	max = max_sample_rate();
	return max < SNAPSHOT_FREQ ? max : SNAPSHOT_FREQ;
}

/* @midr: of a CPU whose names of data sources are meant */
static int parse_filter_for(const struct record_events_options *o,
			    struct record_filter *keep, uint64_t midr)
{
	char *source = NULL;
	int ret = 0;

	*keep = o->keep;
	if (o->source && asprintf(&source, "source=%s", o->source) < 0) {
		error("out of memory");
		return -ENOMEM;
	}
	if (o->filter)
		ret = record_filter_parse(keep, o->filter, midr);
	if (!ret && source)
		ret = record_filter_parse(keep, source, midr);
	free(source);
	return ret;
}

/* One filter is for all CPUs, so the names have to mean the same on each. */
static int parse_filter(const struct record_events_options *o,
			struct record_filter *keep)
{
	const uint64_t first = pmscope_sysfs_midr(PMSCOPE_CPUS, 0);
	bool has_names = o->filter || o->source;
	int nr = has_names ? sysconf(_SC_NPROCESSORS_CONF) : 0;
	int ret = parse_filter_for(o, keep, first);

	for (int cpu = 1; cpu < nr && !ret; cpu++) {
		uint64_t midr = pmscope_sysfs_midr(PMSCOPE_CPUS, cpu);
		struct record_filter other;

		if (!midr || midr == first)
			continue;
		ret = parse_filter_for(o, &other, midr);
		if (!ret && other.no_sources != keep->no_sources) {
			error("CPU %d has another code for a data source than "
			      "CPU 0: record one kind of CPU, with -e",
			      cpu);
			ret = -EINVAL;
		}
	}
	return ret;
}

/* Is it a term of all SPE PMUs? */
static bool has_field(const struct record_events_options *o, const char *field)
{
	char pmu[PMSCOPE_PMU_NAME_MAX], text[64];

	for (unsigned int i = 0;
	     !pmscope_pmu_instance(devices(o), "arm_spe", i, pmu); i++)
		if (pmscope_sysfs_read(text, sizeof(text), "%s/%s/format/%s",
				       devices(o), pmu, field) < 0)
			return false;
	return true;
}

/* Events that all SPE PMUs can filter by, as far as they say. */
static uint64_t filter_events(const struct record_events_options *o)
{
	uint64_t events = UINT64_MAX, some;
	char pmu[PMSCOPE_PMU_NAME_MAX];

	for (unsigned int i = 0;
	     !pmscope_pmu_instance(devices(o), "arm_spe", i, pmu); i++) {
		some = UINT64_MAX;
		pmscope_sysfs_number(&some, "%s/%s/caps/event_filter",
				     devices(o), pmu);
		events &= some;
	}
	return events;
}

/* In the words of the command line, where perf would name a field. */
static int check_filter(const struct record_events_options *o,
			const struct record_filter *keep)
{
	uint64_t can = filter_events(o);

	if (keep->no_sources && !has_field(o, "inv_data_src_filter"))
		error("SPE here cannot filter by data source (FEAT_SPE_FDS); "
		      "report and script can");
	else if (keep->no_events && !has_field(o, "inv_event_filter"))
		error("SPE here cannot filter by events that are not there "
		      "(FEAT_SPE_FnE); report and script can");
	else if ((keep->events | keep->no_events) & ~can)
		error("SPE here cannot filter by the events 0x%" PRIx64
		      ", but by 0x%" PRIx64 "; report and script can",
		      (keep->events | keep->no_events) & ~can, can);
	else
		return 0;
	return -EINVAL;
}

/* The SPE event, on every SPE PMU there is. */
static int add_spe(struct pmscope_event_list *list,
		   const struct record_events_options *o)
{
	struct record_filter keep;
	char text[512];
	int len;

	if (parse_filter(o, &keep) || check_filter(o, &keep))
		return -EINVAL;

	len = snprintf(text, sizeof(text),
		       "arm_spe/ts_enable=1,period=%" PRIu64,
		       o->period ? o->period : RECORD_PERIOD);
	if (!o->no_jitter)
		len += sprintf(text + len, ",jitter=1");
	if (keep.loads)
		len += sprintf(text + len, ",load_filter=1");
	if (keep.stores)
		len += sprintf(text + len, ",store_filter=1");
	if (keep.branches)
		len += sprintf(text + len, ",branch_filter=1");
	if (o->physical)
		len += sprintf(text + len, ",pa_enable=1");
	if (keep.min_latency)
		len += sprintf(text + len, ",min_latency=%" PRIu64,
			       keep.min_latency);
	if (keep.events)
		len += sprintf(text + len, ",event_filter=0x%" PRIx64,
			       keep.events);
	if (keep.no_events)
		len += sprintf(text + len, ",inv_event_filter=0x%" PRIx64,
			       keep.no_events);
	if (keep.no_sources)
		len += sprintf(text + len, ",inv_data_src_filter=0x%" PRIx64,
			       keep.no_sources);
	strcpy(text + len, "/");
	return parse(list, text, o);
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
	ret = parse(list, text, o);
	free(text);
	if (ret)
		return ret;
	list->event[first].attr.attr.freq = 1;
	list->event[first].attr.attr.sample_freq = sample_freq(o);
	return 0;
}

bool record_events_spe(const struct pmscope_event_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		if (pmscope_event_is_spe(&list->event[i]))
			return true;
	return false;
}

/* For report: from samples to operations. */
static int add_totals(struct pmscope_event_list *list,
		      const struct record_events_options *o)
{
	if (!record_events_spe(list)) {
		error("--totals is for SPE, which is not recorded");
		return -EINVAL;
	}
	return parse(list,
		     "{" SNAPSHOT_PMU "/sample_pop,spe,period=1/," SNAPSHOT_PMU
		     "/sample_feed/," SNAPSHOT_PMU "/sample_filtrate/}",
		     o);
}

/*
 * The period of a stream that no timer triggers, 0 for others: it counts the
 * triggers, and has no frequency.
 */
static uint64_t default_period(const struct pmscope_event *event)
{
	uint64_t config = event->attr.attr.config;

	if (!pmscope_event_is_snapshot(event))
		return 0;
	if (config & PMSCOPE_SNAPSHOT_OVERFLOW)
		return OVERFLOW_PERIOD;
	return !!(config & PMSCOPE_SNAPSHOT_TRIGGER_MASK);
}

static bool is_software(const struct pmscope_event *event)
{
	return !event->pmu && event->attr.attr.type == PERF_TYPE_SOFTWARE;
}

/*
 * What was not given a period with the event gets that of -c or -F.  With both
 * the first is for SPE and counters, the second for clocks beside them.
 */
static void set_periods(struct pmscope_event_list *list,
			const struct record_events_options *o)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct pmscope_event *event = &list->event[i];
		struct perf_event_attr *attr = &event->attr.attr;

		if (attr->sample_period)
			continue;
		if (default_period(event)) {
			attr->sample_period =
				o->period ?: default_period(event);
			continue;
		}
		attr->freq = !o->period || (o->freq && is_software(event));
		if (pmscope_event_is_spe(event)) {
			attr->freq = 0;
			attr->sample_period = RECORD_PERIOD;
		}
		if (attr->freq)
			attr->sample_freq = sample_freq(o);
		else if (o->period)
			attr->sample_period = o->period;
	}
}

/* pmscope's counts what it loses. */
static bool is_driven_by_pmscope(const struct record_events_options *o,
				 const char *pmu)
{
	char text[32];

	return pmscope_sysfs_read(text, sizeof(text), "%s/%s/stats/windows",
				  devices(o), pmu) >= 0;
}

/* The kernel's own driver takes a recommendation for a limit. */
static uint64_t least_interval(const struct record_events_options *o,
			       const char *pmu)
{
	uint64_t least = 0;

	if (!is_driven_by_pmscope(o, pmu))
		pmscope_sysfs_number(&least, "%s/%s/caps/min_interval",
				     devices(o), pmu);
	return least > INTERVAL_STEP ? least : INTERVAL_STEP;
}

/* As the drivers do, which say nothing of it. */
static uint64_t interval_of(const struct record_events_options *o,
			    const char *pmu, uint64_t period)
{
	uint64_t least = least_interval(o, pmu);

	if (period < least)
		return least;
	if (period > LARGEST_INTERVAL)
		return LARGEST_INTERVAL;
	return period - period % INTERVAL_STEP;
}

/* So that the file says what was done. */
static void limit_periods(struct pmscope_event_list *list,
			  const struct record_events_options *o)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct pmscope_event *event = &list->event[i];
		struct perf_event_attr *attr = &event->attr.attr;
		uint64_t asked = attr->sample_period;

		if (!pmscope_event_is_spe(event) || attr->freq)
			continue;
		attr->sample_period = interval_of(o, event->pmu, asked);
		if (attr->sample_period != asked)
			warning("%s cannot sample one of %" PRIu64
				" operations: sampling one of %" PRIu64,
				event->pmu, asked,
				(uint64_t)attr->sample_period);
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

/* Of those that make the SPE event, the first that was given; NULL: none. */
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

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

/* What would have no effect is refused, not left out. */
static int check_spe_options(const struct record_events_options *o)
{
	const char *option = spe_option(o);

	if (option && o->events)
		error("%s does not go with -e: the fields of the event say it, "
		      "as in arm_spe/load_filter=1/",
		      option);
	else if (option && o->no_spe)
		error("%s is for SPE, which --no-spe leaves out", option);
	else if (o->period && o->no_spe && !o->events)
		error("-c is for SPE and the events of -e; snapshots have -F");
	else
		return 0;
	return -EINVAL;
}

static bool any_has(const struct pmscope_event_list *list, bool freq)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->event[i].attr.attr.freq == freq)
			return true;
	return false;
}

/* The same of what only the events tell. */
static int check_periods(const struct pmscope_event_list *list,
			 const struct record_events_options *o)
{
	if (o->freq && !any_has(list, true))
		error("-F is for --snapshot and for events of -e that have no "
		      "period; SPE samples one of -c N operations");
	else if (o->freq && o->period && o->events && !any_has(list, false))
		error("give either -c or -F for these events");
	else
		return 0;
	return -EINVAL;
}

static int check(const struct record_events_options *o, bool spe)
{
	uint64_t max = o->freq ? max_sample_rate() : UINT64_MAX;

	if (o->user && o->kernel)
		error("give either --user or --kernel");
	else if (o->no_spe && !o->snapshot && !o->events)
		error("--no-spe leaves nothing to record without --snapshot");
	else if (!spe && !o->snapshot && !o->events)
		error("there is no SPE PMU (arm_spe_0) on this machine: "
		      "'pmscope doctor' tells why, 'pmscope driver use' hands "
		      "the device to pmscope");
	else if (o->freq > max)
		error("-F %" PRIu64 ": this kernel takes %" PRIu64
		      " samples a second at most; "
		      "'sysctl kernel.perf_event_max_sample_rate' raises it",
		      o->freq, max);
	else
		return check_spe_options(o);
	return -EINVAL;
}

int record_events(struct pmscope_event_list *list,
		  const struct record_events_options *o)
{
	bool spe = !o->events && !o->no_spe && has_spe(o);
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
		limit_periods(list, o);
	if (!ret && o->snapshot)
		ret = add_snapshot(list, o);
	if (!ret)
		ret = check_periods(list, o);
	if (!ret)
		set_privilege(list, o);
	return ret;
}

void record_events_options_free(struct record_events_options *options)
{
	free(options->events);
	free(options->filter);
	free(options->source);
	free(options->snapshot);
}
