// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope stat`: counts of groups of events, read at one instant. */
#include "session/cpu_watch.h"
#include "stat/stat.h"

#define CONFIG struct stat_config

static const struct option_row options[] = {
	OPT("event", 'e', "EVENTS", events, join,
	    "count these events (perf syntax)"),
	MEASURE_OPTIONS,
	OPT("interval-print", 'I', "MS", interval_ms, positive,
	    "print the counts every MS milliseconds"),
	OPT("repeat", 'r', "N", repeat, positive,
	    "run CMD N times, and print mean and standard error"),
	FLAG("no-aggr", 'A', per_cpu,
	     "print the counts of each CPU (with -a or -C)"),
	FLAG("per-core", 0, per_core,
	     "print the counts of each core (with -a or -C)"),
	FLAG("per-thread", 0, per_thread,
	     "print the counts of each thread (with -p or -t)"),
	FLAG("topdown", 0, topdown,
	     "top-down level 1: frontend bound, backend bound, bad "
	     "speculation, retiring"),
	OPT("td-level", 0, "N", td_level, positive,
	    "top-down down to this level, 1 or 2 (default: 1)"),
	OPT("metrics", 'M', "NAMES", metrics, join,
	    "count these metrics or groups of metrics"),
	FLAG("list-metrics", 0, list_metrics,
	     "list the metrics of this CPU, and exit"),
	OPT("midr", 0, "VALUE", midr, u64,
	    "use the metrics of the CPU with this MIDR_EL1"),
	FLAG("compare", 0, compare,
	     "also count with the CPU's own PMU, and print the skew"),
	OPT("field-separator", 'x', "SEP", separator, separator,
	    "machine-readable output, fields separated by SEP"),
	FLAG("json-output", 'j', json, "JSON, one object per line"),
	{"no-pager", 0, NULL, 0, option_no_pager, NULL,
	 "do not show the output in a pager (PMSCOPE_PAGER, PAGER, less)"},
	OPT("output", 'o', "FILE", output, name,
	    "write to FILE instead of standard error; - is standard output"),
	{}};

static const char *const *words(const struct option_row *row)
{
	return strcmp(row->name, "metrics") ? NULL : metric_names;
}

static const struct command_help help = {
	.synopsis = "stat [OPTIONS] [-- CMD [ARG...]]",
	.about = "Counts events while CMD runs, or of CPUs or running tasks "
		 "until the tasks end or\n"
		 "Ctrl-C is pressed.  An event without a PMU is an event of "
		 "pmu_snapshot.  All\n"
		 "events form one group unless braces divide them; each time a "
		 "group is read, all\n"
		 "its events are captured at one instant.",
	.options = options,
	.words = words,
	.program_follows = 1,
};

/* In this order, as many as the CPU has counters and the PMU has events. */
static const char *const default_events[] = {
	"cpu_cycles",	    "inst_retired", "l1d_cache",
	"l1d_cache_refill", "br_retired",   "br_mis_pred",
};

static char *choose_default_events(void)
{
	struct pmu pmu;
	char terms[64], *events = NULL;

	if (pmu_open(&pmu, PMSCOPE_PMU_DEVICES, SNAPSHOT_PMU, NULL))
		return strdup(default_events[0]);
	for (size_t i = 0; i < sizeof(default_events) / sizeof(char *); i++)
		if (!pmu_event_terms(&pmu, default_events[i], terms,
				     sizeof(terms)))
			option_join(NULL, default_events[i], &events);
	pmu_close(&pmu);
	return events ? events : strdup(default_events[0]);
}

static bool any_captured(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (event_is_snapshot(&events->event[i]))
			return true;
	return false;
}

static uint64_t midr_of(const struct stat_run *run)
{
	const struct cpulist *cpus = &run->target.cpus;

	return run->config->midr
		       ? run->config->midr
		       : sysfs_midr(PMSCOPE_CPUS, cpus->nr ? cpus->cpu[0] : 0);
}

static bool wants_metrics(const struct stat_config *config)
{
	return config->topdown || config->metrics;
}

/* The CPU's own methodology, or the architecture's level 1. */
static int plan_metrics(struct stat_run *run)
{
	const struct stat_config *config = run->config;
	struct metric_plan *plan = &run->plan;
	struct pmscope_error err = {};
	int ret = 0;

	metric_plan_init(plan, PMSCOPE_PMU_DEVICES, midr_of(run), stat_slots());
	if (config->topdown && plan->by_architecture)
		ret = stat_topdown_check(PMSCOPE_PMU_DEVICES, &err);
	if (!ret && config->topdown)
		ret = metric_plan_topdown(plan, config->td_level, &err);
	if (!ret && config->metrics)
		ret = metric_plan_names(plan, config->metrics, &err);
	if (ret) {
		error("%s: %s", config->topdown ? "--topdown" : "--metrics",
		      ret == -ENOMEM ? "out of memory" : err.text);
		return ret;
	}
	if (plan->missing)
		warning("this CPU does not list %s: metrics that need it are "
			"left out",
			plan->missing);
	run->has_captures = true;
	run->printer.metrics_only = config->metrics || config->td_level > 1;
	return stat_turns_plan(run, stat_turns_counters());
}

