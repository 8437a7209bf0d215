// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * THE table of the fields of a sample is at the end of this file. To add a
 * column of text, CSV, JSON lines, Arrow and Parquet, a sort key or a filter,
 * add one row there, and a getter if none exists.
 */
#include "sample/fields.h"
#include "base/names.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

/* A getter of a number: whether the sample has it, and its value. */
/* clang-format off */
#define GET_NUMBER(name, known, number)                                  \
	static bool get_##name(const struct view *v, uint64_t *value) \
	{                                                             \
		*value = number;                                      \
		return known;                                         \
	}

#define GET_OF_RECORD(name, known, number)                            \
	static bool get_##name(const struct view *v, uint64_t *value) \
	{                                                             \
		const struct pmscope_record *r = v->record;           \
									      \
		*value = r ? (number) : 0;                            \
		return r && (known);                                  \
	}

#define GET_TEXT(name, text)                                     \
	static const char *get_##name(const struct view *v, char *room) \
	{                                                    \
		(void)room;                                  \
		return text;                                 \
	}

/* Whether the operation of an SPE record has a property */
#define GET_FLAG(name, known, bits) \
	GET_NUMBER(name, HAS(OPERATION) && (known), (v->op_flags & (bits)) != 0)

#define HAS(bit)	((v->has & PMSCOPE_HAS_##bit) != 0)
#define RECORD(flag)	((r->flags & PMSCOPE_RECORD_##flag) != 0)

#define IS_BRANCH (v->op_flags & PMSCOPE_OP_BRANCH)

/* Thread, CPU and time. */
GET_NUMBER(time, v->sample->has_time, v->sample->time)
GET_NUMBER(cpu, v->sample->cpu != PMSCOPE_NO_ID, v->sample->cpu)
GET_NUMBER(pid, v->sample->pid != PMSCOPE_NO_ID, v->sample->pid)
GET_NUMBER(tid, v->sample->tid != PMSCOPE_NO_ID, v->sample->tid)
GET_TEXT(type, view_is_spe(v) ? "spe" : group_type(v->sample))
GET_TEXT(comm, v->sample->comm)
GET_TEXT(cgroup, v->sample->cgroup)

/* Getters of the fields of an SPE record. */
GET_NUMBER(el, HAS(PC), v->el)
GET_NUMBER(ns, HAS(PC), v->ns)
GET_NUMBER(pc, HAS(PC), v->pc)
GET_NUMBER(va, HAS(VA), v->va)
GET_NUMBER(pa, HAS(PA), v->pa)
GET_NUMBER(cacheline, HAS(VA), v->va & ~UINT64_C(63))
GET_NUMBER(target, HAS(TARGET), v->target)
GET_NUMBER(previous_target, HAS(PREVIOUS), v->previous)
GET_NUMBER(addr, HAS(VA) || HAS(TARGET), HAS(VA) ? v->va : v->target)
GET_NUMBER(events, HAS(EVENTS), v->events)
GET_NUMBER(lat_total, HAS(TOTAL), v->total)
GET_NUMBER(lat_issue, HAS(ISSUE), v->issue)
GET_NUMBER(lat_xlat, HAS(TRANSLATE), v->translate)
GET_NUMBER(lat_alt_issue, HAS(ALT_ISSUE), v->alt_issue)
GET_NUMBER(source, HAS(SOURCE), v->source)
GET_NUMBER(context_el1, HAS(CONTEXT_EL1), v->context_el1)
GET_NUMBER(context_el2, HAS(CONTEXT_EL2), v->context_el2)
GET_NUMBER(offset, view_is_spe(v), v->offset)
GET_NUMBER(interval, v->sample->interval, v->sample->interval)
GET_NUMBER(midr, v->sample->midr, v->sample->midr)
GET_NUMBER(counter, HAS(COUNTER), v->counter >> 16)
GET_NUMBER(counter_value, HAS(COUNTER), v->counter & UINT16_MAX)
GET_NUMBER(flags, HAS(OPERATION), v->op_flags)
GET_FLAG(atomic, true, PMSCOPE_OP_ATOMIC)
GET_FLAG(exclusive, true, PMSCOPE_OP_EXCLUSIVE)
GET_FLAG(acquire_release, true, PMSCOPE_OP_ACQUIRE_RELEASE)
GET_FLAG(simd_fp, true, PMSCOPE_OP_SIMD_FP)
GET_FLAG(sve, true, PMSCOPE_OP_SVE)
GET_FLAG(sme, true, PMSCOPE_OP_SME)
GET_FLAG(conditional, IS_BRANCH, PMSCOPE_OP_CONDITIONAL)
GET_FLAG(indirect, IS_BRANCH, PMSCOPE_OP_INDIRECT)
/* Without events it is not known whether a branch was taken. */
GET_NUMBER(taken, IS_BRANCH && HAS(EVENTS),
	   !(v->events & PMSCOPE_EVENT_BIT(NOT_TAKEN)))

