// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/table.h"

const char *const print_formats[] = {"text", "jsonl", "csv", NULL};
const char *const print_formats_html[] = {"text", "jsonl", "csv", "html", NULL};

void table_add(struct table *table, const struct table_column *columns,
	       size_t nr)
{
	for (; nr-- && table->nr < TABLE_COLUMNS; columns++)
		table->column[table->nr++] = *columns;
}

/* The @size bytes at an offset of a row. */
static void read_member(void *value, size_t size, const void *row,
			size_t offset)
{
	memcpy(value, (const char *)row + offset, size);
}

struct cell table_number(const void *row, size_t offset, char *)
{
	struct cell cell = {.type = CELL_UNSIGNED};

	read_member(&cell.number, sizeof(cell.number), row, offset);
	return cell;
}

struct cell table_real(const void *row, size_t offset, char *)
{
	struct cell cell = {.type = CELL_REAL};

	read_member(&cell.real, sizeof(cell.real), row, offset);
	return cell;
}

struct cell table_string(const void *row, size_t offset, char *)
{
	const char *text;

	read_member(&text, sizeof(text), row, offset);
	return cell_text(text);
}

struct column *table_text(struct table *table, const char *name)
{
	struct table_column *column = table->column;

	while (!column->name || strcmp(column->name, name))
		column++;
	return &column->text;
}

static struct cell get(const struct table_column *column, const void *row,
		       char *room)
{
	return column->get ? column->get(row, column->arg, room)
			   : (struct cell){};
}

/* As text and CSV have it. */
static void put_number(FILE *out, const struct cell *cell)
{
	if (cell->type == CELL_SIGNED)
		fprintf(out, "%" PRId64, (int64_t)cell->number);
	else if (cell->type == CELL_HEX)
		fprintf(out, "0x%" PRIx64, cell->number);
	else if (cell->type == CELL_WORD)
		fprintf(out, "0x%08" PRIx64, cell->number);
	else
		fprintf(out, "%" PRIu64, cell->number);
}

static bool is_in_csv(const struct table_column *column)
{
	return column->name && !column->no_csv &&
	       (column->get || column->put_csv);
}

/* Text and CSV have an order of their own. */
static void order_columns(struct table *table)
{
	bool is_text = table->format == PRINT_TEXT;

	table->nr_shown = 0;
	for (size_t i = 0; i < table->nr; i++) {
		const struct table_column *column = &table->column[i], *before;
		size_t to = table->nr_shown;

		if (is_text ? !column->text.title : !is_in_csv(column))
			continue;
		for (; to; to--) {
			before = &table->column[table->order[to - 1]];
			if (is_text ? before->at <= column->at
				    : before->csv_at <= column->csv_at)
				break;
			table->order[to] = table->order[to - 1];
		}
		table->order[to] = i;
		table->nr_shown++;
	}
}

/* Text */

static void text_begin(struct table *table, bool titles)
{
	for (size_t i = 0; i < table->nr_shown; i++)
		table->text[i] = table->column[table->order[i]].text;
	columns_begin(&table->columns, table->text, table->nr_shown);
	table->columns.out = table->json.out;
	if (titles)
		columns_titles(&table->columns);
}

static void text_cell(FILE *out, const struct table_column *column,
		      const struct cell *cell)
{
	switch (cell->type) {
	case CELL_NONE:
	case CELL_NULL:
		fputc('-', out);
		return;
	case CELL_REAL:
		fprintf(out, "%.*f", column->digits,
			cell->real * (column->scale ?: 1));
		break;
	case CELL_CPUS:
		cpu_set_put(out, cell->cpus);
		break;
	case CELL_TEXT:
		fputs(cell->text, out);
		break;
	default:
		put_number(out, cell);
	}
	fputs(column->unit ?: "", out);
}

static void text_row(struct table *table, const void *row)
{
	struct columns *columns = &table->columns;
	char room[CELL_ROOM];

	for (size_t i = 0; i < columns->nr && !columns->failed; i++) {
		const struct table_column *column =
			&table->column[table->order[i]];
		struct cell cell;

		if (i < table->blank) {
			cell_put(columns, "%s", "");
			continue;
		}
		if (*column->text.title == ' ')
			fputc(' ', columns->cells);
		if (column->put_text) {
			column->put_text(columns->cells, row, column->arg);
		} else {
			cell = get(column, row, room);
			text_cell(columns->cells, column, &cell);
		}
		cell_put(columns, "%s", "");
	}
	columns_row(columns);
}

/* CSV */

static const char *separator_of(const struct table *table)
{
	return table->separator ?: ",";
}

static void csv_begin(const struct table *table)
{
	const char *before = "";

	for (size_t i = 0; i < table->nr_shown; i++) {
		fputs(before, table->json.out);
		csv_separated(table->json.out,
			      table->column[table->order[i]].name,
			      separator_of(table));
		before = separator_of(table);
	}
	fputc('\n', table->json.out);
}

