// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"

#include <sys/timerfd.h>

/* Nothing signals the end of tasks that are not our children. */
#define ALIVE_CHECK_MS 100
/* How often a comparison reads, when no interval is asked for. */
#define COMPARE_MS 10

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) +
	       (now.tv_nsec - start->tv_nsec) / 1e9;
}

/* A comparison uses all reads, printed or not. */
static int read_all(struct stat_run *run)
{
	int ret;

	/* Where groups take turns, all tasks may end before the next one. */
	if (!run->counters)
		return 0;
	ret = stat_tally_read(&run->tally, run->counters);
	if (!ret && run->config->compare)
		stat_compare_add(&run->comparison, run->tally.reading,
				 run->tally.nr_readings);
	return ret;
}

/* The rows, and the metrics that come from them. */
static void print_counts(struct stat_run *run, double seconds)
{
	stat_print_table(&run->printer, &run->tally.table, seconds);
	if (run->plan.nr)
		stat_print_metrics(&run->printer, &run->tally, &run->plan,
				   seconds);
}

/* Reads at the end of an interval, which is the end of a turn, too. */
static int print_interval(struct stat_run *run)
{
	int ret = run->tally.turns ? stat_turns_end(run) : read_all(run);

	if (ret || !run->printer.intervals)
		return ret;
	stat_tally_delta(&run->tally);
	print_counts(run, seconds_since(&run->start));
	stat_tally_next_interval(&run->tally);
	return 0;
}

static int timer_open(int *fd, unsigned int ms)
{
	struct itimerspec spec = {
		.it_interval = {ms / 1000, ms % 1000 * 1000000},
		.it_value = {ms / 1000, ms % 1000 * 1000000},
	};

	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (*fd >= 0 && !timerfd_settime(*fd, 0, &spec, NULL))
		return 0;
	error("timer: %s", strerror(errno));
	return -errno;
}

static int timers_open(struct stat_run *run)
{
	int ret = 0;

	run->timer_fd = run->turn_fd = -1;
	if (run->config->interval_ms || run->config->compare)
		ret = timer_open(&run->timer_fd,
				 run->config->interval_ms
					 ? run->config->interval_ms
					 : COMPARE_MS);
	if (!ret && run->tally.turns)
		ret = stat_turns_start(run);
	return ret;
}

static void timer_close(int *fd)
{
	close_open(fd);
	*fd = -1;
}

static bool expired(const struct pollfd *fd)
{
	uint64_t times;

	return fd->revents && read(fd->fd, &times, sizeof(times)) > 0;
}

static int count_on(struct stat_run *run, bool interval, bool turn)
{
	int ret = interval ? print_interval(run) : 0;

	if (!ret && run->tally.turns && (interval || turn))
		ret = stat_turns_next(run);
	return ret;
}

static bool have_tasks_ended(const struct stat_run *run)
{
	return !run->argv && !run->target.system_wide &&
	       !target_alive(&run->target);
}

/* Waits until the program or the tasks end, or a signal comes. */
static int count_until_end(struct stat_run *run)
{
	struct pollfd fds[] = {
		{.fd = run->signal_fd, .events = POLLIN},
		{.fd = run->timer_fd, .events = POLLIN},
		{.fd = run->argv ? run->workload.pidfd : -1, .events = POLLIN},
		{.fd = run->turn_fd, .events = POLLIN},
	};
	int timeout =
		run->argv || run->target.system_wide ? -1 : ALIVE_CHECK_MS;
	int ret, sig;

	for (;;) {
		ret = measure_poll(fds, 4, timeout);
		if (ret)
			return ret;
		if (fds[0].revents) {
			sig = measure_signal_read(run->signal_fd);
			run->exit_status = run->argv ? 128 + sig : 0;
			run->ended_by_signal = true;
			return 0;
		}
		if (fds[2].revents || have_tasks_ended(run))
			return 0;
		ret = count_on(run, expired(&fds[1]), expired(&fds[3]));
		if (ret)
			return ret;
	}
}

static int counters_try(void *arg, struct pmscope_error *err)
{
	struct stat_run *run = arg;
	const struct count_rules rules = {
		.inherit = !run->target.system_wide &&
			   !run->config->measure.no_inherit &&
			   !run->config->per_thread,
		.on_exec = run->follows,
	};

	return pmscope_counters_open(&run->counters, &run->open, &run->target,
				     &rules, err);
}

