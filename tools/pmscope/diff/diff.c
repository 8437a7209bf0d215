// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope diff: what changed between two recordings, beyond noise. */
#include "diff/diff.h"

/* Exit status if a condition of --fail-if holds; 1 is an error. */
#define STATUS_FAILED 2

/* Percent of the samples that may differ from run to run, without --noise. */
#define NOISE	  2
#define NOISE_MAX 50

/* Rows in text and in a page without --limit. */
#define ROWS_IN_TEXT 50
#define ROWS_IN_PAGE 200

struct diff_config {
	struct load_config load;
	struct load_config loads[2];
	char *filters[2];
	const char *output;
	const char *sort;
	char *fail_if;
	unsigned int limit;
	int format;
	int unit;
	int weight;
	double noise;
	bool is_verbose;
};

static const char *const weights[] = {"latency", "samples", NULL};

enum {
	WEIGHT_SAMPLES = 1
};

static int (*const printers[])(const struct diff_output *out) = {
	[PRINT_TEXT] = diff_print_text,
	[PRINT_JSONL] = diff_print_jsonl,
	[PRINT_CSV] = diff_print_csv,
	[PRINT_HTML] = diff_print_html,
};

#define CONFIG struct diff_config

static const struct option_row options[] = {
	LOAD_OPTIONS,
	OPT("filter-a", 0, "TERMS", filters[0], join,
	    "compare the samples of one FILE that match these TERMS"),
	OPT("filter-b", 0, "TERMS", filters[1], join,
	    "with those that match these"),
	OPT("sort", 's', "KEYS", sort, string, field_sort_help),
	OPT_OF("weight", 0, "WEIGHT", weight, choice, weights,
	       "what cost is measured in"),
	OPT_OF("per", 0, "UNIT", unit, choice, compare_units,
	       "what cost is relative to"),
	OPT("noise", 0, "PERCENT", noise, percent,
	    "so many samples of a row differ from run to run (default: 2)"),
	OPT("fail-if", 0, "CONDITIONS", fail_if, join,
	    "exit with status 2 if one holds, for example ops>+5%"),
	OPT("limit", 0, "N", limit, positive,
	    "print at most N rows (default: 50 in text, 200 in html, else "
	    "all)"),
	FLAG("verbose", 'v', is_verbose,
	     "print all measures of each row as text"),
	OPT_OF("format", 0, "FORMAT", format, choice, print_formats_html,
	       "output format"),
	OPT("output", 'o', "FILE", output, string,
	    "write to FILE, and only when all of it is ready (default: -, "
	    "standard output)"),
	{}};

static const struct command_help help = {
	.synopsis = "diff [OPTIONS] OLD NEW\n"
		    "       pmscope diff [OPTIONS] --filter-a=TERMS "
		    "--filter-b=TERMS [FILE]",
	.about = "Compares two recordings, or two selections of one, function "
		 "by function: cost,\n"
		 "shares, latencies, misses and data sources. Tells changes "
		 "from noise.",
	.options = options,
};

static bool of_one_file(const struct diff_config *config)
{
	return config->filters[0] || config->filters[1];
}

/* Adds the filter of a side to the one of both. */
static int filter_join(struct load_config *load, const char *filter)
{
	const char *common = load->filter;
	int ret;

	if (!common && !filter)
		return 0;
	ret = asprintf(&load->filter, "%s%s%s", common ?: "",
		       common && *common && filter && *filter ? "," : "",
		       filter ?: "");
	if (ret >= 0)
		return 0;
	load->filter = NULL;
	return no_memory();
}

/* The recordings, from options and operands; -EINVAL after error(). */
static int sides_configure(struct diff_config *config, int argc, char **argv,
			   int first)
{
	bool one = of_one_file(config);

	if (!one && config->load.input) {
		error("diff: --input requires --filter-a or --filter-b");
		return -EINVAL;
	}
	if (!one && argc - first < 2) {
		error("diff: expected two recordings, OLD and NEW, or "
		      "--filter-a or --filter-b and one");
		return -EINVAL;
	}
	for (int i = 0; i < 2; i++) {
		struct load_config *load = &config->loads[i];
		int last = one || i ? argc : first + 1;

		*load = config->load;
		load->filter = NULL;
		load->callers = true;
		if (load_operand(load, last, argv, one ? first : first + i))
			return -EINVAL;
		load->filter = config->load.filter;
		if (filter_join(load, config->filters[i]))
			return -ENOMEM;
	}
	if (strcmp(config->loads[0].input, "-") ||
	    strcmp(config->loads[1].input, "-"))
		return 0;
	error("diff: standard input can be read only once");
	return -EINVAL;
}

/* Numbers of processes and threads are others in each run. */
static bool is_of_one_run(const struct field *field)
{
	return !strcmp(field->name, "pid") || !strcmp(field->name, "tid");
}

/* The fields of --sort; how many, or -EINVAL after error(). */
static int keys_parse(const struct diff_config *config,
		      const struct field **keys)
{
	struct named_field fields[MAX_KEYS];
	int nr = fields_parse("diff", config->sort ?: "sym", FIELD_SORT,
			      MAX_KEYS, fields);

	for (int i = 0; i < nr; i++) {
		keys[i] = fields[i].field;
		if (of_one_file(config) || !is_of_one_run(keys[i]))
			continue;
		error("diff: sort key '%s' has other values in each recording",
		      fields[i].name);
		return -EINVAL;
	}
	return nr;
}

