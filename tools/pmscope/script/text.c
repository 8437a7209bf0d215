// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text format for people, similar to perf script; it may change. Its fields
 * are those of the table, plus some that only this format has.
 */
#include "script/script.h"

#include <pmscope/source.h>

#define UNKNOWN	  "[unknown]"
#define SMALL_MAX 512 /* for numbers and words, without names */

static bool has_pc(const struct view *v)
{
	return v->has & PMSCOPE_HAS_PC;
}

static char *put_id(char *p, uint32_t id)
{
	return id == PMSCOPE_NO_ID ? text_string(p, "?") : text_unsigned(p, id);
}

static const char *get_ids(const struct view *v, char *text)
{
	char *p = put_id(text, v->sample->pid);

	*p++ = '/';
	*put_id(p, v->sample->tid) = '\0';
	return text;
}

static const char *get_seconds(const struct view *v, char *text)
{
	uint64_t ns = v->sample->time;

	if (!v->sample->has_time)
		return NULL;
	snprintf(text, SMALL_MAX, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
		 ns % 1000000000);
	return text;
}

static const char *get_pc(const struct view *v, char *text)
{
	if (!view_is_spe(v))
		return NULL;
	if (!has_pc(v))
		return "?";
	*text_hex(text, v->pc, 1) = '\0';
	return text;
}

static const char *get_symbol(const struct view *v, char *)
{
	return !has_pc(v) ? NULL : v->symbol.name ? v->symbol.name : UNKNOWN;
}

static const char *get_offset(const struct view *v, char *text)
{
	if (!v->symbol.name)
		return NULL;
	*text_hex(text_string(text, "+0x"), v->symbol.offset, 1) = '\0';
	return text;
}

static const char *get_file(const struct view *v, char *)
{
	return !has_pc(v) ? NULL : v->symbol.dso ? v->symbol.dso : UNKNOWN;
}

static const char *get_operation(const struct view *v, char *)
{
	if (!view_is_spe(v))
		return NULL;
	return v->has & PMSCOPE_HAS_OPERATION ? v->op_text : "?";
}

static const char *get_source(const struct view *v, char *text)
{
	const char *name;

	if (!(v->has & PMSCOPE_HAS_SOURCE))
		return NULL;
	name = pmscope_source_name(v->sample->midr, v->source);
	if (name)
		return name;
	*text_unsigned(text_string(text, "source "), v->source) = '\0';
	return text;
}

static const char *get_group(const struct view *v, char *)
{
	return view_is_spe(v) ? NULL : group_type(v->sample);
}

/* Has the sample counts? */
static bool is_group(const struct view *v, uint64_t *number)
{
	*number = 0;
	return !view_is_spe(v);
}

/* For a group that shared its counters with other groups. */
static const char *get_share(const struct view *v, char *text)
{
	const struct pmscope_sample *s = v->sample;
	unsigned int share;

	if (view_is_spe(v) || s->time_running >= s->time_enabled)
		return NULL;
	share = 10000.0 * s->time_running / s->time_enabled;
	snprintf(text, SMALL_MAX, "(%u.%02u%% of the time)", share / 100,
		 share % 100);
	return text;
}

static char *put_number(char *p, const char *name, uint64_t value)
{
	return value ? text_unsigned(text_string(p, name), value) : p;
}

static char *put_address(char *p, const char *name, uint64_t value)
{
	return text_hex(text_string(p, name), value, 1);
}

/* The window of SPE data that the capture closes. */
static char *put_window(char *p, const struct pmscope_record *r)
{
	if (!(r->flags & PMSCOPE_RECORD_HAS_SPE))
		return p;
	p = put_address(p, " aux 0x", r->aux_offset);
	p = put_address(p, "+0x", r->aux_size);
	p = put_address(p, " pmbsr 0x", r->pmbsr);
	if (r->flags & PMSCOPE_RECORD_SPE_FROZEN)
		p = text_string(p, " frozen");
	return p;
}

/* Print only what differs from the normal case. */
static const char *get_capture(const struct view *v, char *text)
{
	const struct pmscope_record *r = v->record;
	char *p = text;

	if (!r)
		return NULL;
	if (capture_trigger(r))
		p = text_string(text_string(p, " by "), capture_trigger(r));
	if (r->trigger == PMSCOPE_TRIGGER_BPF)
		p = put_address(p, " cookie 0x", r->cookie);
	p = put_window(p, r);
	if (r->result != PMSCOPE_CAPTURED)
		p = text_string(text_string(p, " "), capture_result(r));
	p = put_number(p, " stopped ", r->stopped);
	if (r->flags & PMSCOPE_RECORD_THROTTLED)
		p = text_string(p, " throttled");
	*put_number(p, " lost ", r->lost) = '\0';
	return text;
}

#define OWN(name, follows)                       \
	static const struct field own_##name = { \
		#name,                           \
		.type = FIELD_TEXT,              \
		.text = get_##name,              \
		.deps = follows,                 \
	};

