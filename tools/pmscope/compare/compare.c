// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/compare.h"

const char *const origin_names[NR_ORIGINS] = {
	[ORIGIN_HOST] = "host",	    [ORIGIN_KERNEL] = "kernel",
	[ORIGIN_ARCH] = "arch",	    [ORIGIN_CPUS] = "cpus",
	[ORIGIN_MEMORY] = "memory", [ORIGIN_EVENTS] = "events",
};

static void put_cpus(FILE *out, const struct provenance *p)
{
	const char *separator = "";

	if (p->cpus_online)
		fprintf(out, "%" PRIu32 " online", p->cpus_online);
	separator = p->cpus_online ? ": " : "";
	for (size_t i = 0; i < p->nr_cpus; i++) {
		fprintf(out, "%s%s (MIDR 0x%" PRIx64 ")", separator,
			p->cpus[i].name ?: "unknown", p->cpus[i].midr);
		separator = ", ";
	}
}

/* The name of an event without its terms, which are among the settings. */
static void put_event(FILE *out, const struct provenance_event *event)
{
	const char *name = event->name ?: "unnamed";

	if (!event->is_spe) {
		fputs(name, out);
		return;
	}
	fprintf(out, "%.*s/%s", (int)strcspn(name, "/"), name, event->settings);
	fputs(event->period && *event->settings ? "," : "", out);
	if (event->period)
		fprintf(out, "period=%" PRIu64, event->period);
	putc('/', out);
}

static void put(FILE *out, enum origin origin, const struct provenance *p)
{
	switch (origin) {
	case ORIGIN_HOST:
		fputs(p->host ?: "", out);
		break;
	case ORIGIN_KERNEL:
		fputs(p->kernel ?: "", out);
		break;
	case ORIGIN_ARCH:
		fputs(p->arch ?: "", out);
		break;
	case ORIGIN_CPUS:
		put_cpus(out, p);
		break;
	case ORIGIN_MEMORY:
		if (p->memory)
			fprintf(out, "%" PRIu64 " MiB", p->memory >> 20);
		break;
	default:
		for (size_t i = 0; i < p->nr_events; i++) {
			fputs(i ? ", " : "", out);
			put_event(out, &p->events[i]);
		}
	}
}

int origin_text(enum origin origin, const struct provenance *provenance,
		char **text)
{
	size_t size;
	FILE *out = open_memstream(text, &size);

	if (!out)
		return -ENOMEM;
	put(out, origin, provenance);
	return fclose(out) ? -ENOMEM : 0;
}

bool origin_differs(const char *old, const char *new)
{
	return *old && *new &&strcmp(old, new);
}

/* Cost is given for so many operations, instructions or samples. */
#define COST_OF 1000

const char *const compare_units[] = {"auto",	"population", "instructions",
				     "samples", "nothing",    NULL};

const char *const verdict_names[NR_VERDICTS] = {
	[VERDICT_MORE] = "costs more",	   [VERDICT_LESS] = "costs less",
	[VERDICT_CHANGED] = "changed",	   [VERDICT_NEW] = "new",
	[VERDICT_GONE] = "gone",	   [VERDICT_NOISE] = "within noise",
	[VERDICT_FEW] = "too few samples",
};

enum verdict compare_verdict(const struct compared_row *row)
{
	const struct compared *cost = &row->measures[MEASURE_COST];

	if (!row->is_compared)
		return VERDICT_FEW;
	if (!row->changed)
		return VERDICT_NOISE;
	if (!row->samples[0])
		return VERDICT_NEW;
	if (!row->samples[1])
		return VERDICT_GONE;
	if (!cost->changed)
		return VERDICT_CHANGED;
	return cost->change.value > 0 ? VERDICT_MORE : VERDICT_LESS;
}

/* Counted instructions, of the first event that counts them. */
static double instructions_of(const struct row_table *table)
{
	const struct counters *all = &table->counters;

	for (size_t i = 0; i < all->nr_events; i++)
		if (counted_event_number(all, &all->events[i]) ==
		    EVENT_INST_RETIRED)
			return counters_sum(all, &all->events[i]).value;
	return 0;
}

