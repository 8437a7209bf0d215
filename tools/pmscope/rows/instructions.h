/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows by instruction: where the functions are that have them, so that code and
 * source lines can be looked up after the pass over the samples.
 */
#ifndef PMSCOPE_ROWS_INSTRUCTIONS_H
#define PMSCOPE_ROWS_INSTRUCTIONS_H

#include <pmscope/symbols.h>

#include "base/build_id.h"
#include "base/keyed.h"

struct load;
struct row;
struct row_table;
struct view;

/* The keys of such a table; two functions of one name have unlike starts. */
enum {
	INSTRUCTION_SYM,
	INSTRUCTION_DSO,
	INSTRUCTION_START, /* of the function, in its file */
	INSTRUCTION_OFFSET,
	INSTRUCTION_KEYS
};

/**
 * struct row_place - where a function is
 * @place: of its first byte, for the first sample in it
 * @build_id: that of @place
 * @address: recorded address of its first byte
 * @size: how far its symbol extends
 */
struct row_place {
	struct pmscope_place place;
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t address;
	uint64_t size;
};

/* Initialize to zeros. */
struct row_places {
	KEYED(struct row_place, all, nr, of_function);
};

/* Gives an empty table the keys above, and all latencies. */
void row_table_by_instruction(struct row_table *table);

/*
 * Keeps where the function of @row is, as @view shows it. Returns 0 or -ENOMEM.
 */
int row_places_add(struct row_table *table, const struct row *row,
		   const struct view *view, const struct load *load);

/* Adds the place of @other, a row of @from like @row. Returns 0 or -ENOMEM. */
int row_places_join(struct row_table *table, const struct row *row,
		    const struct row_table *from, const struct row *other);

/* Sets @place. Returns false if the row has no known function. */
bool row_place_of(const struct row_table *table, const struct row *row,
		  struct row_place *place);
void row_places_fini(struct row_places *places);

#endif /* PMSCOPE_ROWS_INSTRUCTIONS_H */
