// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields/fields.h"
#include "cli/cli.h"
#include "spe/spe.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

#include <fnmatch.h>
#include <strings.h>

/* MIDR_EL1 of a Neoverse N1, which names more events than others. */
#define MIDR_WITH_NAMES 0x410fd0c0

/* A name of several words may have - between them. */
static bool is_name(const char *wanted, const char *name)
{
	for (; name && *name && *wanted; name++, wanted++)
		if (strncasecmp(name, wanted, 1) &&
		    !(*name == ' ' && *wanted == '-'))
			return false;
	return name && !*name && !*wanted;
}

bool filter_source_is(const char *wanted, uint64_t midr, uint16_t code)
{
	uint64_t number;

	return (!option_u64(NULL, wanted, &number) && number == code) ||
	       is_name(wanted, pmscope_source_name(midr, code));
}

/* Values are compared as numbers. */
static bool is_number(const struct field *field)
{
	return field->type <= FIELD_ADDRESS;
}

static bool is_time(const struct field *field)
{
	return field->unit && !strcmp(field->unit, "ns");
}

bool filter_names_source(const struct filter *filter)
{
	uint64_t code;

	for (size_t i = 0; i < filter->nr_terms; i++) {
		const struct filter_term *term = &filter->terms[i];

		for (size_t j = 0; j < term->nr_values; j++)
			if (term->field->type == FIELD_SOURCE &&
			    option_u64(NULL, term->values[j].text, &code))
				return true;
	}
	return false;
}

#define IMPDEF "IMPDEF:"

/* The bit of an event, as PMSEVFR_EL1 numbers them. */
static int event_parse(const char *text, struct filter_value *value)
{
	size_t prefix = strlen(IMPDEF);

	if (!strncmp(text, IMPDEF, prefix)) {
		int ret = option_u64(NULL, text + prefix, &value->number);

		return ret || value->number > 63 ? -EINVAL : 0;
	}
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = pmscope_event_name(bit, MIDR_WITH_NAMES);

		if (name && !strcasecmp(name, text)) {
			value->number = bit;
			value->of_cpu = !pmscope_event_name(bit, 0);
			return 0;
		}
	}
	return -EINVAL;
}

static int class_parse(const char *text)
{
	for (unsigned int class = 0; class < 4; class ++)
		for (uint8_t store = 0; store < 2; store++)
			if (!strcasecmp(pmscope_operation_class_name(class,
								     store),
					text))
				return 0;
	return -EINVAL;
}

/* Accepts a code, or a name that some CPUs have for a code. */
static int source_parse(const char *text)
{
	uint64_t code;

	if (!option_u64(NULL, text, &code))
		return 0;
	for (unsigned int f = 0; f < NR_SOURCE_FAMILIES; f++)
		for (code = 0; code < NR_SOURCE_CODES; code++)
			if (source_find(f, code) &&
			    is_name(text, source_find(f, code)->name))
				return 0;
	return -EINVAL;
}

/* @known: words, each with a comma before and after it, once. */
static void known_add(char *known, size_t size, const char *name)
{
	char word[64];

	if (!name)
		return;
	snprintf(word, sizeof(word), ",%s,", name);
	for (char *p = word; *p; p++)
		if (*p == ' ')
			*p = '-';
	if (!strstr(known, word) && strlen(known) + strlen(word) < size)
		strcat(known, word + 1);
}

void filter_known_values(enum field_type type, char *known, size_t size)
{
	snprintf(known, size, ",");
	for (unsigned int i = 0; type == FIELD_OPERATION && i < 6; i++)
		known_add(known, size,
			  pmscope_operation_class_name(i / 2, i % 2));
	for (unsigned int bit = 0; type == FIELD_EVENTS && bit < 64; bit++)
		known_add(known, size,
			  pmscope_event_name(bit, MIDR_WITH_NAMES));
	if (type == FIELD_EVENTS)
		known_add(known, size, IMPDEF "n");
	if (type != FIELD_SOURCE)
		return;
	for (unsigned int f = 0; f < NR_SOURCE_FAMILIES; f++)
		for (uint16_t code = 0; code < NR_SOURCE_CODES; code++)
			if (source_find(f, code))
				known_add(known, size,
					  source_find(f, code)->name);
}

static void value_error(const struct filter_term *term, const char *text)
{
	enum field_type type = term->field->type;
	char known[FILTER_KNOWN_MAX];
	size_t end;

	filter_known_values(type, known, sizeof(known));
	end = strlen(known) - 1;
	known[end] = '\0';
	error("filter: '%s' is not a valid value for %s%s%s%s%s", text,
	      term->name, end ? "; valid values: " : "", end ? known + 1 : "",
	      type == FIELD_SOURCE ? " or a code" : "",
	      !is_number(term->field) ? ""
	      : is_time(term->field)
		      ? "; expected a time in ns, or with a unit: 1.5s, 20ms"
		      : "; expected a number");
}

static int value_parse(struct filter_term *term, char *text)
{
	struct filter_value *value = &term->values[term->nr_values];
	int ret = 0;

	if (term->nr_values == FILTER_VALUES) {
		error("filter: %s: more than %d values", term->name,
		      FILTER_VALUES);
		return -EINVAL;
	}
	value->text = text;
	if (is_number(term->field))
		ret = number_parse(text,
				   is_time(term->field) ? number_times
							: number_counts,
				   &value->number);
	else if (term->field->type == FIELD_EVENTS)
		ret = event_parse(text, value);
	else if (term->field->type == FIELD_OPERATION)
		ret = class_parse(text);
	else if (term->field->type == FIELD_SOURCE)
		ret = source_parse(text);
	if (!*text || ret) {
		value_error(term, text);
		return -EINVAL;
	}
	term->nr_values++;
	return 0;
}