/* The names of that. */
GET_NUMBER(symoff, v->symbol.name != NULL, v->symbol.offset)
GET_NUMBER(symoff_daddr, v->data.name != NULL, v->data.offset)
GET_TEXT(sym, v->symbol.name)
GET_TEXT(dso, v->symbol.dso)
GET_TEXT(file, v->line.file)
GET_TEXT(frames, v->line.frames)
GET_TEXT(callers, v->callers)
GET_TEXT(symbol_daddr, v->data.name)
GET_TEXT(dso_daddr, v->data.dso)
GET_TEXT(source_name, HAS(SOURCE) ? pmscope_source_name(v->sample->midr, v->source)
			      : NULL)
GET_TEXT(op_text, HAS(OPERATION) ? v->op_text : NULL)

/* Which function's stack it is, no record tells: that which uses it is named. */
static const char *get_object(const struct view *v, char *room)
{
	const char *dso = v->data.dso;

	if (v->memory == PMSCOPE_MEMORY_THREAD) {
		snprintf(room, FIELD_ROOM, "%.*s",
			 v->member ? (int)strcspn(v->member, ".[") : 14,
			 v->member ?: "[thread-local]");
		return room;
	}
	if (v->memory != PMSCOPE_MEMORY_STACK &&
	    (v->data.name || !dso || strncmp(dso, "[stack", 6) != 0))
		return v->data.name ?: dso;
	snprintf(room, FIELD_ROOM, "[stack] %s",
		 v->symbol.name ?: "[unknown]");
	return room;
}

GET_TEXT(member, v->member ?: get_object(v, room))
GET_TEXT(brstack, branches_text(v, false, room))
GET_TEXT(brstacksym, branches_text(v, true, room))

/* Text for the rows of report; a row may have no name. */
#define ROW_TEXT(name, text)                                     \
	static const char *row_##name(const struct view *v, char *room) \
	{                                                    \
		(void)room;                                  \
		return text;                                 \
	}

ROW_TEXT(frames, v->line.frames ?: v->symbol.name)
ROW_TEXT(symbol_daddr, HAS(VA) ? v->data.name : "none")
ROW_TEXT(dso_daddr, HAS(VA) ? v->data.dso : "none")
ROW_TEXT(object, HAS(VA) ? get_object(v, room) : "none")
ROW_TEXT(member, HAS(VA) ? get_member(v, room) : "none")

