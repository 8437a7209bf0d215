// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache lines as text, JSON lines or CSV. */
#include "print/table.h"
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

/* The thread whose uses start at @first; @end: of the offset's uses. */
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

/* The use of a line that begins the row's offset. */
static const struct line_use *first_use(const struct lines_row *row)
{
	return row->print->detail.uses[row->part->first];
}

static struct cell cell_cpus(const struct cpu_set *cpus)
{
	return (struct cell){.type = CELL_CPUS, .cpus = cpus};
}

static struct cell cell_id(uint32_t id)
{
	return (struct cell){.type = CELL_SIGNED,
			     .number = id == PMSCOPE_NO_ID ? UINT64_MAX : id};
}

static struct cell cell_node(int node)
{
	return cell_if(node >= 0, cell_unsigned(node));
}

#define VALUE(name, value) static CELL_OF(get_##name, struct lines_row, value)

VALUE(address, cell_hex(v->line->address));
VALUE(physical, cell_bool(v->line->physical));
VALUE(process,
      cell_if(v->line->pid != PMSCOPE_NO_ID, cell_unsigned(v->line->pid)));
VALUE(verdict, cell_text(line_verdict_name(v->line)));
VALUE(line_threads, cell_unsigned(v->line->threads));
VALUE(share, cell_real(share(v->print->all, v->line)));
VALUE(node, cell_node(node_of(v->print->all, v->line)));
VALUE(nodes, cell_cpus(cpu_set_is_empty(&v->print->detail.nodes)
			       ? NULL
			       : &v->print->detail.nodes));
VALUE(readers, cell_cpus(&v->print->detail.readers));
VALUE(writers, cell_cpus(&v->print->detail.writers));
VALUE(eighths, cell_text(put_eighths(room, &v->print->detail)));
VALUE(offset, cell_unsigned(v->part->offset));
VALUE(variable, cell_text(first_use(v)->variable));
VALUE(member, cell_text(use_member(v->print->all, first_use(v))));
VALUE(pid, cell_id(v->thread->thread->pid));
VALUE(tid, cell_id(v->thread->thread->tid));
VALUE(comm, cell_text(v->thread->thread->comm));
VALUE(cpus, cell_cpus(&v->thread->cpus));
VALUE(mean, cell_if(v->sums->timed,
		    cell_real(mean_latency(v->sums->latency, v->sums->timed))));
VALUE(sum, table_number(v->sums, arg, room));

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

/* @arg is where the codes of the line, or of its offset, are in the detail. */
static const struct line_codes *codes_of(const void *row, size_t arg)
{
	const struct lines_row *r = row;

	return (const void *)((const char *)&r->print->detail + arg);
}

