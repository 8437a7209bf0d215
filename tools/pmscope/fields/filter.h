/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects samples: --filter=TERM[,TERM...]. All terms must match. A term is
 * NAME OP VALUE[|VALUE...], OP is one of = != >= <=.
 */
#ifndef PMSCOPE_FIELDS_FILTER_H
#define PMSCOPE_FIELDS_FILTER_H

#include "fields/fields.h"

#define FILTER_TERMS  16
#define FILTER_VALUES 8

enum filter_op {
	FILTER_IS,
	FILTER_IS_NOT,
	FILTER_AT_LEAST,
	FILTER_AT_MOST,
};

struct filter_value {
	const char *text;
	uint64_t number; /* of numbers and of events, else 0 */
	bool of_cpu;	 /* an event whose bit other CPUs use otherwise */
};

struct filter_term {
	const struct field *field;
	char name[FIELD_NAME_MAX]; /* it was given by, for messages */
	enum filter_op op;
	struct filter_value values[FILTER_VALUES];
	size_t nr_values;
};

/* Zeros let everything through. */
struct filter {
	struct filter_term terms[FILTER_TERMS];
	size_t nr_terms;
	size_t nr_plain;   /* terms that need neither thread nor names */
	unsigned int deps; /* enum dep, of the others */
	char *text;
};

/* Returns 0, or -EINVAL or -ENOMEM after error(). */
int filter_parse(struct filter *filter, const char *text);
void filter_fini(struct filter *filter);

/* Is there a term of a source by its name, which some CPUs have? */
bool filter_names_source(const struct filter *filter);

/* Is this what a person calls the source, or its code? */
bool filter_source_is(const char *wanted, uint64_t midr, uint16_t code);

/* The terms of the record alone: @view needs no names. */
bool filter_plain(const struct filter *filter, const struct view *view);

/* The other terms: @view has its names. */
bool filter_named(const struct filter *filter, const struct view *view);

#endif /* PMSCOPE_FIELDS_FILTER_H */
