// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Samples as arrays of the Arrow C data interface. It has two structs and no
 * library, so this is all there is to it.
 */
#include <pmscope/arrow.h>
#include "base/names.h"
#include "base/text.h"
#include "recording/recording.h"
#include "sample/fields.h"

#define ROWS	    ((size_t)1 << 16) /* of an array */
#define MAX_COLUMNS 64

/* Formats of Arrow: unsigned numbers of 8, 16, 32 and 64 bits, and UTF-8. */
#define FORMAT_UINT8  "C"
#define FORMAT_UINT16 "S"
#define FORMAT_UINT32 "I"
#define FORMAT_UINT64 "L"
#define FORMAT_TEXT   "u"
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

/* Of a value; 0: text */
static unsigned int bytes_of(const struct field *field)
{
	if (!field->number)
		return 0;
	return !field->bits ? 8 : (field->bits + 7) / 8;
}

static const char *format_of(const struct field *field)
{
	static const char *const formats[] = {
		FORMAT_TEXT,	     FORMAT_UINT8,	  FORMAT_UINT16,
		[4] = FORMAT_UINT32, [8] = FORMAT_UINT64,
	};

	return formats[bytes_of(field)];
}

/*
 * struct column - the values of one column in an array @present: a bit for each
 * row @values: numbers, or for text ROWS + 1 offsets in @text
 */
struct column {
	uint8_t *present;
	void *values;
	char *text;
	size_t size; /* of the text, and the room there is */
	size_t room;
};

/* An array that is being filled. */
struct batch {
	struct layout layout;
	struct column columns[MAX_COLUMNS];
	size_t rows;
	bool failed; /* memory is short */
};

struct samples {
	struct pmscope_recording *recording;
	bool ended;
	const char *error;
};

/* The buffers of a column, as its array points to them. */
struct buffers {
	const void *pointers[3];
	struct column column;
};

static void column_free(struct column *column)
{
	free(column->present);
	free(column->values);
	free(column->text);
	*column = (struct column){};
}

static void batch_free(struct batch *batch)
{
	for (size_t i = 0; i < batch->layout.nr; i++)
		column_free(&batch->columns[i]);
	free(batch);
}

static struct batch *batch_new(void)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (batch)
		layout_init(&batch->layout);
	for (size_t i = 0; batch && i < batch->layout.nr; i++) {
		struct column *c = &batch->columns[i];
		unsigned int bytes = bytes_of(batch->layout.fields[i]);
		bool is_text = !bytes;

		c->present = calloc(ROWS / 8, 1);
		c->values = is_text ? calloc(ROWS + 1, sizeof(int32_t))
				    : calloc(ROWS, bytes);
		c->text = is_text ? malloc(1) : NULL;
		c->room = 1;
		batch->failed |=
			!c->present || !c->values || (is_text && !c->text);
	}
	if (batch && batch->failed) {
		batch_free(batch);
		return NULL;
	}
	return batch;
}

static void set_present(struct batch *batch, size_t at)
{
	batch->columns[at].present[batch->rows / 8] |= 1U << batch->rows % 8;
}

static void set(struct batch *batch, size_t at, uint64_t value)
{
	void *values = batch->columns[at].values;

	set_present(batch, at);
	switch (bytes_of(batch->layout.fields[at])) {
	case 1:
		((uint8_t *)values)[batch->rows] = (uint8_t)value;
		break;
	case 2:
		((uint16_t *)values)[batch->rows] = (uint16_t)value;
		break;
	case 4:
		((uint32_t *)values)[batch->rows] = (uint32_t)value;
		break;
	default:
		((uint64_t *)values)[batch->rows] = value;
	}
}

static bool column_reserve(struct column *column, size_t more)
{
	size_t wanted = column->size + more;
	char *text;

	if (wanted <= column->room)
		return true;
	wanted *= 2;
	text = realloc(column->text, wanted);
	if (!text)
		return false;
	column->text = text;
	column->room = wanted;
	return true;
}

/* Engines refuse what is no UTF-8: such a byte becomes U+FFFD. */
static void set_text(struct batch *batch, size_t at, const char *text)
{
	struct column *column = &batch->columns[at];

	if (!text)
		return;
	if (!column_reserve(column, TEXT_VALID * strlen(text))) {
		batch->failed = true;
		return;
	}
	set_present(batch, at);
	column->size =
		text_valid(column->text + column->size, text) - column->text;
}

