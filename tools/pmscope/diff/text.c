// SPDX-License-Identifier: GPL-2.0-or-later
/* The comparison for people; free to change. */
#include "diff/diff.h"

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
