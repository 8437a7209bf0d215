// SPDX-License-Identifier: GPL-2.0-or-later
/* What is shown of a sample. */
#include "ktap.h"

#include "sample/fields.h"

/* Like generated code, also if it has only the text of its address. */
TEST(lines_of_a_file_of_a_long_name)
{
	static char file[PATH_MAX], text[VIEW_LINE_MAX];
	const struct view view = {.line = {.file = file, .line = UINT32_MAX}};

	memset(file, 'a', sizeof(file) - 1);
	view_line_text(&view.line, text);
	EXPECT_EQ(strspn(text, "a"), PATH_MAX - 1U);
	EXPECT_STREQ(text + PATH_MAX - 1, ":4294967295");
	file[3] = '/';
	view_line_text(&view.line, text);
	EXPECT_EQ(strlen(text), PATH_MAX - 5U + strlen(":4294967295"));
}
