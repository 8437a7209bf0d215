// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope trace`: counts events per call of a function. */
#include "trace/trace.h"
#include "base/names.h"
#include "cli/measure.h"

#define DEFAULT_EVENTS "cpu_cycles,inst_retired"

struct trace_config {
	char *events;
	bool all;
	const char *pids;
	bool threads;
	const char *separator;
	bool json;
	const char *output;
};

/* All that one `pmscope trace` holds */
struct trace_run {
	const struct trace_config *config;
	char *const *argv; /* the program; NULL for none */
	struct event_list events;
	struct target cpus;
	struct target tasks; /* the processes to trace; none: all */
	struct workload workload;
	struct trace_plan plan;
	struct trace_probes *probes;
	struct trace_printer printer;
	int signal_fd;
	int exit_status;
};

#define CONFIG struct trace_config

static const struct option_row options[] = {
	OPT("event", 'e', "EVENTS", events, join,
	    "count these events of pmu_snapshot, at most 8"),
	FLAG("all", 'a', all, "trace the calls of all processes"),
	OPT("pid", 'p', "PIDS", pids, string,
	    "trace the calls of these processes and their children"),
	FLAG("per-thread", 0, threads, "print one line per thread"),
	OPT("field-separator", 'x', "SEP", separator, separator,
	    "machine-readable output, fields separated by SEP"),
	FLAG("json-output", 'j', json, "JSON, one object per line"),
	OPT("output", 'o', "FILE", output, name,
	    "write to FILE instead of standard output"),
	{}};

static const struct command_help help = {
	.synopsis = "trace [OPTIONS] FUNC... [-- CMD [ARG...]]",
	.about = "Counts events from the entry of functions to their return, "
		 "with captures in BPF\n"
		 "programs: exact, for each thread, also when it moves between "
		 "CPUs.  FUNC is a\n"
		 "function of CMD or of the kernel, or FILE:NAME for a "
		 "function of a library or\n"
		 "another program.",
	.options = options,
	.program_follows = 1,
};

/* Counts the operands FUNC before "--". */
static int split_operands(struct trace_run *run, char **argv)
{
	int nr = 0;

	while (argv[nr] && strcmp(argv[nr], "--"))
		nr++;
	run->argv = argv[nr] && argv[nr + 1] ? argv + nr + 1 : NULL;
	return nr;
}

static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char *full;

	if (strchr(name, '/'))
		return strdup(name);
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (asprintf(&full, "%.*s/%s", (int)(end - path), path, name) <
		    0)
			return NULL;
		if (!access(full, X_OK))
			return full;
		free(full);
	}
	return NULL;
}

/* Returns the program that the processes run, or that will be started. */
static char *program_path(const struct trace_run *run)
{
	char *path;

	if (run->argv)
		return find_program(run->argv[0]);
	if (!run->tasks.nr_tasks ||
	    asprintf(&path, "/proc/%d/exe", run->tasks.task[0]) < 0)
		return NULL;
	return path;
}

static int name_function(struct trace_run *run, struct trace_function *func,
			 const char *word)
{
	const char *colon = strrchr(word, ':');
	char *program;

	func->name = func->symbol = word;
	if (colon) {
		func->symbol = colon + 1;
		func->path = strndup(word, colon - word);
		return func->path ? 0 : -ENOMEM;
	}
	program = program_path(run);
	if (program && trace_program_has(program, word))
		func->path = program;
	else
		free(program);
	return 0;
}

static int name_functions(struct trace_run *run, char **words, int nr)
{
	int ret = 0;

	if (!nr) {
		error("trace: no function given");
		return -EINVAL;
	}
	run->plan.func = calloc(nr, sizeof(*run->plan.func));
	if (run->plan.func)
		run->plan.nr_funcs = nr;
	else
		ret = -ENOMEM;
	for (int i = 0; i < nr && !ret; i++)
		ret = name_function(run, &run->plan.func[i], words[i]);
	if (ret)
		error("out of memory");
	return ret;
}

static int check_config(const struct trace_config *config, bool program)
{
	if (!!config->all + !!config->pids + program != 1)
		error("trace: give exactly one of -- CMD, -p and -a");
	else if (config->json && config->separator)
		error("trace: -j and -x are mutually exclusive");
	else
		return 0;
	return -EINVAL;
}

static int parse_tasks(struct trace_run *run)
{
	const struct trace_config *config = run->config;
	struct pmscope_error err = {};
	int ret = 0;

	if (config->pids)
		ret = target_processes(&run->tasks, config->pids, &err);
	if (!ret)
		ret = target_cpus(&run->cpus, NULL, true, &err);
	return told(ret, &err);
}

/*
 * A probe of a user function is kernel code inside the call, so the kernel is
 * excluded unless an event says otherwise.
 */
static bool only_user_functions(const struct trace_run *run)
{
	for (size_t i = 0; i < run->plan.nr_funcs; i++)
		if (!run->plan.func[i].path)
			return false;
	for (size_t i = 0; i < run->events.nr; i++)
		if (run->events.event[i].attr.attr.exclude_user ||
		    run->events.event[i].attr.attr.exclude_kernel)
			return false;
	return true;
}

