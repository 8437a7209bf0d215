// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

bool record_spe_is_there(const struct record_events_options *o)
{
	char name[PMSCOPE_PMU_NAME_MAX];

	return !pmu_instance(o->devices, "arm_spe", 0, name);
}

/* @midr: of a CPU whose names of data sources are meant */
static int parse_filter_for(const struct record_events_options *o,
			    struct record_filter *keep, uint64_t midr)
{
	char *source = NULL;
	int ret = 0;

	*keep = o->keep;
	if (o->source && asprintf(&source, "source=%s", o->source) < 0)
		return no_memory();
	if (o->filter)
		ret = record_filter_parse(keep, o->filter, midr);
	if (!ret && source)
		ret = record_filter_parse(keep, source, midr);
	free(source);
	return ret;
}

/* One filter applies to all CPUs, so names must mean the same on each. */
static int parse_filter(const struct record_events_options *o,
			struct record_filter *keep)
{
	bool has_names = o->filter || o->source;
	int nr = has_names ? sysconf(_SC_NPROCESSORS_CONF) : 0;
	int first = o->cpus ? o->cpus->cpu[0] : 0;
	uint64_t midr = sysfs_midr(PMSCOPE_CPUS, first);
	int ret = parse_filter_for(o, keep, midr);

	for (int cpu = first + 1; cpu < nr && !ret; cpu++) {
		uint64_t its = sysfs_midr(PMSCOPE_CPUS, cpu);
		struct record_filter other;

		if (!its || its == midr ||
		    (o->cpus && !cpulist_has(o->cpus, cpu)))
			continue;
		ret = parse_filter_for(o, &other, its);
		if (!ret && other.no_sources != keep->no_sources) {
			error("CPU %d and CPU %d use different codes for a "
			      "data source: record one kind of CPU, with -C",
			      cpu, first);
			ret = -EINVAL;
		}
	}
	return ret;
}

/* The first PMU without such a term; NULL if all have it. */
static const char *lacks_field(const struct record_events_options *o,
			       const struct event_list *pmus, const char *field)
{
	char text[64];

	for (size_t i = 0; i < pmus->nr; i++)
		if (sysfs_read(text, sizeof(text), "%s/%s/format/%s",
			       o->devices, pmus->event[i].pmu, field) < 0)
			return pmus->event[i].pmu;
	return NULL;
}

/* Events that all PMUs can filter by, as far as they report it. */
static uint64_t filter_events(const struct record_events_options *o,
			      const struct event_list *pmus)
{
	uint64_t events = UINT64_MAX, some;

	for (size_t i = 0; i < pmus->nr; i++) {
		some = UINT64_MAX;
		sysfs_number(&some, "%s/%s/caps/event_filter", o->devices,
			     pmus->event[i].pmu);
		events &= some;
	}
	return events;
}

/* In the words of the command line, where perf would name a field. */
static int check_filter(const struct record_events_options *o,
			const struct event_list *pmus,
			const struct record_filter *keep)
{
	uint64_t can = filter_events(o, pmus);
	const char *pmu;

	if (keep->no_sources &&
	    (pmu = lacks_field(o, pmus, "inv_data_src_filter")))
		error("%s cannot filter by data source (FEAT_SPE_FDS); "
		      "report and script can",
		      pmu);
	else if (keep->no_events &&
		 (pmu = lacks_field(o, pmus, "inv_event_filter")))
		error("%s cannot exclude samples by event (FEAT_SPE_FnE); "
		      "report and script can",
		      pmu);
	else if ((keep->events | keep->no_events) & ~can)
		error("the hardware cannot filter by events 0x%" PRIx64
		      ", only by 0x%" PRIx64 "; report and script can",
		      (keep->events | keep->no_events) & ~can, can);
	else
		return 0;
	return -EINVAL;
}

/* The PMUs that the event without its terms expands to. */
static int check_pmus(const struct record_events_options *o,
		      const struct record_filter *keep)
{
	const struct event_rules rules = {.devices = o->devices,
					  .cpus = o->cpus};
	struct event_list pmus = {};
	struct pmscope_error err = {};
	int ret = told(events_parse(&pmus, "arm_spe//", &rules, &err), &err)
			  ?: check_filter(o, &pmus, keep);

	events_free(&pmus);
	return ret;
}

