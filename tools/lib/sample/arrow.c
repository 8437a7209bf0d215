// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Samples as arrays of the Arrow C data interface. It has two structs and no
 * library, so this is all there is to it.
 */
#include <pmscope/arrow.h>
#include "base/names.h"
#include "recording/recording.h"
#include "sample/caches.h"

#define ROWS	    ((size_t)1 << 16) /* of an array */
#define MAX_COLUMNS 64

/* Formats of Arrow: unsigned numbers of 8 to 64 bits, and UTF-8. */
#define FORMAT_UINT8  "C"
#define FORMAT_UINT16 "S"
#define FORMAT_UINT32 "I"
#define FORMAT_UINT64 "L"
#define FORMAT_TEXT   "u"
#define FORMAT_NUMBER "i"
#define FORMAT_STRUCT "+s"

/* The fields that are columns, in the order of the table. */
struct layout {
	const struct field *fields[MAX_COLUMNS];
	size_t nr;
};

static void layout_init(struct layout *layout)
{
	layout->nr = 0;
	for (const struct field *f = all_fields; f->name; f++)
		if (f->uses & FIELD_ARROW && layout->nr < MAX_COLUMNS)
			layout->fields[layout->nr++] = f;
}

/* Of a value; texts have numbers. */
static unsigned int bytes_of(const struct field *field)
{
	if (field->text)
		return sizeof(int32_t);
	return !field->bits ? 8 : (field->bits + 7) / 8;
}

static const char *format_of(const struct field *field)
{
	static const char *const formats[] = {
		[1] = FORMAT_UINT8,
		[2] = FORMAT_UINT16,
		[4] = FORMAT_UINT32,
		[8] = FORMAT_UINT64,
	};

	return field->text ? FORMAT_NUMBER : formats[bytes_of(field)];
}

/* Rows that are filled in one column at a time */
#define BLOCK	    16
#define KNOWN_TEXTS 64

/*
 * struct column - the values of one column in an array
 * @present: a bit for each row
 * @nulls: rows without a value
 * @values: numbers, or for text int32_t numbers in @texts
 * @known: where texts were that have a number
 */
struct column {
	uint8_t *present;
	size_t nulls;
	void *values;
	struct strings texts;
	uint32_t last; /* number of the last text that was made for its row */
	struct {
		const char *text;
		uint32_t number;
	} known[KNOWN_TEXTS];
};

/* An array that is being filled. */
struct batch {
	struct layout layout;
	struct column columns[MAX_COLUMNS];
	size_t rows;
	bool failed; /* memory is short */
};

/*
 * struct samples - a stream
 * @run: what is read now, from @row on, and @current its thread
 * @codes, @variables: NULL without symbols
 */
struct samples {
	struct name_source from;
	struct symbol_cache *codes;
	struct data_symbols *variables;
	struct thread_cache currents[THREAD_CACHES];
	struct thread_cache *current;
	struct pmscope_run run;
	size_t row;
	bool ended;
	const char *error;
};

static void batch_free(struct batch *batch)
{
	for (size_t i = 0; i < batch->layout.nr; i++) {
		free(batch->columns[i].present);
		free(batch->columns[i].values);
		strings_fini(&batch->columns[i].texts);
	}
	free(batch);
}

static struct batch *batch_new(void)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (batch)
		layout_init(&batch->layout);
	for (size_t i = 0; batch && i < batch->layout.nr; i++) {
		struct column *c = &batch->columns[i];

		c->present = calloc(ROWS / 8, 1);
		c->values = malloc(ROWS * bytes_of(batch->layout.fields[i]));
		batch->failed |= !c->present || !c->values;
	}
	if (batch && batch->failed) {
		batch_free(batch);
		return NULL;
	}
	return batch;
}

/* Engines refuse what is no UTF-8: such a byte becomes U+FFFD. */
static bool text_number(struct column *column, const char *text,
			uint32_t *number)
{
	size_t size = strlen(text);
	char *valid = malloc(TEXT_VALID * size + 1);
	bool done;

	if (!valid)
		return false;
	size = text_valid(valid, text) - valid;
	done = !strings_intern(&column->texts, valid, size, number);
	free(valid);
	return done;
}

