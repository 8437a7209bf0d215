/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command-line options as a table: it tells the parser how to fill a command's
 * config struct, and it is the source of the help text.
 */
#pragma once

#include "base/std.h"

/**
 * struct option_row - one option
 * @name: long name, without the dashes
 * @letter: short name, or 0
 * @arg: name of its argument in the help; NULL: it takes no argument. With
 *	 brackets ("[=LEVEL]") it may be left out; then @set gets NULL
 * @offset: offset of the field in the config struct
 * @set: stores @arg (NULL if the option takes none) at @field; returns 0,
 *       or -EINVAL for an invalid argument
 * @choices: valid words, for option_choice() and error messages; ended by NULL
 * @help: one line
 *
 * A table ends with a row of zeros.
 */
struct option_row {
	const char *name;
	char letter;
	const char *arg;
	size_t offset;
	int (*set)(const struct option_row *row, const char *arg, void *field);
	const char *const *choices;
	const char *help;
};

/**
 * struct command_help - the help of a command
 * @synopsis: the words after "pmscope ", for instance "stat [OPTIONS] -- CMD"
 * @about: description, one or more sentences
 * @options: the table
 * @words: what completion offers in lists for the argument of an option, ended
 *	   by NULL; returns NULL for none
 * @program_follows: the first operand ends the options (stat, record)
 */
struct command_help {
	const char *synopsis;
	const char *about;
	const struct option_row *options;
	const char *const *(*words)(const struct option_row *row);
	int program_follows;
};

/* May its argument be left out? */
static inline bool option_is_optional(const struct option_row *row)
{
	return row->arg && *row->arg == '[';
}

/* Setters, by the type of the field. */
int option_true(const struct option_row *row, const char *arg, void *field);
int option_accepted(const struct option_row *row, const char *arg, void *field);
int option_string(const struct option_row *row, const char *arg, void *field);
/* The same, but the string must not be empty. */
int option_name(const struct option_row *row, const char *arg, void *field);
/* A separator: not empty; the two letters "\t" mean a tab. */
int option_separator(const struct option_row *row, const char *arg,
		     void *field);
int option_unsigned(const struct option_row *row, const char *arg, void *field);
/* Hexadecimal after 0x, otherwise decimal, even with leading zeros. */
int option_u64(const struct option_row *row, const char *arg, void *field);
/* The same, but not 0, which means that the option is not given. */
int option_positive(const struct option_row *row, const char *arg, void *field);
int option_positive_u64(const struct option_row *row, const char *arg,
			void *field);
/*
 * An allocated string: the arguments of all uses, joined by commas. Freed if
 * the command does not run, see options_parse().
 */
int option_join(const struct option_row *row, const char *arg, void *field);
/* The same with a unit: 4K, 1.5M. */
int option_count(const struct option_row *row, const char *arg, void *field);
/* A share: "5" or "5%", with decimals, from 0 to 100. A double. */
int option_percent(const struct option_row *row, const char *arg, void *field);
/* An int: the index of @arg in the row's NULL-terminated @choices. */
int option_choice(const struct option_row *row, const char *arg, void *field);
/* An unsigned int: a bit for each word of @arg, which commas separate. */
int option_choices(const struct option_row *row, const char *arg, void *field);

/* An option of perf that changes nothing here. */
#define OPTION_OF_PERF(name, letter)                                  \
	{                                                             \
		name, letter, NULL, 0, option_accepted, NULL,         \
			"accepted for users of perf; changes nothing" \
	}

/**
 * struct number_unit - a letter or word behind a number, and its factor
 */
struct number_unit {
	const char *name;
	uint64_t factor;
};

/* K, M and G for thousands; ns, us, ms and s. Each ends in zeros. */
extern const struct number_unit number_counts[];
extern const struct number_unit number_times[];

/*
 * A number as by option_u64(), or decimal with one of @units, and then perhaps
 * with decimals ("1.5ms"). Returns 0, or -EINVAL also if it is not whole.
 */
int number_parse(const char *text, const struct number_unit *units,
		 uint64_t *value);

/*
 * Fills @config from the command line. Returns the index of the first operand;
 * 0 when help was asked for and printed (exit with 0); -EINVAL after a usage
 * error was reported (exit 1).
 */
int options_parse(const struct command_help *help, int argc, char **argv,
		  void *config);

/*
 * From now on options_parse() calls @observer instead of parsing, and returns
 * 0: the command ends.
 */
void options_observe(void (*observer)(const struct command_help *help, int argc,
				      char **argv));