/* The sampling period of SPE events, if all have the same; else 0. */
static uint64_t period_of(const struct provenance *provenance)
{
	uint64_t period = 0;

	for (size_t i = 0; i < provenance->nr_events; i++) {
		const struct provenance_event *event = &provenance->events[i];

		if (!event->is_spe)
			continue;
		if (!event->period || (period && period != event->period))
			return 0;
		period = event->period;
	}
	return period;
}

static int side_finish(struct compare_side *side)
{
	const struct row_table *table = &side->table;
	char *population = NULL;
	int ret = row_table_totals(table, table->samples + side->load.filtered,
				   &side->totals)
			  ?: provenance_read(&side->provenance, &side->load)
			  ?: population_read(&side->load, &population);

	side->is_filtered = population;
	free(population);
	side->instructions = instructions_of(table);
	side->each = side->totals.all.each ?: period_of(&side->provenance);
	return ret;
}

int compare_read(struct comparison *comparison, int side,
		 const struct load_config *config,
		 const struct field *const *keys, size_t nr)
{
	struct compare_side *to = &comparison->sides[side];
	struct row_table *table = &to->table;
	int ret;

	for (size_t i = 0; i < nr; i++) {
		table->keys[i] = keys[i];
		table->deps |= keys[i]->deps;
	}
	table->nr_keys = nr;
	table->all_latencies = true;
	ret = load_open(&to->load, config);
	if (ret)
		return ret;
	to->is_open = true;
	table->deps |= to->load.filter->deps;
	to->load.names_data = table->deps & DEP_DATA;
	ret = row_table_read(table, &to->load);
	if (ret)
		return ret;
	ret = side_finish(to);
	return failed(ret, to->load.name);
}

/* Names with their lengths in front, so that they never run together. */
struct label {
	char *text;
	size_t length;
	size_t max;
};

static int label_add(struct label *label, const char *text)
{
	size_t length = strlen(text), wanted = label->length + length + 24;

	if (wanted > label->max) {
		char *moved = realloc(label->text, 2 * wanted);

		if (!moved)
			return -ENOMEM;
		label->text = moved;
		label->max = 2 * wanted;
	}
	label->length +=
		sprintf(label->text + label->length, "%zu:%s", length, text);
	return 0;
}

static int label_fill(struct label *label, const struct row_table *table,
		      const struct row *row)
{
	char buf[32];
	int ret = 0;

	label->length = 0;
	for (size_t i = 0; i < table->nr_keys && !ret; i++)
		ret = label_add(label,
				row_value(table, row, i, buf, sizeof(buf)));
	return ret;
}

/* The pair of that number, which may be the next. */
static struct row_pair *pair_get(struct comparison *all, uint32_t number)
{
	struct row_pair *pairs;

	if (number < all->nr_pairs)
		return &all->pairs[number];
	if (array_room(all->pairs, all->nr_pairs, all->max_pairs))
		return NULL;
	pairs = &all->pairs[all->nr_pairs++];
	*pairs = (struct row_pair){.rows = {NO_ROW, NO_ROW}};
	return pairs;
}

static int side_align(struct comparison *all, int side, struct strings *names,
		      struct label *label)
{
	const struct row_table *table = &all->sides[side].table;

	for (size_t i = 0; i < table->nr_rows; i++) {
		struct row_pair *pair;
		uint32_t number;

		if (label_fill(label, table, &table->rows[i]) ||
		    strings_intern(names, label->text, label->length, &number))
			return -ENOMEM;
		pair = pair_get(all, number);
		if (!pair)
			return -ENOMEM;
		pair->rows[side] = i;
	}
	return 0;
}

static int align(struct comparison *all)
{
	struct strings names = {};
	struct label label = {};
	int ret = side_align(all, 0, &names, &label)
			  ?: side_align(all, 1, &names, &label);

	strings_fini(&names);
	free(label.text);
	return ret;
}

static bool has_unit(const struct compare_side *side, enum compare_unit unit)
{
	switch (unit) {
	case COMPARE_POPULATION:
		return side->totals.population;
	case COMPARE_INSTRUCTIONS:
		return side->instructions && side->each;
	default:
		return true;
	}
}

static const char *advice_on(enum compare_unit unit)
{
	return unit == COMPARE_POPULATION
		       ? "no counts of what SPE could have sampled; record "
			 "them with --totals"
		       : "no counted instructions, or no fixed sampling "
			 "period; record them with --snapshot=inst_retired";
}

