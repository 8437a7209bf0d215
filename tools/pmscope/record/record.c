// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope record`: SPE traces and counter snapshots into a perf.data. */
#include "base/clock.h"
#include "record/record.h"
#include "session/cpu_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define DATA_SIZE (512U << 10)
/* The size for users with a limit of locked memory, as in perf. */
#define DATA_SIZE_LIMITED (256U << 10)
#define AUX_SIZE_LIMITED  (128U << 10)

/*
 * Check rings this often even without a wakeup: the kernel wakes us only for
 * tasks that own a ring, and these may have ended.
 */
#define DRAIN_MS 200

/* Programs fill their rings of allocations faster, and wake nobody. */
#define DRAIN_HEAP_MS 5

/*
 * With a limit of the size, all buffers together hold one of so many parts of
 * it, if that is not less than so much per buffer.
 */
#define LIMIT_PARTS   8
#define WATERMARK_MIN (64U << 10)

#define NO_MAX_LOSS  UINT64_MAX
#define NOT_BY_CLOCK UINT64_MAX

/* Descriptors beside those of the events: see record_until_end() */
#define OWN_FDS 4

/* All that one `pmscope record` holds */
struct record_run {
	const struct record_config *config;
	char *const *argv; /* the program; NULL for none */
	char *const *command_line;
	bool follows; /* it is what is recorded, not only how long */
	/* of the events, after --delay; 0: begun; NOT_BY_CLOCK: by --control */
	uint64_t start_ns;
	/* when recording began, or when the events started later */
	uint64_t begin_ns;
	struct event_list events;
	struct target target;
	struct workload workload;
	struct recorder *recorder;
	struct heap *heap; /* with --heap */
	struct spe_losses losses;
	struct record_adapt adapt;
	/* with --switch-output, the files that are complete */
	struct record_files files;
	uint64_t switched_ns; /* when this file began */
	struct record_rate rate;
	uint32_t jitter;
	bool follows_period; /* each SPE event does, see has_no_copies() */
	struct control control;
	struct pollfd *fds;
	/* the limit that ended the recording; "" if none did */
	char limit[64];
	/* why nothing is counted beside SPE; "" if it is, or is not wanted */
	struct pmscope_error uncounted;
	bool stopped; /* by --control */
	bool crashed; /* the program, or recorded tasks ended for any cause */
	unsigned int snapshots;
	int signal_fd;
	int switch_fd; /* SIGUSR2, if that switches files */
	int watch_fd;  /* see cpu_watch_open() */
	int exit_status;
};

static const char *output_name(const struct record_config *config)
{
	return config->output ? config->output : "perf.data";
}

/* Such a file is compressed as a whole. */
static bool is_zst(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcmp(path + length - 4, ".zst");
}

static int prepare_workload(struct record_run *run)
{
	const char *output = run->config->output;
	struct pmscope_error err = {};
	int ret;

	if (!run->argv)
		return 0;
	if (run->config->heap.on &&
	    told(heap_open(&run->heap, run->config->heap.least, &err), &err))
		return -EIO;
	if (run->heap && heap_preload(run->heap))
		return told(pmscope_fail_nomem(&err), &err);
	ret = measure_prepare(&run->workload, run->argv,
			      output && !strcmp(output, "-"),
			      run->follows ? &run->target : NULL);
	if (run->heap)
		heap_preload_end(run->heap);
	return ret;
}

/* A default size is reduced until the kernel allows it. */
static int open_with_less(struct record_run *run, struct recorder_rules *rules,
			  struct pmscope_error *err)
{
	int ret;

	for (;;) {
		ret = recorder_open(&run->recorder, &run->events, &run->target,
				    rules, err);
		if ((ret != -EPERM && ret != -ENOMEM) ||
		    run->config->sizes.aux || run->config->flight.size ||
		    rules->aux_size <= AUX_SIZE_MIN)
			return ret;
		rules->aux_size /= 2;
	}
}

static struct record_events_options events_options(const struct record_run *run)
{
	const struct record_config *config = run->config;
	struct record_events_options options = config->events;

