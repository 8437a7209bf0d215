// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/complete.h"

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
