// SPDX-License-Identifier: GPL-2.0-or-later
#include "code/code.h"

#include <elf.h>

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;

	for (size_t i = 0; i < INSTRUCTION_KEYS; i++)
		if (x->values[i] != y->values[i])
			return x->values[i] < y->values[i] ? -1 : 1;
	return 0;
}

static bool is_same(const struct row *x, const struct row *y)
{
	return !memcmp(x->values, y->values,
		       INSTRUCTION_OFFSET * sizeof(x->values[0]));
}

/* The function that begins at @rows; at most @nr rows. */
static struct function function_at(const struct row_table *table,
				   const struct row **rows, size_t nr)
{
	struct function f = {
		.sym = row_value(table, rows[0], INSTRUCTION_SYM, NULL, 0),
		.dso = row_value(table, rows[0], INSTRUCTION_DSO, NULL, 0),
		.rows = rows,
	};

	f.placed = row_place_of(table, rows[0], &f.place);
	while (f.nr_rows < nr && is_same(rows[0], rows[f.nr_rows])) {
		const struct row *row = rows[f.nr_rows++];

		f.samples += row->samples;
		f.weight += row_plain_weight(table, row);
		f.own += row->own;
	}
	return f;
}

static COMPARISON(compare_functions, struct function,
		  COMPARE(y->weight, x->weight) ?: strcmp(x->sym, y->sym)
		  ?: strcmp(x->dso, y->dso)
		  ?: COMPARE(x->place.address, y->place.address));

static size_t count_functions(const struct row **rows, size_t nr)
{
	size_t functions = 0;

	for (size_t i = 0; i < nr; i++)
		functions += !i || !is_same(rows[i], rows[i - 1]);
	return functions;
}

int functions_find(struct functions *functions, const struct row_table *table)
{
	size_t nr = table->nr_rows;

	*functions = (struct functions){};
	if (!nr)
		return 0;
	functions->rows = calloc(nr, sizeof(*functions->rows));
	if (!functions->rows)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		functions->rows[i] = &table->rows[i];
	qsort(functions->rows, nr, sizeof(*functions->rows), compare_rows);
	functions->all = calloc(count_functions(functions->rows, nr),
				sizeof(*functions->all));
	if (!functions->all)
		return -ENOMEM;
	for (size_t i = 0; i < nr;) {
		struct function *f = &functions->all[functions->nr++];

		*f = function_at(table, functions->rows + i, nr - i);
		i += f->nr_rows;
	}
	qsort(functions->all, functions->nr, sizeof(*functions->all),
	      compare_functions);
	return 0;
}

void functions_fini(struct functions *functions)
{
	free(functions->all);
	free(functions->rows);
	*functions = (struct functions){};
}

double function_share(const struct row_table *table,
		      const struct function *function)
{
	uint64_t all = table->by_time	   ? table->ticks
		       : table->by_cost	   ? table->own_cycles
		       : table->by_latency ? table->total.sum
					   : table->samples;

	return all ? (double)function->weight / all : 0;
}

/* The place of the byte at @offset; its build-id is @function's. */
static struct pmscope_place place_at(const struct function *function,
				     uint64_t offset)
{
	struct pmscope_place place = function->place.place;

	place.build_id = function->place.build_id;
	place.file_offset += offset;
	place.symbol_offset += offset;
	place.around = (struct pmscope_around){};
	return place;
}

/* Symbols may end early: samples show that the function goes on. */
static uint64_t size_of(const struct function *function)
{
	uint64_t last = function_offset(function->rows[function->nr_rows - 1]);
	uint64_t size = function->place.size;

	if (last < FUNCTION_CODE_MAX && size < last + INSN_SIZE)
		size = last + INSN_SIZE;
	return size;
}

static int read_bytes(struct function_code *code, const struct load *load,
		      const struct function *function, const char *objdump,
		      uint8_t *bytes, size_t size)
{
	const struct pmscope_place place = place_at(function, 0);
	int ret = pmscope_symbols_code(load->symbols, &place,
				       function->place.address, bytes, size,
				       &code->code);

	if (!ret && code->code.machine != EM_AARCH64)
		ret = -ENOEXEC;
	code->error = ret;
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	return disassemble(objdump, bytes, code->code.size, code->code.address,
			   &code->insns);
}

int function_code_read(struct function_code *code, const struct load *load,
		       const struct function *function, const char *objdump)
{
	uint64_t size;
	FREED uint8_t *bytes = NULL;

	*code = (struct function_code){.error = -ENXIO};
	if (!function->placed)
		return 0;
	size = size_of(function);
	code->cut = size > FUNCTION_CODE_MAX;
	if (code->cut)
		size = FUNCTION_CODE_MAX;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	return read_bytes(code, load, function, objdump, bytes, size);
}

void function_code_fini(struct function_code *code)
{
	insns_fini(&code->insns);
}

const char *function_code_why(const struct function_code *code)
{
	switch (code->error) {
	case 0:
		return NULL;
	case -ENXIO:
		return "no symbol is known for it";
	case -ENOENT:
		return "no file with its code was found; --symfs=DIR, ~/.debug "
		       "or DEBUGINFOD_URLS may bring it";
	case -ENODATA:
		return "the file that has its symbols has no code";
	case -ENOEXEC:
		return "its file is not arm64 code";
	default:
		return strerror(-code->error);
	}
}

bool function_line(const struct load *load, const struct function *function,
		   uint64_t offset, struct pmscope_line *line)
{
	const struct pmscope_place place = place_at(function, offset);

	*line = (struct pmscope_line){};
	return function->placed &&
	       !pmscope_symbols_line(load->symbols, &place,
				     function->place.address + offset, line);
}

int code_find(struct code_found *found, const struct load *load,
	      const struct row_place *place, uint64_t at)
{
	const struct function function = {.place = *place};
	uint64_t behind = at - place->place.file_offset;
	uint64_t address = place->address + behind;
	const struct pmscope_place there = place_at(&function, behind);
	uint8_t bytes[INSN_SIZE];
	struct pmscope_code code;
	int ret;

	*found = (struct code_found){};
	pmscope_symbols_line(load->symbols, &there, address, &found->line);
	ret = pmscope_symbols_code(load->symbols, &there, address, bytes,
				   sizeof(bytes), &code);
	if (ret || code.size != sizeof(bytes) || code.machine != EM_AARCH64)
		return ret == -ENOMEM ? ret : 0;
	return disassemble(NULL, bytes, sizeof(bytes), code.address,
			   &found->insns);
}

/* In the file of a module, branches to other functions are not linked yet. */
static bool is_linked(const struct function *function,
		      const struct function_code *code)
{
	return !function->place.place.kernel ||
	       code->code.address == function->place.address;
}

bool function_branch(const struct load *load, const struct function *function,
		     const struct function_code *code, const struct insn *insn,
		     struct pmscope_symbol *symbol)
{
	uint64_t offset = insn->target - code->code.address;
	const struct pmscope_place place = place_at(function, offset);

	*symbol = (struct pmscope_symbol){};
	return insn->branches && offset >= code->code.size &&
	       is_linked(function, code) &&
	       !pmscope_symbols_find(load->symbols, &place,
				     function->place.address + offset, symbol);
}