static int output_fill(struct diff_output *out, const struct comparison *all,
		       const struct diff_config *config)
{
	size_t limit = config->limit;

	if (!limit && config->format == PRINT_TEXT)
		limit = ROWS_IN_TEXT;
	if (!limit && config->format == PRINT_HTML)
		limit = ROWS_IN_PAGE;
	out->nr_rows = limit && limit < all->nr_pairs ? limit : all->nr_pairs;
	for (int i = 0; i < 2; i++) {
		out->filters[i] = config->loads[i].filter;
		for (int origin = 0; origin < NR_ORIGINS; origin++)
			if (origin_text(origin, &all->sides[i].provenance,
					&out->origins[i][origin]))
				return -ENOMEM;
	}
	return 0;
}

static int print(const struct comparison *all, const struct diff_config *config)
{
	struct diff_output out = {.all = all, .is_verbose = config->is_verbose};
	int ret = output_fill(&out, all, config);

	pager_begin();
	if (!ret)
		ret = printers[config->format](&out);
	for (int i = 0; i < NR_ORIGINS; i++) {
		free(out.origins[0][i]);
		free(out.origins[1][i]);
	}
	if (ret)
		error("diff: %s", strerror(-ret));
	return output_written() ?: ret;
}

/* Says for what a condition holds; false: for nothing. */
static bool condition_tell(const struct comparison *all,
			   const struct fail_condition *c)
{
	const char *total = c->holds_for_total ? "the total" : "";
	char buf[32];

	if (c->failures)
		error("%.*s holds for %s%s%zu of %zu rows; the first is %s",
		      (int)c->length, c->text, total, *total ? " and " : "",
		      c->failures, all->nr_pairs,
		      compare_value(all, c->first, 0, buf, sizeof(buf)));
	else if (c->holds_for_total)
		error("%.*s holds for the total", (int)c->length, c->text);
	return c->failures || c->holds_for_total;
}

/* Returns how many conditions hold, or -ENOMEM after error(). */
static int conditions_look(const struct comparison *all,
			   struct fail_if *fail_if)
{
	int ret = 0, nr = 0;

	for (size_t i = 0; fail_if->nr && i <= all->nr_pairs && !ret; i++) {
		struct compared_row row = {};

		ret = compare_row(all, i ? &all->pairs[i - 1] : NULL, &row);
		fail_if_see(fail_if, &row);
		compared_row_fini(&row);
	}
	if (ret)
		error("diff: %s", strerror(-ret));
	for (size_t i = 0; i < fail_if->nr && !ret; i++)
		nr += condition_tell(all, &fail_if->conditions[i]);
	return ret ?: nr;
}

/* Reads both before anything is printed. Returns as whole_file_end(). */
static int compare_both(struct comparison *all,
			const struct diff_config *config,
			struct fail_if *fail_if)
{
	const struct field *keys[MAX_KEYS];
	int status = 0, nr = keys_parse(config, keys);
	bool unreadable = false;

	if (config->noise > NOISE_MAX) {
		error("diff: --noise=%g: must be at most %d percent",
		      config->noise, NOISE_MAX);
		return 1;
	}
	if (nr < 0)
		return 1;
	for (int i = 0; i < 2; i++) {
		if (compare_read(all, i, &config->loads[i], keys, nr))
			return 1;
		status |= exit_status(&all->sides[i].load);
		unreadable |= is_unreadable(&all->sides[i].load);
	}
	if (unreadable)
		return 1;
	if (compare_finish(all, "diff", config->unit,
			   config->weight == WEIGHT_SAMPLES,
			   config->noise / 100))
		return 1;
	if (print(all, config))
		return -1;
	nr = conditions_look(all, fail_if);
	if (nr < 0)
		return 1;
	return status ? status : nr ? STATUS_FAILED : 0;
}

static int diff_run(struct diff_config *config, int argc, char **argv,
		    int first)
{
	CLEANUP(compare_fini) struct comparison all = {};
	struct fail_if fail_if = {};
	struct whole_file file = {};
	int ret = 1;

	if (!fail_if_parse(&fail_if, config->fail_if) &&
	    !sides_configure(config, argc, argv, first) &&
	    !whole_file_begin(&file, config->output))
		ret = whole_file_end(&file,
				     compare_both(&all, config, &fail_if));
	return ret;
}

int diff_main(int argc, char **argv)
{
	FREED struct diff_config *config = calloc(1, sizeof(*config));
	int ret;

	if (!config)
		return no_memory() < 0;
	config->noise = NOISE;
	field_set_sort_help("what names a row (default: sym)");
	ret = options_parse(&help, argc, argv, config);
	if (ret <= 0)
		ret = ret < 0;
	else
		ret = diff_run(config, argc, argv, ret);
	for (int i = 0; i < 2; i++) {
		if (config->loads[i].filter != config->load.filter)
			free(config->loads[i].filter);
		free(config->filters[i]);
	}
	free(config->load.filter);
	free(config->fail_if);
	return ret;
}
