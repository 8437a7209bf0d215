// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the groups of counters say: how fast each event counted, between the
 * first and the last snapshot of each CPU and thread.
 */
#include "message.h"
#include "report.h"
#include "table/array.h"

#include <errno.h>
#include <stdio.h>

/* All threads have the identifier of an event that they inherited. */
uint64_t report_counter_key(const struct pmscope_perfdata *reader,
			    const struct pmscope_sample *sample,
			    const struct pmscope_count *count)
{
	const struct pmscope_perf_attr *attr =
		pmscope_perfdata_attr(reader, count->attr);

	if (!attr || !attr->attr.inherit || sample->tid == PMSCOPE_NO_ID)
		return count->id;
	return count->id ^ ((uint64_t)sample->tid + 1) << 32;
}

const char *report_event_name(const char *name, int attr, char room[EVENT_NAME])
{
	if (name)
		return name;
	if (attr < 0)
		return "unknown events";
	snprintf(room, EVENT_NAME, "event %d", attr);
	return room;
}

static struct report_counter *counter_get(struct report *report,
					  const struct pmscope_sample *sample,
					  const struct pmscope_count *count)
{
	uint64_t key = report_counter_key(report->perfdata, sample, count);
	struct report_counter *counters;
	uint32_t index;

	if (map_get(&report->counter_of_id, key, &index))
		return &report->counters[index];
	counters = array_reserve(report->counters, report->nr_counters,
				 &report->max_counters, sizeof(*counters));
	if (!counters)
		return NULL;
	report->counters = counters;
	if (map_set(&report->counter_of_id, key, report->nr_counters))
		return NULL;
	counters += report->nr_counters++;
	*counters = (struct report_counter){
		.name = count->name,
		.attr = count->attr,
		.cpu = sample->cpu,
		.is_snapshot = count->is_snapshot,
		.partial = key != count->id,
	};
	return counters;
}

static uint64_t scale(uint64_t count, uint64_t enabled, uint64_t running)
{
	return running < enabled ? (double)count * enabled / running + 0.5
				 : count;
}

int64_t report_reading_add(struct report_reading *sum,
			   const struct report_reading *from,
			   const struct report_reading *to)
{
	uint64_t enabled = to->enabled - from->enabled;
	uint64_t running = to->running - from->running, count;

	if (to->value < from->value || to->time < from->time ||
	    to->enabled < from->enabled || to->running < from->running)
		return -1;
	sum->enabled += enabled;
	sum->running += running;
	if (enabled && !running)
		return -1;
	count = scale(to->value - from->value, enabled, running);
	sum->value += count;
	sum->time += to->time - from->time;
	return count;
}

/* Since the group before; -1 where there is none. */
static int64_t counter_add(struct report_counter *c,
			   const struct report_reading *now)
{
	int64_t since = -1;

	if (c->snapshots++)
		since = report_reading_add(&c->since, &c->last, now);
	c->last = *now;
	return since;
}

void report_pair_take(struct report_pair *pair,
		      const struct pmscope_perfdata *reader,
		      const struct pmscope_count *count, uint64_t since)
{
	unsigned int number =
		report_event_number(reader, count->attr, count->is_snapshot);

	if (number == EVENT_CPU_CYCLES && !pair->has_cycles) {
		pair->has_cycles = true;
		pair->cycles = since;
	}
	if (number == EVENT_INST_RETIRED && !pair->has_instructions) {
		pair->has_instructions = true;
		pair->instructions = since;
	}
}

static void pair_join(struct report_pair *pair, const struct report_pair *from)
{
	if (!report_pair_is_whole(from))
		return;
	pair->cycles += from->cycles;
	pair->instructions += from->instructions;
}

int report_add_group(struct report *report, const struct pmscope_sample *sample)
{
	struct report_pair pair = {};

	report->groups++;
	report->snapshots += sample->is_snapshot;
	for (size_t i = 0; i < sample->nr_counts; i++) {
		const struct pmscope_count *count = &sample->counts[i];
		struct report_counter *c = counter_get(report, sample, count);
		struct report_reading now =
			report_reading_of(sample, count->value, sample->time);
		int64_t since;

		if (!c)
			return -ENOMEM;
		if (c->cpu != sample->cpu)
			c->cpu = PMSCOPE_NO_ID;
		since = counter_add(c, &now);
		if (since >= 0)
			report_pair_take(&pair, report->perfdata, count, since);
	}
	pair_join(&report->pair, &pair);
	return 0;
}

unsigned int report_event_number(const struct pmscope_perfdata *reader,
				 int index, bool is_snapshot)
{
	const struct pmscope_perf_attr *attr =
		pmscope_perfdata_attr(reader, index);

	return attr && is_snapshot ? attr->attr.config & 0xffff : 0;
}

static struct report_rate *rate_find(struct report_rate *rates, size_t nr,
				     int attr)
{
	for (size_t i = 0; i < nr; i++)
		if (rates[i].attr == attr)
			return &rates[i];
	return NULL;
}

static void reading_join(struct report_reading *sum,
			 const struct report_reading *from)
{
	sum->value += from->value;
	sum->time += from->time;
	sum->enabled += from->enabled;
	sum->running += from->running;
}

size_t report_rates(const struct report *report, struct report_rate *rates,
		    size_t max)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_counters; i++) {
		const struct report_counter *c = &report->counters[i];
		struct report_rate *rate = rate_find(rates, nr, c->attr);

		if (!rate) {
			if (nr == max)
				continue;
			rate = &rates[nr++];
			*rate = (struct report_rate){.attr = c->attr};
			rate->name = report_event_name(c->name, c->attr,
						       rate->unnamed);
		}
		rate->snapshots += c->snapshots;
		reading_join(&rate->since, &c->since);
	}
	return nr;
}

void report_left_out(const struct load *load, unsigned int shown)
{
	warning("%s: groups of more than %u events; those behind are not shown",
		load->name, shown);
}

double report_ipc(const struct report_pair *pair)
{
	return pair->cycles ? (double)pair->instructions / pair->cycles : -1;
}
