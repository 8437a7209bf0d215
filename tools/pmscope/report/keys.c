// SPDX-License-Identifier: GPL-2.0-or-later
/* What report can group by. */
#include "cli/message.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN "[unknown]"

static const char *text_sym(const struct view *v)
{
	return v->symbol.name ? v->symbol.name : UNKNOWN;
}

static const char *text_dso(const struct view *v)
{
	return v->symbol.dso ? v->symbol.dso : UNKNOWN;
}

static const char *text_comm(const struct view *v)
{
	return v->sample->comm ? v->sample->comm : UNKNOWN;
}

static const char *text_op(const struct view *v)
{
	return v->op ? v->op_text : UNKNOWN;
}

static const char *text_source(const struct view *v)
{
	static _Thread_local char text[16];

	if (!(v->has & PMSCOPE_HAS_SOURCE))
		return "none";
	if (v->source_name)
		return v->source_name;
	snprintf(text, sizeof(text), "code %u", v->source);
	return text;
}

static const char *text_event(const struct view *v)
{
	return v->event_text;
}

static const char *text_line(const struct view *v)
{
	static _Thread_local char text[VIEW_LINE_MAX];

	view_line_text(&v->line, text);
	return *text ? text : UNKNOWN;
}

static const char *text_file(const struct view *v)
{
	return v->line.file ? v->line.file : UNKNOWN;
}

static const char *text_of_data(const struct view *v, const char *text)
{
	if (!(v->has & PMSCOPE_HAS_VA))
		return "none";
	return text ? text : UNKNOWN;
}

static const char *text_data_sym(const struct view *v)
{
	return text_of_data(v, v->data.name);
}

static const char *text_data_dso(const struct view *v)
{
	return text_of_data(v, v->data.dso);
}

static const char *text_frames(const struct view *v)
{
	return v->line.frames ? v->line.frames : text_sym(v);
}

static int64_t known(uint32_t id)
{
	return id == PMSCOPE_NO_ID ? -1 : (int64_t)id;
}

static int64_t number_pid(const struct view *v)
{
	return known(v->sample->pid);
}

static int64_t number_tid(const struct view *v)
{
	return known(v->sample->tid);
}

static int64_t number_cpu(const struct view *v)
{
	return known(v->sample->cpu);
}

static int64_t number_el(const struct view *v)
{
	return v->has & PMSCOPE_HAS_PC ? (int64_t)v->el : -1;
}

static int64_t number_lat(const struct view *v)
{
	return v->has & PMSCOPE_HAS_TOTAL ? (int64_t)v->total : -1;
}

static const struct report_key all_keys[] = {
	{"sym", text_sym, NULL, 32, DEP_CODE},
	{"dso", text_dso, NULL, 24, DEP_CODE},
	{"line", text_line, NULL, 28, DEP_CODE | DEP_LINE},
	{"file", text_file, NULL, 28, DEP_CODE | DEP_LINE},
	{"frames", text_frames, NULL, 32, DEP_CODE | DEP_LINE},
	{"comm", text_comm, NULL, 15, DEP_THREAD},
	{"pid", NULL, number_pid, 8, DEP_THREAD},
	{"tid", NULL, number_tid, 8, DEP_THREAD},
	{"cpu", NULL, number_cpu, 4, DEP_CPU},
	{"op", text_op, NULL, 14, DEP_OPERATION},
	{"event", text_event, NULL, 30, DEP_EVENTS},
	{"source", text_source, NULL, 14, DEP_SOURCE},
	{"el", NULL, number_el, 3, DEP_LEVEL},
	{"lat", NULL, number_lat, 5, DEP_TOTAL},
	{"symbol_daddr", text_data_sym, NULL, 32, DEP_DATA},
	{"dso_daddr", text_data_dso, NULL, 24, DEP_DATA},
};

/* What perf report calls them. */
static const struct {
	const char *name;
	const char *key;
} others[] = {
	{"symbol", "sym"},   {"symbol_iaddr", "sym"}, {"srcline", "line"},
	{"srcfile", "file"}, {"mem", "source"},	      {"local_weight", "lat"},
};

#define NR_ALL (sizeof(all_keys) / sizeof(all_keys[0]))

static bool is_name(const char *known, const char *name, size_t length)
{
	return !strncmp(known, name, length) && !known[length];
}

static const struct report_key *key_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_name(others[i].name, name, length))
			return key_find(others[i].key, strlen(others[i].key));
	for (size_t i = 0; i < NR_ALL; i++)
		if (is_name(all_keys[i].name, name, length))
			return &all_keys[i];
	return NULL;
}

/* Twice the same would be twice the same key in JSON. */
static int check_new(const struct report_key *const *keys, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (keys[i] != keys[nr])
			continue;
		error("report: key '%s' is given twice", keys[nr]->name);
		return -EINVAL;
	}
	return 0;
}

int report_keys_parse(const char *list, const struct report_key **keys)
{
	size_t nr = 0;

	for (;;) {
		size_t length = strcspn(list, ",");

		if (nr == MAX_KEYS) {
			error("report: more than %d sort keys", MAX_KEYS);
			return -EINVAL;
		}
		keys[nr] = key_find(list, length);
		if (!keys[nr]) {
			error("report: unknown sort key '%.*s'; valid keys: %s",
			      (int)length, list, REPORT_KEY_NAMES);
			return -EINVAL;
		}
		if (check_new(keys, nr++))
			return -EINVAL;
		if (!list[length])
			return nr;
		list += length + 1;
	}
}

const char *report_value(const struct report *report,
			 const struct report_row *row, size_t i, char *buf,
			 size_t size)
{
	int64_t value = row->values[i];

	if (report->keys[i]->text)
		return strings_get(&report->strings, value);
	if (value < 0)
		return "?";
	snprintf(buf, size, "%" PRId64, value);
	return buf;
}
