// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotated code for people; free to change. */
#include "annotate/annotate.h"

#include <pmscope/events.h>

/* Events that get a column in functions that have them. */
static const struct {
	enum pmscope_event bit;
	const char *title;
} events[] = {
	{PMSCOPE_EVENT_L1D_REFILL, "L1miss"},
	{PMSCOPE_EVENT_L2D_MISS, "L2miss"},
	{PMSCOPE_EVENT_LLC_REFILL, "LLmiss"},
	{PMSCOPE_EVENT_TLB_REFILL, "TLBmiss"},
	{PMSCOPE_EVENT_REMOTE_ACCESS, "Remote"},
	{PMSCOPE_EVENT_HITM, "HitM"},
	{PMSCOPE_EVENT_ALIGNMENT, "Unalign"},
	{PMSCOPE_EVENT_MISPRED, "Mispred"},
	{PMSCOPE_EVENT_NOT_TAKEN, "NotTakn"},
	{PMSCOPE_EVENT_SVE_PARTIAL_PRED, "Partial"},
	{PMSCOPE_EVENT_SVE_EMPTY_PRED, "EmptyPr"},
	{PMSCOPE_EVENT_EXCEPTION_GEN, "Except"},
};

#define SOURCE_TEXT 160

static void begin(const struct annotate_output *out)
{
	const struct row_table *table = out->table;

	printf("# ");
	name_put(stdout, out->load->name, 0);
	printf(": %" PRIu64 " SPE samples\n", table->samples);
	losses_print(out->load, stdout, "# ");
	if (table->by_time)
		printf("# Shares are of time: a clock was sampled %" PRIu64
		       " times; cycles from issue to completion divide that "
		       "of a function\n",
		       table->ticks);
	else if (table->by_cost)
		printf("# Shares are of the cycles from issue to completion\n");
	if (table->by_cost)
		printf("# OfOps: of all operations\n");
	if (table->by_latency)
		printf("# Shares are of the cycles of all total latencies\n");
	if (out->nr_functions)
		printf("# Latencies are in cycles; events are shares of the "
		       "samples of an instruction\n");
}

static void put_title(const struct annotate_output *out,
		      const struct annotated_function *f)
{
	const struct function_code *code = f->code;

	printf("#\n# ");
	name_put(stdout, f->function->sym, 0);
	printf("  ");
	name_put(stdout, f->function->dso, 0);
	printf(": %.2f%% of all, %" PRIu64 " samples\n",
	       100 * function_share(out->table, f->function),
	       f->function->samples);
	if (code->error) {
		printf("# No code: %s\n", function_code_why(code));
		return;
	}
	printf("# Code from ");
	name_put(stdout, code->code.file, 0);
	if (code->insns.nr && !code->insns.all[0].text)
		printf(", not disassembled: install LLVM or binutils for "
		       "aarch64\n");
	else
		printf(", by %s\n", out->disassembler);
	if (code->cut)
		printf("# Only the first %u bytes of the code are shown\n",
		       FUNCTION_CODE_MAX);
}

/* Where to look first: functions may have thousands of instructions. */
static void put_costliest(const struct annotated_function *f)
{
	const struct annotated *most = NULL;

	for (size_t i = 0; i < f->nr; i++)
		if (f->insns[i].row &&
		    (!most || f->insns[i].share > most->share))
			most = &f->insns[i];
	if (f->function->nr_rows > 1 && most && most->offset != UINT64_MAX)
		printf("# The heaviest instruction is +0x%" PRIx64
		       ": %.2f%% of all\n",
		       most->offset, 100 * most->share);
}

/* Adds the name of where a branch goes. */
static void put_target(FILE *cell, const struct annotated_function *f,
		       const struct annotated *a)
{
	uint64_t offset = a->insn->target - f->code->code.address;
	bool within = offset < f->code->code.size;

	if (!a->insn->branches || (!within && !a->branch.name))
		return;
	if (!within)
		offset = a->branch.offset;
	fprintf(cell, " <%s", within ? "" : a->branch.name);
	if (offset || within)
		fprintf(cell, "+0x%" PRIx64, offset);
	fputc('>', cell);
}

static void offset_text(FILE *cell, const void *row, size_t)
{
	const struct annotated *a = ((const struct insn_view *)row)->a;

	if (a->offset == UINT64_MAX)
		fputc('?', cell);
	else
		fprintf(cell, "+0x%" PRIx64, a->offset);
}

static void insn_text(FILE *cell, const void *row, size_t)
{
	const struct insn_view *v = row;
	const struct insn *insn = v->a->insn;

	if (insn && insn->text)
		fputs(insn->text, cell);
	else if (insn)
		fprintf(cell, "0x%08" PRIx32, insn->word);
	else
		fputc('-', cell);
	if (insn)
		put_target(cell, v->function, v->a);
}

#define MEAN_OF(latency) \
	.digits = 1, .arg = MEAN << 2 | (latency), .get = row_latency_get
#define FIGURE(figure) .arg = (figure) << 2 | TOTAL, .get = row_latency_get

static const struct table_column totals[] = {
	{.text = {"# Share", 7, .is_share = true},
	 .scale = 100,
	 .digits = 2,
	 .unit = "%",
	 .get = row_share_get},
	{.text = {"Samples", 8, .drop = 19}, .get = row_samples_get},
};

static const struct table_column of_operations = {
	.text = {"OfOps", 7, .drop = 6},
	.scale = 100,
	.digits = 2,
	.unit = "%",
	.get = row_share_of_operations_get,
};

