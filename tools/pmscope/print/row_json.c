// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/row_json.h"

void row_json_values(struct json *json, const struct row_table *table,
		     const struct row *row)
{
	char buf[32];

	for (size_t i = 0; i < table->nr_keys; i++) {
		const char *name = field_heading(table->keys[i]);
		bool address = table->keys[i]->type == FIELD_ADDRESS;

		if (address && (int64_t)row->values[i] == FIELD_ROW_NONE)
			json_null(json, name);
		else if (address)
			json_hex(json, name, row->values[i]);
		else if (field_has_row_text(table->keys[i]))
			json_text(json, name,
				  row_value(table, row, i, buf, sizeof(buf)));
		else
			json_signed(json, name, row->values[i]);
	}
}

void row_json_keys(struct json *json, const struct row_table *table,
		   const struct row *row)
{
	row_json_values(json, table, row);
	json_unsigned(json, "samples", row->samples);
	json_real(json, "share", 6, row_share(table, row));
}

static void put_latency(struct json *json, const char *name,
			const struct histogram *h)
{
	if (!h->count)
		return;
	json_begin_object(json, name);
	json_unsigned(json, "samples", h->count);
	json_real(json, "mean", 3, histogram_mean(h));
	json_unsigned(json, "p50", histogram_percentile(h, 50));
	json_unsigned(json, "p90", histogram_percentile(h, 90));
	json_unsigned(json, "p99", histogram_percentile(h, 99));
	json_unsigned(json, "max", h->max);
	json_end_object(json);
}

static void put_events(struct json *json, const struct row_table *table,
		       const struct row_parts *parts)
{
	json_begin_object(json, "events");
	for (unsigned int bit = 0; bit < 64; bit++) {
		char name[EVENT_NAME_MAX + 1];

		if (!parts->events[bit])
			continue;
		*event_put(name, bit, table->midr) = '\0';
		json_unsigned(json, name, parts->events[bit]);
	}
	json_end_object(json);
}

void row_json_source(struct json *json, uint16_t code, const char *name)
{
	json_unsigned(json, "code", code);
	if (name)
		json_text(json, "name", name);
}

static void put_sources(struct json *json, const struct row_parts *parts)
{
	json_begin_array(json, "sources");
	for (size_t i = 0; i < parts->nr_sources; i++) {
		const struct row_source *s = &parts->sources[i];

		json_begin_object(json, NULL);
		row_json_source(json, s->code, s->name);
		json_unsigned(json, "samples", s->samples);
		json_end_object(json);
	}
	json_end_array(json);
}

void row_json_parts(struct json *json, const struct row_table *table,
		    const struct row *row, const struct row_parts *parts)
{
	put_latency(json, "total", &row->total);
	put_latency(json, "issue", &row->issue);
	put_latency(json, "xlat", &row->translate);
	put_events(json, table, parts);
	put_sources(json, parts);
}