/* @format: of a uint64_t; 0 is what the term is without it */
static char *put_term(char *p, const char *format, uint64_t value)
{
	return value ? p + sprintf(p, format, value) : p;
}

int record_spe_event(const struct record_events_options *o,
		     char text[RECORD_SPE_EVENT_MAX])
{
	struct record_filter keep;
	char *p = text;

	if (parse_filter(o, &keep) || check_pmus(o, &keep))
		return -EINVAL;

	p += sprintf(p, "arm_spe/ts_enable=1,period=%" PRIu64,
		     o->period ? o->period : RECORD_PERIOD);
	p = put_term(p, ",jitter=%" PRIu64, !o->no_jitter);
	p = put_term(p, ",load_filter=%" PRIu64, keep.loads);
	p = put_term(p, ",store_filter=%" PRIu64, keep.stores);
	p = put_term(p, ",branch_filter=%" PRIu64, keep.branches);
	p = put_term(p, ",pa_enable=%" PRIu64, o->physical);
	p = put_term(p, ",min_latency=%" PRIu64, keep.min_latency);
	p = put_term(p, ",event_filter=0x%" PRIx64, keep.events);
	p = put_term(p, ",inv_event_filter=0x%" PRIx64, keep.no_events);
	p = put_term(p, ",inv_data_src_filter=0x%" PRIx64, keep.no_sources);
	strcpy(p, "/");
	return 0;
}

/* pmscope's driver counts its losses, for root; it limits other users too. */
static bool is_driven_by_pmscope(const struct record_events_options *o,
				 const char *pmu)
{
	char text[32];

	return sysfs_read(text, sizeof(text), "%s/%s/stats/windows", o->devices,
			  pmu) >= 0;
}

/* The kernel's own driver treats the recommended interval as a limit. */
static uint64_t least_interval(const struct record_events_options *o,
			       const char *pmu)
{
	uint64_t least = 0;

	if (!is_driven_by_pmscope(o, pmu))
		sysfs_number(&least, "%s/%s/caps/min_interval", o->devices,
			     pmu);
	return MAX(least, RECORD_SPE_STEP);
}

/* Rounds as the drivers do, which do not report it. */
static uint64_t interval_of(const struct record_events_options *o,
			    const char *pmu, uint64_t period)
{
	uint64_t least = least_interval(o, pmu);

	if (period < least)
		return least;
	if (period > RECORD_SPE_LARGEST)
		return RECORD_SPE_LARGEST;
	return period - period % RECORD_SPE_STEP;
}

void record_spe_limit_periods(struct event_list *list,
			      const struct record_events_options *o)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct listed_event *event = &list->event[i];
		struct perf_event_attr *attr = &event->attr.attr;
		uint64_t asked = attr->sample_period;

		if (!event_is_spe(event) || attr->freq)
			continue;
		attr->sample_period = interval_of(o, event->pmu, asked);
		if (attr->sample_period != asked)
			warning("%s cannot sample one in %" PRIu64
				" operations: sampling one in %" PRIu64,
				event->pmu, asked,
				(uint64_t)attr->sample_period);
	}
}

uint64_t record_spe_recommended(const struct record_events_options *o,
				const struct event_list *list)
{
	uint64_t most = RECORD_SPE_STEP, its;

	for (size_t i = 0; i < list->nr; i++) {
		its = 0;
		if (event_is_spe(&list->event[i]))
			sysfs_number(&its, "%s/%s/caps/min_interval",
				     o->devices, list->event[i].pmu);
		most = MAX(most, its);
	}
	return most;
}

uint32_t record_spe_jitter(const struct record_events_options *o,
			   const struct event_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		uint64_t ernd = 0;

		if (!event_is_spe(&list->event[i]) ||
		    !(list->event[i].attr.attr.config & RECORD_SPE_JITTER))
			continue;
		sysfs_number(&ernd, "%s/%s/caps/ernd", o->devices,
			     list->event[i].pmu);
		return ernd ? 0 : 128;
	}
	return 0;
}
