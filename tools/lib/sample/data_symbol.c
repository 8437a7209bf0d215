// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "sample/caches.h"
#include "base/space.h"
#include "base/names.h"

/* Addresses that share an entry: small variables lie close to each other, */
#define NEAR_SHIFT 8
#define NEAR_BITS  12
/* but large ones are only found again where far more addresses share one. */
#define WIDE_SHIFT 21
#define WIDE_BITS  11

/* Members are found again by their place in the variable. */
#define MEMBER_BITS 12

struct known_member {
	uint64_t space;
	uint64_t start; /* of the variable */
	uint64_t offset;
	const char *path;
};

/* Blocks of the heap are named by where they were allocated. */
#define SITE_BITS 10

struct known_site {
	uint32_t number;
	uint64_t size; /* of the block that was found last */
	struct pmscope_site site;
	struct cached_symbol symbol;
};

/* What memory an instruction uses. */
#define MEMORY_BITS 10

struct known_memory {
	uint64_t space;
	uint64_t pc;
	unsigned int memory;
	const char *path;
};

struct data_symbols {
	struct cached_symbol near[1 << NEAR_BITS];
	struct cached_symbol wide[1 << WIDE_BITS];
	struct known_member members[1 << MEMBER_BITS];
	struct known_memory memories[1 << MEMORY_BITS];
	struct known_site sites[1 << SITE_BITS];
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
	for (size_t i = 0; i < 1 << MEMBER_BITS; i++)
		v->members[i].space = UINT64_MAX;
	for (size_t i = 0; i < 1 << MEMORY_BITS; i++)
		v->memories[i].space = UINT64_MAX;
	for (size_t i = 0; i < 1 << SITE_BITS; i++)
		v->sites[i].symbol.space = UINT64_MAX;
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
static void look_below(const struct name_source *from,
		       const struct pmscope_sample *sample, uint64_t va,
		       struct pmscope_symbol *symbol)
{
	const struct pmscope_around around = symbol->around;
	struct pmscope_symbol in_bss;
	struct pmscope_place place;

	if (!pmscope_recording_place_below(from->recording, sample, va, &place))
		return;
	if (!pmscope_symbols_find_data(from->symbols, &place, va, &in_bss))
		*symbol = in_bss;
	symbol->around = in_bss.around;
	around_begins(&symbol->around, around.before);
	around_ends(&symbol->around, around.behind);
}

/*
 * Without mappings of data, what follows the code of a file may be anything:
 * loaders map all of a file before the parts.
 */
static struct cached_symbol look_up(const struct name_source *from,
				    const struct pmscope_sample *sample,
				    uint64_t va, uint64_t space)
{
	struct pmscope_symbol symbol = {.around = {va, INT64_MAX - va}};
	struct pmscope_place place;

	if (from->lacks_data && !(va >> 63))
		return cached_symbol_of(&symbol, va, space);

	pmscope_recording_place(from->recording, sample, va, &place);
	if (pmscope_symbols_find_data(from->symbols, &place, va, &symbol))
		look_below(from, sample, va, &symbol);
	return cached_symbol_of(&symbol, va, space);
}

static struct cached_symbol *find_variable(struct data_symbols *v,
					   const struct name_source *from,
					   const struct pmscope_sample *sample,
					   uint64_t va, uint64_t space)
{
	struct cached_symbol *near, *wide;

	near = &v->near[slot(va >> NEAR_SHIFT, space, NEAR_BITS)];
	if (covers(near, va, space))
		return near;
	wide = &v->wide[slot(va >> WIDE_SHIFT, space, WIDE_BITS)];
	if (covers(wide, va, space))
		return wide;
	*near = *wide = look_up(from, sample, va, space);
	return near;
}

bool data_place(const struct name_source *from,
		const struct pmscope_sample *sample, uint64_t va,
		struct pmscope_place *place)
{
	struct pmscope_symbol symbol;

	pmscope_recording_place(from->recording, sample, va, place);
	return !pmscope_symbols_find_data(from->symbols, place, va, &symbol) ||
	       (pmscope_recording_place_below(from->recording, sample, va,
					      place) &&
		!pmscope_symbols_find_data(from->symbols, place, va, &symbol));
}

static struct known_member *member_slot(struct data_symbols *v, uint64_t space,
					uint64_t start, uint64_t offset)
{
	return &v->members[slot(offset, space + start, MEMBER_BITS)];
}

static bool is_member(const struct known_member *known, uint64_t space,
		      uint64_t start, uint64_t offset)
{
	return known->space == space && known->start == start &&
	       known->offset == offset;
}

/* Each place of a variable is looked up once, or of one element of an array. */
static const char *find_member(struct data_symbols *v,
			       const struct name_source *from,
			       const struct pmscope_sample *sample, uint64_t va,
			       struct cached_symbol *variable)
{
	uint64_t offset = va - variable->start;
	struct pmscope_member member = {};
	struct known_member *known;
	struct pmscope_place place;

