// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of options: those that the tool's own tables have. */
#include "complete/complete.h"
#include "fields/fields.h"
#include "session/pmu.h"

#include <dirent.h>

/* The first part of a help text, on one line. */
static int about_length(const char *about)
{
	return (int)strcspn(about, ";\t\n");
}

void complete_word(const char *begun, const char *word, const char *about)
{
	if (strncmp(word, begun, strlen(begun)) != 0)
		return;
	printf("%s\t%.*s\n", word, about ? about_length(about) : 0,
	       about ? about : "");
}

/* What is completed: @begun is the end of @word, and all before it is kept. */
struct part {
	const char *word;
	const char *begun;
};

static void put(const struct part *part, const char *value, const char *end,
		const char *about)
{
	int kept = (int)(part->begun - part->word);
	char text[512];

	if (snprintf(text, sizeof(text), "%.*s%s%s", kept, part->word, value,
		     end) < (int)sizeof(text))
		complete_word(part->word, text, about);
}

/* The last member of a list. */
static void skip_to_last(struct part *part, const char *separators)
{
	size_t length = strcspn(part->begun, separators);

	for (; part->begun[length]; length = strcspn(part->begun, separators))
		part->begun += length + 1;
}

static void put_fields(const struct part *part, enum field_use use,
		       const char *end)
{
	char names[FIELD_NAMES_MAX], *rest = names, *name;

	field_names(use, ",", names);
	while ((name = strsep(&rest, ",")))
		put(part, name, end, field_find(name, strlen(name), use)->unit);
}

static void sort_keys(struct part part)
{
	skip_to_last(&part, ",");
	put_fields(&part, FIELD_SORT, "");
}

static void columns(struct part part)
{
	skip_to_last(&part, ",");
	if (*part.begun == '+' || *part.begun == '-')
		part.begun++;
	put_fields(&part, FIELD_COLUMN, "");
}

static void to_lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

/* The last of the words with | between; the filter ignores their case. */
static void put_values(struct part part, enum field_type type)
{
	char names[FILTER_KNOWN_MAX], *rest = names, *name;

	skip_to_last(&part, "|");
	filter_known_values(type, names, sizeof(names));
	if (islower((unsigned char)*part.begun))
		to_lower(names);
	while ((name = strsep(&rest, ",")))
		if (*name && !strchr(name, ':'))
			put(&part, name, "", "");
}

static void data_sources(struct part part)
{
	put_values(part, FIELD_SOURCE);
}

static void filter_terms(struct part part)
{
	const struct field *field;
	size_t length;

	skip_to_last(&part, ",");
	length = strcspn(part.begun, "!=<>");
	if (!part.begun[length]) {
		put_fields(&part, FIELD_FILTER, "=");
		return;
	}
	field = field_find(part.begun, length, FIELD_FILTER);
	part.begun += length;
	part.begun += strspn(part.begun, "!=<>");
	if (field)
		put_values(part, field->type);
}

/* The names in a folder of sysfs; none where it does not exist. */
static void put_entries(const struct part *part, const char *folder,
			const char *end)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && !strchr(entry->d_name, '.'))
			put(part, entry->d_name, end, "");
	if (dir)
		closedir(dir);
}

/* The PMU of "pmu/terms", which begins at @text; false outside of one. */
static bool inside_pmu(const char *text, char *pmu, size_t size)
{
	const char *slash = strchr(text, '/');

	if (!slash || strchr(slash + 1, '/'))
		return false;
	snprintf(pmu, size, "%.*s", (int)(slash - text), text);
	return true;
}

static void put_terms(const struct part *part, const char *pmu)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), PMSCOPE_PMU_DEVICES "/%s/%s", pmu,
		 pmu_event_folder(pmu));
	put_entries(part, folder, "/");
	snprintf(folder, sizeof(folder), PMSCOPE_PMU_DEVICES "/%s/format", pmu);
	put_entries(part, folder, "=");
}

static void put_names(const struct part *part)
{
	const struct pmscope_event_name *names;
	size_t nr;

	names = event_names(&nr);
	for (size_t i = 0; i < nr; i++)
		put(part, names[i].name, "", names[i].text);
}

/* Names of events, PMUs, and terms of a PMU, in groups: {a,pmu/b/}:mods. */
static void events(struct part part)
{
	char pmu[PMSCOPE_PMU_NAME_MAX];
	const char *event = part.begun;
	bool inside = false;

	for (const char *at = part.begun; *at; at++) {
		inside ^= *at == '/';
		if (!inside && strchr("{},", *at))
			event = at + 1;
	}
	part.begun = event;
	if (inside_pmu(event, pmu, sizeof(pmu))) {
		skip_to_last(&part, "/,");
		put_terms(&part, pmu);
		return;
	}
	put_names(&part);
	put_entries(&part, PMSCOPE_PMU_DEVICES, "/");
}

