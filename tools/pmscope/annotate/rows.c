// SPDX-License-Identifier: GPL-2.0-or-later
/* The instructions as rows: of CSV under a line of names, and of JSON lines. */
#include "annotate/annotate.h"

struct insn_view insn_view(const struct annotate_output *out,
			   const struct annotated_function *function,
			   const struct annotated *a)
{
	static const struct row none;

	return (struct insn_view){
		.row = {out->table, a->row ?: &none, &a->parts, NULL,
			&a->share},
		.function = function,
		.a = a,
		.data = row_data_costliest(a->row),
	};
}

const char *insn_object(const struct insn_view *v, char *room)
{
	const struct row_used *used = v->data.used;

	if (!used)
		return NULL;
	if (!used->object)
		return "[unknown]";
	snprintf(room, CELL_ROOM, "%.*s", used->length, used->object);
	return room;
}

const char *insn_member(const struct insn_view *v, char *room)
{
	return v->data.used && v->data.used->member ? v->data.used->member
						    : insn_object(v, room);
}

#define VALUE(name, value) static CELL_OF(get_##name, struct insn_view, value)
#define INSN(name, value)  VALUE(name, v->a->insn ? value : (struct cell){})

VALUE(sym, cell_text(v->function->function->sym));
VALUE(dso, cell_text(v->function->function->dso));
VALUE(symoff, v->a->offset == UINT64_MAX ? (struct cell){.type = CELL_NULL}
					 : cell_unsigned(v->a->offset));
INSN(address, cell_hex(v->a->insn->address));
INSN(word, ((struct cell){CELL_WORD, {v->a->insn->word}}));
INSN(text, cell_text(v->a->insn->text));
INSN(target, cell_if(v->a->insn->branches, cell_hex(v->a->insn->target)));
VALUE(target_sym,
      cell_text(annotated_target(v->function, v->a, &(uint64_t){0})));
VALUE(file, cell_text(v->a->line.file));
VALUE(frames, cell_text(v->a->line.frames));
VALUE(object_share, cell_if(v->data.used, cell_real(v->data.share)));
VALUE(other_members, cell_if(v->data.used, cell_bool(v->data.has_others)));

static struct cell get_object(const void *row, size_t, char *room)
{
	return cell_text(insn_object(row, room));
}

static struct cell get_member(const void *row, size_t, char *room)
{
	return cell_text(insn_member(row, room));
}

static struct cell get_target_symoff(const void *row, size_t, char *)
{
	const struct insn_view *v = row;
	uint64_t offset;

	return annotated_target(v->function, v->a, &offset)
		       ? cell_unsigned(offset)
		       : (struct cell){};
}

static struct cell get_line(const void *row, size_t, char *room)
{
	view_line_text(&((const struct insn_view *)row)->a->line, room);
	return cell_text(*room ? room : NULL);
}

#define COLUMN(name) #name, .get = get_##name

static const struct table_column of_insn[] = {
	{COLUMN(sym)},
	{COLUMN(dso)},
	{COLUMN(symoff)},
	{COLUMN(address)},
	{COLUMN(word)},
	{COLUMN(text)},
	{COLUMN(target)},
	{COLUMN(target_sym)},
	{COLUMN(target_symoff)},
	{COLUMN(line)},
	{"file", .no_csv = true, .get = get_file},
	{COLUMN(frames)},
};

static const struct table_column of_data[] = {
	{COLUMN(object)},
	{COLUMN(object_share), .decimals = 6},
	{COLUMN(member)},
	{COLUMN(other_members)},
};

static void add_columns(struct table *table, const struct row_table *rows)
{
	table_add(table, of_insn, ARRAY_SIZE(of_insn));
	table_add(table, of_data, rows->with_members ? ARRAY_SIZE(of_data) : 0);
	row_columns_share(table, rows);
	row_columns_measures(table, true);
}

int annotate_rows(const struct annotate_output *out,
		  const struct annotated_function *f, enum print_format format)
{
	struct table table = {.format = format, .type = "instruction"};

	add_columns(&table, out->table);
	table_begin(&table, false);
	for (size_t i = 0; i < f->nr; i++) {
		const struct insn_view view = insn_view(out, f, &f->insns[i]);

		table_row(&table, &view);
	}
	return table_end(&table);
}

static void begin(const struct annotate_output *out)
{
	struct table table = {.format = PRINT_CSV};

	losses_print(out->load, stderr, "pmscope: ");
	add_columns(&table, out->table);
	table_begin(&table, true);
	table_end(&table);
}

static int print_function(const struct annotate_output *out,
			  const struct annotated_function *f)
{
	if (f->code->error && f->code->error != -ENOENT)
		warning("%s: %s", f->function->sym, function_code_why(f->code));
	return annotate_rows(out, f, PRINT_CSV);
}

const struct annotate_printer annotate_csv = {
	.begin = begin,
	.function = print_function,
};
