// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The events of a recording, with the attributes that they are opened with. */
#include "recorder_priv.h"

/* Format attribute pa_enable of arm_spe: config bit 1. */
#define SPE_CONFIG_PA_ENABLE 2ULL

static void set_sampling(const struct recorder *rec, struct recorded_event *e)
{
	struct perf_event_attr *attr = &e->written.attr.attr;

	uint64_t chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN;

	attr->sample_type = chain | (rec->tally.untimed ? PMSCOPE_TALLY_UNTIMED
							: PMSCOPE_TALLY_TIMED);
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->sample_id_all = 1;
	/* Samples stand for different numbers of operations. */
	if (attr->freq)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (rec->rules.cgroups && !e->aux && !e->stream &&
	    e->event != &rec->tracking)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (!e->aux)
		return;
	attr->aux_watermark = rec->rules.aux_watermark;
	/* No effect on the trace: it tells perf which samples to synthesize. */
	attr->sample_type |= PERF_SAMPLE_DATA_SRC;
	if (attr->config & SPE_CONFIG_PA_ENABLE)
		attr->sample_type |= PERF_SAMPLE_PHYS_ADDR;
}

static void set_group(struct recorder *rec, struct recorded_event *e)
{
	struct recorded_event *leader = &rec->event[e->leader];
	struct perf_event_attr *attr = &e->written.attr.attr;

	if (!leader->stream && !leader->event->sample_read)
		return;
	attr->read_format |= PERF_FORMAT_GROUP;
	if (!leader->stream) {
		attr->read_format |= PMSCOPE_READ_TIMES;
		attr->sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_PERIOD;
	}
	/* Its value comes with the samples of the leader. */
	if (e != leader) {
		attr->freq = 0;
		attr->sample_period = 0;
	}
}

static void set_start(const struct recorder *rec, struct recorded_event *e,
		      bool is_leader)
{
	struct perf_event_attr *attr = &e->written.attr.attr;

	attr->inherit = rec->rules.inherit && !rec->rules.per_thread;
	attr->disabled = is_leader;
	attr->enable_on_exec =
		is_leader && rec->rules.on_exec &&
		(!rec->rules.delayed || e->event == &rec->tracking);
}

/* The tracking event: no samples, only mappings, names, forks, switches. */
static void set_tracking(struct recorder *rec)
{
	struct perf_event_attr *attr = &rec->tracking.attr.attr;

	rec->tracking.name = (char *)"dummy:u";
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	/* The path may name another file later, or in another namespace. */
	attr->build_id = 1;
	attr->mmap_data = rec->rules.data_maps;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->context_switch = rec->rules.switches;
	attr->cgroup = rec->rules.cgroups;
}

static void event_set(struct recorder *rec, size_t index,
		      const struct listed_event *event, size_t leader)
{
	struct recorded_event *e = &rec->event[index];

	e->event = event;
	e->leader = leader;
	e->aux = event_is_spe(event);
	/* Leaders of a group that streams. */
	e->stream = index == leader && event_is_snapshot(event);
	e->written.name = event->name;
	e->written.attr = event->attr;
	set_sampling(rec, e);
	set_group(rec, e);
	set_start(rec, e, index == leader);
	attr_set_size(&e->written.attr);
}

/* Groups with an AUX event first: only those can map an AUX area. */
static void add_groups(struct recorder *rec, const struct event_list *list,
		       bool aux)
{
	size_t leader = rec->nr_events;

	for (size_t i = 0; i < list->nr; i++) {
		const struct listed_event *event = &list->event[i];

		if (event_is_spe(event) != aux)
			continue;
		if (rec->nr_events == leader ||
		    rec->event[leader].event->group != event->group)
			leader = rec->nr_events;
		event_set(rec, rec->nr_events++, event, leader);
	}
}

int recorder_set_events(struct recorder *rec, const struct event_list *list)
{
	rec->event = calloc(list->nr + 1, sizeof(*rec->event));
	if (!rec->event)
		return -ENOMEM;
	add_groups(rec, list, true);
	add_groups(rec, list, false);
	set_tracking(rec);
	event_set(rec, rec->nr_events, &rec->tracking, rec->nr_events);
	rec->nr_events++;
	return 0;
}
