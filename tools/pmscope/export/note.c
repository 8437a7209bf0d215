// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export.h"
#include "print/print.h"

#define SUFFIX ".provenance.json"

static void put_lines(FILE *out, const struct export *export,
		      const struct provenance *provenance)
{
	const char *filter = export->config->load.filter;

	header_print(out, provenance);
	if (filter) {
		fputs("# filter : ", out);
		name_put(out, filter, 0);
		fputc('\n', out);
	}
	fprintf(out, "# samples : %" PRIu64 "\n", export->samples);
	losses_print(export->load, out, "# ");
}

char *note_lines(const struct export *export)
{
	struct provenance provenance;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (!provenance_read(&provenance, export->load))
		put_lines(out, export, &provenance);
	provenance_fini(&provenance);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static void put_json(FILE *out, const struct export *export,
		     const struct provenance *provenance)
{
	struct json json = {.out = out};

	json_begin_line(&json);
	json_text(&json, "type", "provenance");
	json_text(&json, "format", export->format->name);
	header_json(&json, provenance);
	if (export->config->load.filter)
		json_text(&json, "filter", export->config->load.filter);
	json_unsigned(&json, "samples", export->samples);
	losses_json(&json, export->load);
	json_end_line(&json);
}

int note_open(struct export *export)
{
	char *path;

	if (asprintf(&path, "%s" SUFFIX, export->config->output) < 0)
		return no_memory();
	export->note_path = path;
	return whole_file_open(&export->note, path, WHOLE_FILE_MODE);
}

int note_write(struct export *export)
{
	CLEANUP(provenance_fini) struct provenance provenance;
	int ret = provenance_read(&provenance, export->load);

	if (ret)
		error("out of memory");
	else
		put_json(export->note.out, export, &provenance);
	return ret;
}

void note_fini(struct export *export)
{
	whole_file_discard(&export->note);
	free(export->note_path);
}