/* For groups and stream records. The kernel always writes ticks. */
GET_NUMBER(time_enabled, v->sample->time_enabled, v->sample->time_enabled)
GET_NUMBER(time_running, v->sample->time_running, v->sample->time_running)
GET_TEXT(trigger, v->record ? capture_trigger(v->record) : NULL)
GET_TEXT(backend, v->record ? capture_backend(v->record) : NULL)
GET_TEXT(result, v->record ? capture_result(v->record) : NULL)
GET_OF_RECORD(throttled, true, RECORD(THROTTLED))
GET_OF_RECORD(stopped, true, r->stopped)
GET_OF_RECORD(pmsscr, r->backend == PMSCOPE_BACKEND_HARDWARE, r->pmsscr)
GET_OF_RECORD(lost, true, r->lost)
GET_OF_RECORD(cookie, r->trigger == PMSCOPE_TRIGGER_BPF, r->cookie)
GET_OF_RECORD(spe_frozen, RECORD(HAS_SPE), RECORD(SPE_FROZEN))
GET_OF_RECORD(pmbsr, RECORD(HAS_SPE), r->pmbsr)
GET_OF_RECORD(pmbptr, RECORD(HAS_SPE), r->pmbptr)
GET_OF_RECORD(aux_offset, RECORD(HAS_SPE), r->aux_offset)
GET_OF_RECORD(aux_size, RECORD(HAS_SPE), r->aux_size)
/* clang-format on */

static bool get_schema(const struct view *, uint64_t *value)
{
	*value = FIELDS_SCHEMA;
	return true;
}

/* In the reader's time zone, as perf script -F tod. */
static const char *get_tod(const struct view *v, char *room)
{
	int64_t ns = v->sample->time + v->wall;
	time_t seconds = ns / 1000000000;
	struct tm tm;
	size_t at;

	if (!v->has_wall || !v->sample->has_time || ns < 0 ||
	    !localtime_r(&seconds, &tm))
		return NULL;
	at = strftime(room, FIELD_ROOM, "%F %T", &tm);
	snprintf(room + at, FIELD_ROOM - at, ".%06d",
		 (int)(ns % 1000000000 / 1000));
	return room;
}

static bool get_ticks(const struct view *v, uint64_t *value)
{
	if (view_is_spe(v)) {
		*value = v->ticks;
		return HAS(TIMESTAMP);
	}
	*value = v->record ? v->record->cntvct : 0;
	return *value;
}

static const char *get_op(const struct view *v, char *)
{
	const struct pmscope_batch *b = v->sample->batch;
	size_t row = v->sample->row;

	return HAS(OPERATION) ? pmscope_operation_class_name(b->op_class[row],
							     b->op[row])
			      : NULL;
}

static const char *get_line(const struct view *v, char *room)
{
	view_line_text(&v->line, room);
	return *room ? room : NULL;
}

static const char *put_build_id(const struct pmscope_place *place, char *room)
{
	if (!place || !place->build_id_size)
		return NULL;
	build_id_text(room, place->build_id, place->build_id_size);
	return room;
}

GET_TEXT(build_id, put_build_id(v->place, room))
GET_TEXT(target_build_id, put_build_id(v->target_place, room))

/* Memory of no file has names, too. */
static bool is_file(const struct pmscope_place *place)
{
	const char *dso = place->dso;

	if (place->kernel)
		return dso && strcmp(dso, BPF_NAME) != 0;
	return dso && (place->build_id_size || is_file_name(dso));
}

/* Of the kernel, it is counted from the first symbol, where that is known. */
static bool file_offset(const struct pmscope_place *place, uint64_t *value)
{
	if (!place)
		return false;
	*value = place->file_offset;
	if (!is_kernel_image(place->kernel, place->dso))
		return is_file(place);
	if (place->reference)
		*value -= place->reference_address;
	return true;
}

static bool get_file_offset(const struct view *v, uint64_t *value)
{
	return file_offset(v->place, value);
}

static bool get_target_offset(const struct view *v, uint64_t *value)
{
	return file_offset(v->target_place, value);
}

/* As in perf; branches have none. */
static const char *get_data_src(const struct view *v, char *room)
{
	const struct pmscope_sample *s = v->sample;
	uint64_t value = 0;

	if (view_is_spe(v))
		value = pmscope_data_src(s->batch, s->row, s->midr,
					 v->event_filter);
	if (!value)
		return NULL;
	room[pmscope_data_src_text(value, room)] = '\0';
	return room;
}

static const char *row_source(const struct view *v, char *room)
{
	const char *name = get_source_name(v, room);

	if (!HAS(SOURCE))
		return "none";
	if (name)
		return name;
	*text_unsigned(text_string(room, "code "), v->source) = '\0';
	return room;
}

