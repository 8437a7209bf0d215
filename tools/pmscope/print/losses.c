// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints what is missing from the samples, as text and as JSON. */
#include "print/print.h"
#include "fields/fields.h"

struct loss {
	const char *key; /* its name in JSON */
	/* what it is, behind its number; NULL if another line reports it */
	const char *text;
	size_t at; /* the offset of its number in struct pmscope_losses */
};

#define AT(field) offsetof(struct pmscope_losses, field)

static const struct loss losses[] = {
	{"records", "records lost: the kernel's ring buffer was full",
	 AT(lost_records)},
	{"samples",
	 "samples lost: the kernel's ring buffer was full, or a timer too fast",
	 AT(lost_samples)},
	{"truncated", "AUX windows truncated: the buffer was full",
	 AT(truncated)},
	{"collisions", "AUX windows with collisions: the SPU dropped samples",
	 AT(collisions)},
	{"partial", "AUX windows with partial records", AT(partial)},
	{"trace_errors",
	 "trace errors reported by the recorder (AUXTRACE_ERROR)",
	 AT(trace_errors)},
	{"unknown_records", "records of unknown type, skipped",
	 AT(unknown_records)},
	{"missing_trace", "bytes of trace missing from the file",
	 AT(missing_trace)},
	{"repeated_trace",
	 "bytes of trace contained in several snapshots, decoded once",
	 AT(repeated_trace)},
	{"doubled_trace",
	 "bytes of trace contained twice in the file, counted twice",
	 AT(doubled_trace)},
	{"blocks",
	 "allocations, or ends of some, that programs had no room to note "
	 "(record --heap)",
	 AT(lost_blocks)},
	{"unread_mappings",
	 "processes whose mappings perf had no time to read (perf record "
	 "--proc-map-timeout)",
	 AT(unread_mappings)},
	{"other_trace", "bytes of trace that is not from Arm SPE",
	 AT(other_trace)},
	{"other_samples", "samples of other events, not shown",
	 AT(other_samples)},
	{"unknown", "SPE packets of unknown type", AT(decode.unknown)},
	{"damaged",
	 "SPE records dropped: they contain invalid packets, or begin before "
	 "their trace",
	 AT(decode.damaged)},
	{"bad_bytes", NULL, AT(decode.bad_bytes)},
	{"cut_bytes", "bytes of incomplete SPE records", AT(decode.cut_bytes)},
};

static uint64_t number_of(const struct load *load, const struct loss *loss)
{
	const struct pmscope_losses *all =
		pmscope_recording_losses(load->recording);
	uint64_t number;

	memcpy(&number, (const char *)all + loss->at, sizeof(number));
	return number;
}

static void print_line(FILE *out, const char *prefix, uint64_t number,
		       const char *text)
{
	if (number)
		fprintf(out, "%s%" PRIu64 " %s\n", prefix, number, text);
}

/* The error about the truncated file is enough. */
static bool is_known(const struct load *load, const struct loss *loss,
		     FILE *out)
{
	return loss->at == AT(decode.cut_bytes) &&
	       (load->raw ||
		(out == stderr && *pmscope_recording_error(load->recording)));
}

static void print_saturated(const struct load *load, FILE *out,
			    const char *prefix)
{
	for (size_t i = 0; i < SATURATION_LIMITS; i++) {
		uint64_t nr = saturation_at(&load->saturation, i);

		if (nr)
			fprintf(out,
				"%s%" PRIu64
				" total latencies are at the counter's limit "
				"of %u; the real ones are longer\n",
				prefix, nr, saturation_limits[i]);
	}
}

/* The CPU type is unknown, so the sources have no names. */
static bool lacks_sources(const struct load *load)
{
	return load->filtered && load->midr_seen && !load->midr &&
	       !load->midr_alike && filter_names_source(load->filter);
}

/* They are not lost: another view has them. */
static uint64_t call_chains(const struct load *load)
{
	return pmscope_recording_losses(load->recording)->unread_chains;
}

static void put_only(FILE *out, const char *prefix, const char *population)
{
	fprintf(out, "%sonly ", prefix);
	name_put(out, population, 0);
	fputs(" were taken: shares are of these, not of all that ran\n", out);
}

/* Not beside rows for programs, which have no shares. */
static void print_population(const struct load *load, FILE *out,
			     const char *prefix)
{
	char *population = NULL;

	if (out != stderr && !population_read(load, &population) && population)
		put_only(out, prefix, population);
	free(population);
}

void losses_print(const struct load *load, FILE *out, const char *prefix)
{
	if (load->names_data && load->lacks_data)
		fprintf(out,
			"%sthe recording has no mappings of data, so data of "
			"processes has no names (record --data)\n",
			prefix);
	print_population(load, out, prefix);
	print_line(out, prefix, load->filtered,
		   "samples filtered out (--filter)");
	if (lacks_sources(load))
		fprintf(out,
			"%sthe CPU type is unknown, so data sources are shown "
			"as numbers (set --midr)\n",
			prefix);
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++)
		if (losses[i].text && !is_known(load, &losses[i], out))
			print_line(out, prefix, number_of(load, &losses[i]),
				   losses[i].text);
	print_saturated(load, out, prefix);
	if (!load->stacks)
		print_line(out, prefix, call_chains(load),
			   "call chains (record -g): the field 'callers' shows "
			   "them");
}

bool losses_at(const struct load *load, size_t i, const char **name,
	       uint64_t *number)
{
	if (i >= ARRAY_SIZE(losses))
		return false;
	*name = losses[i].key;
	*number = number_of(load, &losses[i]);
	return true;
}

void losses_json(struct json *json, const struct load *load)
{
	uint64_t saturated = 0;
	char *population = NULL;

	for (size_t i = 0; i < SATURATION_LIMITS; i++)
		saturated += saturation_at(&load->saturation, i);
	json_begin_object(json, "lost");
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++)
		json_unsigned(json, losses[i].key, number_of(load, &losses[i]));
	json_end_object(json);
	if (!population_read(load, &population) && population)
		json_text(json, "only", population);
	free(population);
	json_unsigned(json, "filtered", load->filtered);
	json_unsigned(json, "saturated", saturated);
	json_unsigned(json, "call_chains", call_chains(load));
}