	if (variable->stride)
		offset %= variable->stride;
	known = member_slot(v, variable->space, variable->start, offset);
	if (is_member(known, variable->space, variable->start, offset))
		return known->path;
	if (data_place(from, sample, va, &place))
		pmscope_symbols_member(from->symbols, &place, va, &member);
	if (member.stride <= UINT32_MAX)
		variable->stride = member.stride;
	*known = (struct known_member){variable->space, variable->start, offset,
				       member.path};
	return member.path;
}

/* What no mapping tells, the instruction may. */
static void find_memory(struct data_symbols *v, const struct name_source *from,
			const struct thread_cache *current,
			struct data_names *names)
{
	const struct pmscope_sample *sample = &current->sample;
	uint64_t pc = code_pc(sample, sample->row);
	uint64_t space = code_space(pc, current);
	struct known_memory *known = &v->memories[slot(pc, space, MEMORY_BITS)];
	struct pmscope_place place;
	int memory;

	if (known->space != space || known->pc != pc) {
		*known = (struct known_memory){space, pc, 0, NULL};
		pmscope_recording_place(from->recording, sample, pc, &place);
		memory = pmscope_symbols_memory(from->symbols, &place, pc,
						&known->path);
		known->memory = memory < 0 ? PMSCOPE_MEMORY_UNKNOWN : memory;
	}
	names->memory = known->memory;
	names->member = known->path;
}

static struct cached_symbol look_up_site(const struct name_source *from,
					 const struct pmscope_sample *sample,
					 const struct pmscope_block *block,
					 uint64_t space,
					 struct pmscope_site *site)
{
	struct pmscope_symbol symbol = {.dso = "[heap]"};
	struct pmscope_place places[PMSCOPE_CALLERS_MAX];
	uint64_t callers[PMSCOPE_CALLERS_MAX];
	size_t nr = 0;

	for (; nr < block->nr_callers; nr++) {
		callers[nr] = block->callers[nr] - 1;
		pmscope_recording_place(from->recording, sample, callers[nr],
					&places[nr]);
	}
	pmscope_symbols_site(from->symbols, places, callers, nr, site);
	symbol.name = site->name;
	return cached_symbol_of(&symbol, block->start, space);
}

static struct known_site *find_block(struct data_symbols *v,
				     const struct name_source *from,
				     const struct pmscope_sample *sample,
				     uint64_t va, uint64_t space)
{
	struct pmscope_block block;
	struct known_site *known;

	if (!pmscope_recording_block(from->recording, sample, va, &block))
		return NULL;
	known = &v->sites[slot(block.site, space, SITE_BITS)];
	if (known->symbol.space != space || known->number != block.site) {
		known->number = block.site;
		known->symbol =
			look_up_site(from, sample, &block, space, &known->site);
	}
	known->symbol.start = block.start;
	known->size = block.size;
	return known;
}

/* As find_member(), but all blocks of a site have the same ones. */
static const char *find_block_member(struct data_symbols *v,
				     const struct name_source *from,
				     struct known_site *site, uint64_t va)
{
	struct cached_symbol *symbol = &site->symbol;
	uint64_t offset = va - symbol->start;
	struct pmscope_member member = {};
	uint64_t key = site->number;
	struct known_member *known;

	if (symbol->stride && offset >= site->site.start) {
		offset -= site->site.start;
		offset = site->site.start + offset % symbol->stride;
		key |= (uint64_t)(site->size >= 2 * symbol->stride) << 32;
	}
	known = member_slot(v, symbol->space, key, offset);
	if (is_member(known, symbol->space, key, offset))
		return known->path;
	pmscope_symbols_site_member(from->symbols, &site->site, site->size,
				    offset, &member);
	if (member.stride <= UINT32_MAX)
		symbol->stride = member.stride;
	*known = (struct known_member){symbol->space, key, offset, member.path};
	return member.path;
}

struct data_names data_names_find(struct data_symbols *v,
				  const struct name_source *from,
				  const struct thread_cache *current,
				  unsigned int deps)
{
	const struct pmscope_sample *sample = &current->sample;
	struct data_names names = {};
	struct known_site *block;
	uint64_t va;

	if (!(sample->batch->has[sample->row] & PMSCOPE_HAS_VA))
		return names;
	va = pmscope_data_address(sample->batch->va[sample->row]);
	block = find_block(v, from, sample, va, current->user);
	if (block) {
		names.variable = &block->symbol;
		if (deps & DEP_MEMBER)
			names.member = find_block_member(v, from, block, va);
		return names;
	}
	names.variable =
		find_variable(v, from, sample, va, code_space(va, current));
	if (!(deps & DEP_MEMBER))
		return names;
	if (names.variable->name)
		names.member = find_member(v, from, sample, va, names.variable);
	else if (!(va >> 63) &&
		 !(names.variable->dso && is_file_name(names.variable->dso)) &&
		 sample->batch->has[sample->row] & PMSCOPE_HAS_PC)
		find_memory(v, from, current, &names);
	return names;
}
