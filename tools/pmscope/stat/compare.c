// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/compare.h"
#include "base/snapshot_pmu.h"
#include "cli/message.h"
#include "cli/terminal.h"
#include "print/csv.h"
#include "print/json.h"
#include "print/name.h"
#include "session/pmu.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
		const struct pmscope_event *event =
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
	char *text = NULL;
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
	free(text);
	return ret;
}

int stat_compare_events(struct event_list *events)
{
	struct event_list both = {};
	size_t nr = events->nr;
	char pmu[PMSCOPE_PMU_NAME_MAX];
	int ret;

	ret = check_events(events) ?: core_pmu(pmu, sizeof(pmu));
	if (!ret)
		ret = both_groups(events, pmu, &both);
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
		if (size > skew->max)
			skew->max = size;
	}
}

static double skew_mean(const struct stat_skew *skew)
{
	return skew->reads ? (double)skew->sum / skew->reads : 0;
}

static void print_skew_json(FILE *out, const struct stat_skew *skew,
			    const char *event)
{
	struct json json = {.out = out};

	json_begin_line(&json);
	json_text(&json, "skew_of", event);
	json_unsigned(&json, "reads", skew->reads);
	json_real(&json, "mean", 2, skew_mean(skew));
	json_unsigned(&json, "max", skew->max);
	json_end_line(&json);
}

#define SKEW_WIDTH 50 /* of a line without its event */

static void print_skew(const struct stat_printer *p,
		       const struct stat_skew *skew, const char *event)
{
	const char *sep = p->separator;

	if (p->format == STAT_JSON) {
		print_skew_json(p->out, skew, event);
	} else if (p->format == STAT_CSV) {
		fprintf(p->out, "skew%s", sep);
		csv_separated(p->out, event, sep);
		fprintf(p->out, "%s%" PRIu64 "%s%.2f%s%" PRIu64 "\n", sep,
			skew->reads, sep, skew_mean(skew), sep, skew->max);
	} else {
		fprintf(p->out, "%20.1f  mean %12" PRIu64 "  largest  ",
			skew_mean(skew), skew->max);
		if (terminal_width() > SKEW_WIDTH)
			name_put_cut(p->out, event,
				     terminal_width() - SKEW_WIDTH, false);
		else
			fputs(event, p->out);
		fputc('\n', p->out);
	}
}

void stat_compare_print(const struct stat_printer *p,
			const struct stat_comparison *comparison,
			const struct event_list *events)
{
	if (p->format == STAT_HUMAN)
		fprintf(p->out,
			"\n Skew from the first to the last event of a group, "
			"in %" PRIu64 " reads:\n\n",
			comparison->skew[STAT_SNAPSHOT].reads);
	for (int i = 0; i < STAT_COMPARED; i++)
		print_skew(p, &comparison->skew[i],
			   events->event[i * events->nr / STAT_COMPARED].name);
}
