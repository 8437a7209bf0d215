// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as an Arrow stream: read by the rules of the C data interface,
 * and compared with the samples one by one.
 */
#include "bytes.h"
#include "ktap.h"

#include <pmscope/arrow.h>

#define RECORDS 70000 /* more than an array holds */
#define WILD	3000

static void make(struct bytes *b, uint64_t records, unsigned int wild)
{
	put_activity(b, &(struct activity){.seed = 5,
					   .records = records,
					   .rare = 30,
					   .wild = wild,
					   .counted = true,
					   .grouped = true});
}

static struct pmscope_recording *open_bytes(const struct bytes *b)
{
	struct pmscope_recording *r = NULL;

	EXPECT_EQ(pmscope_recording_open(b->data, b->size, NULL, &r), 0);
	return r;
}

static const struct ArrowArray *child(const struct ArrowArray *array,
				      const struct ArrowSchema *schema,
				      const char *name)
{
	for (int64_t i = 0; i < schema->n_children; i++)
		if (!strcmp(schema->children[i]->name, name))
			return array->children[i];
	EXPECT_STREQ(name, "a column");
	return array->children[0];
}

static bool present(const struct ArrowArray *column, size_t row)
{
	const uint8_t *bits = column->buffers[0];

	return bits[row / 8] >> row % 8 & 1;
}

static uint64_t number(const struct ArrowArray *column, size_t row)
{
	return ((const uint64_t *)column->buffers[1])[row];
}

static bool text_is(const struct ArrowArray *column, size_t row,
		    const char *wanted)
{
	const int32_t *numbers = column->buffers[1];
	const struct ArrowArray *all = column->dictionary;
	const int32_t *offsets = all->buffers[1];
	const char *text = all->buffers[2];
	int32_t number = numbers[row];

	if (!wanted)
		return !present(column, row);
	return present(column, row) && number < all->length &&
	       offsets[number + 1] - offsets[number] == (int)strlen(wanted) &&
	       !memcmp(text + offsets[number], wanted, strlen(wanted));
}

static void expect_number(const struct ArrowArray *column, size_t row,
			  bool known, uint64_t value)
{
	EXPECT_EQ(present(column, row), known);
	if (known)
		EXPECT_EQ(number(column, row), value);
}

/* A byte that is no UTF-8 becomes three. */
static void expect_valid(const struct ArrowArray *column, size_t row,
			 const char *name)
{
	const char *odd = name ? strchr(name, '\xff') : NULL;
	char text[64];

	if (odd) {
		snprintf(text, sizeof(text), "%.*s\xef\xbf\xbd%s",
			 (int)(odd - name), name, odd + 1);
		name = text;
	}
	EXPECT_TRUE(text_is(column, row, name));
}

static void expect_sample(const struct ArrowArray *array,
			  const struct ArrowSchema *schema, size_t row,
			  const struct pmscope_recording *r,
			  const struct pmscope_sample *s)
{
	const struct pmscope_batch *b = s->batch;
	uint32_t has = b->has[s->row];
	uint64_t pc = pmscope_code_address(b->pc[s->row]);
	const char *dso = NULL;
	struct pmscope_place place;

	if (has & PMSCOPE_HAS_PC) {
		pmscope_recording_place(r, s, pc, &place);
		dso = place.kernel && !place.dso ? "[kernel.kallsyms]"
						 : place.dso;
	}
	EXPECT_TRUE(text_is(child(array, schema, "dso"), row, dso));
	EXPECT_TRUE(text_is(child(array, schema, "comm"), row, s->comm));
	expect_valid(child(array, schema, "cgroup"), row, s->cgroup);
	expect_number(child(array, schema, "operations"), row, s->interval,
		      s->interval);
	expect_number(child(array, schema, "time"), row, s->has_time, s->time);
	expect_number(child(array, schema, "pc"), row, has & PMSCOPE_HAS_PC,
		      pc);
	expect_number(child(array, schema, "events"), row,
		      has & PMSCOPE_HAS_EVENTS, b->events[s->row]);
	expect_number(child(array, schema, "va"), row, has & PMSCOPE_HAS_VA,
		      pmscope_data_address(b->va[s->row]));
}

/* The next SPE sample; groups are not in the stream. */
static int next(struct pmscope_recording *r, struct pmscope_sample *s)
{
	int ret;

	do
		ret = pmscope_recording_next(r, s);
	while (ret > 0 && s->kind != PMSCOPE_SAMPLE_SPE);
	return ret;
}

static void walk(const struct bytes *b)
{
	struct pmscope_recording *streamed = open_bytes(b);
	struct pmscope_recording *single = open_bytes(b);
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array;
	struct pmscope_sample s;

	ASSERT_EQ(pmscope_recording_arrow_stream(streamed, &stream), 0);
	ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
	EXPECT_STREQ(schema.format, "+s");
	while (!stream.get_next(&stream, &array) && array.release) {
		EXPECT_EQ(array.n_children, schema.n_children);
		for (int64_t row = 0; row < array.length; row++) {
			ASSERT_EQ(next(single, &s), 1);
			expect_sample(&array, &schema, row, single, &s);
		}
		array.release(&array);
		EXPECT_TRUE(!array.release);
	}
	EXPECT_EQ(next(single, &s), 0);
	EXPECT_TRUE(!stream.get_last_error(&stream));
	schema.release(&schema);
	stream.release(&stream);
	pmscope_recording_free(streamed);
	pmscope_recording_free(single);
}

TEST(the_samples_one_by_one)
{
	BYTES b = {};

	make(&b, RECORDS, 0);
	walk(&b);
}

TEST(records_of_any_packets)
{
	BYTES b = {};

	make(&b, WILD, 2);
	walk(&b);
}

/* An engine may take a column out of an array, and keep it. */
TEST(columns_outlive_all_else)
{
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array, kept;
	struct pmscope_recording *r;
	BYTES b = {};

	make(&b, WILD, 0);
	r = open_bytes(&b);
	ASSERT_EQ(pmscope_recording_arrow_stream(r, &stream), 0);
	ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
	ASSERT_EQ(stream.get_next(&stream, &array), 0);
	kept = *array.children[0];
	array.children[0]->release = NULL;
	array.release(&array);
	stream.release(&stream);
	pmscope_recording_free(r);
	EXPECT_STREQ(schema.children[0]->name, "time");
	EXPECT_EQ(kept.length, WILD);
	EXPECT_EQ(kept.null_count, 0);
	for (int64_t row = 1; row < kept.length; row++)
		EXPECT_TRUE(number(&kept, row) >= number(&kept, row - 1));
	kept.release(&kept);
	schema.release(&schema);
}

TEST(options_for_many_threads_are_refused)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .shared = true};
	struct ArrowArrayStream stream;
	struct pmscope_recording *r;
	BYTES b = {};

	make(&b, 10, 0);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, &options, &r), 0);
	EXPECT_EQ(pmscope_recording_arrow_stream(r, &stream), -EINVAL);
	EXPECT_TRUE(!stream.release);
	pmscope_recording_free(r);
}
