// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects of data in the page: rows of report, their threads and sources. */
#include "html/html.h"

#define NONE "none" /* of samples without a data address, or source */

enum {
	OBJECT,
	MEMBER,
	SOURCE,
	THREAD
};

int html_objects_begin(struct html *html)
{
	html->used.varies = html->load->varies;
	html->used.deps = html->table->deps; /* those of a filter */
	html->used.by_cost = html->objects.by_cost = html->table->by_cost;
	return row_table_keys(&html->objects, "report", "object,member")
		       ?: row_table_keys(&html->used, "report",
					 "object,member,source,tid");
}

int html_objects_finish(struct html *html)
{
	html->used.midr = html->load->midr;
	return row_table_finish(&html->used)
		       ?: row_table_roll_up(&html->objects, &html->used);
}

static const char *text_of(const struct row_table *table, const struct row *row,
			   int key)
{
	return strings_get(&table->strings, row->values[key]);
}

static bool is_data(const struct row_table *table, const struct row *row)
{
	return strcmp(text_of(table, row, OBJECT), NONE) != 0;
}

/* The number that a text of @row's has in the other table. */
static uint32_t number_of(const struct html *html, const struct row *row,
			  int key)
{
	const char *text = text_of(&html->objects, row, key);
	uint32_t number = UINT32_MAX;

	strings_find(&html->used.strings, text, strlen(text), &number);
	return number;
}

struct source_cost {
	uint64_t source; /* the number of its name in html->used */
	uint64_t own;	 /* cycles */
};

/* Of a row: its sources and threads. */
struct users {
	KEYED(struct source_cost, costs, nr_costs, cost_of_source);
	struct map threads;
};

static int users_of(const struct html *html, const struct row *row,
		    struct users *users)
{
	uint32_t object = number_of(html, row, OBJECT);
	uint32_t member = number_of(html, row, MEMBER);

	for (size_t i = 0; i < html->used.nr_rows; i++) {
		const struct row *used = &html->used.rows[i];
		struct source_cost *cost, none = {used->values[SOURCE], 0};

		if (used->values[OBJECT] != object ||
		    used->values[MEMBER] != member)
			continue;
		cost = keyed_item(&users->cost_of_source, sizeof(none),
				  none.source, &none);
		if (!cost || map_set(&users->threads, used->values[THREAD], 0))
			return -ENOMEM;
		cost->own += used->own;
	}
	return 0;
}

/* The source with the most own cycles; of as many, the first by name. */
static void put_costliest(struct json *json, const struct html *html,
			  const struct users *users)
{
	const char *costliest = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < users->nr_costs; i++) {
		const struct source_cost *cost = &users->costs[i];
		const char *name =
			strings_get(&html->used.strings, cost->source);

		if (!strcmp(name, NONE) || cost->own < most || !cost->own ||
		    (cost->own == most && strcmp(name, costliest) > 0))
			continue;
		most = cost->own;
		costliest = name;
	}
	if (!costliest)
		return;
	json_text(json, "costliest", costliest);
	json_unsigned(json, "costs", most);
}

int html_put_row(struct json *json, const struct table *columns,
		 const struct row_table *table, const struct row *row,
		 const struct row_totals *totals)
{
	struct row_parts parts = {};
	const struct row_view view = {table, row, &parts, totals, NULL};
	int ret = row_parts_of(table, row, &parts);

	row_parts_finish(&parts);
	json_unsigned(json, "cycles", row->total.sum);
	json_unsigned(json, "own", row->own);
	table_members(columns, json, &view);
	row_parts_fini(&parts);
	return ret;
}

static int put_object(struct json *json, const struct html *html,
		      const struct table *columns, const struct row *row)
{
	struct users users = {};
	int ret = users_of(html, row, &users);

	json_begin_object(json, NULL);
	json_unsigned(json, "threads", users.threads.count);
	put_costliest(json, html, &users);
	ret = ret ?: html_put_row(json, columns, &html->objects, row, NULL);
	json_end_object(json);
	map_fini(&users.threads);
	keyed_fini(&users.cost_of_source);
	return ret;
}

int html_put_objects(struct json *json, const struct html *html)
{
	const struct row_table *table = &html->objects;
	struct table columns = {};
	size_t nr = 0;
	int ret = 0;

	row_columns(&columns, table, NULL);
	json_begin_array(json, "objects");
	for (size_t i = 0; i < table->nr_rows && !ret; i++)
		if (is_data(table, &table->rows[i]) && nr++ < HTML_OBJECTS)
			ret = put_object(json, html, &columns, &table->rows[i]);
	json_end_array(json);
	json_unsigned(json, "objects_total", nr);
	return ret;
}
