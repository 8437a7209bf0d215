// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/data_symbol.h"
#include "base/around.h"

#include <stdlib.h>

/* Addresses that share an entry: small variables lie close to each other, */
#define NEAR_SHIFT 8
#define NEAR_BITS  12
/* but large ones are only found again where far more addresses share one. */
#define WIDE_SHIFT 21
#define WIDE_BITS  11

struct data_symbols {
	struct cached_symbol near[1 << NEAR_BITS];
	struct cached_symbol wide[1 << WIDE_BITS];
};

struct data_symbols *data_symbols_new(void)
{
	struct data_symbols *v =
		aligned_alloc(alignof(struct cached_symbol), sizeof(*v));

	if (!v)
		return NULL;
	/* Nobody's, unlike zeros. */
	for (size_t i = 0; i < 1 << NEAR_BITS; i++)
		v->near[i].space = UINT64_MAX;
	for (size_t i = 0; i < 1 << WIDE_BITS; i++)
		v->wide[i].space = UINT64_MAX;
	return v;
}

void data_symbols_free(struct data_symbols *variables)
{
	free(variables);
}

static size_t slot(uint64_t part, uint64_t space, unsigned int bits)
{
	uint64_t sum = part * UINT64_C(0x9e3779b97f4a7c15) + space;

	return sum * UINT64_C(0xe7037ed1a0b428db) >> (64 - bits);
}

static bool covers(const struct cached_symbol *variable, uint64_t va,
		   uint64_t space)
{
	return variable->space == space &&
	       va - variable->first <= variable->extent;
}

/*
 * The start of memory without a file may be the .bss of the mapping below it.
 */
static void look_below(const struct load *load,
		       const struct pmscope_sample *sample, uint64_t va,
		       struct pmscope_symbol *symbol)
{
	const struct pmscope_around around = symbol->around;
	struct pmscope_symbol in_bss;
	struct pmscope_place place;

	if (!pmscope_recording_place_below(load->recording, sample, va, &place))
		return;
	if (!pmscope_symbols_find_data(load->symbols, &place, va, &in_bss))
		*symbol = in_bss;
	symbol->around = in_bss.around;
	around_begins(&symbol->around, around.before);
	around_ends(&symbol->around, around.behind);
}

static struct cached_symbol look_up(const struct load *load,
				    const struct pmscope_sample *sample,
				    uint64_t va, uint64_t space)
{
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	pmscope_recording_place(load->recording, sample, va, &place);
	if (pmscope_symbols_find_data(load->symbols, &place, va, &symbol))
		look_below(load, sample, va, &symbol);
	return cached_symbol_of(&symbol, va, space);
}

const struct cached_symbol *data_symbol_find(struct data_symbols *v,
					     const struct load *load,
					     const struct thread_cache *current)
{
	const struct pmscope_sample *sample = &current->sample;
	struct cached_symbol *near, *wide;
	uint64_t va, space;

	if (!(sample->batch->has[sample->row] & PMSCOPE_HAS_VA))
		return NULL;
	va = pmscope_data_address(sample->batch->va[sample->row]);
	space = code_space(va, current);
	near = &v->near[slot(va >> NEAR_SHIFT, space, NEAR_BITS)];
	if (covers(near, va, space))
		return near;
	wide = &v->wide[slot(va >> WIDE_SHIFT, space, WIDE_BITS)];
	if (covers(wide, va, space))
		return wide;
	*near = *wide = look_up(load, sample, va, space);
	return near;
}
