// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope doctor`: what this machine can do, who blocks it, what to do. */
#include "doctor/doctor.h"
#include "verify/verify.h"

struct doctor_config {
	bool json;
	bool verify;
	int format;
};

#define CONFIG struct doctor_config

static const struct option_row options[] = {
	FLAG("json-output", 'j', json, "JSON, one finding per line"),
	FLAG("verify", 0, verify,
	     "run known loops and compare what counters count with them"),
	OPT_OF("format", 0, "FORMAT", format, choice, print_formats,
	       "output format of --verify"),
	{}};

static const struct command_help help = {
	.synopsis = "doctor [OPTIONS]",
	.about = "Shows what this machine can do, what blocks it (firmware, "
		 "kernel settings,\n"
		 "another driver) and how to fix it.  Exit status: 0 if this "
		 "user can use both\n"
		 "snapshots and SPE, else 1; with --verify, 1 if a counter "
		 "that pmscope's own\nviews use is wrong.",
	.options = options,
};

static const char *const status_names[] = {
	[FINDING_OK] = "ok",
	[FINDING_INFO] = "info",
	[FINDING_WARN] = "warn",
	[FINDING_BAD] = "bad",
};

static void print_human(const struct doctor_report *report)
{
	for (size_t i = 0; i < report->nr; i++) {
		const struct finding *f = &report->finding[i];

		printf("%-5s %-14s %s\n", status_names[f->status], f->check,
		       f->text);
		if (f->advice[0])
			printf("%20s -> %s\n", "", f->advice);
	}
	printf("\nsnapshots: %s\nSPE:       %s\n",
	       report->snapshots ? "usable" : "not usable",
	       report->spe ? "usable" : "not usable");
}

static void print_json(const struct doctor_report *report)
{
	struct json json = {.out = stdout};

	for (size_t i = 0; i < report->nr; i++) {
		const struct finding *f = &report->finding[i];

		json_begin_line(&json);
		json_text(&json, "check", f->check);
		json_text(&json, "status", status_names[f->status]);
		json_text(&json, "finding", f->text);
		json_text(&json, "advice", f->advice);
		json_end_line(&json);
	}
	json_begin_line(&json);
	json_bool(&json, "snapshots", report->snapshots);
	json_bool(&json, "spe", report->spe);
	json_end_line(&json);
}

int doctor_main(int argc, char **argv)
{
	static struct doctor_report report;
	struct doctor_config config = {};
	int at;

	at = options_parse(&help, argc, argv, &config);
	if (at <= 0)
		return at < 0;
	if (at < argc) {
		error("doctor: unexpected argument '%s'", argv[at]);
		return 1;
	}
	if (config.verify)
		return verify_main(config.json ? PRINT_JSONL : config.format);
	if (config.format != PRINT_TEXT) {
		error("doctor: --format requires --verify");
		return 1;
	}
	doctor_examine(&report);
	(config.json ? print_json : print_human)(&report);
	return output_written() || !(report.snapshots && report.spe);
}
