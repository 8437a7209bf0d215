// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts that fields.c names for each field are all that its value depends
 * on: report and script reuse the value for records that are equal in these
 * parts.
 */
#include "ktap.h"

#include "fields/fields.h"
#include "read/sample_key.h"

#include <pmscope/record.h>

#include <stdio.h>
#include <string.h>

#define NEOVERSE_N1 0x410fd0c0
#define VALUE_MAX   (2 * EVENTS_TEXT_MAX)

/* A record, which its own view, sample and batch describe. */
struct record {
	struct view view;
	struct pmscope_sample sample;
	struct pmscope_batch *batch;
};

static void change_code(struct record *r)
{
	r->view.symbol.name = "other";
	r->view.symbol.dso = "/other";
}

static void change_thread(struct record *r)
{
	r->sample.pid++;
	r->sample.tid++;
	r->sample.comm = "other";
}

static void change_cpu(struct record *r)
{
	r->sample.cpu++;
}

static void change_operation(struct record *r)
{
	r->batch->op_class[0] = 2; /* a branch */
	r->batch->op[0] = 0;
	strcpy(r->view.op_text, "other");
}

static void change_source(struct record *r)
{
	r->view.source = r->batch->source[0] = 0xd;
}

static void change_events(struct record *r)
{
	r->view.events = r->batch->events[0] = 0x88;
}

static void change_line(struct record *r)
{
	r->view.line = (struct pmscope_line){
		.file = "other.c", .line = 9, .frames = "other"};
}

static void change_level(struct record *r)
{
	r->view.el ^= 3;
	r->view.ns ^= 1;
}

static void change_total(struct record *r)
{
	r->view.total = ++r->batch->total[0];
}

static void change_data(struct record *r)
{
	r->view.data.name = "other_data";
	r->view.data.dso = "/other_data";
}

static void change_record(struct record *r)
{
	r->sample.time++;
	r->view.ticks++;
	r->view.va++;
	r->view.pa++;
	r->view.previous++;
	r->view.context_el1++;
	r->view.context_el2++;
	r->view.issue++;
	r->view.translate++;
	r->view.alt_issue++;
	r->view.offset++;
	r->view.data.offset++;
}

static void change_pc(struct record *r)
{
	r->view.pc++;
	r->view.symbol.offset++;
}

static void change_target(struct record *r)
{
	r->view.target++;
}

static const struct {
	enum dep dep;
	void (*change)(struct record *r);
} parts[] = {
	{DEP_CODE, change_code},     {DEP_THREAD, change_thread},
	{DEP_CPU, change_cpu},	     {DEP_OPERATION, change_operation},
	{DEP_SOURCE, change_source}, {DEP_EVENTS, change_events},
	{DEP_LINE, change_line},     {DEP_LEVEL, change_level},
	{DEP_TOTAL, change_total},   {DEP_DATA, change_data},
	{DEP_RECORD, change_record}, {DEP_PC, change_pc},
	{DEP_TARGET, change_target},
};

#define NR_PARTS (sizeof(parts) / sizeof(parts[0]))

static void record_init(struct record *r, struct pmscope_batch *batch)
{
	batch->count = 1;
	batch->has[0] = UINT32_MAX;
	batch->op_class[0] = 1; /* a load or store */
	batch->op[0] = 0;
	batch->source[0] = 0;
	batch->events[0] = 0x2;
	batch->total[0] = 100;
	*r = (struct record){
		.sample = {.kind = PMSCOPE_SAMPLE_SPE,
			   .has_time = true,
			   .time = 1000,
			   .cpu = 1,
			   .pid = 10,
			   .tid = 11,
			   .comm = "task",
			   .midr = NEOVERSE_N1,
			   .batch = batch},
		.view = {.has = UINT32_MAX,
			 .pc = 0x400004,
			 .target = 0x400400,
			 .va = 0x800008,
			 .events = 0x2,
			 .total = 100,
			 .op_text = "load",
			 .symbol = {"code", 4, "/file"},
			 .line = {.file = "file.c", .line = 1, .frames = "f"},
			 .data = {"data", 8, "/data"}},
		.batch = batch,
	};
	r->view.sample = &r->sample;
}

/* What report and script read of @field. */
static void value_of(const struct field *field, const struct record *r,
		     char text[VALUE_MAX])
{
	uint64_t number = 0;
	bool has = field->number && field->number(&r->view, &number);
	const char *word = field->text ? field->text(&r->view) : NULL;

	snprintf(text, VALUE_MAX, "%d %llu %s ", has,
		 (unsigned long long)(has ? number : 0), word ? word : "-");
	if (field->uses & FIELD_SORT && field_has_row_text(field))
		strncat(text, field_row_text(field, &r->view), EVENTS_TEXT_MAX);
}

/* Gives the parts in @deps other values. */
static void change_parts(struct record *r, unsigned int deps)
{
	for (size_t i = 0; i < NR_PARTS; i++)
		if (deps & parts[i].dep)
			parts[i].change(r);
}

static bool is_remembered(const struct field *field)
{
	return field->deps && !(field->deps & DEP_RECORD);
}

/* Has the value of @field changed when the parts in @deps and @has have? */
static bool changes(const struct field *field, unsigned int deps, uint32_t has)
{
	static char before[VALUE_MAX], after[VALUE_MAX];
	struct pmscope_batch *batch = pmscope_batch_new(1);
	struct record r;

	record_init(&r, batch);
	value_of(field, &r, before);
	change_parts(&r, deps);
	r.view.has ^= has;
	batch->has[0] ^= has;
	value_of(field, &r, after);
	pmscope_batch_free(batch);
	return strcmp(before, after);
}

TEST(values_do_not_depend_on_other_parts)
{
	for (const struct field *f = all_fields; f->name; f++) {
		if (!is_remembered(f))
			continue;
		ktap_note("%s", f->name);
		EXPECT_TRUE(!changes(f, ~f->deps, 0));
		EXPECT_TRUE(!changes(f, 0, ~deps_has(f->deps)));
	}
}

/* Otherwise the test above would pass whatever the table says. */
TEST(values_depend_on_the_parts_of_the_table)
{
	for (const struct field *f = all_fields; f->name; f++) {
		if (!is_remembered(f))
			continue;
		ktap_note("%s", f->name);
		EXPECT_TRUE(changes(f, f->deps, 0));
	}
}

KTAP_MAIN
