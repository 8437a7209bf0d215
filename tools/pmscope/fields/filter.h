/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects samples: --filter=TERM[,TERM...]. All terms must match. A term is
 * NAME OP VALUE[|VALUE...], OP is one of = != >= <= > <. Numbers may have
 * units: K, M, G; times ns, us, ms, s.
 */
#pragma once

#include "fields/fields.h"

#define FILTER_TERMS	 16
#define FILTER_VALUES	 8
#define FILTER_KNOWN_MAX 1024

enum filter_op {
	FILTER_IS,
	FILTER_IS_NOT,
	FILTER_AT_LEAST,
	FILTER_AT_MOST,
	FILTER_ABOVE,
	FILTER_BELOW,
};

struct filter_value {
	const char *text;
	uint64_t number; /* a number or event bits, else 0 */
	bool of_cpu;	 /* an event whose bit means others on other CPUs */
};

struct filter_term {
	const struct field *field;
	char name[FIELD_NAME_MAX]; /* as the user wrote it, for messages */
	enum filter_op op;
	struct filter_value values[FILTER_VALUES];
	size_t nr_values;
};

/* Initialize to zeros: all samples match. */
struct filter {
	struct filter_term terms[FILTER_TERMS];
	size_t nr_terms;
	size_t nr_plain;   /* terms that need neither thread nor names */
	unsigned int deps; /* enum dep of the other terms */
	char *text;
	char *said; /* all of it, for people; NULL: all samples match */
};

/* Returns 0, or -EINVAL or -ENOMEM after error(). */
int filter_parse(struct filter *filter, const char *text);
void filter_fini(struct filter *filter);

/* The words that are values of a type, with a comma before and after each. */
void filter_known_values(enum field_type type, char *known, size_t size);

/* Does a term select data sources by name? Only some CPUs have names. */
bool filter_names_source(const struct filter *filter);

/* Is @wanted a name of the source, or its code? */
bool filter_source_is(const char *wanted, uint64_t midr, uint16_t code);

/* Do the terms match that need only the record? @view needs no names. */
bool filter_plain(const struct filter *filter, const struct view *view);

/* Do the terms of the time match? They are for counter groups, too. */
bool filter_times(const struct filter *filter, const struct view *view);

/* Do the other terms match? @view must have its names. */
bool filter_named(const struct filter *filter, const struct view *view);