static void code_text(FILE *out, const void *row, size_t arg)
{
	const struct line_codes *codes = codes_of(row, arg);
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

static void code_csv(FILE *out, const void *row, size_t arg)
{
	const struct line_codes *codes = codes_of(row, arg);

	fputc('"', out);
	for (size_t i = 0; i < codes->nr; i++)
		csv_put_listed(out, codes->code[i].name, !i);
	fputc('"', out);
}

static void code_json(struct json *json, const void *row, size_t arg)
{
	const struct line_codes *codes = codes_of(row, arg);
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

static void variables_text(FILE *out, const void *row, size_t)
{
	const struct lines_row *r = row;
	const struct line_detail *detail = &r->print->detail;
	size_t nr = detail->nr_variables;
	char text[64] = "-";
	int n = 0;

	for (size_t i = 0; i < nr && i < VARIABLES_IN_TEXT; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%.24s",
			      i ? "," : "", detail->variables[i]);
	if (nr > VARIABLES_IN_TEXT)
		snprintf(text + n, sizeof(text) - n, ",+%zu",
			 nr - VARIABLES_IN_TEXT);
	fprintf(out, "%s ", text);
}

static void variables_csv(FILE *out, const void *row, size_t)
{
	const struct lines_row *r = row;
	const struct line_detail *detail = &r->print->detail;

	fputc('"', out);
	for (size_t i = 0; i < detail->nr_variables; i++)
		csv_put_listed(out, detail->variables[i], !i);
	fputc('"', out);
}

static void variables_json(struct json *json, const void *row, size_t)
{
	const struct lines_row *r = row;
	const struct line_detail *detail = &r->print->detail;

	json_begin_array(json, "variables");
	for (size_t i = 0; i < detail->nr_variables; i++)
		json_text(json, NULL, detail->variables[i]);
	json_end_array(json);
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

static void threads_text(FILE *out, const void *row, size_t)
{
	each_thread(row, thread_text, out);
	fputc(' ', out);
}

static void threads_json(struct json *json, const void *row, size_t)
{
	json_begin_array(json, "threads");
	each_thread(row, thread_json, json);
	json_end_array(json);
}

static void process_text(FILE *out, const void *row, size_t)
{
	const struct cache_line *line = ((const struct lines_row *)row)->line;

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
static void nodes_text(FILE *out, const void *row, size_t)
{
	const struct lines_row *r = row;
	int node = node_of(r->print->all, r->line);

	if (node < 0)
		fprintf(out, "%4s / ", "-");
	else
		fprintf(out, "%4d / ", node);
	cpu_set_put(out, &r->print->detail.nodes);
}

static void cpus_text(FILE *out, const void *row, size_t)
{
	const struct lines_row *r = row;

	cpu_set_put(out, &r->print->detail.readers);
	fputs(" / ", out);
	cpu_set_put(out, &r->print->detail.writers);
	fputc(' ', out);
}

static void member_text(FILE *out, const void *row, size_t)
{
	fprintf(out, "%s ", get_member(row, 0, NULL).text ?: "-");
}

static void offset_text(FILE *out, const void *row, size_t)
{
	const struct lines_row *r = row;

	fprintf(out, "0x%" PRIx32, r->part->offset);
}

static void offsets_csv(FILE *out, const void *row, size_t)
{
	const struct lines_row *r = row;

	for (size_t i = 0; i < r->print->detail.nr_parts; i++) {
		const struct lines_row part = row_of_part(row, i);

		fprintf(out, "%s%" PRIu32 "=%" PRIu64 "/%" PRIu64, i ? "|" : "",
			part.part->offset, part.sums->loads, part.sums->stores);
		each_thread(&part, thread_csv, out);
	}
}

static void offsets_json(struct json *json, const void *row, size_t)
{
	struct lines_print *print = ((const struct lines_row *)row)->print;

	json_begin_array(json, "offsets");
	for (size_t i = 0; i < print->detail.nr_parts && !print->ret; i++) {
		const struct lines_row part = row_of_part(row, i);

		print->ret = line_detail_codes(print->all, &print->detail,
					       part.part);
		json_begin_object(json, NULL);
		table_members(&print->parts, json, &part);
		json_end_object(json);
	}
	json_end_array(json);
}

static bool has_layout(const struct lines_row *row)
{
	return line_is_shared(row->line) &&
	       row->print->all->config.size <= LAYOUT_SIZE;
}

static void layout_json(struct json *json, const void *row, size_t)
{
	const struct lines_row *r = row;
	struct line_member members[LAYOUT_SIZE];
	size_t nr;

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

#define GET(key, value) .name = key, .get = get_##value
#define SUM(key, member) \
	GET(key, sum), .arg = offsetof(struct line_sums, member)
#define CODE(member)                                                 \
	.name = "code", .arg = offsetof(struct line_detail, member), \
	.put_text = code_text, .put_csv = code_csv, .put_json = code_json

/* As text, by @at; as CSV, what was added later comes last. */
static const struct table_column line_first[] = {
	{GET("address", address), .at = 4,
	 .text = {"Line", 19, 14, .left = true}},
	{GET("physical", physical)},
	{GET("pid", process), .at = 5, .text = {"Process", 9, .drop = 4},
	 .put_text = process_text},
	{GET("verdict", verdict), .csv_at = 2, .at = 10,
	 .text = {" Verdict", 15, .left = true}},
	{GET("threads", line_threads), .csv_at = 2, .at = 7,
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
	{GET("mean", mean), .decimals = 3, .digits = 1, .at = 2,
	 .text = {"Mean cyc", 8, .drop = 7}},
};

static const struct table_column line_last[] = {
	{SUM("latency", latency), .csv_at = 4},
	{GET("share", share), .csv_at = 5, .decimals = 6,
	 .text = {"# Share", 7, .is_share = true}, .scale = 100, .digits = 2,
	 .unit = "%"},
	{GET("node", node), .csv_at = 5, .at = 9,
	 .text = {"Node / CPUs'", 12, 0, 1, true, .is_ragged = true},
	 .put_text = nodes_text},
	{GET("cpu_nodes", nodes), .csv_at = 5},
	{GET("readers", readers), .csv_at = 1, .at = 6,
	 .text = {" Readers / writers (CPUs)", 25, 12, 8, true,
		  .is_ragged = true},
	 .put_text = cpus_text},
	{GET("writers", writers), .csv_at = 1},
	{GET("parts", eighths), .csv_at = 1, .at = 3,
	 .text = {" Parts", 10, .drop = 5, .left = true}},
	{CODE(codes), .csv_at = 1, .at = 12,
	 .text = {"Code loads/stores", 24, 18, .left = true}},
	{.name = "variables",
	 .csv_at = 5,
	 .at = 11,
	 .text = {"Variable", 17, 8, 12, .left = true},
	 .put_text = variables_text,
	 .put_csv = variables_csv,
	 .put_json = variables_json},
	{.name = "offsets",
	 .csv_at = 5,
	 .put_csv = offsets_csv,
	 .put_json = offsets_json},
	{.name = "layout", .no_csv = true, .put_json = layout_json},
};

static const struct table_column part_first[] = {
	{GET("offset", offset), .text = {.title = "# Offset ", .width = 9},
	 .put_text = offset_text},
	{GET("variable", variable)},
	{GET("member", member), .at = 11,
	 .text = {" Member", 18, 8, 5, .left = true}, .put_text = member_text},
};

static const struct table_column part_last[] = {
	{.name = "threads",
	 .at = 11,
	 .text = {"Threads (CPUs) ", 15, 10, .left = true, .is_ragged = true},
	 .put_text = threads_text,
	 .put_json = threads_json},
	{CODE(part_codes), .at = 12,
	 .text = {"Code loads/stores", 24, 18, .left = true}},
};

static const struct table_column of_thread[] = {
	{GET("pid", pid)},
	{GET("tid", tid)},
	{GET("comm", comm)},
	{GET("cpus", cpus)},
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
	       first_use(row)->variable;
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
