// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope record`: SPE traces and counter snapshots into a perf.data. */
#include "command.h"
#include "measure.h"
#include "message.h"
#include "record_events.h"
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
#define AUX_SIZE  (4U << 20)
/* Whom the limit of locked memory is for has less, as with perf. */
#define DATA_SIZE_LIMITED (256U << 10)
#define AUX_SIZE_LIMITED  (128U << 10)

/*
 * Rings are looked at this often even when the kernel does not wake us: it
 * does so for the tasks that own a ring, which may have ended.
 */
#define DRAIN_MS 200

struct record_config {
	struct measure_options measure;
	struct record_events_options events;
	const char *output;
	uint64_t data_size;
	uint64_t aux_size;
	bool per_thread;
	bool data_maps;
	bool quiet;
};

struct record_run {
	const struct record_config *config;
	char *const *argv;
	char *const *command_line;
	struct pmscope_event_list events;
	struct pmscope_target target;
	struct pmscope_workload workload;
	struct pmscope_recorder *recorder;
	struct pmscope_spe_losses losses;
	struct pollfd *fds;
	int signal_fd;
	int exit_status;
};

/* "64K", "4M", "1G" or bytes; a power of two of a page or more. */
static int option_size(const struct option_row *row, const char *arg,
		       void *field)
{
	unsigned long long size;
	char *end;

	(void)row;
	if (*arg < '0' || *arg > '9')
		return -EINVAL;
	size = strtoull(arg, &end, 0);
	if (*end == 'K' || *end == 'k')
		size <<= 10;
	else if (*end == 'M' || *end == 'm')
		size <<= 20;
	else if (*end == 'G' || *end == 'g')
		size <<= 30;
	if ((*end && end[1]) || size & (size - 1) ||
	    size < (unsigned long)sysconf(_SC_PAGESIZE))
		return -EINVAL;
	*(uint64_t *)field = size;
	return 0;
}

#define FIELD(member) offsetof(struct record_config, member)

static const struct option_row options[] = {
	{.name = "output",
	 .letter = 'o',
	 .arg = "FILE",
	 .set = option_string,
	 .offset = FIELD(output),
	 .help = "write to FILE (perf.data), - is standard output"},
	MEASURE_OPTIONS(struct record_config, measure),
	{.name = "per-thread",
	 .set = option_true,
	 .offset = FIELD(per_thread),
	 .help = "a buffer for each task, not for each CPU; implies -i"},
	{.name = "count",
	 .letter = 'c',
	 .arg = "N",
	 .set = option_u64,
	 .offset = FIELD(events.period),
	 .help = "SPE samples one of N operations (4096)"},
	{.name = "loads",
	 .set = option_true,
	 .offset = FIELD(events.loads),
	 .help = "keep samples of loads"},
	{.name = "stores",
	 .set = option_true,
	 .offset = FIELD(events.stores),
	 .help = "keep samples of stores"},
	{.name = "branches",
	 .set = option_true,
	 .offset = FIELD(events.branches),
	 .help = "keep samples of branches"},
	{.name = "min-latency",
	 .arg = "CYCLES",
	 .set = option_u64,
	 .offset = FIELD(events.min_latency),
	 .help = "keep samples that took so long or longer"},
	{.name = "event-filter",
	 .arg = "MASK",
	 .set = option_u64,
	 .offset = FIELD(events.event_filter),
	 .help = "keep samples that have all these events (PMSEVFR_EL1)"},
	{.name = "no-jitter",
	 .set = option_true,
	 .offset = FIELD(events.no_jitter),
	 .help = "do not vary the sampling interval at random"},
	{.name = "physical",
	 .set = option_true,
	 .offset = FIELD(events.physical),
	 .help = "record physical data addresses too"},
	{.name = "snapshot",
	 .letter = 's',
	 .arg = "EVENTS",
	 .set = option_join,
	 .offset = FIELD(events.snapshot),
	 .help = "capture these counters, at one instant, -F times a second"},
	{.name = "freq",
	 .letter = 'F',
	 .arg = "HZ",
	 .set = option_u64,
	 .offset = FIELD(events.freq),
	 .help = "snapshots a second on each CPU (1000)"},
	{.name = "event",
	 .letter = 'e',
	 .arg = "EVENTS",
	 .set = option_join,
	 .offset = FIELD(events.events),
	 .help = "record these, in the words of perf, instead of SPE"},
	{.name = "no-spe",
	 .set = option_true,
	 .offset = FIELD(events.no_spe),
	 .help = "record snapshots only"},
	{.name = "user",
	 .letter = 'u',
	 .set = option_true,
	 .offset = FIELD(events.user),
	 .help = "record user space only"},
	{.name = "kernel",
	 .letter = 'k',
	 .set = option_true,
	 .offset = FIELD(events.kernel),
	 .help = "record the kernel only"},
	{.name = "data",
	 .letter = 'd',
	 .set = option_true,
	 .offset = FIELD(data_maps),
	 .help = "record data mappings, to tell what addresses are in"},
	{.name = "aux-size",
	 .arg = "SIZE",
	 .set = option_size,
	 .offset = FIELD(aux_size),
	 .help = "SPE buffer of each CPU (4M), a power of two"},
	{.name = "data-size",
	 .arg = "SIZE",
	 .set = option_size,
	 .offset = FIELD(data_size),
	 .help = "ring of each CPU (512K), a power of two"},
	{.name = "quiet",
	 .letter = 'q',
	 .set = option_true,
	 .offset = FIELD(quiet),
	 .help = "no summary at the end"},
	{}};

