// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/script.h"

/* These have few values, even combined, so their texts share a segment. */
#define DEPS_OF_FEW (DEP_THREAD | DEP_CPU | DEP_LEVEL)

/* perf prints a place in parentheses, and nothing if there is no branch. */
static void set_perf_texts(struct part *part)
{
	if (part->field->type == FIELD_BRANCHES)
		part->none[0] = '\0';
	else
		strcat(part->none, "-");
	if (part->field->type != FIELD_PLACE)
		return;
	strcat(part->before, "(");
	strcpy(part->after, ")");
}

static void set_texts(struct part *part, enum print_format format, bool first)
{
	char separator[] = {format == PRINT_CSV ? ',' : ' ', '\0'};

	if (format == PRINT_JSONL) {
		/* The first comma of an object becomes its brace. */
		snprintf(part->before, sizeof(part->before),
			 ",\"%s\":", part->name);
		return;
	}
	strcpy(part->before, first ? "" : separator);
	strcpy(part->none, part->before);
	if (format == PRINT_TEXT)
		set_perf_texts(part);
}

/* Returns true if parts that depend on this have one text in many records. */
static bool is_remembered(unsigned int deps)
{
	return !(deps & (DEP_RECORD | DEP_TOTAL | DEP_PC | DEP_OFFSET |
			 DEP_TARGET | DEP_CACHELINE | DEP_PLACE | DEP_BRANCH));
}

/* Returns true if parts that depend on these belong to one segment. */
static bool belong(unsigned int a, unsigned int b)
{
	if (is_remembered(a) != is_remembered(b))
		return false;
	return !is_remembered(a) || a == b || !((a | b) & ~DEPS_OF_FEW);
}

static void make_segments(struct plan *plan)
{
	struct segment *s = NULL;

	for (size_t i = 0; i < plan->nr_parts; i++) {
		unsigned int deps = plan->parts[i].field->deps;

		plan->deps |= deps;
		if (!s || !belong(s->deps, deps)) {
			s = &plan->segments[plan->nr_segments++];
			s->first = i;
			s->remembered = is_remembered(deps);
		}
		s->deps |= deps;
		s->nr++;
	}
}

static unsigned int uses_of(enum print_format format, bool streams)
{
	if (format == PRINT_JSONL)
		return FIELD_JSON;
	return FIELD_CSV | (streams ? FIELD_STREAM : 0);
}

/* Fills in the lengths of the texts. */
static void part_finish(struct part *part)
{
	part->before_length = strlen(part->before);
	part->none_length = strlen(part->none);
	part->after_length = strlen(part->after);
}

static void make_parts(struct plan *plan, const struct named_field *fields,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		plan->parts[i].field = fields[i].field;
		strcpy(plan->parts[i].name, fields[i].name);
		set_texts(&plan->parts[i], plan->format, !i);
	}
	plan->nr_parts = nr;
}

static void make_default(struct plan *plan, const struct named_field *changes,
			 size_t nr_changes, bool streams)
{
	struct named_field all[FIELDS_MAX];
	size_t nr;

	if (plan->format == PRINT_TEXT) {
		plan->nr_parts =
			text_parts_make(plan->parts, changes, nr_changes);
		return;
	}
	nr = fields_with(uses_of(plan->format, streams), all);
	make_parts(plan, all, fields_change(all, nr, changes, nr_changes));
}

void plan_make(struct plan *plan, enum print_format format,
	       const struct named_field *fields, size_t nr, bool streams)
{
	*plan = (struct plan){.format = format};
	if (nr && !fields->sign)
		make_parts(plan, fields, nr);
	else
		make_default(plan, fields, nr, streams);
	for (size_t i = 0; i < plan->nr_parts; i++)
		part_finish(&plan->parts[i]);
	make_segments(plan);
}

size_t parts_room(const struct part *parts, size_t nr, const struct view *view)
{
	size_t room = PART_BEFORE + nr * (sizeof(*parts) + VALUE_ROOM);

	for (size_t i = 0; i < nr; i++)
		if (parts[i].field->type > FIELD_ADDRESS)
			room += value_room(parts[i].field, view);
	return room;
}