	if (run->target.system_wide)
		options.cpus = &run->target.cpus;
	/* These need times, and what else there is of a flight stays small. */
	options.no_counters |= config->per_thread || config->flight.on;
	options.no_clock |= config->per_thread || config->flight.on;
	return options;
}

struct opening {
	struct record_run *run;
	const struct recorder_rules *rules;
};

static int open_with(void *context, bool is_beside, struct pmscope_error *err)
{
	const struct opening *opening = context;
	struct recorder_rules rules = *opening->rules;
	struct record_run *run = opening->run;
	int ret = open_with_less(run, &rules, err);

	if (ret || !is_beside || recorder_inherits(run->recorder))
		return ret;
	recorder_free(run->recorder);
	run->recorder = NULL;
	return pmscope_fail(err, EOPNOTSUPP,
			    "this kernel or PMU cannot inherit them to child "
			    "tasks (-a records all tasks)");
}

static uint64_t choose_aux_size(const struct record_run *run)
{
	uint64_t memory =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	return record_aux_size(run->adapt.period, run->target.cpus.nr, memory);
}

/*
 * If the output may have only so many bytes: the kernel hands over trace in
 * pieces that are a small part of it. 0: as usual
 */
static uint32_t watermark_of_size(const struct record_run *run,
				  uint64_t aux_size)
{
	uint64_t size = run->config->switching.size;
	uint64_t limit = run->config->limits.max_size;
	long cpus = run->target.system_wide ? (long)run->target.cpus.nr
					    : sysconf(_SC_NPROCESSORS_ONLN);

	if (!size || (limit && limit < size))
		size = limit;
	size = size / LIMIT_PARTS / (cpus > 0 ? cpus : 1);
	if (size && size < WATERMARK_MIN)
		size = WATERMARK_MIN;
	return size < aux_size / 2 ? size : 0;
}

static int compression(const struct record_run *run)
{
	int level = run->config->compression;

	return level ? level : is_zst(output_name(run->config));
}

static int recorder_try(void *arg, struct pmscope_error *err)
{
	struct record_run *run = arg;
	const struct record_config *config = run->config;
	bool limited = geteuid() && perf_event_paranoid() >= 0;
	struct recorder_rules rules = {
		.data_size = limited ? DATA_SIZE_LIMITED : DATA_SIZE,
		.aux_size = limited ? AUX_SIZE_LIMITED : choose_aux_size(run),
		.inherit =
			!run->target.system_wide && !config->measure.no_inherit,
		.on_exec = run->follows,
		.delayed = config->delay_ms,
		.per_thread = config->per_thread,
		.data_maps = config->data_maps || config->heap.on,
		.switches = true,
		.cgroups = config->events.cgroups,
		.several_files = config->switching.on,
		.whole_file = is_zst(output_name(run->config)),
		.compression = compression(run),
		.overwrite = config->flight.on,
		.count = run->rate.wanted,
		.follows = run->follows_period,
		.jitter = run->jitter,
		.heap = run->heap,
	};
	const struct record_events_options options = events_options(run);
	const struct beside beside = record_events_beside(&options);

	if (config->sizes.data)
		rules.data_size = config->sizes.data;
	if (config->sizes.aux)
		rules.aux_size = config->sizes.aux;
	if (config->flight.size)
		rules.aux_size = config->flight.size;
	if (run->rate.wanted)
		rules.aux_watermark =
			record_rate_watermark(run->rate.wanted, rules.aux_size);
	else if (!run->config->flight.on)
		rules.aux_watermark = watermark_of_size(run, rules.aux_size);
	return beside_open(&run->events, &beside, open_with,
			   &(struct opening){run, &rules}, &run->uncounted,
			   err);
}

