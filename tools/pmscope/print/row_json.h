/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a row in JSON, the same in all views. */
#ifndef PMSCOPE_PRINT_ROW_JSON_H
#define PMSCOPE_PRINT_ROW_JSON_H

#include "print/json.h"
#include "rows/rows.h"

/* Writes the values of the keys. */
void row_json_values(struct json *json, const struct row_table *table,
		     const struct row *row);

/* The same, then samples and share. */
void row_json_keys(struct json *json, const struct row_table *table,
		   const struct row *row);

/*
 * Writes latencies, events and sources. @parts is of row_parts_of(), after
 * row_parts_finish().
 */
void row_json_parts(struct json *json, const struct row_table *table,
		    const struct row *row, const struct row_parts *parts);

/* Writes the members "code" and "name" of a data source. */
void row_json_source(struct json *json, uint16_t code, const char *name);

#endif /* PMSCOPE_PRINT_ROW_JSON_H */
