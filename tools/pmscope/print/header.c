// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/print.h"

#define READER "pmscope " PMSCOPE_VERSION

static void put_line(FILE *out, const char *key, const char *value)
{
	if (!value)
		return;
	fprintf(out, "# %s : ", key);
	name_put(out, value, 0);
	fputc('\n', out);
}

static void put_number(FILE *out, const char *key, uint64_t value,
		       const char *unit)
{
	if (value)
		fprintf(out, "# %s : %" PRIu64 "%s\n", key, value, unit);
}

static void put_cpus(FILE *out, const struct provenance *p)
{
	for (size_t i = 0; i < p->nr_cpus; i++) {
		const struct provenance_cpus *kind = &p->cpus[i];

		if (kind->list)
			fprintf(out, "# SPE CPUs : %s, ", kind->list);
		else
			fprintf(out, "# cpuid : ");
		fprintf(out, "%s, MIDR_EL1 0x%" PRIx64 "\n",
			kind->name ?: "unknown model", kind->midr);
	}
}

/* Quoted for a shell where that is necessary. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=/.,:@%^";
	const char *quote;

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; (quote = strchr(word, '\'')); word = quote + 1) {
		for (; word < quote; word++)
			name_put(out, (char[]){*word, '\0'}, 0);
		fputs("'\\''", out);
	}
	name_put(out, word, 0);
	fputc('\'', out);
}

static void put_command(FILE *out, const struct provenance *p)
{
	if (!p->nr_args)
		return;
	fputs("# cmdline :", out);
	for (size_t i = 0; i < p->nr_args; i++) {
		fputc(' ', out);
		put_word(out, p->args[i]);
	}
	fputc('\n', out);
}

static void put_event(FILE *out, const struct provenance_event *event)
{
	fputs("# event : ", out);
	name_put(out, event->name ?: "unnamed", 0);
	if (event->frequency)
		fprintf(out, ", %" PRIu64 " samples per second",
			event->frequency);
	else if (event->is_spe)
		fprintf(out, ", interval %" PRIu64 " operations",
			event->period);
	else if (event->period)
		fprintf(out, ", period %" PRIu64, event->period);
	if (event->changes)
		fprintf(out,
			" at first, changed %" PRIu64 " times, %" PRIu64
			" to %" PRIu64,
			event->changes, event->least, event->most);
	if (*event->settings)
		fprintf(out, ", %s", event->settings);
	fputc('\n', out);
}

static void put_time(FILE *out, const char *key, uint64_t ns)
{
	fprintf(out, "# %s : %" PRIu64 ".%06" PRIu64 "\n", key, ns / 1000000000,
		ns / 1000 % 1000000);
}

static void put_times(FILE *out, const struct provenance *p)
{
	if (!p->end)
		return;
	put_time(out, "time of first sample", p->begin);
	put_time(out, "time of last sample", p->end);
	fprintf(out, "# sample duration : %.3f ms\n",
		(p->end - p->begin) / 1e6);
}

void header_print(FILE *out, const struct provenance *p)
{
	fputs("# ========\n", out);
	put_line(out, "hostname", p->host);
	put_line(out, "os release", p->kernel);
	put_line(out, "perf version", p->recorder);
	put_line(out, "read by", READER);
	put_line(out, "arch", p->arch);
	put_number(out, "nrcpus online", p->cpus_online, "");
	put_number(out, "nrcpus avail", p->cpus_available, "");
	put_line(out, "cpudesc", p->cpu_desc);
	put_cpus(out, p);
	put_number(out, "total memory", p->memory / 1024, " kB");
	put_command(out, p);
	for (size_t i = 0; i < p->nr_events; i++)
		put_event(out, &p->events[i]);
	put_times(out, p);
	fputs("# ========\n#\n", out);
}

static void member_text(struct json *json, const char *key, const char *text)
{
	if (text)
		json_text(json, key, text);
}

static void member_number(struct json *json, const char *key, uint64_t value)
{
	if (value)
		json_unsigned(json, key, value);
}

static void json_cpus(struct json *json, const struct provenance *p)
{
	json_begin_array(json, "cpus");
	for (size_t i = 0; i < p->nr_cpus; i++) {
		json_begin_object(json, NULL);
		json_hex(json, "midr", p->cpus[i].midr);
		member_text(json, "name", p->cpus[i].name);
		member_text(json, "list", p->cpus[i].list);
		member_number(json, "count", p->cpus[i].nr);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_events(struct json *json, const struct provenance *p)
{
	json_begin_array(json, "events");
	for (size_t i = 0; i < p->nr_events; i++) {
		const struct provenance_event *event = &p->events[i];

		json_begin_object(json, NULL);
		member_text(json, "name", event->name);
		json_bool(json, "spe", event->is_spe);
		member_number(json, event->is_spe ? "interval" : "period",
			      event->period);
		member_number(json, "interval_least", event->least);
		member_number(json, "interval_most", event->most);
		member_number(json, "interval_changes", event->changes);
		member_number(json, "frequency", event->frequency);
		if (*event->settings)
			json_text(json, "settings", event->settings);
		json_end_object(json);
	}
	json_end_array(json);
}

void header_json(struct json *json, const struct provenance *p)
{
	member_text(json, "host", p->host);
	member_text(json, "kernel", p->kernel);
	member_text(json, "arch", p->arch);
	member_text(json, "recorder", p->recorder);
	json_text(json, "reader", READER);
	member_text(json, "cpu_desc", p->cpu_desc);
	member_number(json, "cpus_online", p->cpus_online);
	member_number(json, "cpus_available", p->cpus_available);
	member_number(json, "memory", p->memory);
	json_cpus(json, p);
	if (p->nr_args) {
		json_begin_array(json, "command");
		for (size_t i = 0; i < p->nr_args; i++)
			json_text(json, NULL, p->args[i]);
		json_end_array(json);
	}
	json_events(json, p);
	if (p->end) {
		json_unsigned(json, "begin", p->begin);
		json_unsigned(json, "end", p->end);
	}
}
