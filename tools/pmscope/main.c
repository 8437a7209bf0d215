// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands and the dispatcher. */
#include "code/code.h"
#include "complete/complete.h"

#define STACK_MIN (1 << 20)

static const struct {
	const char *name;
	command_fn run;
	const char *about;
} commands[] = {
	{"annotate", annotate_main,
	 "show what each instruction of a function costs"},
	{"archive", archive_main,
	 "pack a recording with the files that it needs"},
	{"diff", diff_main, "tell what changed between two recordings"},
	{"doctor", doctor_main,
	 "show what this machine can do, and what blocks it"},
	{"driver", driver_main,
	 "move the SPE device to pmscope's driver and back"},
	{"events", events_main, "list events with their number and meaning"},
	{"export", export_main, "write a profile for compilers and viewers"},
	{"record", record_main, "record SPE and counter snapshots to a file"},
	{"regs", regs_main, "print the PMU and SPE registers, decoded"},
	{"report", report_main, "summarise a recording by symbol"},
	{"script", script_main, "print the records or packets of a recording"},
	{"stat", stat_main, "count groups of events, captured at one instant"},
	{"top", top_main, "show where CPUs spend their time now"},
	{"trace", trace_main, "count events for each call of a function"},
};

static void usage(FILE *out)
{
	fputs("Usage: pmscope COMMAND [OPTIONS]\n\nCommands:\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name,
			commands[i].about);
	fputs("\nRun 'pmscope COMMAND --help' for the options of a command.\n",
	      out);
}

static command_fn command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].run;
	return NULL;
}

/* Commands of perf, and what does the same here. */
static const struct {
	const char *name;
	const char *instead;
} elsewhere[] = {
	{"c2c", "report --cachelines"},
	{"mem", "report --sort=source,sym"},
	{"list", "events"},
	{"version", "--version"},
};

static int unknown_command(const char *word)
{
	struct nearest nearest = nearest_begin(word, strlen(word));
	const char *instead = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (!strcmp(elsewhere[i].name, word))
			instead = elsewhere[i].instead;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		nearest_try(&nearest, commands[i].name);
	if (instead)
		error("unknown command '%s'; use 'pmscope %s'", word, instead);
	else if (nearest.name)
		error("unknown command '%s'; did you mean 'pmscope %s'?", word,
		      nearest.name);
	else
		error("unknown command '%s'; 'pmscope help' lists all commands",
		      word);
	return 1;
}

static int help_main(int argc, char **argv)
{
	char *args[] = {argv[1], (char *)"--help", NULL};
	command_fn run;

	if (argc < 2) {
		usage(stdout);
		return 0;
	}
	run = command_find(argv[1]);
	return run ? run(2, args) : unknown_command(argv[1]);
}

/* Not in the list of commands: it is for shells, see complete/complete.h. */
static int complete_main(int argc, char **argv)
{
	bool is_help = argc == 3 && !strcmp(argv[1], "help");
	command_fn run = argc > 2 ? command_find(argv[1]) : NULL;

	if (argc == 2 || is_help) {
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
			complete_word(argv[argc - 1], commands[i].name,
				      commands[i].about);
		if (!is_help)
			complete_word(argv[1], "help",
				      "print the options of a command");
	}
	options_observe(complete_options);
	return run ? run(argc - 1, argv + 1) : 0;
}

static void print_version(void)
{
	char name[DISASSEMBLER_NAME];

	puts("pmscope " PMSCOPE_VERSION);
	printf("disassembler: %s\n", disassembler_name(NULL, name));
}

static int dispatch(int argc, char **argv)
{
	command_fn run;

	if (argc < 2) {
		usage(stderr);
		return 1;
	}
	if (!strcmp(argv[1], "--version")) {
		print_version();
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return help_main(argc - 1, argv + 1);
	if (!strcmp(argv[1], "complete"))
		return complete_main(argc - 1, argv + 1);
	run = command_find(argv[1]);
	return run ? run(argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Options of all commands. Returns the command's index; 0 after error(). */
static int global_options(int argc, char **argv)
{
	static const char color[] = "--color=";
	static const struct option_row row = {.choices = terminal_colours};
	int i = 1;

	for (; i < argc; i++) {
		const char *word = argv[i];

		if (!strcmp(word, "--no-pager")) {
			option_no_pager(&row, NULL, NULL);
		} else if (!strncmp(word, color, strlen(color))) {
			if (!option_colour(&row, word + strlen(color), NULL))
				continue;
			error("'%s' is not a valid WHEN for --color: auto, "
			      "always, never",
			      word + strlen(color));
			return 0;
		} else {
			break;
		}
	}
	return i;
}

/*
 * A file that is opened must not become standard output or error. What is
 * written to one that was closed still fails.
 */
static bool open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* What all commands rely on. Returns false after error(). */
static bool has_place_to_run(void)
{
	struct rlimit stack;

	if (!open_standard_files()) {
		error("/dev/null: %s", strerror(errno));
		return false;
	}
	if (access("/proc/self/fd", F_OK)) {
		error("/proc is not mounted; mount it: mount -t proc proc "
		      "/proc");
		return false;
	}
	if (!getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur < STACK_MIN) {
		error("the limit of the stack is %llu KiB; raise it: ulimit -s "
		      "%d",
		      (unsigned long long)stack.rlim_cur >> 10,
		      STACK_MIN >> 10);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	int first, status;

	if (!has_place_to_run())
		return 1;
	first = global_options(argc, argv);
	if (!first)
		return 1;
	status = dispatch(argc - first + 1, argv + first - 1);
	if (!status && output_written())
		status = 1;
	pager_end();
	return status;
}