static const struct command_help help = {
	.synopsis = "record [OPTIONS] [-- CMD [ARG...]]",
	.about = "Records SPE samples, counter snapshots or both while CMD "
		 "runs, or on CPUs or in\n"
		 "tasks that run already until they or Ctrl-C end it.  The "
		 "file is a perf.data:\n"
		 "'pmscope report' and 'script' read it, and so does perf.",
	.options = options,
	.program_follows = 1,
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

static int recorder_open(struct record_run *run)
{
	const struct record_config *config = run->config;
	bool limited = geteuid() && pmscope_perf_event_paranoid() >= 0;
	struct pmscope_recorder_rules rules = {
		.data_size = limited ? DATA_SIZE_LIMITED : DATA_SIZE,
		.aux_size = limited ? AUX_SIZE_LIMITED : AUX_SIZE,
		.inherit =
			!run->target.system_wide && !config->measure.no_inherit,
		.on_exec = run->argv && !run->target.system_wide,
		.per_thread = config->per_thread,
		.data_maps = config->data_maps,
		.switches = true,
	};
	struct pmscope_error err = {};
	int ret;

	if (config->data_size)
		rules.data_size = config->data_size;
	if (config->aux_size)
		rules.aux_size = config->aux_size;
	pmscope_raise_file_limit();
	ret = pmscope_recorder_open(&run->recorder, &run->events, &run->target,
				    &rules, &err);
	if (ret == -EACCES && !run->target.system_wide &&
	    measure_leave_out_kernel(&run->events)) {
		ret = pmscope_recorder_open(&run->recorder, &run->events,
					    &run->target, &rules, &err);
		if (!ret)
			warning("no permission to sample the kernel: recording "
				"user space only");
	}
	if (ret)
		error("%s", err.text);
	else if (!pmscope_recorder_inherits(run->recorder))
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
	if (config->per_thread && config->events.snapshot)
		error("--per-thread recordings have no times, which --snapshot "
		      "needs");
	else if (config->per_thread &&
		 (config->measure.all || config->measure.cpus))
		error("--per-thread is for tasks, -a and -C for CPUs");
	else
		return 0;
	return -EINVAL;
}

static int record_run(struct record_run *run)
{
	int ret;

	ret = check_config(run->config);
	if (!ret)
		ret = measure_target(&run->config->measure, run->argv,
				     &run->target);
	if (!ret)
		ret = record_events(&run->events, &run->config->events);
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
	struct record_config config = {};
	struct record_run run = {
		.config = &config, .command_line = argv - 1, .signal_fd = -1};
	int ret;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	if (ret < argc)
		run.argv = argv + ret;
	ret = record_run(&run);
	run_free(&run);
	record_events_options_free(&config.events);
	return ret && !run.exit_status ? 1 : run.exit_status;
}
