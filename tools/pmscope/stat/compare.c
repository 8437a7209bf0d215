// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"

#include <glob.h>

static int core_pmu(char *name, size_t size)
{
	glob_t found;

	if (glob(PMSCOPE_PMU_DEVICES "/" PMSCOPE_PMU_CORE, 0, NULL, &found)) {
		error("--compare: there is no CPU PMU (armv8_pmuv3)");
		return -ENODEV;
	}
	snprintf(name, size, "%s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	return 0;
}

static int check_events(const struct event_list *events)
{
	if (events->nr_groups != 1) {
		error("--compare requires exactly one group");
		return -EINVAL;
	}
	for (size_t i = 0; i < events->nr; i++) {
		if (event_is_snapshot(&events->event[i]))
			continue;
		error("--compare: '%s' is not an event of pmu_snapshot",
		      events->event[i].name);
		return -EINVAL;
	}
	return 0;
}

/*
 * Writes the group as "{PMU/event=0x11,name=PMU:cpu_cycles/,...}", with its
 * first event again at the end.
 */
static int group_text(const struct event_list *events, const char *pmu,
		      FILE *text)
{
	for (size_t i = 0; i <= events->nr; i++) {
		const struct listed_event *event =
			&events->event[i % events->nr];
		const char *name = strchr(event->name, '/');
		int len;

		name = name ? name + 1 : event->name;
		len = strcspn(name, "/,");
		fprintf(text, "%c%s/event=0x%llx,name=%s:%.*s/", i ? ',' : '{',
			pmu, (unsigned long long)event->attr.attr.config, pmu,
			len, name);
	}
	fputc('}', text);
	return ferror(text) ? -ENOMEM : 0;
}

static int both_groups(const struct event_list *events, const char *pmu,
		       struct event_list *both)
{
	struct pmscope_error err = {};
	FREED char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	int ret = -ENOMEM;

	if (stream) {
		ret = group_text(events, SNAPSHOT_PMU, stream);
		fputc(',', stream);
		if (!ret)
			ret = group_text(events, pmu, stream);
		if (fclose(stream))
			ret = -ENOMEM;
	}
	if (!ret)
		ret = events_parse(both, text, NULL, &err);
	if (ret)
		error("--compare: %s",
		      ret == -ENOMEM ? "out of memory" : err.text);
	return ret;
}

int stat_compare_events(struct event_list *events)
{
	struct event_list both = {};
	size_t nr = events->nr;
	char pmu[PMSCOPE_PMU_NAME_MAX];
	int ret;

	ret = check_events(events)
		      ?: core_pmu(pmu, sizeof(pmu))
		      ?: both_groups(events, pmu, &both);
	if (ret)
		return ret;
	for (size_t i = 0; i < both.nr; i++) {
		const struct perf_event_attr *from =
			&events->event[i % (nr + 1) % nr].attr.attr;
		struct perf_event_attr *to = &both.event[i].attr.attr;

		to->exclude_user = from->exclude_user;
		to->exclude_kernel = from->exclude_kernel;
		to->exclude_hv = from->exclude_hv;
	}
	events_free(events);
	*events = both;
	return nr + 1;
}

void stat_compare_add(struct stat_comparison *comparison,
		      const struct pmscope_reading *reading, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct pmscope_reading *r = &reading[i];
		struct stat_skew *skew =
			&comparison->skew[r->first ? STAT_CORE_PMU
						   : STAT_SNAPSHOT];
		int64_t difference = r->value[r->nr - 1] - r->value[0];
		uint64_t size = difference < 0 ? -difference : difference;

		if (!r->running)
			continue;
		skew->reads++;
		skew->sum += size;
		skew->max = MAX(skew->max, size);
	}
}

/* A row: the columns have these names. */
struct skew_view {
	const char *kind, *skew_of;
	uint64_t reads, max;
	double mean;
};

#define SKEW_WIDTH 50 /* of a line without its event */

static void print_skew_text(FILE *out, const struct skew_view *skew)
{
	fprintf(out, "%20.1f  mean %12" PRIu64 "  largest  ", skew->mean,
		skew->max);
	if (terminal_width() > SKEW_WIDTH)
		name_put_cut(out, skew->skew_of, terminal_width() - SKEW_WIDTH,
			     false);
	else
		fputs(skew->skew_of, out);
	fputc('\n', out);
}

static const struct table_column columns[] = {
	{COLUMN_STRING(struct skew_view, kind), .key = ""},
	{COLUMN_STRING(struct skew_view, skew_of)},
	{COLUMN_NUMBER(struct skew_view, reads)},
	{COLUMN_REAL(struct skew_view, mean), .decimals = 2},
	{COLUMN_NUMBER(struct skew_view, max)},
};

void stat_compare_print(const struct stat_printer *p,
			const struct stat_comparison *comparison,
			const struct event_list *events)
{
	struct table table = {.format = p->format,
			      .separator = p->separator,
			      .json.out = p->out};

	if (p->format == PRINT_TEXT)
		fprintf(p->out,
			"\n Skew from the first to the last event of a group, "
			"in %" PRIu64 " reads:\n\n",
			comparison->skew[STAT_SNAPSHOT].reads);
	table_add(&table, columns, ARRAY_SIZE(columns));
	if (p->format != PRINT_TEXT)
		table_begin(&table, false);
	for (size_t i = 0; i < STAT_COMPARED; i++) {
		const struct stat_skew *skew = &comparison->skew[i];
		const struct skew_view view = {
			.kind = "skew",
			.skew_of = events->event[i * events->nr / STAT_COMPARED]
					   .name,
			.reads = skew->reads,
			.max = skew->max,
			.mean = skew->reads ? (double)skew->sum / skew->reads
					    : 0,
		};

		if (p->format == PRINT_TEXT)
			print_skew_text(p->out, &view);
		else
			table_row(&table, &view);
	}
}