static const char *row_events(const struct view *v, char *room)
{
	if (!v->events)
		return "none";
	*events_put(room, v->events, v->sample->midr, '|') = '\0';
	return room;
}

/* Short for the table: what a field serves for, and what it follows from. */
#define COLUMN	 FIELD_COLUMN
#define ALL	 (FIELD_COLUMN | FIELD_CSV | FIELD_JSON)
#define TABLES	 (FIELD_ARROW | FIELD_LAKE)
#define LAKE	 (FIELD_COLUMN | FIELD_LAKE)
#define STREAM	 (FIELD_COLUMN | FIELD_STREAM | FIELD_JSON)
#define JSON	 (FIELD_COLUMN | FIELD_JSON)
#define SORT	 FIELD_SORT
#define FILTER	 FIELD_FILTER
#define EACH	 DEP_RECORD
#define OBJECT	 (DEP_DATA | DEP_CODE | DEP_MEMBER)
#define OPERANDS (DEP_OPERATION | DEP_SOURCE | DEP_EVENTS | DEP_CPU)

/* clang-format off */
/* A row whose getter has its name. */
#define NUMBER(name, ...) \
	{#name, .type = FIELD_NUMBER, .number = get_##name, __VA_ARGS__}
#define ADDRESS(name, ...) \
	{#name, .type = FIELD_ADDRESS, .number = get_##name, __VA_ARGS__}
#define TEXT(name, ...) \
	{#name, .type = FIELD_TEXT, .text = get_##name, __VA_ARGS__}

#define FLAG(name, ...) \
	{#name, .type = FIELD_FLAG, .bits = 1, .number = get_##name, __VA_ARGS__}

/*
 * The order is that of CSV columns and JSON keys and must not change: add a
 * field after the others of its kind.
 */
const struct field all_fields[] = {
	TEXT(type, .uses = ALL),
	NUMBER(schema, .uses = JSON),
	NUMBER(time, .unit = "ns", .uses = ALL | TABLES | FILTER, .deps = EACH),
	NUMBER(ticks, .unit = "ticks", .uses = ALL, .deps = EACH),
	NUMBER(cpu, .bits = 32, .uses = ALL | TABLES | SORT | FILTER, .width = 4, .deps = DEP_CPU),
	NUMBER(pid, .bits = 32, .uses = ALL | TABLES | SORT | FILTER, .width = 8, .deps = DEP_THREAD),
	NUMBER(tid, .bits = 32, .uses = ALL | TABLES | SORT | FILTER, .width = 8, .deps = DEP_THREAD),
	TEXT(comm, .privacy = FIELD_PERSONAL, .uses = ALL | TABLES | SORT | FILTER, .width = 15, .deps = DEP_THREAD),
	NUMBER(el, .bits = 8, .uses = ALL | TABLES | SORT | FILTER, .width = 3, .deps = DEP_LEVEL),
	NUMBER(ns, .uses = ALL, .deps = DEP_LEVEL),
	ADDRESS(pc, .also = "ip", .privacy = FIELD_RAW, .uses = ALL | TABLES | SORT | FILTER, .width = 18,
		.deps = DEP_PC),
	TEXT(sym, .also = "symbol symbol_iaddr",
		.uses = ALL | TABLES | SORT | FILTER, .width = 32,
		.deps = DEP_CODE),
	NUMBER(symoff, .unit = "bytes", .uses = ALL | SORT, .width = 8,
		.deps = DEP_CODE | DEP_OFFSET),
	TEXT(dso, .uses = ALL | TABLES | SORT | FILTER, .width = 24, .deps = DEP_CODE),
	{"op", .type = FIELD_OPERATION, .text = get_op,
		.uses = ALL | TABLES | FILTER, .deps = DEP_OPERATION},
	TEXT(op_text, .also = "op", .heading = "op",
		.uses = ALL | SORT, .width = 14, .deps = DEP_OPERATION),
	ADDRESS(va, .privacy = FIELD_RAW, .uses = ALL | TABLES | FILTER, .deps = EACH),
	ADDRESS(pa, .also = "phys_addr", .privacy = FIELD_RAW, .uses = ALL | TABLES, .deps = EACH),
	ADDRESS(target, .privacy = FIELD_RAW, .uses = ALL | TABLES | SORT, .width = 18, .deps = DEP_TARGET),
	ADDRESS(previous_target, .uses = ALL, .deps = EACH),
	{"events", .also = "event", .heading = "event", .type = FIELD_EVENTS,
		.number = get_events, .row_text = row_events,
		.uses = ALL | TABLES | SORT | FILTER, .width = 30, .deps = DEP_EVENTS},
	NUMBER(lat_total, .also = "lat weight local_weight", .heading = "lat",
		.unit = "cycles", .bits = 16, .uses = ALL | TABLES | SORT | FILTER, .width = 5,
		.deps = DEP_TOTAL),
	NUMBER(lat_issue, .also = "issue", .unit = "cycles", .bits = 16, .uses = ALL | TABLES | FILTER,
		.deps = EACH),
	NUMBER(lat_xlat, .also = "xlat", .unit = "cycles", .bits = 16, .uses = ALL | TABLES | FILTER,
		.deps = EACH),
	{"source", .type = FIELD_SOURCE, .number = get_source, .bits = 16,
		.uses = ALL | TABLES | FILTER, .deps = DEP_SOURCE},
	TEXT(source_name, .also = "source mem", .heading = "source",
		.row_text = row_source, .uses = ALL | TABLES | SORT, .width = 14,
		.deps = DEP_SOURCE),
	NUMBER(context_el1, .uses = ALL, .deps = EACH),
	NUMBER(context_el2, .uses = ALL, .deps = EACH),
	NUMBER(offset, .unit = "bytes", .uses = ALL, .deps = EACH),
	{"counts", .type = FIELD_COUNTS, .uses = ALL, .deps = EACH},
	/* For groups and stream records; SPE records do not have these: */
	NUMBER(time_enabled, .unit = "ns", .uses = JSON),
	NUMBER(time_running, .unit = "ns", .uses = JSON),
	TEXT(trigger, .uses = STREAM),
	TEXT(backend, .uses = STREAM),
	TEXT(result, .uses = STREAM),
	NUMBER(throttled, .uses = STREAM),
	NUMBER(stopped, .unit = "ticks", .uses = STREAM),
	ADDRESS(pmsscr, .uses = STREAM),
	NUMBER(lost, .uses = STREAM),
	ADDRESS(cookie, .uses = STREAM),
	NUMBER(spe_frozen, .uses = STREAM),
	ADDRESS(pmbsr, .uses = STREAM),
	ADDRESS(pmbptr, .uses = STREAM),
	NUMBER(aux_offset, .unit = "bytes", .uses = STREAM),
	NUMBER(aux_size, .unit = "bytes", .uses = STREAM),
	{"counters", .type = FIELD_COUNTERS, .uses = STREAM},
	/* Only on request: */
	TEXT(cgroup, .privacy = FIELD_PERSONAL, .uses = COLUMN | TABLES | SORT | FILTER, .width = 24,
		.deps = DEP_THREAD),
	NUMBER(interval, .unit = "ops", .uses = COLUMN | SORT, .width = 9,
		.deps = DEP_INTERVAL),
	NUMBER(lat_alt_issue, .unit = "cycles", .uses = COLUMN, .deps = EACH),
	TEXT(tod, .uses = COLUMN, .deps = EACH),
	TEXT(line, .also = "srcline", .uses = COLUMN | SORT, .width = 28,
		.deps = DEP_CODE | DEP_LINE),
	TEXT(file, .also = "srcfile", .uses = COLUMN | SORT, .width = 28,
		.deps = DEP_CODE | DEP_LINE),
	TEXT(frames, .row_text = row_frames, .uses = COLUMN | SORT, .width = 32,
		.deps = DEP_CODE | DEP_LINE),
	TEXT(symbol_daddr, .row_text = row_symbol_daddr,
		.uses = COLUMN | SORT | FILTER, .width = 32, .deps = DEP_DATA),
	NUMBER(symoff_daddr, .unit = "bytes", .uses = COLUMN,
		.deps = DEP_DATA | EACH),
	TEXT(dso_daddr, .row_text = row_dso_daddr,
		.uses = COLUMN | SORT | FILTER, .width = 24, .deps = DEP_DATA),
	ADDRESS(addr, .uses = COLUMN, .deps = EACH),
	TEXT(data_src, .uses = COLUMN, .deps = OPERANDS),
	ADDRESS(cacheline, .uses = COLUMN | SORT, .width = 18,
		.deps = DEP_CACHELINE),
	TEXT(callers, .uses = COLUMN | SORT, .width = 40,
		.deps = DEP_CODE | DEP_THREAD | DEP_CALLERS),
	{"ip", .type = FIELD_IP, .number = get_pc, .uses = COLUMN,
		.deps = DEP_PC},
	{"dsoff", .type = FIELD_PLACE, .text = place_text, .uses = COLUMN,
		.deps = DEP_CODE | DEP_PLACE | EACH},
	{"brstack", .type = FIELD_BRANCHES, .text = get_brstack,
		.uses = COLUMN, .deps = EACH},
	{"brstacksym", .type = FIELD_BRANCHES, .text = get_brstacksym,
		.uses = COLUMN, .deps = DEP_CODE | DEP_BRANCH | EACH},
	/* What an operation is, and what tables have beside that: */
	FLAG(atomic, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(exclusive, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(acquire_release, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(simd_fp, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(sve, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(sme, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(conditional, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(indirect, .uses = LAKE, .deps = DEP_OPERATION),
	FLAG(taken, .uses = COLUMN | TABLES, .deps = DEP_OPERATION | DEP_EVENTS),
	NUMBER(flags, .bits = 32, .uses = COLUMN | FIELD_ARROW, .deps = DEP_OPERATION),
	NUMBER(counter, .bits = 16, .uses = COLUMN | TABLES, .deps = EACH),
	NUMBER(counter_value, .bits = 16, .uses = COLUMN | TABLES, .deps = EACH),
	ADDRESS(midr, .uses = COLUMN | TABLES, .deps = DEP_CPU),
	{"operations", .unit = "ops", .type = FIELD_NUMBER, .number = get_interval,
		.uses = COLUMN | TABLES, .deps = DEP_INTERVAL},
	TEXT(build_id, .uses = COLUMN | TABLES, .deps = DEP_PLACE | EACH),
	NUMBER(file_offset, .unit = "bytes", .uses = COLUMN | TABLES,
		.deps = DEP_PLACE | EACH),
	TEXT(target_build_id, .uses = LAKE, .deps = DEP_PLACE | EACH),
	NUMBER(target_offset, .unit = "bytes", .uses = COLUMN | TABLES,
		.deps = DEP_PLACE | EACH),
	/* What is at the data address: */
	TEXT(object, .row_text = row_object, .uses = COLUMN | TABLES | SORT | FILTER,
		.width = 32, .deps = OBJECT),
	TEXT(member, .row_text = row_member, .uses = COLUMN | TABLES | SORT | FILTER,
		.width = 32, .deps = OBJECT),
	{}};
/* clang-format on */

char *event_put(char *p, unsigned int bit, uint64_t midr)
{
	const char *name = pmscope_event_name(bit, midr);

	if (name)
		return text_string(p, name);
	return text_unsigned(text_string(p, "IMPDEF:"), bit);
}

char *events_put(char *p, uint64_t events, uint64_t midr, char separator)
{
	for (; events; events &= events - 1) {
		p = event_put(p, __builtin_ctzll(events), midr);
		if (events & (events - 1))
			*p++ = separator;
	}
	return p;
}

const char *group_type(const struct pmscope_sample *group)
{
	if (group->is_total)
		return group->is_base ? "base" : "total";
	return group->is_snapshot ? "snapshot" : "group";
}