/* Names of a recording stay where they are; those in @room do not. */
static bool text_find(struct column *column, const char *text, const char *room,
		      uint32_t *number)
{
	size_t at = (uintptr_t)text / 16 % KNOWN_TEXTS;

	if (text == room) {
		*number = column->last;
		if (column->texts.count &&
		    !strcmp(column->texts.items[*number], text))
			return true;
		if (!text_number(column, text, number))
			return false;
		column->last = *number;
		return true;
	}
	if (column->known[at].text != text) {
		if (!text_number(column, text, &column->known[at].number))
			return false;
		column->known[at].text = text;
	}
	*number = column->known[at].number;
	return true;
}

static void set(struct column *column, unsigned int bytes, size_t row,
		bool known, uint64_t value)
{
	column->present[row / 8] |= known << row % 8;
	column->nulls += !known;
	if (!known)
		value = 0;
	switch (bytes) {
	case 1:
		((uint8_t *)column->values)[row] = (uint8_t)value;
		break;
	case 2:
		((uint16_t *)column->values)[row] = (uint16_t)value;
		break;
	case 4:
		((uint32_t *)column->values)[row] = (uint32_t)value;
		break;
	default:
		((uint64_t *)column->values)[row] = value;
	}
}

static void set_texts(struct batch *batch, size_t at, const struct view *views,
		      size_t nr)
{
	struct column *column = &batch->columns[at];

	for (size_t i = 0; i < nr; i++) {
		char room[FIELD_ROOM];
		const char *text =
			batch->layout.fields[at]->text(&views[i], room);
		uint32_t number = 0;

		if (text && !text_find(column, text, room, &number))
			batch->failed = true;
		set(column, sizeof(number), batch->rows + i, text, number);
	}
}

static void set_numbers(struct batch *batch, size_t at,
			const struct view *views, size_t nr)
{
	const struct field *field = batch->layout.fields[at];
	unsigned int bytes = bytes_of(field);

	for (size_t i = 0; i < nr; i++) {
		uint64_t value;
		bool known = field->number(&views[i], &value);

		set(&batch->columns[at], bytes, batch->rows + i, known, value);
	}
}

/* What is at its addresses, by name */
static void name_row(struct view *view, const struct samples *samples,
		     size_t at)
{
	struct thread_cache *current = samples->current;
	struct data_names names;

	thread_cache_set(current, &samples->from, &samples->run, at);
	thread_cache_set_time(current, &samples->from);
	if (view->has & PMSCOPE_HAS_PC)
		view->symbol.name = symbol_cache_find(samples->codes,
						      &samples->from, current)
					    ->name;
	names = data_names_find(samples->variables, &samples->from, current,
				DEP_DATA | DEP_MEMBER);
	data_names_show(&names, view);
}

/* A sample and what is known of it */
struct row {
	struct pmscope_sample sample;
	struct pmscope_place place, target;
};

static void view_row(struct view *view, struct row *row,
		     const struct samples *samples, size_t at)
{
	pmscope_recording_run_sample(samples->from.recording, &samples->run, at,
				     &row->sample);
	view_begin(view, &row->sample);
	view_flags(view);
	if (view->has & PMSCOPE_HAS_PC) {
		pmscope_recording_place(samples->from.recording, &row->sample,
					view->pc, &row->place);
		view->place = &row->place;
		view->symbol.dso =
			is_kernel_image(row->place.kernel, row->place.dso)
				? KERNEL_NAME
				: row->place.dso;
	}
	if (view->has & PMSCOPE_HAS_TARGET) {
		pmscope_recording_place(samples->from.recording, &row->sample,
					view->target, &row->target);
		view->target_place = &row->target;
	}
	if (samples->codes)
		name_row(view, samples, at);
}