static void csv_cell(const struct table *table,
		     const struct table_column *column, const struct cell *cell)
{
	FILE *out = table->json.out;

	switch (cell->type) {
	case CELL_NONE:
	case CELL_NULL:
		break;
	case CELL_REAL:
		fprintf(out, "%.*f", column->decimals, cell->real);
		break;
	case CELL_CPUS:
		fputc('"', out);
		if (cell->cpus)
			cpu_set_put(out, cell->cpus);
		fputc('"', out);
		break;
	case CELL_TEXT:
		csv_separated(out, cell->text, separator_of(table));
		break;
	default:
		put_number(out, cell);
	}
}

static void csv_row(const struct table *table, const void *row)
{
	const char *before = "";
	char room[CELL_ROOM];

	for (size_t i = 0; i < table->nr_shown; i++) {
		const struct table_column *column =
			&table->column[table->order[i]];
		struct cell cell;

		fputs(before, table->json.out);
		before = separator_of(table);
		if (column->put_csv) {
			column->put_csv(table->json.out, row, column->arg);
			continue;
		}
		cell = get(column, row, room);
		csv_cell(table, column, &cell);
	}
	fputc('\n', table->json.out);
}

/* JSON */

static void json_cell(struct json *json, const char *key,
		      const struct table_column *column,
		      const struct cell *cell)
{
	switch (cell->type) {
	case CELL_NONE:
		break;
	case CELL_NULL:
		json_null(json, key);
		break;
	case CELL_COUNT:
	case CELL_UNSIGNED:
		json_unsigned(json, key, cell->number);
		break;
	case CELL_SIGNED:
		json_signed(json, key, cell->number);
		break;
	case CELL_BOOL:
		json_bool(json, key, cell->number);
		break;
	case CELL_REAL:
		json_real(json, key, column->decimals, cell->real);
		break;
	case CELL_HEX:
	case CELL_WORD:
		json_hex(json, key, cell->number);
		break;
	case CELL_CPUS:
		json_begin_text(json, key);
		cpu_set_put(json->out, cell->cpus);
		json_end_text(json);
		break;
	case CELL_TEXT:
		json_text(json, key, cell->text);
		break;
	}
}

static bool is_in_json(const struct table_column *column)
{
	return column->object ||
	       (column->name && !(column->key && !*column->key));
}

static bool is_absent(const struct cell *cell)
{
	return cell->type == CELL_NONE ||
	       (cell->type == CELL_COUNT && !cell->number) ||
	       (cell->type == CELL_CPUS && !cell->cpus);
}

/* Opens the object of a column, and ends that of the column before. */
static void json_object(struct json *json, const char **open,
			const char *object)
{
	if (*open == object)
		return;
	if (*open)
		json_end_object(json);
	if (object)
		json_begin_object(json, object);
	*open = object;
}

void table_members(const struct table *table, struct json *json,
		   const void *row)
{
	const char *open = NULL;
	char room[CELL_ROOM];

	for (size_t i = 0; i < table->nr; i++) {
		const struct table_column *column = &table->column[i];
		struct cell cell = {};

		if (!is_in_json(column))
			continue;
		if (column->put_json) {
			json_object(json, &open, column->object);
			column->put_json(json, row, column->arg);
			continue;
		}
		cell = get(column, row, room);
		if (column->get && is_absent(&cell))
			continue;
		json_object(json, &open, column->object);
		json_cell(json, column->key ?: column->name, column, &cell);
	}
	json_object(json, &open, NULL);
}

void table_begin(struct table *table, bool titles)
{
	table->json.out = table->json.out ?: stdout;
	order_columns(table);
	if (table->format == PRINT_TEXT)
		text_begin(table, titles);
	else if (table->format == PRINT_CSV && titles)
		csv_begin(table);
}

void table_row(struct table *table, const void *row)
{
	if (table->format == PRINT_TEXT) {
		text_row(table, row);
	} else if (table->format == PRINT_CSV) {
		csv_row(table, row);
	} else {
		json_begin_line(&table->json);
		if (table->type)
			json_text(&table->json, "type", table->type);
		table_members(table, &table->json, row);
		json_end_line(&table->json);
	}
}

int table_end(struct table *table)
{
	return table->format == PRINT_TEXT ? columns_end(&table->columns) : 0;
}

/* As in perf: percentages from which on a share is red or green. */
#define RED   5.0
#define GREEN 0.5

/* Columns of a line; with @least flexible ones are as narrow as can be. */
static int line_width(const struct column *column, size_t nr, bool least)
{
	int width = -1; /* no space before the first */

	for (size_t i = 0; i < nr; i++)
		if (!column[i].hidden)
			width += 1 + (least && column[i].least
					      ? column[i].least
					      : column[i].width);
	return width;
}

