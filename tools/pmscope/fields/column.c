// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields/column.h"
#include "cli/message.h"
#include "fields/capture.h"
#include "script/print.h"

#include <pmscope/source.h>

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
	return text(c, script_group_type(v->sample));
}

/* A column that is a number of the sample or the view. */
#define NUMBER(name, known, value)                                   \
	static bool get_##name(const struct view *v, struct cell *c) \
	{                                                            \
		return number(c, known, value);                      \
	}

NUMBER(time, v->sample->has_time, v->sample->time)
NUMBER(cpu, v->sample->cpu != PMSCOPE_NO_ID, v->sample->cpu)
NUMBER(pid, v->sample->pid != PMSCOPE_NO_ID, v->sample->pid)
NUMBER(tid, v->sample->tid != PMSCOPE_NO_ID, v->sample->tid)
NUMBER(symoff, v->symbol.name, v->symbol.offset)
NUMBER(source, (v->has & PMSCOPE_HAS_SOURCE) != 0, v->source)
NUMBER(events, (v->has & PMSCOPE_HAS_EVENTS) != 0, v->events)
NUMBER(time_enabled, v->sample->time_enabled, v->sample->time_enabled)
NUMBER(time_running, v->sample->time_running, v->sample->time_running)
NUMBER(symoff_daddr, v->data.name, v->data.offset)

/* A column that is a text of the sample or the view. */
#define TEXT(name, value)                                            \
	static bool get_##name(const struct view *v, struct cell *c) \
	{                                                            \
		return text(c, value);                               \
	}

TEXT(comm, v->sample->comm)
TEXT(sym, v->symbol.name)
TEXT(dso, v->symbol.dso)
TEXT(symbol_daddr, v->data.name)
TEXT(dso_daddr, v->data.dso)
TEXT(op, v->op)
TEXT(op_text, v->op_text)
TEXT(file, v->line.file)
TEXT(frames, v->line.frames)
TEXT(source_name, v->source_name)

static bool get_line(const struct view *v, struct cell *c)
{
	static _Thread_local char line[VIEW_LINE_MAX];

	view_line_text(&v->line, line);
	return text(c, line);
}

static bool get_data_src(const struct view *v, struct cell *c)
{
	static _Thread_local char words[128];

	if (!v->data_src)
		return false;
	words[pmscope_data_src_text(v->data_src, words)] = '\0';
	return text(c, words);
}

static bool get_counts(const struct view *v, struct cell *c)
{
	return number(c, !is_spe(v), 0);
}

/* Of a stream. What no kernel wrote has none, see recorder_stream.c. */
static bool get_ticks(const struct view *v, struct cell *c)
{
	const struct pmscope_record *r = v->record;

	return r && number(c, r->cntvct != 0, r->cntvct);
}