/* Where the texts of the row end, also of one without. */
static void row_end(struct batch *batch)
{
	batch->rows++;
	for (size_t i = 0; i < batch->layout.nr; i++)
		if (!bytes_of(batch->layout.fields[i]))
			((int32_t *)batch->columns[i].values)[batch->rows] =
				(int32_t)batch->columns[i].size;
}

static void set_field(struct batch *batch, size_t at, const struct view *view)
{
	const struct field *field = batch->layout.fields[at];
	char room[FIELD_ROOM];
	uint64_t value;

	if (field->text)
		set_text(batch, at, field->text(view, room));
	else if (field->number(view, &value))
		set(batch, at, value);
}

/* No symbols are looked up. */
static void add_sample(struct batch *batch,
		       const struct pmscope_recording *recording,
		       const struct pmscope_sample *sample)
{
	struct pmscope_place place;
	struct view view;

	view_begin(&view, sample);
	view_flags(&view);
	if (view.has & PMSCOPE_HAS_PC) {
		pmscope_recording_place(recording, sample, view.pc, &place);
		view.place = &place;
		view.symbol.dso = is_kernel_image(place.kernel, place.dso)
					  ? KERNEL_NAME
					  : place.dso;
	}
	for (size_t i = 0; i < batch->layout.nr; i++)
		set_field(batch, i, &view);
	row_end(batch);
}

/* Returns 0 or ENOMEM; no rows at the end. */
static int batch_fill(struct batch *batch, struct samples *samples)
{
	struct pmscope_sample sample;
	int ret = 1;

	while (batch->rows < ROWS && !batch->failed && ret > 0) {
		ret = pmscope_recording_next(samples->recording, &sample);
		if (ret > 0 && sample.kind == PMSCOPE_SAMPLE_SPE)
			add_sample(batch, samples->recording, &sample);
	}
	samples->ended = !ret;
	return ret < 0 || batch->failed ? ENOMEM : 0;
}

static void child_release(struct ArrowArray *array)
{
	struct buffers *buffers = array->private_data;

	column_free(&buffers->column);
	free(buffers);
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

static size_t count_nulls(const struct column *column, size_t rows)
{
	size_t present = 0;

	for (size_t i = 0; i < (rows + 7) / 8; i++)
		present += __builtin_popcount(column->present[i]);
	return rows - present;
}

/* Takes the memory of the column. NULL: no memory. */
static struct ArrowArray *child_new(struct column *column, bool is_text,
				    size_t rows)
{
	struct ArrowArray *array = calloc(1, sizeof(*array));
	struct buffers *buffers = calloc(1, sizeof(*buffers));

	if (!array || !buffers) {
		free(array);
		free(buffers);
		return NULL;
	}
	*array = (struct ArrowArray){
		.length = rows,
		.null_count = count_nulls(column, rows),
		.n_buffers = is_text ? 3 : 2,
		.buffers = buffers->pointers,
		.release = child_release,
		.private_data = buffers,
	};
	buffers->column = *column;
	buffers->pointers[0] = column->present;
	buffers->pointers[1] = column->values;
	buffers->pointers[2] = column->text;
	*column = (struct column){};
	return array;
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
		bool is_text = !bytes_of(batch->layout.fields[i]);

		array->children[i] =
			child_new(&batch->columns[i], is_text, batch->rows);
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
	schema->release = NULL;
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
		schema->children[i] = malloc(sizeof(**schema->children));
		if (!schema->children[i]) {
			schema_release(schema);
			return ENOMEM;
		}
		*schema->children[i] = (struct ArrowSchema){
			.format = format_of(layout.fields[i]),
			.name = layout.fields[i]->name,
			.flags = ARROW_FLAG_NULLABLE,
			.release = schema_release,
		};
	}
	return schema->children ? 0 : ENOMEM;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct samples *samples = stream->private_data;

	return samples->error;
}

static void stream_release(struct ArrowArrayStream *stream)
{
	free(stream->private_data);
	stream->release = NULL;
}

int pmscope_recording_arrow_stream(struct pmscope_recording *recording,
				   struct ArrowArrayStream *stream)
{
	struct samples *samples;

	*stream = (struct ArrowArrayStream){};
	if (recording->options.shared || recording->options.ahead)
		return -EINVAL;
	samples = calloc(1, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	samples->recording = recording;
	*stream = (struct ArrowArrayStream){
		.get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = stream_release,
		.private_data = samples,
	};
	return 0;
}
