// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The processed profile of Firefox Profiler, version 75, as JSON. Samples of
 * one thread that have the same stack in the same slice of time are one with a
 * weight, so that a viewer can load long recordings.
 */
#include "base/hash.h"
#include "export/export.h"
#include "print/print.h"

#define VERSION	      75
#define GECKO_VERSION 36 /* of the profile that Firefox itself writes */
#define SLICES	      10000
#define NONE	      UINT32_MAX

/* What a row of the table has; columns that it does not have are 0. */
enum {
	FRAME_INLINED = 1,
	FRAME_ADDRESS = 2,
	FRAME_CATEGORY = 4,
	FRAME_LINE = 16,
};
enum {
	FUNCTION_RESOURCE = 4,
	FUNCTION_SOURCE = 8,
	FUNCTION_LINE = 16,
};

enum category {
	CATEGORY_OTHER,
	CATEGORY_USER,
	CATEGORY_KERNEL,
	NR_CATEGORIES
};

static const char *const categories[NR_CATEGORIES][2] = {
	{"Other", "grey"}, {"User", "yellow"}, {"Kernel", "orange"}};

/* Rows of the tables; they are keys, too, so they have no padding. */
struct function_row {
	uint32_t name;
	uint32_t resource; /* or NONE, and next */
	uint32_t source;
	uint32_t line;
};

struct frame_row {
	uint32_t function;
	uint32_t flags;
	uint32_t address;
	uint32_t category;
	uint32_t lib;
	uint32_t line;
};

struct stack_row {
	uint32_t frame;
	uint32_t prefix; /* or NONE */
};

struct firefox {
	struct export *export;
	struct stack_cells *stacks;
	struct json json;
	struct strings strings;
	struct keyed functions;
	struct keyed frames;
	struct keyed sources; /* each is the number of a name */
	struct keyed nodes;
	uint32_t place; /* the newest, if it has frames */
	struct pmscope_frame at[PMSCOPE_FRAMES_MAX];
	int nr_frames;
	bool failed;
};

/* Each row is in its table only once. */
static inline uint32_t row_of(struct firefox *f, struct keyed *rows,
			      const void *row, size_t width)
{
	uint64_t hash = hash_bytes(0, row, width);
	uint32_t number = 0;

	if (!keyed_find_same(rows, width, &hash, row, width, &number) &&
	    keyed_add(rows, width, hash, row, &number))
		f->failed = true;
	return number;
}

static uint32_t string_of(struct firefox *f, const char *text, size_t length)
{
	uint32_t number = 0;

	if (strings_intern(&f->strings, text, length, &number))
		f->failed = true;
	return number;
}

static uint32_t name_of(struct firefox *f, const char *text)
{
	return string_of(f, text, strlen(text));
}

static uint32_t source_of(struct firefox *f, const char *file)
{
	uint32_t name;

	if (!file)
		return NONE;
	name = name_of(f, file);
	return row_of(f, &f->sources, &name, sizeof(name));
}

/* The stack with one more frame, which is only a name. */
static uint32_t push_name(struct firefox *f, uint32_t prefix, uint32_t name)
{
	const struct function_row function = {name, NONE, NONE, 0};
	const struct frame_row frame = {
		.function =
			row_of(f, &f->functions, &function, sizeof(function))};
	const struct stack_row node = {
		row_of(f, &f->frames, &frame, sizeof(frame)), prefix};

	return row_of(f, &f->nodes, &node, sizeof(node));
}

/* "main;work", the outermost first. */
static uint32_t push_callers(struct firefox *f, uint32_t prefix,
			     const char *callers)
{
	while (callers && *callers) {
		size_t length = strcspn(callers, ";");

		prefix = push_name(f, prefix, string_of(f, callers, length));
		callers += length + (callers[length] == ';');
	}
	return prefix;
}

static uint32_t push_frame(struct firefox *f, uint32_t prefix,
			   const struct code_place *place,
			   const struct pmscope_frame *at, bool inlined)
{
	const struct code_binary *binary =
		&f->stacks->places.binaries[place->binary];
	const struct function_row function = {
		.name = name_of(f, at->name),
		.resource = place->binary,
		.source = source_of(f, at->file),
		.line = at->start,
	};
	uint64_t address = place->linked ? place->link : place->offset;
	bool has_address = binary_is_file(binary) && address <= INT32_MAX;
	const struct frame_row frame = {
		.function =
			row_of(f, &f->functions, &function, sizeof(function)),
		.flags = FRAME_CATEGORY | (inlined ? FRAME_INLINED : 0) |
			 (has_address ? FRAME_ADDRESS : 0) |
			 (at->line ? FRAME_LINE : 0),
		.address = has_address ? address : 0,
		.category = binary->kernel ? CATEGORY_KERNEL : CATEGORY_USER,
		.lib = has_address ? place->binary : 0,
		.line = at->line,
	};
	const struct stack_row node = {
		row_of(f, &f->frames, &frame, sizeof(frame)), prefix};

	return row_of(f, &f->nodes, &node, sizeof(node));
}

