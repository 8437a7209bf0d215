// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of sysfs with a line for each CPU: no line is cut by the end of the
 * page, however many there are and however long.
 */
#include "ktap.h"
#include "cpu_line.h"

/* The number of the @nr CPUs that have a line after @len bytes. */
static int emit_all(char *page, ssize_t len, int nr, const char *text)
{
	int cpu = 0;

	while (cpu < nr && pmscope_emit_cpu(page, &len, cpu, text))
		cpu++;
	EXPECT_EQ((size_t)len, strlen(page));
	return cpu;
}

TEST(all_of_few)
{
	char page[PAGE_SIZE] = "total 7\n";

	EXPECT_EQ(emit_all(page, strlen(page), 2, "3"), 2);
	EXPECT_STREQ(page, "total 7\ncpu0 3\ncpu1 3\n");
}

static const char *last_line(const char *page)
{
	const char *end = page + strlen(page) - 1;

	while (end > page && end[-1] != '\n')
		end--;
	return end;
}

/* The length of the first line moves where the page ends in the last. */
TEST(as_many_as_fit)
{
	char page[PAGE_SIZE + 1], line[40];
	int cpus, first;

	for (first = 1; first < 40; first++) {
		memset(page, 'x', first);
		page[first] = '\0';
		cpus = emit_all(page, first, 1000, "18446744073709551615");
		ASSERT_TRUE(cpus > 100 && cpus < 1000);
		EXPECT_STREQ(last_line(page), "...\n");
		snprintf(line, sizeof(line), "cpu%d 18446744073709551615\n...",
			 cpus - 1);
		EXPECT_TRUE(strstr(page, line));
		/* The next line and "..." had no room. */
		snprintf(line, sizeof(line), "cpu%d 18446744073709551615\n",
			 cpus);
		EXPECT_GT(strlen(page) + strlen(line) + 1, PAGE_SIZE);
	}
}
