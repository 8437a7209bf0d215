// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/caches.h"
#include "rows/rows.h"

#define NO_TEXT	    UINT32_MAX
#define TICKS_LEAST 100 /* fewer samples of a clock order nothing unasked */

const char *const row_weights[NR_WEIGHTS + 1] = {"samples", "latency", "cost",
						 "time", NULL};

int row_table_keys(struct row_table *table, const char *command,
		   const char *list)
{
	struct named_field fields[MAX_KEYS];
	int nr = fields_parse(command, list, FIELD_SORT, MAX_KEYS, fields);

	if (nr < 0)
		return nr;
	table->nr_keys = nr;
	for (int i = 0; i < nr; i++) {
		table->keys[i] = fields[i].field;
		table->deps |= fields[i].field->deps;
	}
	return 0;
}

void row_table_weigh(struct row_table *table, int weight,
		     struct load_config *config)
{
	table->by_latency = weight == ROWS_BY_LATENCY;
	table->by_cost = weight >= ROWS_BY_COST || weight == ROWS_UNASKED;
	table->by_time = weight == ROWS_BY_TIME || weight == ROWS_UNASKED;
	table->ticks_least = weight == ROWS_BY_TIME ? 1 : TICKS_LEAST;
	config->clocks = table->by_time;
}

/* Without room for more rows, none has a text that is new: no @value. */
static int text_value(struct row_table *table, const char *text,
		      uint64_t *value)
{
	size_t length = strlen(text);
	uint32_t number;
	int ret = 0;

	*value = NO_TEXT;
	if (table->nr_rows < ROWS_MAX)
		ret = strings_intern(&table->strings, text, length, &number);
	else if (!strings_find(&table->strings, text, length, &number))
		return 0;
	*value = number;
	return ret;
}

static int row_values(struct row_table *table, const struct view *view,
		      uint64_t *values)
{
	for (size_t i = 0; i < table->nr_keys; i++) {
		const struct field *key = table->keys[i];
		char room[FIELD_ROOM];

		if (!field_has_row_text(key))
			values[i] = field_row_number(key, view);
		else if (text_value(table, field_row_text(key, view, room),
				    &values[i]))
			return -ENOMEM;
	}
	return 0;
}

/* NULL: no memory, or there are @max rows already. */
static struct row *row_find(struct row_table *table, const uint64_t *values,
			    size_t max)
{
	size_t bytes = table->nr_keys * sizeof(*values);
	uint64_t hash = row_hash(values, table->nr_keys);
	uint32_t index;
	struct row row;

	for (; keyed_find(&table->row_of_hash, hash, &index); hash++)
		if (!memcmp(table->rows[index].values, values, bytes))
			return &table->rows[index];
	if (table->nr_rows >= max)
		return NULL;
	row = (struct row){.number = table->nr_rows};
	memcpy(row.values, values, bytes);
	return keyed_item(&table->row_of_hash, sizeof(row), hash, &row);
}

static struct row *row_others(struct row_table *table)
{
	uint64_t values[MAX_KEYS];
	struct row *row;
	uint32_t number;

	if (strings_intern(&table->strings, ROW_OTHERS, strlen(ROW_OTHERS),
			   &number))
		return NULL;
	for (size_t i = 0; i < table->nr_keys; i++)
		values[i] = field_has_row_text(table->keys[i])
				    ? number
				    : (uint64_t)FIELD_ROW_NONE;
	row = row_find(table, values, SIZE_MAX);
	if (row)
		table->others = row - table->rows + 1;
	return row;
}

static struct row *row_get(struct row_table *table, const uint64_t *values)
{
	struct row *row = row_find(table, values, ROWS_MAX);

	return row || table->nr_rows < ROWS_MAX ? row : row_others(table);
}

static struct row_parts *uncounted_of(struct row *row)
{
	if (!row->uncounted)
		row->uncounted = calloc(1, sizeof(*row->uncounted));
	return row->uncounted;
}