static int op_parse(struct filter_term *term, char **at)
{
	static const char *const ops[] = {
		[FILTER_IS] = "=",	  [FILTER_IS_NOT] = "!=",
		[FILTER_AT_LEAST] = ">=", [FILTER_AT_MOST] = "<=",
		[FILTER_ABOVE] = ">",	  [FILTER_BELOW] = "<",
	};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		if (strncmp(*at, ops[i], strlen(ops[i])) != 0)
			continue;
		if (i >= FILTER_AT_LEAST && !is_number(term->field))
			break;
		term->op = i;
		*at += strlen(ops[i]);
		return 0;
	}
	error("filter: %s: missing or invalid operator, for example %s",
	      term->name, is_number(term->field) ? "lat>=50" : "op=load|store");
	return -EINVAL;
}

static int term_parse(struct filter *filter, char *text)
{
	size_t length = strcspn(text, "=!<>");
	char names[FIELD_NAMES_MAX];
	struct filter_term *term;
	char *value;

	if (filter->nr_terms == FILTER_TERMS) {
		error("filter: more than %d terms", FILTER_TERMS);
		return -EINVAL;
	}
	term = &filter->terms[filter->nr_terms++];
	term->field = field_find(text, length, FIELD_FILTER);
	if (!term->field) {
		error("filter: unknown filter '%.*s'; valid filters: %s",
		      (int)length, text, field_names(FIELD_FILTER, ",", names));
		return -EINVAL;
	}
	memcpy(term->name, text, length);
	filter->deps |= term->field->deps & DEPS_OF_NAMES;
	text += length;
	if (op_parse(term, &text))
		return -EINVAL;
	while ((value = strsep(&text, "|")))
		if (value_parse(term, value))
			return -EINVAL;
	return 0;
}

/* Does it hold or not without any name? */
static bool term_is_plain(const struct filter_term *term)
{
	return !(term->field->deps & DEPS_OF_NAMES);
}

int filter_parse(struct filter *filter, const char *text)
{
	char *term, *at;

	*filter = (struct filter){};
	if (!text || !*text)
		return 0;
	filter->text = at = strdup(text);
	filter->said = strdup(text);
	if (!at || !filter->said)
		return no_memory();
	while ((term = strsep(&at, ",")))
		if (term_parse(filter, term))
			return -EINVAL;
	for (size_t i = 0; i < filter->nr_terms; i++)
		filter->nr_plain += term_is_plain(&filter->terms[i]);
	return 0;
}

void filter_fini(struct filter *filter)
{
	free(filter->text);
	free(filter->said);
}

static bool compare(const struct filter_term *term, uint64_t number,
		    uint64_t wanted)
{
	if (term->op == FILTER_AT_LEAST)
		return number >= wanted;
	if (term->op == FILTER_AT_MOST)
		return number <= wanted;
	if (term->op == FILTER_ABOVE)
		return number > wanted;
	return term->op == FILTER_BELOW ? number < wanted : number == wanted;
}

/* Some bits have names on some CPUs only. */
static bool is_event(const struct view *v, const struct filter_value *value)
{
	return v->events >> value->number & 1 &&
	       (!value->of_cpu ||
		pmscope_event_name(value->number, v->sample->midr));
}

/* Compare literally first: [heap] would be a pattern too. */
static bool is_text(const struct filter_value *value, const char *text)
{
	return !strcmp(value->text, text) || !fnmatch(value->text, text, 0);
}

static bool value_holds(const struct filter_term *term, const struct view *v,
			const struct filter_value *value)
{
	const struct field *field = term->field;
	char room[FIELD_ROOM];
	const char *text = field->text ? field->text(v, room) : NULL;
	uint64_t number;

	switch (field->type) {
	case FIELD_TEXT:
		return text && is_text(value, text);
	case FIELD_OPERATION:
		return text && !strcasecmp(text, value->text);
	case FIELD_EVENTS:
		return is_event(v, value);
	case FIELD_SOURCE:
		return field->number(v, &number) &&
		       filter_source_is(value->text, v->sample->midr, number);
	default:
		return field->number(v, &number) &&
		       compare(term, number, value->number);
	}
}

static bool term_holds(const struct filter_term *term, const struct view *v)
{
	bool any = false;

	for (size_t i = 0; i < term->nr_values && !any; i++)
		any = value_holds(term, v, &term->values[i]);
	return any != (term->op == FILTER_IS_NOT);
}

bool filter_plain(const struct filter *filter, const struct view *view)
{
	for (size_t i = 0; i < filter->nr_terms; i++)
		if (term_is_plain(&filter->terms[i]) &&
		    !term_holds(&filter->terms[i], view))
			return false;
	return true;
}

bool filter_times(const struct filter *filter, const struct view *view)
{
	for (size_t i = 0; i < filter->nr_terms; i++)
		if (!strcmp(filter->terms[i].field->name, "time") &&
		    !term_holds(&filter->terms[i], view))
			return false;
	return true;
}

bool filter_named(const struct filter *filter, const struct view *view)
{
	for (size_t i = 0; i < filter->nr_terms; i++)
		if (!term_is_plain(&filter->terms[i]) &&
		    !term_holds(&filter->terms[i], view))
			return false;
	return true;
}
