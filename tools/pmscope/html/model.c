// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers of the page as JSON. page.js says what it makes of them. */
#include "html/html.h"
#include "judgement/judgement.h"

#include <pmscope/source.h>

#define MODEL_SCHEMA 1

static void put_summary(struct json *json, const struct html *html)
{
	const struct row_table *table = html->table;

	json_text(json, "file", html->load->name);
	json_unsigned(json, "samples", table->samples);
	json_unsigned(json, "timed", table->total.count);
	json_unsigned(json, "latency", table->total.sum);
	json_unsigned(json, "own", table->own_cycles);
	json_bool(json, "by_cost", table->by_cost);
	json_bool(json, "by_time", table->by_time);
	json_unsigned(json, "clock_samples", table->ticks);
	json_unsigned(json, "sourced", table->sourced);
	json_unsigned(json, "snapshots", table->snapshots);
	json_unsigned(json, "groups", table->groups);
	json_unsigned(json, "rows", table->nr_rows);
	losses_json(json, html->load);
}

static int put_totals(struct json *json, const struct html *html,
		      struct row_totals *totals)
{
	const struct row_table *table = html->table;

	if (row_table_totals(table, table->samples + html->load->filtered,
			     totals))
		return -ENOMEM;
	if (!totals->all.each)
		return 0;
	if (totals->by_interval)
		return 0;
	json_unsigned(json, "population", totals->population);
	json_real(json, "sampled", 9, totals->all.sampled);
	json_unsigned(json, "lost_records", totals->all.lost);
	return 0;
}

/* The same lines as in the text of report. */
static int put_loss_lines(struct json *json, const struct load *load)
{
	char *text = NULL, *line, *rest;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	if (!lines)
		return -ENOMEM;
	losses_print(load, lines, "");
	if (fclose(lines)) {
		free(text);
		return -ENOMEM;
	}
	json_begin_array(json, "losses");
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		json_text(json, NULL, line);
	json_end_array(json);
	free(text);
	return 0;
}

static int put_provenance(struct json *json, const struct html *html)
{
	CLEANUP(provenance_fini) struct provenance provenance = {};
	int ret = provenance_read(&provenance, html->load);

	json_begin_object(json, "provenance");
	if (!ret)
		header_json(json, &provenance);
	json_end_object(json);
	if (html->filter)
		json_text(json, "filter", html->filter);
	return ret;
}

static int put_functions(struct json *json, const struct html *html)
{
	struct row_totals totals = {};
	int ret = put_totals(json, html, &totals);
	struct table columns = {};

	row_columns(&columns, html->table, totals.all.each ? &totals : NULL);
	json_begin_array(json, "functions");
	for (size_t i = 0; i < html->nr_functions && !ret; i++) {
		json_begin_object(json, NULL);
		ret = html_put_row(json, &columns, html->table,
				   &html->table->rows[html->functions[i]],
				   &totals);
		json_end_object(json);
	}
	json_end_array(json);
	row_totals_fini(&totals);
	return ret;
}

/* Which is 256 for samples whose kind is not known. */
static void put_kind(struct json *json, const struct html *html,
		     const struct row_kind *kind)
{
	uint64_t midr = kind->source >> 32;
	char name[EVENT_NAME_MAX + 1];

	json_begin_object(json, NULL);
	if (kind->source & KIND_SOURCED) {
		json_begin_object(json, "source");
		row_json_source(json, kind->source,
				pmscope_source_name(midr, kind->source));
		json_end_object(json);
	}
	json_begin_array(json, "events");
	for (uint64_t events = kind->events; events; events &= events - 1) {
		*event_put(name, __builtin_ctzll(events), html->table->midr) =
			'\0';
		json_text(json, NULL, name);
	}
	json_end_array(json);
	json_end_object(json);
}