static int open_recorder(struct record_run *run)
{
	int ret;

	raise_file_limit();
	ret = measure_open(&run->events, recorder_try, run,
			   run->target.system_wide
				   ? NULL
				   : "no permission to sample the kernel: "
				     "recording user space only");
	if (!ret && !recorder_inherits(run->recorder))
		warning("snapshots follow only the first task: this kernel or "
			"PMU cannot inherit them to child tasks (-a records "
			"all tasks)");
	return ret;
}

static bool samples_kernel(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (!events->event[i].attr.attr.exclude_kernel)
			return true;
	return false;
}

/*
 * Write existing tasks first: what starts while /proc is read is not in there,
 * and must be seen as an event.
 */
static int start_file(struct record_run *run)
{
	struct pmscope_error err = {};
	int ret = 0;

	if (!run->follows)
		ret = told(recorder_track(run->recorder, &err), &err);
	if (ret)
		return ret;
	ret = recorder_start_file(run->recorder, output_name(run->config),
				  run->command_line, &err);
	if (ret < 0)
		error("%s", err.text);
	else if (ret && !run->config->quiet && samples_kernel(&run->events))
		warning("kernel.kptr_restrict hides kernel addresses: kernel "
			"samples will have no symbols");
	return ret < 0 ? ret : 0;
}

static int adapt_period(struct record_run *run)
{
	uint64_t before = run->adapt.period, period;
	struct pmscope_error err = {};

	if (told(record_rate_follow(&run->rate, run->recorder, clock_ns(),
				    &err),
		 &err))
		return -EIO;
	period = record_adapt(&run->adapt, recorder_stats(run->recorder));
	if (period == before)
		return 0;
	return told(recorder_set_intervals(run->recorder, period, &err), &err);
}

/*
 * On a terminal, show what there is so far; the summary replaces it. The trace
 * is not decoded yet, so the number of its samples is estimated.
 */
static void show_progress(const struct record_run *run)
{
	const struct recorder_stats *stats = recorder_stats(run->recorder);
	uint64_t size = recorder_size(run->recorder);
	double seconds = (clock_ns() - run->begin_ns) / 1e9;
	char text[128];

	if (run->config->quiet || !progress_visible() || seconds <= 0)
		return;
	record_progress_text(text, sizeof(text), output_name(run->config), size,
			     seconds, stats);
	fprintf(stderr, "\r%-79.79s\r", text);
}

/* When --delay ends, a new file is due, or --duration ends. */
static uint64_t next_ns(const struct record_run *run)
{
	uint64_t duration = run->config->limits.duration_ns;
	uint64_t age = run->config->switching.ns;
	uint64_t end = duration ? run->begin_ns + duration : UINT64_MAX;
	uint64_t next = age ? run->switched_ns + age : UINT64_MAX;

	if (run->start_ns)
		return run->start_ns;
	return MIN(next, end);
}

/* Until the next check of the rings, or the next change by the clock. */
static int wait_ms(const struct record_run *run)
{
	uint64_t now = clock_ns(), next = next_ns(run);
	int drain_ms = run->heap ? DRAIN_HEAP_MS : DRAIN_MS;

	if (next > now && next - now >= drain_ms * UINT64_C(1000000))
		return drain_ms;
	return next > now ? (next - now) / 1000000 + 1 : 0;
}

static int start_events(struct record_run *run)
{
	struct pmscope_error err = {};

	if (run->start_ns)
		run->begin_ns = run->switched_ns = clock_ns();
	run->start_ns = 0;
	return told(recorder_enable(run->recorder, &err), &err);
}

/* @name: of one event; "": all */
static int switch_events(struct record_run *run, const char *name, bool on)
{
	struct pmscope_error err = {};

	if (!*name && on)
		return start_events(run);
	return told(recorder_switch_events(run->recorder, *name ? name : NULL,
					   on, &err),
		    &err);
}

static int snapshot(struct record_run *run)
{
	struct pmscope_error err = {};

	run->snapshots++;
	return told(recorder_snapshot(run->recorder, &err), &err);
}

