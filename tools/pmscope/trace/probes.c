// SPDX-License-Identifier: GPL-2.0-or-later
/* Loading and attaching the programs of trace.bpf.c. */
#include "trace.skel.h"
#include "trace/trace.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/utsname.h>

/* @fentry: objects of one function each, with the maps of @main. */
struct trace_probes {
	const struct trace_plan *plan;
	struct trace_bpf *main;
	struct trace_bpf **fentry;
	size_t nr_fentry;
	struct bpf_link **link;
	size_t nr_links;
};

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
	if (array_one_more(table->row, table->nr))
		return NULL;
	row = &table->row[table->nr++];
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
		row->min = MIN(row->min, total->min[i]);
		row->max = MAX(row->max, total->max[i]);
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

static COMPARISON(compare_rows, struct trace_row,
		  COMPARE(x->func, y->func) ?: COMPARE(x->tid, y->tid)
		  ?: COMPARE(x->event, y->event));

int trace_probes_read(struct trace_probes *probes, struct trace_table *table)
{
	int ret = read_totals(probes, table) ?: read_buckets(probes, table);

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

#define MODULE_BTF "/sys/kernel/btf/pmscope"

/* The last thing that libbpf said, for when it fails. */
static char last_words[512];

static int listen_to_libbpf(enum libbpf_print_level level, const char *fmt,
			    va_list args)
{
	if (level == LIBBPF_WARN)
		vsnprintf(last_words, sizeof(last_words), fmt, args);
	last_words[strcspn(last_words, "\n")] = '\0';
	return 0;
}

static bool kernel_is_older(int major, int minor)
{
	struct utsname name;
	int a, b;

	return !uname(&name) && sscanf(name.release, "%d.%d", &a, &b) == 2 &&
	       (a < major || (a == major && b < minor));
}

/* What is missing, and what to do about it. */
static void explain_load(int ret)
{
	struct utsname name = {};

	uname(&name);
	if (kernel_is_older(6, 12))
		error("trace: Linux %s is too old: its BPF programs on "
		      "functions cannot call modules; boot 6.12 or newer",
		      name.release);
	else if (access("/sys/kernel/btf/vmlinux", F_OK))
		error("trace: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF); "
		      "boot one that has");
	else if (access(MODULE_BTF, F_OK))
		error("trace: pmscope.ko was built without BTF; install "
		      "pahole (dwarves), build the module again and reload it");
	else if (ret == -EPERM || ret == -EACCES)
		error("trace: no permission to load BPF programs; run as root, "
		      "or with CAP_BPF and CAP_PERFMON");
	else
		error("trace: the BPF programs do not load: %s%s%s",
		      strerror(-ret), *last_words ? ": " : "", last_words);
}

static int fill_groups(struct trace_probes *probes)
{
	const struct pmscope_reading *reading;
	struct pmscope_error err = {};
	int nr, fd = bpf_map__fd(probes->main->maps.groups);

	nr = pmscope_counters_read(probes->plan->counters, &reading, &err);
	if (nr < 0) {
		error("%s", err.text);
		return nr;
	}
	for (int i = 0; i < nr; i++) {
		uint64_t id;
		uint32_t cpu = reading[i].cpu;
		int ret =
			pmscope_counters_id(probes->plan->counters, i, &id)
				?: bpf_map_update_elem(fd, &cpu, &id, BPF_ANY);

		if (ret) {
			error("trace: CPU %u: %s", cpu, strerror(-ret));
			return ret;
		}
	}
	return 0;
}

static int fill_processes(struct trace_probes *probes)
{
	int fd = bpf_map__fd(probes->main->maps.processes), ret = 0;
	uint32_t yes = 1;

	for (size_t i = 0; i < probes->plan->nr_tgids && !ret; i++) {
		uint32_t tgid = probes->plan->tgids[i];

		ret = bpf_map_update_elem(fd, &tgid, &yes, BPF_ANY);
		if (ret)
			error("trace: process %u: %s", tgid, strerror(-ret));
	}
	return ret;
}

static int load_main(struct trace_probes *probes)
{
	struct trace_bpf *skel = trace_bpf__open();
	int ret = -errno;

	if (!skel) {
		error("trace: cannot open the BPF programs: %s",
		      strerror(-ret));
		return ret;
	}
	probes->main = skel;
	skel->rodata->nr_events = probes->plan->nr_events;
	skel->rodata->nr_funcs = probes->plan->nr_funcs;
	skel->rodata->filter = probes->plan->tgids;
	skel->rodata->per_thread = probes->plan->per_thread;
	bpf_map__set_max_entries(skel->maps.groups, libbpf_num_possible_cpus());
	ret = trace_bpf__load(skel);
	if (ret) {
		explain_load(ret);
		return ret;
	}
	return fill_groups(probes) ?: fill_processes(probes);
}

static int link_add(struct trace_probes *probes, struct bpf_link *link)
{
	if (!link)
		return -errno;
	probes->link[probes->nr_links++] = link;
	return 0;
}

static void link_drop(struct trace_probes *probes, size_t nr)
{
	while (probes->nr_links > nr)
		bpf_link__destroy(probes->link[--probes->nr_links]);
}

static int share_maps(struct trace_bpf *to, struct trace_bpf *from)
{
	struct bpf_map *map, *other;
	int ret = 0;

	bpf_object__for_each_map (map, to->obj) {
		other = bpf_object__find_map_by_name(from->obj,
						     bpf_map__name(map));
		if (!other || ret)
			return ret ? ret : -ENOENT;
		ret = bpf_map__reuse_fd(map, bpf_map__fd(other));
	}
	return ret;
}

/* A copy of the programs that is bound to one kernel function. */
static int attach_fentry(struct trace_probes *probes, size_t func)
{
	const char *symbol = probes->plan->func[func].symbol;
	LIBBPF_OPTS(bpf_trace_opts, opts, .cookie = func);
	struct trace_bpf *skel = trace_bpf__open();
	size_t before = probes->nr_links;
	struct bpf_program *program;
	int ret;

	if (!skel)
		return -errno;
	bpf_object__for_each_program (program, skel->obj)
		bpf_program__set_autoload(program, false);
	bpf_program__set_autoload(skel->progs.on_fentry, true);
	bpf_program__set_autoload(skel->progs.on_fexit, true);
	ret = bpf_program__set_attach_target(skel->progs.on_fentry, 0, symbol);
	if (!ret)
		ret = bpf_program__set_attach_target(skel->progs.on_fexit, 0,
						     symbol);
	if (!ret)
		ret = share_maps(skel, probes->main);
	if (!ret)
		ret = trace_bpf__load(skel);
	if (!ret)
		ret = link_add(probes, bpf_program__attach_trace_opts(
					       skel->progs.on_fexit, &opts));
	if (!ret)
		ret = link_add(probes, bpf_program__attach_trace_opts(
					       skel->progs.on_fentry, &opts));
	if (!ret) {
		probes->fentry[probes->nr_fentry++] = skel;
		return 0;
	}
	/* The return alone may have found room on the function. */
	link_drop(probes, before);
	trace_bpf__destroy(skel);
	return ret;
}

static int attach_kprobe(struct trace_probes *probes, size_t func)
{
	const char *symbol = probes->plan->func[func].symbol;
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = func,
		    .retprobe = true);
	struct trace_bpf *skel = probes->main;
	int ret;

	ret = link_add(probes, bpf_program__attach_kprobe_opts(
				       skel->progs.on_return, symbol, &opts));
	opts.retprobe = false;
	if (!ret)
		ret = link_add(probes,
			       bpf_program__attach_kprobe_opts(
				       skel->progs.on_entry, symbol, &opts));
	return ret;
}

