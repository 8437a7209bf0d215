// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields/filter.h"
#include "cli/message.h"
#include "cli/options.h"
#include "spe/source.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* MIDR_EL1 of a Neoverse N1, which has names for more events than others. */
#define MIDR_WITH_NAMES 0x410fd0c0

/**
 * struct filter_name - something to filter by
 * @name: in the term
 * @deps: enum dep: 0 for what the record alone tells
 * @number: its value; false when there is none. NULL: see the others
 * @text: its value; NULL when there is none
 * @is: does the sample have this value?
 */
struct filter_name {
	const char *name;
	unsigned int deps;
	bool (*number)(const struct view *view, uint64_t *value);
	const char *(*text)(const struct view *view);
	bool (*is)(const struct view *view, const struct filter_value *value);
};

#define NUMBER(name, known, value)                                        \
	static bool number_##name(const struct view *v, uint64_t *number) \
	{                                                                 \
		*number = value;                                          \
		return known;                                             \
	}

/* It takes the mask's operator for a pointer's. */
/* clang-format off */
NUMBER(lat, v->has & PMSCOPE_HAS_TOTAL, v->total)
NUMBER(issue, v->has & PMSCOPE_HAS_ISSUE, v->issue)
NUMBER(xlat, v->has & PMSCOPE_HAS_TRANSLATE, v->translate)
NUMBER(cpu, v->sample->cpu != PMSCOPE_NO_ID, v->sample->cpu)
NUMBER(el, v->has & PMSCOPE_HAS_PC, v->el)
NUMBER(time, v->sample->has_time, v->sample->time)
NUMBER(va, v->has & PMSCOPE_HAS_VA, v->va)
NUMBER(pc, v->has & PMSCOPE_HAS_PC, v->pc)
NUMBER(pid, v->sample->pid != PMSCOPE_NO_ID, v->sample->pid)
NUMBER(tid, v->sample->tid != PMSCOPE_NO_ID, v->sample->tid)
/* clang-format on */

static const char *text_comm(const struct view *v)
{
	return v->sample->comm;
}

static const char *text_sym(const struct view *v)
{
	return v->symbol.name;
}

static const char *text_dso(const struct view *v)
{
	return v->symbol.dso;
}

static const char *text_symbol_daddr(const struct view *v)
{
	return v->data.name;
}

static const char *text_dso_daddr(const struct view *v)
{
	return v->data.dso;
}

static bool is_op(const struct view *v, const struct filter_value *value)
{
	const struct pmscope_batch *b = v->sample->batch;
	size_t row = v->sample->row;

	return v->has & PMSCOPE_HAS_OPERATION &&
	       !strcasecmp(pmscope_operation_class_name(b->op_class[row],
							b->op[row]),
			   value->text);
}

/* Some bits have names on some CPUs only. */
static bool is_event(const struct view *v, const struct filter_value *value)
{
	return v->events >> value->number & 1 &&
	       (!value->of_cpu ||
		pmscope_event_name(value->number, v->sample->midr));
}

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

static bool is_source(const struct view *v, const struct filter_value *value)
{
	return v->has & PMSCOPE_HAS_SOURCE &&
	       filter_source_is(value->text, v->sample->midr, v->source);
}

bool filter_names_source(const struct filter *filter)
{
	uint64_t code;

	for (size_t i = 0; i < filter->nr_terms; i++) {
		const struct filter_term *term = &filter->terms[i];

		for (size_t j = 0; j < term->nr_values; j++)
			if (term->name->is == is_source &&
			    option_u64(NULL, term->values[j].text, &code))
				return true;
	}
	return false;
}

