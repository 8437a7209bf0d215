// SPDX-License-Identifier: GPL-2.0-or-later
#include "code/code.h"

/* Instructions and rows, both in the order of their offsets. */
static size_t merge(struct annotated *to, const struct function *function,
		    const struct insns *insns)
{
	size_t nr = 0, row = 0, insn = 0;

	while (row < function->nr_rows || insn < insns->nr) {
		uint64_t at_row = row < function->nr_rows
					  ? function_offset(function->rows[row])
					  : UINT64_MAX;
		uint64_t at_insn =
			insn < insns->nr ? insn * INSN_SIZE : UINT64_MAX;
		struct annotated *a = &to[nr++];

		*a = (struct annotated){.offset = at_row};
		a->offset = MIN(a->offset, at_insn);
		if (at_row == a->offset && row < function->nr_rows)
			a->row = function->rows[row++];
		if (at_insn == a->offset && insn < insns->nr)
			a->insn = &insns->all[insn++];
		/* Where only a clock's interrupt came */
		if (a->row && !a->row->samples)
			a->row = NULL;
		nr -= !a->row && !a->insn;
	}
	return nr;
}

static double share_of(const struct row *row, const struct row_table *table,
		       const struct function *function)
{
	if (!table->by_time || !function->own)
		return row_share(table, row);
	return function_share(table, function) * row->own / function->own;
}

int annotated_merge(struct annotated_function *f, const struct row_table *table)
{
	f->insns = calloc(f->function->nr_rows + f->code->insns.nr,
			  sizeof(*f->insns));
	if (!f->insns)
		return -ENOMEM;
	f->nr = merge(f->insns, f->function, &f->code->insns);
	for (size_t i = 0; i < f->nr; i++)
		if (f->insns[i].row)
			f->insns[i].share =
				share_of(f->insns[i].row, table, f->function);
	return 0;
}

void annotated_fini(struct annotated_function *f)
{
	free(f->insns);
	f->insns = NULL;
	f->nr = 0;
}

int annotated_describe(struct annotated *a, const struct row_table *table,
		       const struct load *load,
		       const struct annotated_function *f)
{
	if (a->row) {
		int ret = row_parts_of(table, a->row, &a->parts);

		if (ret)
			return ret;
		row_parts_finish(&a->parts);
	}
	if (a->offset != UINT64_MAX)
		function_line(load, f->function, a->offset, &a->line);
	if (a->insn)
		function_branch(load, f->function, f->code, a->insn,
				&a->branch);
	return 0;
}

const char *annotated_target(const struct annotated_function *f,
			     const struct annotated *a, uint64_t *offset)
{
	if (!a->insn || !a->insn->branches)
		return NULL;
	*offset = a->insn->target - f->code->code.address;
	if (*offset < f->code->code.size)
		return f->function->sym;
	*offset = a->branch.offset;
	return a->branch.name;
}
