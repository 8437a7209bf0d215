// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope record`: SPE traces and counter snapshots into a perf.data. */
#include "command.h"
#include "measure.h"
#include "message.h"
#include "record_adapt.h"
#include "record_options.h"
#include "record_size.h"
#include "session/open.h"
#include "session/pmu.h"
#include "session/recorder.h"
#include "session/spe_losses.h"
#include "session/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA_SIZE (512U << 10)
/* Whom the limit of locked memory is for has less, as with perf. */
#define DATA_SIZE_LIMITED (256U << 10)
#define AUX_SIZE_LIMITED  (128U << 10)

/*
 * Rings are looked at this often even when the kernel does not wake us: it
 * does so for the tasks that own a ring, which may have ended.
 */
#define DRAIN_MS 200

struct record_run {
	const struct record_config *config;
	char *const *argv;
	char *const *command_line;
	struct pmscope_event_list events;
	struct pmscope_target target;
	struct pmscope_workload workload;
	struct pmscope_recorder *recorder;
	struct pmscope_spe_losses losses;
	struct record_adapt adapt;
	struct pollfd *fds;
	int signal_fd;
	int exit_status;
};

static int workload_prepare(struct record_run *run)
{
	const char *output = run->config->output;
	struct pmscope_error err = {};
	int ret;

	if (!run->argv)
		return 0;
	ret = pmscope_workload_prepare(&run->workload, run->argv,
				       output && !strcmp(output, "-"), &err);
	if (ret) {
		error("%s", err.text);
		return ret;
	}
	if (run->target.system_wide)
		return 0;
	return pmscope_target_add(&run->target, run->workload.pid);
}

/* What was not given is chosen, and made smaller until it can be had. */
static int open_with_less(struct record_run *run,
			  struct pmscope_recorder_rules *rules,
			  struct pmscope_error *err)
{
	int ret;

	for (;;) {
		ret = pmscope_recorder_open(&run->recorder, &run->events,
					    &run->target, rules, err);
		if ((ret != -EPERM && ret != -ENOMEM) ||
		    run->config->aux_size || rules->aux_size <= AUX_SIZE_MIN)
			return ret;
		rules->aux_size /= 2;
	}
}

static uint64_t choose_aux_size(const struct record_run *run)
{
	uint64_t memory =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	return record_aux_size(run->adapt.period, run->target.cpus.nr, memory);
}

static int recorder_try(void *arg, struct pmscope_error *err)
{
	struct record_run *run = arg;
	const struct record_config *config = run->config;
	bool limited = geteuid() && pmscope_perf_event_paranoid() >= 0;
	struct pmscope_recorder_rules rules = {
		.data_size = limited ? DATA_SIZE_LIMITED : DATA_SIZE,
		.aux_size = limited ? AUX_SIZE_LIMITED : choose_aux_size(run),
		.inherit =
			!run->target.system_wide && !config->measure.no_inherit,
		.on_exec = run->argv && !run->target.system_wide,
		.per_thread = config->per_thread,
		.data_maps = config->data_maps,
		.switches = true,
	};

	if (config->data_size)
		rules.data_size = config->data_size;
	if (config->aux_size)
		rules.aux_size = config->aux_size;
	return open_with_less(run, &rules, err);
}

static int recorder_open(struct record_run *run)
{
	int ret;

	pmscope_raise_file_limit();
	ret = measure_open(&run->events, recorder_try, run,
			   run->target.system_wide
				   ? NULL
				   : "no permission to sample the kernel: "
				     "recording user space only");
	if (!ret && !pmscope_recorder_inherits(run->recorder))
		warning("snapshots follow only the first task, not those it "
			"makes: this kernel or PMU cannot hand them on (-a "
			"records all)");
	return ret;
}

static int start_file(struct record_run *run)
{
	const char *path =
		run->config->output ? run->config->output : "perf.data";
	struct pmscope_error err = {};
	int ret;

	ret = pmscope_recorder_start_file(run->recorder, path,
					  run->command_line, &err);
	if (ret < 0)
		error("%s", err.text);
	else if (ret && !run->config->quiet)
		warning("kernel.kptr_restrict hides the kernel's addresses: "
			"its samples will have no symbols");
	return ret < 0 ? ret : 0;
}

static int report_write(const struct record_run *run, int ret)
{
	if (ret)
		error("%s: %s",
		      run->config->output ? run->config->output : "perf.data",
		      strerror(-ret));
	return ret;
}

static bool target_ended(const struct record_run *run)
{
	return !run->argv && !run->target.system_wide &&
	       !pmscope_target_alive(&run->target);
}

/* A ring whose tasks have all ended would wake us for ever. */
static void drop_ended(struct pollfd *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (fds[i].revents & (POLLHUP | POLLERR))
			fds[i].fd = -1;
}