static void put_kinds(struct json *json, const struct html *html)
{
	const struct row_kinds *kinds = html->cube.kinds;

	json_begin_array(json, "kinds");
	for (size_t i = 0; i < kinds->nr; i++)
		put_kind(json, html, &kinds->kinds[i]);
	json_end_array(json);
	json_unsigned(json, "unknown_kind", MAX_KINDS);
}

static int put_line(struct json *json, const struct html *html,
		    struct html_names *names, struct cube_place *place)
{
	struct pmscope_line line = {};
	int ret;

	if (!place->has_pc)
		return 0;
	place->place.build_id = place->build_id;
	ret = pmscope_symbols_line(html->load->symbols, &place->place,
				   place->pc, &line);
	html_put_name(json, "file", names, line.file);
	if (line.line)
		json_unsigned(json, "line", line.line);
	html_put_name(json, "frames", names, line.frames);
	return ret == -ENOMEM ? ret : 0;
}

static int put_place(struct json *json, struct html *html,
		     struct html_names *names, struct cube_place *place)
{
	int ret;

	json_begin_object(json, NULL);
	if (place != html->cube.places)
		json_signed(json, "function", html_function_of(html, place));
	html_put_name(json, "comm", names, place->comm);
	html_put_name(json, "dso", names, place->dso);
	html_put_name(json, "sym", names, place->name);
	if (place->has_pc) {
		json_hex(json, "pc", place->pc);
		if (place->name)
			json_unsigned(json, "symoff", place->offset);
	}
	ret = put_line(json, html, names, place);
	html_put_callers(json, html, names, place);
	json_unsigned(json, "samples", place->samples);
	json_unsigned(json, "timed", place->timed);
	json_unsigned(json, "cycles", place->latency);
	json_unsigned(json, "own", place->own);
	json_end_object(json);
	return ret;
}

static int put_places(struct json *json, struct html *html,
		      struct html_names *names)
{
	int ret = 0;

	json_begin_array(json, "places");
	for (size_t i = 0; i < html->cube.nr_places && !ret; i++)
		ret = put_place(json, html, names, &html->cube.places[i]);
	json_end_array(json);
	return ret;
}

static int put_named(struct json *json, struct html *html)
{
	struct html_names names = {};
	int ret = put_places(json, html, &names)
			  ?: html_put_code(json, html, &names);

	html_put_stacks(json, html, &names);
	html_put_names(json, &names);
	ret = ret ?: names.failed;
	strings_fini(&names.stacks);
	strings_fini(&names.strings);
	return ret;
}

static void put_counts_of(struct json *json, const char *key,
			  const struct html *html, size_t event)
{
	const struct counts *counts = &html->counts;
	uint64_t first = html_first_slice(html);

	json_begin_array(json, key);
	for (uint64_t i = first; i < first + html_nr_slices(html); i++)
		json_real(json, NULL, 0,
			  counts->begun && i >= counts->first &&
					  i <= counts->last
				  ? counts->slices[i - counts->first][event]
				  : 0);
	json_end_array(json);
}

static void put_counter(struct json *json, const struct html *html, size_t i)
{
	const struct counters *all = &html->table->counters;
	const struct counted_event *event = &all->events[i];
	struct reading sum = counters_sum(all, event);

	json_begin_object(json, NULL);
	json_text(json, "event", event->name);
	json_unsigned(json, "snapshots", event->readings);
	json_unsigned(json, "count", sum.value);
	json_unsigned(json, "ns", sum.time);
	if (sum.enabled) {
		json_unsigned(json, "enabled_ns", sum.enabled);
		json_unsigned(json, "running_ns", sum.running);
	}
	put_counts_of(json, "slices", html, i);
	json_end_object(json);
}

