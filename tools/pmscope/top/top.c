// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmscope top: the rows of report, live. Each interval is recorded into memory,
 * read in the way that report reads a file, and shown.
 */
#include "judgement/judgement.h"
#include "print/table.h"
#include "top/top.h"

#define DEFAULT_KEYS   "sym,dso"
#define DEFAULT_PERIOD 16384
#define DEFAULT_DELAY  UINT64_C(2000000000)
#define LEAST_DELAY    UINT64_C(10000000)
#define EVENT_SIZE     128
#define FILTER_SIZE    256
/* Lines of a screen without rows: what is shown, titles, losses, keys. */
#define OTHER_LINES 8

struct top_config {
	struct load_config load;
	struct measure_options measure;
	const char *event;
	const char *sort;
	uint64_t period;
	uint64_t delay;
	unsigned int limit;
	int weight;
	bool once;
};

/* A running `pmscope top` */
struct top {
	struct top_config config;
	struct interval interval;
	bool has_screen;
	/* index in sorts of the keys that are shown; -1: config.sort */
	int sort;
	char event[EVENT_SIZE];
	bool is_paused; /* the picture does not change */
	bool is_asking; /* for a filter */
	bool has_ended; /* the user wants to leave */
	/* the rows of the last interval, for the screen */
	char *picture;
	char typed[FILTER_SIZE]; /* the filter, while the user types it */
};

enum {
	WEIGHT_COST,
	WEIGHT_LATENCY,
	WEIGHT_SAMPLES,
	TOP_WEIGHTS
};
static const char *const weights[] = {"cost", "latency", "samples", NULL};

/* What the key 's' goes through. */
static const char *const sorts[] = {"sym,dso", "comm,tid", "source,sym",
				    "op,sym",  "dso",	   "cpu",
				    "line,sym"};

#define NR_SORTS ((int)ARRAY_SIZE(sorts))

static int option_delay(const struct option_row *, const char *arg, void *field)
{
	char seconds[32];
	uint64_t *ns = field;

	if (strlen(arg) > sizeof(seconds) - 2)
		return -EINVAL;
	snprintf(seconds, sizeof(seconds), "%ss", arg);
	if (number_parse(seconds, number_times, ns) &&
	    (arg[strspn(arg, "0123456789.")] == '\0' ||
	     number_parse(arg, number_times, ns)))
		return -EINVAL;
	return *ns < LEAST_DELAY ? -EINVAL : 0;
}

#define CONFIG struct top_config

static const struct option_row options[] = {
	MEASURE_OPTIONS,
	OPT("event", 'e', "EVENT", event, name,
	    "SPE event, in perf's syntax (default: arm_spe/ts_enable=1/)"),
	OPT("count", 'c', "N", period, count,
	    "sample one in N operations (default: 16K)"),
	OPT("delay", 'd', "SECONDS", delay, delay,
	    "time between two pictures (default: 2)"),
	FLAG("once", 0, once, "print one picture and exit"),
	OPT("sort", 's', "KEYS", sort, string, field_sort_help),
	OPT_OF("weight", 0, "WEIGHT", weight, choice, weights,
	       "what shares and the order of rows are based on"),
	OPT("filter", 0, "TERMS", load.filter, join,
	    "use only samples that match all TERMS"),
	OPT("limit", 0, "N", limit, positive, "print at most N rows"),
	FLAG("no-demangle", 0, load.mangled,
	     "do not demangle C++ and Rust names"),
	FLAG("force", 'f', load.force,
	     "take the names of generated code from files of other users, too"),
	{"color", 0, "WHEN", 0, option_colour, terminal_colours, "use colours"},
	{}};

static const struct command_help help = {
	.synopsis = "top [OPTIONS]",
	.about = "Shows the rows of report for the last seconds, of all tasks "
		 "or of those\nnamed. Nothing is written to a file.\n\n"
		 "Keys: s sort, w weight, f filter, c clear the filter, + and "
		 "- delay,\n      space pause, q quit.",
	.options = options,
};

static const char *sort_of(const struct top *top)
{
	if (top->sort >= 0)
		return sorts[top->sort];
	return top->config.sort ?: DEFAULT_KEYS;
}