static const struct filter_name names[] = {
	{"op", 0, NULL, NULL, is_op},
	{"event", 0, NULL, NULL, is_event},
	{"source", 0, NULL, NULL, is_source},
	{"lat", 0, number_lat, NULL, NULL},
	{"issue", 0, number_issue, NULL, NULL},
	{"xlat", 0, number_xlat, NULL, NULL},
	{"cpu", 0, number_cpu, NULL, NULL},
	{"el", 0, number_el, NULL, NULL},
	{"time", 0, number_time, NULL, NULL},
	{"va", 0, number_va, NULL, NULL},
	{"pc", 0, number_pc, NULL, NULL},
	{"pid", DEP_THREAD, number_pid, NULL, NULL},
	{"tid", DEP_THREAD, number_tid, NULL, NULL},
	{"comm", DEP_THREAD, NULL, text_comm, NULL},
	{"sym", DEP_CODE, NULL, text_sym, NULL},
	{"dso", DEP_CODE, NULL, text_dso, NULL},
	{"symbol_daddr", DEP_DATA, NULL, text_symbol_daddr, NULL},
	{"dso_daddr", DEP_DATA, NULL, text_dso_daddr, NULL},
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static const struct filter_name *name_find(const char *name, size_t length)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (!strncmp(names[i].name, name, length) &&
		    !names[i].name[length])
			return &names[i];
	return NULL;
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

/* A code, or what some CPUs call one. */
static int source_parse(const char *text)
{
	uint64_t code;

	if (!option_u64(NULL, text, &code))
		return 0;
	for (unsigned int f = 0; f < NR_SOURCE_FAMILIES; f++)
		for (code = 0; code < NR_SOURCE_CODES; code++)
			if (is_name(text, source_family_name(f, code)))
				return 0;
	return -EINVAL;
}

/* @known is words with a comma before and behind each; none is there twice. */
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

static void known_values(const struct filter_name *name, char *known,
			 size_t size)
{
	for (unsigned int i = 0; name->is == is_op && i < 6; i++)
		known_add(known, size,
			  pmscope_operation_class_name(i / 2, i % 2));
	for (unsigned int bit = 0; name->is == is_event && bit < 64; bit++)
		known_add(known, size,
			  pmscope_event_name(bit, MIDR_WITH_NAMES));
	if (name->is == is_event)
		known_add(known, size, IMPDEF "n");
	if (name->is != is_source)
		return;
	for (unsigned int f = 0; f < NR_SOURCE_FAMILIES; f++)
		for (uint16_t code = 0; code < NR_SOURCE_CODES; code++)
			known_add(known, size, source_family_name(f, code));
}

static void value_error(const struct filter_name *name, const char *text)
{
	char known[1024] = ",";
	size_t end;

	known_values(name, known, sizeof(known));
	end = strlen(known) - 1;
	known[end] = '\0';
	error("filter: '%s' is not a valid value for %s%s%s%s%s", text,
	      name->name, end ? "; valid values: " : "", end ? known + 1 : "",
	      name->is == is_source ? " or a code" : "",
	      name->number == number_time ? "; expected a time in ns"
	      : name->number		  ? "; expected a number"
					  : "");
}

static int value_parse(struct filter_term *term, char *text)
{
	struct filter_value *value = &term->values[term->nr_values];
	int ret = 0;

	if (term->nr_values == FILTER_VALUES) {
		error("filter: %s: more than %d values", term->name->name,
		      FILTER_VALUES);
		return -EINVAL;
	}
	value->text = text;
	if (term->name->number)
		ret = option_u64(NULL, text, &value->number);
	else if (term->name->is == is_event)
		ret = event_parse(text, value);
	else if (term->name->is == is_op)
		ret = class_parse(text);
	else if (term->name->is == is_source)
		ret = source_parse(text);
	if (!*text || ret) {
		value_error(term->name, text);
		return -EINVAL;
	}
	term->nr_values++;
	return 0;
}

static int op_parse(struct filter_term *term, char **at)
{
	static const char *const ops[] = {
		[FILTER_IS] = "=",
		[FILTER_IS_NOT] = "!=",
		[FILTER_AT_LEAST] = ">=",
		[FILTER_AT_MOST] = "<=",
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strncmp(*at, ops[i], strlen(ops[i])) != 0)
			continue;
		if (i >= FILTER_AT_LEAST && !term->name->number)
			break;
		term->op = i;
		*at += strlen(ops[i]);
		return 0;
	}
	error("filter: %s: missing or invalid operator, for example %s",
	      term->name->name,
	      term->name->number ? "lat>=50" : "op=load|store");
	return -EINVAL;
}

static int term_parse(struct filter *filter, char *text)
{
	size_t length = strcspn(text, "=!<>");
	struct filter_term *term;
	char *value;

	if (filter->nr_terms == FILTER_TERMS) {
		error("filter: more than %d terms", FILTER_TERMS);
		return -EINVAL;
	}
	term = &filter->terms[filter->nr_terms++];
	term->name = name_find(text, length);
	if (!term->name) {
		error("filter: unknown filter '%.*s'; valid filters: %s",
		      (int)length, text, FILTER_NAMES);
		return -EINVAL;
	}
	filter->deps |= term->name->deps;
	text += length;
	if (op_parse(term, &text))
		return -EINVAL;
	while ((value = strsep(&text, "|")))
		if (value_parse(term, value))
			return -EINVAL;
	return 0;
}

const char *filter_term_name(const struct filter_term *term)
{
	return term->name->name;
}

int filter_parse(struct filter *filter, const char *text)
{
	char *term, *at;

	*filter = (struct filter){};
	if (!text || !*text)
		return 0;
	filter->text = at = strdup(text);
	if (!at) {
		error("out of memory");
		return -ENOMEM;
	}
	while ((term = strsep(&at, ",")))
		if (term_parse(filter, term))
			return -EINVAL;
	for (size_t i = 0; i < filter->nr_terms; i++)
		filter->nr_plain += !filter->terms[i].name->deps;
	return 0;
}

void filter_fini(struct filter *filter)
{
	free(filter->text);
}

static bool compare(const struct filter_term *term, uint64_t number,
		    uint64_t wanted)
{
	if (term->op == FILTER_AT_LEAST)
		return number >= wanted;
	if (term->op == FILTER_AT_MOST)
		return number <= wanted;
	return number == wanted;
}

static bool value_holds(const struct filter_term *term, const struct view *v,
			const struct filter_value *value)
{
	const struct filter_name *name = term->name;
	const char *text;
	uint64_t number;

	if (name->number)
		return name->number(v, &number) &&
		       compare(term, number, value->number);
	if (name->is)
		return name->is(v, value);
	text = name->text(v);
	/* As it is first: [heap] is a pattern, too. */
	return text &&
	       (!strcmp(value->text, text) || !fnmatch(value->text, text, 0));
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
		if (!filter->terms[i].name->deps &&
		    !term_holds(&filter->terms[i], view))
			return false;
	return true;
}

bool filter_named(const struct filter *filter, const struct view *view)
{
	for (size_t i = 0; i < filter->nr_terms; i++)
		if (filter->terms[i].name->deps &&
		    !term_holds(&filter->terms[i], view))
			return false;
	return true;
}