static int counters_open(struct stat_run *run)
{
	struct pmscope_error err = {};
	int ret = run->plan.nr ? stat_turns_fit(run) : 0;

	if (ret)
		return ret;
	stat_turns_select(run);
	ret = measure_open(&run->events, counters_try, run,
			   run->target.system_wide
				   ? NULL
				   : "no permission to count the kernel: "
				     "counting user space only");
	if (ret || run->follows)
		return ret;
	return told(pmscope_counters_enable(run->counters, &err), &err);
}

static int prepare_workload(struct stat_run *run)
{
	/* Drops the task of the previous run. */
	if (run->follows)
		run->target.nr_tasks = 0;
	return measure_prepare(&run->workload, run->argv, false,
			       run->follows ? &run->target : NULL);
}

static int count_program(struct stat_run *run)
{
	int ret;

	ret = measure_start(&run->workload, run->argv, &run->exit_status);
	if (ret)
		return ret;
	ret = count_until_end(run);
	if (!ret)
		measure_end(&run->workload, run->signal_fd, &run->exit_status);
	return ret;
}

/* Stopping captures too, so that the last read has one instant. */
static int stop_and_print(struct stat_run *run)
{
	struct pmscope_error err = {};
	int ret = 0;

	if (!run->tally.turns)
		ret = told(pmscope_counters_disable(run->counters, &err), &err);
	return ret ? ret : print_interval(run);
}

static int count_once(struct stat_run *run)
{
	int ret = run->argv ? prepare_workload(run) : 0;

	if (!ret)
		ret = counters_open(run);
	if (!ret && run->tally.turns && !run->target.system_wide &&
	    !run->config->measure.no_inherit && !run->config->measure.tids)
		ret = family_add(&run->family, &run->target);
	if (ret)
		goto out;
	clock_gettime(CLOCK_MONOTONIC, &run->start);
	ret = timers_open(run);
	if (ret)
		goto out;
	ret = run->argv ? count_program(run) : count_until_end(run);
	run->elapsed = seconds_since(&run->start);
	if (!ret)
		ret = stop_and_print(run);
out:
	timer_close(&run->timer_fd);
	timer_close(&run->turn_fd);
	pmscope_counters_free(run->counters);
	run->counters = NULL;
	measure_abandon(&run->workload, run->signal_fd);
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
	struct stat_captures captures;
	struct rusage usage;

	if (run->has_captures && stat_captures_since(&run->captures, &captures))
		summary.captures = &captures;
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
		print_counts(run, elapsed);
	}
	if (run->config->compare)
		stat_compare_print(&run->printer, &run->comparison,
				   &run->events);
	stat_print_summary(&run->printer, &summary);
}

static void print_heading(struct stat_run *run, unsigned int runs)
{
	char what[128] = "the tasks";

	if (run->follows)
		snprintf(what, sizeof(what), "'%s'", run->argv[0]);
	else if (run->target.system_wide)
		snprintf(what, sizeof(what), "%zu CPU%s", run->target.cpus.nr,
			 run->target.cpus.nr == 1 ? "" : "s");
	stat_print_heading(&run->printer, what, runs);
}

int stat_count_runs(struct stat_run *run)
{
	unsigned int runs = run->config->repeat ? run->config->repeat : 1, i;
	double elapsed = 0;
	int ret;

	run->has_captures &= stat_captures_read(&run->captures);

	if (run->printer.intervals)
		print_heading(run, runs);
	for (i = 0; i < runs; i++) {
		ret = count_once(run);
		if (ret)
			return ret;
		stat_tally_delta(&run->tally);
		stat_tally_add_run(&run->tally);
		if (run->plan.nr && run->config->repeat > 1 &&
		    !run->tally.turns)
			stat_tally_end_turn(&run->tally);
		stat_tally_next_run(&run->tally);
		elapsed += run->elapsed;
		if (run->ended_by_signal)
			break;
	}
	runs = i < runs ? i + 1 : runs;
	if (!run->printer.intervals) {
		if (run->printer.format == PRINT_TEXT)
			pager_begin();
		print_heading(run, runs);
	}
	print_result(run, runs, elapsed);
	return 0;
}
