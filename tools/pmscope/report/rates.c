// SPDX-License-Identifier: GPL-2.0-or-later
/* How fast each event of a group counted. */
#include "cli/message.h"
#include "report/report.h"

int report_add_group(struct report *report, const struct pmscope_sample *sample)
{
	struct counted_pair pair;

	report->groups += !sample->is_total;
	report->snapshots += sample->is_snapshot && !sample->is_total;
	return counters_add(&report->counters, sample, sample->time, NULL, NULL,
			    &pair);
}

size_t report_rates(const struct report *report, struct report_rate *rates,
		    size_t max)
{
	const struct counters *all = &report->counters;
	size_t nr = all->nr_events < max ? all->nr_events : max;

	for (size_t i = 0; i < nr; i++)
		rates[i] = (struct report_rate){
			.name = all->events[i].name,
			.snapshots = all->events[i].readings,
			.since = counters_sum(all, &all->events[i]),
		};
	return nr;
}

void report_left_out(const struct load *load, unsigned int shown)
{
	warning("%s: groups of more than %u events; those behind are not shown",
		load->name, shown);
}
