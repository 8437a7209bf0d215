// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cli.h"

#include <getopt.h>

#define MAX_ROWS   64
#define HELP_VALUE 256 /* above every short name */

int option_true(const struct option_row *, const char *, void *field)
{
	*(bool *)field = true;
	return 0;
}

int option_accepted(const struct option_row *, const char *, void *)
{
	return 0;
}

int option_string(const struct option_row *, const char *arg, void *field)
{
	*(const char **)field = arg;
	return 0;
}

int option_name(const struct option_row *row, const char *arg, void *field)
{
	return *arg ? option_string(row, arg, field) : -EINVAL;
}

int option_separator(const struct option_row *row, const char *arg, void *field)
{
	return option_name(row, strcmp(arg, "\\t") ? arg : "\t", field);
}

int option_join(const struct option_row *, const char *arg, void *field)
{
	char **words = field, *joined;
	bool both = *words && **words && *arg;

	if (asprintf(&joined, "%s%s%s", *words ? *words : "", both ? "," : "",
		     arg) < 0)
		return -ENOMEM;
	free(*words);
	*words = joined;
	return 0;
}

int option_choice(const struct option_row *row, const char *arg, void *field)
{
	for (int i = 0; row->choices[i]; i++) {
		if (!strcmp(row->choices[i], arg)) {
			*(int *)field = i;
			return 0;
		}
	}
	return -EINVAL;
}

int option_choices(const struct option_row *row, const char *arg, void *field)
{
	unsigned int *chosen = field;

	for (*chosen = 0;; arg++) {
		size_t length = strcspn(arg, ",");
		int i = 0;

		while (row->choices[i] &&
		       (strncmp(row->choices[i], arg, length) != 0 ||
			row->choices[i][length]))
			i++;
		if (!row->choices[i])
			return -EINVAL;
		*chosen |= 1U << i;
		arg += length;
		if (!*arg)
			return 0;
	}
}

static void print_row(const struct option_row *row)
{
	char left[64];
	int len;

	len = snprintf(left, sizeof(left), "  %c%c%c --%s",
		       row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
		       row->letter ? ',' : ' ', row->name);
	if (row->arg && len < (int)sizeof(left))
		snprintf(left + len, sizeof(left) - len, "%s%s",
			 option_is_optional(row) ? "" : "=", row->arg);
	printf("%-30s %s", left, row->help);
	for (int i = 0; row->choices && row->choices[i]; i++)
		printf("%s%s", i ? "|" : " (", row->choices[i]);
	puts(row->choices ? ")" : "");
}

static void print_help(const struct command_help *help)
{
	static const struct option_row help_row = {
		.name = "help", .letter = 'h', .help = "print this help"};

	printf("Usage: pmscope %s\n\n%s\n\nOptions:\n", help->synopsis,
	       help->about);
	for (const struct option_row *row = help->options; row->name; row++)
		print_row(row);
	print_row(&help_row);
}

/* getopt_long's two views of the table. */
struct getopt_tables {
	struct option longs[MAX_ROWS + 2];
	char shorts[3 * MAX_ROWS + 4];
};

static void getopt_fill(struct getopt_tables *t,
			const struct command_help *help)
{
	char *s = t->shorts;
	size_t i = 0;

	if (help->program_follows)
		*s++ = '+';
	*s++ = 'h';
	for (; help->options[i].name && i < MAX_ROWS; i++) {
		const struct option_row *row = &help->options[i];

		t->longs[i].name = row->name;
		t->longs[i].has_arg = option_is_optional(row)
					      ? optional_argument
				      : row->arg ? required_argument
						 : no_argument;
		t->longs[i].val = HELP_VALUE + 1 + i;
		if (!row->letter)
			continue;
		*s++ = row->letter;
		if (row->arg)
			*s++ = ':';
		if (option_is_optional(row))
			*s++ = ':';
	}
	t->longs[i].name = "help";
	t->longs[i].val = HELP_VALUE;
	*s = '\0';
}

static const struct option_row *row_find(const struct command_help *help,
					 int value)
{
	if (value > HELP_VALUE)
		return &help->options[value - HELP_VALUE - 1];
	for (const struct option_row *row = help->options; row->name; row++)
		if (row->letter == value)
			return row;
	return NULL;
}

static int usage_error(const char *command)
{
	fflush(stdout);
	fprintf(stderr, "Try 'pmscope %s --help'.\n", command);
	return -EINVAL;
}

