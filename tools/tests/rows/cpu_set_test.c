// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs against arrays of bools. */
#include "ktap.h"
#include "bytes.h"
#include "rows/histogram.h"

#define CPUS 8192

struct model {
	bool has[CPUS + 1]; /* the last one is in none */
};

static int next_of(const struct model *model, unsigned int cpu)
{
	while (cpu < CPUS && !model->has[cpu])
		cpu++;
	return cpu < CPUS ? (int)cpu : -1;
}

static void expect_like(const struct cpu_set *set, const struct model *model)
{
	size_t count = 0;
	int cpu = -1;

	do {
		int next = next_of(model, cpu + 1);

		cpu = cpu_set_next(set, cpu + 1);
		ASSERT_EQ(cpu, next);
		count += cpu >= 0;
	} while (cpu >= 0);
	EXPECT_EQ(cpu_set_is_empty(set), !count);
}

TEST(random_sets)
{
	uint64_t state = 5;

	for (int turn = 0; turn < 300; turn++) {
		struct model models[2] = {};
		struct cpu_set sets[2] = {};

		for (uint32_t i = random_below(&state, 30); i-- > 0;) {
			uint32_t below = 1 << random_below(&state, 15);
			uint32_t cpu = random_below(&state, below);
			uint32_t which = random_below(&state, 2);

			ASSERT_EQ(cpu_set_add(&sets[which], cpu), 0);
			models[which].has[cpu < CPUS ? cpu : CPUS] = true;
		}
		expect_like(&sets[0], &models[0]);
		expect_like(&sets[1], &models[1]);
		cpu_set_fini(&sets[0]);
		cpu_set_fini(&sets[1]);
	}
}

/* However high the numbers are. */
TEST(neighbours_take_one_word)
{
	CLEANUP(cpu_set_fini) struct cpu_set set = {};

	ASSERT_EQ(cpu_set_add(&set, 8191), 0);
	ASSERT_EQ(cpu_set_add(&set, 8128), 0);
	EXPECT_EQ(set.nr_other, 1);
}