/* The counts of a recording are not those of a selection. */
static enum compare_unit first_unit(const struct compare_side *sides)
{
	return sides[0].load.filter->nr_terms || sides[1].load.filter->nr_terms
		       ? COMPARE_SAMPLES_ONLY
		       : COMPARE_POPULATION;
}

/* Returns 0, or -ENODATA after error(). */
static int unit_choose(struct comparison *all, const char *command,
		       enum compare_unit unit)
{
	const struct compare_side *sides = all->sides;
	int without;

	all->unit = unit;
	if (unit == COMPARE_AUTO) {
		all->unit = first_unit(sides);
		while (!has_unit(&sides[0], all->unit) ||
		       !has_unit(&sides[1], all->unit))
			all->unit++;
		return 0;
	}
	without = has_unit(&sides[0], unit);
	if (without && has_unit(&sides[1], unit))
		return 0;
	error("%s: --per=%s: %s has %s", command, compare_units[unit],
	      sides[without].load.name, advice_on(unit));
	return -ENODATA;
}

/* What a sample of the row adds to its cost. */
static double cost_of(const struct comparison *all, int side,
		      const struct row *row)
{
	const struct compare_side *of = &all->sides[side];
	double each = of->each;

	if (of->totals.all.each && row && row->samples)
		each = row_operations(&of->totals, row).count / row->samples;
	switch (all->unit) {
	case COMPARE_POPULATION:
		return each * COST_OF / of->totals.population;
	case COMPARE_INSTRUCTIONS:
		return each * COST_OF / of->instructions;
	case COMPARE_NOTHING:
		return all->sides[0].each && all->sides[1].each ? each : 1;
	default:
		return of->table.samples ? (double)COST_OF / of->table.samples
					 : 0;
	}
}

static const struct row *row_of_pair(const struct comparison *all, int side,
				     const struct row_pair *pair)
{
	if (!pair)
		return &all->all[side];
	return pair->rows[side] == NO_ROW
		       ? NULL
		       : &all->sides[side].table.rows[pair->rows[side]];
}

/* Without its parts. */
static struct measured_row measured_of(const struct comparison *all, int side,
				       const struct row_pair *pair)
{
	const struct row *row = row_of_pair(all, side, pair);

	return (struct measured_row){
		.row = row,
		.samples = all->sides[side].table.samples,
		.cost = cost_of(all, side, row),
		.by_samples = all->by_samples,
	};
}

/* @parts starts as zeros, and stays so if there is no row. */
static int parts_fill(const struct comparison *all, int side,
		      const struct row *row, struct row_parts *parts)
{
	int ret = 0;

	if (row)
		ret = row_parts_of(&all->sides[side].table, row, parts);
	row_parts_finish(parts);
	row_parts_by_name(parts);
	return ret;
}

static struct compared_source *source_of(struct compared_row *row,
					 const struct row_source *source)
{
	struct compared_source *sources;

	for (size_t i = 0; i < row->nr_sources; i++) {
		const char *name = row->sources[i].name;

		if (name && source->name
			    ? !strcmp(name, source->name)
			    : !name && !source->name &&
				      row->sources[i].code == source->code)
			return &row->sources[i];
	}
	if (array_room(row->sources, row->nr_sources, row->max_sources))
		return NULL;
	sources = &row->sources[row->nr_sources++];
	*sources = (struct compared_source){.name = source->name,
					    .code = source->code};
	return sources;
}

static bool source_is_compared(const struct comparison *all,
			       const struct compared_source *source)
{
	return source->name || !all->unlike_cpus;
}

static int sources_join(struct compared_row *row, int side,
			const struct row_parts *parts)
{
	row->sourced[side] = parts->sourced;
	for (size_t i = 0; i < parts->nr_sources; i++) {
		struct compared_source *source =
			source_of(row, &parts->sources[i]);

		if (!source)
			return -ENOMEM;
		source->samples[side] += parts->sources[i].samples;
	}
	return 0;
}

static bool is_compared(const struct measured_row measured[2])
{
	uint64_t samples = 0;

	for (int i = 0; i < 2; i++)
		samples += measured[i].row ? measured[i].row->samples : 0;
	return samples >= COMPARE_SAMPLES && measured[0].samples &&
	       measured[1].samples;
}