/* Does what the controller wants. Returns 1 to end the recording, or 0. */
static int obey(struct record_run *run, enum control_command command,
		const char *argument)
{
	switch (command) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		/* An unknown name is no reason to lose the recording. */
		switch_events(run, argument, command == CONTROL_ENABLE);
		break;
	case CONTROL_EVLIST:
		control_print_events(&run->events, argument);
		break;
	case CONTROL_SNAPSHOT:
		if (run->config->flight.on)
			snapshot(run);
		else
			warning("--control: snapshot requires "
				"--flight-recorder");
		break;
	case CONTROL_UNKNOWN:
		return 0; /* perf does not acknowledge it, either */
	default:
		break;
	}
	control_acknowledge(&run->control);
	return command == CONTROL_STOP;
}

/* All commands that are there. Returns 1 to end the recording, or 0. */
static int obey_all(struct record_run *run)
{
	enum control_command command;
	const char *argument;
	int ret = 0;

	while (!ret && (command = control_next(&run->control, &argument)))
		ret = obey(run, command, argument);
	return ret;
}

static bool is_limit_reached(struct record_run *run)
{
	if (run->start_ns)
		return false;
	record_limit_text(run->limit, sizeof(run->limit), &run->config->limits,
			  clock_ns() - run->begin_ns,
			  recorder_total_size(run->recorder));
	return *run->limit;
}

static bool have_tasks_ended(const struct record_run *run)
{
	return !run->argv && !run->target.system_wide &&
	       recorder_has_ended(run->recorder);
}

/* The next file begins; this one is completed under its own name. */
static int switch_output(struct record_run *run)
{
	struct pmscope_error err = {};
	int ret = record_files_move(&run->files);

	if (ret)
		return ret;
	ret = recorder_switch(run->recorder, run->command_line, &err);
	if (ret < 0)
		return told(ret, &err);
	run->switched_ns = clock_ns();
	if (!run->config->quiet)
		fprintf(stderr, "pmscope: %s is complete\n", run->files.last);
	return 0;
}

static int switch_if_due(struct record_run *run)
{
	const struct record_switch_rule *rule = &run->config->switching;
	uint64_t size = recorder_size(run->recorder);
	bool asked = measure_signal_read(run->switch_fd);

	if (asked && run->config->flight.on && snapshot(run))
		return -EIO;
	if ((asked && rule->on_signal) ||
	    record_switch_due(rule, size, clock_ns() - run->switched_ns))
		return switch_output(run);
	return 0;
}

