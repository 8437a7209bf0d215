// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/cell.h"
#include "base/text.h"
#include "fields/capture.h"
#include "print/csv.h"
#include "print/json.h"
#include "script/print.h"

#define EVENTS_ROOM 2048

size_t cell_room(const struct column *column, const struct view *v)
{
	struct cell cell;

	switch (column->kind) {
	case COLUMN_TEXT:
		if (!column->get(v, &cell))
			return CELL_ROOM;
		return CELL_ROOM + JSON_QUOTE_MAX(strlen(cell.text));
	case COLUMN_EVENTS:
		return EVENTS_ROOM;
	case COLUMN_COUNTS:
		return group_room(v);
	case COLUMN_COUNTERS:
		return CELL_ROOM + capture_room(v->record);
	default:
		return CELL_ROOM;
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
	/* Columns of text have spaces between: none may be empty. */
	if (format == SCRIPT_TEXT && !v->events)
		return text_string(p, "-");
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
	p = print_counts(p, sample, format == SCRIPT_CSV);
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
	case COLUMN_OFFSET:
		return text_unsigned(p, cell->number);
	case COLUMN_ADDRESS:
		return put_address(p, format, cell->number);
	case COLUMN_TEXT:
		return put_text(p, format, cell->text);
	case COLUMN_EVENTS:
		return put_events(p, format, v);
	case COLUMN_COUNTERS:
		return capture_put_counters(p, format, v);
	default:
		return put_counts(p, format, v->sample);
	}
}

char *cell_begin(char *p, enum script_format format,
		 const struct column *column, bool first)
{
	if (format == SCRIPT_JSONL) {
		p = text_string(p, ",\"");
		p = text_string(p, column->name);
		return text_string(p, "\":");
	}
	if (!first)
		*p++ = format == SCRIPT_CSV ? ',' : ' ';
	return p;
}

char *cell_none(char *p, enum script_format format, bool first)
{
	/* JSON leaves out what is not known, with its name. */
	if (format == SCRIPT_JSONL)
		return p;
	if (!first)
		*p++ = format == SCRIPT_CSV ? ',' : ' ';
	if (format == SCRIPT_TEXT)
		*p++ = '-';
	return p;
}

char *cell_put(char *p, enum script_format format, const struct column *column,
	       const struct view *v, bool first)
{
	struct cell cell;

	if (!column->get || !column->get(v, &cell))
		return cell_none(p, format, first);
	p = cell_begin(p, format, column, first);
	return put_value(p, format, column, v, &cell);
}