/* Fills one column after the other: each has one getter. */
static void add_rows(struct batch *batch, struct samples *samples)
{
	size_t left = samples->run.end - samples->row;
	size_t nr = MIN(MIN(left, BLOCK), ROWS - batch->rows);
	struct view views[BLOCK];
	struct row rows[BLOCK];

	for (size_t i = 0; i < nr; i++)
		view_row(&views[i], &rows[i], samples, samples->row + i);
	for (size_t i = 0; i < batch->layout.nr; i++)
		if (batch->layout.fields[i]->text)
			set_texts(batch, i, views, nr);
		else
			set_numbers(batch, i, views, nr);
	samples->row += nr;
	batch->rows += nr;
}

/* Returns 0 or ENOMEM; no rows at the end. */
static int batch_fill(struct batch *batch, struct samples *samples)
{
	int ret = 1;

	while (batch->rows < ROWS && !batch->failed && ret > 0) {
		if (samples->row < samples->run.end) {
			add_rows(batch, samples);
			continue;
		}
		ret = pmscope_recording_next_run(samples->from.recording, true,
						 &samples->run);
		samples->row = samples->run.first;
		if (ret > 0)
			samples->current = thread_cache_of(samples->currents,
							   &samples->run);
		if (ret > 0 && samples->run.group)
			samples->row = samples->run.end;
	}
	samples->ended = !ret;
	return ret < 0 || batch->failed ? ENOMEM : 0;
}

static void child_release(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_buffers; i++)
		free((void *)array->buffers[i]);
	free(array->buffers);
	if (array->dictionary && array->dictionary->release)
		array->dictionary->release(array->dictionary);
	free(array->dictionary);
	array->release = NULL;
}

/* An engine may have taken some of the children, and released others. */
static void array_release(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++) {
		struct ArrowArray *child = array->children[i];

		if (child && child->release)
			child->release(child);
		free(child);
	}
	free(array->children);
	free(array->buffers);
	array->release = NULL;
}

/* Takes @owned, which is freed on failure, too. NULL: no memory. */
static struct ArrowArray *buffers_array(void *const owned[3], size_t nr,
					size_t rows)
{
	struct ArrowArray *array = calloc(1, sizeof(*array));
	const void **buffers = calloc(nr, sizeof(*buffers));

	if (!array || !buffers) {
		for (size_t i = 0; i < nr; i++)
			free(owned[i]);
		free(array);
		free(buffers);
		return NULL;
	}
	for (size_t i = 0; i < nr; i++)
		buffers[i] = owned[i];
	*array = (struct ArrowArray){
		.length = rows,
		.n_buffers = nr,
		.buffers = buffers,
		.release = child_release,
	};
	return array;
}

/* All texts behind each other, and where each begins. */
static struct ArrowArray *dictionary_new(const struct strings *texts)
{
	int32_t *offsets = calloc(texts->count + 1, sizeof(*offsets));
	char *text = malloc(texts->bytes + 1), *p = text;

	for (size_t i = 0; offsets && text && i < texts->count; i++) {
		p = stpcpy(p, texts->items[i]);
		offsets[i + 1] = (int32_t)(p - text);
	}
	if (!offsets || !text) {
		free(offsets);
		free(text);
		return NULL;
	}
	return buffers_array((void *[]){NULL, offsets, text}, 3, texts->count);
}

/* Takes the memory of the column. NULL: no memory. */
static struct ArrowArray *child_new(struct column *column, bool is_text,
				    size_t rows)
{
	struct ArrowArray *array = buffers_array(
		(void *[3]){column->present, column->values}, 2, rows);

	column->present = NULL;
	column->values = NULL;
	if (!array)
		return NULL;
	array->null_count = column->nulls;
	if (is_text)
		array->dictionary = dictionary_new(&column->texts);
	if (!is_text || array->dictionary)
		return array;
	array->release(array);
	free(array);
	return NULL;
}