/* The functions at a place. Each question goes to a child with the file. */
static int frames_find(struct firefox *f, uint32_t place)
{
	const struct places *places = &f->stacks->places;

	if (!f->nr_frames || f->place != place)
		f->nr_frames = stacks_frames(f->export, places,
					     &places->items[place], f->at);
	f->place = place;
	return f->nr_frames;
}

/* The file, and in it the functions at the place. */
static int push_place(struct firefox *f, uint32_t number, uint32_t *stack)
{
	const struct places *places = &f->stacks->places;
	const struct code_place *place = &places->items[number];
	int nr = frames_find(f, number);

	if (nr < 0)
		return nr;
	*stack = push_name(
		f, *stack,
		name_of(f, stacks_binary(&places->binaries[place->binary])));
	for (int i = nr; i-- > 0;)
		*stack = push_frame(f, *stack, place, &f->at[i], i < nr - 1);
	return 0;
}

static int stack_of(struct firefox *f, const struct stack_cell *cell,
		    uint32_t *stack)
{
	*stack = push_callers(
		f, NONE, stacks_text(f->export->load->stacks, cell->callers));
	if (cell->place != NO_PLACE)
		return push_place(f, cell->place, stack);
	*stack = push_name(f, *stack, name_of(f, "[unknown]"));
	return 0;
}

/* Replaces each cell's place by its stack. Alike ones follow each other. */
static int set_stacks(struct firefox *f)
{
	struct stack_cell *cells = f->stacks->cells, before;
	int ret = 0;

	for (size_t i = 0; i < f->stacks->nr_cells && !ret; i++) {
		struct stack_cell *cell = &cells[i], as_sorted = *cell;

		if (i && cell->place == before.place &&
		    cell->callers == before.callers)
			cell->place = cells[i - 1].place;
		else
			ret = stack_of(f, &as_sorted, &cell->place);
		before = as_sorted;
	}
	return ret;
}

/* A column: a member of each row, from its place in the row on. */
static void put_column(struct firefox *f, const char *key,
		       const struct keyed *rows, size_t width, size_t at)
{
	json_begin_array(&f->json, key);
	for (size_t i = 0; i < rows->nr; i++) {
		const char *row = (char *)rows->all + i * width;
		uint32_t value;

		memcpy(&value, row + at, sizeof(value));
		json_unsigned(&f->json, NULL, value == NONE ? 0 : value);
	}
	json_end_array(&f->json);
}

/* A column in which all rows are alike: of nothing, or of a number. */
static void put_nulls(struct firefox *f, const char *key, size_t nr)
{
	json_begin_array(&f->json, key);
	while (nr--)
		json_null(&f->json, NULL);
	json_end_array(&f->json);
}

static void put_numbers(struct firefox *f, const char *key, size_t nr,
			uint64_t number)
{
	json_begin_array(&f->json, key);
	while (nr--)
		json_unsigned(&f->json, NULL, number);
	json_end_array(&f->json);
}

static void put_length(struct firefox *f, size_t nr)
{
	json_unsigned(&f->json, "length", nr);
	json_end_object(&f->json);
}

static void put_stack_table(struct firefox *f)
{
	const struct stack_row *rows = f->nodes.all;

	json_begin_object(&f->json, "stackTable");
	put_column(f, "frame", &f->nodes, sizeof(*rows),
		   offsetof(struct stack_row, frame));
	json_begin_array(&f->json, "prefixOffset");
	for (size_t i = 0; i < f->nodes.nr; i++)
		json_unsigned(&f->json, NULL,
			      rows[i].prefix == NONE ? 0 : i - rows[i].prefix);
	json_end_array(&f->json);
	put_length(f, f->nodes.nr);
}

#define FRAME_COLUMN(name)                                         \
	put_column(f, #name, &f->frames, sizeof(struct frame_row), \
		   offsetof(struct frame_row, name))

