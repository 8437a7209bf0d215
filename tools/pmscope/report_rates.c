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

/*
 * Since the group before; -1 where there is none, or the counter was set back,
 * as that of another thread.
 */
static int64_t counter_add(struct report_counter *c, uint64_t value,
			   uint64_t time)
{
	int64_t since = -1;

	if (c->snapshots++ && value >= c->last_value && time >= c->last_time) {
		since = value - c->last_value;
		c->count += since;
		c->ns += time - c->last_time;
	}
	c->last_value = value;
	c->last_time = time;
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
		int64_t since;

		if (!c)
			return -ENOMEM;
		if (c->cpu != sample->cpu)
			c->cpu = PMSCOPE_NO_ID;
		since = counter_add(c, count->value, sample->time);
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
		rate->count += c->count;
		rate->ns += c->ns;
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
