// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache lines as text, JSON lines or CSV. */
#include "cli/message.h"
#include "print/csv.h"
#include "print/losses.h"
#include "print/name.h"
#include "print/table.h"
#include "read/exit_status.h"
#include "report/report.h"

#define LINES_IN_TEXT	  50
#define CODES_IN_TEXT	  8
#define PARTS_IN_TEXT	  32
#define THREADS_IN_TEXT	  8
#define VARIABLES_IN_TEXT 2
#define APART_IN_TEXT	  8
#define APART_SHARE	  20  /* of a line's samples, one in so many */
#define LAYOUT_SIZE	  256 /* no layout of longer lines */

/* An eighth of the line is a letter: read, written, both. */
static const char *put_eighths(char *room, const struct line_detail *detail)
{
	for (int i = 0; i < 8; i++)
		room[i] = ".RWB"[(detail->read >> i & 1) +
				 2 * (detail->written >> i & 1)];
	room[8] = '\0';
	return room;
}

/* The accesses of one thread at an offset. */
struct part_thread {
	const struct line_thread *thread;
	struct cpu_set cpus;
	struct line_sums sums;
	size_t end; /* of its uses */
};

/*
 * The thread whose uses start at @first; @end is the end of the uses of the
 * offset.
 */
static int part_thread(const struct cache_lines *all,
		       const struct line_detail *detail, size_t first,
		       size_t end, struct part_thread *thread)
{
	uint64_t agent = use_agent(all, detail->uses[first]);
	size_t i;

	*thread = (struct part_thread){
		.thread = &all->threads[detail->uses[first]->thread]};
	for (i = first; i < end; i++) {
		const struct line_use *use = detail->uses[i];

		if (use_agent(all, use) != agent)
			break;
		line_sums_add(&thread->sums, use);
		if (use->cpu != PMSCOPE_NO_ID &&
		    cpu_set_add(&thread->cpus, use->cpu)) {
			cpu_set_fini(&thread->cpus);
			return -ENOMEM;
		}
	}
	thread->end = i;
	return 0;
}

/* Share of the samples with an address, or of their latencies, 0 to 1. */
static double share(const struct cache_lines *all,
		    const struct cache_line *line)
{
	if (!all->config.by_latency)
		return (double)line->sums.samples / all->samples;
	return all->latency ? (double)line->sums.latency / all->latency : 0;
}

/* The NUMA node of a line's memory; -1 if unknown. */
static int node_of(const struct cache_lines *all, const struct cache_line *line)
{
	const struct pmscope_perfdata *perfdata =
		pmscope_recording_perfdata(all->load->recording);

	if (!perfdata || !line->physical)
		return -1;
	return pmscope_perfdata_node_of_memory(perfdata, line->address);
}

/* What is printed, and the tables: of lines, of offsets, of threads there. */
struct lines_print {
	struct cache_lines *all;
	struct line_detail detail;
	struct table lines;
	struct table parts;
	struct table threads;
	int ret;
};

/* A row of one of them. */
struct lines_row {
	struct lines_print *print;
	const struct line_sums *sums;
	const struct cache_line *line;
	const struct line_part *part;
	const struct part_thread *thread;
};

enum {
	ADDRESS,
	PHYSICAL,
	PROCESS,
	VERDICT,
	LINE_THREADS,
	SHARE,
	NODE,
	NODES,
	READERS,
	WRITERS,
	EIGHTHS,
	LINE_CODE,
	VARIABLES,
	OFFSETS,
	OFFSET,
	VARIABLE,
	MEMBER,
	LAYOUT,
	THREADS,
	PART_CODE,
	PID,
	TID,
	COMM,
	CPUS,
	MEAN,
	SUMS /* and above: where a number is among the sums */
};

static struct cell cell_cpus(const struct cpu_set *cpus)
{
	return (struct cell){.type = CELL_CPUS, .cpus = cpus};
}