static void put_frame_table(struct firefox *f)
{
	size_t nr = f->frames.nr;

	json_begin_object(&f->json, "frameTable");
	FRAME_COLUMN(flags);
	FRAME_COLUMN(address);
	FRAME_COLUMN(category);
	put_numbers(f, "subcategory", nr, 0);
	put_column(f, "func", &f->frames, sizeof(struct frame_row),
		   offsetof(struct frame_row, function));
	FRAME_COLUMN(lib);
	put_numbers(f, "nativeSymbol", nr, 0);
	put_numbers(f, "innerWindowID", nr, 0);
	FRAME_COLUMN(line);
	put_numbers(f, "column", nr, 0);
	put_numbers(f, "originalLocation", nr, 0);
	put_length(f, nr);
}

static void put_function_flags(struct firefox *f)
{
	const struct function_row *rows = f->functions.all;

	json_begin_array(&f->json, "flags");
	for (size_t i = 0; i < f->functions.nr; i++)
		json_unsigned(
			&f->json, NULL,
			(rows[i].resource != NONE ? FUNCTION_RESOURCE : 0) |
				(rows[i].source != NONE ? FUNCTION_SOURCE : 0) |
				(rows[i].line ? FUNCTION_LINE : 0));
	json_end_array(&f->json);
}

#define FUNCTION_COLUMN(key, name)                                     \
	put_column(f, key, &f->functions, sizeof(struct function_row), \
		   offsetof(struct function_row, name))

static void put_function_table(struct firefox *f)
{
	json_begin_object(&f->json, "funcTable");
	put_function_flags(f);
	FUNCTION_COLUMN("name", name);
	FUNCTION_COLUMN("resource", resource);
	FUNCTION_COLUMN("source", source);
	FUNCTION_COLUMN("lineNumber", line);
	put_numbers(f, "columnNumber", f->functions.nr, 0);
	put_numbers(f, "originalLocation", f->functions.nr, 0);
	put_length(f, f->functions.nr);
}

static void put_resources(struct firefox *f)
{
	const struct places *places = &f->stacks->places;

	json_begin_object(&f->json, "resourceTable");
	json_begin_array(&f->json, "name");
	for (size_t i = 0; i < places->nr_binaries; i++)
		json_unsigned(&f->json, NULL,
			      name_of(f, stacks_binary(&places->binaries[i])));
	json_end_array(&f->json);
	put_nulls(f, "host", places->nr_binaries);
	put_numbers(f, "type", places->nr_binaries, 1); /* a library */
	put_length(f, places->nr_binaries);
}

static void put_sources(struct firefox *f)
{
	size_t nr = f->sources.nr;

	json_begin_object(&f->json, "sources");
	put_nulls(f, "id", nr);
	put_column(f, "filename", &f->sources, sizeof(uint32_t), 0);
	put_numbers(f, "startLine", nr, 1);
	put_numbers(f, "startColumn", nr, 1);
	put_nulls(f, "sourceMapURL", nr);
	put_nulls(f, "content", nr);
	put_length(f, nr);
}

static void put_empty(struct firefox *f, const char *key,
		      const char *const *columns)
{
	json_begin_object(&f->json, key);
	for (; *columns; columns++)
		put_nulls(f, *columns, 0);
	put_length(f, 0);
}

static void put_shared(struct firefox *f)
{
	static const char *const symbols[] = {"libIndex", "address", "name",
					      "functionSize", NULL};
	static const char *const locations[] = {"source", "line", "column",
						NULL};

	json_begin_object(&f->json, "shared");
	put_stack_table(f);
	put_frame_table(f);
	put_function_table(f);
	put_resources(f);
	put_empty(f, "nativeSymbols", symbols);
	put_sources(f);
	put_empty(f, "sourceLocationTable", locations);
	json_begin_array(&f->json, "stringArray");
	for (size_t i = 0; i < f->strings.count; i++)
		json_text(&f->json, NULL, strings_get(&f->strings, i));
	json_end_array(&f->json);
	json_end_object(&f->json);
}

/* The first 16 bytes as a GUID, whose first parts are little-endian, and 0. */
static void put_breakpad_id(struct firefox *f, const char *id)
{
	static const uint8_t order[] = {3, 2, 1,  0,  5,  4,  7,  6,
					8, 9, 10, 11, 12, 13, 14, 15};
	char text[2 * sizeof(order) + 2], *p = text;

	if (strlen(id) >= 2 * sizeof(order)) {
		for (size_t i = 0; i < sizeof(order); i++)
			p = text_bytes(p, id + 2 * order[i], 2);
		*p++ = '0';
	}
	*p = '\0';
	for (p = text; *p; p++)
		if (*p >= 'a')
			*p -= 'a' - 'A';
	json_text(&f->json, "breakpadId", text);
}

