// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script: print what a recording holds, one line a record. */
#include "script/script.h"

static const struct option_row options[] = {
	LOAD_OPTIONS(offsetof(struct script_config, load)),
	{"packets", 0, NULL, offsetof(struct script_config, packets),
	 option_true, NULL, "print SPE packets as perf report -D does"},
	{"format", 0, "FORMAT", offsetof(struct script_config, format),
	 option_choice, print_formats, "output format"},
	{"fields", 'F', "FIELDS", offsetof(struct script_config, list),
	 option_string, NULL,
	 "print only these fields, named as in --format=csv; +FIELD adds one, "
	 "-FIELD leaves one out"},
	{"show-mmap-events", 0, NULL,
	 offsetof(struct script_config, load.mappings), option_true, NULL,
	 "also print what was mapped, as perf script does"},
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