static int parse_events(struct trace_run *run)
{
	const struct event_rules rules = {.pmu = SNAPSHOT_PMU};
	const char *text =
		run->config->events ? run->config->events : DEFAULT_EVENTS;
	struct pmscope_error err = {};
	int ret;

	ret = told(events_parse(&run->events, text, &rules, &err), &err);
	if (ret)
		return ret;
	events_join(&run->events);
	for (size_t i = 0; i < run->events.nr; i++) {
		if (event_is_snapshot(&run->events.event[i]))
			continue;
		error("event '%s': trace supports only events of pmu_snapshot",
		      run->events.event[i].name);
		return -EINVAL;
	}
	if (run->events.nr_groups != 1 || run->events.nr > TRACE_EVENTS) {
		error("trace: the events must form one group of at most %d",
		      TRACE_EVENTS);
		return -EINVAL;
	}
	if (only_user_functions(run))
		measure_leave_out_kernel(&run->events);
	run->plan.nr_events = run->events.nr;
	return 0;
}

static int open_counters(struct trace_run *run)
{
	const struct count_rules rules = {};
	struct pmscope_error err = {};
	int ret;

	raise_file_limit();
	ret = pmscope_counters_open(&run->plan.counters, &run->events,
				    &run->cpus, &rules, &err);
	if (!ret)
		ret = pmscope_counters_enable(run->plan.counters, &err);
	return told(ret, &err);
}

static int prepare_program(struct trace_run *run)
{
	const char *output = run->config->output;

	return measure_prepare(&run->workload, run->argv,
			       !output || !strcmp(output, "-"), &run->tasks);
}

static void wait_for_end(struct trace_run *run)
{
	struct pollfd fds[] = {
		{.fd = run->signal_fd, .events = POLLIN},
		{.fd = run->argv ? run->workload.pidfd : -1, .events = POLLIN},
	};

	while (!measure_poll(fds, 2,
			     run->argv || run->config->all ? -1 : 100)) {
		if (fds[0].revents) {
			int sig = measure_signal_read(run->signal_fd);

			run->exit_status = run->argv ? 128 + sig : 0;
			return;
		}
		if (fds[1].revents ||
		    (run->config->pids && !target_alive(&run->tasks)))
			return;
	}
}

static int open_printer(struct trace_run *run)
{
	const struct trace_config *config = run->config;
	struct trace_printer *p = &run->printer;
	int ret;

	p->format = config->json	? PRINT_JSONL
		    : config->separator ? PRINT_CSV
					: PRINT_TEXT;
	p->separator = config->separator;
	p->threads = config->threads;
	p->plan = &run->plan;
	p->events = &run->events;
	p->out = stdout;
	if (!config->output || !strcmp(config->output, "-"))
		return 0;
	p->out = fopen(config->output, "we");
	if (p->out)
		return 0;
	ret = -errno;
	error("%s: %s", config->output, strerror(-ret));
	return ret;
}

static int print_all(struct trace_run *run)
{
	const char *output = run->config->output;
	struct trace_table table = {};
	int ret;

	ret = trace_probes_read(run->probes, &table) ?: open_printer(run);
	if (!ret) {
		terminal_use(run->printer.out);
		ret = trace_print(&run->printer, &table);
		ret = output_close(run->printer.out) ?: ret;
		if (ret)
			error("%s: %s", output ? output : "standard output",
			      strerror(-ret));
	}
	trace_table_free(&table);
	return ret;
}

static int trace_once(struct trace_run *run)
{
	int ret = run->argv ? prepare_program(run) : 0;

	if (!ret)
		ret = open_counters(run);
	if (ret)
		return ret;
	run->plan.per_thread = run->config->threads;
	run->plan.tgids = run->config->all ? NULL : run->tasks.task;
	run->plan.nr_tgids = run->tasks.nr_tasks;
	ret = trace_probes_open(&run->probes, &run->plan);
	if (!ret)
		ret = run->signal_fd = measure_signals();
	if (ret >= 0)
		ret = run->argv ? measure_start(&run->workload, run->argv,
						&run->exit_status)
				: 0;
	if (ret)
		return ret;
	wait_for_end(run);
	if (run->argv)
		measure_end(&run->workload, run->signal_fd, &run->exit_status);
	return print_all(run);
}

static void run_free(struct trace_run *run)
{
	trace_probes_free(run->probes);
	pmscope_counters_free(run->plan.counters);
	measure_abandon(&run->workload, run->signal_fd);
	for (size_t i = 0; i < run->plan.nr_funcs; i++)
		free(run->plan.func[i].path);
	free(run->plan.func);
	events_free(&run->events);
	target_free(&run->cpus);
	target_free(&run->tasks);
	close_open(&run->signal_fd);
}

int trace_main(int argc, char **argv)
{
	struct trace_config config = {};
	struct trace_run run = {.config = &config, .signal_fd = -1};
	int ret, nr;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	argv += ret;
	nr = split_operands(&run, argv);
	ret = check_config(&config, run.argv)
		      ?: parse_tasks(&run) ?: name_functions(&run, argv, nr)
		      ?: parse_events(&run) ?: trace_once(&run);
	run_free(&run);
	free(config.events);
	return ret && !run.exit_status ? 1 : run.exit_status;
}
