// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Samples as arrays of the Arrow C data interface. It has two structs and no
 * library, so this is all there is to it.
 */
#include <pmscope/arrow.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

#include "base/build_id.h"
#include "base/file_name.h"
#include "base/kernel_name.h"
#include "base/text.h"
#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS ((size_t)1 << 16) /* of an array */

enum {
	TIME,
	CPU,
	PID,
	TID,
	COMM,
	CGROUP,
	BUILD_ID,
	FILE_OFFSET,
	DSO,
	EL,
	OP,
	FLAGS,
	PC,
	TARGET,
	VA,
	PA,
	EVENTS,
	LAT_TOTAL,
	LAT_ISSUE,
	LAT_XLAT,
	SOURCE,
	SOURCE_NAME,
	COUNTER,
	COUNTER_VALUE,
	MIDR,
	OPERATIONS,
	NR_COLUMNS
};

/* Formats of Arrow: unsigned numbers of 8, 16, 32 and 64 bits, and UTF-8. */
#define FORMAT_UINT8  "C"
#define FORMAT_UINT16 "S"
#define FORMAT_UINT32 "I"
#define FORMAT_UINT64 "L"
#define FORMAT_TEXT   "u"
#define FORMAT_STRUCT "+s"

/* @bytes: of a number; 0: text */
static const struct {
	const char *name;
	const char *format;
	unsigned int bytes;
} columns[NR_COLUMNS] = {
	[TIME] = {"time", FORMAT_UINT64, 8},
	[CPU] = {"cpu", FORMAT_UINT32, 4},
	[PID] = {"pid", FORMAT_UINT32, 4},
	[TID] = {"tid", FORMAT_UINT32, 4},
	[COMM] = {"comm", FORMAT_TEXT, 0},
	[CGROUP] = {"cgroup", FORMAT_TEXT, 0},
	[BUILD_ID] = {"build_id", FORMAT_TEXT, 0},
	[FILE_OFFSET] = {"file_offset", FORMAT_UINT64, 8},
	[DSO] = {"dso", FORMAT_TEXT, 0},
	[EL] = {"el", FORMAT_UINT8, 1},
	[OP] = {"op", FORMAT_TEXT, 0},
	[FLAGS] = {"flags", FORMAT_UINT32, 4},
	[PC] = {"pc", FORMAT_UINT64, 8},
	[TARGET] = {"target", FORMAT_UINT64, 8},
	[VA] = {"va", FORMAT_UINT64, 8},
	[PA] = {"pa", FORMAT_UINT64, 8},
	[EVENTS] = {"events", FORMAT_UINT64, 8},
	[LAT_TOTAL] = {"lat_total", FORMAT_UINT16, 2},
	[LAT_ISSUE] = {"lat_issue", FORMAT_UINT16, 2},
	[LAT_XLAT] = {"lat_xlat", FORMAT_UINT16, 2},
	[SOURCE] = {"source", FORMAT_UINT16, 2},
	[SOURCE_NAME] = {"source_name", FORMAT_TEXT, 0},
	[COUNTER] = {"counter", FORMAT_UINT16, 2},
	[COUNTER_VALUE] = {"counter_value", FORMAT_UINT16, 2},
	[MIDR] = {"midr", FORMAT_UINT64, 8},
	[OPERATIONS] = {"operations", FORMAT_UINT64, 8},
};

/*
 * struct column - the values of one column in an array
 * @present: a bit for each row
 * @values: numbers, or for text ROWS + 1 offsets in @text
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
	struct column columns[NR_COLUMNS];
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
	for (size_t i = 0; i < NR_COLUMNS; i++)
		column_free(&batch->columns[i]);
	free(batch);
}

static struct batch *batch_new(void)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	for (size_t i = 0; batch && i < NR_COLUMNS; i++) {
		struct column *c = &batch->columns[i];
		bool is_text = !columns[i].bytes;

		c->present = calloc(ROWS / 8, 1);
		c->values = is_text ? calloc(ROWS + 1, sizeof(int32_t))
				    : calloc(ROWS, columns[i].bytes);
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

static void set_present(struct batch *batch, int at)
{
	batch->columns[at].present[batch->rows / 8] |= 1U << batch->rows % 8;
}

static void set(struct batch *batch, int at, uint64_t value)
{
	void *values = batch->columns[at].values;

	set_present(batch, at);
	switch (columns[at].bytes) {
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
static void set_text(struct batch *batch, int at, const char *text)
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
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (!columns[i].bytes)
			((int32_t *)batch->columns[i].values)[batch->rows] =
				(int32_t)batch->columns[i].size;
}

static void set_thread(struct batch *batch, const struct pmscope_sample *sample)
{
	if (sample->has_time)
		set(batch, TIME, sample->time);
	if (sample->cpu != PMSCOPE_NO_ID)
		set(batch, CPU, sample->cpu);
	if (sample->pid != PMSCOPE_NO_ID)
		set(batch, PID, sample->pid);
	if (sample->tid != PMSCOPE_NO_ID)
		set(batch, TID, sample->tid);
	if (sample->midr)
		set(batch, MIDR, sample->midr);
	if (sample->interval)
		set(batch, OPERATIONS, sample->interval);
	set_text(batch, COMM, sample->comm);
	set_text(batch, CGROUP, sample->cgroup);
}

static void set_build_id(struct batch *batch, const struct pmscope_place *place)
{
	char text[2 * BUILD_ID_MAX + 1], *p = text;

	for (size_t i = 0; i < place->build_id_size && i < BUILD_ID_MAX; i++)
		p = text_hex(p, place->build_id[i], 2);
	*p = '\0';
	set_text(batch, BUILD_ID, *text ? text : NULL);
}

/* Memory of no file has names, too. */
static bool is_file(const struct pmscope_place *place)
{
	const char *dso = place->dso;

	if (place->kernel)
		return dso && strcmp(dso, BPF_NAME) != 0;
	return dso && (place->build_id_size || is_file_name(dso));
}