/* A share of all samples is no measure of all of them. */
static unsigned int known_of(const struct measured_row measured[2],
			     const struct row_pair *pair)
{
	unsigned int known = measures_known(&measured[0], &measured[1]);

	return pair ? known : known & ~(1U << MEASURE_SHARE);
}

/* A change counts only in rows with enough samples. */
static void settle(struct compared_row *row)
{
	for (size_t i = 0; i < NR_MEASURES; i++) {
		row->measures[i].changed &= row->is_compared;
		row->changed |= row->measures[i].changed;
	}
	for (size_t i = 0; i < row->nr_sources; i++) {
		row->sources[i].share.changed &= row->is_compared;
		row->changed |= row->sources[i].share.changed;
	}
}

static int row_fill(const struct comparison *all, const struct row_pair *pair,
		    struct row_parts parts[2], struct compared_row *row)
{
	struct measured_row measured[2];

	row->pair = pair;
	for (int i = 0; i < 2; i++) {
		int ret;

		measured[i] = measured_of(all, i, pair);
		measured[i].parts = &parts[i];
		ret = parts_fill(all, i, measured[i].row, &parts[i])
			      ?: sources_join(row, i, &parts[i]);
		if (ret)
			return ret;
		row->samples[i] =
			measured[i].row ? measured[i].row->samples : 0;
	}
	row->is_compared = is_compared(measured);
	measures_compare(&measured[0], &measured[1], known_of(measured, pair),
			 &all->basis, row->measures);
	for (size_t i = 0;
	     row->sourced[0] && row->sourced[1] && i < row->nr_sources; i++)
		if (source_is_compared(all, &row->sources[i]))
			shares_compare(row->sources[i].samples, row->sourced,
				       &all->basis, &row->sources[i].share);
	settle(row);
	return 0;
}

int compare_row(const struct comparison *comparison,
		const struct row_pair *pair, struct compared_row *row)
{
	struct row_parts parts[2] = {};
	int ret = row_fill(comparison, pair, parts, row);

	row->is_absolute = !pair && !comparison->is_asked;
	if (!pair)
		memcpy(&row->measures[NR_MEASURES], comparison->work,
		       sizeof(comparison->work));
	row_parts_fini(&parts[0]);
	row_parts_fini(&parts[1]);
	return ret;
}

void compared_row_fini(struct compared_row *row)
{
	free(row->sources);
	*row = (struct compared_row){};
}

/* How many data sources are compared, if both rows have samples with one. */
static int count_sources(const struct comparison *all,
			 const struct measured_row measured[2], size_t *nr)
{
	struct row_parts parts[2] = {};
	CLEANUP(compared_row_fini) struct compared_row row = {};
	int ret = 0;

	for (int i = 0; i < 2 && !ret; i++)
		ret = parts_fill(all, i, measured[i].row, &parts[i])
			      ?: sources_join(&row, i, &parts[i]);
	*nr = 0;
	for (size_t i = 0;
	     row.sourced[0] && row.sourced[1] && i < row.nr_sources; i++)
		*nr += source_is_compared(all, &row.sources[i]);
	row_parts_fini(&parts[0]);
	row_parts_fini(&parts[1]);
	return ret;
}

/* Adds the comparisons of one row, whose intervals are not known yet. */
static int count_comparisons(struct comparison *all,
			     const struct row_pair *pair)
{
	const struct measured_row measured[2] = {measured_of(all, 0, pair),
						 measured_of(all, 1, pair)};
	size_t sources;

	if (!is_compared(measured))
		return 0;
	if (count_sources(all, measured, &sources))
		return -ENOMEM;
	all->comparisons +=
		__builtin_popcount(known_of(measured, pair)) + sources;
	return 0;
}

/* Of the many rows with few samples only the order matters. */
static int pair_compare(struct comparison *all, struct row_pair *pair)
{
	const struct measured_row measured[2] = {measured_of(all, 0, pair),
						 measured_of(all, 1, pair)};
	CLEANUP(compared_row_fini) struct compared_row row = {};
	int ret = 0;

	if (is_compared(measured))
		ret = compare_row(all, pair, &row);
	else
		measures_compare(&measured[0], &measured[1],
				 known_of(measured, pair) & 1U << MEASURE_COST,
				 &all->basis, row.measures);
	pair->is_compared = row.is_compared;
	pair->changed = row.changed;
	pair->cost = row.measures[MEASURE_COST].change.value;
	all->nr_compared += row.is_compared;
	all->nr_changed += row.changed;
	return ret;
}

