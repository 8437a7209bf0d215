// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache lines as text, JSON lines or CSV. */
#include "cli/message.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "print/columns.h"
#include "print/csv.h"
#include "print/format.h"
#include "print/json.h"
#include "print/losses.h"
#include "print/name.h"
#include "read/exit_status.h"
#include "rows/cachelines.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_IN_TEXT	  50
#define CODES_IN_TEXT	  8
#define PARTS_IN_TEXT	  32
#define THREADS_IN_TEXT	  8
#define VARIABLES_IN_TEXT 2

/* "0-3,7"; at least one character. */
static void print_cpus(FILE *out, const struct cpu_set *set)
{
	const char *separator = "";
	int last;

	for (int cpu = cpu_set_next(set, 0); cpu >= 0;
	     cpu = cpu_set_next(set, last + 1)) {
		last = cpu;
		while (cpu_set_next(set, last + 1) == last + 1)
			last++;
		fprintf(out, cpu == last ? "%s%u" : "%s%u-%u", separator, cpu,
			last);
		separator = ",";
	}
	if (!*separator)
		fputc('-', out);
}

/* An eighth of the line is a letter: read, written, both. */
static void print_eighths(FILE *out, const struct line_detail *detail)
{
	for (int i = 0; i < 8; i++)
		fputc(".RWB"[(detail->read >> i & 1) +
			     2 * (detail->written >> i & 1)],
		      out);
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

typedef void (*print_thread_fn)(void *context, const struct part_thread *thread,
				size_t nr);

/* Prints each thread of @part, in the order of their numbers. */
static int each_thread(const struct cache_lines *all,
		       const struct line_detail *detail,
		       const struct line_part *part, print_thread_fn print,
		       void *context)
{
	size_t end = part->first + part->nr, nr = 0;
	struct part_thread thread;

	for (size_t i = part->first; i < end; i = thread.end) {
		if (part_thread(all, detail, i, end, &thread))
			return -ENOMEM;
		print(context, &thread, nr++);
		cpu_set_fini(&thread.cpus);
	}
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

static double mean(const struct line_sums *sums)
{
	return mean_latency(sums->latency, sums->timed);
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

static void put_codes(struct columns *columns, const struct line_codes *codes)
{
	FILE *out = columns->cells;
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
	cell_put(columns, "%s", "");
}

static void put_pid(struct columns *columns, const struct cache_line *line)
{
	if (line->physical)
		cell_put(columns, "physical");
	else if (line->address >> 63)
		cell_put(columns, "kernel");
	else if (line->pid == PMSCOPE_NO_ID)
		cell_put(columns, "?");
	else
		cell_put(columns, "%" PRIu32, line->pid);
}

static void put_variables(struct columns *columns, const char *const *names,
			  size_t nr)
{
	char text[64] = "-";
	int n = 0;

	for (size_t i = 0; i < nr && i < VARIABLES_IN_TEXT; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%.24s",
			      i ? "," : "", names[i]);
	if (nr > VARIABLES_IN_TEXT)
		snprintf(text + n, sizeof(text) - n, ",+%zu",
			 nr - VARIABLES_IN_TEXT);
	cell_put(columns, "%s ", text);
}

static void put_counts(struct columns *columns, const struct line_sums *sums)
{
	cell_put(columns, "%" PRIu64, sums->loads);
	cell_put(columns, "%" PRIu64, sums->stores);
	cell_put(columns, "%" PRIu64, sums->peers);
	cell_put(columns, "%" PRIu64, sums->timed);
	if (sums->timed)
		cell_put(columns, "%.1f", mean(sums));
	else
		cell_put(columns, "-");
}

/* NUMA nodes of the memory and of the CPUs. */
static void put_nodes(struct columns *columns, int node,
		      const struct cpu_set *cpus)
{
	if (node < 0)
		fprintf(columns->cells, "%4s / ", "-");
	else
		fprintf(columns->cells, "%4d / ", node);
	print_cpus(columns->cells, cpus);
	cell_put(columns, "%s", "");
}

#define COUNTS                                               \
	{.title = "Loads", .width = 8, .drop = 11},          \
		{.title = "Stores", .width = 8, .drop = 10}, \
		{.title = "Peer", .width = 8, .drop = 9},    \
		{.title = "Timed", .width = 8, .drop = 3},   \
	{                                                    \
		.title = "Mean cyc", .width = 8, .drop = 7   \
	}

/* Without --weight=latency, shares are not shown. */
static const struct column line_columns[] = {
	{.title = "# Share", .width = 7, .is_share = true},
	{.title = "# Samples", .width = 9},
	COUNTS,
	{.title = " Parts", .width = 10, .drop = 5, .left = true},
	{.title = "Line", .width = 19, .least = 14, .left = true},
	{.title = "Process", .width = 9, .drop = 4},
	{.title = " Readers / writers (CPUs)",
	 .is_ragged = true,
	 .width = 25,
	 .least = 12,
	 .drop = 8,
	 .left = true},
	{.title = "Threads", .width = 7, .drop = 6},
	{.title = "Remote", .width = 7, .drop = 2},
	{.title = "Node / CPUs'",
	 .is_ragged = true,
	 .width = 12,
	 .drop = 1,
	 .left = true},
	{.title = " Verdict", .width = 15, .left = true},
	{.title = "Variable",
	 .width = 17,
	 .least = 8,
	 .drop = 12,
	 .left = true},
	{.title = "Code loads/stores", .width = 24, .least = 18, .left = true},
};

#define NR_LINE_COLUMNS (sizeof(line_columns) / sizeof(line_columns[0]))

static const struct column part_columns[] = {
	{.title = "# Offset ", .width = 9},
	COUNTS,
	{.title = " Variable",
	 .width = 18,
	 .least = 8,
	 .drop = 5,
	 .left = true},
	{.title = "Threads (CPUs) ",
	 .is_ragged = true,
	 .width = 15,
	 .least = 10,
	 .left = true},
	{.title = "Code loads/stores", .width = 24, .least = 18, .left = true},
};

#define NR_PART_COLUMNS (sizeof(part_columns) / sizeof(part_columns[0]))

static void print_line_text(struct columns *columns,
			    const struct cache_lines *all,
			    const struct cache_line *line,
			    const struct line_detail *detail)
{
	FILE *out = columns->cells;

	if (columns->failed)
		return;
	if (all->config.by_latency)
		cell_put(columns, "%.2f%%", 100 * share(all, line));
	cell_put(columns, "%" PRIu64, line->sums.samples);
	put_counts(columns, &line->sums);
	fputc(' ', out);
	print_eighths(out, detail);
	cell_put(columns, " ");
	cell_put(columns, "0x%" PRIx64, line->address);
	put_pid(columns, line);
	fputc(' ', out);
	print_cpus(out, &detail->readers);
	fputs(" / ", out);
	print_cpus(out, &detail->writers);
	cell_put(columns, " ");
	cell_put(columns, "%" PRIu32, line->threads);
	cell_put(columns, "%" PRIu64, line->sums.far);
	put_nodes(columns, node_of(all, line), &detail->nodes);
	cell_put(columns, " %s", line_verdict_name(line));
	put_variables(columns, detail->variables, detail->nr_variables);
	put_codes(columns, &detail->codes);
	columns_row(columns);
}

static void put_thread(void *context, const struct part_thread *thread,
		       size_t nr)
{
	FILE *out = context;

	if (nr > THREADS_IN_TEXT)
		return;
	fputs(nr ? ", " : "", out);
	if (nr == THREADS_IN_TEXT) {
		fputs("...", out);
		return;
	}
	if (thread->thread->tid == PMSCOPE_NO_ID)
		fputc('?', out);
	else
		fprintf(out, "%" PRIu32, thread->thread->tid);
	fputs(" (", out);
	print_cpus(out, &thread->cpus);
	fputc(')', out);
}

static int print_part_text(struct columns *columns, struct cache_lines *all,
			   struct line_detail *detail,
			   const struct line_part *part)
{
	const char *name = detail->uses[part->first]->variable;

	if (columns->failed || line_detail_codes(all, detail, part))
		return -ENOMEM;
	cell_put(columns, "0x%" PRIx32, part->offset);
	put_counts(columns, &part->sums);
	fputc(' ', columns->cells);
	put_variables(columns, &name, !!name);
	if (each_thread(all, detail, part, put_thread, columns->cells))
		return -ENOMEM;
	cell_put(columns, " ");
	put_codes(columns, &detail->part_codes);
	columns_row(columns);
	return 0;
}

static int compare_busy(const void *a, const void *b)
{
	const struct line_part *x = a, *y = b;
	uint64_t left = x->sums.samples, right = y->sums.samples;

	if (left != right)
		return left > right ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct line_part *x = a, *y = b;

	return x->offset < y->offset ? -1 : 1;
}

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

static int print_parts_text(struct columns *columns, struct cache_lines *all,
			    const struct cache_line *line,
			    struct line_detail *detail)
{
	size_t nr;

	if (line_detail_fill(all, line, detail))
		return -ENOMEM;
	printf("# 0x%" PRIx64 ": %s\n", line->address, line_verdict_name(line));
	nr = choose_parts(detail);
	for (size_t i = 0; i < nr; i++)
		if (print_part_text(columns, all, detail, &detail->parts[i]))
			return -ENOMEM;
	if (nr < detail->nr_parts)
		printf("# %zu more offsets\n", detail->nr_parts - nr);
	return 0;
}

/* The second table: of each line that is shared, by the offsets in it. */
static int print_shared_text(struct cache_lines *all, size_t nr,
			     struct line_detail *detail)
{
	struct column column[NR_PART_COLUMNS];
	struct columns columns;
	size_t first = 0;
	int ret = 0;

	while (first < nr && !line_is_shared(&all->lines[first]))
		first++;
	if (first == nr)
		return 0;
	puts("#\n# Lines shared by threads, by offset in the line");
	memcpy(column, part_columns, sizeof(column));
	columns_begin(&columns, column, NR_PART_COLUMNS);
	columns_titles(&columns);
	for (size_t i = first; i < nr && !ret; i++)
		if (line_is_shared(&all->lines[i]))
			ret = print_parts_text(&columns, all, &all->lines[i],
					       detail);
	return columns_end(&columns) ?: ret;
}

static int print_lines_text(struct cache_lines *all, size_t nr,
			    struct line_detail *detail)
{
	struct column column[NR_LINE_COLUMNS];
	size_t skip = !all->config.by_latency;
	struct columns columns;
	int ret = 0;

	memcpy(column, line_columns, sizeof(column));
	if (!skip) {
		column[1].title = "Samples";
		column[1].drop = 13;
	}
	columns_begin(&columns, column + skip, NR_LINE_COLUMNS - skip);
	columns_titles(&columns);
	for (size_t i = 0; i < nr && !ret; i++) {
		ret = line_detail_fill(all, &all->lines[i], detail);
		if (!ret)
			print_line_text(&columns, all, &all->lines[i], detail);
	}
	return columns_end(&columns) ?: ret;
}

static int print_text(struct cache_lines *all, size_t nr,
		      struct line_detail *detail)
{
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
	ret = print_lines_text(all, nr, detail);
	if (nr < all->nr)
		printf("# %zu more lines (--limit)\n", all->nr - nr);
	return ret ? ret : print_shared_text(all, nr, detail);
}

static void print_sums_json(struct json *json, const struct line_sums *sums)
{
	json_unsigned(json, "loads", sums->loads);
	json_unsigned(json, "stores", sums->stores);
	json_unsigned(json, "atomics", sums->atomics);
	json_unsigned(json, "peer", sums->peers);
	json_unsigned(json, "remote_memory", sums->far);
	json_unsigned(json, "timed", sums->timed);
	if (sums->timed)
		json_real(json, "mean", 3, mean(sums));
}

static void print_cpus_json(struct json *json, const char *key,
			    const struct cpu_set *cpus)
{
	json_begin_text(json, key);
	print_cpus(json->out, cpus);
	json_end_text(json);
}

static void print_codes_json(struct json *json, const struct line_codes *codes)
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

static int64_t id_or_none(uint32_t id)
{
	return id == PMSCOPE_NO_ID ? -1 : (int64_t)id;
}

static void print_thread_json(void *context, const struct part_thread *thread,
			      size_t nr)
{
	const struct line_thread *t = thread->thread;
	struct json *json = context;

	(void)nr;
	json_begin_object(json, NULL);
	json_signed(json, "pid", id_or_none(t->pid));
	json_signed(json, "tid", id_or_none(t->tid));
	if (t->comm)
		json_text(json, "comm", t->comm);
	print_cpus_json(json, "cpus", &thread->cpus);
	print_sums_json(json, &thread->sums);
	json_end_object(json);
}

static int print_part_json(struct json *json, struct cache_lines *all,
			   struct line_detail *detail,
			   const struct line_part *part)
{
	const char *variable = detail->uses[part->first]->variable;

	if (line_detail_codes(all, detail, part))
		return -ENOMEM;
	json_begin_object(json, NULL);
	json_unsigned(json, "offset", part->offset);
	if (variable)
		json_text(json, "variable", variable);
	print_sums_json(json, &part->sums);
	json_begin_array(json, "threads");
	if (each_thread(all, detail, part, print_thread_json, json))
		return -ENOMEM;
	json_end_array(json);
	print_codes_json(json, &detail->part_codes);
	json_end_object(json);
	return 0;
}

static int print_parts_json(struct json *json, struct cache_lines *all,
			    struct line_detail *detail)
{
	int ret = 0;

	json_begin_array(json, "offsets");
	for (size_t i = 0; i < detail->nr_parts && !ret; i++)
		ret = print_part_json(json, all, detail, &detail->parts[i]);
	json_end_array(json);
	return ret;
}

static void print_detail_json(struct json *json,
			      const struct line_detail *detail)
{
	if (!cpu_set_is_empty(&detail->nodes))
		print_cpus_json(json, "cpu_nodes", &detail->nodes);
	print_cpus_json(json, "readers", &detail->readers);
	print_cpus_json(json, "writers", &detail->writers);
	json_begin_text(json, "parts");
	print_eighths(json->out, detail);
	json_end_text(json);
	print_codes_json(json, &detail->codes);
	json_begin_array(json, "variables");
	for (size_t i = 0; i < detail->nr_variables; i++)
		json_text(json, NULL, detail->variables[i]);
	json_end_array(json);
}

static int print_line_json(struct json *json, struct cache_lines *all,
			   const struct cache_line *line,
			   struct line_detail *detail)
{
	int node = node_of(all, line);

	json_begin_line(json);
	json_text(json, "type", "line");
	json_hex(json, "address", line->address);
	json_bool(json, "physical", line->physical);
	if (line->pid != PMSCOPE_NO_ID)
		json_unsigned(json, "pid", line->pid);
	json_text(json, "verdict", line_verdict_name(line));
	json_unsigned(json, "threads", line->threads);
	json_unsigned(json, "samples", line->sums.samples);
	print_sums_json(json, &line->sums);
	json_unsigned(json, "latency", line->sums.latency);
	json_real(json, "share", 6, share(all, line));
	if (node >= 0)
		json_signed(json, "node", node);
	print_detail_json(json, detail);
	if (print_parts_json(json, all, detail))
		return -ENOMEM;
	json_end_line(json);
	return 0;
}

static int print_json(struct cache_lines *all, size_t nr,
		      struct line_detail *detail)
{
	struct json json = {.out = stdout};
	int ret = 0;

	json_begin_line(&json);
	json_text(&json, "type", "summary");
	json_text(&json, "file", all->load->name);
	json_unsigned(&json, "samples", all->samples);
	json_unsigned(&json, "without_address", all->others);
	json_unsigned(&json, "lines", all->nr);
	json_unsigned(&json, "line_size", all->config.size);
	losses_json(&json, all->load);
	json_end_line(&json);
	for (size_t i = 0; i < nr && !ret; i++) {
		ret = line_detail_fill(all, &all->lines[i], detail);
		if (!ret)
			ret = print_line_json(&json, all, &all->lines[i],
					      detail);
	}
	return ret;
}

static void print_thread_csv(void *context, const struct part_thread *thread,
			     size_t nr)
{
	(void)context;
	putchar(nr ? '+' : '@');
	if (thread->thread->tid == PMSCOPE_NO_ID)
		putchar('?');
	else
		printf("%" PRIu32, thread->thread->tid);
}

static int print_parts_csv(const struct cache_lines *all,
			   const struct line_detail *detail)
{
	int ret = 0;

	for (size_t i = 0; i < detail->nr_parts && !ret; i++) {
		const struct line_part *part = &detail->parts[i];

		printf("%s%" PRIu32 "=%" PRIu64 "/%" PRIu64, i ? "|" : "",
		       part->offset, part->sums.loads, part->sums.stores);
		ret = each_thread(all, detail, part, print_thread_csv, NULL);
	}
	return ret;
}

static void print_names_csv(const struct line_detail *detail)
{
	printf(",\"");
	for (size_t i = 0; i < detail->codes.nr; i++)
		csv_put_listed(stdout, detail->codes.code[i].name, !i);
	printf("\"");
}

static void print_sums_csv(const struct line_sums *sums)
{
	printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
	       sums->samples, sums->loads, sums->stores, sums->peers,
	       sums->timed);
	if (sums->timed)
		printf("%.3f", mean(sums));
}

static int print_line_csv(const struct cache_lines *all,
			  const struct cache_line *line,
			  const struct line_detail *detail)
{
	int node = node_of(all, line);

	printf("0x%" PRIx64 ",%d,", line->address, line->physical);
	if (line->pid != PMSCOPE_NO_ID)
		printf("%" PRIu32, line->pid);
	print_sums_csv(&line->sums);
	printf(",\"");
	print_cpus(stdout, &detail->readers);
	printf("\",\"");
	print_cpus(stdout, &detail->writers);
	printf("\",");
	print_eighths(stdout, detail);
	print_names_csv(detail);
	printf(",%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,",
	       line_verdict_name(line), line->threads, line->sums.atomics,
	       line->sums.latency, line->sums.far, share(all, line));
	if (node >= 0)
		printf("%d", node);
	printf(",\"");
	if (!cpu_set_is_empty(&detail->nodes))
		print_cpus(stdout, &detail->nodes);
	printf("\",\"");
	for (size_t i = 0; i < detail->nr_variables; i++)
		csv_put_listed(stdout, detail->variables[i], !i);
	printf("\",");
	if (print_parts_csv(all, detail))
		return -ENOMEM;
	putchar('\n');
	return 0;
}

static int print_csv(struct cache_lines *all, size_t nr,
		     struct line_detail *detail)
{
	int ret = 0;

	losses_print(all->load, stderr, "pmscope: ");
	puts("address,physical,pid,samples,loads,stores,peer,timed,mean,"
	     "readers,writers,parts,code,verdict,threads,atomics,latency,"
	     "remote_memory,share,node,cpu_nodes,variables,offsets");
	for (size_t i = 0; i < nr && !ret; i++) {
		ret = line_detail_fill(all, &all->lines[i], detail);
		if (!ret)
			ret = print_line_csv(all, &all->lines[i], detail);
	}
	return ret;
}

static int lines_print(struct cache_lines *all, int format, size_t nr)
{
	static int (*const printers[])(struct cache_lines *, size_t,
				       struct line_detail *) = {
		print_text, print_json, print_csv};
	struct line_detail detail = {};
	int ret;

	if (all->left_out)
		warning("%s: %" PRIu64 " samples are in no line: there are "
			"more than %u different uses of lines; --filter "
			"selects fewer",
			all->load->name, all->left_out, LINES_USES);
	pager_begin();
	ret = printers[format](all, nr, &detail);

	line_detail_fini(&detail);
	return ret;
}

static int add_run(void *worker, const struct pmscope_run *run,
		   struct output *out)
{
	(void)out;
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
	if (ret) {
		error("%s: %s", all->load->name, strerror(-ret));
		return 1;
	}
	return output_written() ? 1 : exit_status(all->load);
}

int report_lines(struct load *load, const struct lines_config *config,
		 int format, unsigned int limit)
{
	struct cache_lines all;
	int status = 1;

	if (cache_lines_begin(&all, load, config))
		error("out of memory");
	else
		status = lines_run(&all, format, limit);
	cache_lines_fini(&all);
	return status;
}