static void put_counters(struct json *json, const struct html *html)
{
	const struct counters *all = &html->table->counters;
	double ipc = counters_ipc(all);

	json_begin_array(json, "counters");
	for (size_t i = 0; i < all->nr_events && i < COUNTS_EVENTS; i++)
		put_counter(json, html, i);
	json_end_array(json);
	json_unsigned(json, "counters_left_out",
		      all->nr_events > COUNTS_EVENTS
			      ? all->nr_events - COUNTS_EVENTS
			      : 0);
	if (ipc < 0)
		return;
	json_real(json, "ipc", 6, ipc);
	put_counts_of(json, "cycles", html, COUNTS_CYCLES);
	put_counts_of(json, "instructions", html, COUNTS_INSTRUCTIONS);
}

static void put_axes(struct json *json, const struct html *html)
{
	json_begin_object(json, "time");
	json_unsigned(json, "begin",
		      html_first_slice(html) * html->cube.cells.width);
	json_unsigned(json, "width", html->cube.cells.width);
	json_unsigned(json, "slices", html_nr_slices(html));
	json_unsigned(json, "untimed", html->cube.untimed);
	json_end_object(json);
	json_begin_array(json, "classes");
	for (unsigned int i = 0; i < CUBE_CLASSES; i++)
		json_unsigned(json, NULL, cube_class_first(i));
	json_end_array(json);
	json_bool(json, "reduced", html->cube.reduced);
}

/* In order: by place, then kind, then slice and class. */
static uint64_t cell_order(const struct html *html,
			   const struct cube_cell *cell)
{
	return (uint64_t)cell->place << 32 | (uint64_t)cell->kind << 16 |
	       html_position(html, &html->cube.cells, cell);
}

struct ordered_cell {
	uint64_t order;
	const struct cube_cell *cell;
};

static COMPARISON(compare_cells, struct ordered_cell,
		  COMPARE(x->order, y->order));

/* [place, kind, [position, samples, cycles above the class, own, ...]] */
static void put_ordered(struct json *json, const struct ordered_cell *cells,
			size_t nr)
{
	for (size_t i = 0; i < nr;) {
		uint64_t group = cells[i].order >> 16;

		json_begin_array(json, NULL);
		json_unsigned(json, NULL, group >> 16);
		json_unsigned(json, NULL, group & 0xffff);
		json_begin_array(json, NULL);
		for (; i < nr && cells[i].order >> 16 == group; i++) {
			json_unsigned(json, NULL, cells[i].order & 0xffff);
			json_unsigned(json, NULL, cells[i].cell->samples);
			json_unsigned(json, NULL,
				      cube_cell_above(cells[i].cell));
			json_unsigned(json, NULL, cells[i].cell->own);
		}
		json_end_array(json);
		json_end_array(json);
	}
}

static int put_cells(struct json *json, const struct html *html)
{
	const struct cells *all = &html->cube.cells;
	struct ordered_cell *cells = calloc(all->nr + 1, sizeof(*cells));
	size_t nr = 0;

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < all->capacity; i++)
		if (all->all[i].samples)
			cells[nr++] = (struct ordered_cell){
				cell_order(html, &all->all[i]), &all->all[i]};
	qsort(cells, nr, sizeof(*cells), compare_cells);
	json_begin_array(json, "cells");
	put_ordered(json, cells, nr);
	json_end_array(json);
	free(cells);
	return 0;
}

int html_model(void *context, FILE *out)
{
	struct html *html = context;
	struct json json = {.out = out, .in_html = true};
	int ret;

	json_begin_line(&json);
	json_unsigned(&json, "schema", MODEL_SCHEMA);
	put_summary(&json, html);
	ret = put_provenance(&json, html)
		      ?: judgement_json_causes(&json, "verdict", html->table,
					 html->load)
		      ?: put_loss_lines(&json, html->load)
		      ?: put_functions(&json, html);
	put_kinds(&json, html);
	ret = ret ?: put_named(&json, html);
	put_axes(&json, html);
	put_counters(&json, html);
	ret = ret ?: put_cells(&json, html) ?: html_put_objects(&json, html)
		  ?: html_put_lines(&json, html);
	json_end_line(&json);
	return ret;
}
