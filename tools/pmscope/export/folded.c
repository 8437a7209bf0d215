// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, as flame graphs take them: "comm;binary;function;inlined;line
 * COUNT". The rows are those of report --sort=comm,dso,sym,frames,line. If the
 * recording has call chains, the estimated callers come before the binary.
 */
#include "export/export.h"
#include "rows/rows.h"

#define BETWEEN " < "	    /* inlined functions, see struct pmscope_line */
#define UNKNOWN "[unknown]" /* see field_row_text() */

enum {
	KEY_COMM,
	KEY_DSO,
	KEY_SYM,
	KEY_FRAMES,
	KEY_LINE,
	KEY_CALLERS,
	NR_KEYS
};

static const char *const keys[NR_KEYS] = {"comm",   "dso",  "sym",
					  "frames", "line", "callers"};

/* A frame's text: separators and what is no text become other characters. */
static void put_frame(FILE *out, const char *text, size_t length)
{
	char *clean = malloc(length + 1), *end;

	if (!clean)
		return;
	end = text_clean(clean, text, length);
	for (char *p = clean; p < end; p++)
		if (*p == ';')
			*p = ':';
	fwrite(clean, 1, end - clean, out);
	free(clean);
}

/* Inlined functions, outermost first. The outermost of all is the symbol. */
static void put_inlined(FILE *out, const char *frames)
{
	const char *end = frames + strlen(frames), *p = end;
	bool outermost = true;

	while (p > frames) {
		while (p > frames && strncmp(p, BETWEEN, strlen(BETWEEN)) != 0)
			p--;
		if (!outermost) {
			const char *begin = p;

			if (p > frames || !strncmp(p, BETWEEN, strlen(BETWEEN)))
				begin += strlen(BETWEEN);
			fputc(';', out);
			put_frame(out, begin, end - begin);
		}
		outermost = false;
		end = p;
		if (p > frames)
			p--;
	}
}

static const char *value_of(const struct row_table *table,
			    const struct row *row, size_t key)
{
	return row_value(table, row, key, NULL, 0);
}

/* "main;work", each of them a frame. */
static void put_callers(FILE *out, const char *callers)
{
	while (*callers) {
		size_t length = strcspn(callers, ";");

		fputc(';', out);
		put_frame(out, callers, length);
		callers += length + (callers[length] == ';');
	}
}

static void put_row(FILE *out, const struct row_table *table,
		    const struct row *row)
{
	const char *symbol = value_of(table, row, KEY_SYM);
	const char *frames = value_of(table, row, KEY_FRAMES);
	const char *line = value_of(table, row, KEY_LINE);
	const char *callers = value_of(table, row, KEY_CALLERS);

	for (size_t i = KEY_COMM; i <= KEY_SYM; i++) {
		const char *text = value_of(table, row, i);

		if (i == KEY_DSO && strcmp(callers, UNKNOWN) != 0)
			put_callers(out, callers);
		if (i)
			fputc(';', out);
		put_frame(out, text, strlen(text));
	}
	if (strcmp(symbol, frames) != 0)
		put_inlined(out, frames);
	if (strcmp(line, UNKNOWN) != 0) {
		fputc(';', out);
		put_frame(out, line, strlen(line));
	}
	fprintf(out, " %" PRIu64 "\n",
		table->varies ? row->weight.operations : row->samples);
}

static int read_stacks(struct export *export)
{
	struct row_table table = {.nr_keys = NR_KEYS, .only_samples = true};
	int ret;

	for (size_t i = 0; i < NR_KEYS; i++) {
		table.keys[i] =
			field_find(keys[i], strlen(keys[i]), FIELD_SORT);
		table.deps |= table.keys[i]->deps;
	}
	ret = row_table_read(&table, export->load);
	for (size_t i = 0; i < table.nr_rows && !ret; i++)
		put_row(export->file.out, &table, &table.rows[i]);
	row_table_fini(&table);
	/* Its error was printed. */
	return ret ? -EIO : 0;
}

const struct export_format export_folded = {
	.name = "folded",
	.needs = EXPORT_BRIEF | EXPORT_NOTE,
	.read = read_stacks,
};
