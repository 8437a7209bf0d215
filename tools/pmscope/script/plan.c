// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/plan.h"
#include "base/text.h"
#include "print/value.h"

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

static bool is_number(const struct field *field)
{
	return field->type <= FIELD_ADDRESS;
}

size_t parts_room(const struct part *parts, size_t nr, const struct view *view)
{
	size_t room = PART_BEFORE + nr * (sizeof(*parts) + VALUE_ROOM);

	for (size_t i = 0; i < nr; i++)
		if (!is_number(parts[i].field))
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