/* When a new file begins: the word, and examples of a size and a time. */
static void switches(struct part part)
{
	static const char *const words[] = {"signal", "100M", "1G", "10m",
					    "1h"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		put(&part, words[i], "", NULL);
}

/* What kind of value the help calls by this name. */
static const struct {
	const char *arg;
	void (*complete)(struct part part);
} kinds[] = {
	{"EVENT", events},	   {"EVENTS", events},
	{"FIELDS", columns},	   {"KEYS", sort_keys},
	{"SOURCES", data_sources}, {"TERMS", filter_terms},
	{"[=WHEN]", switches},
};

/* Some rows have a sentence there, for messages. */
static bool has_words(const char *const *choices)
{
	for (; choices && *choices; choices++)
		if (strchr(*choices, ' '))
			return false;
	return choices;
}

static bool is_before(const char *const *words, int end)
{
	for (int i = 0; i < end; i++)
		if (!strcmp(words[i], words[end]))
			return true;
	return false;
}

/*
 * Prints what the argument of @row can become. @value, which is in @word, is
 * what there is of it; what comes before the part that is completed is kept.
 */
static void complete_value(const struct command_help *help,
			   const struct option_row *row, const char *word,
			   const char *value)
{
	struct part part = {.word = word, .begun = value};
	const char *const *words = help->words ? help->words(row) : NULL;

	if (words) {
		skip_to_last(&part, ",");
		for (int i = 0; words[i]; i++)
			if (!is_before(words, i))
				put(&part, words[i], "", NULL);
		return;
	}
	if (has_words(row->choices)) {
		if (row->set == option_choices)
			skip_to_last(&part, ",");
		for (int i = 0; row->choices[i]; i++)
			put(&part, row->choices[i], "", NULL);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].arg, row->arg))
			kinds[i].complete(part);
}

static const struct option_row *row_by_name(const struct command_help *help,
					    const char *name, size_t length)
{
	for (const struct option_row *row = help->options; row->name; row++)
		if (strlen(row->name) == length &&
		    !strncmp(row->name, name, length))
			return row;
	return NULL;
}

static const struct option_row *row_by_letter(const struct command_help *help,
					      char letter)
{
	for (const struct option_row *row = help->options; row->name; row++)
		if (letter && row->letter == letter)
			return row;
	return NULL;
}

/* The option whose argument follows @word: --name, -n, or -abn. */
static const struct option_row *row_before(const struct command_help *help,
					   const char *word)
{
	const struct option_row *row;

	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-')
		row = row_by_name(help, word + 2, strlen(word + 2));
	else
		row = row_by_letter(help, word[strlen(word) - 1]);
	return row && row->arg && !option_is_optional(row) ? row : NULL;
}

static void all_options(const struct command_help *help, const char *begun)
{
	char name[64];

	for (const struct option_row *row = help->options; row->name; row++) {
		snprintf(name, sizeof(name), "--%s", row->name);
		complete_word(begun, name, row->help);
	}
	complete_word(begun, "--help", "print this help");
}

/* The words of a synopsis that ends as "use|restore|status". */
static void operands(const struct command_help *help, const char *begun)
{
	const char *last = strrchr(help->synopsis, ' ');
	char word[32];

	if (!last || !strchr(last, '|') || strpbrk(last, "[]=."))
		return;
	for (const char *at = last; *at; at += strcspn(at, "|")) {
		at++;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "|"), at);
		complete_word(begun, word, NULL);
	}
}

/* After "--" is a program with its own arguments. */
static bool is_program(int argc, char **argv)
{
	for (int i = 1; i < argc - 1; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return false;
}

void complete_options(const struct command_help *help, int argc, char **argv)
{
	const char *word = argv[argc - 1], *equals = strchr(word, '=');
	const struct option_row *row = NULL;

	if (is_program(argc, argv))
		return;
	if (argc > 2)
		row = row_before(help, argv[argc - 2]);
	if (row) {
		complete_value(help, row, word, word);
	} else if (!strncmp(word, "--", 2) && equals) {
		row = row_by_name(help, word + 2, equals - word - 2);
		if (row && row->arg)
			complete_value(help, row, word, equals + 1);
	} else if (*word == '-') {
		all_options(help, word);
	} else {
		operands(help, word);
	}
}
