// SPDX-License-Identifier: GPL-2.0-or-later
#include "column.h"
#include "capture.h"
#include "deps.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool number(struct cell *cell, bool known, uint64_t value)
{
	cell->number = value;
	return known;
}

static bool text(struct cell *cell, const char *value)
{
	cell->text = value;
	return value && *value;
}

static bool is_spe(const struct view *v)
{
	return v->sample->kind == PMSCOPE_SAMPLE_SPE;
}

static bool get_type(const struct view *v, struct cell *c)
{
	if (is_spe(v))
		return text(c, "spe");
	return text(c, v->sample->is_snapshot ? "snapshot" : "group");
}

static bool get_comm(const struct view *v, struct cell *c)
{
	return text(c, v->sample->comm);
}

/* A column that is a number of the sample or the view. */
#define NUMBER(name, known, value)                                   \
	static bool get_##name(const struct view *v, struct cell *c) \
	{                                                            \
		return number(c, known, value);                      \
	}

/* One that has a bit among enum pmscope_has. */
#define PART(name, bit, value) NUMBER(name, (v->has & (bit)) != 0, value)

/* The same for a row of the table; and for one that is no member. */
#define MEMBER(bit, member) \
	bit, offsetof(struct view, member), sizeof(((struct view *)0)->member)
#define NONE 0, 0, 0

NUMBER(time, v->sample->has_time, v->sample->time)
NUMBER(cpu, v->sample->cpu != PMSCOPE_NO_ID, v->sample->cpu)
NUMBER(pid, v->sample->pid != PMSCOPE_NO_ID, v->sample->pid)
NUMBER(tid, v->sample->tid != PMSCOPE_NO_ID, v->sample->tid)
NUMBER(symoff, v->symbol.name, v->symbol.offset)
NUMBER(offset, is_spe(v), v->offset)
PART(el, PMSCOPE_HAS_PC, v->el)
PART(ns, PMSCOPE_HAS_PC, v->ns)
PART(pc, PMSCOPE_HAS_PC, v->pc)
PART(va, PMSCOPE_HAS_VA, v->va)
PART(pa, PMSCOPE_HAS_PA, v->pa)
PART(target, PMSCOPE_HAS_TARGET, v->target)
PART(previous, PMSCOPE_HAS_PREVIOUS, v->previous)
PART(events, ~0U, v->events)
PART(total, PMSCOPE_HAS_TOTAL, v->total)
PART(issue, PMSCOPE_HAS_ISSUE, v->issue)
PART(translate, PMSCOPE_HAS_TRANSLATE, v->translate)
PART(source, PMSCOPE_HAS_SOURCE, v->source)
PART(context_el1, PMSCOPE_HAS_CONTEXT_EL1, v->context_el1)
PART(context_el2, PMSCOPE_HAS_CONTEXT_EL2, v->context_el2)

static bool get_sym(const struct view *v, struct cell *c)
{
	return text(c, v->symbol.name);
}

static bool get_dso(const struct view *v, struct cell *c)
{
	return text(c, v->symbol.dso);
}

static bool get_op(const struct view *v, struct cell *c)
{
	return text(c, v->op);
}

static bool get_op_text(const struct view *v, struct cell *c)
{
	return text(c, v->op_text);
}

static bool get_line(const struct view *v, struct cell *c)
{
	static _Thread_local char line[VIEW_LINE_MAX];

	view_line_text(v, line);
	return text(c, line);
}

static bool get_file(const struct view *v, struct cell *c)
{
	return text(c, v->line.file);
}

static bool get_frames(const struct view *v, struct cell *c)
{
	return text(c, v->line.frames);
}

static bool get_source_name(const struct view *v, struct cell *c)
{
	return text(c, v->source_name);
}

static bool get_counts(const struct view *v, struct cell *c)
{
	return number(c, !is_spe(v), 0);
}

static bool get_ticks(const struct view *v, struct cell *c)
{
	struct pmscope_record record;

	if (is_spe(v))
		return number(c, (v->has & PMSCOPE_HAS_TIMESTAMP) != 0,
			      v->ticks);
	/* What no kernel wrote has none, see recorder_stream.c. */
	return capture_of(v->sample, &record) &&
	       number(c, record.cntvct != 0, record.cntvct);
}

