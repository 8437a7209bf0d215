// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope stat`: counts of groups of events, read at one instant. */
#include "base/snapshot_pmu.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "session/cpu_watch.h"
#include "session/open.h"
#include "session/pmu.h"
#include "stat/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_row options[] = {
	{.name = "event",
	 .letter = 'e',
	 .arg = "EVENTS",
	 .set = option_join,
	 .offset = offsetof(struct stat_config, events),
	 .help = "count these events (perf syntax)"},
	MEASURE_OPTIONS(struct stat_config, measure),
	{.name = "interval-print",
	 .letter = 'I',
	 .arg = "MS",
	 .set = option_positive,
	 .offset = offsetof(struct stat_config, interval_ms),
	 .help = "print the counts every MS milliseconds"},
	{.name = "repeat",
	 .letter = 'r',
	 .arg = "N",
	 .set = option_positive,
	 .offset = offsetof(struct stat_config, repeat),
	 .help = "run CMD N times, and print mean and standard error"},
	{.name = "no-aggr",
	 .letter = 'A',
	 .set = option_true,
	 .offset = offsetof(struct stat_config, per_cpu),
	 .help = "print the counts of each CPU (with -a or -C)"},
	{.name = "per-core",
	 .set = option_true,
	 .offset = offsetof(struct stat_config, per_core),
	 .help = "print the counts of each core (with -a or -C)"},
	{.name = "topdown",
	 .set = option_true,
	 .offset = offsetof(struct stat_config, topdown),
	 .help = "top-down level 1: frontend bound, backend bound, bad "
		 "speculation, retiring"},
	{.name = "compare",
	 .set = option_true,
	 .offset = offsetof(struct stat_config, compare),
	 .help = "also count with the CPU's own PMU, and print the skew"},
	{.name = "field-separator",
	 .letter = 'x',
	 .arg = "SEP",
	 .set = option_separator,
	 .offset = offsetof(struct stat_config, separator),
	 .help = "machine-readable output, fields separated by SEP"},
	{.name = "json-output",
	 .letter = 'j',
	 .set = option_true,
	 .offset = offsetof(struct stat_config, json),
	 .help = "JSON, one object per line"},
	{.name = "output",
	 .letter = 'o',
	 .arg = "FILE",
	 .set = option_name,
	 .offset = offsetof(struct stat_config, output),
	 .help = "write to FILE instead of standard error; - is standard "
		 "output"},
	{}};

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
	.program_follows = 1,
};

/* The first of these that the PMU has fill the counters of any Arm CPU. */
static const char *const default_events[] = {
	"cpu_cycles",	    "inst_retired", "l1d_cache",
	"l1d_cache_refill", "br_retired",   "br_mis_pred",
};

/* The top-down method needs all counts from the same instant. */
static const char topdown_events[] =
	"{cpu_cycles,op_retired,op_spec,stall_slot,stall_slot_backend,"
	"stall_slot_frontend}";

static char *choose_default_events(void)
{
	struct pmscope_pmu pmu;
	char terms[64], *events = NULL;

	if (pmscope_pmu_open(&pmu, PMSCOPE_PMU_DEVICES, SNAPSHOT_PMU, NULL))
		return strdup(default_events[0]);
	for (size_t i = 0; i < sizeof(default_events) / sizeof(char *); i++)
		if (!pmscope_pmu_event_terms(&pmu, default_events[i], terms,
					     sizeof(terms)))
			option_join(NULL, default_events[i], &events);
	pmscope_pmu_close(&pmu);
	return events ? events : strdup(default_events[0]);
}

static char *choose_events(const struct stat_config *config)
{
	if (config->events)
		return strdup(config->events);
	return config->topdown ? strdup(topdown_events)
			       : choose_default_events();
}

static bool any_captured(const struct pmscope_event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (pmscope_event_is_snapshot(&events->event[i]))
			return true;
	return false;
}

static int parse_events(struct stat_run *run)
{
	const struct pmscope_event_rules rules = {.pmu = SNAPSHOT_PMU};
	char *text = choose_events(run->config);
	struct pmscope_error err = {};
	int ret = text ? 0 : -ENOMEM;

	if (!ret && run->config->topdown)
		ret = stat_topdown_check(PMSCOPE_PMU_DEVICES, &err);
	if (!ret)
		ret = pmscope_events_parse(&run->events, text, &rules, &err);
	free(text);
	if (ret) {
		error("%s%s", run->config->topdown ? "--topdown: " : "",
		      ret == -ENOMEM ? "out of memory" : err.text);
		return ret;
	}
	pmscope_events_join(&run->events);
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

	p->format = config->json	? STAT_JSON
		    : config->separator ? STAT_CSV
					: STAT_HUMAN;
	p->separator = config->separator;
	p->intervals = config->interval_ms;
	p->by = config->per_cpu	   ? STAT_BY_CPU
		: config->per_core ? STAT_BY_CORE
				   : STAT_BY_NOTHING;
	p->out = stderr;
	if (!config->output)
		return 0;
	p->out = strcmp(config->output, "-") ? fopen(config->output, "we")
					     : stdout;
	if (p->out)
		return 0;
	error("%s: %s", config->output, strerror(errno));
	return -errno;
}

static int printer_close(struct stat_run *run)
{
	const char *output = run->config->output;
	int ret = run->printer.out ? output_close(run->printer.out) : 0;

	/* A reader that has gone needs no words. */
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
	else if (config->topdown && config->events)
		error("-e and --topdown are mutually exclusive");
	else if (config->json && config->separator)
		error("-j and -x are mutually exclusive");
	else
		return 0;
	return -EINVAL;
}

static void run_free(struct stat_run *run)
{
	stat_tally_free(&run->tally);
	pmscope_events_free(&run->events);
	pmscope_target_free(&run->target);
	if (run->signal_fd >= 0)
		close(run->signal_fd);
	if (run->watch_fd >= 0)
		close(run->watch_fd);
}

static int stat_start(struct stat_run *run)
{
	int ret;

	ret = measure_target(&run->config->measure, run->argv, &run->target);
	if (!ret)
		ret = parse_events(run);
	if (!ret)
		ret = printer_open(run);
	if (!ret)
		ret = run->signal_fd = measure_signals();
	if (ret < 0)
		return ret;
	run->tally.events = &run->events;
	run->tally.by = run->printer.by;
	run->tally.table.slots = stat_slots();
	if (run->config->topdown && !run->tally.table.slots)
		warning("--topdown: the CPU does not report its number of "
			"slots (PMMIR_EL1.SLOTS), so there are no shares");
	pmscope_raise_file_limit();
	run->watch_fd = cpu_watch_open();
	ret = stat_count_runs(run);
	measure_tell_gone(&run->target, run->watch_fd);
	return printer_close(run) ? -EIO : ret;
}

int stat_main(int argc, char **argv)
{
	struct stat_config config = {};
	struct stat_run run = {.config = &config,
			       .signal_fd = -1,
			       .watch_fd = -1,
			       .timer_fd = -1};
	int ret;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	if (ret < argc)
		run.argv = argv + ret;
	run.follows = measure_follows(&config.measure, run.argv);
	ret = check_config(&config, run.argv);
	if (!ret)
		ret = stat_start(&run);
	run_free(&run);
	free(config.events);
	/* If counting failed, do not return the program's success. */
	return ret && !run.exit_status ? 1 : run.exit_status;
}