/* Copies of a constant size are cheaper than exact short ones. */
static char *part_put(char *p, enum print_format format,
		      const struct part *part, const struct view *view)
{
	char *begin = p, *value;

	memcpy(p, part->before, PART_BEFORE);
	value = value_put(p + part->before_length, format, part->field, view);
	if (value) {
		memcpy(value, part->after, sizeof(part->after));
		p = value + part->after_length;
	} else {
		memcpy(p, part->none, PART_NONE);
		p += part->none_length;
	}
	while (p > begin && p < begin + part->width)
		*p++ = ' ';
	return p;
}

char *parts_put(char *p, enum print_format format, const struct part *parts,
		size_t nr, const struct view *view)
{
	for (size_t i = 0; i < nr; i++)
		p = part_put(p, format, &parts[i], view);
	return p;
}

char *plan_end(const struct plan *plan, char *begin, char *p)
{
	if (plan->format == PRINT_JSONL) {
		if (p == begin)
			p++;
		*begin = '{';
		*p++ = '}';
	} else if (plan->format == PRINT_CSV && p == begin) {
		/* CSV readers would skip an empty line. */
		p = text_string(p, "\"\"");
	}
	*p++ = '\n';
	return p;
}

char *plan_header(const struct plan *plan, char *p)
{
	if (plan->format != PRINT_CSV)
		return p;
	for (size_t i = 0; i < plan->nr_parts; i++) {
		if (i)
			*p++ = ',';
		p = text_string(p, plan->parts[i].name);
	}
	*p++ = '\n';
	return p;
}

#define COUNTER_ROOM 160 /* one register of a stream's record */

static size_t text_room(const char *text)
{
	return text ? VALUE_ROOM + JSON_QUOTE_MAX(strlen(text)) : VALUE_ROOM;
}

static size_t counts_room(const struct pmscope_sample *s)
{
	size_t room = VALUE_ROOM;

	for (size_t i = 0; i < s->nr_counts; i++)
		room += VALUE_ROOM + text_room(s->counts[i].name);
	return room;
}

size_t value_room(const struct field *field, const struct view *v)
{
	char room[FIELD_ROOM];

	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_OPERATION:
	case FIELD_PLACE:
	case FIELD_BRANCHES:
		return text_room(field->text(v, room));
	case FIELD_EVENTS:
		return EVENTS_TEXT_MAX;
	case FIELD_COUNTS:
		return view_is_spe(v) ? VALUE_ROOM : counts_room(v->sample);
	case FIELD_COUNTERS:
		return VALUE_ROOM + (v->record ? v->record->nr_counters *
							 (size_t)COUNTER_ROOM
					       : 0);
	default:
		return VALUE_ROOM;
	}
}

static char *put_text(char *p, enum print_format format, const char *text)
{
	if (!text || !*text)
		return NULL;
	if (format == PRINT_CSV)
		return csv_field(p, text);
	if (format == PRINT_JSONL)
		return json_quote(p, text);
	return text_clean(p, text, strlen(text));
}

static char *put_event_names(char *p, uint64_t events, uint64_t midr)
{
	*p++ = '[';
	for (; events; events &= events - 1) {
		*p++ = '"';
		p = event_put(p, __builtin_ctzll(events), midr);
		*p++ = '"';
		if (events & (events - 1))
			*p++ = ',';
	}
	*p++ = ']';
	return p;
}

static char *put_events(char *p, enum print_format format, uint64_t events,
			uint64_t midr)
{
	if (format == PRINT_JSONL)
		return put_event_names(p, events, midr);
	if (format == PRINT_CSV)
		return events_put(p, events, midr, '|');
	/* Columns of text have spaces between: none may be empty. */
	return events ? events_put(p, events, midr, ',') : NULL;
}

/* An SPE record has one counter, which has an index and no name. */
static char *put_counter_packet(char *p, enum print_format format,
				const struct view *v)
{
	if (!(v->has & PMSCOPE_HAS_COUNTER))
		return NULL;
	p = text_string(p, format == PRINT_JSONL ? "[{\"index\":" : "");
	p = text_unsigned(p, v->counter >> 16);
	p = text_string(p, format == PRINT_JSONL ? ",\"value\":" : "=");
	p = text_unsigned(p, v->counter & UINT16_MAX);
	return text_string(p, format == PRINT_JSONL ? "}]" : "");
}