/* Behind @lines of sentences. */
static size_t rows_to_print(const struct top *top, const struct row_table *r,
			    int lines)
{
	size_t limit = top->config.limit;

	if (top->has_screen) {
		int rows = terminal_rows() - OTHER_LINES - lines;

		limit = rows > 1 ? rows : 1;
		if (top->config.limit && top->config.limit < limit)
			limit = top->config.limit;
	} else if (!limit && terminal_is_output()) {
		limit = TERMINAL_ROWS;
	}
	return limit && limit < r->nr_rows ? limit : r->nr_rows;
}

static int print_rows(const struct top *top, const struct row_table *r,
		      int lines, FILE *out)
{
	size_t nr = rows_to_print(top, r, lines);
	struct table table = {.format = PRINT_TEXT, .json.out = out};
	int ret;

	row_columns(&table, r, NULL);
	table_begin(&table, true);
	ret = row_columns_print(&table, r, NULL, nr, false);
	if (nr < r->nr_rows)
		fprintf(out, "# %zu more rows\n", r->nr_rows - nr);
	return table_end(&table) ?: ret;
}

static int print_all(const struct top *top, const struct row_table *r,
		     const struct load *load, FILE *out)
{
	int lines;

	fprintf(out,
		"# pmscope top: %" PRIu64
		" SPE samples in %.2f s, sorted by %s",
		r->samples, top->interval.ns / 1e9, sort_of(top));
	fprintf(out, ", by %s",
		r->by_cost	? "cost"
		: r->by_latency ? "latency"
				: "samples");
	if (top->config.load.filter)
		fprintf(out, ", of those with %s", top->config.load.filter);
	fputc('\n', out);
	lines = judgement_print(out, r, load);
	if (lines < 0)
		return lines;
	losses_print(load, out, "# ");
	if (r->nr_rows)
		return print_rows(top, r, lines, out);
	fputs("# nothing was sampled\n", out);
	return 0;
}

/* Prints the last interval. Returns 0 or -errno after error(). */
static int print_interval(struct top *top, FILE *out)
{
	struct row_table table = {
		.by_cost = top->config.weight == WEIGHT_COST,
		.by_latency = top->config.weight == WEIGHT_LATENCY,
		.with_slow = true,
	};
	struct load load;
	int ret;

	top->config.load.input = top->interval.path;
	top->config.load.quiet = true;
	ret = row_table_keys(&table, "top", sort_of(top))
		      ?: load_open(&load, &top->config.load);
	if (ret)
		return ret;
	table.deps |= load.filter->deps;
	ret = row_table_read(&table, &load)
		      ?: print_all(top, &table, &load, out);
	row_table_fini(&table);
	load_close(&load);
	return ret;
}

static void draw(const struct top *top)
{
	const char *bottom = "q quit, s sort, w weight, f filter, c clear, "
			     "+/- delay, space pause";
	char question[FILTER_SIZE + 32];

	snprintf(question, sizeof(question), "filter: %s", top->typed);
	if (top->is_paused)
		bottom = "paused: space continues, q quit";
	if (top->is_asking)
		bottom = question;
	screen_draw(top->picture ?: "", bottom);
}

static int show_on_screen(struct top *top)
{
	char *picture = NULL;
	size_t size;
	FILE *out = open_memstream(&picture, &size);
	int ret = -ENOMEM;

	if (!out) {
		error("out of memory");
		return ret;
	}
	terminal_measure();
	ret = print_interval(top, out);
	if (fclose(out) || ret) {
		free(picture);
		return ret ?: -ENOMEM;
	}
	free(top->picture);
	top->picture = picture;
	draw(top);
	return 0;
}

/* Shows the last interval. Returns 0 or -errno after error(). */
static int show(struct top *top)
{
	int ret;

	if (!*top->interval.path)
		return 0;
	if (top->has_screen)
		return show_on_screen(top);
	ret = print_interval(top, stdout);
	fflush(stdout);
	return ret;
}

/* An invalid filter is reported, and the one before is kept. */
static void set_filter(struct top *top)
{
	struct filter filter;

	top->is_asking = false;
	if (*top->typed && !filter_parse(&filter, top->typed)) {
		free(top->config.load.filter);
		top->config.load.filter = strdup(top->typed);
	}
	if (*top->typed)
		filter_fini(&filter);
}

