/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows by instruction: where the functions are that have them, so that code and
 * source lines can be looked up after the pass over the samples.
 */
#pragma once

#include <pmscope/symbols.h>

#include "base/build_id.h"
#include "base/map.h"

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

/* Sets where the function is that @view shows. */
void row_place_set(struct row_place *place, const struct view *view,
		   const struct load *load);

/*
 * Keeps where the function of @row is, as @view shows it. Returns 0 or -ENOMEM.
 */
int row_places_add(struct row_table *table, const struct row *row,
		   const struct view *view, const struct load *load);

/* Adds the place of @other, a row of @from like @row. Returns 0 or -ENOMEM. */
int row_places_join(struct row_table *table, const struct row *row,
		    const struct row_table *from, const struct row *other);

/**
 * struct slow_code - an instruction whose operations took long
 * @row: number of its row
 * @cause: for which
 * @at: where it is in its file
 * @offset: where it is in its function
 * @cycles: more than SLOW_CYCLES at a time; mispredictions of a branch
 */
struct slow_code {
	uint32_t row;
	uint32_t cause;
	uint64_t at;
	uint64_t offset;
	uint64_t cycles;
};

#define SLOW_CODES_MAX (1U << 18)

/* Those of all rows, and a place for each of these. Initialize to zeros. */
struct slow_codes {
	KEYED(struct slow_code, all, nr, of_code);
	KEYED(struct row_place, places, nr_places, of_row);
	bool left_out; /* there are more */
};

/* Adds the cycles of @code if it is there already. */
bool slow_codes_count(struct slow_codes *codes, const struct slow_code *code);

/*
 * The same, or adds it with the place of its function. Returns 0 or -ENOMEM,
 * and so does the next.
 */
int slow_codes_add(struct slow_codes *codes, const struct slow_code *code,
		   const struct row_place *place);

/* Adds the waits of @row, an instruction of @from, to row number @number. */
int slow_codes_roll_up(struct slow_codes *codes, uint32_t number,
		       const struct row_table *from, const struct row *row);
void slow_codes_fini(struct slow_codes *codes);

/* Sets @place. Returns false if the row has no known function. */
bool row_place_of(const struct row_table *table, const struct row *row,
		  struct row_place *place);
void row_places_fini(struct row_places *places);
