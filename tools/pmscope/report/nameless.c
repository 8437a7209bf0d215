// SPDX-License-Identifier: GPL-2.0-or-later
/* Names the files whose symbols are missing, and what would bring them. */
#include "report/report.h"

#define SHOWN	3   /* without --verbose */
#define LEAST	1.0 /* percent of the samples, without --verbose */
#define UNKNOWN "[unknown]"
#define KERNEL	"[kernel"

/* A file, and its samples without a symbol. */
struct nameless {
	const char *dso;
	uint64_t id;
	uint64_t samples;
};

/* The index of the key; negative if rows do not have it. */
static int key_of(const struct row_table *r, const char *name)
{
	for (size_t i = 0; i < r->nr_keys; i++)
		if (!strcmp(r->keys[i]->name, name))
			return i;
	return -1;
}

static bool is_unknown(const struct row_table *r, const struct row *row,
		       int key)
{
	char buf[32];

	return !strcmp(row_value(r, row, key, buf, sizeof(buf)), UNKNOWN);
}

static COMPARISON(by_id, struct nameless, COMPARE(x->id, y->id));

static COMPARISON(by_samples, struct nameless,
		  COMPARE(y->samples, x->samples) ?: strcmp(x->dso, y->dso));

/* Adds up entries of the same file. Returns how many files there are. */
static size_t merge(struct nameless *all, size_t nr)
{
	size_t files = 0;

	qsort(all, nr, sizeof(*all), by_id);
	for (size_t i = 0; i < nr; i++) {
		if (files && all[files - 1].id == all[i].id)
			all[files - 1].samples += all[i].samples;
		else
			all[files++] = all[i];
	}
	qsort(all, files, sizeof(*all), by_samples);
	return files;
}

/* All rows without a symbol in a file that is known. */
static size_t collect(const struct row_table *r, int sym, int dso,
		      struct nameless *all)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];

		if (!is_unknown(r, row, sym) || is_unknown(r, row, dso))
			continue;
		all[nr++] = (struct nameless){
			.dso = row_value(r, row, dso, NULL, 0),
			.id = row->values[dso],
			.samples = row->samples,
		};
	}
	return nr;
}

static const char *advice(const char *dso)
{
	if (!strncmp(dso, KERNEL, strlen(KERNEL)))
		return "copy /proc/kallsyms of the machine, as root, and use "
		       "--kallsyms";
	if (is_file_name(dso) && strncmp(dso, "/memfd:", 7) != 0)
		return "install its debug package, set DEBUGINFOD_URLS, or "
		       "use --symfs with the machine's files";
	if (*dso == '[' && !strstr(dso, "stack") && !strstr(dso, "heap") &&
	    !strstr(dso, "vdso"))
		return "use --kallsyms, or --symfs with the machine's modules";
	return "code without a file gets names from /tmp/perf-PID.map or a "
	       "jitdump";
}

static void print_one(const struct row_table *r, const struct nameless *one)
{
	printf("# %.2f%% of samples have no symbol, in ",
	       100.0 * one->samples / r->samples);
	name_put(stdout, one->dso, 0);
	printf(": %s\n", advice(one->dso));
}

int report_print_nameless(const struct report_output *out)
{
	const struct row_table *r = out->report;
	int sym = key_of(r, "sym"), dso = key_of(r, "dso");
	struct nameless *all;
	size_t nr;

	if (sym < 0 || dso < 0 || !r->nr_rows)
		return 0;
	all = calloc(r->nr_rows, sizeof(*all));
	if (!all)
		return -ENOMEM;
	nr = merge(all, collect(r, sym, dso, all));
	for (size_t i = 0; i < nr; i++)
		if (out->verbose ||
		    (i < SHOWN && 100.0 * all[i].samples >= LEAST * r->samples))
			print_one(r, &all[i]);
	free(all);
	return 0;
}
