// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope stat`: counts of whole groups of events, read at one instant. */
#include "stat_tally.h"
#include "command.h"
#include "measure.h"
#include "message.h"
#include "session/open.h"
#include "session/pmu.h"
#include "session/workload.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* Tasks that are not our children tell nobody when they end. */
#define ALIVE_CHECK_MS 100

struct stat_config {
	char *events;
	struct measure_options measure;
	unsigned int interval_ms;
	unsigned int repeat;
	const char *separator;
	bool json;
	bool per_cpu;
	const char *output;
};

/**
 * struct stat_run - all that one `pmscope stat` holds
 * @argv: the program; NULL for none
 * @elapsed: seconds of the last run
 */
struct stat_run {
	const struct stat_config *config;
	char *const *argv;
	struct pmscope_event_list events;
	struct pmscope_target target;
	struct pmscope_workload workload;
	struct pmscope_counters *counters;
	struct stat_printer printer;
	struct stat_tally tally;
	struct timespec start;
	double elapsed;
	int signal_fd;
	int timer_fd;
	int exit_status;
};

static const struct option_row options[] = {
	{.name = "event",
	 .letter = 'e',
	 .arg = "EVENTS",
	 .set = option_join,
	 .offset = offsetof(struct stat_config, events),
	 .help = "what to count, in the words of perf"},
	MEASURE_OPTIONS(struct stat_config, measure),
	{.name = "interval-print",
	 .letter = 'I',
	 .arg = "MS",
	 .set = option_unsigned,
	 .offset = offsetof(struct stat_config, interval_ms),
	 .help = "print the counts of every MS milliseconds"},
	{.name = "repeat",
	 .letter = 'r',
	 .arg = "N",
	 .set = option_unsigned,
	 .offset = offsetof(struct stat_config, repeat),
	 .help = "run the program N times; mean and standard error"},
	{.name = "no-aggr",
	 .letter = 'A',
	 .set = option_true,
	 .offset = offsetof(struct stat_config, per_cpu),
	 .help = "the counts of each CPU, with -a or -C"},
	{.name = "field-separator",
	 .letter = 'x',
	 .arg = "SEP",
	 .set = option_string,
	 .offset = offsetof(struct stat_config, separator),
	 .help = "fields with SEP between, for scripts"},
	{.name = "json-output",
	 .letter = 'j',
	 .set = option_true,
	 .offset = offsetof(struct stat_config, json),
	 .help = "JSON, an object a line"},
	{.name = "output",
	 .letter = 'o',
	 .arg = "FILE",
	 .set = option_string,
	 .offset = offsetof(struct stat_config, output),
	 .help = "write to FILE (- is standard output), not standard error"},
	{}};

static const struct command_help help = {
	.synopsis = "stat [OPTIONS] [-- CMD [ARG...]]",
	.about = "Counts events while CMD runs, or on CPUs or in tasks that "
		 "run already until\n"
		 "they or Ctrl-C end it.  A bare event is one of pmu_snapshot, "
		 "and the events of\n"
		 "all -e together are one group, unless braces make others: a "
		 "group is captured\n"
		 "at one instant each time it is read.",
	.options = options,
	.program_follows = 1,
};

/* The first of these that the PMU has fill the counters of any Arm CPU. */
static const char *const default_events[] = {
	"cpu_cycles",	    "inst_retired", "l1d_cache",
	"l1d_cache_refill", "br_retired",   "br_mis_pred",
};

static char *choose_default_events(void)
{
	struct pmscope_pmu pmu;
	char terms[64], *events = NULL;

	if (pmscope_pmu_open(&pmu, PMSCOPE_PMU_DEVICES, "pmu_snapshot", NULL))
		return strdup(default_events[0]);
	for (size_t i = 0; i < sizeof(default_events) / sizeof(char *); i++)
		if (!pmscope_pmu_event_terms(&pmu, default_events[i], terms,
					     sizeof(terms)))
			option_join(NULL, default_events[i], &events);
	pmscope_pmu_close(&pmu);
	return events ? events : strdup(default_events[0]);
}

static int parse_events(struct stat_run *run)
{
	const struct pmscope_event_rules rules = {.pmu = "pmu_snapshot"};
	char *text = run->config->events ? strdup(run->config->events)
					 : choose_default_events();
	struct pmscope_error err = {};
	int ret = -ENOMEM;

	if (text)
		ret = pmscope_events_parse(&run->events, text, &rules, &err);
	if (ret)
		error("%s", text ? err.text : "out of memory");
	else
		pmscope_events_join(&run->events);
	free(text);
	return ret;
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
	p->per_cpu = config->per_cpu;
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
	FILE *out = run->printer.out;
	int bad;

	if (!out)
		return 0;
	bad = fflush(out) || ferror(out);
	if (out != stdout && out != stderr)
		bad |= fclose(out);
	if (bad)
		error("%s: cannot write",
		      run->config->output ? run->config->output : "stderr");
	return bad ? -EIO : 0;
}