static int adapt_period(struct record_run *run)
{
	uint64_t before = run->adapt.period, period;
	int ret;

	period = record_adapt(&run->adapt,
			      pmscope_recorder_stats(run->recorder));
	if (period == before)
		return 0;
	ret = pmscope_recorder_set_period(run->recorder, period);
	if (ret)
		error("cannot change the sampling interval: %s",
		      strerror(-ret));
	return ret;
}

/* On a terminal, how much there is; the summary takes its place. */
static void show_progress(const struct record_run *run)
{
	const char *term = getenv("TERM");

	if (run->config->quiet || !isatty(STDERR_FILENO) || getenv("CI") ||
	    !term || !strcmp(term, "dumb"))
		return;
	fprintf(stderr, "\r%.1f MB \r",
		pmscope_recorder_size(run->recorder) / 1e6);
}

static int record_until_end(struct record_run *run)
{
	size_t nr = pmscope_recorder_nr_fds(run->recorder);
	struct pollfd *own = run->fds + nr;
	int ret;

	pmscope_recorder_fill_fds(run->recorder, run->fds);
	own[0] = (struct pollfd){.fd = run->signal_fd, .events = POLLIN};
	own[1] = (struct pollfd){.fd = run->argv ? run->workload.pidfd : -1,
				 .events = POLLIN};
	for (;;) {
		if (poll(run->fds, nr + 2, DRAIN_MS) < 0 && errno != EINTR)
			return -errno;
		drop_ended(run->fds, nr);
		ret = pmscope_recorder_drain(run->recorder);
		if (ret)
			return report_write(run, ret);
		ret = adapt_period(run);
		if (ret)
			return ret;
		show_progress(run);
		if (own[0].revents) {
			ret = measure_signal_read(run->signal_fd);
			run->exit_status = run->argv ? 128 + ret : 0;
			return 0;
		}
		if (own[1].revents || target_ended(run))
			return 0;
	}
}

static int start_program(struct record_run *run)
{
	struct pmscope_error err = {};
	int ret;

	if (!run->argv)
		return 0;
	ret = pmscope_workload_start(&run->workload, &err);
	if (ret) {
		error("cannot run '%s': %s", run->argv[0], err.text);
		run->exit_status = ret == -ENOENT ? 127 : 126;
	}
	return ret;
}

static void end_program(struct record_run *run)
{
	int status;

	if (!run->workload.pid)
		return;
	/* A signal for us is one for the program. */
	if (run->exit_status)
		kill(run->workload.pid, SIGTERM);
	if (!pmscope_workload_wait(&run->workload, &status) &&
	    !run->exit_status)
		run->exit_status = measure_exit_status(status);
}

static int record_all(struct record_run *run)
{
	int ret = 0;

	pmscope_spe_losses_read(&run->losses, PMSCOPE_PMU_DEVICES);
	run->fds = calloc(pmscope_recorder_nr_fds(run->recorder) + 2,
			  sizeof(*run->fds));
	if (!run->fds)
		return -ENOMEM;
	if (!run->argv || run->target.system_wide)
		ret = pmscope_recorder_enable(run->recorder);
	if (!ret)
		ret = start_program(run);
	if (!ret)
		ret = record_until_end(run);
	if (ret)
		return ret;
	ret = pmscope_recorder_disable(run->recorder);
	end_program(run);
	return ret;
}

static void warn_losses(const struct pmscope_recorder_stats *stats)
{
	if (stats->lost)
		warning("%" PRIu64 " records lost for want of space in the "
			"rings: try --data-size",
			stats->lost);
	if (stats->truncated)
		warning("%" PRIu64 " of %" PRIu64
			" SPE buffers were truncated: samples are missing; try "
			"a larger --aux-size or -c",
			stats->truncated, stats->aux_buffers);
	if (stats->partial)
		warning("%" PRIu64 " of %" PRIu64
			" SPE buffers end in a record that is not whole",
			stats->partial, stats->aux_buffers);
	if (stats->collisions)
		warning("samples collided in %" PRIu64 " of %" PRIu64
			" SPE buffers: some operations were not sampled; try a "
			"larger -c",
			stats->collisions, stats->aux_buffers);
	if (stats->throttled)
		warning("the kernel throttled events %" PRIu64
			" times: try a lower -F",
			stats->throttled);
}