static struct cell cell_id(uint32_t id)
{
	return (struct cell){.type = CELL_SIGNED,
			     .number = id == PMSCOPE_NO_ID ? UINT64_MAX : id};
}

/* Of a line, as its uses tell. */
static struct cell detail_get(const struct line_detail *detail, size_t column,
			      char *room)
{
	switch (column) {
	case NODES:
		return cell_cpus(cpu_set_is_empty(&detail->nodes)
					 ? NULL
					 : &detail->nodes);
	case READERS:
		return cell_cpus(&detail->readers);
	case WRITERS:
		return cell_cpus(&detail->writers);
	default:
		return cell_text(put_eighths(room, detail));
	}
}

static struct cell line_get(const struct lines_row *r, size_t column,
			    char *room)
{
	const struct cache_lines *all = r->print->all;
	const struct cache_line *line = r->line;
	int node;

	switch (column) {
	case ADDRESS:
		return cell_hex(line->address);
	case PHYSICAL:
		return cell_bool(line->physical);
	case PROCESS:
		return cell_if(line->pid != PMSCOPE_NO_ID,
			       cell_unsigned(line->pid));
	case VERDICT:
		return cell_text(line_verdict_name(line));
	case LINE_THREADS:
		return cell_unsigned(line->threads);
	case SHARE:
		return cell_real(share(all, line));
	case NODE:
		node = node_of(all, line);
		return cell_if(node >= 0, cell_unsigned(node));
	default:
		return detail_get(&r->print->detail, column, room);
	}
}

static struct cell get(const void *row, size_t column, char *room)
{
	const struct lines_row *r = row;
	const struct line_sums *sums = r->sums;

	switch (column) {
	case OFFSET:
		return cell_unsigned(r->part->offset);
	case VARIABLE:
		return cell_text(
			r->print->detail.uses[r->part->first]->variable);
	case MEMBER:
		return cell_text(use_member(
			r->print->all, r->print->detail.uses[r->part->first]));
	case PID:
		return cell_id(r->thread->thread->pid);
	case TID:
		return cell_id(r->thread->thread->tid);
	case COMM:
		return cell_text(r->thread->thread->comm);
	case CPUS:
		return cell_cpus(&r->thread->cpus);
	case MEAN:
		return cell_if(
			sums->timed,
			cell_real(mean_latency(sums->latency, sums->timed)));
	default:
		if (column < SUMS)
			return line_get(r, column, room);
		return cell_unsigned(((const uint64_t *)sums)[column - SUMS]);
	}
}

/* In text, those from @first on are merged. */
static void put_more_codes(FILE *out, const struct line_codes *codes,
			   size_t first)
{
	uint64_t loads = 0, stores = 0;

	for (size_t i = first; i < codes->nr; i++) {
		loads += codes->code[i].loads;
		stores += codes->code[i].stores;
	}
	fprintf(out, ", %zu more %" PRIu64 "/%" PRIu64, codes->nr - first,
		loads, stores);
}

static void put_codes(FILE *out, const struct line_codes *codes)
{
	char text[VIEW_LINE_MAX];

	for (size_t i = 0; i < codes->nr && i < CODES_IN_TEXT; i++) {
		const struct line_code *code = &codes->code[i];

		fprintf(out, "%s%s", i ? ", " : "", code->name);
		if (code->line.file) {
			view_line_text(&code->line, text);
			fprintf(out, " %s", text);
		}
		fprintf(out, " %" PRIu64 "/%" PRIu64, code->loads,
			code->stores);
	}
	if (codes->nr > CODES_IN_TEXT)
		put_more_codes(out, codes, CODES_IN_TEXT);
}

