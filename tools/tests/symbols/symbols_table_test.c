// SPDX-License-Identifier: GPL-2.0-or-later
/* A symbol table: what is found at an address, and for which range. */
#include "ktap.h"

#include "symbols/elf.h"

/* The whole range has the same answer, and the next byte another one. */
static void expect_around(const struct symbol_table *table, uint64_t address,
			  uint64_t end)
{
	struct pmscope_around around = {address, end - 1 - address};
	const struct symbol *found = symbol_table_find(table, address, &around);
	uint64_t first = address - around.before;
	uint64_t last = address + around.behind;

	for (uint64_t i = first; i <= last; i++)
		ASSERT_TRUE(symbol_table_find(table, i, NULL) == found);
	if (found)
		ASSERT_TRUE(first == found->address ||
			    symbol_table_find(table, first - 1, NULL) != found);
	else
		ASSERT_TRUE(!first ||
			    symbol_table_find(table, first - 1, NULL));
	if (found && !found->size)
		ASSERT_TRUE(last == end - 1 ||
			    symbol_table_find(table, last + 1, NULL) != found);
}

static void add(struct symbol_table *table, uint64_t address, uint64_t size,
		const char *name)
{
	struct symbol symbol = {.address = address, .size = size, .name = name};

	ASSERT_EQ(symbol_table_add(table, &symbol), 0);
}

static void expect_symbol(const struct symbol_table *table, uint64_t address,
			  const char *name)
{
	const struct symbol *found = symbol_table_find(table, address, NULL);

	EXPECT_STREQ(found ? found->name : NULL, name);
}

/* Nested functions; a label within a function is not a symbol. */
TEST(symbols_within_symbols)
{
	struct symbol_table table = {};

	add(&table, 40, 10, "deep");
	add(&table, 10, 90, "outer");
	add(&table, 35, 25, "inner");
	add(&table, 20, 0, "label");
	add(&table, 70, 50, "beyond");
	add(&table, 150, 0, "no size");
	symbol_table_sort(&table);
	expect_symbol(&table, 9, NULL);
	expect_symbol(&table, 25, "outer");
	expect_symbol(&table, 35, "inner");
	expect_symbol(&table, 49, "deep");
	expect_symbol(&table, 50, "inner");
	expect_symbol(&table, 60, "outer");
	expect_symbol(&table, 110, "beyond");
	expect_symbol(&table, 120, NULL);
	expect_symbol(&table, 160, "no size");
	for (uint64_t address = 0; address < 180; address++)
		expect_around(&table, address, 180);
	symbol_table_fini(&table);
}

/* Chooses as perf does, so that the output can be compared. */
TEST(one_of_the_names_for_an_address)
{
	static const char *const names[][3] = {
		{"__name", "name", "name"},
		{"name", "longer_name", "longer_name"},
		{"_long_name", "name", "name"},
		{"this", "that", "this"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct symbol_table table = {};

		add(&table, 10, 5, names[i][0]);
		add(&table, 10, 5, names[i][1]);
		symbol_table_sort(&table);
		expect_symbol(&table, 12, names[i][2]);
		symbol_table_fini(&table);
	}
}

TEST(addresses_around_with_the_same_symbol)
{
	static const struct symbol symbols[] = {
		{.address = 10, .size = 5, .name = "a"},
		{.address = 15, .size = 40, .name = "b"},
		{.address = 20, .size = 8, .name = "inside b"},
		{.address = 70, .name = "no size"},
		{.address = 90, .size = 5, .name = "c"},
	};
	struct symbol_table table = {};

	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		ASSERT_EQ(symbol_table_add(&table, &symbols[i]), 0);
	symbol_table_sort(&table);
	for (uint64_t address = 0; address < 120; address++)
		expect_around(&table, address, 120);
	symbol_table_fini(&table);
}