const char *compare_value(const struct comparison *comparison,
			  const struct row_pair *pair, size_t i, char *buf,
			  size_t size)
{
	int side = pair->rows[0] == NO_ROW;
	const struct row_table *table = &comparison->sides[side].table;

	return row_value(table, &table->rows[pair->rows[side]], i, buf, size);
}

/* What changed comes first, then what costs more or less, then by name. */
static int compare_pairs(const void *a, const void *b, void *context)
{
	const struct comparison *all = context;
	const struct row_pair *x = a, *y = b;
	char of_x[32], of_y[32];
	int order = 0;

	if (x->changed != y->changed)
		return x->changed ? -1 : 1;
	if (fabs(x->cost) != fabs(y->cost))
		return fabs(x->cost) > fabs(y->cost) ? -1 : 1;
	for (size_t i = 0; i < all->sides[0].table.nr_keys && !order; i++)
		order = strcmp(compare_value(all, x, i, of_x, sizeof(of_x)),
			       compare_value(all, y, i, of_y, sizeof(of_y)));
	return order;
}

static int compare_all(struct comparison *all)
{
	int ret = count_comparisons(all, NULL);

	for (size_t i = 0; i < all->nr_pairs && !ret; i++)
		ret = count_comparisons(all, &all->pairs[i]);
	all->basis.deviations =
		interval_deviations(COMPARE_CONFIDENCE, all->comparisons);
	for (size_t i = 0; i < all->nr_pairs && !ret; i++)
		ret = pair_compare(all, &all->pairs[i]);
	if (!ret && all->nr_pairs)
		qsort_r(all->pairs, all->nr_pairs, sizeof(*all->pairs),
			compare_pairs, all);
	return ret;
}

/* Implementer and part: variants and revisions have the same data sources. */
#define MIDR_KIND UINT64_C(0xff00fff0)

static bool has_cpu(const struct provenance *provenance, uint64_t midr)
{
	for (size_t i = 0; i < provenance->nr_cpus; i++)
		if (!((provenance->cpus[i].midr ^ midr) & MIDR_KIND))
			return true;
	return false;
}

/* Has one of them a kind of CPU that the other lacks? */
static bool are_unlike(const struct provenance *x, const struct provenance *y)
{
	if (!x->nr_cpus || !y->nr_cpus)
		return false;
	for (size_t i = 0; i < x->nr_cpus; i++)
		if (!has_cpu(y, x->cpus[i].midr))
			return true;
	for (size_t i = 0; i < y->nr_cpus; i++)
		if (!has_cpu(x, y->cpus[i].midr))
			return true;
	return false;
}

int compare_finish(struct comparison *comparison, const char *command,
		   enum compare_unit unit, bool by_samples, double noise)
{
	const struct compare_side *sides = comparison->sides;
	int ret = unit_choose(comparison, command, unit);

	if (ret)
		return ret;
	comparison->is_asked = unit != COMPARE_AUTO;
	comparison->basis.noise = noise;
	comparison->unlike_cpus =
		are_unlike(&sides[0].provenance, &sides[1].provenance);
	comparison->by_samples = by_samples || !(sides[0].table.total.count +
						 sides[1].table.total.count);
	ret = align(comparison);
	for (int i = 0; i < 2 && !ret; i++)
		ret = row_table_sum(&sides[i].table, &comparison->all[i]);
	if (!ret)
		compare_work(comparison);
	if (!ret)
		ret = compare_all(comparison);
	return failed(ret, command);
}

void compare_fini(struct comparison *comparison)
{
	for (int i = 0; i < 2; i++) {
		struct compare_side *side = &comparison->sides[i];

		provenance_fini(&side->provenance);
		row_totals_fini(&side->totals);
		row_table_fini(&side->table);
		row_fini(&comparison->all[i]);
		if (side->is_open)
			load_close(&side->load);
	}
	free(comparison->pairs);
}
