// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "sample/caches.h"

#include <sys/mman.h>

/* perf record, too, leaves mappings of data out unless it is asked to. */
void name_source_init(struct name_source *from,
		      struct pmscope_recording *recording)
{
	const struct pmscope_perfdata *file =
		pmscope_recording_perfdata(recording);
	const struct pmscope_perf_attr *attr;

	from->recording = recording;
	from->lacks_data = false;
	for (size_t i = 0; file && (attr = pmscope_perfdata_attr(file, i));
	     i++) {
		from->lacks_data |= attr->attr.mmap;
		if (attr->attr.mmap_data) {
			from->lacks_data = false;
			return;
		}
	}
}

/* Not 0, even for pid 0 without mappings: a space of 0 means none. */
static uint64_t space_part(const struct name_source *from, uint32_t pid)
{
	return UINT64_C(0x2545f4914f6cdd1d) +
	       pid * UINT64_C(0xc2b2ae3d27d4eb4f) +
	       pmscope_recording_version(from->recording, pid) *
		       UINT64_C(0x165667b19e3779f9);
}

void thread_cache_renew(struct thread_cache *current,
			const struct name_source *from,
			const struct pmscope_run *run, size_t row)
{
	struct pmscope_sample *s = &current->sample;

	pmscope_recording_run_sample(from->recording, run, row, s);
	current->known = true;
	current->thread = (uintptr_t)s->comm * UINT64_C(0x9fb21c651e98df25) +
			  (uintptr_t)s->cgroup * UINT64_C(0x85ebca77c2b2ae63) +
			  s->tid * UINT64_C(0x165667b19e3779f9) +
			  s->pid * UINT64_C(0xc2b2ae3d27d4eb4f);
	current->on_cpu = hash_finish(current->thread +
				      s->cpu * UINT64_C(0x27d4eb2f165667c5));
	current->user = space_part(from, s->pid);
	current->kernel = space_part(from, PMSCOPE_NO_ID);
}

/* Such code is not found again. */
#define NOBODY UINT64_MAX

_Static_assert(2 << CODE_BITS <= UINT16_MAX + 1, "an index has 16 bits");

/* All is used soon, and page faults one by one would take longer. */
struct symbol_cache *symbol_cache_new(void)
{
	struct symbol_cache *codes =
		mmap(NULL, sizeof(*codes), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (codes == MAP_FAILED)
		return NULL;
	/* All pages point to this one at first; no code uses it. */
	codes->code[0].space = NOBODY;
	return codes;
}

void symbol_cache_free(struct symbol_cache *codes)
{
	if (codes)
		munmap(codes, sizeof(*codes));
}

struct cached_symbol cached_symbol_of(const struct pmscope_symbol *symbol,
				      uint64_t address, uint64_t space)
{
	return (struct cached_symbol){
		.space = space,
		.first = address - symbol->around.before,
		.extent = symbol->around.before + symbol->around.behind,
		.start = address - symbol->offset,
		/* Names are kept once: the same name is at the same place. */
		.key = hash_finish(
			UINT64_C(0x2545f4914f6cdd1d) +
			(uintptr_t)symbol->name * UINT64_C(0xff51afd7ed558ccd) +
			(uintptr_t)symbol->dso * UINT64_C(0xc4ceb9fe1a85ec53)),
		.name = symbol->name,
		.dso = symbol->dso,
	};
}

static struct cached_symbol code_look_up(const struct name_source *from,
					 const struct pmscope_sample *sample,
					 uint64_t pc, uint64_t space)
{
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	pmscope_recording_place(from->recording, sample, pc, &place);
	pmscope_symbols_find(from->symbols, &place, pc, &symbol);
	return cached_symbol_of(&symbol, pc, symbol.changes ? NOBODY : space);
}

/* In its place if it is there already, for other pages. */
static struct cached_symbol *code_keep(struct symbol_cache *codes,
				       const struct cached_symbol *code)
{
	uint64_t hash = hash_finish(code->first * UINT64_C(0x9e3779b97f4a7c15) +
				    code->space);
	struct cached_symbol *pair =
		&codes->code[hash >> (64 - CODE_BITS) << 1];

	for (int i = 0; i < 2; i++)
		if (pair[i].space == code->space &&
		    pair[i].first == code->first)
			return &pair[i];
	pair += codes->second;
	codes->second = !codes->second;
	*pair = *code;
	return pair;
}

/* Applies to all addresses in the page of @pc. */
static void page_mark(struct symbol_cache *codes,
		      const struct cached_symbol *code, uint64_t pc)
{
	uint16_t *page = code_page(codes, pc, code->space);
	uint64_t first = pc & -(UINT64_C(1) << PAGE_SHIFT);
	uint64_t last = first + (1 << PAGE_SHIFT) - 1;

	first = MAX(first, code->first);
	if (last - code->first > code->extent)
		last = code->first + code->extent;
	for (uint64_t i = first >> GRAIN_SHIFT; i <= last >> GRAIN_SHIFT; i++)
		page[i & (PAGE_GRAINS - 1)] = code - codes->code;
}

/* If two share an entry, the next one may still have its own. */
static struct cached_symbol *code_beside(struct symbol_cache *codes,
					 uint64_t space, uint64_t pc)
{
	const uint64_t grain = 1 << GRAIN_SHIFT;
	struct cached_symbol *code = code_at(codes, space, pc - grain, pc);

	return code ? code : code_at(codes, space, pc + grain, pc);
}

struct cached_symbol *symbol_cache_fill(struct symbol_cache *codes,
					const struct name_source *from,
					const struct thread_cache *current)
{
	const struct pmscope_sample *sample = &current->sample;
	uint64_t pc = code_pc(sample, sample->row);
	uint64_t space = code_space(pc, current);
	struct cached_symbol *kept = code_beside(codes, space, pc);
	struct cached_symbol code;

	if (kept)
		return kept;
	code = code_look_up(from, sample, pc, space);
	if (code.space == NOBODY) {
		codes->code[0] = code;
		return &codes->code[0];
	}
	kept = code_keep(codes, &code);
	page_mark(codes, kept, pc);
	return kept;
}
