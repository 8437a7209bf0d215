// SPDX-License-Identifier: GPL-2.0-or-later
/* Address spaces against a model that is one array cell a page. */
#include "ktap.h"
#include "bytes.h"

#include "base/space.h"

#define PAGES  200
#define SPACES 6

struct model {
	uint32_t dso[PAGES]; /* 0: nothing is mapped */
	uint64_t file_offset[PAGES];
};

static void model_map(struct model *model, const struct mapping *m)
{
	for (uint64_t page = m->start; page < m->end; page++) {
		model->dso[page] = m->dso;
		model->file_offset[page] = m->file_offset + page - m->start;
	}
}

static void expect_around(const struct mapping *m, const struct model *model,
			  uint64_t page, const struct pmscope_around *around)
{
	if (m) {
		ASSERT_EQ(around->before, page - m->start);
		ASSERT_EQ(around->behind, m->end - page - 1);
		return;
	}
	for (uint64_t i = page - around->before; i <= page + around->behind;
	     i++)
		ASSERT_EQ(model->dso[i], 0U);
	ASSERT_TRUE(around->before == page ||
		    model->dso[page - around->before - 1]);
	ASSERT_TRUE(around->behind == PAGES - 1 - page ||
		    model->dso[page + around->behind + 1]);
}

static void expect_equal(const struct space *space, const struct model *model)
{
	for (uint64_t page = 0; page < PAGES; page++) {
		struct pmscope_around around = {page, PAGES - 1 - page};
		const struct mapping *m = space_find(space, page, &around);

		ASSERT_EQ(m ? m->dso : 0, model->dso[page]);
		expect_around(m, model, page, &around);
		if (m)
			ASSERT_EQ(page - m->start + m->file_offset,
				  model->file_offset[page]);
	}
}

TEST(random_mappings_and_forks)
{
	static struct model models[SPACES];
	struct space spaces[SPACES] = {};
	CLEANUP(space_pool_fini) struct space_pool pool = {};
	uint64_t state = 99;

	for (uint32_t turn = 1; turn < 5000; turn++) {
		uint32_t a = random_below(&state, SPACES);
		uint32_t b = random_below(&state, SPACES);
		struct mapping m = {.start = random_below(&state, PAGES),
				    .file_offset = turn * 1000,
				    .dso = turn};

		m.end = m.start + random_below(&state, PAGES - m.start + 1);
		if (a != b && !random_below(&state, 10)) {
			space_fork(&pool, &spaces[a], &spaces[b]);
			models[b] = models[a];
		} else {
			ASSERT_EQ(space_map(&pool, &spaces[a], &m), 0);
			model_map(&models[a], &m);
		}
		expect_equal(&spaces[a], &models[a]);
		expect_equal(&spaces[b], &models[b]);
	}
}

TEST(a_fork_keeps_its_mappings)
{
	struct mapping old = {100, 200, 0, 1, 0}, new = {150, 250, 0, 2, 0};
	struct space parent = {}, child = {};
	CLEANUP(space_pool_fini) struct space_pool pool = {};

	ASSERT_EQ(space_map(&pool, &parent, &old), 0);
	space_fork(&pool, &parent, &child);
	ASSERT_EQ(space_map(&pool, &parent, &new), 0);
	EXPECT_EQ(space_find(&child, 160, NULL)->dso, 1U);
	EXPECT_EQ(space_find(&parent, 160, NULL)->dso, 2U);
	EXPECT_TRUE(!space_find(&child, 210, NULL));
}

/* The usual order in files, and the order that makes plain trees deep. */
TEST(a_million_ascending_mappings)
{
	struct space space = {};
	CLEANUP(space_pool_fini) struct space_pool pool = {};

	for (uint32_t i = 0; i < 1000000; i++) {
		struct mapping m = {4 * i, 4 * i + 2, 0, i, 0};

		ASSERT_EQ(space_map(&pool, &space, &m), 0);
	}
	for (uint32_t i = 0; i < 1000000; i++)
		ASSERT_EQ(space_find(&space, 4 * (uint64_t)i + 1, NULL)->dso,
			  i);
}

/*
 * In the order of xorshift64* with its usual seed. If these were the
 * priorities, the tree would be a list, which takes minutes and overflows the
 * stack.
 */
TEST(mappings_in_the_order_of_known_priorities)
{
	uint64_t x = UINT64_C(0x2545f4914f6cdd1d);
	struct space space = {};
	CLEANUP(space_pool_fini) struct space_pool pool = {};

	for (uint32_t i = 0; i < 300000; i++) {
		struct mapping m = {.dso = i};

		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		m.start = x * UINT64_C(0x2545f4914f6cdd1d) >> 32;
		m.end = m.start + 1;
		ASSERT_EQ(space_map(&pool, &space, &m), 0);
		ASSERT_EQ(space_find(&space, m.start, NULL)->dso, i);
	}
}

/*
 * Each process maps one thing over everything that it shares with its parent.
 * Walking the shared part each time would take minutes.
 */
TEST(many_forks_of_many_mappings_that_are_all_replaced)
{
	struct mapping all = {0, UINT64_MAX, 0, 1, 0};
	struct space parent = {};
	CLEANUP(space_pool_fini) struct space_pool pool = {};

	for (uint32_t i = 0; i < 200000; i++) {
		struct mapping m = {4 * i, 4 * i + 2, 0, i, 0};

		ASSERT_EQ(space_map(&pool, &parent, &m), 0);
	}
	for (uint32_t i = 0; i < 200000; i++) {
		struct space child = {};

		space_fork(&pool, &parent, &child);
		ASSERT_EQ(space_map(&pool, &child, &all), 0);
		ASSERT_EQ(space_find(&child, 4 * i, NULL)->dso, 1U);
	}
	for (uint32_t i = 0; i < 200000; i++)
		ASSERT_EQ(space_find(&parent, 4 * i, NULL)->dso, i);
}

TEST(whole_address_range)
{
	struct mapping all = {0, UINT64_MAX, 0, 1, 0}, none = {5, 5, 0, 2, 0};
	struct space space = {};
	CLEANUP(space_pool_fini) struct space_pool pool = {};

	EXPECT_TRUE(!space_find(&space, 0, NULL));
	ASSERT_EQ(space_map(&pool, &space, &all), 0);
	ASSERT_EQ(space_map(&pool, &space, &none), 0);
	EXPECT_EQ(space_find(&space, 0, NULL)->dso, 1U);
	EXPECT_EQ(space_find(&space, UINT64_MAX - 1, NULL)->dso, 1U);
}
