// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope export: a recording as other tools read it. */
#include "export/export.h"
#include "export/flows.h"
#include "print/print.h"

/* To add a format, add a row, and its name below. */
static const struct export_format *const formats[] = {
	&export_autofdo, &export_bolt,	  &export_firefox, &export_folded,
	&export_gcov,	 &export_parquet, &export_pprof,
};

static const char *const format_names[] = {"autofdo", "bolt", "firefox",
					   "folded",  "gcov", "parquet",
					   "pprof",   NULL};

/* As in enum lake_dataset. */
static const char *const dataset_names[] = {
	"samples", "rollup", "counters", "mappings", "losses", "hosts", NULL};

#define NO_FORMAT (-1)

#define CONFIG struct export_config

static const struct option_row options[] = {
	LOAD_OPTIONS,
	OPT_OF("format", 0, "FORMAT", format, choice, format_names,
	       "format to write"),
	OPT("output", 'o', "FILE", output, name,
	    "write to FILE, for parquet a directory; - is standard output"),
	OPT("binary", 0, "FILE", binary, name,
	    "bolt, autofdo, gcov: only this program or library, by path, file "
	    "name or build-id, or [kernel.kallsyms] (default: for bolt the one "
	    "with most samples, for autofdo all)"),
	OPT("skip", 0, "FUNCTIONS", skip, join,
	    "bolt: leave out these, by their names for the linker, for example "
	    "f,_Z1gv; may be repeated"),
	OPT("most", 0, "NUMBER", most, u64,
	    "pprof, firefox: so many different samples at most; bolt, autofdo, "
	    "gcov: so many branches in memory (default: 524288)"),
	FLAG("symbols", 0, symbols, "parquet: with the names of functions"),
	FLAG("addresses", 0, addresses,
	     "parquet: with virtual and physical addresses"),
	FLAG("redact", 0, redact,
	     "parquet: without paths, thread names, command line and filter"),
	OPT_OF("datasets", 0, "LIST", datasets, choices, dataset_names,
	       "parquet: write only these, for example rollup,losses,hosts"),
	OPT("host", 0, "NAME", host, name,
	    "parquet: name of the host, in place of the one in the recording, "
	    "which may have none because its recorder was killed"),
	OPT("label", 0, "KEY=VALUE", labels, join,
	    "parquet: a label of the host, for example zone=a; may be "
	    "repeated"),
	OPT("lost", 0, "KIND=NUMBER", lost, join,
	    "parquet: add a row to losses, for example of whole recordings"),
	{}};

static const struct command_help help = {
	.synopsis = "export --format=FORMAT -o FILE [OPTIONS] [RECORDING...]",
	.about = "Writes a recording in the format of another tool: a profile "
		 "for a compiler, a\nviewer or a query engine.",
	.options = options,
};

static int add_run(void *context, const struct pmscope_run *run,
		   struct output *)
{
	struct export_worker *worker = context;
	const struct export_format *format = worker->export->format;
	struct thread_cache *current = thread_cache_of(worker->currents, run);
	bool timed = format->needs & EXPORT_TIME || worker->load.stacks ||
		     worker->load.filter->nr_terms;
	int ret = 0;

	for (size_t row = run->first; row < run->end && !ret; row++) {
		thread_cache_set(current, &worker->load.names, run, row);
		if (timed)
			thread_cache_set_time(current, &worker->load.names);
		if (filter_passes_sample(&worker->load, current))
			ret = format->add(worker, current);
	}
	return ret;
}

static int add_group(void *context, const struct pmscope_run *run)
{
	struct export *export = context;

	return export->format->group ? export->format->group(export, run) : 0;
}

static int read_all(struct export *export)
{
	struct load *load = export->load;
	void *workers[MAX_THREADS];
	const struct work work = {
		.threads = load->threads,
		.take = add_run,
		.workers = workers,
		.group = add_group,
		.context = export,
	};
	int ret;

	for (unsigned int i = 0; i < load->threads; i++)
		workers[i] = &export->workers[i];
	ret = load_runs(load, &work);
	for (unsigned int i = 0; i < load->threads; i++)
		load->filtered += export->workers[i].load.filtered;
	export->samples =
		pmscope_recording_losses(load->recording)->decode.records -
		load->filtered;
	return ret;
}

static uint64_t samples_of(const struct load *load)
{
	return pmscope_recording_losses(load->recording)->decode.records -
	       load->filtered;
}

static int workers_begin(struct export *export)
{
	const struct export_format *format = export->format;
	int ret = 0;

	export->workers =
		calloc(export->load->threads, sizeof(*export->workers));
	if (!export->workers)
		return -ENOMEM;
	export->nr_workers = export->load->threads;
	for (unsigned int i = 0; i < export->nr_workers && !ret; i++) {
		struct export_worker *worker = &export->workers[i];

		worker->export = export;
		worker->load = *export->load;
		worker->currents =
			calloc(THREAD_CACHES, sizeof(*worker->currents));
		ret = worker->currents ? 0 : -ENOMEM;
		if (!ret && format->begin)
			ret = format->begin(worker);
	}
	return ret;
}