/* Hides the column that is to be left out next; false if none is. */
static bool drop_one(struct column *column, size_t nr)
{
	struct column *first = NULL;

	for (size_t i = 0; i < nr; i++)
		if (!column[i].hidden && column[i].drop &&
		    (!first || column[i].drop < first->drop))
			first = &column[i];
	if (first)
		first->hidden = true;
	return first;
}

/* The widest column that may become narrower. */
static struct column *widest(struct column *column, size_t nr)
{
	struct column *found = NULL;

	for (size_t i = 0; i < nr; i++)
		if (!column[i].hidden && column[i].least &&
		    column[i].width > column[i].least &&
		    (!found || column[i].width > found->width))
			found = &column[i];
	return found;
}

/* The last column gets the rest of the line. */
static void use_rest(struct column *column, size_t nr, int room)
{
	int rest = room - line_width(column, nr, false);

	for (size_t i = nr; i-- && rest > 0;) {
		if (column[i].hidden)
			continue;
		if (column[i].left)
			column[i].width += rest;
		return;
	}
}

static void columns_fit(struct column *column, size_t nr, int room)
{
	struct column *flexible;

	if (!room)
		return;
	while (line_width(column, nr, true) > room && drop_one(column, nr))
		;
	while (line_width(column, nr, false) > room &&
	       (flexible = widest(column, nr)))
		flexible->width--;
	use_rest(column, nr, room);
}

void columns_begin(struct columns *columns, struct column *column, size_t nr)
{
	*columns = (struct columns){
		.column = column,
		.nr = nr,
		.is_fitted = terminal_width(),
		.out = stdout,
	};
	columns_fit(column, nr, terminal_width());
	columns->cells = open_memstream(&columns->text, &columns->size);
	columns->failed = !columns->cells;
}

static void put_colour(FILE *out, const struct column *column, const char *cell,
		       const char *colour_end)
{
	double share = strtod(cell, NULL);

	if (!column->is_share || !terminal_has_colour() || share < GREEN)
		return;
	fputs(colour_end ?: share >= RED ? "\033[31m" : "\033[32m", out);
}

static void put_cell(const struct columns *columns, size_t i, const char *cell,
		     bool is_last)
{
	const struct column *column = &columns->column[i];
	int missing = column->width - name_width(cell);

	put_colour(columns->out, column, cell, NULL);
	for (; !column->left && missing > 0; missing--)
		fputc(' ', columns->out);
	if (columns->is_fitted && missing < 0)
		name_put_cut(columns->out, cell, column->width,
			     column->is_path);
	else if (!column->left || is_last ||
		 (column->is_ragged && !columns->is_fitted))
		name_put(columns->out, cell, 0);
	else
		name_put(columns->out, cell, column->width);
	put_colour(columns->out, column, cell, "\033[m");
}

static size_t first_shown(const struct columns *columns)
{
	size_t i = 0;

	while (i + 1 < columns->nr && columns->column[i].hidden)
		i++;
	return i;
}

static size_t last_shown(const struct columns *columns)
{
	size_t i = columns->nr;

	while (i > 1 && columns->column[i - 1].hidden)
		i--;
	return i - 1;
}

void columns_titles(const struct columns *columns)
{
	size_t first = first_shown(columns), last = last_shown(columns);

	if (terminal_has_colour())
		fputs("\033[1m", columns->out);
	for (size_t i = 0; i < columns->nr; i++) {
		if (columns->column[i].hidden)
			continue;
		if (i > first)
			fputc(' ', columns->out);
		put_cell(columns, i, columns->column[i].title, i == last);
	}
	if (terminal_has_colour())
		fputs("\033[m", columns->out);
	fputc('\n', columns->out);
}

void cell_put(const struct columns *columns, const char *fmt, ...)
{
	va_list args;

	if (columns->failed)
		return;
	va_start(args, fmt);
	vfprintf(columns->cells, fmt, args);
	va_end(args);
	fputc('\0', columns->cells);
}

void columns_row(struct columns *columns)
{
	size_t first = first_shown(columns), last = last_shown(columns);
	size_t filled = 0; /* the last one */
	const char *cell;

	if (columns->failed || fflush(columns->cells) ||
	    ferror(columns->cells)) {
		columns->failed = true;
		return;
	}
	cell = columns->text;
	for (size_t i = 0; i <= last; cell += strlen(cell) + 1, i++)
		if (*cell && !columns->column[i].hidden)
			filled = i;
	cell = columns->text;
	for (size_t i = 0; i <= filled; i++, cell += strlen(cell) + 1) {
		if (columns->column[i].hidden)
			continue;
		if (i > first)
			fputc(' ', columns->out);
		put_cell(columns, i, cell, i == filled);
	}
	fputc('\n', columns->out);
	rewind(columns->cells);
}

int columns_end(struct columns *columns)
{
	if (columns->cells)
		fclose(columns->cells);
	free(columns->text);
	return columns->failed ? -ENOMEM : 0;
}
