// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache lines as text, JSON lines or CSV. */
#include "csv.h"
#include "json.h"
#include "report.h"
#include "report_lines.h"

#include <inttypes.h>
#include <stdio.h>

#define CODES_IN_TEXT 8

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
static void print_eighths(const struct cache_line *line)
{
	for (int i = 0; i < 8; i++)
		putchar(".RWB"[(line->read >> i & 1) +
			       2 * (line->written >> i & 1)]);
}

static double mean(const struct cache_line *line)
{
	return mean_latency(line->latency, line->timed);
}

static const char *code_name(const struct cache_lines *all,
			     const struct line_code *code)
{
	return strings_get(&all->symbols, code->symbol);
}

/* As text those behind @first together. */
static void print_more_codes(const struct cache_line *line, size_t first)
{
	uint64_t loads = 0, stores = 0;

	for (size_t i = first; i < line->nr_codes; i++) {
		loads += line_codes(line)[i].loads;
		stores += line_codes(line)[i].stores;
	}
	printf(", %zu more %" PRIu64 "/%" PRIu64, line->nr_codes - first, loads,
	       stores);
}

static void print_codes(const struct cache_lines *all,
			const struct cache_line *line)
{
	for (size_t i = 0; i < line->nr_codes && i < CODES_IN_TEXT; i++) {
		const struct line_code *code = &line_codes(line)[i];

		printf("%s", i ? ", " : "");
		report_put_text(code_name(all, code), 0);
		printf(" %u/%u", code->loads, code->stores);
	}
	if (line->nr_codes > CODES_IN_TEXT)
		print_more_codes(line, CODES_IN_TEXT);
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

static void print_mean(const struct cache_line *line)
{
	if (line->timed)
		printf("%8.1f  ", mean(line));
	else
		printf("%8s  ", "-");
}

static void print_text(const struct cache_lines *all, size_t nr)
{
	printf("# ");
	report_put_text(all->load->name, 0);
	printf(": %" PRIu64 " samples with a data address in %zu lines of "
	       "%u bytes, %" PRIu64 " samples without\n",
	       all->samples, all->nr, all->config.size, all->others);
	load_print_losses(all->load, stdout, "# ");
	printf("# Peer: loads another core or its caches answered. Mean: of "
	       "the "
	       "total latencies, which Timed samples have\n"
	       "# Parts: eighths of the line, Read, Written, Both\n"
	       "#\n# Samples    Loads   Stores     Peer    Timed     Mean  "
	       "Parts     "
	       "Line               Process    Readers / writers (CPUs)  Code "
	       "loads/stores\n");
	for (size_t i = 0; i < nr; i++) {
		const struct cache_line *line = &all->lines[i];

		printf("%9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
		       " %8" PRIu64 " ",
		       line->samples, line->loads, line->stores, line->peers,
		       line->timed);
		print_mean(line);
		print_eighths(line);
		printf("  0x%-16" PRIx64, line->address);
		print_pid(line);
		printf("  ");
		print_cpus(&line->readers);
		printf(" / ");
		print_cpus(&line->writers);
		printf("  ");
		print_codes(all, line);
	}
	if (nr < all->nr)
		printf("# %zu more lines (--limit)\n", all->nr - nr);
}

static void print_codes_json(const struct cache_lines *all,
			     const struct cache_line *line)
{
	printf(",\"code\":[");
	for (size_t i = 0; i < line->nr_codes; i++) {
		printf("%s{\"sym\":", i ? "," : "");
		json_string(stdout, code_name(all, &line_codes(line)[i]));
		printf(",\"loads\":%u,\"stores\":%u}",
		       line_codes(line)[i].loads, line_codes(line)[i].stores);
	}
	putchar(']');
}

static void print_line_json(const struct cache_lines *all,
			    const struct cache_line *line)
{
	printf("{\"type\":\"line\",\"address\":\"0x%" PRIx64
	       "\",\"physical\":%s",
	       line->address, line->physical ? "true" : "false");
	if (line->pid != PMSCOPE_NO_ID)
		printf(",\"pid\":%" PRIu32, line->pid);
	printf(",\"samples\":%" PRIu64 ",\"loads\":%" PRIu64
	       ",\"stores\":%" PRIu64 ",\"peer\":%" PRIu64
	       ",\"timed\":%" PRIu64,
	       line->samples, line->loads, line->stores, line->peers,
	       line->timed);
	if (line->timed)
		printf(",\"mean\":%.3f", mean(line));
	printf(",\"readers\":\"");
	print_cpus(&line->readers);
	printf("\",\"writers\":\"");
	print_cpus(&line->writers);
	printf("\",\"parts\":\"");
	print_eighths(line);
	putchar('"');
	print_codes_json(all, line);
	printf("}\n");
}

static void print_json(const struct cache_lines *all, size_t nr)
{
	printf("{\"type\":\"summary\",\"file\":");
	json_string(stdout, all->load->name);
	printf(",\"samples\":%" PRIu64 ",\"without_address\":%" PRIu64
	       ",\"lines\":%zu,\"line_size\":%u",
	       all->samples, all->others, all->nr, all->config.size);
	load_print_losses_json(all->load);
	puts("}");
	for (size_t i = 0; i < nr; i++)
		print_line_json(all, &all->lines[i]);
}

/* What is between names has a backslash in one, and so has a backslash. */
static void print_code_csv(const char *name)
{
	for (; *name; name++) {
		if (*name == '|' || *name == '\\')
			putchar('\\');
		csv_part(stdout, (char[]){*name, '\0'});
	}
}

static void print_codes_csv(const struct cache_lines *all,
			    const struct cache_line *line)
{
	putchar('"');
	for (size_t i = 0; i < line->nr_codes; i++) {
		if (i)
			putchar('|');
		print_code_csv(code_name(all, &line_codes(line)[i]));
	}
	puts("\"");
}

static void print_csv(const struct cache_lines *all, size_t nr)
{
	load_print_losses(all->load, stderr, "pmscope: ");
	puts("address,physical,pid,samples,loads,stores,peer,timed,mean,"
	     "readers,writers,parts,code");
	for (size_t i = 0; i < nr; i++) {
		const struct cache_line *line = &all->lines[i];

		printf("0x%" PRIx64 ",%d,", line->address, line->physical);
		if (line->pid != PMSCOPE_NO_ID)
			printf("%" PRIu32, line->pid);
		printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		       ",%" PRIu64 ",",
		       line->samples, line->loads, line->stores, line->peers,
		       line->timed);
		if (line->timed)
			printf("%.3f", mean(line));
		printf(",\"");
		print_cpus(&line->readers);
		printf("\",\"");
		print_cpus(&line->writers);
		printf("\",");
		print_eighths(line);
		putchar(',');
		print_codes_csv(all, line);
	}
}

void lines_print(const struct cache_lines *lines, size_t nr)
{
	static void (*const printers[])(const struct cache_lines *, size_t) = {
		print_text, print_json, print_csv};

	printers[lines->config.format](lines, nr);
}
