// SPDX-License-Identifier: GPL-2.0-or-later
/* The comparison for people; free to change. */
#include "diff/diff.h"
#include "html/html.h"

static const char *const sides[] = {"old", "new"};

static void put_recording(const struct diff_output *out, int side)
{
	const struct compare_side *of = &out->all->sides[side];
	char prefix[16];

	printf("# %s: ", sides[side]);
	name_put(stdout, of->load.name, 0);
	printf(": %" PRIu64 " SPE samples", of->table.samples);
	if (out->filters[side]) {
		printf(" of ");
		name_put(stdout, out->filters[side], 0);
	}
	putchar('\n');
	snprintf(prefix, sizeof(prefix), "# %s: ", sides[side]);
	losses_print(&of->load, stdout, prefix);
}

static void put_origins(const struct diff_output *out)
{
	for (int i = 0; i < NR_ORIGINS; i++) {
		const char *old = out->origins[0][i], *new = out->origins[1][i];

		if (!origin_differs(old, new))
			continue;
		printf("# recorded with other %s: ", origin_names[i]);
		name_put(stdout, old, 0);
		printf(" -> ");
		name_put(stdout, new, 0);
		putchar('\n');
	}
	if (out->all->unlike_cpus)
		printf("# The CPUs are of other kinds: cycles are those of "
		       "each, data sources are compared by name,\n"
		       "# and codes of sources without a name are not "
		       "compared\n");
}

static int put_head(const struct diff_output *out)
{
	const struct comparison *all = out->all;
	char cost[COST_TEXT], *work = compare_work_text(all);

	if (!work)
		return -ENOMEM;
	name_put_lines(stdout, "# ", work);
	free(work);

	put_recording(out, 0);
	put_recording(out, 1);
	put_origins(out);
	diff_cost_text(all, cost);
	printf("# Cost is in %s\n", cost);
	printf("# %zu of %zu rows changed beyond noise: together, the %zu "
	       "intervals\n# have a confidence of %.0f %%, if at most %g %% of "
	       "the "
	       "samples of a row differ from run to run\n",
	       all->nr_changed, all->nr_pairs, all->comparisons,
	       100 * COMPARE_CONFIDENCE, 100 * all->basis.noise);
	return 0;
}

int diff_print_text(const struct diff_output *out)
{
	const struct comparison *all = out->all;
	size_t nr = all->nr_pairs;
	int ret = put_head(out);

	if (ret)
		return ret;
	if (!all->sides[0].table.samples || !all->sides[1].table.samples) {
		printf("# One of them has no samples: nothing to compare\n");
		return 0;
	}
	ret = diff_rows(out, PRINT_TEXT);
	if (out->nr_rows < nr)
		printf("# %zu more rows (--limit)\n", nr - out->nr_rows);
	return ret;
}

/*
 * JSON objects: a summary, all samples, then the rows; one per line, or in a
 * page for a browser. Keys are stable.
 */

static void put_side(struct json *json, const struct diff_output *out, int side)
{
	const struct compare_side *of = &out->all->sides[side];

	json_begin_object(json, sides[side]);
	json_text(json, "file", of->load.name);
	if (out->filters[side])
		json_text(json, "filter", out->filters[side]);
	json_unsigned(json, "samples", of->table.samples);
	losses_json(json, &of->load);
	if (of->totals.all.each)
		json_unsigned(json, "population", of->totals.population);
	if (of->instructions)
		json_real(json, "instructions", 0, of->instructions);
	for (int i = 0; i < NR_ORIGINS; i++)
		if (*out->origins[side][i])
			json_text(json, origin_names[i], out->origins[side][i]);
	json_end_object(json);
}

static void put_differences(struct json *json, const struct diff_output *out)
{
	json_begin_array(json, "recorded_with_other");
	for (int i = 0; i < NR_ORIGINS; i++)
		if (origin_differs(out->origins[0][i], out->origins[1][i]))
			json_text(json, NULL, origin_names[i]);
	json_end_array(json);
	json_bool(json, "unlike_cpus", out->all->unlike_cpus);
}

static void put_work(struct json *json, const struct comparison *all,
		     const char *text)
{
	json_text(json, "work_text", text);
	json_begin_object(json, "work");
	for (size_t i = 0; i < NR_WORKS; i++)
		if (all->work[i].known)
			diff_measure_json(json, NR_MEASURES + i, &all->work[i]);
	json_end_object(json);
}

static int put_summary(struct json *json, const struct diff_output *out)
{
	const struct comparison *all = out->all;
	char cost[COST_TEXT], *work = compare_work_text(all);

	if (!work)
		return -ENOMEM;

	diff_cost_text(all, cost);
	out->begin(json);
	json_text(json, "type", "summary");
	json_text(json, "per", compare_units[all->unit]);
	json_text(json, "cost", cost);
	json_unsigned(json, "rows", all->nr_pairs);
	json_unsigned(json, "compared", all->nr_compared);
	json_unsigned(json, "changed", all->nr_changed);
	json_unsigned(json, "comparisons", all->comparisons);
	json_real(json, "confidence", 2, COMPARE_CONFIDENCE);
	json_real(json, "deviations", 6, all->basis.deviations);
	json_real(json, "noise", 6, all->basis.noise);
	put_work(json, all, work);
	free(work);
	put_differences(json, out);
	put_side(json, out, 0);
	put_side(json, out, 1);
	out->end(json);
	return 0;
}

static int put_all(const struct diff_output *out)
{
	return put_summary(out->json, out) ?: diff_rows(out, PRINT_JSONL);
}

int diff_print_jsonl(const struct diff_output *out)
{
	struct json json = {.out = stdout};
	struct diff_output lines = *out;

	lines.json = &json;
	lines.begin = json_begin_line;
	lines.end = json_end_line;
	return put_all(&lines);
}

static void begin_element(struct json *json)
{
	json_begin_object(json, NULL);
}

/* The same objects as in lines, for js/diff.js. */
static int put_model(void *context, FILE *to)
{
	const struct diff_output *out = context;
	const struct row_table *table = &out->all->sides[0].table;
	struct json json = {.out = to, .in_html = true};
	struct diff_output elements = *out;
	int ret;

	elements.json = &json;
	elements.begin = begin_element;
	elements.end = json_end_object;
	json_begin_line(&json);
	json_begin_array(&json, "keys");
	for (size_t i = 0; i < table->nr_keys; i++)
		json_text(&json, NULL, field_heading(table->keys[i]));
	json_end_array(&json);
	json_unsigned(&json, "left_out", out->all->nr_pairs - out->nr_rows);
	json_begin_array(&json, "lines");
	ret = put_all(&elements);
	json_end_array(&json);
	json_end_line(&json);
	return ret;
}

int diff_print_html(const struct diff_output *out)
{
	struct diff_output copy = *out;

	return html_shell_write(HTML_DIFF, put_model, &copy, stdout);
}
