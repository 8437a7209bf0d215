// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache lines as text, JSON lines or CSV. */
#include "print/csv.h"
#include "print/json.h"
#include "print/losses.h"
#include "report/cachelines.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CODES_IN_TEXT	  8
#define PARTS_IN_TEXT	  32
#define THREADS_IN_TEXT	  8
#define VARIABLES_IN_TEXT 2

static const char *const verdicts[] = {
	[LINE_ONE_THREAD] = "one thread",
	[LINE_READ_ONLY] = "read only",
	[LINE_FALSE_SHARING] = "false sharing",
	[LINE_TRUE_SHARING] = "true sharing",
};

/* "0-3,7"; at least one character. */
static void print_cpus(const struct cpu_set *set)
{
	const char *separator = "";
	int last;

	for (int cpu = cpu_set_next(set, 0); cpu >= 0;
	     cpu = cpu_set_next(set, last + 1)) {
		last = cpu;
		while (cpu_set_next(set, last + 1) == last + 1)
			last++;
		printf(cpu == last ? "%s%u" : "%s%u-%u", separator, cpu, last);
		separator = ",";
	}
	if (!*separator)
		putchar('-');
}

/* An eighth of the line is a letter: read, written, both. */
static void print_eighths(const struct line_detail *detail)
{
	for (int i = 0; i < 8; i++)
		putchar(".RWB"[(detail->read >> i & 1) +
			       2 * (detail->written >> i & 1)]);
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
static void print_more_codes(const struct line_codes *codes, size_t first)
{
	uint64_t loads = 0, stores = 0;

	for (size_t i = first; i < codes->nr; i++) {
		loads += codes->code[i].loads;
		stores += codes->code[i].stores;
	}
	printf(", %zu more %" PRIu64 "/%" PRIu64, codes->nr - first, loads,
	       stores);
}

static void print_codes(const struct line_codes *codes)
{
	char text[VIEW_LINE_MAX];

	for (size_t i = 0; i < codes->nr && i < CODES_IN_TEXT; i++) {
		const struct line_code *code = &codes->code[i];

		printf("%s", i ? ", " : "");
		report_put_text(code->name, 0);
		if (code->line.file) {
			putchar(' ');
			view_line_text(&code->line, text);
			report_put_text(text, 0);
		}
		printf(" %" PRIu64 "/%" PRIu64, code->loads, code->stores);
	}
	if (codes->nr > CODES_IN_TEXT)
		print_more_codes(codes, CODES_IN_TEXT);
	putchar('\n');
}

static void print_pid(const struct cache_line *line)
{
	if (line->physical)
		printf("%10s", "physical");
	else if (line->address >> 63)
		printf("%10s", "kernel");
	else if (line->pid == PMSCOPE_NO_ID)
		printf("%10s", "?");
	else
		printf("%10" PRIu32, line->pid);
}

static void print_mean(const struct line_sums *sums)
{
	if (sums->timed)
		printf("%8.1f  ", mean(sums));
	else
		printf("%8s  ", "-");
}

/* @width is that of the column; two spaces follow. */
static void print_variables(const char *const *names, size_t nr, int width)
{
	char text[64] = "-";
	int n = 0;

	for (size_t i = 0; i < nr && i < VARIABLES_IN_TEXT; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%.24s",
			      i ? "," : "", names[i]);
	if (nr > VARIABLES_IN_TEXT)
		snprintf(text + n, sizeof(text) - n, ",+%zu",
			 nr - VARIABLES_IN_TEXT);
	report_put_text(text, width);
	printf("  ");
}

static void print_counts(const struct line_sums *sums)
{
	printf(" %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " ",
	       sums->loads, sums->stores, sums->peers, sums->timed);
	print_mean(sums);
}

/* NUMA nodes of the memory and of the CPUs. */
static void print_nodes(int node, const struct cpu_set *cpus)
{
	if (node < 0)
		printf(" %4s", "-");
	else
		printf(" %4d", node);
	printf(" / ");
	print_cpus(cpus);
}

static void print_line_text(const struct cache_lines *all,
			    const struct cache_line *line,
			    const struct line_detail *detail)
{
	if (all->config.by_latency)
		printf("%6.2f%% ", 100 * share(all, line));
	printf("%9" PRIu64, line->sums.samples);
	print_counts(&line->sums);
	print_eighths(detail);
	printf("  0x%-16" PRIx64, line->address);
	print_pid(line);
	printf("  ");
	print_cpus(&detail->readers);
	printf(" / ");
	print_cpus(&detail->writers);
	printf("  %7" PRIu32 " %7" PRIu64, line->threads, line->sums.far);
	print_nodes(node_of(all, line), &detail->nodes);
	printf("  %-13s  ", verdicts[line->verdict]);
	print_variables(detail->variables, detail->nr_variables, 16);
	print_codes(&detail->codes);
}

static void print_thread_text(void *context, const struct part_thread *thread,
			      size_t nr)
{
	(void)context;
	if (nr > THREADS_IN_TEXT)
		return;
	printf("%s", nr ? ", " : "");
	if (nr == THREADS_IN_TEXT) {
		printf("...");
		return;
	}
	if (thread->thread->tid == PMSCOPE_NO_ID)
		putchar('?');
	else
		printf("%" PRIu32, thread->thread->tid);
	printf(" (");
	print_cpus(&thread->cpus);
	putchar(')');
}

static int print_part_text(struct cache_lines *all, struct line_detail *detail,
			   const struct line_part *part)
{
	const char *name = detail->uses[part->first]->variable;
	char offset[16];

	if (line_detail_codes(all, detail, part))
		return -ENOMEM;
	snprintf(offset, sizeof(offset), "0x%" PRIx32, part->offset);
	printf("%9s", offset);
	print_counts(&part->sums);
	print_variables(&name, !!name, 16);
	if (each_thread(all, detail, part, print_thread_text, NULL))
		return -ENOMEM;
	printf("  ");
	print_codes(&detail->part_codes);
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

static int print_parts_text(struct cache_lines *all,
			    const struct cache_line *line,
			    struct line_detail *detail)
{
	size_t nr;

	if (line_detail_fill(all, line, detail))
		return -ENOMEM;
	printf("# 0x%" PRIx64 ": %s\n", line->address, verdicts[line->verdict]);
	nr = choose_parts(detail);
	for (size_t i = 0; i < nr; i++)
		if (print_part_text(all, detail, &detail->parts[i]))
			return -ENOMEM;
	if (nr < detail->nr_parts)
		printf("# %zu more offsets\n", detail->nr_parts - nr);
	return 0;
}

/* The second table: of each line that is shared, by the offsets in it. */
static int print_shared_text(struct cache_lines *all, size_t nr,
			     struct line_detail *detail)
{
	size_t first = 0;
	int ret = 0;

	while (first < nr && !line_is_shared(&all->lines[first]))
		first++;
	if (first == nr)
		return 0;
	printf("#\n# Lines shared by threads, by offset in the line\n"
	       "# Offset    Loads   Stores     Peer    Timed     Mean  "
	       "Variable          Threads (CPUs)  Code loads/stores\n");
	for (size_t i = first; i < nr && !ret; i++)
		if (line_is_shared(&all->lines[i]))
			ret = print_parts_text(all, &all->lines[i], detail);
	return ret;
}

static int print_text(struct cache_lines *all, size_t nr,
		      struct line_detail *detail)
{
	int ret = 0;

	printf("# ");
	report_put_text(all->load->name, 0);
	printf(": %" PRIu64 " samples with a data address in %zu lines of "
	       "%u bytes, %" PRIu64 " samples without\n",
	       all->samples, all->nr, all->config.size, all->others);
	losses_print(all->load, stdout, "# ");
	printf("# Peer: loads served by another core's cache; "
	       "Remote: by memory of another node\n"
	       "# Mean: average total latency of the Timed samples\n"
	       "# Parts: eighths of the line, Read, Written, Both\n"
	       "#\n#%s Samples    Loads   Stores     Peer    Timed     Mean  "
	       "Parts     "
	       "Line               Process    Readers / writers (CPUs)  "
	       "Threads  Remote Node / CPUs'  Verdict        Variable          "
	       "Code "
	       "loads/stores\n",
	       all->config.by_latency ? " Share  " : "");
	for (size_t i = 0; i < nr && !ret; i++) {
		ret = line_detail_fill(all, &all->lines[i], detail);
		if (!ret)
			print_line_text(all, &all->lines[i], detail);
	}
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
	print_cpus(cpus);
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
	print_eighths(detail);
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
	json_text(json, "verdict", verdicts[line->verdict]);
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
	print_cpus(&detail->readers);
	printf("\",\"");
	print_cpus(&detail->writers);
	printf("\",");
	print_eighths(detail);
	print_names_csv(detail);
	printf(",%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,",
	       verdicts[line->verdict], line->threads, line->sums.atomics,
	       line->sums.latency, line->sums.far, share(all, line));
	if (node >= 0)
		printf("%d", node);
	printf(",\"");
	if (!cpu_set_is_empty(&detail->nodes))
		print_cpus(&detail->nodes);
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

int lines_print(struct cache_lines *all, size_t nr)
{
	static int (*const printers[])(struct cache_lines *, size_t,
				       struct line_detail *) = {
		print_text, print_json, print_csv};
	struct line_detail detail = {};
	int ret = printers[all->config.format](all, nr, &detail);

	line_detail_fini(&detail);
	return ret;
}