static char *put_count_object(char *p, const struct pmscope_count *count)
{
	if (count->name)
		p = json_quote(text_string(p, "{\"event\":"), count->name);
	else
		p = text_unsigned(text_string(p, "{\"id\":"), count->id);
	p = text_unsigned(text_string(p, ",\"value\":"), count->value);
	*p++ = '}';
	return p;
}

/* "event=value"; @first of the list */
static char *put_count(char *p, enum print_format format,
		       const struct pmscope_count *count, bool first)
{
	bool csv = format == PRINT_CSV;

	if (format == PRINT_JSONL)
		return put_count_object(first ? p : text_string(p, ","), count);
	if (csv && count->name) {
		p = csv_listed(p, count->name, first);
	} else {
		if (!first)
			*p++ = csv ? '|' : ' ';
		p = count->name
			    ? text_clean(p, count->name, strlen(count->name))
			    : text_unsigned(text_string(p, csv ? "" : "id "),
					    count->id);
	}
	*p++ = '=';
	return text_unsigned(p, count->value);
}

/* Event names contain commas: always a quoted CSV field. */
static char *put_counts(char *p, enum print_format format,
			const struct pmscope_sample *s)
{
	if (format != PRINT_TEXT)
		*p++ = format == PRINT_JSONL ? '[' : '"';
	for (size_t i = 0; i < s->nr_counts; i++)
		p = put_count(p, format, &s->counts[i], !i);
	if (format != PRINT_TEXT)
		*p++ = format == PRINT_JSONL ? ']' : '"';
	return p;
}

static char *put_register(char *p, const struct pmscope_record_counter *c)
{
	p = text_unsigned(p, c->number);
	if (c->flags & PMSCOPE_COUNTER_STALE)
		return text_string(p, ":stale");
	p = text_hex(text_string(p, ":0x"), c->type, 1);
	return text_hex(text_string(p, "=0x"), c->value, 1);
}

static char *put_register_object(char *p,
				 const struct pmscope_record_counter *c)
{
	p = text_unsigned(text_string(p, "{\"number\":"), c->number);
	if (c->flags & PMSCOPE_COUNTER_STALE) {
		p = text_string(p, ",\"stale\":1");
	} else {
		p = text_hex(text_string(p, ",\"type\":\"0x"), c->type, 1);
		p = text_hex(text_string(p, "\",\"value\":\"0x"), c->value, 1);
		*p++ = '"';
	}
	if (c->flags & PMSCOPE_COUNTER_MEMBER) {
		p = text_unsigned(text_string(p, ",\"id\":"), c->id);
		p = text_unsigned(text_string(p, ",\"count\":"), c->count);
	}
	*p++ = '}';
	return p;
}

/* All counters of the record, including those outside the group. */
static char *put_registers(char *p, enum print_format format,
			   const struct view *v)
{
	const struct pmscope_record *r = v->record;
	struct pmscope_record_counter c;

	if (!r || !r->nr_counters)
		return NULL;
	if (format == PRINT_JSONL)
		*p++ = '[';
	for (unsigned int i = 0; i < r->nr_counters; i++) {
		pmscope_stream_counter(v->sample->record, r, i, &c);
		if (i)
			*p++ = format == PRINT_CSV ? '|' : ',';
		p = format == PRINT_JSONL ? put_register_object(p, &c)
					  : put_register(p, &c);
	}
	if (format == PRINT_JSONL)
		*p++ = ']';
	return p;
}

char *value_put_other(char *p, enum print_format format,
		      const struct field *field, const struct view *v)
{
	char room[FIELD_ROOM];
	uint64_t number;

	if (field->number && !field->number(v, &number))
		return NULL;
	switch (field->type) {
	case FIELD_SOURCE:
		return text_unsigned(p, number);
	case FIELD_IP:
		return format == PRINT_TEXT
			       ? text_hex(p, number, 1)
			       : value_put_address(p, format, number);
	case FIELD_TEXT:
	case FIELD_OPERATION:
	case FIELD_PLACE:
	case FIELD_BRANCHES:
		return put_text(p, format, field->text(v, room));
	case FIELD_EVENTS:
		return put_events(p, format, number, v->sample->midr);
	case FIELD_COUNTS:
		return view_is_spe(v) ? put_counter_packet(p, format, v)
				      : put_counts(p, format, v->sample);
	case FIELD_COUNTERS:
		return put_registers(p, format, v);
	default:
		return NULL;
	}
}