static void put_libs(struct firefox *f)
{
	const struct places *places = &f->stacks->places;

	json_begin_array(&f->json, "libs");
	for (size_t i = 0; i < places->nr_binaries; i++) {
		const char *path = stacks_binary(&places->binaries[i]);
		const char *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;
		char id[BUILD_ID_TEXT];

		build_id_text(id, places->binaries[i].build_id,
			      places->binaries[i].build_id_size);
		json_begin_object(&f->json, NULL);
		json_text(&f->json, "arch", "aarch64");
		json_text(&f->json, "name", name);
		json_text(&f->json, "path", path);
		json_text(&f->json, "debugName", name);
		json_text(&f->json, "debugPath", path);
		put_breakpad_id(f, id);
		if (*id)
			json_text(&f->json, "codeId", id);
		else
			json_null(&f->json, "codeId");
		json_end_object(&f->json);
	}
	json_end_array(&f->json);
}

static void put_categories(struct firefox *f)
{
	json_begin_array(&f->json, "categories");
	for (size_t i = 0; i < NR_CATEGORIES; i++) {
		json_begin_object(&f->json, NULL);
		json_text(&f->json, "name", categories[i][0]);
		json_text(&f->json, "color", categories[i][1]);
		json_begin_array(&f->json, "subcategories");
		json_text(&f->json, NULL, "Other");
		json_end_array(&f->json);
		json_end_object(&f->json);
	}
	json_end_array(&f->json);
}

/* "NAME : VALUE" */
static void put_note(struct firefox *f, char *line)
{
	char *value = strstr(line, " : ");

	if (value)
		*value = '\0';
	json_begin_object(&f->json, NULL);
	json_text(&f->json, "label", value ? line : "note");
	json_text(&f->json, "format", "string");
	json_text(&f->json, "value", value ? value + 3 : line);
	json_end_object(&f->json);
}

/* Where the recording comes from. */
static void put_notes(struct firefox *f)
{
	char *note = note_lines(f->export), *rest = note, *line;
	char *left_out = stacks_left_out(f->stacks);

	f->failed |= !note || (f->stacks->level && !left_out);
	json_begin_array(&f->json, "extra");
	json_begin_object(&f->json, NULL);
	json_text(&f->json, "label", "Recording");
	json_begin_array(&f->json, "entries");
	while ((line = strsep(&rest, "\n"))) {
		while (*line == '#' || *line == ' ')
			line++;
		if (*line && *line != '=')
			put_note(f, line);
	}
	if (left_out) {
		warning("%s", left_out);
		put_note(f, left_out);
	}
	json_end_array(&f->json);
	json_end_object(&f->json);
	json_end_array(&f->json);
	free(left_out);
	free(note);
}

static void put_meta(struct firefox *f)
{
	const struct load *load = f->export->load;
	struct json *json = &f->json;

	json_begin_object(json, "meta");
	json_real(json, "interval", 6, f->stacks->slice / 1e6);
	json_real(json, "startTime", 3,
		  load->has_wall ? (f->stacks->begin + load->wall) / 1e6 : 0);
	json_unsigned(json, "processType", 0);
	put_categories(f);
	json_text(json, "product", "pmscope");
	json_text(json, "importedFrom", "pmscope");
	json_text(json, "platform", "Linux");
	json_unsigned(json, "stackwalk", 0);
	json_unsigned(json, "version", GECKO_VERSION);
	json_unsigned(json, "preprocessedProfileVersion", VERSION);
	json_bool(json, "symbolicated", true);
	json_bool(json, "usesOnlyOneStackType", true);
	json_bool(json, "sourceCodeIsNotOnSearchfox", true);
	json_begin_array(json, "markerSchema");
	json_end_array(json);
	put_notes(f);
	json_end_object(json);
}

static void put_samples(struct firefox *f, size_t first, size_t end)
{
	const struct stack_cell *cells = f->stacks->cells;

	json_begin_object(&f->json, "samples");
	json_text(&f->json, "weightType", "samples");
	json_begin_array(&f->json, "weight");
	for (size_t i = first; i < end; i++)
		json_unsigned(&f->json, NULL, cells[i].samples);
	json_end_array(&f->json);
	json_begin_array(&f->json, "stack");
	for (size_t i = first; i < end; i++)
		json_unsigned(&f->json, NULL, cells[i].place);
	json_end_array(&f->json);
	json_begin_array(&f->json, "time");
	for (size_t i = first; i < end; i++)
		json_real(&f->json, NULL, 6,
			  cells[i].slice * (f->stacks->slice / 1e6));
	json_end_array(&f->json);
	put_length(f, end - first);
}

