// SPDX-License-Identifier: GPL-2.0-or-later
/* What the programs of trace.bpf.c counted, as rows of a table. */
#include "cli/message.h"
#include "trace/probes.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct trace_row *row_find(struct trace_table *table, uint32_t tid,
				  uint32_t func, uint32_t event)
{
	for (size_t i = 0; i < table->nr; i++) {
		struct trace_row *row = &table->row[i];

		if (row->tid == tid && row->func == func && row->event == event)
			return row;
	}
	return NULL;
}

static struct trace_row *row_get(struct trace_table *table, uint32_t tid,
				 uint32_t func, uint32_t event)
{
	struct trace_row *row = row_find(table, tid, func, event);

	if (row)
		return row;
	row = realloc(table->row, (table->nr + 1) * sizeof(*row));
	if (!row)
		return NULL;
	table->row = row;
	row += table->nr++;
	*row = (struct trace_row){
		.tid = tid, .func = func, .event = event, .min = UINT64_MAX};
	return row;
}

static int add_total(struct trace_table *table, uint32_t tid, uint32_t func,
		     const struct trace_total *total, size_t nr_events)
{
	for (uint32_t i = 0; i < nr_events; i++) {
		struct trace_row *row = row_get(table, tid, func, i);

		if (!row)
			return -ENOMEM;
		row->calls += total->calls;
		row->sum += total->sum[i];
		if (total->min[i] < row->min)
			row->min = total->min[i];
		if (total->max[i] > row->max)
			row->max = total->max[i];
		memcpy(row->comm, total->comm, sizeof(row->comm));
	}
	return 0;
}

static int read_totals(struct trace_probes *probes, struct trace_table *table)
{
	bool threads = probes->plan->per_thread;
	int fd = bpf_map__fd(probes->main->maps.totals), ret = 0;
	struct trace_key key, *from = NULL;
	struct trace_total total;

	for (; !ret && !bpf_map_get_next_key(fd, from, &key); from = &key)
		if (!bpf_map_lookup_elem(fd, &key, &total))
			ret = add_total(table, threads ? key.tid : 0, key.func,
					&total, probes->plan->nr_events);
	return ret;
}

static int read_buckets(struct trace_probes *probes, struct trace_table *table)
{
	bool threads = probes->plan->per_thread;
	int fd = bpf_map__fd(probes->main->maps.buckets), ret = 0;
	struct trace_bucket key, *from = NULL;
	struct trace_row *row;
	uint64_t count;

	for (; !ret && !bpf_map_get_next_key(fd, from, &key); from = &key) {
		row = row_find(table, threads ? key.tid : 0, key.func,
			       key.event);
		if (row && !bpf_map_lookup_elem(fd, &key, &count))
			ret = trace_row_add(row, key.bucket, count);
	}
	return ret;
}

static uint64_t misses_of(const struct trace_bpf *skel)
{
	struct bpf_program *program;
	struct bpf_prog_info info;
	uint64_t misses = 0;

	bpf_object__for_each_program (program, skel->obj) {
		uint32_t size = sizeof(info);
		int fd = bpf_program__fd(program);

		memset(&info, 0, sizeof(info));
		if (fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &size))
			misses += info.recursion_misses;
	}
	return misses;
}

static int compare_rows(const void *a, const void *b)
{
	const struct trace_row *x = a, *y = b;

	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

int trace_probes_read(struct trace_probes *probes, struct trace_table *table)
{
	int ret = read_totals(probes, table);

	if (!ret)
		ret = read_buckets(probes, table);
	if (ret) {
		error("out of memory");
		return ret;
	}
	if (table->nr)
		qsort(table->row, table->nr, sizeof(*table->row), compare_rows);
	memcpy(table->lost, probes->main->bss->lost, sizeof(table->lost));
	table->missed = misses_of(probes->main);
	for (size_t i = 0; i < probes->nr_fentry; i++)
		table->missed += misses_of(probes->fentry[i]);
	return 0;
}
