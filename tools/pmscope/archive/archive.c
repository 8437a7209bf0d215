// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope archive: a recording and the files that it needs, in one file. */
#include "archive/needs.h"

#define SUFFIX ".tar.zst"

struct archive_config {
	struct load_config load;
	const char *output;
};

#define CONFIG struct archive_config

static const struct option_row options[] = {
	OPT("output", 'o', "FILE", output, name,
	    "write to FILE (default: RECORDING" SUFFIX ")"),
	LOAD_OPTIONS,
	{}};

static const struct command_help help = {
	.synopsis = "archive [OPTIONS] [RECORDING]",
	.about = "Packs a recording with the programs, debug files and kernel "
		 "symbols that its samples need. Other commands read the pack "
		 "on any machine.",
	.options = options,
};

static int write_pack(const struct needs *needs,
		      const struct archive_config *config)
{
	struct whole_file file = {};
	int ret;

	/* Others may read neither the recording nor all the files in it. */
	if (whole_file_open(&file, config->output, 0600))
		return 1;
	ret = packing_write(file.out, needs, &config->load);
	if (!ret)
		return whole_file_commit(&file) ? 1 : 0;
	error("%s: %s", config->output, strerror(-ret));
	whole_file_discard(&file);
	return 1;
}

/* A damaged recording is packed as it is, if anything in it can be read. */
static int archive_to(struct load *load, const struct archive_config *config)
{
	CLEANUP(needs_fini) struct needs needs;
	int ret = needs_find(&needs, load), status = 1;

	if (ret)
		error("%s: %s", load->name, strerror(-ret));
	else if (is_unreadable(load) || !write_pack(&needs, config))
		status = exit_status(load);
	return status;
}

static int archive_run(struct archive_config *config)
{
	char *name = NULL;
	struct load load;
	int ret;

	if (!config->output && !strcmp(config->load.input, "-")) {
		error("archive: name the pack of standard input with "
		      "--output=FILE");
		return 1;
	}
	if (!config->output &&
	    asprintf(&name, "%s" SUFFIX, config->load.input) < 0) {
		error("out of memory");
		return 1;
	}
	if (name)
		config->output = name;
	config->load.chains = true;
	config->load.threads = 1;
	ret = load_open(&load, &config->load) ? 1 : 0;
	if (!ret) {
		ret = archive_to(&load, config);
		load_close(&load);
	}
	free(name);
	return ret;
}

int archive_main(int argc, char **argv)
{
	struct archive_config config = {};
	int ret = options_parse(&help, argc, argv, &config);

	if (ret <= 0)
		return ret < 0;
	if (config.load.raw || config.load.filter) {
		error("archive: --%s cannot be packed",
		      config.load.raw ? "raw" : "filter");
		ret = 1;
	} else {
		ret = load_operand(&config.load, argc, argv, ret) ||
		      archive_run(&config);
	}
	free(config.load.filter);
	return ret;
}