static void put_id(struct firefox *f, const char *key, uint32_t id)
{
	json_begin_text(&f->json, key);
	if (id == PMSCOPE_NO_ID)
		fputc('?', f->json.out);
	else
		fprintf(f->json.out, "%u", id);
	json_end_text(&f->json);
}

static void put_thread(struct firefox *f, size_t first, size_t end)
{
	static const char *const markers[] = {"data",	 "name",  "startTime",
					      "endTime", "phase", "category",
					      NULL};
	const struct stack_thread *thread =
		&f->stacks->threads[f->stacks->cells[first].thread];

	json_begin_object(&f->json, NULL);
	json_text(&f->json, "processType", "default");
	json_unsigned(&f->json, "processStartupTime", 0);
	json_null(&f->json, "processShutdownTime");
	json_unsigned(&f->json, "registerTime", 0);
	json_null(&f->json, "unregisterTime");
	json_begin_array(&f->json, "pausedRanges");
	json_end_array(&f->json);
	json_text(&f->json, "name", stacks_comm(thread));
	json_bool(&f->json, "isMainThread", thread->pid == thread->tid);
	put_id(f, "pid", thread->pid);
	put_id(f, "tid", thread->tid);
	put_samples(f, first, end);
	put_empty(f, "markers", markers);
	json_end_object(&f->json);
}

static void put_threads(struct firefox *f)
{
	const struct stack_cell *cells = f->stacks->cells;
	size_t nr = f->stacks->nr_cells, first = 0;

	json_begin_array(&f->json, "threads");
	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && cells[i].thread == cells[first].thread)
			continue;
		put_thread(f, first, i);
		first = i;
	}
	json_end_array(&f->json);
}

static COMPARISON(compare_cells, struct stack_cell,
		  COMPARE(x->thread, y->thread) ?: COMPARE(x->slice, y->slice)
		  ?: COMPARE(x->place, y->place));

static struct cell_key key_of(const struct stack_cell *cell)
{
	return (struct cell_key){cell->slice, cell->place};
}

/* If clocks differ, a sample may be later than the last slice. */
static size_t group_of(const struct cell_sort *by,
		       const struct stack_cell *cell)
{
	size_t slice = cell->slice < by->slices ? cell->slice : by->slices - 1;

	return cell->thread * by->slices + slice;
}

/* By thread, slice and stack. Those of one stack become one. */
static int sort_cells(struct stack_cells *stacks)
{
	struct cell_sort by = {
		.group = group_of,
		.slices = SLICES,
		.key = key_of,
		.compare = compare_cells,
	};

	if (stacks->nr_threads * by.slices > stacks->nr_cells)
		by.slices = stacks->nr_cells / (stacks->nr_threads + 1) + 1;
	by.nr_groups = stacks->nr_threads * by.slices;
	return stacks_sort(stacks, &by);
}

static int write_profile(struct firefox *f)
{
	int ret = set_stacks(f) ?: sort_cells(f->stacks);
	if (ret)
		return ret;
	json_begin_line(&f->json);
	put_meta(f);
	put_libs(f);
	put_threads(f);
	put_shared(f);
	json_end_line(&f->json);
	return f->failed ? -ENOMEM : 0;
}

static int begin(struct export_worker *worker)
{
	struct provenance provenance;
	struct stack_cells *stacks;
	int ret = stacks_begin(worker);

	if (ret)
		return ret;
	ret = provenance_read(&provenance, &worker->load);
	stacks = worker->state;
	stacks->begin = provenance.begin;
	stacks->slice = (provenance.end - provenance.begin) / SLICES + 1;
	provenance_fini(&provenance);
	return ret;
}

static int end(struct export *export)
{
	struct firefox f = {
		.export = export,
		.stacks = stacks_join(export),
		.json = {.out = export->file.out},
	};
	int ret = f.stacks ? write_profile(&f) : -ENOMEM;

	strings_fini(&f.strings);
	keyed_fini(&f.functions);
	keyed_fini(&f.frames);
	keyed_fini(&f.sources);
	keyed_fini(&f.nodes);
	return ret;
}

const struct export_format export_firefox = {
	.name = "firefox",
	.needs = EXPORT_TIME | EXPORT_CALLERS | EXPORT_TWICE,
	.begin = begin,
	.add = stacks_add,
	.end = end,
	.fini = stacks_fini,
};
