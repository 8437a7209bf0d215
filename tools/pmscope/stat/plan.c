// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"

#define CPU_CYCLES	0x11
#define NAME_LENGTH_MAX 64
#define EVENTS_MAX	32 /* per group */

enum {
#define METRIC_CPU(bit, name, slots) AT_##bit,
#include "stat/metrics.def"
};

enum {
#define METRIC_CPU(bit, name, slots) bit = 1 << AT_##bit,
#include "stat/metrics.def"
	ARM = N1 | N2_OLD | N2 | N3 | V1 | V2 | V3,
	ALL = ARM | GENERIC,
};

static const struct {
	const char *name;
	unsigned int slots;
} cpus[] = {
#define METRIC_CPU(bit, name, slots) {name, slots},
#include "stat/metrics.def"
};

static const struct metric_row {
	unsigned int cpus;
	const char *name;
	const char *unit;
	const char *formula;
} metrics[] = {
#define METRIC(cpus, name, unit, formula) {cpus, name, unit, formula},
#include "stat/metrics.def"
};

static const struct name_list {
	unsigned int cpus;
	const char *name;
	const char *items;
} groups[] =
	{
#define METRIC_GROUP(cpus, name, metrics) {cpus, name, metrics},
#include "stat/metrics.def"
},
  nexts[] = {
#define METRIC_NEXT(cpus, metric, items) {cpus, metric, items},
#include "stat/metrics.def"
};

const char *const metric_names[] = {
#define METRIC(cpus, name, unit, formula) name,
#define METRIC_GROUP(cpus, name, metrics) name,
#include "stat/metrics.def"
	NULL};

#define NR(rows) ARRAY_SIZE(rows)

static unsigned int cpu_of(uint64_t midr)
{
	static const struct {
		uint32_t model;
		unsigned int cpu;
	} models[] = {
		{MIDR_NEOVERSE_N1, AT_N1}, {MIDR_NEOVERSE_N2, AT_N2},
		{MIDR_COBALT_100, AT_N2},  {MIDR_NEOVERSE_N3, AT_N3},
		{MIDR_NEOVERSE_V1, AT_V1}, {MIDR_NEOVERSE_V2, AT_V2},
		{MIDR_NEOVERSE_V3, AT_V3}, {MIDR_NEOVERSE_V3AE, AT_V3},
	};

	for (size_t i = 0; i < NR(models); i++) {
		if (midr_model(midr) != models[i].model)
			continue;
		if (models[i].cpu == AT_N2 && midr_revision(midr) < 0x03)
			return AT_N2_OLD;
		return models[i].cpu;
	}
	return AT_GENERIC;
}

/*
 * The methodology of Neoverse N1 counts cycles. If the CPU reports its slots,
 * the architecture's, which counts slots, is more exact.
 */
void metric_plan_init(struct metric_plan *plan, const char *devices,
		      uint64_t midr, unsigned int slots)
{
	plan->cpu = cpu_of(midr);
	if (slots && !cpus[plan->cpu].slots)
		plan->cpu = AT_GENERIC;
	plan->cpu_name = cpus[plan->cpu].name;
	plan->by_architecture = plan->cpu == AT_GENERIC;
	plan->slots = slots ? slots : cpus[plan->cpu].slots;
	plan->devices = devices;
}

static bool same_name(const char *a, const char *b, size_t length)
{
	return strlen(a) == length && !strncasecmp(a, b, length);
}

static const struct metric_row *metric_find(const struct metric_plan *plan,
					    const char *name, size_t length)
{
	for (size_t i = 0; i < NR(metrics); i++)
		if (metrics[i].cpus >> plan->cpu & 1 &&
		    same_name(metrics[i].name, name, length))
			return &metrics[i];
	return NULL;
}

static const struct name_list *list_find(const struct metric_plan *plan,
					 const struct name_list *lists,
					 size_t nr, const char *name,
					 size_t length)
{
	for (size_t i = 0; i < nr; i++)
		if (lists[i].cpus >> plan->cpu & 1 &&
		    same_name(lists[i].name, name, length))
			return &lists[i];
	return NULL;
}

const char *metric_plan_next(const struct metric_plan *plan, const char *name)
{
	const struct name_list *next =
		list_find(plan, nexts, NR(nexts), name, strlen(name));

	return next ? next->items : NULL;
}