/* A column that is a word for a number of the record; or a number of it. */
#define RECORD_WORD(name)                                            \
	static bool get_##name(const struct view *v, struct cell *c) \
	{                                                            \
		struct pmscope_record record;                        \
                                                                     \
		return capture_of(v->sample, &record) &&             \
		       text(c, capture_##name(&record));             \
	}

#define RECORD_NUMBER(name, known, value)                                   \
	static bool get_##name(const struct view *v, struct cell *c)        \
	{                                                                   \
		struct pmscope_record record, *r = &record;                 \
                                                                            \
		return capture_of(v->sample, r) && number(c, known, value); \
	}

#define FLAG(r, flag) (((r)->flags & (flag)) != 0)
#define HAS_SPE(r)    FLAG(r, PMSCOPE_RECORD_HAS_SPE)

RECORD_WORD(trigger)
RECORD_WORD(backend)
RECORD_WORD(result)
RECORD_NUMBER(throttled, true, FLAG(r, PMSCOPE_RECORD_THROTTLED))
RECORD_NUMBER(stopped, true, r->stopped)
RECORD_NUMBER(pmsscr, r->backend == PMSCOPE_BACKEND_HARDWARE, r->pmsscr)
RECORD_NUMBER(lost, true, r->lost)
RECORD_NUMBER(cookie, r->trigger == PMSCOPE_TRIGGER_BPF, r->cookie)
RECORD_NUMBER(spe_frozen, HAS_SPE(r), FLAG(r, PMSCOPE_RECORD_SPE_FROZEN))
RECORD_NUMBER(pmbsr, HAS_SPE(r), r->pmbsr)
RECORD_NUMBER(pmbptr, HAS_SPE(r), r->pmbptr)
RECORD_NUMBER(aux_offset, HAS_SPE(r), r->aux_offset)
RECORD_NUMBER(aux_size, HAS_SPE(r), r->aux_size)
RECORD_NUMBER(counters, r->nr_counters, 0)

#define THREAD (DEP_CPU | DEP_THREAD)
#define CODE   (DEP_CODE | DEP_OPERATION)
#define SOURCE DEP_SOURCE
#define LINE   (DEP_CODE | DEP_LINE)

/*
 * Columns next to each other share what they depend on, even where one would
 * need less: they are remembered as one piece.
 */
static const struct column all_columns[] = {
	{"type", COLUMN_TEXT, DEP_NOTHING, get_type, NONE},
	{"time", COLUMN_NUMBER, 0, get_time, MEMBER(VIEW_HAS_TIME, time)},
	{"ticks", COLUMN_NUMBER, 0, get_ticks,
	 MEMBER(PMSCOPE_HAS_TIMESTAMP, ticks)},
	{"cpu", COLUMN_NUMBER, THREAD, get_cpu, NONE},
	{"pid", COLUMN_NUMBER, THREAD, get_pid, NONE},
	{"tid", COLUMN_NUMBER, THREAD, get_tid, NONE},
	{"comm", COLUMN_TEXT, THREAD, get_comm, NONE},
	{"el", COLUMN_NUMBER, CODE, get_el, NONE},
	{"ns", COLUMN_NUMBER, CODE, get_ns, NONE},
	{"pc", COLUMN_ADDRESS, CODE, get_pc, NONE},
	{"sym", COLUMN_TEXT, CODE, get_sym, NONE},
	{"symoff", COLUMN_NUMBER, CODE, get_symoff, NONE},
	{"dso", COLUMN_TEXT, CODE, get_dso, NONE},
	{"op", COLUMN_TEXT, CODE, get_op, NONE},
	{"op_text", COLUMN_TEXT, CODE, get_op_text, NONE},
	{"va", COLUMN_ADDRESS, 0, get_va, MEMBER(PMSCOPE_HAS_VA, va)},
	{"pa", COLUMN_ADDRESS, 0, get_pa, MEMBER(PMSCOPE_HAS_PA, pa)},
	{"target", COLUMN_ADDRESS, 0, get_target,
	 MEMBER(PMSCOPE_HAS_TARGET, target)},
	{"previous_target", COLUMN_ADDRESS, 0, get_previous,
	 MEMBER(PMSCOPE_HAS_PREVIOUS, previous)},
	{"events", COLUMN_EVENTS, DEP_EVENTS, get_events, NONE},
	{"lat_total", COLUMN_NUMBER, 0, get_total,
	 MEMBER(PMSCOPE_HAS_TOTAL, total)},
	{"lat_issue", COLUMN_NUMBER, 0, get_issue,
	 MEMBER(PMSCOPE_HAS_ISSUE, issue)},
	{"lat_xlat", COLUMN_NUMBER, 0, get_translate,
	 MEMBER(PMSCOPE_HAS_TRANSLATE, translate)},
	{"source", COLUMN_NUMBER, SOURCE, get_source, NONE},
	{"source_name", COLUMN_TEXT, SOURCE, get_source_name, NONE},
	{"context_el1", COLUMN_NUMBER, 0, get_context_el1,
	 MEMBER(PMSCOPE_HAS_CONTEXT_EL1, context_el1)},
	{"context_el2", COLUMN_NUMBER, 0, get_context_el2,
	 MEMBER(PMSCOPE_HAS_CONTEXT_EL2, context_el2)},
	{"offset", COLUMN_NUMBER, 0, get_offset,
	 MEMBER(VIEW_HAS_OFFSET, offset)},
	{"counts", COLUMN_COUNTS, 0, get_counts, NONE},
	/* Where there are streams, or they are asked for: */
	{"trigger", COLUMN_TEXT, DEP_NOTHING, get_trigger, NONE},
	{"backend", COLUMN_TEXT, DEP_NOTHING, get_backend, NONE},
	{"result", COLUMN_TEXT, DEP_NOTHING, get_result, NONE},
	{"throttled", COLUMN_NUMBER, DEP_NOTHING, get_throttled, NONE},
	{"stopped", COLUMN_NUMBER, DEP_NOTHING, get_stopped, NONE},
	{"pmsscr", COLUMN_ADDRESS, DEP_NOTHING, get_pmsscr, NONE},
	{"lost", COLUMN_NUMBER, DEP_NOTHING, get_lost, NONE},
	{"cookie", COLUMN_ADDRESS, DEP_NOTHING, get_cookie, NONE},
	{"spe_frozen", COLUMN_NUMBER, DEP_NOTHING, get_spe_frozen, NONE},
	{"pmbsr", COLUMN_ADDRESS, DEP_NOTHING, get_pmbsr, NONE},
	{"pmbptr", COLUMN_ADDRESS, DEP_NOTHING, get_pmbptr, NONE},
	{"aux_offset", COLUMN_NUMBER, DEP_NOTHING, get_aux_offset, NONE},
	{"aux_size", COLUMN_NUMBER, DEP_NOTHING, get_aux_size, NONE},
	{"counters", COLUMN_COUNTERS, DEP_NOTHING, get_counters, NONE},
	/* Only when they are asked for: */
	{"line", COLUMN_TEXT, LINE, get_line, NONE},
	{"file", COLUMN_TEXT, LINE, get_file, NONE},
	{"frames", COLUMN_TEXT, LINE, get_frames, NONE},
};

#define NR_DEFAULT 29
#define NR_STREAM  14

#define NR_ALL (sizeof(all_columns) / sizeof(all_columns[0]))

static const struct column *column_find(const char *name, size_t length)
{
	for (size_t i = 0; i < NR_ALL; i++)
		if (!strncmp(all_columns[i].name, name, length) &&
		    !all_columns[i].name[length])
			return &all_columns[i];
	return NULL;
}

static int unknown(const char *name, size_t length)
{
	char names[1024] = "";

	for (size_t i = 0; i < NR_ALL; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, all_columns[i].name);
	}
	error("script: '%.*s' is no field; there are %s", (int)length, name,
	      names);
	return -EINVAL;
}

static int some(size_t nr, const struct column **columns)
{
	for (size_t i = 0; i < nr; i++)
		columns[i] = &all_columns[i];
	return nr;
}

int columns_parse(const char *list, bool streams, const struct column **columns)
{
	int nr = 0;

	if (!list)
		return some(NR_DEFAULT + (streams ? NR_STREAM : 0), columns);
	for (;;) {
		size_t length = strcspn(list, ",");

		if (nr == MAX_COLUMNS) {
			error("script: more than %d fields", MAX_COLUMNS);
			return -EINVAL;
		}
		columns[nr] = column_find(list, length);
		if (!columns[nr++])
			return unknown(list, length);
		if (!list[length])
			return nr;
		list += length + 1;
	}
}