static void codes_json(struct json *json, const struct line_codes *codes)
{
	char text[VIEW_LINE_MAX];

	json_begin_array(json, "code");
	for (size_t i = 0; i < codes->nr; i++) {
		const struct line_code *code = &codes->code[i];

		json_begin_object(json, NULL);
		json_text(json, "sym", code->name);
		if (code->line.file) {
			view_line_text(&code->line, text);
			json_text(json, "line", text);
		}
		json_unsigned(json, "loads", code->loads);
		json_unsigned(json, "stores", code->stores);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_variables(FILE *out, const char *const *names, size_t nr)
{
	char text[64] = "-";
	int n = 0;

	for (size_t i = 0; i < nr && i < VARIABLES_IN_TEXT; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%.24s",
			      i ? "," : "", names[i]);
	if (nr > VARIABLES_IN_TEXT)
		snprintf(text + n, sizeof(text) - n, ",+%zu",
			 nr - VARIABLES_IN_TEXT);
	fprintf(out, "%s ", text);
}

static void thread_json(void *context, const struct lines_row *row, size_t)
{
	struct json *json = context;

	json_begin_object(json, NULL);
	table_members(&row->print->threads, json, row);
	json_end_object(json);
}

static void put_tid(FILE *out, const struct lines_row *row)
{
	uint32_t tid = row->thread->thread->tid;

	if (tid == PMSCOPE_NO_ID)
		fputc('?', out);
	else
		fprintf(out, "%" PRIu32, tid);
}

static void thread_csv(void *context, const struct lines_row *row, size_t nr)
{
	fputc(nr ? '+' : '@', context);
	put_tid(context, row);
}

static void thread_text(void *context, const struct lines_row *row, size_t nr)
{
	FILE *out = context;

	if (nr > THREADS_IN_TEXT)
		return;
	fputs(nr ? ", " : "", out);
	if (nr == THREADS_IN_TEXT) {
		fputs("...", out);
		return;
	}
	put_tid(out, row);
	fputs(" (", out);
	cpu_set_put(out, &row->thread->cpus);
	fputc(')', out);
}

/* Each thread at an offset, in the order of their numbers. */
static void each_thread(const struct lines_row *part,
			void (*put)(void *context, const struct lines_row *row,
				    size_t nr),
			void *context)
{
	struct lines_print *print = part->print;
	size_t end = part->part->first + part->part->nr, nr = 0;
	struct part_thread thread;

	for (size_t i = part->part->first; i < end && !print->ret;
	     i = thread.end) {
		const struct lines_row row = {.print = print,
					      .sums = &thread.sums,
					      .thread = &thread};

		print->ret = part_thread(print->all, &print->detail, i, end,
					 &thread);
		if (print->ret)
			return;
		put(context, &row, nr++);
		cpu_set_fini(&thread.cpus);
	}
}

static struct lines_row row_of_part(const struct lines_row *line, size_t i)
{
	struct lines_row row = *line;

	row.part = &row.print->detail.parts[i];
	row.sums = &row.part->sums;
	return row;
}

static void put_process(FILE *out, const struct cache_line *line)
{
	if (line->physical)
		fputs("physical", out);
	else if (line->address >> 63)
		fputs("kernel", out);
	else if (line->pid == PMSCOPE_NO_ID)
		fputc('?', out);
	else
		fprintf(out, "%" PRIu32, line->pid);
}

/* NUMA nodes of the memory and of the CPUs. */
static void put_nodes(FILE *out, const struct lines_row *r)
{
	int node = node_of(r->print->all, r->line);

	if (node < 0)
		fprintf(out, "%4s / ", "-");
	else
		fprintf(out, "%4d / ", node);
	cpu_set_put(out, &r->print->detail.nodes);
}

static void put_text(FILE *out, const void *row, size_t column)
{
	const struct lines_row *r = row;
	const struct line_detail *detail = &r->print->detail;
	const char *name;

	switch (column) {
	case PROCESS:
		return put_process(out, r->line);
	case NODE:
		return put_nodes(out, r);
	case READERS:
		cpu_set_put(out, &detail->readers);
		fputs(" / ", out);
		cpu_set_put(out, &detail->writers);
		fputc(' ', out);
		return;
	case VARIABLES:
		return put_variables(out, detail->variables,
				     detail->nr_variables);
	case MEMBER:
		name = get(r, column, NULL).text;
		fprintf(out, "%s ", name ?: "-");
		return;
	case OFFSET:
		fprintf(out, "0x%" PRIx32, r->part->offset);
		return;
	case THREADS:
		each_thread(r, thread_text, out);
		fputc(' ', out);
		return;
	default:
		put_codes(out, column == LINE_CODE ? &detail->codes
						   : &detail->part_codes);
	}
}

static void put_csv(FILE *out, const void *row, size_t column)
{
	const struct line_detail *detail =
		&((const struct lines_row *)row)->print->detail;

	if (column != OFFSETS)
		fputc('"', out);
	for (size_t i = 0; column == LINE_CODE && i < detail->codes.nr; i++)
		csv_put_listed(out, detail->codes.code[i].name, !i);
	for (size_t i = 0; column == VARIABLES && i < detail->nr_variables; i++)
		csv_put_listed(out, detail->variables[i], !i);
	if (column != OFFSETS)
		fputc('"', out);
	for (size_t i = 0; column == OFFSETS && i < detail->nr_parts; i++) {
		const struct lines_row part = row_of_part(row, i);

		fprintf(out, "%s%" PRIu32 "=%" PRIu64 "/%" PRIu64, i ? "|" : "",
			part.part->offset, part.sums->loads, part.sums->stores);
		each_thread(&part, thread_csv, out);
	}
}

static void put_offsets(struct json *json, const struct lines_row *line)
{
	struct lines_print *print = line->print;

	for (size_t i = 0; i < print->detail.nr_parts && !print->ret; i++) {
		const struct lines_row part = row_of_part(line, i);

		print->ret = line_detail_codes(print->all, &print->detail,
					       part.part);
		json_begin_object(json, NULL);
		table_members(&print->parts, json, &part);
		json_end_object(json);
	}
}

static bool has_layout(const struct lines_row *row)
{
	return line_is_shared(row->line) &&
	       row->print->all->config.size <= LAYOUT_SIZE;
}

static void layout_json(struct json *json, const void *row, size_t column)
{
	const struct lines_row *r = row;
	struct line_member members[LAYOUT_SIZE];
	size_t nr;

	(void)column;
	if (!has_layout(r))
		return;
	nr = line_members(r->print->all, &r->print->detail, members);
	if (!nr)
		return;
	json_begin_array(json, "layout");
	for (size_t i = 0; i < nr; i++) {
		json_begin_object(json, NULL);
		json_unsigned(json, "offset", members[i].offset);
		json_unsigned(json, "size", members[i].size);
		json_text(json, "member", members[i].path);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_json(struct json *json, const void *row, size_t column)
{
	static const char *const keys[] = {[VARIABLES] = "variables",
					   [OFFSETS] = "offsets",
					   [THREADS] = "threads"};
	const struct line_detail *detail =
		&((const struct lines_row *)row)->print->detail;

	if (column == LINE_CODE || column == PART_CODE)
		return codes_json(json, column == LINE_CODE
						? &detail->codes
						: &detail->part_codes);
	json_begin_array(json, keys[column]);
	for (size_t i = 0; column == VARIABLES && i < detail->nr_variables; i++)
		json_text(json, NULL, detail->variables[i]);
	if (column == OFFSETS)
		put_offsets(json, row);
	else if (column == THREADS)
		each_thread(row, thread_json, json);
	json_end_array(json);
}

#define GET(key, column) .name = key, .arg = column, .get = get
#define SUM(key, member) \
	GET(key, SUMS + offsetof(struct line_sums, member) / sizeof(uint64_t))
#define PUT(key, column)                                                      \
	.name = key, .arg = column, .put_text = put_text, .put_csv = put_csv, \
	.put_json = put_json

/* As text, by @at; as CSV, what was added later comes last. */
static const struct table_column line_first[] = {
	{GET("address", ADDRESS), .at = 4,
	 .text = {"Line", 19, 14, .left = true}},
	{GET("physical", PHYSICAL)},
	{GET("pid", PROCESS), .at = 5, .text = {"Process", 9, .drop = 4},
	 .put_text = put_text},
	{GET("verdict", VERDICT), .csv_at = 2, .at = 10,
	 .text = {" Verdict", 15, .left = true}},
	{GET("threads", LINE_THREADS), .csv_at = 2, .at = 7,
	 .text = {"Threads", 7, .drop = 6}},
	{SUM("samples", samples), .at = 1,
	 .text = {.title = "# Samples", .width = 9}},
};

static const struct table_column of_sums[] = {
	{SUM("loads", loads), .at = 2, .text = {"Loads", 8, .drop = 11}},
	{SUM("stores", stores), .at = 2, .text = {"Stores", 8, .drop = 10}},
	{SUM("atomics", atomics), .csv_at = 3},
	{SUM("peer", peers), .at = 2, .text = {"Peer", 8, .drop = 9}},
	{SUM("remote_memory", far), .csv_at = 5, .at = 8,
	 .text = {"Remote", 7, .drop = 2}},
	{SUM("timed", timed), .at = 2, .text = {"Timed", 8, .drop = 3}},
	{GET("mean", MEAN), .decimals = 3, .digits = 1, .at = 2,
	 .text = {"Mean cyc", 8, .drop = 7}},
};

static const struct table_column line_last[] = {
	{SUM("latency", latency), .csv_at = 4},
	{GET("share", SHARE), .csv_at = 5, .decimals = 6,
	 .text = {"# Share", 7, .is_share = true}, .scale = 100, .digits = 2,
	 .unit = "%"},
	{GET("node", NODE), .csv_at = 5, .at = 9,
	 .text = {"Node / CPUs'", 12, 0, 1, true, .is_ragged = true},
	 .put_text = put_text},
	{GET("cpu_nodes", NODES), .csv_at = 5},
	{GET("readers", READERS), .csv_at = 1, .at = 6,
	 .text = {" Readers / writers (CPUs)", 25, 12, 8, true,
		  .is_ragged = true},
	 .put_text = put_text},
	{GET("writers", WRITERS), .csv_at = 1},
	{GET("parts", EIGHTHS), .csv_at = 1, .at = 3,
	 .text = {" Parts", 10, .drop = 5, .left = true}},
	{PUT("code", LINE_CODE), .csv_at = 1, .at = 12,
	 .text = {"Code loads/stores", 24, 18, .left = true}},
	{PUT("variables", VARIABLES), .csv_at = 5, .at = 11,
	 .text = {"Variable", 17, 8, 12, .left = true}},
	{PUT("offsets", OFFSETS), .csv_at = 5},
	{.name = "layout",
	 .arg = LAYOUT,
	 .no_csv = true,
	 .put_json = layout_json},
};

static const struct table_column part_first[] = {
	{GET("offset", OFFSET), .text = {.title = "# Offset ", .width = 9},
	 .put_text = put_text},
	{GET("variable", VARIABLE)},
	{GET("member", MEMBER), .at = 11,
	 .text = {" Member", 18, 8, 5, .left = true}, .put_text = put_text},
};

static const struct table_column part_last[] = {
	{PUT("threads", THREADS), .at = 11,
	 .text = {"Threads (CPUs) ", 15, 10, .left = true, .is_ragged = true}},
	{PUT("code", PART_CODE), .at = 12,
	 .text = {"Code loads/stores", 24, 18, .left = true}},
};

static const struct table_column of_thread[] = {
	{GET("pid", PID)},
	{GET("tid", TID)},
	{GET("comm", COMM)},
	{GET("cpus", CPUS)},
};

#define ADD(table, columns) table_add(table, columns, ARRAY_SIZE(columns))

static void tables_make(struct lines_print *print, int format)
{
	struct table *lines = &print->lines, *parts = &print->parts;

	lines->format = parts->format = format;
	lines->type = "line";
	ADD(lines, line_first);
	ADD(lines, of_sums);
	ADD(lines, line_last);
	if (print->all->config.by_latency)
		*table_text(lines, "samples") =
			(struct column){"Samples", 9, .drop = 13};
	else
		table_text(lines, "share")->title = NULL;
	ADD(parts, part_first);
	ADD(parts, of_sums);
	ADD(parts, part_last);
	table_text(parts, "remote_memory")->title = NULL;
	ADD(&print->threads, of_thread);
	ADD(&print->threads, of_sums);
}

static COMPARISON(compare_busy, struct line_part,
		  COMPARE(y->sums.samples, x->sums.samples)
			  ?: COMPARE(x->offset, y->offset));

static COMPARISON(compare_offsets, struct line_part,
		  COMPARE(x->offset, y->offset));

/* Puts the busiest offsets first, in ascending order, if there are too many. */
static size_t choose_parts(struct line_detail *detail)
{
	size_t size = sizeof(*detail->parts);

	if (detail->nr_parts <= PARTS_IN_TEXT)
		return detail->nr_parts;
	qsort(detail->parts, detail->nr_parts, size, compare_busy);
	qsort(detail->parts, PARTS_IN_TEXT, size, compare_offsets);
	return PARTS_IN_TEXT;
}

/* What the line is made of, used or not. */
static void print_layout(const struct lines_row *row)
{
	struct line_member members[LAYOUT_SIZE];
	size_t nr = has_layout(row) ? line_members(row->print->all,
						   &row->print->detail, members)
				    : 0;

	for (size_t i = 0; i < nr; i++) {
		printf("%s 0x%" PRIx32 " ",
		       i ? "," : "# Layout:", members[i].offset);
		name_put(stdout, members[i].path, 0);
	}
	fputs(nr ? "\n" : "", stdout);
}

static bool is_hot(const struct lines_row *row)
{
	return row->sums->samples * APART_SHARE >= row->line->sums.samples &&
	       row->print->detail.uses[row->part->first]->variable;
}

/* Members that different threads use, of which some write, share the line. */
static void print_apart(const struct lines_row *line)
{
	const struct line_detail *detail = &line->print->detail;
	size_t nr = 0;

	for (size_t i = 0; i < detail->nr_parts && nr < APART_IN_TEXT; i++) {
		const struct lines_row row = row_of_part(line, i);
		const struct line_use *use = detail->uses[row.part->first];

		if (!is_hot(&row))
			continue;
		printf("%s 0x%" PRIx32 " ",
		       nr++ ? "," : "# Move apart:", row.part->offset);
		name_put(stdout, use_member(line->print->all, use), 0);
		printf(" (thread %" PRId32 " %s)",
		       (int32_t)line->print->all->threads[use->thread].tid,
		       row.sums->stores || row.sums->atomics ? "stores"
							     : "loads");
	}
	fputs(nr ? "\n" : "", stdout);
}

/* The offsets of a line that is shared. */
static int print_parts(struct lines_print *print, const struct cache_line *line)
{
	struct lines_row row = {.print = print, .line = line};
	struct line_detail *detail = &print->detail;
	size_t nr;

	if (line_detail_fill(print->all, line, detail))
		return -ENOMEM;
	printf("# 0x%" PRIx64 ": %s\n", line->address, line_verdict_name(line));
	nr = choose_parts(detail);
	for (size_t i = 0; i < nr && !print->ret; i++) {
		row = row_of_part(&row, i);
		print->ret = line_detail_codes(print->all, detail, row.part);
		table_row(&print->parts, &row);
	}
	if (nr < detail->nr_parts)
		printf("# %zu more offsets\n", detail->nr_parts - nr);
	print_layout(&row);
	if (line->verdict == LINE_FALSE_SHARING)
		print_apart(&row);
	return print->ret;
}

/* The second table of text: of each line that is shared. */
static int print_shared(struct lines_print *print, size_t nr)
{
	const struct cache_line *lines = print->all->lines;
	size_t first = 0;
	int ret = 0;

	while (first < nr && !line_is_shared(&lines[first]))
		first++;
	if (first == nr)
		return 0;
	puts("#\n# Lines shared by threads, by offset in the line");
	table_begin(&print->parts, true);
	for (size_t i = first; i < nr && !ret; i++)
		if (line_is_shared(&lines[i]))
			ret = print_parts(print, &lines[i]);
	return table_end(&print->parts) ?: ret;
}

static int print_lines(struct lines_print *print, size_t nr)
{
	struct cache_lines *all = print->all;

	table_begin(&print->lines, true);
	for (size_t i = 0; i < nr && !print->ret; i++) {
		const struct lines_row row = {.print = print,
					      .sums = &all->lines[i].sums,
					      .line = &all->lines[i]};

		print->ret = line_detail_fill(all, row.line, &print->detail);
		if (!print->ret)
			table_row(&print->lines, &row);
	}
	return table_end(&print->lines) ?: print->ret;
}

static int print_text(struct lines_print *print, size_t nr)
{
	const struct cache_lines *all = print->all;
	int ret;

	printf("# ");
	name_put(stdout, all->load->name, 0);
	printf(": %" PRIu64 " samples with a data address in %zu lines of "
	       "%u bytes, %" PRIu64 " samples without\n",
	       all->samples, all->nr, all->config.size, all->others);
	losses_print(all->load, stdout, "# ");
	puts("# Peer: loads served by another core's cache; "
	     "Remote: by memory of another node\n"
	     "# Mean: average total latency of the Timed samples\n"
	     "# Parts: eighths of the line, Read, Written, Both\n#");
	ret = print_lines(print, nr);
	if (nr < all->nr)
		printf("# %zu more lines (--limit)\n", all->nr - nr);
	return ret ? ret : print_shared(print, nr);
}

static void print_summary(const struct cache_lines *all)
{
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_text(&json, "type", "summary");
	json_text(&json, "file", all->load->name);
	json_unsigned(&json, "samples", all->samples);
	json_unsigned(&json, "without_address", all->others);
	json_unsigned(&json, "lines", all->nr);
	json_unsigned(&json, "line_size", all->config.size);
	losses_json(&json, all->load);
	json_end_line(&json);
}

static int lines_print(struct cache_lines *all, int format, size_t nr)
{
	struct lines_print print = {.all = all};
	int ret;

	if (all->left_out)
		warning("%s: %" PRIu64 " samples are in no line: there are "
			"more than %u different uses of lines; --filter "
			"selects fewer",
			all->load->name, all->left_out, LINES_USES);
	pager_begin();
	tables_make(&print, format);
	if (format == PRINT_CSV)
		losses_print(all->load, stderr, "pmscope: ");
	else if (format == PRINT_JSONL)
		print_summary(all);
	ret = format == PRINT_TEXT ? print_text(&print, nr)
				   : print_lines(&print, nr);
	line_detail_fini(&print.detail);
	return ret;
}

static int add_run(void *worker, const struct pmscope_run *run, struct output *)
{
	return cache_lines_add_run(worker, run);
}

static int lines_run(struct cache_lines *all, int format, unsigned int limit)
{
	void *worker = all;
	const struct work work = {
		.threads = 1,
		.take = add_run,
		.workers = &worker,
	};
	int ret = load_runs(all->load, &work) ?: cache_lines_finish(all);

	/* With millions of lines most have a single sample: limit them. */
	if (!limit && format == PRINT_TEXT)
		limit = LINES_IN_TEXT;
	if (!ret && !is_unreadable(all->load))
		ret = lines_print(all, format,
				  limit && limit < all->nr ? limit : all->nr);
	if (failed(ret, all->load->name))
		return 1;
	return output_written() ? 1 : exit_status(all->load);
}

int report_lines(struct load *load, const struct lines_config *config,
		 int format, unsigned int limit)
{
	CLEANUP(cache_lines_fini) struct cache_lines all;
	int status = 1;

	if (cache_lines_begin(&all, load, config))
		error("out of memory");
	else
		status = lines_run(&all, format, limit);
	return status;
}