const struct pmscope_event_name *stat_event_of(const char *name, size_t length)
{
	char text[NAME_LENGTH_MAX];

	if (length >= sizeof(text))
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)length, name);
	return event_name_find(text, MIDR_NEOVERSE_N1);
}

/* The events of a formula, which metrics are listed with. */
struct formula_events {
	const struct pmscope_event_name *event[EVENTS_MAX];
	size_t nr;
};

static bool events_add(struct formula_events *events,
		       const struct pmscope_event_name *event)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->event[i] == event)
			return true;
	if (!event || events->nr == EVENTS_MAX)
		return false;
	events->event[events->nr++] = event;
	return true;
}

/* The values are different, so that no divisor, such as A - B, is 0. */
static bool note_event(void *arg, const char *name, size_t length,
		       double *value)
{
	struct formula_events *events = arg;

	*value = 1 + 0.1 * events->nr;
	return same_name("SLOTS", name, length) ||
	       events_add(events, stat_event_of(name, length));
}

static bool formula_events(const char *formula, struct formula_events *events)
{
	double value;

	return formula_value(formula, note_event, events, &value);
}

/* Sysfs lists only the events in PMCEID; the CPU may have others. */
static bool is_missing(const struct pmu *pmu,
		       const struct pmscope_event_name *event)
{
	char terms[64];

	return event->source == PMSCOPE_EVENT_LISTED &&
	       pmu_event_terms(pmu, event->name, terms, sizeof(terms));
}

static int note_missing(struct metric_plan *plan, const char *name)
{
	char *text = NULL;

	if (plan->missing && strstr(plan->missing, name))
		return 0;
	if (asprintf(&text, "%s%s%s", plan->missing ? plan->missing : "",
		     plan->missing ? ", " : "", name) < 0)
		return -ENOMEM;
	free(plan->missing);
	plan->missing = text;
	return 0;
}

/* Returns 1 if an event of the formula is missing. */
static int check_events(struct metric_plan *plan, const char *formula)
{
	struct formula_events events = {};
	struct pmu pmu;
	int ret = 0, missing = 0;

	/* If the PMU is missing, opening its events reports why. */
	if (!formula_events(formula, &events) ||
	    pmu_open(&pmu, plan->devices, SNAPSHOT_PMU, NULL))
		return 0;
	for (size_t i = 0; i < events.nr && !ret; i++)
		if (is_missing(&pmu, events.event[i])) {
			missing = 1;
			ret = note_missing(plan, events.event[i]->name);
		}
	pmu_close(&pmu);
	return ret ? ret : missing;
}

static int item_add(struct metric_plan *plan, const struct metric_row *metric,
		    const char *group)
{
	int ret = check_events(plan, metric->formula);

	if (ret)
		return ret < 0 ? ret : 0;
	if (array_one_more(plan->item, plan->nr))
		return -ENOMEM;
	plan->item[plan->nr++] = (struct plan_item){
		.group = group,
		.name = metric->name,
		.unit = metric->unit,
		.formula = metric->formula,
	};
	return 0;
}

static bool has_group(const struct metric_plan *plan, const char *group)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (plan->item[i].group && !strcmp(plan->item[i].group, group))
			return true;
	return false;
}

/* Calls @add for each of the words in @list. */
static int
each_word(struct metric_plan *plan, const char *list, const char *group,
	  int (*add)(struct metric_plan *, const char *, size_t, const char *))
{
	int ret = 0;

	while (!ret && *(list += strspn(list, " "))) {
		size_t length = strcspn(list, " ");

		ret = add(plan, list, length, group);
		list += length;
	}
	return ret;
}

static int add_metric(struct metric_plan *plan, const char *name, size_t length,
		      const char *group)
{
	const struct metric_row *metric = metric_find(plan, name, length);

	return metric ? item_add(plan, metric, group) : -ENOENT;
}

static int add_name(struct metric_plan *plan, const char *name, size_t length,
		    const char *)
{
	const struct name_list *group =
		list_find(plan, groups, NR(groups), name, length);

	if (!group)
		return add_metric(plan, name, length, NULL);
	if (has_group(plan, group->name))
		return 0;
	return each_word(plan, group->items, group->name, add_metric);
}

/* Not every CPU has all of these events. */
static int add_known(struct metric_plan *plan, const char *name, size_t length,
		     const char *group)
{
	int ret = add_name(plan, name, length, group);

	return ret == -ENOENT ? 0 : ret;
}