static const struct table_column latencies[] = {
	{.text = {"Mean cyc", 8, .drop = 20}, MEAN_OF(TOTAL)},
	{.text = {"p50", 5, .drop = 4}, FIGURE(P50)},
	{.text = {"p90", 5, .drop = 18}, FIGURE(P90)},
	{.text = {"p99", 5, .drop = 3}, FIGURE(P99)},
};

static const struct table_column issue = {.text = {"Issue", 7, .drop = 2},
					  MEAN_OF(ISSUE)};

static const struct table_column xlat = {.text = {"Xlat", 7, .drop = 1},
					 MEAN_OF(XLAT)};

static const struct table_column source = {.text = {"Data source", 15,
						    .drop = 5, .left = true},
					   .put_text = row_source_text};

static void member_text(FILE *cell, const void *row, size_t arg)
{
	const struct insn_view *v = row;
	char room[CELL_ROOM];

	(void)arg;
	fputs(insn_member(v, room) ?: "-", cell);
	if (v->data.used && v->data.share < 1)
		fprintf(cell, " %.0f%%", 100 * v->data.share);
	else if (v->data.has_others)
		fputs(", ...", cell);
}

static const struct table_column member = {
	.text = {"Data", 24, 10, .left = true}, .put_text = member_text};

static const struct table_column code_columns[] = {
	{.text = {.title = "Offset", .width = 7}, .put_text = offset_text},
	{.text = {"Instruction", 40, 16, .left = true}, .put_text = insn_text},
};

/* What the samples of a function have gets a column. */
static void add_columns(struct table *table, const struct row_table *rows,
			const struct annotated_function *f)
{
	bool has_event[ARRAY_SIZE(events)] = {}, has_issue = false,
	     has_xlat = false;
	bool has_source = false;

	for (size_t i = 0; i < f->nr; i++) {
		const struct annotated *a = &f->insns[i];

		for (size_t k = 0; a->row && k < ARRAY_SIZE(events); k++)
			has_event[k] |= a->parts.events[events[k].bit] > 0;
		has_source |= a->row && a->parts.nr_sources;
		has_issue |= a->row && a->row->issue.count;
		has_xlat |= a->row && a->row->translate.count;
	}
	table_add(table, totals, ARRAY_SIZE(totals));
	table_add(table, &of_operations, rows->by_cost);
	table_add(table, latencies, ARRAY_SIZE(latencies));
	table_add(table, &issue, has_issue);
	table_add(table, &xlat, has_xlat);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		table_add(table,
			  &(struct table_column){
				  .text = {events[i].title, 7, .drop = 17 - i},
				  .digits = 1,
				  .unit = "%",
				  .arg = events[i].bit,
				  .get = row_event_get,
			  },
			  has_event[i]);
	table_add(table, &source, has_source);
	table_add(table, &member, rows->with_members);
	table_add(table, code_columns, 2);
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_line(const struct pmscope_line *a,
			 const struct pmscope_line *b)
{
	return a->line == b->line && is_same_text(a->file, b->file) &&
	       is_same_text(a->frames, b->frames);
}

/* Without its indentation; a tab becomes a space. */
static void put_source_text(const char *text, size_t length)
{
	char clean[SOURCE_TEXT + 1], *begin = clean;

	length = MIN(length, SOURCE_TEXT);
	memcpy(clean, text, length);
	clean[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (clean[i] == '\t')
			clean[i] = ' ';
	while (*begin == ' ')
		begin++;
	name_put(stdout, begin, 0);
}

static void put_line(const struct annotate_output *out,
		     const struct pmscope_line *line)
{
	char name[VIEW_LINE_MAX];
	size_t length;
	const char *text;

	view_line_text(line, name);
	if (!*name)
		return;
	printf("# ");
	name_put(stdout, name, 0);
	if (line->frames) {
		printf("  ");
		name_put(stdout, line->frames, 0);
	}
	text = out->source ? source_line(out->source, line->file, line->line,
					 &length)
			   : NULL;
	if (text) {
		printf("  | ");
		put_source_text(text, length);
	}
	putchar('\n');
}

/* Says that lines or their source are missing, once for the function. */
static void put_missing(const struct annotate_output *out,
			const struct annotated_function *f)
{
	const char *file = NULL;
	size_t length;

	for (size_t i = 0; i < f->nr && !file; i++)
		file = f->insns[i].line.file;
	if (!file) {
		printf("# No source lines: its file has no debug information, "
		       "or none was found\n");
	} else if (out->source && !source_line(out->source, file, 1, &length)) {
		printf("# No source text: cannot read ");
		name_put(stdout, file, 0);
		putchar('\n');
	}
}

static int print_function(const struct annotate_output *out,
			  const struct annotated_function *f)
{
	static const struct pmscope_line no_line;
	const struct pmscope_line *last = &no_line;
	struct table table = {};

	put_title(out, f);
	put_costliest(f);
	if (f->function->placed)
		put_missing(out, f);
	add_columns(&table, out->table, f);
	table_begin(&table, true);
	for (size_t i = 0; i < f->nr && !table.columns.failed; i++) {
		const struct annotated *a = &f->insns[i];
		const struct insn_view view = insn_view(out, f, a);

		if (!is_same_line(&a->line, last))
			put_line(out, &a->line);
		last = &a->line;
		table.blank = a->row ? 0 : table.nr - 2;
		table_row(&table, &view);
	}
	return table_end(&table);
}

static void end(const struct annotate_output *out)
{
	if (out->more)
		printf("#\n# %zu more functions (--limit)\n", out->more);
}

const struct annotate_printer annotate_text = {
	.begin = begin,
	.function = print_function,
	.end = end,
};