/* A key of the filter. Returns true if that is complete or dropped. */
static bool type_filter(struct top *top, int key)
{
	size_t length = strlen(top->typed);

	if (key == SCREEN_ENTER) {
		set_filter(top);
		return true;
	}
	if (key == SCREEN_ESCAPE) {
		top->is_asking = false;
		return true;
	}
	if (key == SCREEN_BACKSPACE && length)
		top->typed[length - 1] = '\0';
	else if (key >= ' ' && key < 0x7f && length + 1 < FILTER_SIZE)
		memcpy(top->typed + length, (char[]){key, '\0'}, 2);
	return false;
}

static void change_delay(struct top *top, bool longer)
{
	uint64_t *delay = &top->config.delay;

	if (longer)
		*delay *= 2;
	else if (*delay / 2 >= LEAST_DELAY)
		*delay /= 2;
}

/* Returns true if another picture is needed. */
static bool use_key(struct top *top, int key)
{
	if (key == SCREEN_RESIZED)
		return true;
	if (top->is_asking)
		return type_filter(top, key);
	switch (key) {
	case 'q':
		top->has_ended = true;
		return false;
	case 's':
		top->sort = (top->sort + 1) % NR_SORTS;
		return true;
	case 'w':
		top->config.weight = (top->config.weight + 1) % TOP_WEIGHTS;
		return true;
	case 'f':
		top->is_asking = true;
		top->typed[0] = '\0';
		return false;
	case 'c':
		free(top->config.load.filter);
		top->config.load.filter = NULL;
		return true;
	case '+':
	case '-':
		change_delay(top, key == '+');
		return true;
	case ' ':
		top->is_paused = !top->is_paused;
		return false;
	default:
		return false;
	}
}

/* Returns false if the interval must end: the user quits. */
static bool on_key(void *context)
{
	struct top *top = context;
	int key;

	while ((key = screen_key()) != SCREEN_NO_KEY && !top->has_ended)
		if (use_key(top, key))
			show(top);
		else
			draw(top);
	return !top->has_ended;
}

static int run(struct top *top)
{
	int why, ret;

	for (;;) {
		why = interval_record(&top->interval, top->config.delay, on_key,
				      top);
		if (why < 0)
			return why;
		if (top->has_ended)
			return 0;
		ret = top->is_paused ? 0 : show(top);
		if (ret || output_written())
			return -EIO;
		if (top->config.once || why == INTERVAL_SIGNAL)
			return 0;
	}
}

/* Refuses keys and filters before anything is measured. */
static int check(struct top *top)
{
	struct row_table table = {};
	CLEANUP(filter_fini) struct filter filter;
	int ret = row_table_keys(&table, "top", sort_of(top));

	if (!ret)
		ret = filter_parse(&filter, top->config.load.filter);
	else
		filter = (struct filter){};
	return ret;
}

static void choose_event(struct top *top)
{
	const struct top_config *config = &top->config;

	snprintf(top->event, sizeof(top->event),
		 "arm_spe/ts_enable=1,jitter=1,period=%" PRIu64 "/",
		 config->period);
	top->interval.event = config->event ?: top->event;
	top->interval.measure = config->measure;
	if (!config->measure.cpus && !config->measure.pids &&
	    !config->measure.tids)
		top->interval.measure.all = true;
}

int top_main(int argc, char **argv)
{
	struct top top = {
		.config = {.period = DEFAULT_PERIOD, .delay = DEFAULT_DELAY},
		.interval = {.fd = -1},
	};
	int ret;

	field_set_sort_help("group samples by KEYS (default: " DEFAULT_KEYS
			    ")");
	ret = options_parse(&help, argc, argv, &top.config);
	if (ret <= 0)
		return ret < 0;
	if (ret < argc) {
		error("top: unexpected argument '%s'", argv[ret]);
		free(top.config.load.filter);
		return 1;
	}
	if (top.config.sort)
		top.sort = -1;
	choose_event(&top);
	ret = check(&top);
	if (!ret)
		ret = top.interval.signal_fd = measure_signals();
	if (ret >= 0) {
		top.has_screen = !top.config.once && screen_open();
		top.interval.keys = top.has_screen;
		message_quiet(top.has_screen);
		ret = run(&top);
		screen_close();
		close(top.interval.signal_fd);
	}
	interval_fini(&top.interval);
	free(top.picture);
	free(top.config.load.filter);
	return ret ? 1 : 0;
}