static int check_config(const struct stat_config *config, bool program)
{
	if (config->repeat > 1 && config->interval_ms)
		error("-r and -I do not go together");
	else if (config->repeat > 1 && !program)
		error("-r repeats a program, and there is none");
	else if (config->per_cpu && !config->measure.all &&
		 !config->measure.cpus)
		error("-A needs -a or -C");
	else if (config->json && config->separator)
		error("give either -j or -x");
	else
		return 0;
	return -EINVAL;
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) +
	       (now.tv_nsec - start->tv_nsec) / 1e9;
}

static int print_interval(struct stat_run *run)
{
	int ret = stat_tally_read(&run->tally, run->counters);

	if (ret)
		return ret;
	stat_tally_delta(&run->tally);
	stat_print_table(&run->printer, &run->tally.table,
			 seconds_since(&run->start));
	stat_tally_next_interval(&run->tally);
	return 0;
}

static int timer_open(struct stat_run *run)
{
	unsigned int ms = run->config->interval_ms;
	struct itimerspec spec = {
		.it_interval = {ms / 1000, ms % 1000 * 1000000},
		.it_value = {ms / 1000, ms % 1000 * 1000000},
	};

	run->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (run->timer_fd >= 0 &&
	    !timerfd_settime(run->timer_fd, 0, &spec, NULL))
		return 0;
	error("timer: %s", strerror(errno));
	return -errno;
}

static bool target_ended(const struct stat_run *run)
{
	return !run->argv && !run->target.system_wide &&
	       !pmscope_target_alive(&run->target);
}

/* Until the program or the tasks end, or a signal comes. */
static int count_until_end(struct stat_run *run)
{
	struct pollfd fds[] = {
		{.fd = run->signal_fd, .events = POLLIN},
		{.fd = run->timer_fd, .events = POLLIN},
		{.fd = run->argv ? run->workload.pidfd : -1, .events = POLLIN},
	};
	int timeout =
		run->argv || run->target.system_wide ? -1 : ALIVE_CHECK_MS;
	uint64_t expired;
	int ret, sig;

	for (;;) {
		if (poll(fds, 3, timeout) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents) {
			sig = measure_signal_read(run->signal_fd);
			run->exit_status = run->argv ? 128 + sig : 0;
			return 0;
		}
		if (fds[2].revents || target_ended(run))
			return 0;
		if (!fds[1].revents ||
		    read(run->timer_fd, &expired, sizeof(expired)) < 0)
			continue;
		ret = print_interval(run);
		if (ret)
			return ret;
	}
}

/* The program's exec failed: say it as a shell would. */
static void report_exec(struct stat_run *run, int ret,
			const struct pmscope_error *err)
{
	error("cannot run '%s': %s", run->argv[0], err->text);
	run->exit_status = ret == -ENOENT ? 127 : 126;
}

static int counters_open(struct stat_run *run)
{
	const struct pmscope_count_rules rules = {
		.inherit = !run->target.system_wide &&
			   !run->config->measure.no_inherit,
		.on_exec = run->argv && !run->target.system_wide,
	};
	struct pmscope_error err = {};
	int ret;

	ret = pmscope_counters_open(&run->counters, &run->events, &run->target,
				    &rules, &err);
	if (ret == -EACCES && !run->target.system_wide &&
	    measure_leave_out_kernel(&run->events)) {
		ret = pmscope_counters_open(&run->counters, &run->events,
					    &run->target, &rules, &err);
		if (!ret)
			warning("no permission to count the kernel: counting "
				"user space only");
	}
	if (ret)
		error("%s", err.text);
	else if (!rules.on_exec)
		ret = pmscope_counters_enable(run->counters);
	return ret;
}

static int workload_prepare(struct stat_run *run)
{
	struct pmscope_error err = {};
	int ret;

	ret = pmscope_workload_prepare(&run->workload, run->argv, false, &err);
	if (ret) {
		error("%s", err.text);
		return ret;
	}
	if (run->target.system_wide)
		return 0;
	run->target.nr_tasks = 0;
	return pmscope_target_add(&run->target, run->workload.pid);
}