static int array_make(struct ArrowArray *array, struct batch *batch)
{
	*array = (struct ArrowArray){
		.length = batch->rows,
		.n_buffers = 1,
		.buffers = calloc(1, sizeof(*array->buffers)),
		.n_children = batch->layout.nr,
		.children = calloc(batch->layout.nr, sizeof(*array->children)),
		.release = array_release,
	};
	if (!array->buffers || !array->children) {
		array->n_children = 0;
		array_release(array);
		return ENOMEM;
	}
	for (size_t i = 0; i < batch->layout.nr; i++) {
		array->children[i] =
			child_new(&batch->columns[i],
				  batch->layout.fields[i]->text, batch->rows);
		if (!array->children[i]) {
			array_release(array);
			return ENOMEM;
		}
	}
	return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
	struct samples *samples = stream->private_data;
	struct batch *batch;
	int ret;

	*array = (struct ArrowArray){};
	if (samples->ended)
		return 0;
	batch = batch_new();
	ret = batch ? batch_fill(batch, samples) : ENOMEM;
	if (!ret && batch->rows)
		ret = array_make(array, batch);
	if (batch)
		batch_free(batch);
	samples->error = ret ? strerrordesc_np(ret) : NULL;
	return ret;
}

static void schema_release(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		struct ArrowSchema *child = schema->children[i];

		if (child && child->release)
			child->release(child);
		free(child);
	}
	free(schema->children);
	free(schema->dictionary);
	schema->release = NULL;
}

static struct ArrowSchema *schema_of(const struct field *field)
{
	struct ArrowSchema *schema = malloc(sizeof(*schema));
	struct ArrowSchema *text = field->text ? malloc(sizeof(*text)) : NULL;

	if (!schema || (field->text && !text)) {
		free(schema);
		free(text);
		return NULL;
	}
	*schema = (struct ArrowSchema){
		.format = format_of(field),
		.name = field->name,
		.flags = ARROW_FLAG_NULLABLE,
		.dictionary = text,
		.release = schema_release,
	};
	if (text)
		*text = (struct ArrowSchema){
			.format = FORMAT_TEXT,
			.name = "",
			.release = schema_release,
		};
	return schema;
}

static int get_schema(struct ArrowArrayStream *, struct ArrowSchema *schema)
{
	struct layout layout;

	layout_init(&layout);
	*schema = (struct ArrowSchema){
		.format = FORMAT_STRUCT,
		.name = "",
		.n_children = layout.nr,
		.children = calloc(layout.nr, sizeof(*schema->children)),
		.release = schema_release,
	};
	if (!schema->children)
		schema->n_children = 0;
	for (int64_t i = 0; i < schema->n_children; i++) {
		schema->children[i] = schema_of(layout.fields[i]);
		if (!schema->children[i]) {
			schema_release(schema);
			return ENOMEM;
		}
	}
	return schema->children ? 0 : ENOMEM;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct samples *samples = stream->private_data;

	return samples->error;
}

static void samples_free(struct samples *samples)
{
	symbol_cache_free(samples->codes);
	data_symbols_free(samples->variables);
	free(samples);
}

static void stream_release(struct ArrowArrayStream *stream)
{
	samples_free(stream->private_data);
	stream->release = NULL;
}

/* Returns 0 or -ENOMEM. */
static int with_names(struct samples *samples, struct pmscope_symbols *symbols)
{
	if (!symbols)
		return 0;
	samples->from.symbols = symbols;
	samples->codes = symbol_cache_new();
	samples->variables = data_symbols_new();
	return samples->codes && samples->variables ? 0 : -ENOMEM;
}

int pmscope_recording_arrow_names(struct pmscope_recording *recording,
				  struct pmscope_symbols *symbols,
				  struct ArrowArrayStream *stream)
{
	struct samples *samples;

	*stream = (struct ArrowArrayStream){};
	if (recording->options.shared || recording->options.ahead)
		return -EINVAL;
	samples = calloc(1, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	name_source_init(&samples->from, recording);
	if (with_names(samples, symbols)) {
		samples_free(samples);
		return -ENOMEM;
	}
	*stream = (struct ArrowArrayStream){
		.get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = stream_release,
		.private_data = samples,
	};
	return 0;
}

int pmscope_recording_arrow_stream(struct pmscope_recording *recording,
				   struct ArrowArrayStream *stream)
{
	return pmscope_recording_arrow_names(recording, NULL, stream);
}
