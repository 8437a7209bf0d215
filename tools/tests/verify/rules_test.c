// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules are of known events, and tell which of them pmscope's views use. */
#include "verify/verify.h"
#include "ktap.h"

static const char *const views[] = {
#define METRIC(cpus, name, unit, formula) formula,
#include "stat/metrics.def"
	/* What stat counts by default, and record beside SPE */
	"CPU_CYCLES,INST_RETIRED,L1D_CACHE,L1D_CACHE_REFILL",
	"BR_RETIRED,BR_MIS_PRED",
};

/* Is the event a word of what views are made of? */
static bool is_used(const char *event)
{
	size_t length = strlen(event);

	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		for (const char *at = views[i]; *at; at += !!*at) {
			size_t word = 0;

			while (isalnum(at[word]) || at[word] == '_')
				word++;
			if (word == length && !strncasecmp(at, event, length))
				return true;
			at += word;
			if (!*at)
				break;
		}
	return false;
}

TEST(events_that_views_use)
{
	size_t nr, nr_rules = 0;
	const struct pmscope_event_name *names = event_names(&nr);

	for (size_t i = 0; i < nr; i++) {
		const struct verify_rule *rule = verify_rule(names[i].name);

		if (!rule)
			continue;
		ktap_note("%s", names[i].name);
		EXPECT_EQ(rule->used, is_used(names[i].name));
		nr_rules++;
	}
	/* No name is wrong. */
	EXPECT_EQ(nr_rules, 76);
}

/* A rule that no loop has is none. */
TEST(each_quantity_is_in_a_loop)
{
	for (enum quantity q = 0; q < NR_QUANTITIES; q++) {
		double most = 0;

		for (size_t l = 0; l < nr_loops; l++) {
			double n = loop_quantity(&loops[l], q, 2, 1);

			most = n > most ? n : most;
			EXPECT_TRUE(n <= loop_quantity(&loops[l], INSTRUCTIONS,
						       2, 1));
		}
		ktap_note("%d", q);
		EXPECT_TRUE(most > 0);
	}
}

/* A branch of each two iterations: what is not taken is skipped. */
TEST(a_random_branch)
{
	const struct loop *loop = loop_find("random");

	EXPECT_EQ(loop_quantity(loop, BRANCHES, 100, 40), 300);
	EXPECT_EQ(loop_quantity(loop, SKIPPED, 100, 40), 60);
	EXPECT_EQ(loop_quantity(loop, TAKEN, 100, 40), 240);
	EXPECT_EQ(loop_quantity(loop, MISPREDICTED, 100, 40), 40);
	EXPECT_TRUE(loop_quantity(loop_find("atomics"), ACCESSES, 1, 0) < 0);
}