/* What the SPE driver saw meanwhile, in all recordings on this machine. */
static void print_losses(const struct record_run *run)
{
	struct pmscope_spe_losses losses;
	const char *before = "pmscope: SPE driver: ";

	pmscope_spe_losses_read(&losses, PMSCOPE_PMU_DEVICES);
	pmscope_spe_losses_since(&losses, &run->losses);
	if (!losses.valid || !losses.count[PMSCOPE_SPE_WINDOWS])
		return;
	for (int i = 0; i < PMSCOPE_SPE_COUNTS; i++) {
		if (!losses.count[i])
			continue;
		fprintf(stderr, "%s%" PRIu64 " %s", before, losses.count[i],
			pmscope_spe_count_words(i));
		before = ", ";
	}
	fputc('\n', stderr);
}

static void print_summary(const struct record_run *run)
{
	const struct pmscope_recorder_stats *stats =
		pmscope_recorder_stats(run->recorder);
	const char *path = run->config->output;

	warn_losses(stats);
	if (run->config->quiet)
		return;
	fprintf(stderr, "pmscope: %s: %.3f MB", path ? path : "perf.data",
		pmscope_recorder_size(run->recorder) / 1e6);
	if (stats->aux_buffers)
		fprintf(stderr, ", %.3f MB of SPE trace in %" PRIu64 " buffers",
			stats->aux_bytes / 1e6, stats->aux_buffers);
	if (stats->samples)
		fprintf(stderr, ", %" PRIu64 " snapshots or samples",
			stats->samples);
	fputc('\n', stderr);
	if (run->adapt.raised)
		fprintf(stderr,
			"pmscope: the sampling interval was doubled %u times, "
			"up to %" PRIu64 " (--max-loss)\n",
			run->adapt.raised, run->adapt.period);
	if (stats->aux_buffers)
		print_losses(run);
}

static void run_free(struct record_run *run)
{
	pmscope_recorder_free(run->recorder);
	pmscope_workload_free(&run->workload);
	pmscope_events_free(&run->events);
	pmscope_target_free(&run->target);
	free(run->fds);
	if (run->signal_fd >= 0)
		close(run->signal_fd);
}

static int check_config(const struct record_config *config)
{
	if (config->cgroup && (config->measure.pids || config->measure.tids))
		error("give either --cgroup or tasks");
	else if (config->per_thread && config->events.snapshot)
		error("--per-thread recordings have no times, which --snapshot "
		      "needs");
	else if (config->per_thread &&
		 (config->measure.all || config->measure.cpus))
		error("--per-thread is for tasks, -a and -C for CPUs");
	else
		return 0;
	return -EINVAL;
}

static int choose_target(struct record_run *run)
{
	struct measure_options measure = run->config->measure;
	struct pmscope_error err = {};
	int ret;

	/* Control groups are followed on CPUs, all of them if none is named. */
	if (run->config->cgroup && !measure.cpus)
		measure.all = true;
	ret = measure_target(&measure, run->argv, &run->target);
	if (ret || !run->config->cgroup)
		return ret;
	ret = pmscope_target_cgroup(&run->target, run->config->cgroup, &err);
	if (ret)
		error("%s", err.text);
	return ret;
}

/* The interval of SPE, the longest if there are several. */
static uint64_t spe_period(const struct pmscope_event_list *events)
{
	uint64_t period = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pmscope_event *event = &events->event[i];

		if (event->pmu && !strncmp(event->pmu, "arm_spe_", 8) &&
		    event->attr.attr.sample_period > period)
			period = event->attr.attr.sample_period;
	}
	return period ? period : RECORD_PERIOD;
}

static int record_run(struct record_run *run)
{
	int ret;

	ret = check_config(run->config);
	if (!ret)
		ret = choose_target(run);
	if (!ret)
		ret = record_events(&run->events, &run->config->events);
	if (!ret && run->target.system_wide)
		pmscope_events_choose(&run->events, &run->target.cpus);
	run->adapt.period = spe_period(&run->events);
	if (!ret)
		ret = run->signal_fd = measure_signals();
	if (ret >= 0)
		ret = workload_prepare(run);
	if (!ret)
		ret = recorder_open(run);
	if (!ret)
		ret = start_file(run);
	if (!ret)
		ret = record_all(run);
	if (ret)
		return ret;
	ret = report_write(run, pmscope_recorder_finish(run->recorder));
	if (!ret)
		print_summary(run);
	return ret;
}

int record_main(int argc, char **argv)
{
	struct record_config config = {.max_loss = UINT64_MAX};
	struct record_run run = {
		.config = &config, .command_line = argv - 1, .signal_fd = -1};
	int ret;

	ret = options_parse(&record_help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	if (ret < argc)
		run.argv = argv + ret;
	run.adapt.percent = config.max_loss > 100 ? -1 : (int)config.max_loss;
	ret = record_run(&run);
	run_free(&run);
	record_events_options_free(&config.events);
	return ret && !run.exit_status ? 1 : run.exit_status;
}