static int uncounted_add(struct row *row, const struct row_kind *kind,
			 uint64_t samples)
{
	struct row_parts *uncounted = uncounted_of(row);

	return uncounted ? row_parts_add(uncounted, kind, samples) : -ENOMEM;
}

int row_add_kind(struct row *row, const struct row_kind *kind,
		 unsigned int number, uint64_t samples)
{
	return number == MAX_KINDS
		       ? uncounted_add(row, kind, samples)
		       : histogram_add_many(&row->kinds, number, samples);
}

int row_parts_of(const struct row_table *table, const struct row *row,
		 struct row_parts *parts)
{
	int ret = row->uncounted ? row_parts_join(parts, row->uncounted) : 0;

	for (size_t i = 0; i < row->kinds.used && !ret; i++) {
		const struct histogram_bin *bin = &row->kinds.bins[i];

		ret = row_parts_add(parts, &table->kinds->kinds[bin->value],
				    bin->count);
	}
	return ret;
}

struct row *row_of(struct row_table *table, const struct view *view)
{
	uint64_t values[MAX_KEYS];

	return row_values(table, view, values) ? NULL : row_get(table, values);
}

/*
 * The weight that rows are sorted by: samples, or cycles of their latencies; if
 * the interval changed, the operations that these stand for, or their cycles.
 */
static unsigned __int128 weight_of(const struct row_table *table,
				   const struct row *row)
{
	if (!table->varies || table->by_time)
		return row_plain_weight(table, row);
	if (table->by_cost)
		return row->weight.own;
	return table->by_latency ? row->weight.cycles : row->weight.operations;
}

static unsigned __int128 weight_of_all(const struct row_table *table)
{
	if (table->by_time)
		return table->by_gaps ? table->gaps.ns : table->ticks;
	if (table->by_cost)
		return table->varies ? table->weight.own : table->own_cycles;
	if (!table->varies)
		return table->by_latency ? table->total.sum : table->samples;
	return table->by_latency ? table->weight.cycles
				 : table->weight.operations;
}

double row_share(const struct row_table *table, const struct row *row)
{
	double all = weight_of_all(table);

	return all ? weight_of(table, row) / all : 0;
}

double row_share_of_operations(const struct row_table *table,
			       const struct row *row)
{
	double all = table->varies ? table->weight.operations : table->samples;
	double part = table->varies ? row->weight.operations : row->samples;

	return all ? part / all : 0;
}

static void weight_join(struct row_weight *to, const struct row_weight *from)
{
	to->operations += from->operations;
	to->cycles += from->cycles;
	to->own += from->own;
	to->variance += from->variance;
}

/* Sort by text, not by internal number; rows without a value come first. */
static int compare_value(const struct row_table *table, const struct field *key,
			 uint64_t x, uint64_t y)
{
	int64_t a = x, b = y;

	if (x == y)
		return 0;
	if (field_has_row_text(key))
		return strcmp(strings_get(&table->strings, x),
			      strings_get(&table->strings, y));
	if (key->type == FIELD_ADDRESS)
		return COMPARE(x + 1, y + 1);
	return COMPARE(a, b);
}

static int compare_values(const struct row_table *table, const struct row *x,
			  const struct row *y)
{
	int order = 0;

	for (size_t i = 0; i < table->nr_keys && !order; i++)
		order = compare_value(table, table->keys[i], x->values[i],
				      y->values[i]);
	return order;
}