/* The program is not waited for yet. */
static bool has_crashed(const struct record_run *run)
{
	siginfo_t info = {};

	return !waitid(P_PID, run->workload.pid, &info,
		       WEXITED | WNOHANG | WNOWAIT) &&
	       (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
}

static int record_until_end(struct record_run *run)
{
	size_t nr = recorder_nr_fds(run->recorder);
	struct pollfd *own = run->fds + nr;
	struct pmscope_error err = {};
	int ret;

	recorder_fill_fds(run->recorder, run->fds);
	own[0] = (struct pollfd){.fd = run->signal_fd, .events = POLLIN};
	own[1] = (struct pollfd){.fd = run->argv ? run->workload.pidfd : -1,
				 .events = POLLIN};
	own[2] = (struct pollfd){.fd = run->switch_fd, .events = POLLIN};
	own[3] = (struct pollfd){.fd = run->control.fd, .events = POLLIN};
	for (;;) {
		ret = measure_poll(run->fds, nr + OWN_FDS, wait_ms(run));
		if (ret)
			return ret;
		recorder_drop_ended(run->fds, nr);
		ret = run->start_ns && clock_ns() >= run->start_ns
			      ? start_events(run)
			      : 0;
		if (!ret)
			ret = told(recorder_drain(run->recorder, &err), &err)
				      ?: adapt_period(run);
		if (ret)
			return ret;
		show_progress(run);
		if (own[0].revents) {
			ret = measure_signal_read(run->signal_fd);
			run->exit_status = run->argv ? 128 + ret : 0;
			return 0;
		}
		if (own[1].revents || have_tasks_ended(run)) {
			run->crashed = !own[1].revents || has_crashed(run);
			return 0;
		}
		if (is_limit_reached(run))
			return 0;
		ret = switch_if_due(run);
		if (ret)
			return ret;
		if (obey_all(run)) {
			run->stopped = true;
			return 0;
		}
		/* The controller has gone: poll(2) would return at once. */
		if (own[3].revents & (POLLHUP | POLLERR) ||
		    (own[3].revents & POLLIN && run->control.at_end))
			own[3].fd = -1;
	}
}

/* Events that follow a program start with it. */
static int start_now(struct record_run *run)
{
	struct pmscope_error err = {};

	if (run->follows || run->config->delay_ms)
		return 0;
	return told(recorder_enable(run->recorder, &err), &err);
}

static int record_all(struct record_run *run)
{
	const struct record_config *config = run->config;
	struct pmscope_error err = {};
	int ret;

	spe_losses_read(&run->losses, PMSCOPE_PMU_DEVICES);
	run->fds = calloc(recorder_nr_fds(run->recorder) + OWN_FDS,
			  sizeof(*run->fds));
	if (!run->fds)
		return told(pmscope_fail_nomem(&err), &err);
	run->begin_ns = run->switched_ns = clock_ns();
	ret = start_now(run);
	if (!ret && run->argv)
		ret = measure_start(&run->workload, run->argv,
				    &run->exit_status);
	if (config->delay_ms == DELAY_UNTIL_ENABLED)
		run->start_ns = NOT_BY_CLOCK;
	else if (config->delay_ms)
		run->start_ns =
			clock_ns() + config->delay_ms * UINT64_C(1000000);
	if (!ret)
		ret = record_until_end(run);
	if (ret)
		return ret;
	ret = told(recorder_disable(run->recorder, &err), &err);
	if (!ret && config->flight.on &&
	    (config->flight.at_exit || run->crashed))
		ret = snapshot(run);
	/* The recording did what it was to do: the status is 0. */
	if (*run->limit || run->stopped)
		measure_abandon(&run->workload, run->signal_fd);
	else if (run->argv)
		measure_end(&run->workload, run->signal_fd, &run->exit_status);
	return ret;
}

static void run_free(struct record_run *run)
{
	recorder_free(run->recorder);
	heap_free(run->heap);
	record_rate_fini(&run->rate);
	measure_abandon(&run->workload, run->signal_fd);
	events_free(&run->events);
	target_free(&run->target);
	record_files_free(&run->files);
	control_close(&run->control);
	free(run->fds);
	close_open(&run->switch_fd);
	close_open(&run->signal_fd);
	close_open(&run->watch_fd);
}

static int check_config(const struct record_config *config)
{
	if (config->cgroup && (config->measure.pids || config->measure.tids))
		error("--cgroup cannot be combined with -p and -t");
	else if (config->max_loss > 100 && config->max_loss != NO_MAX_LOSS)
		error("--max-loss=%" PRIu64 ": must be at most 100 percent",
		      config->max_loss);
	else if (config->events.totals && config->max_loss != NO_MAX_LOSS)
		error("--totals cannot be combined with --max-loss, which "
		      "changes the interval");
	else if (config->delay_ms == DELAY_UNTIL_ENABLED && !config->control)
		error("--delay=-1 requires --control, whose enable starts the "
		      "events");
	else if (config->rate && config->max_loss != NO_MAX_LOSS)
		error("--rate and --max-loss are mutually exclusive");
	else if (config->flight.on &&
		 (config->rate || config->max_loss != NO_MAX_LOSS))
		error("--flight-recorder cannot be combined with --rate and "
		      "--max-loss, which watch all data");
	else if (config->flight.size && config->sizes.aux)
		error("--flight-recorder=SIZE and --aux-size are mutually "
		      "exclusive");
	else if (config->rate && config->events.totals)
		error("--totals cannot be combined with --rate, which changes "
		      "the interval");
	else if (config->rate && config->per_thread)
		error("--per-thread cannot be combined with --rate, which "
		      "needs timestamps");
	else if (config->per_thread && config->events.snapshot)
		error("--per-thread cannot be combined with --snapshot, which "
		      "needs timestamps");
	else if (config->per_thread && config->events.stacks)
		error("--per-thread cannot be combined with -g, which needs "
		      "timestamps");
	else if (config->per_thread && config->events.cgroups)
		error("--per-thread cannot be combined with --all-cgroups, "
		      "which needs timestamps");
	else if (config->per_thread && (config->measure.all ||
					config->measure.cpus || config->cgroup))
		error("--per-thread cannot be combined with -a, -C or -G");
	else if (config->heap.on &&
		 (config->per_thread || config->switching.on))
		error("--heap cannot be combined with --per-thread and "
		      "--switch-output");
	else if (config->compression && !strcmp(output_name(config), "-"))
		error("-z cannot be combined with -o -; pipe the recording "
		      "through zstd");
	else if (config->max_files && !config->switching.on)
		error("--switch-max-files requires --switch-output");
	else
		return config->switching.on
			       ? record_files_check(output_name(config))
			       : 0;
	return -EINVAL;
}

static int choose_events(struct record_run *run)
{
	const struct record_events_options options = events_options(run);

	return record_events(&run->events, &options);
}

/* Such recordings are made for perf: report says the same of them. */
static void warn_of_events(const struct record_run *run)
{
	const struct event_list *events = &run->events;

	for (size_t i = 0; i < events->nr; i++)
		if (event_is_spe(&events->event[i]) ||
		    event_is_snapshot(&events->event[i]) ||
		    events->event[i].sample_read)
			return;
	if (!run->config->quiet)
		warning("neither SPE nor a group of counters (:S) is recorded: "
			"use 'perf report' for this recording, pmscope report "
			"has nothing to show");
}

/*
 * perf core does not change the interval of inherited events. Nor that of the
 * event itself once its context was swapped with that of a child that has
 * ended.
 */
static bool has_no_copies(const struct record_run *run)
{
	return run->target.system_wide || run->config->measure.no_inherit;
}

static bool has_timestamps(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (event_is_spe(&events->event[i]) &&
		    !(events->event[i].attr.attr.config & RECORD_SPE_TS_ENABLE))
			return false;
	return true;
}

static int check_rate(const struct record_run *run)
{
	if (!run->config->rate)
		return 0;
	if (!record_events_spe(&run->events))
		error("--rate requires SPE, which is not recorded; use -F for "
		      "snapshots");
	else if (!has_timestamps(&run->events))
		error("--rate needs timestamps: add ts_enable=1 to the SPE "
		      "event");
	else if (!run->follows_period)
		error("--rate: the kernel does not change the interval of new "
		      "threads and processes; use -a, -C or --no-inherit");
	else
		return 0;
	return -EINVAL;
}

static int check_heap(const struct record_run *run)
{
	if (!run->config->heap.on)
		return 0;
	if (!run->argv)
		error("--heap requires a program to start: running ones cannot "
		      "be asked");
	else if (!record_events_spe(&run->events) ||
		 !has_timestamps(&run->events))
		error("--heap requires SPE with timestamps (ts_enable=1)");
	else
		return 0;
	return -EINVAL;
}

static void choose_rate(struct record_run *run)
{
	const struct record_events_options options = {
		.devices = PMSCOPE_PMU_DEVICES};

	run->follows_period = has_no_copies(run);
	run->rate.wanted = run->config->rate;
	if (run->config->rate || run->config->max_loss != NO_MAX_LOSS)
		run->jitter = record_spe_jitter(&options, &run->events);
	run->rate.least = record_spe_recommended(&options, &run->events);
}

static int check_events(const struct record_run *run)
{
	if (run->config->flight.on && !record_events_spe(&run->events)) {
		error("--flight-recorder requires SPE, which is not recorded");
		return -EINVAL;
	}
	if (check_rate(run) || check_heap(run))
		return -EINVAL;
	if (run->config->max_loss != NO_MAX_LOSS &&
	    !record_events_spe(&run->events)) {
		error("--max-loss requires SPE, which is not recorded");
		return -EINVAL;
	}
	warn_of_events(run);
	return 0;
}

static int choose_target(struct record_run *run)
{
	struct measure_options measure = run->config->measure;
	struct pmscope_error err = {};
	int ret;

	/* Control groups are followed on CPUs, all of them if none is named. */
	if (run->config->cgroup && !measure.cpus)
		measure.all = true;
	run->follows = measure_follows(&measure, run->argv);
	ret = measure_target(&measure, run->argv, &run->target);
	if (ret || !run->config->cgroup)
		return ret;
	ret = target_cgroup(&run->target, run->config->cgroup, &err);
	return told(ret, &err);
}

/* The interval of SPE, the longest if there are several. */
static uint64_t spe_period(const struct event_list *events)
{
	uint64_t period = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct listed_event *event = &events->event[i];

		if (event_is_spe(event) &&
		    event->attr.attr.sample_period > period)
			period = event->attr.attr.sample_period;
	}
	return period ? period : RECORD_PERIOD;
}

