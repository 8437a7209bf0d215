// SPDX-License-Identifier: GPL-2.0-or-later
/* The instructions as rows: of CSV under a line of names, and of JSON lines. */
#include "annotate/annotate.h"
#include "cli/message.h"
#include "print/losses.h"

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
	};
}

enum {
	SYM,
	DSO,
	SYMOFF,
	ADDRESS,
	WORD,
	TEXT,
	TARGET,
	TARGET_SYM,
	TARGET_SYMOFF,
	LINE,
	LINE_FILE,
	FRAMES,
	NR_OWN
};

static struct cell of_insn(const struct annotated *a, size_t column)
{
	const struct insn *insn = a->insn;

	switch (column) {
	case ADDRESS:
		return (struct cell){.type = CELL_HEX, .number = insn->address};
	case WORD:
		return (struct cell){.type = CELL_WORD, .number = insn->word};
	case TEXT:
		return cell_text(insn->text);
	default:
		return cell_if(insn->branches,
			       (struct cell){.type = CELL_HEX,
					     .number = insn->target});
	}
}

static struct cell of_target(const struct insn_view *v, size_t column)
{
	uint64_t offset;
	const char *name = annotated_target(v->function, v->a, &offset);

	return column == TARGET_SYM ? cell_text(name)
				    : cell_if(name, cell_unsigned(offset));
}

static struct cell of_line(const struct pmscope_line *line, size_t column,
			   char *room)
{
	if (column == FRAMES)
		return cell_text(line->frames);
	if (column == LINE_FILE)
		return cell_text(line->file);
	view_line_text(line, room);
	return cell_text(*room ? room : NULL);
}

static struct cell insn_get(const void *row, size_t column, char *room)
{
	const struct insn_view *v = row;

	if (column == SYM)
		return cell_text(v->function->function->sym);
	if (column == DSO)
		return cell_text(v->function->function->dso);
	if (column == SYMOFF)
		return (struct cell){.type = v->a->offset == UINT64_MAX
						     ? CELL_NULL
						     : CELL_UNSIGNED,
				     .number = v->a->offset};
	if (column >= LINE)
		return of_line(&v->a->line, column, room);
	if (!v->a->insn)
		return (struct cell){};
	return column <= TARGET ? of_insn(v->a, column) : of_target(v, column);
}

static struct cell member_get(const void *row, size_t others, char *room)
{
	const struct row *r = ((const struct insn_view *)row)->a->row;
	const char *member = r ? r->member : NULL;

	(void)room;
	return others ? cell_if(member, cell_bool(r && r->has_others))
		      : cell_text(member);
}

static const struct table_column of_data[] = {
	{.name = "member", .get = member_get},
	{.name = "other_members", .arg = true, .get = member_get},
};

static void add_columns(struct table *table, const struct row_table *rows)
{
	static const char *const names[NR_OWN] = {
		"sym",		 "dso",	 "symoff", "address",
		"word",		 "text", "target", "target_sym",
		"target_symoff", "line", "file",   "frames",
	};

	for (size_t i = 0; i < NR_OWN; i++)
		table_add(table,
			  &(struct table_column){
				  .name = names[i],
				  .no_csv = i == LINE_FILE,
				  .arg = i,
				  .get = insn_get,
			  },
			  1);
	table_add(table, of_data, rows->with_members ? 2 : 0);
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