/* A column that is a word for a number of the record; or a number of it. */
#define RECORD_WORD(name)                                               \
	static bool get_##name(const struct view *v, struct cell *c)    \
	{                                                               \
		return v->record && text(c, capture_##name(v->record)); \
	}

#define RECORD_NUMBER(name, known, value)                            \
	static bool get_##name(const struct view *v, struct cell *c) \
	{                                                            \
		const struct pmscope_record *r = v->record;          \
                                                                     \
		return r && number(c, known, value);                 \
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

/* What is at the end of a row: where a record has a member of the batch. */
#define NAMED 0, 0, NULL
#define HAS_OR(bit, member, instead) \
	NULL, PMSCOPE_HAS_##bit, offsetof(struct pmscope_batch, member), instead
#define HAS(bit, member) HAS_OR(bit, member, NULL)
#define ALWAYS(member) \
	NULL, COLUMN_HAS_OFFSET, offsetof(struct pmscope_batch, member), NULL

/* Of branches, which have no data. */
static const struct column address_of_branch = {
	"addr", COLUMN_ADDRESS, VALUE_CODE_ADDRESS, HAS(TARGET, target)};

/* clang-format off */
static const struct column all_columns[] = {
	{"type", COLUMN_TEXT, VALUE_SAME, get_type, NAMED},
	{"time", COLUMN_NUMBER, VALUE_TIME, get_time,
	 COLUMN_HAS_TIME, offsetof(struct pmscope_batch, timestamp), NULL},
	{"ticks", COLUMN_NUMBER, VALUE_64, get_ticks,
	 PMSCOPE_HAS_TIMESTAMP, offsetof(struct pmscope_batch, timestamp),
	 NULL},
	{"cpu", COLUMN_NUMBER, VALUE_OF_THREAD, get_cpu, NAMED},
	{"pid", COLUMN_NUMBER, VALUE_OF_THREAD, get_pid, NAMED},
	{"tid", COLUMN_NUMBER, VALUE_OF_THREAD, get_tid, NAMED},
	{"comm", COLUMN_TEXT, VALUE_OF_THREAD, get_comm, NAMED},
	{"el", COLUMN_NUMBER, VALUE_LEVEL, HAS(PC, pc)},
	{"ns", COLUMN_NUMBER, VALUE_NS, HAS(PC, pc)},
	{"pc", COLUMN_ADDRESS, VALUE_PC, HAS(PC, pc)},
	{"sym", COLUMN_TEXT, VALUE_OF_CODE, get_sym, NAMED},
	{"symoff", COLUMN_OFFSET, VALUE_OF_CODE, get_symoff, NAMED},
	{"dso", COLUMN_TEXT, VALUE_OF_CODE, get_dso, NAMED},
	{"op", COLUMN_TEXT, VALUE_OF_OPERATION, get_op, NAMED},
	{"op_text", COLUMN_TEXT, VALUE_OF_OPERATION, get_op_text, NAMED},
	{"va", COLUMN_ADDRESS, VALUE_DATA_ADDRESS, HAS(VA, va)},
	{"pa", COLUMN_ADDRESS, VALUE_PHYSICAL_ADDRESS, HAS(PA, pa)},
	{"target", COLUMN_ADDRESS, VALUE_CODE_ADDRESS, HAS(TARGET, target)},
	{"previous_target", COLUMN_ADDRESS, VALUE_CODE_ADDRESS,
	 HAS(PREVIOUS, previous)},
	{"events", COLUMN_EVENTS, VALUE_OF_EVENTS, get_events, NAMED},
	{"lat_total", COLUMN_NUMBER, VALUE_16, HAS(TOTAL, total)},
	{"lat_issue", COLUMN_NUMBER, VALUE_16, HAS(ISSUE, issue)},
	{"lat_xlat", COLUMN_NUMBER, VALUE_16, HAS(TRANSLATE, translate)},
	{"source", COLUMN_NUMBER, VALUE_OF_SOURCE, get_source, NAMED},
	{"source_name", COLUMN_TEXT, VALUE_OF_SOURCE, get_source_name, NAMED},
	{"context_el1", COLUMN_NUMBER, VALUE_32, HAS(CONTEXT_EL1, context_el1)},
	{"context_el2", COLUMN_NUMBER, VALUE_32, HAS(CONTEXT_EL2, context_el2)},
	{"offset", COLUMN_NUMBER, VALUE_64, ALWAYS(offset)},
	{"counts", COLUMN_COUNTS, VALUE_COUNTER_INDEX, get_counts,
	 PMSCOPE_HAS_COUNTER, offsetof(struct pmscope_batch, counter), NULL},
	/* Where there are streams, or they are asked for: */
	{"trigger", COLUMN_TEXT, VALUE_NONE, get_trigger, NAMED},
	{"backend", COLUMN_TEXT, VALUE_NONE, get_backend, NAMED},
	{"result", COLUMN_TEXT, VALUE_NONE, get_result, NAMED},
	{"throttled", COLUMN_NUMBER, VALUE_NONE, get_throttled, NAMED},
	{"stopped", COLUMN_NUMBER, VALUE_NONE, get_stopped, NAMED},
	{"pmsscr", COLUMN_ADDRESS, VALUE_NONE, get_pmsscr, NAMED},
	{"lost", COLUMN_NUMBER, VALUE_NONE, get_lost, NAMED},
	{"cookie", COLUMN_ADDRESS, VALUE_NONE, get_cookie, NAMED},
	{"spe_frozen", COLUMN_NUMBER, VALUE_NONE, get_spe_frozen, NAMED},
	{"pmbsr", COLUMN_ADDRESS, VALUE_NONE, get_pmbsr, NAMED},
	{"pmbptr", COLUMN_ADDRESS, VALUE_NONE, get_pmbptr, NAMED},
	{"aux_offset", COLUMN_NUMBER, VALUE_NONE, get_aux_offset, NAMED},
	{"aux_size", COLUMN_NUMBER, VALUE_NONE, get_aux_size, NAMED},
	{"counters", COLUMN_COUNTERS, VALUE_NONE, get_counters, NAMED},
	/* Only when they are asked for: */
	{"lat_alt_issue", COLUMN_NUMBER, VALUE_16, HAS(ALT_ISSUE, alt_issue)},
	{"line", COLUMN_TEXT, VALUE_OF_LINE, get_line, NAMED},
	{"file", COLUMN_TEXT, VALUE_OF_LINE, get_file, NAMED},
	{"frames", COLUMN_TEXT, VALUE_OF_LINE, get_frames, NAMED},
	{"time_enabled", COLUMN_NUMBER, VALUE_NONE, get_time_enabled, NAMED},
	{"time_running", COLUMN_NUMBER, VALUE_NONE, get_time_running, NAMED},
	/* As perf report names them: */
	{"symbol_daddr", COLUMN_TEXT, VALUE_OF_DATA, get_symbol_daddr, NAMED},
	{"symoff_daddr", COLUMN_NUMBER, VALUE_OF_DATA_OFFSET, get_symoff_daddr,
	 NAMED},
	{"dso_daddr", COLUMN_TEXT, VALUE_OF_DATA, get_dso_daddr, NAMED},
	/* As perf script names them: */
	{"ip", COLUMN_ADDRESS, VALUE_PC, HAS(PC, pc)},
	{"addr", COLUMN_ADDRESS, VALUE_DATA_ADDRESS,
	 HAS_OR(VA, va, &address_of_branch)},
	{"phys_addr", COLUMN_ADDRESS, VALUE_PHYSICAL_ADDRESS, HAS(PA, pa)},
	{"weight", COLUMN_NUMBER, VALUE_16, HAS(TOTAL, total)},
	{"data_src", COLUMN_TEXT, VALUE_OF_DATA_SRC, get_data_src, NAMED},
	{"srcline", COLUMN_TEXT, VALUE_OF_LINE, get_line, NAMED},
};
/* clang-format on */

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
	error("script: unknown field '%.*s'; valid fields: %s", (int)length,
	      name, names);
	return -EINVAL;
}

/* Twice the same would be twice the same key in JSON. */
static int check_new(const struct column *const *columns, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (columns[i] != columns[nr])
			continue;
		error("script: field '%s' is given twice", columns[nr]->name);
		return -EINVAL;
	}
	return 0;
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
		if (!columns[nr])
			return unknown(list, length);
		if (check_new(columns, nr++))
			return -EINVAL;
		if (!list[length])
			return nr;
		list += length + 1;
	}
}
