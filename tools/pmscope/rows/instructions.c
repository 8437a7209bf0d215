// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/rows.h"
#include "base/hash.h"

uint64_t row_hash(const uint64_t *values, size_t nr)
{
	uint64_t seed = table_seed(), hash = seed;

	for (size_t i = 0; i < nr; i++)
		hash = hash_word(seed, hash, values[i]);
	return hash;
}

static bool get_start(const struct view *view, uint64_t *value)
{
	*value = view->file_offset - view->symbol.offset;
	return view->symbol.name;
}

/* Distinguishes rows, and is never printed. */
static const struct field start = {
	.name = "start",
	.type = FIELD_ADDRESS,
	.deps = DEP_CODE | DEP_OFFSET,
	.number = get_start,
};

static const struct field *key_of(const char *name)
{
	return field_find(name, strlen(name), FIELD_SORT);
}

void row_table_by_instruction(struct row_table *table)
{
	table->keys[INSTRUCTION_SYM] = key_of("sym");
	table->keys[INSTRUCTION_DSO] = key_of("dso");
	table->keys[INSTRUCTION_START] = &start;
	table->keys[INSTRUCTION_OFFSET] = key_of("symoff");
	table->nr_keys = INSTRUCTION_KEYS;
	for (size_t i = 0; i < table->nr_keys; i++)
		table->deps |= table->keys[i]->deps;
	table->all_latencies = true;
	table->with_places = true;
}

static uint64_t function_hash(const struct row *row)
{
	return row_hash(row->values, INSTRUCTION_OFFSET);
}

void row_place_set(struct row_place *place, const struct view *view,
		   const struct load *load)
{
	const struct pmscope_symbol *symbol = &view->symbol;
	uint64_t size = symbol->offset + symbol->around.behind + 1;

	pmscope_recording_place(load->recording, view->sample, view->pc,
				&place->place);
	if (place->place.build_id_size > BUILD_ID_MAX)
		place->place.build_id_size = BUILD_ID_MAX;
	if (place->place.build_id_size)
		memcpy(place->build_id, place->place.build_id,
		       place->place.build_id_size);
	place->place.file_offset -= symbol->offset;
	place->place.symbol_offset -= symbol->offset;
	place->address = view->pc - symbol->offset;
	place->size = size > symbol->offset ? size : UINT64_MAX;
}

/* Several functions have no place together. */
static bool is_others(const struct row_table *table, const struct row *row)
{
	return table->others && row == &table->rows[table->others - 1];
}

int row_places_add(struct row_table *table, const struct row *row,
		   const struct view *view, const struct load *load)
{
	struct row_place place = {};
	uint64_t hash;
	uint32_t index;

	if (!view->symbol.name || is_others(table, row))
		return 0;
	hash = function_hash(row);
	if (keyed_find(&table->places.of_function, hash, &index))
		return 0;
	row_place_set(&place, view, load);
	return keyed_add(&table->places.of_function, sizeof(place), hash,
			 &place, &index);
}

int row_places_join(struct row_table *table, const struct row *row,
		    const struct row_table *from, const struct row *other)
{
	const struct row_place *place;
	uint32_t index;

	if (!from->with_places || is_others(table, row) ||
	    !keyed_find(&from->places.of_function, function_hash(other),
			&index))
		return 0;
	place = &from->places.all[index];
	return keyed_get(&table->places.of_function, sizeof(*place),
			 function_hash(row), place, &index);
}

bool row_place_of(const struct row_table *table, const struct row *row,
		  struct row_place *place)
{
	uint32_t index;

	if (!keyed_find(&table->places.of_function, function_hash(row), &index))
		return false;
	*place = table->places.all[index];
	place->place.build_id = place->build_id;
	return true;
}

void row_places_fini(struct row_places *places)
{
	keyed_fini(&places->of_function);
}

static uint64_t slow_hash(const struct slow_code *code)
{
	const uint64_t key[] = {code->row, code->cause, code->at};

	return row_hash(key, 3);
}

bool slow_codes_count(struct slow_codes *codes, const struct slow_code *code)
{
	uint32_t index;

	if (!keyed_find(&codes->of_code, slow_hash(code), &index))
		return false;
	codes->all[index].cycles += code->cycles;
	return true;
}

int slow_codes_add(struct slow_codes *codes, const struct slow_code *code,
		   const struct row_place *place)
{
	uint32_t index;

	if (slow_codes_count(codes, code))
		return 0;
	codes->left_out |= codes->nr == SLOW_CODES_MAX;
	if (codes->left_out)
		return 0;
	return keyed_get(&codes->of_row, sizeof(*place), code->row, place,
			 &index)
		       ?: keyed_add(&codes->of_code, sizeof(*code),
				    slow_hash(code), code, &index);
}

int slow_codes_roll_up(struct slow_codes *codes, uint32_t number,
		       const struct row_table *from, const struct row *row)
{
	struct slow_code code = {
		.row = number,
		.at = row->values[INSTRUCTION_START] +
		      row->values[INSTRUCTION_OFFSET],
		.offset = row->values[INSTRUCTION_OFFSET],
	};
	struct row_place place;
	int ret = 0;

	if (!row_place_of(from, row, &place))
		return 0;
	for (int k = 0; k < NR_CAUSES && !ret; k++) {
		const struct row_wait *wait = row_waits_at(row->waits, k);

		if (!wait)
			continue;
		code.cause = k;
		code.cycles = k == CAUSE_BRANCH ? wait->samples : wait->slow;
		if (code.cycles && k != CAUSE_NONE)
			ret = slow_codes_add(codes, &code, &place);
		code.cause = CAUSE_TLB;
		code.cycles = wait->slow_translate;
		if (code.cycles && !ret)
			ret = slow_codes_add(codes, &code, &place);
	}
	return ret;
}

void slow_codes_fini(struct slow_codes *codes)
{
	keyed_fini(&codes->of_code);
	keyed_fini(&codes->of_row);
}