/* Reports a long option that no row has; @word may have dashes and "=VALUE". */
static int refuse_unknown(const struct command_help *help, const char *command,
			  const char *word)
{
	struct nearest nearest = nearest_begin("", 0);

	if (!strncmp(word, "--", 2))
		nearest = nearest_begin(word + 2, strcspn(word + 2, "="));
	nearest_try(&nearest, "help");
	for (const struct option_row *row = help->options; row->name; row++)
		nearest_try(&nearest, row->name);
	if (nearest.name)
		error("%s: unknown option %s; did you mean --%s?", command,
		      word, nearest.name);
	else
		error("%s: unknown option %s", command, word);
	return usage_error(command);
}

/* Reports an option that getopt_long() refused; @word: as it was written. */
static int refuse(const struct command_help *help, const char *command,
		  const char *word)
{
	const struct option_row *row = optopt ? row_find(help, optopt) : NULL;

	if (row && row->arg)
		error("%s: option --%s requires an argument", command,
		      row->name);
	else if (row)
		error("%s: option --%s takes no argument", command, row->name);
	else if (optopt && optopt < HELP_VALUE)
		error("%s: unknown option -%c", command, optopt);
	else
		return refuse_unknown(help, command, word);
	return usage_error(command);
}

/* ": text, jsonl, csv" for a choice, nothing for others. */
static void name_choices(const struct option_row *row, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (int i = 0; row->choices && row->choices[i] && at < size; i++)
		at += snprintf(text + at, size - at, "%s%s", i ? ", " : ": ",
			       row->choices[i]);
}

static int row_apply(const struct option_row *row, const char *command,
		     void *config)
{
	int ret = row->set(row, optarg, (char *)config + row->offset);
	const char *name = option_is_optional(row) ? row->arg + 2 : row->arg;
	char choices[128];

	if (ret == -ENOMEM)
		error("out of memory");
	if (!ret || ret == -ENOMEM)
		return ret;
	name_choices(row, choices, sizeof(choices));
	if (row->set == option_count)
		strcpy(choices, ": 1 or more, for example 10000 or 16K");
	error("%s: '%s' is not a valid %.*s for --%s%s", command, optarg,
	      (int)strcspn(name, "]"), name, row->name, choices);
	return usage_error(command);
}

/* The word of the option that getopt_long() returned last. */
static const char *word_of(char **argv)
{
	return argv[optind - 1 - (optarg && optarg == argv[optind - 1])];
}

/*
 * getopt_long() accepts beginnings of names. A later version may have another
 * option with the same beginning, so a script must not depend on them.
 */
static bool is_abbreviated(const char *word, const char *name)
{
	return strcspn(word, "=") != strlen("--") + strlen(name);
}

static int parse(const struct command_help *help, int argc, char **argv,
		 void *config)
{
	struct getopt_tables t = {};
	int value, ret, at;

	getopt_fill(&t, help);
	optind = 0;
	opterr = 0;
	while ((value = getopt_long(argc, argv, t.shorts, t.longs, &at)) !=
	       -1) {
		const struct option_row *row;

		if (value >= HELP_VALUE &&
		    is_abbreviated(word_of(argv), t.longs[at].name))
			return refuse_unknown(help, argv[0], word_of(argv));
		if (value == 'h' || value == HELP_VALUE) {
			print_help(help);
			return 0;
		}
		row = value == '?' ? NULL : row_find(help, value);
		if (!row)
			return refuse(help, argv[0], argv[optind - 1]);
		ret = row_apply(row, argv[0], config);
		if (ret)
			return ret;
	}
	return optind;
}

/* Frees the joined strings if the command does not run. */
static void forget(const struct command_help *help, void *config)
{
	for (const struct option_row *row = help->options; row->name; row++) {
		char **words = (void *)((char *)config + row->offset);

		if (row->set != option_join)
			continue;
		free(*words);
		*words = NULL;
	}
}

static void (*observe)(const struct command_help *help, int argc, char **argv);

void options_observe(void (*observer)(const struct command_help *help, int argc,
				      char **argv))
{
	observe = observer;
}

int options_parse(const struct command_help *help, int argc, char **argv,
		  void *config)
{
	int first = 0;

	if (observe)
		observe(help, argc, argv);
	else
		first = parse(help, argc, argv, config);
	if (first <= 0)
		forget(help, config);
	return first;
}