static void workers_fini(struct export *export)
{
	for (unsigned int i = 0; i < export->nr_workers; i++) {
		struct export_worker *worker = &export->workers[i];

		if (export->format->fini)
			export->format->fini(worker);
		filter_memo_free(worker->load.memo);
		free(worker->currents);
	}
	free(export->workers);
}

/* The format's part. Returns 0, or a negative errno after error(). */
static int write_all(struct export *export)
{
	const struct export_format *format = export->format;
	int ret = 0;

	if (format->needs & EXPORT_CALLERS)
		ret = stacks_read(export->load, &export->load->stacks);
	if (ret) {
		error("out of memory");
		return ret;
	}
	if (format->read) {
		ret = format->read(export);
		export->samples = samples_of(export->load);
	} else {
		ret = workers_begin(export) ?: read_all(export);
		export->samples = samples_of(export->load);
		if (!ret)
			ret = format->end(export);
		workers_fini(export);
	}
	if (ret == -ENOMEM)
		error("out of memory");
	return ret;
}

/* Standard output and devices have no file beside them. */
static int open_files(struct export *export)
{
	unsigned int needs = export->format->needs;
	int ret;

	if (needs & EXPORT_DIRECTORY)
		return 0;
	ret = whole_file_open(&export->file, export->config->output,
			      WHOLE_FILE_MODE);
	if (!ret && needs & EXPORT_NOTE && export->file.target)
		ret = note_open(export);
	return ret;
}

/* There is no file without a note. */
static int commit(struct export *export)
{
	struct whole_file *files[] = {&export->file, &export->note};

	if (export->format->needs & EXPORT_DIRECTORY)
		return 0;
	if (!export->note.out)
		return whole_file_commit(&export->file);
	return note_write(export) ?: whole_files_commit(files, 2);
}

static int export_load(struct export *export)
{
	int ret = open_files(export) ?: write_all(export) ?: commit(export);

	whole_file_discard(&export->file);
	note_fini(export);
	if (ret)
		return 1;
	losses_print(export->load, stderr, "pmscope: ");
	return exit_status(export->load);
}

static int config_check(const struct export_config *config)
{
	if (config->format == NO_FORMAT) {
		error("export: --format is required, for example "
		      "--format=folded");
		return -EINVAL;
	}
	if (!config->output) {
		error("export: -o FILE is required; - is standard output");
		return -EINVAL;
	}
	if (config->binary && formats[config->format]->add != flows_add) {
		error("export: --binary requires --format=bolt, autofdo or "
		      "gcov");
		return -EINVAL;
	}
	if (config->skip && formats[config->format] != &export_bolt) {
		error("export: --skip requires --format=bolt");
		return -EINVAL;
	}
	if (config->redact && formats[config->format] != &export_parquet) {
		error("export: --redact requires --format=parquet");
		return -EINVAL;
	}
	return 0;
}

static int export_run(struct export_config *config)
{
	struct load load;
	struct export export = {
		.config = config,
		.format = formats[config->format],
		.load = &load,
	};
	int status;

	/* A filter may need any column. */
	config->load.brief =
		export.format->needs & EXPORT_BRIEF && !config->load.filter;
	config->load.mangled |= (export.format->needs & EXPORT_MANGLED) != 0;
	config->load.callers = export.format->needs & EXPORT_CALLERS;
	config->load.two_passes = export.format->needs & EXPORT_TWICE;
	if (load_open(&load, &config->load))
		return 1;
	status = export_load(&export);
	load_close(&load);
	return status;
}

static int export_one(const struct export_config *config, int argc, char **argv,
		      int first)
{
	struct export_config one = *config;

	return load_operand(&one.load, argc, argv, first) || export_run(&one);
}

/* All operands, each of them a recording. Returns the exit status. */
static int export_all(const struct export_config *config, int argc, char **argv,
		      int first)
{
	const struct export_format *format = formats[config->format];
	int status = 0;

	if (argc - first > 1 && !(format->needs & EXPORT_DIRECTORY)) {
		error("export: --format=%s takes one recording, not also '%s'",
		      format->name, argv[first + 1]);
		return 1;
	}
	if (first == argc)
		return export_one(config, argc, argv, first);
	for (; first < argc; first++)
		status |= export_one(config, first + 1, argv, first);
	return status;
}

int export_main(int argc, char **argv)
{
	struct export_config config = {.format = NO_FORMAT};
	int first, status;

	first = options_parse(&help, argc, argv, &config);
	if (first <= 0)
		return first < 0;
	if (config_check(&config))
		status = 1;
	else
		status = export_all(&config, argc, argv, first);
	free(config.load.filter);
	free(config.labels);
	free(config.skip);
	free(config.lost);
	return status;
}
