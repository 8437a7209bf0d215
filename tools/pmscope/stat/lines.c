// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"

#define NUMBER_WIDTH 20

/* On a narrow terminal; numbers are never cut. */
#define LEAST_PLACE 10
#define LEAST_NAME  13
#define LEAST_TEXT  11

/* The CPU, core or thread of a row, as in perf. */
static const char *place_name(const struct stat_printer *p,
			      const struct stat_row *row, char *buf,
			      size_t size)
{
	if (p->by == STAT_BY_CORE)
		return stat_core(row->cpu, buf, size);
	if (p->by == STAT_BY_THREAD)
		return stat_thread(row->cpu, buf, size);
	snprintf(buf, size, "CPU%d", row->cpu);
	return buf;
}

static int place_width(const struct stat_printer *p)
{
	return p->by == STAT_BY_CORE ? 14 : p->by == STAT_BY_THREAD ? 24 : 8;
}

void stat_line_begin(struct stat_line *line, const struct stat_printer *p,
		     const struct stat_row *row, double seconds)
{
	*line = (struct stat_line){};
	if (p->intervals)
		snprintf(line->time, sizeof(line->time), "%13.6f", seconds);
	if (p->by)
		place_name(p, row, line->place, sizeof(line->place));
}

static void print_line(const struct stat_printer *p,
		       const struct stat_line *line)
{
	if (p->intervals)
		fprintf(p->out, "%s ", line->time);
	if (p->by)
		fprintf(p->out, "%-*s", place_width(p), line->place);
	if (*line->cpus)
		fprintf(p->out, "%3s", line->cpus);
	fprintf(p->out, "%*s  %-*s", NUMBER_WIDTH, line->number,
		line->name_width, line->name);
	for (int i = 0; i < STAT_TEXTS; i++)
		if (*line->text[i])
			fprintf(p->out, " %s", line->text[i]);
	fputc('\n', p->out);
}

void stat_line_put(const struct stat_printer *p, struct stat_lines *lines,
		   const struct stat_line *line)
{
	struct stat_line *kept = NULL;

	if (terminal_is_output())
		kept = array_reserve(lines->line, lines->nr, &lines->max,
				     sizeof(*kept));
	if (!kept) {
		print_line(p, line);
		return;
	}
	lines->line = kept;
	kept[lines->nr++] = *line;
}

enum {
	TIME,
	PLACE,
	CPUS,
	NUMBER,
	NAME,
	TEXT,
	NR_COLUMNS = TEXT + STAT_TEXTS
};

static void widen(int *width, const char *text)
{
	int length = strlen(text);

	*width = MAX(*width, length);
}

/* As in print_line(), where there is room. */
static void set_columns(const struct stat_printer *p,
			const struct stat_lines *lines, struct column *column)
{
	bool is_behind_place = p->by != STAT_BY_NOTHING;
	int number = 0, name = 0, text[STAT_TEXTS] = {};

	for (size_t i = 0; i < lines->nr; i++) {
		const struct stat_line *line = &lines->line[i];

		widen(&number, line->number);
		widen(&name, line->name);
		name = MAX(name, line->name_width);
		for (int k = 0; k < STAT_TEXTS; k++)
			widen(&text[k], line->text[k]);
	}
	column[TIME] = (struct column){.width = 13, .hidden = !p->intervals};
	column[PLACE] = (struct column){
		.width = place_width(p) - 1, .left = true, .hidden = !p->by};
	if (column[PLACE].width > LEAST_PLACE)
		column[PLACE].least = LEAST_PLACE;
	column[CPUS] =
		(struct column){.width = 3, .hidden = p->by != STAT_BY_CORE};
	column[NUMBER] = (struct column){
		.width = NUMBER_WIDTH - is_behind_place,
		.least = number < NUMBER_WIDTH ? number : 0,
	};
	column[NUMBER].width = MAX(column[NUMBER].width, number);
	column[NAME] = (struct column){
		.width = 1 + name, .least = LEAST_NAME, .left = true};
	for (int i = 0; i < STAT_TEXTS; i++)
		column[TEXT + i] = (struct column){
			.width = text[i],
			.left = true,
			.drop = i || !lines->has_units ? 1 + i : STAT_TEXTS + 1,
			.hidden = !text[i],
		};
	if (text[0] > LEAST_TEXT)
		column[TEXT].least = LEAST_TEXT;
}

static void put_line(struct columns *columns, const struct stat_line *line)
{
	cell_put(columns, "%s", line->time);
	cell_put(columns, "%s", line->place);
	cell_put(columns, "%s", line->cpus);
	cell_put(columns, "%s", line->number);
	cell_put(columns, " %s", line->name);
	for (int i = 0; i < STAT_TEXTS; i++)
		cell_put(columns, "%s", line->text[i]);
	columns_row(columns);
}

void stat_lines_end(const struct stat_printer *p, struct stat_lines *lines)
{
	struct column column[NR_COLUMNS];
	struct columns columns;

	if (lines->nr) {
		set_columns(p, lines, column);
		columns_begin(&columns, column, NR_COLUMNS);
		columns.out = p->out;
		for (size_t i = 0; i < lines->nr && !columns.failed; i++)
			put_line(&columns, &lines->line[i]);
		columns_end(&columns);
	}
	free(lines->line);
	lines->line = NULL;
	lines->nr = lines->max = 0;
}

void stat_place_fill(struct stat_place *place, const struct stat_printer *p,
		     const struct stat_row *row, double seconds)
{
	place->time = seconds;
	place->number = row->cpu;
	place->cpus = row->cpus;
	if (p->by)
		place->name =
			place_name(p, row, place->room, sizeof(place->room));
}

static CELL_OF(number_get, struct stat_place,
	       ((struct cell){.type = CELL_SIGNED, .number = v->number}));

/* Numbers in JSON, names in CSV */
static void name_csv(FILE *out, const void *row, size_t separator)
{
	csv_separated(out, ((const struct stat_place *)row)->name,
		      (const char *)separator);
}

void stat_table_begin(struct table *table, const struct stat_printer *p,
		      bool counts)
{
	static const struct table_column time = {
		COLUMN_REAL(struct stat_place, time), .decimals = 9};
	const struct table_column of_core[] = {
		{COLUMN_STRING(struct stat_place, name), .key = "core"},
		{COLUMN_NUMBER(struct stat_place, cpus), .no_csv = !counts},
	};
	const struct table_column of_number = {
		.name = p->by == STAT_BY_CPU ? "cpu" : "thread",
		.arg = (size_t)p->separator,
		.get = number_get,
		.put_csv = name_csv,
	};

	table->format = p->format;
	table->separator = p->separator;
	table->json.out = p->out;
	table_add(table, &time, p->intervals);
	if (p->by == STAT_BY_CORE)
		table_add(table, of_core, 2);
	else
		table_add(table, &of_number, p->by != STAT_BY_NOTHING);
}