/* Of the kernel, offsets count from its first symbol, where that is known. */
static void set_code(struct batch *batch,
		     const struct pmscope_recording *recording,
		     const struct pmscope_sample *sample, uint64_t pc)
{
	struct pmscope_place place;
	bool is_kernel;

	pmscope_recording_place(recording, sample, pc, &place);
	is_kernel = is_kernel_image(place.kernel, place.dso);
	set_build_id(batch, &place);
	set_text(batch, DSO, is_kernel ? KERNEL_NAME : place.dso);
	if (is_kernel && place.reference)
		set(batch, FILE_OFFSET,
		    place.file_offset - place.reference_address);
	else if (is_kernel || is_file(&place))
		set(batch, FILE_OFFSET, place.file_offset);
}

static void set_operation(struct batch *batch, const struct pmscope_batch *b,
			  size_t row)
{
	set_text(batch, OP,
		 pmscope_operation_class_name(b->op_class[row], b->op[row]));
	set(batch, FLAGS,
	    pmscope_operation_flags(b->op_class[row], b->op[row]));
}

static void set_source(struct batch *batch, uint64_t midr, uint16_t code)
{
	set(batch, SOURCE, code);
	set_text(batch, SOURCE_NAME, pmscope_source_name(midr, code));
}

static void set_record(struct batch *batch, const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;
	size_t row = sample->row;
	uint32_t has = b->has[row];

	if (has & PMSCOPE_HAS_OPERATION)
		set_operation(batch, b, row);
	if (has & PMSCOPE_HAS_TARGET)
		set(batch, TARGET, pmscope_code_address(b->target[row]));
	if (has & PMSCOPE_HAS_VA)
		set(batch, VA, pmscope_data_address(b->va[row]));
	if (has & PMSCOPE_HAS_PA)
		set(batch, PA, pmscope_physical_address(b->pa[row]));
	if (has & PMSCOPE_HAS_EVENTS)
		set(batch, EVENTS, b->events[row]);
	if (has & PMSCOPE_HAS_TOTAL)
		set(batch, LAT_TOTAL, b->total[row]);
	if (has & PMSCOPE_HAS_ISSUE)
		set(batch, LAT_ISSUE, b->issue[row]);
	if (has & PMSCOPE_HAS_TRANSLATE)
		set(batch, LAT_XLAT, b->translate[row]);
	if (has & PMSCOPE_HAS_SOURCE)
		set_source(batch, sample->midr, b->source[row]);
	if (has & PMSCOPE_HAS_COUNTER) {
		set(batch, COUNTER, b->counter[row] >> 16);
		set(batch, COUNTER_VALUE, b->counter[row] & 0xffff);
	}
}

static void add_sample(struct batch *batch,
		       const struct pmscope_recording *recording,
		       const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;

	set_thread(batch, sample);
	if (b->has[sample->row] & PMSCOPE_HAS_PC) {
		uint64_t pc = pmscope_code_address(b->pc[sample->row]);

		set(batch, PC, pc);
		set(batch, EL, pmscope_address_el(b->pc[sample->row]));
		set_code(batch, recording, sample, pc);
	}
	set_record(batch, sample);
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
		.n_children = NR_COLUMNS,
		.children = calloc(NR_COLUMNS, sizeof(*array->children)),
		.release = array_release,
	};
	if (!array->buffers || !array->children) {
		array->n_children = 0;
		array_release(array);
		return ENOMEM;
	}
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		array->children[i] = child_new(&batch->columns[i],
					       !columns[i].bytes, batch->rows);
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

static int get_schema(struct ArrowArrayStream *stream,
		      struct ArrowSchema *schema)
{
	(void)stream;
	*schema = (struct ArrowSchema){
		.format = FORMAT_STRUCT,
		.name = "",
		.n_children = NR_COLUMNS,
		.children = calloc(NR_COLUMNS, sizeof(*schema->children)),
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
			.format = columns[i].format,
			.name = columns[i].name,
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
