// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotated code for people; free to change. */
#include "annotate/annotate.h"
#include "print/columns.h"
#include "print/losses.h"
#include "print/name.h"

#include <pmscope/events.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

#define NR_EVENTS   (sizeof(events) / sizeof(events[0]))
#define COLUMNS_MAX (11 + NR_EVENTS)
#define SOURCE_TEXT 160

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

static void begin(const struct annotate_output *out)
{
	const struct row_table *table = out->table;

	printf("# ");
	name_put(stdout, out->load->name, 0);
	printf(": %" PRIu64 " SPE samples\n", table->samples);
	losses_print(out->load, stdout, "# ");
	if (table->by_latency)
		printf("# Shares are of the cycles of all total latencies\n");
	if (out->nr_functions)
		printf("# Latencies are in cycles; events are shares of the "
		       "samples of an instruction\n");
}

/* The table of one function: it has columns for what its samples have. */
struct table {
	struct columns columns;
	struct column column[COLUMNS_MAX];
	bool has_event[NR_EVENTS];
	bool has_issue;
	bool has_xlat;
	bool has_source;
};

static void look_at_row(struct table *table, const struct annotated *a)
{
	for (size_t i = 0; i < NR_EVENTS; i++)
		table->has_event[i] |= a->parts.events[events[i].bit] > 0;
	table->has_source |= a->parts.nr_sources > 0;
	table->has_issue |= a->row->issue.count > 0;
	table->has_xlat |= a->row->translate.count > 0;
}

static void add(struct table *table, const struct column *column)
{
	table->column[table->columns.nr++] = *column;
}

static void add_latencies(struct table *table)
{
	static const struct column totals[] = {
		{.title = "# Share", .width = 7, .is_share = true},
		{.title = "Samples", .width = 8, .drop = 19},
		{.title = "Mean cyc", .width = 8, .drop = 20},
		{.title = "p50", .width = 5, .drop = 4},
		{.title = "p90", .width = 5, .drop = 18},
		{.title = "p99", .width = 5, .drop = 3},
	};
	static const struct column issue = {
		.title = "Issue", .width = 7, .drop = 2};
	static const struct column xlat = {
		.title = "Xlat", .width = 7, .drop = 1};

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		add(table, &totals[i]);
	if (table->has_issue)
		add(table, &issue);
	if (table->has_xlat)
		add(table, &xlat);
}

static void table_begin(struct table *table, const struct annotated_function *f)
{
	static const struct column source = {
		.title = "Data source", .width = 15, .drop = 5, .left = true};
	static const struct column last[] = {
		{.title = "Offset", .width = 7},
		{.title = "Instruction",
		 .width = 40,
		 .least = 16,
		 .left = true},
	};

	*table = (struct table){};
	for (size_t i = 0; i < f->nr; i++)
		if (f->insns[i].row)
			look_at_row(table, &f->insns[i]);
	add_latencies(table);
	for (size_t i = 0; i < NR_EVENTS; i++) {
		const struct column column = {
			.title = events[i].title, .width = 7, .drop = 17 - i};

		if (table->has_event[i])
			add(table, &column);
	}
	if (table->has_source)
		add(table, &source);
	add(table, &last[0]);
	add(table, &last[1]);
	columns_begin(&table->columns, table->column, table->columns.nr);
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

static void put_mean(const struct columns *columns, const struct histogram *h)
{
	if (h->count)
		cell_put(columns, "%.1f", histogram_mean(h));
	else
		cell_put(columns, "-");
}

static void put_latencies(const struct table *table, const struct row *row)
{
	const struct columns *columns = &table->columns;
	const struct histogram *h = &row->total;
	static const int percents[] = {50, 90, 99};

	put_mean(columns, h);
	for (int i = 0; i < 3; i++)
		if (h->count)
			cell_put(columns, "%u",
				 histogram_percentile(h, percents[i]));
		else
			cell_put(columns, "-");
	if (table->has_issue)
		put_mean(columns, &row->issue);
	if (table->has_xlat)
		put_mean(columns, &row->translate);
}

/* The most frequent source, and its share of the samples with one. */
static void put_source(const struct columns *columns,
		       const struct row_parts *parts)
{
	const struct row_source *s = parts->sources;
	char code[16];

	if (!parts->nr_sources) {
		cell_put(columns, "-");
		return;
	}
	snprintf(code, sizeof(code), "code %u", s->code);
	cell_put(columns, "%.0f%% %s", percent(s->samples, parts->sourced),
		 s->name ? s->name : code);
}

static void put_measures(const struct annotate_output *out,
			 const struct table *table, const struct annotated *a)
{
	const struct columns *columns = &table->columns;

	cell_put(columns, "%.2f%%", 100 * row_share(out->table, a->row));
	cell_put(columns, "%" PRIu64, a->row->samples);
	put_latencies(table, a->row);
	for (size_t i = 0; i < NR_EVENTS; i++)
		if (table->has_event[i])
			cell_put(columns, "%.1f%%",
				 percent(a->parts.events[events[i].bit],
					 a->row->samples));
	if (table->has_source)
		put_source(columns, &a->parts);
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

static void put_insn(const struct columns *columns,
		     const struct annotated_function *f,
		     const struct annotated *a)
{
	if (a->offset == UINT64_MAX)
		cell_put(columns, "?");
	else
		cell_put(columns, "+0x%" PRIx64, a->offset);
	if (a->insn && a->insn->text)
		fputs(a->insn->text, columns->cells);
	else if (a->insn)
		fprintf(columns->cells, "0x%08" PRIx32, a->insn->word);
	else
		fputc('-', columns->cells);
	if (a->insn)
		put_target(columns->cells, f, a);
	cell_put(columns, "%s", "");
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

	if (length > SOURCE_TEXT)
		length = SOURCE_TEXT;
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

static void put_annotated(const struct annotate_output *out,
			  struct table *table,
			  const struct annotated_function *f,
			  const struct annotated *a)
{
	if (a->row)
		put_measures(out, table, a);
	else
		for (size_t i = 2; i < table->columns.nr; i++)
			cell_put(&table->columns, "%s", "");
	put_insn(&table->columns, f, a);
	columns_row(&table->columns);
}

static int print_function(const struct annotate_output *out,
			  const struct annotated_function *f)
{
	static const struct pmscope_line no_line;
	const struct pmscope_line *last = &no_line;
	struct table table;

	put_title(out, f);
	if (f->function->placed)
		put_missing(out, f);
	table_begin(&table, f);
	columns_titles(&table.columns);
	for (size_t i = 0; i < f->nr && !table.columns.failed; i++) {
		const struct annotated *a = &f->insns[i];

		if (!is_same_line(&a->line, last))
			put_line(out, &a->line);
		last = &a->line;
		put_annotated(out, &table, f, a);
	}
	return columns_end(&table.columns);
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