static int compare_rows(const void *a, const void *b, void *table)
{
	const struct row *x = a, *y = b;
	unsigned __int128 of_x = weight_of(table, x);
	unsigned __int128 of_y = weight_of(table, y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	if (((const struct row_table *)table)->by_time && x->own != y->own)
		return x->own > y->own ? -1 : 1;
	return compare_values(table, x, y);
}

static void histograms_finish(struct row *row)
{
	histogram_finish(&row->kinds);
	histogram_finish(&row->cpus);
	histogram_finish(&row->total);
	histogram_finish(&row->issue);
	histogram_finish(&row->translate);
}

static void row_sum(struct row_table *table, struct row *row)
{
	const struct row_parts *uncounted = row->uncounted;

	if (!table->only_samples)
		row->samples = row->kinds.count;
	if (uncounted) {
		row->samples += uncounted->samples;
		table->sourced += uncounted->sourced;
	}
	for (size_t i = 0; i < row->kinds.used; i++) {
		const struct histogram_bin *bin = &row->kinds.bins[i];

		if (table->kinds->kinds[bin->value].source & KIND_SOURCED)
			table->sourced += bin->count;
	}
	table->samples += row->samples;
	row->own = 0;
	for (int i = 0; row->waits && i < row->waits->nr; i++)
		row->own +=
			row->waits->all[i].own + row->waits->all[i].translate;
	table->own_cycles += row->own;
	table->ticks += row->ticks;
	row_gaps_join(&table->gaps, &row->gaps);
	if (row->gaps.between > row->gaps.ns / 2)
		table->gaps_unsure += row->gaps.ns;
	weight_join(&table->weight, &row->weight);
}

static int row_finish(struct row_table *table, struct row *row)
{
	if (histogram_join(&table->total, &row->total))
		return -ENOMEM;
	histograms_finish(row);
	row_sum(table, row);
	return 0;
}

void row_fini(struct row *row)
{
	histogram_fini(&row->kinds);
	histogram_fini(&row->cpus);
	histogram_fini(&row->total);
	histogram_fini(&row->issue);
	histogram_fini(&row->translate);
	if (row->uncounted)
		row_parts_fini(row->uncounted);
	free(row->uncounted);
	free(row->waits);
	if (row->data)
		free(row->data->all);
	free(row->data);
	*row = (struct row){};
}

/* The row of @table that has the values of @from's @row. */
static struct row *row_like(struct row_table *table,
			    const struct row_table *from, const struct row *row)
{
	uint64_t values[MAX_KEYS];

	for (size_t i = 0; i < table->nr_keys; i++) {
		values[i] = row->values[i];
		if (field_has_row_text(table->keys[i]) &&
		    text_value(table,
			       strings_get(&from->strings, row->values[i]),
			       &values[i]))
			return NULL;
	}
	return row_get(table, values);
}

/* Each table numbers kinds on its own. */
static int kinds_join(struct row_table *table, struct row *row,
		      const struct row_table *from, const struct row *other)
{
	int ret = 0;

	for (size_t i = 0; i < other->kinds.used && !ret; i++) {
		const struct histogram_bin *bin = &other->kinds.bins[i];
		const struct row_kind *kind = &from->kinds->kinds[bin->value];

		ret = row_add_kind(row, kind,
				   row_kind_number(table->kinds, kind),
				   bin->count);
	}
	return ret;
}

static int uncounted_join(struct row *row, const struct row_parts *other)
{
	struct row_parts *uncounted = uncounted_of(row);

	return uncounted ? row_parts_join(uncounted, other) : -ENOMEM;
}

static int row_join(struct row_table *table, struct row *row,
		    const struct row_table *from, struct row *other)
{
	histogram_finish(&other->kinds);
	if (histogram_join(&row->cpus, &other->cpus) ||
	    histogram_join(&row->total, &other->total) ||
	    histogram_join(&row->issue, &other->issue) ||
	    histogram_join(&row->translate, &other->translate) ||
	    row_waits_join(&row->waits, other->waits) ||
	    kinds_join(table, row, from, other))
		return -ENOMEM;
	row->samples += other->samples;
	row->ticks += other->ticks;
	row_gaps_join(&row->gaps, &other->gaps);
	if (other->data && row_data_join(row, other->data))
		return -ENOMEM;
	weight_join(&row->weight, &other->weight);
	return other->uncounted ? uncounted_join(row, other->uncounted) : 0;
}

static void rows_take(struct row_table *table, struct row_table *from)
{
	table->others = from->others;
	table->row_of_hash = from->row_of_hash;
	table->strings = from->strings;
	table->kinds = from->kinds;
	table->places = from->places;
	table->slow = from->slow;
	from->row_of_hash = (struct keyed){};
	from->strings = (struct strings){};
	from->kinds = NULL;
	from->places = (struct row_places){};
	from->slow = (struct slow_codes){};
}

/* @numbers: of rows of @table, for those of @from */
static int slow_join(struct row_table *table, const struct slow_codes *from,
		     const uint32_t *numbers)
{
	int ret = 0;

	table->slow.left_out |= from->left_out;
	for (size_t i = 0; i < from->nr && !ret; i++) {
		struct slow_code code = from->all[i];
		uint32_t place;

		if (!keyed_find(&from->of_row, code.row, &place))
			continue;
		code.row = numbers[code.row];
		ret = slow_codes_add(&table->slow, &code, &from->places[place]);
	}
	return ret;
}

static int rows_join(struct row_table *table, struct row_table *from,
		     uint32_t *numbers)
{
	for (size_t i = 0; i < from->nr_rows; i++) {
		struct row *row = row_like(table, from, &from->rows[i]);

		if (!row || row_places_join(table, row, from, &from->rows[i]) ||
		    row_join(table, row, from, &from->rows[i]))
			return -ENOMEM;
		numbers[i] = row->number;
		row_fini(&from->rows[i]);
	}
	return slow_join(table, &from->slow, numbers);
}

int row_table_join(struct row_table *table, struct row_table *from)
{
	FREED uint32_t *numbers = NULL;
	int ret;

	if (histogram_join(&table->cpus, &from->cpus))
		return -ENOMEM;
	if (!table->needs) {
		table->needs = from->needs;
		from->needs = NULL;
	} else if (from->needs) {
		row_needs_join(table->needs, from->needs);
	}
	table->nr_gap_ends += from->nr_gap_ends;
	table->own.count += from->own.count;
	table->own.sum += from->own.sum;
	table->own.squares += from->own.squares;
	if (!from->nr_rows)
		return 0;
	if (!table->nr_rows) {
		rows_take(table, from);
		return 0;
	}
	numbers = calloc(from->nr_rows, sizeof(*numbers));
	ret = numbers ? rows_join(table, from, numbers) : -ENOMEM;
	return ret ?: from->others && !row_others(table) ? -ENOMEM : 0;
}

static int histogram_add_all(struct histogram *to, const struct histogram *from)
{
	int ret = 0;

	for (size_t i = 0; i < from->used && !ret; i++)
		ret = histogram_add_many(to, from->bins[i].value,
					 from->bins[i].count);
	return ret;
}

static int row_add_all(struct row *to, const struct row *from)
{
	to->samples += from->samples;
	to->ticks += from->ticks;
	row_gaps_join(&to->gaps, &from->gaps);
	weight_join(&to->weight, &from->weight);
	if (histogram_add_all(&to->kinds, &from->kinds) ||
	    histogram_add_all(&to->cpus, &from->cpus) ||
	    histogram_add_all(&to->total, &from->total) ||
	    histogram_add_all(&to->issue, &from->issue) ||
	    histogram_add_all(&to->translate, &from->translate))
		return -ENOMEM;
	return from->uncounted ? uncounted_join(to, from->uncounted) : 0;
}

int row_table_sum(const struct row_table *table, struct row *sum)
{
	for (size_t i = 0; i < table->nr_rows; i++)
		if (row_add_all(sum, &table->rows[i]))
			return -ENOMEM;
	histograms_finish(sum);
	return 0;
}

static int roll_up(struct row_table *table, const struct row_table *from,
		   const struct row *row)
{
	struct row *to = row_like(table, from, row);

	if (!to || row_waits_join(&to->waits, row->waits) ||
	    slow_codes_roll_up(&table->slow, to->number, from, row))
		return -ENOMEM;
	return row_add_all(to, row);
}

int row_table_roll_up(struct row_table *table, const struct row_table *from)
{
	table->kinds = row_kinds_new();
	table->needs = calloc(1, sizeof(*table->needs));
	if (!table->kinds || !table->needs ||
	    histogram_add_all(&table->cpus, &from->cpus))
		return -ENOMEM;
	if (from->needs)
		*table->needs = *from->needs;
	if (from->kinds)
		*table->kinds = *from->kinds;
	table->with_totals = from->with_totals;
	table->varies = from->varies;
	table->perfdata = from->perfdata;
	table->midr = from->midr;
	table->groups = from->groups;
	table->snapshots = from->snapshots;
	for (size_t i = 0; i < from->nr_rows; i++)
		if (roll_up(table, from, &from->rows[i]))
			return -ENOMEM;
	return row_table_finish(table);
}

void row_table_like(struct row_table *table, const struct row_table *like)
{
	*table = (struct row_table){
		.nr_keys = like->nr_keys,
		.deps = like->deps,
		.with_members = like->with_members,
		.all_latencies = like->all_latencies,
		.only_samples = like->only_samples,
		.with_totals = like->with_totals,
		.varies = like->varies,
		.with_gaps = like->with_gaps,
		.with_places = like->with_places,
		.with_slow = like->with_slow,
	};
	memcpy(table->keys, like->keys, sizeof(table->keys));
}

/* Those of a clock alone, if time does not count. */
static void drop_unsampled(struct row_table *table)
{
	size_t nr = 0;

	for (size_t i = 0; i < table->nr_rows; i++)
		if (table->rows[i].samples)
			table->rows[nr++] = table->rows[i];
		else
			row_fini(&table->rows[i]);
	table->nr_rows = nr;
}

int row_table_finish(struct row_table *table)
{
	table->nr_numbers = table->nr_rows;
	for (size_t i = 0; i < table->nr_rows; i++)
		if (row_finish(table, &table->rows[i]))
			return -ENOMEM;
	table->by_gaps = table->with_gaps && table->gaps.ns &&
			 table->nr_gap_ends >= 2 * table->ticks_least &&
			 table->gaps_unsure <= GAPS_UNSURE * table->gaps.ns;
	table->by_time = table->by_time &&
			 (table->by_gaps ||
			  (table->ticks && table->ticks >= table->ticks_least));
	table->by_cost = table->by_cost && table->own_cycles;
	if (table->others)
		table->left_out = table->rows[table->others - 1].samples;
	if (!table->by_time)
		drop_unsampled(table);
	if (table->nr_rows)
		qsort_r(table->rows, table->nr_rows, sizeof(*table->rows),
			compare_rows, table);
	histogram_finish(&table->total);
	histogram_finish(&table->cpus);
	return 0;
}

void row_table_fini(struct row_table *table)
{
	for (size_t i = 0; i < table->nr_rows; i++)
		row_fini(&table->rows[i]);
	free(table->memos);
	free(table->slow_starts);
	code_numbers_free(table->numbers);
	free(table->currents);
	symbol_cache_free(table->codes);
	free(table->kinds);
	free(table->needs);
	data_symbols_free(table->variables);
	counters_fini(&table->counters);
	histogram_fini(&table->total);
	histogram_fini(&table->cpus);
	keyed_fini(&table->row_of_hash);
	row_places_fini(&table->places);
	slow_codes_fini(&table->slow);
	keyed_fini(&table->gap_of_area);
	strings_fini(&table->strings);
}

const char *row_value(const struct row_table *table, const struct row *row,
		      size_t i, char *buf, size_t size)
{
	int64_t value = row->values[i];

	if (field_has_row_text(table->keys[i]))
		return strings_get(&table->strings, value);
	if (value == FIELD_ROW_NONE)
		return "?";
	if (table->keys[i]->type == FIELD_ADDRESS)
		snprintf(buf, size, "0x%" PRIx64, (uint64_t)value);
	else
		snprintf(buf, size, "%" PRId64, value);
	return buf;
}