/* SIGUSR2, which is blocked. */
static int user_signal_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return measure_signal_open(&set);
}

static int record_run(struct record_run *run)
{
	struct pmscope_error err = {};
	int ret;

	run->files = (struct record_files){.path = output_name(run->config),
					   .max = run->config->max_files};
	ret = check_config(run->config)
		      ?: control_open(&run->control, run->config->control)
		      ?: choose_target(run) ?: choose_events(run);
	if (!ret)
		choose_rate(run);
	if (!ret)
		ret = check_events(run);
	run->adapt.period = spe_period(&run->events);
	if (!ret)
		ret = run->signal_fd = measure_signals();
	if (ret >= 0 &&
	    (run->config->switching.on_signal || run->config->flight.on))
		ret = run->switch_fd = user_signal_open();
	if (ret >= 0)
		ret = prepare_workload(run);
	run->watch_fd = cpu_watch_open();
	if (!ret)
		ret = open_recorder(run) ?: start_file(run) ?: record_all(run);
	if (ret)
		return ret;
	measure_tell_gone(&run->target, run->watch_fd);
	ret = told(recorder_finish(run->recorder, &err), &err);
	if (!ret && run->config->switching.on)
		ret = record_files_move(&run->files);
	if (!ret)
		record_summary(&(struct record_summary){
			.path = run->config->switching.on
					? run->files.last
					: output_name(run->config),
			.nr_files = run->files.nr,
			.is_packed = compression(run) &&
				     !is_zst(output_name(run->config)),
			.quiet = run->config->quiet,
			.limit = run->limit,
			.uncounted = run->uncounted.text,
			.recorder = run->recorder,
			.heap = run->heap ? heap_stats(run->heap) : NULL,
			.adapt = &run->adapt,
			.rate = &run->rate,
			.flight = run->config->flight.on,
			.snapshots = run->snapshots,
			.before = &run->losses,
		});
	return ret;
}

/*
 * Like perf without --snapshot or --switch-output, ignore SIGUSR2. If the
 * reader of our pipe has gone, or the file has the size of `ulimit -f`, fail
 * with a write error instead of dying, because the program has to be stopped
 * too. The program gets an empty mask.
 */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int record_main(int argc, char **argv)
{
	struct record_config config = {.max_loss = NO_MAX_LOSS};
	struct record_run run = {.config = &config,
				 .control = {.fd = -1, .ack_fd = -1},
				 .command_line = argv - 1,
				 .signal_fd = -1,
				 .switch_fd = -1,
				 .watch_fd = -1};
	int ret;

	ret = options_parse(&record_help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	if (ret < argc)
		run.argv = argv + ret;
	block_signals();
	run.adapt.percent = config.max_loss > 100 ? -1 : (int)config.max_loss;
	ret = record_run(&run);
	run_free(&run);
	record_events_options_free(&config.events);
	return ret && !run.exit_status ? 1 : run.exit_status;
}
