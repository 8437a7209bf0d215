// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script: print what a recording holds, one line a record. */
#include "script/script.h"

#define CONFIG struct script_config

static const struct option_row options[] = {
	LOAD_OPTIONS,
	FLAG("packets", 0, packets, "print SPE packets as perf report -D does"),
	OPT_OF("format", 0, "FORMAT", format, choice, print_formats,
	       "output format"),
	OPT("fields", 'F', "FIELDS", list, string,
	    "print only these fields, named as in --format=csv; +FIELD adds "
	    "one, -FIELD leaves one out"),
	FLAG("show-mmap-events", 0, load.mappings,
	     "also print what was mapped, as perf script does"),
	{}};

static const struct command_help help = {
	.synopsis = "script [OPTIONS] [FILE]",
	.about = "Prints the records of a recording in time order.",
	.options = options,
};

/* Refuse options that --packets does not support. */
static int packets_check(const struct script_config *config)
{
	const char *option = NULL;

	if (config->list)
		option = "fields";
	else if (config->format)
		option = "format";
	else if (config->load.filter)
		option = "filter";
	else if (config->load.skip_unknown)
		option = "skip-unknown";
	else if (config->load.mappings)
		option = "show-mmap-events";
	if (!option)
		return 0;
	error("script: --packets and --%s are mutually exclusive", option);
	return -EINVAL;
}

static int mappings_check(const struct script_config *config)
{
	if (!config->load.mappings || config->format == PRINT_TEXT)
		return 0;
	error("script: --show-mmap-events requires --format=text");
	return -EINVAL;
}

static int fields_set(struct script_config *config)
{
	int nr = fields_parse("script", config->list, FIELD_COLUMN, FIELDS_MAX,
			      config->fields);

	config->nr_fields = nr < 0 ? 0 : nr;
	return nr < 0 ? nr : 0;
}

static int script_run(const struct script_config *config)
{
	struct load load;
	int status;

	if (load_open(&load, &config->load))
		return 1;
	pager_begin();
	status = config->packets ? script_packets(&load)
				 : script_records(&load, config);
	load_close(&load);
	return status;
}

int script_main(int argc, char **argv)
{
	struct script_config config = {};
	int first, status;

	first = options_parse(&help, argc, argv, &config);
	if (first <= 0)
		return first < 0;
	config.load.callers = config.list;
	config.load.two_passes = config.packets;
	if (load_operand(&config.load, argc, argv, first) ||
	    (config.packets && packets_check(&config)) ||
	    mappings_check(&config) || (config.list && fields_set(&config)))
		status = 1;
	else
		status = script_run(&config);
	free(config.load.filter);
	return status;
}