OWN(ids, DEP_THREAD)
OWN(seconds, DEP_RECORD)
OWN(pc, DEP_RECORD)
OWN(symbol, DEP_CODE)
OWN(offset, DEP_CODE | DEP_RECORD)
OWN(file, DEP_CODE)
OWN(operation, DEP_OPERATION)
OWN(source, DEP_SOURCE)
OWN(group, DEP_RECORD)
OWN(share, DEP_RECORD)
OWN(capture, DEP_RECORD)
static const struct field own_counts = {"counts", .type = FIELD_COUNTS,
					.number = is_group, .deps = DEP_RECORD};

/*
 * A part of the line. @own: prints it; NULL: the field @shows[0]. @shows: the
 * fields that it shows; NULL: a part that -F does not change.
 */
static const struct text_part {
	const struct field *own;
	const char *shows[2];
	const char *before;
	const char *after;
	const char *none;
	unsigned int width;
} text_parts[] = {
	{NULL, {"comm"}, "", "", "?", 15},
	{&own_ids, {"pid", "tid"}, " ", "", "", 13},
	{NULL, {"cpu"}, " [", "] ", " [?] ", 0},
	{&own_seconds, {"time"}, "", ":", "", 0},
	{&own_operation, {"op_text"}, " ", "", "", 13},
	{&own_pc, {"pc"}, " ", "", "", 0},
	{&own_symbol, {"sym"}, " ", "", "", 0},
	{&own_offset, {"symoff"}, "", "", "", 0},
	{&own_file, {"dso"}, " (", ")", "", 0},
	{NULL, {"va"}, " va ", "", "", 0},
	{NULL, {"pa"}, " pa ", "", "", 0},
	{NULL, {"target"}, " to ", "", "", 0},
	{NULL, {"previous_target"}, " prev ", "", "", 0},
	{NULL, {"lat_total"}, " lat ", "", "", 0},
	{NULL, {"lat_issue"}, " issue ", "", "", 0},
	{NULL, {"lat_xlat"}, " xlat ", "", "", 0},
	{&own_source, {"source_name", "source"}, " from ", "", "", 0},
	{NULL, {"events"}, " ", "", "", 0},
	{&own_group, {"type"}, " ", "", "", 0},
	{&own_counts, {NULL}, " ", "", "", 0},
	{&own_share, {NULL}, " ", "", "", 0},
	{&own_capture, {NULL}, "", "", "", 0},
};

static struct named_field column(const char *name)
{
	return (struct named_field){
		.field = field_find(name, strlen(name), FIELD_COLUMN),
	};
}

/* The fields that the line shows after @changes to the default ones. */
static size_t text_fields(struct named_field *fields,
			  const struct named_field *changes, size_t nr_changes)
{
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(text_parts); i++)
		for (int k = 0; k < 2; k++)
			if (text_parts[i].shows[k])
				fields[nr++] = column(text_parts[i].shows[k]);
	return fields_change(fields, nr, changes, nr_changes);
}

static bool is_among(const struct named_field *fields, size_t nr,
		     const char *name)
{
	const struct field *field = column(name).field;

	for (size_t i = 0; i < nr; i++)
		if (fields[i].field == field)
			return true;
	return false;
}

/*
 * An offset comes behind its symbol. The field counts, which SPE records have,
 * too, replaces the counts of groups.
 */
static bool is_left_out(const struct text_part *part,
			const struct named_field *fields, size_t nr)
{
	if (part->own == &own_offset)
		return !is_among(fields, nr, "sym");
	return part->own == &own_counts && is_among(fields, nr, "counts");
}

/*
 * The field that prints a part if only @fields are shown; NULL: it is left out.
 * Of two fields the other may be left.
 */
static const struct field *field_of(const struct text_part *part,
				    const struct named_field *fields, size_t nr)
{
	const char *const *shows = part->shows, *left = NULL;
	int has = 0;

	if (is_left_out(part, fields, nr))
		return NULL;
	if (!shows[0])
		return part->own;
	for (int i = 0; i < 2; i++) {
		if (!shows[i] || !is_among(fields, nr, shows[i]))
			continue;
		left = shows[i];
		has++;
	}
	if (part->own && has == 1 + !!shows[1])
		return part->own;
	return left ? column(left).field : NULL;
}

/* Fields that were added come last, with their names. */
static size_t add_parts(struct part *parts, size_t nr,
			const struct named_field *fields, size_t nr_fields)
{
	for (size_t i = 0; i < nr_fields; i++) {
		if (fields[i].sign != '+' || nr == PLAN_PARTS)
			continue;
		parts[nr].field = fields[i].field;
		snprintf(parts[nr].before, PART_BEFORE, " %s ", fields[i].name);
		nr++;
	}
	return nr;
}

size_t text_parts_make(struct part *parts, const struct named_field *changes,
		       size_t nr_changes)
{
	struct named_field fields[FIELDS_MAX];
	size_t nr_fields = text_fields(fields, changes, nr_changes), nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(text_parts); i++) {
		const struct text_part *from = &text_parts[i];

		parts[nr].field = field_of(from, fields, nr_fields);
		if (!parts[nr].field)
			continue;
		strcpy(parts[nr].before, from->before);
		strcpy(parts[nr].after, from->after);
		strcpy(parts[nr].none, from->none);
		parts[nr].width = from->width;
		nr++;
	}
	return add_parts(parts, nr, fields, nr_fields);
}
