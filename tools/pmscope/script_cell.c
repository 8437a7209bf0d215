// SPDX-License-Identifier: GPL-2.0-or-later
#include "script_cell.h"
#include "capture.h"
#include "csv.h"
#include "json.h"
#include "script_print.h"
#include "text/text.h"

#define EVENTS_ROOM 2048

size_t cell_room(const struct column *column, const struct view *v)
{
	struct cell cell;

	switch (column->kind) {
	case COLUMN_TEXT:
		if (!column->get(v, &cell))
			return CELL_ROOM_NUMBER;
		return CELL_ROOM_NUMBER + JSON_QUOTE_MAX(strlen(cell.text));
	case COLUMN_EVENTS:
		return EVENTS_ROOM;
	case COLUMN_COUNTS:
		return group_room(v->sample);
	case COLUMN_COUNTERS:
		return CELL_ROOM_NUMBER + capture_room(v->sample);
	default:
		return CELL_ROOM_NUMBER;
	}
}

static char *put_text(char *p, enum script_format format, const char *text)
{
	switch (format) {
	case SCRIPT_CSV:
		return csv_field(p, text);
	case SCRIPT_JSONL:
		return json_quote(p, text);
	default:
		return print_clean(p, text);
	}
}

static char *put_address(char *p, enum script_format format, uint64_t value)
{
	/* A string: JSON numbers lose bits above 2^53. */
	if (format == SCRIPT_JSONL)
		*p++ = '"';
	p = text_hex(text_string(p, "0x"), value, 1);
	if (format == SCRIPT_JSONL)
		*p++ = '"';
	return p;
}

static char *put_events(char *p, enum script_format format,
			const struct view *v)
{
	uint64_t midr = v->sample->midr;

	if (format == SCRIPT_CSV)
		return print_events(p, v->events, midr, '|', 0);
	if (format == SCRIPT_TEXT)
		return print_events(p, v->events, midr, ',', 0);
	*p++ = '[';
	p = print_events(p, v->events, midr, ',', '"');
	*p++ = ']';
	return p;
}

static char *put_counts(char *p, enum script_format format,
			const struct pmscope_sample *sample)
{
	if (format == SCRIPT_JSONL)
		return print_counts_json(p, sample);
	/* Event names have commas in them: always a quoted field. */
	if (format == SCRIPT_CSV)
		*p++ = '"';
	p = print_counts(p, sample, format == SCRIPT_CSV ? '|' : ' ');
	if (format == SCRIPT_CSV)
		*p++ = '"';
	return p;
}

static char *put_value(char *p, enum script_format format,
		       const struct column *column, const struct view *v,
		       const struct cell *cell)
{
	switch (column->kind) {
	case COLUMN_NUMBER:
		return text_unsigned(p, cell->number);
	case COLUMN_ADDRESS:
		return put_address(p, format, cell->number);
	case COLUMN_TEXT:
		return put_text(p, format, cell->text);
	case COLUMN_EVENTS:
		return put_events(p, format, v);
	case COLUMN_COUNTERS:
		return capture_put_counters(p, format, v->sample);
	default:
		return put_counts(p, format, v->sample);
	}
}

/* JSON leaves out what is not known, with its name. */
static char *put_json(char *p, const struct column *column,
		      const struct view *v)
{
	struct cell cell;

	if (!column->get(v, &cell))
		return p;
	p = text_string(p, ",\"");
	p = text_string(p, column->name);
	p = text_string(p, "\":");
	return put_value(p, SCRIPT_JSONL, column, v, &cell);
}

char *cell_put(char *p, enum script_format format, const struct column *column,
	       const struct view *v, bool first)
{
	struct cell cell;

	if (format == SCRIPT_JSONL)
		return put_json(p, column, v);
	if (!first)
		*p++ = format == SCRIPT_CSV ? ',' : ' ';
	if (column->get(v, &cell))
		return put_value(p, format, column, v, &cell);
	if (format == SCRIPT_TEXT)
		*p++ = '-';
	return p;
}
