// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope regs`: the PMU and SPE registers of each CPU, decoded. */
#include "device/registers.h"
#include "print/print.h"

#define DUMP "/sys/kernel/debug/pmscope/regs"

#define MAX_BAD 8 /* number of invalid lines that are reported one by one */

struct regs_config {
	const char *cpus;
	const char *file;
	bool raw;
	bool json;
};

#define CONFIG struct regs_config

static const struct option_row options[] = {
	OPT("cpu", 'C', "CPUS", cpus, string,
	    "only these CPUs, for example 0-3,7"),
	FLAG("raw", 0, raw, "print values without their fields"),
	FLAG("json-output", 'j', json, "JSON, one register per line"),
	OPT("input", 'i', "FILE", file, name, "decode a saved dump (" DUMP ")"),
	{}};

static const struct command_help help = {
	.synopsis = "regs [OPTIONS]",
	.about = "Prints the PMU snapshot and SPE registers of each CPU with "
		 "their fields.  The\nvalues come from the pmscope module; "
		 "only root can read them.",
	.options = options,
};

static void print_field(const struct register_field *field, uint64_t value)
{
	uint64_t bits = register_field_get(field, value);
	const char *text = register_field_text(field, bits);

	printf(" %s=", field->name);
	if (bits < 10)
		printf("%" PRIu64, bits);
	else
		printf("0x%" PRIx64, bits);
	if (text)
		printf(" (%s)", text);
}

/* Omit fields that are zero and have no word for that. */
static bool worth_printing(const struct register_field *field, uint64_t value)
{
	uint64_t bits = register_field_get(field, value);

	return bits || register_field_text(field, bits);
}

static void print_human(const struct register_value *r, bool raw)
{
	const struct device_register *reg = register_find(r->name);
	const struct register_field *field;
	unsigned int printed = 0;

	printf("cpu%-3d %-17s 0x%016" PRIx64, r->cpu, r->name, r->value);
	if (!reg || raw) {
		putchar('\n');
		return;
	}
	printf("  %s", reg->about);
	for (field = reg->field; field->name; field++) {
		if (!worth_printing(field, r->value))
			continue;
		if (!printed++)
			putchar(':');
		if (field->high - field->low == 63)
			printf(" %" PRIu64, r->value);
		else
			print_field(field, r->value);
	}
	if (register_rest(reg, r->value))
		printf(" rest=0x%" PRIx64, register_rest(reg, r->value));
	putchar('\n');
}

/* Words for the values of fields, if any has one. */
static void print_words_json(struct json *json,
			     const struct device_register *reg, uint64_t value)
{
	const struct register_field *field;
	bool any = false;

	for (field = reg->field; field->name; field++) {
		const char *text = register_field_text(
			field, register_field_get(field, value));

		if (!text)
			continue;
		if (!any)
			json_begin_object(json, "words");
		any = true;
		json_text(json, field->name, text);
	}
	if (any)
		json_end_object(json);
}

static void print_fields_json(struct json *json,
			      const struct device_register *reg, uint64_t value)
{
	const struct register_field *field;

	json_begin_object(json, "fields");
	for (field = reg->field; field->name; field++)
		json_hex(json, field->name, register_field_get(field, value));
	json_end_object(json);
	print_words_json(json, reg, value);
}

static void print_json(const struct register_value *r, bool raw)
{
	const struct device_register *reg = register_find(r->name);
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_signed(&json, "cpu", r->cpu);
	json_text(&json, "register", r->name);
	json_hex(&json, "value", r->value);
	if (reg && !raw)
		print_fields_json(&json, reg, r->value);
	json_end_line(&json);
}

static int open_dump(const struct regs_config *config, FILE **file)
{
	const char *path = config->file ? config->file : DUMP;
	int code;

	*file = config->file && !strcmp(path, "-") ? stdin : fopen(path, "re");
	if (*file)
		return 0;
	code = errno;
	if (config->file)
		error("%s: %s", path, strerror(code));
	else if (geteuid())
		error("%s: only root may read the registers", path);
	else if (access("/sys/kernel/debug/tracing", F_OK))
		error("%s: debugfs is not mounted ('mount -t debugfs none "
		      "/sys/kernel/debug')",
		      path);
	else
		error("%s: %s; is the pmscope module loaded? (see 'pmscope "
		      "doctor')",
		      path, strerror(code));
	return -code;
}

/* Counts the kinds of lines. */
struct regs_tally {
	unsigned int lines, bad, printed;
};

static void print_lines(const struct regs_config *config, const char *path,
			FILE *file, const struct cpulist *cpus,
			struct regs_tally *n)
{
	struct register_value r;
	char line[256];

	while (fgets(line, sizeof(line), file)) {
		n->lines++;
		if (register_parse(line, &r)) {
			if (n->bad++ < MAX_BAD)
				error("%s: line %u is not 'cpuN NAME "
				      "0xVALUE': %.60s",
				      path, n->lines,
				      strtok(line, "\n") ? line : "");
			continue;
		}
		if (config->cpus && !cpulist_has(cpus, r.cpu))
			continue;
		(config->json ? print_json : print_human)(&r, config->raw);
		n->printed++;
	}
}

static int print_dump(const struct regs_config *config, FILE *file,
		      const struct cpulist *cpus)
{
	const char *path = config->file ? config->file : DUMP;
	struct regs_tally n = {};

	errno = 0;
	print_lines(config, path, file, cpus, &n);
	if (ferror(file)) {
		error("%s: %s", path, strerror(errno));
		return -EIO;
	}
	if (n.bad > MAX_BAD)
		error("%s: %u more lines are not valid either", path,
		      n.bad - MAX_BAD);
	else if (!n.lines)
		error("%s: no registers found", path);
	else if (!n.printed && !n.bad)
		error("%s: no registers of CPUs '%s' found", path,
		      config->cpus);
	return n.bad || !n.printed ? -EINVAL : 0;
}

int regs_main(int argc, char **argv)
{
	struct regs_config config = {};
	struct cpulist cpus = {};
	FILE *file;
	int ret;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	if (ret < argc) {
		error("regs: unexpected argument '%s'", argv[ret]);
		return 1;
	}
	if (config.cpus && cpulist_parse(config.cpus, &cpus)) {
		error("'%s' is not a list of CPUs like 0-3,7", config.cpus);
		return 1;
	}
	ret = open_dump(&config, &file);
	if (!ret) {
		ret = print_dump(&config, file, &cpus);
		if (file != stdin)
			fclose(file);
	}
	cpulist_free(&cpus);
	return ret != 0;
}
