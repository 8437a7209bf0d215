// SPDX-License-Identifier: GPL-2.0-or-later
/* How script prints the counters of a group, with any event names. */
#include "command.h"

#define TEXT_SIZE 4096

static void script(char *text, const char *arguments)
{
	static const struct snapshot_value values[] = {{100, 5}, {101, 6}};
	BYTES b = {};

	perfdata_begin_pipe(&b);
	put_snapshot_event(&b, 100, 0x11, "a|b=1,\"c\"");
	put_snapshot_event(&b, 101, 0x08, "d\\e");
	put_snapshot_group(&b, 0, 9, values, 2);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, TEXT_SIZE), 0);
}

TEST(csv_can_be_taken_apart)
{
	char text[TEXT_SIZE];

	script(text, "script --format=csv -F counts");
	EXPECT_STREQ(text, "counts\n\"a\\|b=1,\"\"c\"\"=5|d\\\\e=6\"\n");
}

TEST(json_and_text)
{
	char text[TEXT_SIZE];

	script(text, "script --format=jsonl -F counts");
	EXPECT_STREQ(text,
		     "{\"counts\":[{\"event\":\"a|b=1,\\\"c\\\"\",\"value\":5},"
		     "{\"event\":\"d\\\\e\",\"value\":6}]}\n");
	script(text, "script -F counts");
	EXPECT_STREQ(text, "a|b=1,\"c\"=5 d\\e=6\n");
}