/* The return first: a call that is seen half is one without an entry. */
static int attach_uprobe(struct trace_probes *probes, size_t func)
{
	const struct trace_function *f = &probes->plan->func[func];
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = func,
		    .func_name = f->symbol, .retprobe = true);
	struct trace_bpf *skel = probes->main;
	int ret;

	ret = link_add(probes,
		       bpf_program__attach_uprobe_opts(skel->progs.on_return,
						       -1, f->path, 0, &opts));
	opts.retprobe = false;
	if (!ret)
		ret = link_add(probes, bpf_program__attach_uprobe_opts(
					       skel->progs.on_entry, -1,
					       f->path, 0, &opts));
	return ret;
}

static int attach_function(struct trace_probes *probes, size_t func)
{
	const struct trace_function *f = &probes->plan->func[func];
	int ret;

	last_words[0] = '\0';
	if (f->path)
		ret = attach_uprobe(probes, func);
	else if (attach_fentry(probes, func))
		ret = attach_kprobe(probes, func);
	else
		ret = 0;
	if (!ret)
		return 0;
	if (f->path)
		error("function '%s': no probe in %s: %s%s%s", f->name, f->path,
		      strerror(-ret), *last_words ? ": " : "", last_words);
	else
		error("function '%s': neither in the program nor a kernel "
		      "function that can be probed: %s (FILE:NAME is one of a "
		      "library)",
		      f->name, strerror(-ret));
	return ret;
}

static int attach_all(struct trace_probes *probes)
{
	struct trace_bpf *skel = probes->main;
	int ret;

	ret = link_add(probes, bpf_program__attach(skel->progs.on_switch))
		      ?: link_add(probes,
				  bpf_program__attach(skel->progs.on_exit));
	if (!ret && probes->plan->tgids)
		ret = link_add(probes,
			       bpf_program__attach(skel->progs.on_fork));
	if (ret)
		error("trace: cannot attach to the scheduler: %s",
		      strerror(-ret));
	for (size_t i = 0; i < probes->plan->nr_funcs && !ret; i++)
		ret = attach_function(probes, i);
	return ret;
}

static struct trace_probes *probes_alloc(const struct trace_plan *plan)
{
	struct trace_probes *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->plan = plan;
	p->link = calloc(3 + 2 * plan->nr_funcs, sizeof(*p->link));
	p->fentry = calloc(plan->nr_funcs, sizeof(*p->fentry));
	if (p->link && p->fentry)
		return p;
	trace_probes_free(p);
	return NULL;
}

int trace_probes_open(struct trace_probes **probes,
		      const struct trace_plan *plan)
{
	struct trace_probes *p = probes_alloc(plan);
	int ret;

	if (!p)
		return no_memory();
	libbpf_set_print(listen_to_libbpf);
	ret = load_main(p) ?: attach_all(p);
	if (ret) {
		trace_probes_free(p);
		return ret;
	}
	*probes = p;
	return 0;
}

void trace_probes_free(struct trace_probes *probes)
{
	if (!probes)
		return;
	link_drop(probes, 0);
	for (size_t i = 0; i < probes->nr_fentry; i++)
		trace_bpf__destroy(probes->fentry[i]);
	trace_bpf__destroy(probes->main);
	free(probes->fentry);
	free(probes->link);
	free(probes);
}