int metric_plan_topdown(struct metric_plan *plan, unsigned int level,
			struct pmscope_error *err)
{
	const char *first =
		plan->cpu == AT_N1 ? "Cycle_Accounting" : "Topdown_L1";
	int ret = add_name(plan, first, strlen(first), NULL);
	size_t nr = plan->nr;

	if (!ret && plan->missing)
		return pmscope_fail(err, ENOENT,
				    "this CPU has no event %s, which top-down "
				    "level 1 of %s needs",
				    plan->missing, plan->cpu_name);
	for (size_t i = 0; i < nr && level > 1 && !ret; i++) {
		const char *next = metric_plan_next(plan, plan->item[i].name);

		if (next)
			ret = each_word(plan, next, NULL, add_known);
	}
	return ret;
}

int metric_plan_names(struct metric_plan *plan, const char *names,
		      struct pmscope_error *err)
{
	for (const char *at = names; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");
		int ret = add_name(plan, at, length, NULL);

		if (ret == -ENOENT)
			return pmscope_fail(
				err, ENOENT,
				"unknown metric or group '%.*s' (CPU: %s); "
				"--list-metrics lists them",
				(int)length, at, plan->cpu_name);
		if (ret)
			return pmscope_fail_nomem(err);
		at += length;
	}
	if (plan->nr)
		return 0;
	return pmscope_fail(err, ENOENT, "this CPU has no event %s",
			    plan->missing ? plan->missing : "for it");
}

static size_t cost_of(const struct formula_events *events)
{
	size_t cost = events->nr;

	/* Cycles have a counter of their own. */
	for (size_t i = 0; i < events->nr; i++)
		cost -= events->event[i]->number == CPU_CYCLES;
	return cost;
}

static bool turn_take(struct formula_events *turn, const char *formula,
		      unsigned int counters)
{
	struct formula_events all = *turn;

	if (!formula_events(formula, &all) || cost_of(&all) > counters)
		return false;
	*turn = all;
	return true;
}

static void turn_print(const struct formula_events *turn, FILE *out)
{
	for (size_t i = 0; i < turn->nr; i++) {
		const struct pmscope_event_name *event = turn->event[i];

		fputs(i ? "," : "{", out);
		if (event->source == PMSCOPE_EVENT_LISTED)
			fputs(event->name, out);
		else
			fprintf(out, SNAPSHOT_PMU "/event=0x%x,name=%s/",
				event->number, event->name);
	}
	fputc('}', out);
}

/* First fit: each metric in the first turn that has room for its events. */
static int turns_fill(struct metric_plan *plan, struct formula_events *turns,
		      unsigned int counters)
{
	plan->turns = 0;
	for (size_t i = 0; i < plan->nr; i++) {
		struct plan_item *item = &plan->item[i];

		item->turn = 0;
		while (!turn_take(&turns[item->turn], item->formula, counters))
			if (item->turn++ == plan->turns)
				return -ENOSPC;
		if (item->turn == plan->turns)
			plan->turns++;
	}
	return 0;
}

int metric_plan_events(struct metric_plan *plan, unsigned int counters,
		       char **text)
{
	struct formula_events *turns = calloc(plan->nr + 1, sizeof(*turns));
	FILE *out;
	size_t size;
	int ret;

	if (!turns)
		return -ENOMEM;
	ret = turns_fill(plan, turns, counters);
	out = ret ? NULL : open_memstream(text, &size);
	for (unsigned int i = 0; out && i < plan->turns; i++) {
		if (i)
			fputc(',', out);
		turn_print(&turns[i], out);
	}
	free(turns);
	if (ret)
		return ret;
	return out && !fclose(out) ? 0 : -ENOMEM;
}

void metric_plan_list(const struct metric_plan *plan, FILE *out)
{
	fprintf(out, "Metrics (CPU: %s):\n", plan->cpu_name);
	for (size_t i = 0; i < NR(metrics); i++)
		if (&metrics[i] ==
		    metric_find(plan, metrics[i].name, strlen(metrics[i].name)))
			fprintf(out, "  %-34s%s\n", metrics[i].name,
				metrics[i].unit);
	fputs("Groups:\n", out);
	for (size_t i = 0; i < NR(groups); i++)
		if (&groups[i] == list_find(plan, groups, NR(groups),
					    groups[i].name,
					    strlen(groups[i].name)))
			fprintf(out, "  %s\n", groups[i].name);
}

void metric_plan_free(struct metric_plan *plan)
{
	free(plan->item);
	free(plan->missing);
	*plan = (struct metric_plan){};
}
