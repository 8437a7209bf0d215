/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#pragma once

#include "session/system.h"

/* The commands of the tool: each is one file with one entry. */

/*
 * A command gets its own name as argv[0] and returns the exit status: 0 on
 * success, 1 after a failure was reported on stderr. diff returns 2 if a
 * condition of --fail-if holds.
 */
typedef int (*command_fn)(int argc, char **argv);

int annotate_main(int argc, char **argv);
int archive_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int driver_main(int argc, char **argv);
int events_main(int argc, char **argv);
int export_main(int argc, char **argv);
int record_main(int argc, char **argv);
int regs_main(int argc, char **argv);
int report_main(int argc, char **argv);
int script_main(int argc, char **argv);
int stat_main(int argc, char **argv);
int top_main(int argc, char **argv);
int trace_main(int argc, char **argv);

/* Messages for people, on stderr. */

/* Print "pmscope: ...": what failed, on which object, and why. */
void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* With true, warnings are not printed. */
void message_quiet(bool quiet);

/* From now on @put gets each message, not stderr; with NULL stderr again. */
void message_to(void (*put)(const char *text));

/* Prints that memory is short. Returns -ENOMEM. */
int no_memory(void);

/* If @ret is not 0, prints what it, an errno, means for @what. Returns @ret. */
int failed(int ret, const char *what);

/* If @ret is not 0, print @err as an error. Returns @ret. */
int told(int ret, const struct pmscope_error *err);

/* Finds the name that a mistyped word probably means. */

/* The search, and its result so far */
struct nearest {
	const char *word; /* what the user wrote */
	size_t length;	  /* its bytes that count */
	const char *name; /* the nearest name; NULL if all are too different */
	size_t distance;  /* letters added, left out, replaced, swapped */
};

/*
 * A name that @word begins is near; others may differ in every fourth letter.
 * One letter alone is near nothing.
 */
struct nearest nearest_begin(const char *word, size_t length);
void nearest_try(struct nearest *nearest, const char *name);

/*
 * Command-line options as a table: it tells the parser how to fill a command's
 * config struct, and it is the source of the help text.
 */

/*
 * One option. A table ends with a row of zeros. @arg: name of its argument in
 * the help; NULL: it takes no argument. With brackets ("[=LEVEL]") it may be
 * left out; then @set gets NULL.
 */
struct option_row {
	const char *name; /* long name, without the dashes */
	char letter;	  /* short name, or 0 */
	const char *arg;
	size_t offset; /* offset of the field in the config struct */
	/*
	 * stores @arg (NULL if the option takes none) at @field; returns 0, or
	 * -EINVAL for an invalid argument
	 */
	int (*set)(const struct option_row *row, const char *arg, void *field);
	/* valid words, for option_choice() and error messages; ended by NULL */
	const char *const *choices;
	const char *help; /* one line */
};

struct command_help {
	/* the words after "pmscope ", for instance "stat [OPTIONS] -- CMD" */
	const char *synopsis;
	const char *about;		  /* one or more sentences */
	const struct option_row *options; /* the table */
	/*
	 * what completion offers in lists for the argument of an option, ended
	 * by NULL; returns NULL for none
	 */
	const char *const *(*words)(const struct option_row *row);
	int program_follows; /* the first operand ends the options */
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

/*
 * Rows of a table whose fields are members of CONFIG, which a command defines:
 * an option without an argument; one with; one whose argument has choices.
 */
#define OPT_SET(name, letter, arg, member, ...)                          \
	{                                                                \
		name, letter, arg, offsetof(CONFIG, member), __VA_ARGS__ \
	}
#define FLAG(name, letter, member, help) \
	OPT_SET(name, letter, NULL, member, option_true, NULL, help)
#define OPT(name, letter, arg, member, type, help) \
	OPT_SET(name, letter, arg, member, option_##type, NULL, help)
#define OPT_OF(name, letter, arg, member, type, choices, help) \
	OPT_SET(name, letter, arg, member, option_##type, choices, help)

/* An option of perf that changes nothing here. */
#define OPTION_OF_PERF(name, letter)                                  \
	{                                                             \
		name, letter, NULL, 0, option_accepted, NULL,         \
			"accepted for users of perf; changes nothing" \
	}

/* A letter or word behind a number, and its factor */
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

/* From now on options_parse() calls @observer, and returns 0: commands end. */
void options_observe(void (*observer)(const struct command_help *help, int argc,
				      char **argv));

/* "perf.data  45%, 1.2 of 2.6 GB, 850 MB/s, 2 s left" on a terminal. */
struct progress {
	bool shown;
	const char *name;
	uint64_t total;
	uint64_t begin; /* ns */
	uint64_t next;	/* when to print again */
	int printed;	/* letters */
};

/* Is stderr a terminal that a person can see? */
bool progress_visible(void);

/* Do lines of output appear on the same terminal, perhaps through a pager? */
bool progress_is_among_lines(void);

/* @name stays valid; @total is bytes, 0 shows nothing. */
void progress_begin(struct progress *progress, const char *name,
		    uint64_t total);
void progress_set(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

/*
 * The text for @done of @total bytes after @ns; without a rate and the time
 * left before a tenth of a second has passed. At most @size bytes.
 */
void progress_text(char *text, int size, const char *name, uint64_t done,
		   uint64_t total, uint64_t ns);

/*
 * The terminal that the output is on: its width, colour, and a pager. None of
 * this applies to files and pipes, which get whole tables.
 */

/* Rows of a table on a terminal, when --limit does not say how many. */
#define TERMINAL_ROWS 50

/* --color: indices of terminal_colours. */
enum terminal_colour {
	COLOUR_AUTO,
	COLOUR_ALWAYS,
	COLOUR_NEVER
};
extern const char *const terminal_colours[];

/* Setters of options without a field: --no-pager and --color. */
int option_no_pager(const struct option_row *row, const char *arg, void *field);
int option_colour(const struct option_row *row, const char *arg, void *field);

/* Call first if the output is @out, not standard output. */
void terminal_use(FILE *out);

/* Is the output a terminal, also through the pager? */
bool terminal_is_output(void);

/* Columns of the terminal; 0: no limit. */
int terminal_width(void);

/* Rows of the terminal; 0: not known. */
int terminal_rows(void);

/* Measures again: the user may have changed the size. Not with a pager. */
void terminal_measure(void);

/* May escape sequences for colours be printed? */
bool terminal_has_colour(void);

/*
 * Starts a pager if the output is a terminal: $PMSCOPE_PAGER, $PAGER or
 * less. Call before the first output, when no thread runs; again is fine.
 */
void pager_begin(void);

/* The same; less begins at the first line that matches this expression. */
void pager_begin_at(const char *expression);

/* Waits for the pager. Call before exit, after flushing standard output. */
void pager_end(void);
