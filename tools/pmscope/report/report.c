// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope report: where the sampled operations were, and their cost. */
#include "report/report.h"
#include "html/html.h"

#define MAX_RATES     64
#define LINE_SIZE     64
#define LINE_SIZE_MIN 8U
#define LINE_SIZE_MAX (2U << 20) /* a page of the largest kind in wide use */
#define NO_LINE_SIZE  UINT64_MAX

struct report_config {
	struct load_config load;
	const char *output;
	const char *sort;
	unsigned int limit;
	int format;
	int weight;
	bool histogram;
	bool cachelines;
	bool timeline;
	uint64_t line_size;
	bool header;
	bool header_only;
	double percent_limit;
	bool quiet;
	bool verbose;
};

static int (*const printers[])(const struct report_output *out) = {
	[PRINT_TEXT] = report_print_text,
	[PRINT_JSONL] = report_print_jsonl,
	[PRINT_CSV] = report_print_csv,
};

#define CONFIG struct report_config

static const struct option_row options[] = {
	LOAD_OPTIONS,
	OPT("sort", 's', "KEYS", sort, string, field_sort_help),
	OPT("limit", 0, "N", limit, positive, "print at most N rows"),
	OPT_OF("format", 0, "FORMAT", format, choice, print_formats_html,
	       "output format"),
	OPT("output", 'o', "FILE", output, string,
	    "write to FILE, and only when all of it is ready (default: -, "
	    "standard output)"),
	OPT_OF("weight", 0, "WEIGHT", weight, choice, row_weights,
	       "what shares and the order of rows are based on (default: time "
	       "if a clock was sampled, else cost)"),
	FLAG("histogram", 0, histogram,
	     "print the distribution of the total latencies"),
	FLAG("cachelines", 0, cachelines,
	     "show lines of memory, and which threads share them"),
	FLAG("timeline", 0, timeline,
	     "show slices of time, and the phases that they form"),
	OPT("line-size", 0, "BYTES", line_size, u64,
	    "line size in bytes, at most 2 MiB (default: 64)"),
	OPT("percent-limit", 0, "PERCENT", percent_limit, percent,
	    "leave out rows with a smaller share"),
	FLAG("verbose", 'v', verbose,
	     "name all files whose symbols are missing"),
	FLAG("quiet", 'q', quiet, "print no titles, comments and warnings"),
	OPTION_OF_PERF("stdio", 0),
	OPTION_OF_PERF("show-nr-samples", 'n'),
	FLAG("header", 0, header, "first print where the recording comes from"),
	FLAG("header-only", 0, header_only,
	     "print only where the recording comes from"),
	{}};

static const struct command_help help = {
	.synopsis = "report [OPTIONS] [FILE]",
	.about = "Summarises the samples of a recording: how many, their "
		 "latencies, the\n"
		 "events and the data sources, for each symbol or other key.",
	.options = options,
};

/* Fills in the count of each event, at most @max; returns how many. */
static size_t report_rates(const struct row_table *report,
			   struct report_rate *rates, size_t max)
{
	const struct counters *all = &report->counters;
	size_t nr = MIN(all->nr_events, max);

	for (size_t i = 0; i < nr; i++)
		rates[i] = (struct report_rate){
			.name = all->events[i].name,
			.snapshots = all->events[i].readings,
			.since = counters_sum(all, &all->events[i]),
		};
	return nr;
}

/* How many rows to print, and the option that says so. */
static void limit_rows(struct report_output *out,
		       const struct report_config *config)
{
	const struct row_table *report = out->report;
	unsigned int limit = config->limit;

	if (!limit && config->format == PRINT_TEXT && terminal_is_output())
		limit = TERMINAL_ROWS;
	out->cut_by = "--limit";
	if (limit && limit < out->nr_rows)
		out->nr_rows = limit;
	for (; out->nr_rows; out->nr_rows--) {
		const struct row *last = &report->rows[out->nr_rows - 1];

		if (100 * row_share(report, last) >= config->percent_limit)
			return;
		out->cut_by = "--percent-limit";
	}
}

static int print(const struct row_table *report, const struct load *load,
		 const struct report_config *config)
{
	struct report_rate rates[MAX_RATES + 1];
	struct report_output out = {
		.report = report,
		.load = load,
		.rates = rates,
		.nr_rows = report->nr_rows,
		.quiet = config->quiet,
		.verbose = config->verbose,
	};
	int ret;

	out.nr_rates = report_rates(report, rates, MAX_RATES + 1);
	if (out.nr_rates > MAX_RATES) {
		counters_left_out(load->name, MAX_RATES);
		out.nr_rates = MAX_RATES;
	}
	limit_rows(&out, config);
	pager_begin();
	ret = row_table_totals(report, report->samples + load->filtered,
			       &out.totals)
		      ?: printers[config->format](&out);
	row_totals_fini(&out.totals);
	failed(ret, load->name);
	return output_written() ?: ret;
}

static int report_load(struct row_table *report, struct load *load,
		       const struct report_config *config)
{
	if (row_table_read(report, load))
		return 1;
	if (config->weight == ROWS_BY_TIME && !report->by_time)
		warning("--weight=time: %s has no samples of a clock, or a key "
			"or term is not of code, threads and CPUs: rows are "
			"ordered by cost",
			load->name);
	if (!is_unreadable(load) && print(report, load, config))
		return 1;
	return exit_status(load);
}