static int parse_events(struct stat_run *run)
{
	const struct event_rules rules = {.pmu = SNAPSHOT_PMU};
	char *text = run->config->events ? strdup(run->config->events)
					 : choose_default_events();
	struct pmscope_error err = {};
	int ret = text ? 0 : -ENOMEM;

	if (!ret)
		ret = events_parse(&run->events, text, &rules, &err);
	free(text);
	if (ret) {
		error("%s", ret == -ENOMEM ? "out of memory" : err.text);
		return ret;
	}
	events_join(&run->events);
	run->has_captures = any_captured(&run->events);
	if (!run->config->compare)
		return 0;
	ret = stat_compare_events(&run->events);
	run->tally.hide = ret > 0 ? ret : 0;
	return ret < 0 ? ret : 0;
}

static int printer_open(struct stat_run *run)
{
	const struct stat_config *config = run->config;
	struct stat_printer *p = &run->printer;

	p->format = config->json	? PRINT_JSONL
		    : config->separator ? PRINT_CSV
					: PRINT_TEXT;
	p->separator = config->separator;
	p->intervals = config->interval_ms;
	p->by = config->per_cpu	     ? STAT_BY_CPU
		: config->per_core   ? STAT_BY_CORE
		: config->per_thread ? STAT_BY_THREAD
				     : STAT_BY_NOTHING;
	p->out = stderr;
	if (config->output)
		p->out = strcmp(config->output, "-")
				 ? fopen(config->output, "we")
				 : stdout;
	if (p->out) {
		terminal_use(p->out);
		return 0;
	}
	error("%s: %s", config->output, strerror(errno));
	return -errno;
}

static int printer_close(struct stat_run *run)
{
	const char *output = run->config->output;
	int ret = run->printer.out ? output_close(run->printer.out) : 0;

	/* If the reader of a pipe is gone, no message is needed. */
	if (ret && run->exit_status != 128 + SIGPIPE)
		error("%s: %s", output ? output : "stderr", strerror(-ret));
	return ret;
}

static int check_config(const struct stat_config *config, bool program)
{
	if (config->repeat > 1 && config->interval_ms)
		error("-r and -I are mutually exclusive");
	else if (config->repeat > 1 && !program)
		error("-r requires a command");
	else if ((config->per_cpu || config->per_core) &&
		 !config->measure.all && !config->measure.cpus)
		error("-A and --per-core require -a or -C");
	else if (config->per_cpu && config->per_core)
		error("-A and --per-core are mutually exclusive");
	else if (config->per_thread && !config->measure.pids &&
		 !config->measure.tids)
		error("--per-thread requires -p or -t");
	else if (wants_metrics(config) && config->events)
		error("-e and --%s are mutually exclusive",
		      config->topdown ? "topdown" : "metrics");
	else if (wants_metrics(config) && config->compare)
		error("--compare and --%s are mutually exclusive",
		      config->topdown ? "topdown" : "metrics");
	else if (config->td_level > 2)
		error("--td-level: there are levels 1 and 2");
	else if (config->json && config->separator)
		error("-j and -x are mutually exclusive");
	else
		return 0;
	return -EINVAL;
}

static void run_free(struct stat_run *run)
{
	stat_tally_free(&run->tally);
	metric_plan_free(&run->plan);
	family_free(&run->family);
	events_free(&run->events);
	target_free(&run->target);
	close_open(&run->signal_fd);
	close_open(&run->watch_fd);
}

static int stat_start(struct stat_run *run)
{
	int ret;

	ret = measure_target(&run->config->measure, run->argv, &run->target);
	if (!ret)
		ret = wants_metrics(run->config) ? plan_metrics(run)
						 : parse_events(run);
	if (!ret)
		ret = printer_open(run);
	if (!ret)
		ret = run->signal_fd = measure_signals();
	if (ret < 0)
		return ret;
	run->tally.events = &run->events;
	run->tally.by = run->printer.by;
	/* A CPU's own methodology has corrections that these shares lack. */
	if (!run->plan.nr || run->plan.by_architecture)
		run->tally.table.slots = stat_slots();
	if (run->config->topdown && run->plan.by_architecture &&
	    !run->plan.slots)
		warning("--topdown: the CPU does not report its number of "
			"slots (PMMIR_EL1.SLOTS), so there are no shares");
	raise_file_limit();
	run->watch_fd = cpu_watch_open();
	ret = stat_count_runs(run);
	measure_tell_gone(&run->target, run->watch_fd);
	return printer_close(run) ? -EIO : ret;
}

static int list_metrics(struct stat_run *run)
{
	metric_plan_init(&run->plan, PMSCOPE_PMU_DEVICES, midr_of(run),
			 stat_slots());
	pager_begin();
	metric_plan_list(&run->plan, stdout);
	return 0;
}

int stat_main(int argc, char **argv)
{
	struct stat_config config = {};
	struct stat_run run = {.config = &config,
			       .signal_fd = -1,
			       .watch_fd = -1,
			       .timer_fd = -1,
			       .turn_fd = -1};
	int ret;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	if (config.list_metrics)
		return list_metrics(&run);
	if (ret < argc)
		run.argv = argv + ret;
	run.follows = measure_follows(&config.measure, run.argv);
	ret = check_config(&config, run.argv) ?: stat_start(&run);
	run_free(&run);
	free(config.events);
	free(config.metrics);
	/* If counting failed, do not return the program's success. */
	return ret && !run.exit_status ? 1 : run.exit_status;
}
