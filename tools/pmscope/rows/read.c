// SPDX-License-Identifier: GPL-2.0-or-later
/* One pass over a recording, by all worker threads. */
#include "read/caches.h"
#include "rows/rows.h"

#define DEPS_OF_TIME (DEP_CODE | DEP_THREAD | DEP_CPU | DEP_LINE)

static bool is_of_time(const struct field *field, unsigned int deps)
{
	return !(field->deps & ~deps) || !strcmp(field->name, "time");
}

/*
 * Samples of a clock tell code, thread and CPU; the instruction only to find
 * its function: the interrupt comes late.
 */
static bool has_time(const struct row_table *table, const struct filter *filter)
{
	unsigned int deps = DEPS_OF_TIME |
			    (table->with_places ? (unsigned int)DEP_OFFSET : 0);

	for (size_t i = 0; i < table->nr_keys; i++)
		if (!is_of_time(table->keys[i], deps))
			return false;
	for (size_t i = 0; i < filter->nr_terms; i++)
		if (!is_of_time(filter->terms[i].field, DEPS_OF_TIME))
			return false;
	return true;
}

static int add_tick(struct row_table *table, const struct load *load,
		    const struct pmscope_sample *sample)
{
	struct pmscope_sample spe = *sample;
	struct view view = {
		.sample = &spe, .has = PMSCOPE_HAS_PC, .pc = sample->ip};
	struct row *row;

	spe.kind = PMSCOPE_SAMPLE_SPE;
	view_names(&view, load->recording, load->symbols);
	if (table->deps & DEP_LINE)
		view_line(&view, load->recording, load->symbols);
	if (!filter_plain(load->filter, &view) ||
	    !filter_named(load->filter, &view))
		return 0;
	/* Samples of SPE will be joined. */
	table->kinds = table->kinds ?: row_kinds_new();
	row = table->kinds ? row_of(table, &view) : NULL;
	if (!row ||
	    (table->with_places && row_places_add(table, row, &view, load)))
		return -ENOMEM;
	row->ticks++;
	return 0;
}

struct adding {
	struct row_table table;
	struct load load;
};

/* What groups of counters, and runs in order, are added to. */
struct adding_groups {
	struct row_table *table;
	struct load *load;
	bool with_time;
	const struct row_also *also;
};

static int add_run(void *worker, const struct pmscope_run *run, struct output *)
{
	struct adding *to = worker;

	return row_table_add_run(&to->table, &to->load, run);
}

/* What is the same for any number of threads only in the order of runs */
static int then_add_run(void *context, const struct pmscope_run *run)
{
	const struct adding_groups *to = context;
	int ret = to->table->with_gaps
			  ? row_table_link_run(to->table, to->load, run)
			  : 0;

	return ret ?: to->also ? to->also->add(to->also->context, run) : 0;
}

static int add_group(void *context, const struct pmscope_run *run)
{
	const struct pmscope_sample *sample = run->group;
	const struct adding_groups *to = context;
	const struct row_also *also =
		filter_passes_group(to->load, sample) ? to->also : NULL;
	struct row_table *table = to->table;
	struct counted_pair pair;
	int ret;

	if (to->with_time && sample->is_clock && sample->ip &&
	    add_tick(table, to->load, sample))
		return -ENOMEM;
	if (sample->kind != PMSCOPE_SAMPLE_GROUP)
		return 0;
	table->groups += !sample->is_total;
	table->snapshots += sample->is_snapshot && !sample->is_total;
	ret = counters_add(
		&table->counters, sample, sample->time,
		also ? also->count : NULL,
		&(struct row_counting){.context = also ? also->context : NULL,
				       .run = run},
		&pair);
	if (!ret && also)
		also->pair(also->context, run, &pair);
	return ret;
}

static int join_all(struct row_table *table, struct load *load,
		    struct adding *adding)
{
	int ret = 0;

	for (unsigned int i = 0; i < load->threads; i++) {
		if (!ret)
			ret = row_table_join(table, &adding[i].table)
				      ?: saturation_join(
						 &load->saturation,
						 &adding[i].load.saturation);
		load->filtered += adding[i].load.filtered;
	}
	table->midr = load->midr;
	return ret;
}

/* Each thread fills its own table; their sum covers all samples. */
static int add_all(struct row_table *table, struct load *load,
		   const struct row_also *also)
{
	FREED struct adding *adding = calloc(load->threads, sizeof(*adding));
	struct adding_groups groups = {
		table, load, table->by_time && has_time(table, load->filter),
		also};
	void *workers[MAX_THREADS];
	const struct work work = {
		.threads = load->threads,
		.take = add_run,
		.workers = workers,
		.then = also || table->with_gaps ? then_add_run : NULL,
		.group = add_group,
		.context = &groups,
	};
	int ret;

	if (!adding)
		return -ENOMEM;
	for (unsigned int i = 0; i < load->threads; i++) {
		workers[i] = &adding[i];
		row_table_like(&adding[i].table, table);
		adding[i].load = *load;
	}
	ret = load_runs(load, &work) ?: join_all(table, load, adding);
	for (unsigned int i = 0; i < load->threads; i++) {
		row_table_fini(&adding[i].table);
		saturation_fini(&adding[i].load.saturation);
	}
	return ret;
}

/*
 * Gaps are of one thread that runs where switches are known, and of all that
 * runs where all operations could be sampled.
 */
static int look_at_clock(struct row_table *table, const struct load *load)
{
	const struct pmscope_perf_attr *attr;
	bool switches = false;
	char *population = NULL;
	int ret;

	for (int i = 0; table->perfdata &&
			(attr = pmscope_perfdata_attr(table->perfdata, i));
	     i++) {
		table->has_clock |=
			attr_is_clock(&attr->attr) && attr->attr.sample_period;
		switches |= attr->attr.context_switch;
	}
	/* Instructions follow each other faster than samples do. */
	if (!table->by_time || table->has_clock || !switches ||
	    table->with_places)
		return 0;
	ret = population_recorded(load, &population);
	table->with_gaps = !ret && !population;
	free(population);
	return ret;
}

int row_table_read_also(struct row_table *table, struct load *load,
			const struct row_also *also)
{
	int ret = 0;

	table->varies = load->varies;
	table->with_slow = table->with_slow && table->deps & DEP_CODE;
	table->perfdata = pmscope_recording_perfdata(load->recording);
	table->counters.perfdata = table->perfdata;
	table->with_totals = row_table_has_totals(table->perfdata);
	ret = look_at_clock(table, load);
	if (!ret && table->deps & DEP_CALLERS && !load->stacks)
		ret = stacks_read(load, &load->stacks);
	if (!ret)
		ret = add_all(table, load, also) ?: row_table_finish(table);
	counters_settle(&table->counters);
	if (table->left_out)
		warning("%s: %" PRIu64 " samples have no row of their own and "
			"are in " ROW_OTHERS ": there are more than %u rows; "
			"--filter selects fewer",
			load->name, table->left_out, ROWS_MAX);
	return failed(ret, load->name);
}

int row_table_read(struct row_table *table, struct load *load)
{
	return row_table_read_also(table, load, NULL);
}