/* The page has all views, and its own order of rows. */
static int html_check(const struct report_config *config)
{
	const char *option = config->timeline		      ? "timeline"
			     : config->cachelines	      ? "cachelines"
			     : config->sort		      ? "sort"
			     : config->histogram	      ? "histogram"
			     : config->limit		      ? "limit"
			     : config->weight != ROWS_UNASKED ? "weight"
							      : NULL;

	if (!option)
		return 0;
	error("report: --%s and --format=html are mutually exclusive", option);
	return -EINVAL;
}

static int report_html(struct row_table *report, struct load *load,
		       const struct report_config *config)
{
	if (html_write(load, report, config->load.filter, stdout) ||
	    output_written())
		return -1;
	return exit_status(load);
}

/* Refuse options that the view does not support. */
static int views_check(const struct report_config *config)
{
	const char *view = config->timeline ? "timeline" : "cachelines";
	const char *option = NULL;

	if (!config->cachelines && config->line_size != NO_LINE_SIZE) {
		error("report: --line-size requires --cachelines");
		return -EINVAL;
	}
	if (config->format == PRINT_HTML)
		return html_check(config);
	if (!config->timeline && !config->cachelines)
		return 0;
	if (config->timeline && config->cachelines)
		option = "cachelines";
	else if (config->sort)
		option = "sort";
	else if (config->weight == ROWS_BY_COST ||
		 config->weight == ROWS_BY_TIME ||
		 (config->timeline && config->weight != ROWS_UNASKED))
		option = "weight";
	else if (config->histogram)
		option = "histogram";
	else if (config->percent_limit > 0)
		option = "percent-limit";
	if (!option)
		return 0;
	error("report: --%s and --%s are mutually exclusive", option, view);
	return -EINVAL;
}

static int line_size_check(uint64_t size)
{
	if (size == NO_LINE_SIZE ||
	    (!(size & (size - 1)) && size >= LINE_SIZE_MIN &&
	     size <= LINE_SIZE_MAX))
		return 0;
	error("report: --line-size=%" PRIu64
	      ": must be a power of 2 from %u to %u",
	      size, LINE_SIZE_MIN, LINE_SIZE_MAX);
	return -EINVAL;
}

/* Returns 0, or -EINVAL after error(). */
static int report_configure(struct row_table *report,
			    struct report_config *config)
{
	int ret = views_check(config);

	if (!ret && config->format == PRINT_CSV &&
	    (config->header || config->header_only)) {
		error("report: --header requires --format=text or jsonl");
		ret = -EINVAL;
	}
	if (!ret)
		ret = row_table_keys(report, "report",
				     config->sort ?: "sym,dso");
	if (ret)
		return ret;
	report->all_latencies = config->format != PRINT_TEXT;
	row_table_weigh(report, config->weight, &config->load);
	report->with_histogram = config->histogram;
	report->with_slow = true;
	config->load.callers =
		report->deps & DEP_CALLERS || config->format == PRINT_HTML;
	config->load.two_passes = config->header || config->header_only;
	return line_size_check(config->line_size);
}

/* Of a file that is no recording nothing is known. */
static bool has_header(const struct load *load)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(load->recording);

	return !is_unreadable(load) ||
	       (reader && pmscope_perfdata_nr_attrs(reader));
}

/* Returns 0, or 1 after error(). */
static int print_header(const struct load *load, int format)
{
	struct json json = {.out = stdout};
	CLEANUP(provenance_fini) struct provenance provenance;
	int ret = provenance_read(&provenance, load);

	pager_begin();
	if (ret) {
		error("%s: %s", load->name, strerror(-ret));
	} else if (format == PRINT_TEXT) {
		header_print(stdout, &provenance);
	} else {
		json_begin_line(&json);
		json_text(&json, "type", "header");
		json_text(&json, "file", load->name);
		header_json(&json, &provenance);
		json_end_line(&json);
	}
	return ret || output_written();
}

static int report_run(struct row_table *report,
		      const struct report_config *config)
{
	const struct lines_config lines = {
		.size = config->line_size == NO_LINE_SIZE ? LINE_SIZE
							  : config->line_size,
		.by_latency = config->weight == ROWS_BY_LATENCY,
	};
	struct load load;
	int ret = 0;

	if (load_open(&load, &config->load))
		return 1;
	report->deps |= load.filter->deps;
	load.names_data = report->deps & DEP_DATA || config->cachelines ||
			  config->format == PRINT_HTML;
	if ((config->header || config->header_only) && has_header(&load))
		ret = print_header(&load, config->format);
	if (ret || config->header_only)
		ret = ret ?: exit_status(&load);
	else if (config->format == PRINT_HTML)
		ret = report_html(report, &load, config);
	else if (config->timeline)
		ret = report_timeline(&load, config->format, config->limit);
	else if (config->cachelines)
		ret = report_lines(&load, &lines, config->format,
				   config->limit);
	else
		ret = report_load(report, &load, config);
	load_close(&load);
	return ret;
}

int report_main(int argc, char **argv)
{
	struct report_config config = {.line_size = NO_LINE_SIZE,
				       .weight = ROWS_UNASKED};
	struct row_table report = {};
	struct whole_file file = {};
	int ret;

	field_set_sort_help("group samples by KEYS (default: sym,dso)");
	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	message_quiet(config.quiet);
	if (load_operand(&config.load, argc, argv, ret) ||
	    report_configure(&report, &config) ||
	    whole_file_begin(&file, config.output))
		ret = 1;
	else
		ret = whole_file_end(&file, report_run(&report, &config));
	row_table_fini(&report);
	free(config.load.filter);
	return ret;
}
