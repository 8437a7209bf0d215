// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of fields: each row is whole, each name means one field, and
 * Documentation/reference/formats.rst tells the same.
 */
#include "ktap.h"

#include "fields/fields.h"

#define PAGE PMSCOPE_TESTS "/../../Documentation/reference/formats.rst"

static const enum field_use uses[] = {FIELD_COLUMN, FIELD_SORT, FIELD_FILTER};

TEST(each_row_has_the_getter_of_its_type)
{
	for (const struct field *f = all_fields; f->name; f++) {
		bool is_text =
			f->type == FIELD_TEXT || f->type == FIELD_OPERATION ||
			f->type == FIELD_PLACE || f->type == FIELD_BRANCHES;
		bool is_list =
			f->type == FIELD_COUNTS || f->type == FIELD_COUNTERS;

		ktap_note("%s", f->name);
		EXPECT_EQ(f->text != NULL, is_text);
		EXPECT_EQ(f->number != NULL, !is_text && !is_list);
		EXPECT_TRUE(f->uses & FIELD_COLUMN);
		EXPECT_TRUE(strlen(f->name) < FIELD_NAME_MAX);
	}
}

/* Report remembers rows: what it groups by is not of single records. */
TEST(sort_keys_have_a_width_and_may_be_remembered)
{
	for (const struct field *f = all_fields; f->name; f++) {
		if (!(f->uses & FIELD_SORT))
			continue;
		ktap_note("%s", f->name);
		EXPECT_TRUE(f->width > 0 && f->deps);
		EXPECT_TRUE(!(f->deps & DEP_RECORD));
	}
}

static unsigned int owners(const char *name, enum field_use use)
{
	unsigned int nr = 0;

	for (const struct field *f = all_fields; f->name; f++) {
		char also[128], *words = also, *word;

		if (!(f->uses & use))
			continue;
		nr += !strcmp(f->name, name);
		snprintf(also, sizeof(also), "%s", f->also ? f->also : "");
		while ((word = strsep(&words, " ")))
			nr += !strcmp(word, name);
	}
	return nr;
}

static void expect_named(const char *name, const struct field *field,
			 enum field_use use)
{
	if (!(field->uses & use))
		return;
	ktap_note("%s", name);
	EXPECT_TRUE(field_find(name, strlen(name), use) != NULL);
	/* "op" as a column and as a sort key are different fields. */
	if (use == FIELD_COLUMN)
		return;
	EXPECT_EQ(owners(name, use), 1U);
	EXPECT_TRUE(field_find(name, strlen(name), use) == field);
}

TEST(each_name_means_one_field)
{
	for (const struct field *f = all_fields; f->name; f++)
		for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
			char also[128], *words = also, *word;

			expect_named(f->name, f, uses[i]);
			EXPECT_TRUE(field_find(f->name, strlen(f->name),
					       FIELD_COLUMN) == f);
			if (!f->also)
				continue;
			snprintf(also, sizeof(also), "%s", f->also);
			while ((word = strsep(&words, " ")))
				expect_named(word, f, uses[i]);
		}
}

/* Names that scripts use must keep their meaning. */
static const struct {
	enum field_use use;
	const char *names; /* name, or name=field */
} kept[] = {
	{FIELD_COLUMN,
	 "type time ticks cpu pid tid comm el ns pc sym symoff dso op op_text "
	 "va pa target previous_target events lat_total lat_issue lat_xlat "
	 "source source_name context_el1 context_el2 offset counts trigger "
	 "backend result throttled stopped pmsscr lost cookie spe_frozen pmbsr "
	 "pmbptr aux_offset aux_size counters lat_alt_issue line file frames "
	 "time_enabled time_running symbol_daddr symoff_daddr dso_daddr ip "
	 "addr phys_addr=pa weight=lat_total data_src srcline=line"},
	{FIELD_SORT,
	 "sym dso line file frames comm pid tid cpu op=op_text event=events "
	 "source=source_name el lat=lat_total symbol_daddr dso_daddr "
	 "symbol=sym symbol_iaddr=sym srcline=line srcfile=file "
	 "mem=source_name local_weight=lat_total pc ip=pc symoff target "
	 "cacheline object member"},
	{FIELD_FILTER,
	 "op event=events source lat=lat_total issue=lat_issue xlat=lat_xlat "
	 "cpu el time va pc pid tid comm sym dso symbol_daddr dso_daddr "
	 "object member"},
};