static int count_program(struct stat_run *run)
{
	struct pmscope_error err = {};
	int ret, status;

	ret = pmscope_workload_start(&run->workload, &err);
	if (ret) {
		report_exec(run, ret, &err);
		return ret;
	}
	ret = count_until_end(run);
	/* A signal for us is one for the program; a no-op when it has ended. */
	if (run->exit_status)
		kill(run->workload.pid, SIGTERM);
	if (!pmscope_workload_wait(&run->workload, &status) &&
	    !run->exit_status)
		run->exit_status = measure_exit_status(status);
	return ret;
}

static int count_once(struct stat_run *run)
{
	int ret = run->argv ? workload_prepare(run) : 0;

	if (!ret)
		ret = counters_open(run);
	if (ret)
		goto out;
	clock_gettime(CLOCK_MONOTONIC, &run->start);
	ret = run->argv ? count_program(run) : count_until_end(run);
	run->elapsed = seconds_since(&run->start);
	/* Stopping captures too, so that the last read has one instant. */
	if (!ret)
		ret = pmscope_counters_disable(run->counters);
	if (!ret)
		ret = run->printer.intervals
			      ? print_interval(run)
			      : stat_tally_read(&run->tally, run->counters);
out:
	pmscope_counters_free(run->counters);
	run->counters = NULL;
	pmscope_workload_free(&run->workload);
	return ret;
}

static void print_result(struct stat_run *run, unsigned int runs,
			 double elapsed)
{
	struct stat_summary summary = {
		.elapsed = elapsed / runs,
		.user = -1,
		.system = -1,
	};
	struct rusage usage;

	if (run->argv && !getrusage(RUSAGE_CHILDREN, &usage)) {
		summary.user =
			(usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6) /
			runs;
		summary.system =
			(usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6) /
			runs;
	}
	if (!run->printer.intervals) {
		stat_tally_average(&run->tally, runs);
		stat_print_table(&run->printer, &run->tally.table, elapsed);
	}
	stat_print_summary(&run->printer, &summary);
}

static void print_heading(struct stat_run *run, unsigned int runs)
{
	char what[128] = "the tasks";

	if (run->argv)
		snprintf(what, sizeof(what), "'%s'", run->argv[0]);
	else if (run->target.system_wide)
		snprintf(what, sizeof(what), "%zu CPUs", run->target.cpus.nr);
	stat_print_heading(&run->printer, what, runs);
}

static int count_runs(struct stat_run *run)
{
	unsigned int runs = run->config->repeat ? run->config->repeat : 1, i;
	double elapsed = 0;
	int ret;

	if (run->printer.intervals)
		print_heading(run, runs);
	for (i = 0; i < runs; i++) {
		ret = count_once(run);
		if (ret)
			return ret;
		stat_tally_delta(&run->tally);
		stat_tally_add_run(&run->tally);
		elapsed += run->elapsed;
		if (run->exit_status > 128)
			break;
	}
	runs = i < runs ? i + 1 : runs;
	if (!run->printer.intervals)
		print_heading(run, runs);
	print_result(run, runs, elapsed);
	return 0;
}

static void run_free(struct stat_run *run)
{
	stat_tally_free(&run->tally);
	pmscope_events_free(&run->events);
	pmscope_target_free(&run->target);
	if (run->signal_fd >= 0)
		close(run->signal_fd);
	if (run->timer_fd >= 0)
		close(run->timer_fd);
}

static int stat_run(struct stat_run *run)
{
	int ret;

	ret = measure_target(&run->config->measure, run->argv, &run->target);
	if (!ret)
		ret = parse_events(run);
	if (!ret)
		ret = printer_open(run);
	if (!ret)
		ret = run->signal_fd = measure_signals();
	if (ret >= 0 && run->config->interval_ms)
		ret = timer_open(run);
	if (ret < 0)
		return ret;
	run->tally.events = &run->events;
	run->tally.per_cpu = run->config->per_cpu;
	pmscope_raise_file_limit();
	ret = count_runs(run);
	return printer_close(run) ? -EIO : ret;
}

int stat_main(int argc, char **argv)
{
	struct stat_config config = {};
	struct stat_run run = {
		.config = &config, .signal_fd = -1, .timer_fd = -1};
	int ret;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	if (ret < argc)
		run.argv = argv + ret;
	ret = check_config(&config, run.argv);
	if (!ret)
		ret = stat_run(&run);
	run_free(&run);
	free(config.events);
	/* A failure of ours must not look like success of the program. */
	return ret && !run.exit_status ? 1 : run.exit_status;
}