static void expect_kept(char *word, enum field_use use)
{
	char *name = strsep(&word, "=");
	const struct field *f = field_find(name, strlen(name), use);

	ktap_note("%s", name);
	ASSERT_TRUE(f);
	EXPECT_STREQ(f->name, word ? word : name);
}

TEST(names_that_scripts_use)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		char names[1024], *words = names, *word;

		snprintf(names, sizeof(names), "%s", kept[i].names);
		while ((word = strsep(&words, " ")))
			expect_kept(word, kept[i].use);
	}
}

TEST(other_names_are_refused)
{
	static const char *const names[] = {"",
					    " ",
					    "lat ",
					    "latx",
					    "la",
					    "lat_total ",
					    "symbol symbol_iaddr",
					    "sym,dso"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t j = 0; j < ARRAY_SIZE(uses); j++)
			EXPECT_TRUE(!field_find(names[i], strlen(names[i]),
						uses[j]));
}

static const char *letters(const struct field *f, char text[16])
{
	char *p = text;

	for (unsigned int i = 1; i < 8; i++)
		if (f->uses & 1U << i)
			*p++ = "-CSJKFAP"[i];
	if (p == text)
		*p++ = '-';
	*p = '\0';
	return text;
}

#define PAGE_FIELD   0
#define PAGE_UNIT    21
#define PAGE_FOR     29
#define PAGE_MEANING 37

/* The text of a line from @from to before @to, without blanks. */
static const char *cell(const char *line, size_t from, size_t to, char text[32])
{
	size_t length = strlen(line);

	to = MIN(to, length);
	while (from < to && line[from] == ' ')
		from++;
	while (from < to && strchr(" \n", line[to - 1]))
		to--;
	memcpy(text, line + from, from < to ? to - from : 0);
	text[from < to ? to - from : 0] = '\0';
	return text;
}

/* A row of the page; what it means ends with other names. */
static void expect_row(FILE *page, char line[256], const struct field *f)
{
	char text[32], name[32], also[128] = "; also ", all[1024] = "";
	const char *names = f->also ? f->also : "", *told;
	size_t length = strlen(also);

	snprintf(name, sizeof(name), "``%s``", f->name);
	EXPECT_STREQ(cell(line, PAGE_FIELD, PAGE_UNIT, text), name);
	EXPECT_STREQ(cell(line, PAGE_UNIT, PAGE_FOR, text),
		     f->unit ? f->unit : "");
	EXPECT_STREQ(cell(line, PAGE_FOR, PAGE_MEANING, text),
		     letters(f, name));
	EXPECT_TRUE(strlen(line) > PAGE_MEANING + 2);
	do {
		line[strcspn(line, "\n")] = '\0';
		strcat(strcat(all, *all ? " " : ""), line + PAGE_MEANING);
		ASSERT_TRUE(fgets(line, 256, page));
	} while (line[0] == ' ');
	for (; *names; names++)
		length += sprintf(also + length, *names == ' ' ? ",%c" : "%c",
				  *names);
	told = strstr(all, "; also ");
	EXPECT_STREQ(told ? told : "; also ", also);
}

TEST(page_of_formats_has_each_field)
{
	FILE *page = fopen(PAGE, "r");
	char line[256];

	ASSERT_TRUE(page);
	while (fgets(line, sizeof(line), page) && strncmp(line, "``type``", 8))
		;
	for (const struct field *f = all_fields; f->name; f++)
		expect_row(page, line, f);
	EXPECT_EQ(strncmp(line, "====", 4), 0);
	fclose(page);
}
