/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What a pass over a recording keeps of threads, code and data. */
#pragma once

#include "base/record.h"
#include "sample/fields.h"

#include <stdalign.h>

/* Where the names of samples come from. */
struct name_source {
	struct pmscope_recording *recording;
	struct pmscope_symbols *symbols;
	bool lacks_data; /* mappings of data were not recorded */
};

/* Sets @recording and @lacks_data. perf record, too, leaves them out. */
void name_source_init(struct name_source *from,
		      struct pmscope_recording *recording);

/*
 * Caches the thread of the newest row of a run, and hashes of its values: the
 * next row nearly always belongs to the same thread.
 */

/* The thread of the newest row */
struct thread_cache {
	bool known;	  /* the other members are valid */
	uint64_t epoch;	  /* epoch of its run */
	uint32_t running; /* running thread of its run */
	uint32_t context; /* TID in the record's Context packet */
	uint64_t thread;  /* process, thread, name, before hash_finish() */
	uint64_t on_cpu;  /* the same with the CPU, after hash_finish() */
	uint64_t user;	  /* of the process and its mappings' version */
	uint64_t kernel;  /* the same for the kernel */
	struct pmscope_sample sample; /* sample of the row */
};

/* One per CPU, or per few CPUs. */
#define THREAD_CACHES 64

/* Finishes a hash: a sum of products with different odd numbers. */
static inline uint64_t hash_finish(uint64_t sum)
{
	__uint128_t product = (__uint128_t)sum * UINT64_C(0xe7037ed1a0b428db);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* The cache for the rows of @run. */
static inline struct thread_cache *
thread_cache_of(struct thread_cache *currents, const struct pmscope_run *run)
{
	struct thread_cache *current = &currents[run->cpu % THREAD_CACHES];

	current->known = current->known && current->epoch == run->epoch &&
			 current->running == run->running &&
			 current->sample.cpu == run->cpu &&
			 run->tid == PMSCOPE_NO_ID;
	current->epoch = run->epoch;
	current->running = run->running;
	current->sample.batch = run->batch;
	current->sample.interval = run->interval;
	return current;
}

/* Slow path of thread_cache_set(): another thread. */
void thread_cache_renew(struct thread_cache *current,
			const struct name_source *from,
			const struct pmscope_run *run, size_t row);

/* Sets the sample to @row, except its time: see thread_cache_set_time(). */
static inline void thread_cache_set(struct thread_cache *current,
				    const struct name_source *from,
				    const struct pmscope_run *run, size_t row)
{
	uint32_t context = context_tid(run->batch, row);

	current->sample.row = row;
	if (current->known && current->context == context)
		return;
	current->context = context;
	thread_cache_renew(current, from, run, row);
}

/* Sets the time of the sample as well. */
static inline void thread_cache_set_time(struct thread_cache *current,
					 const struct name_source *from)
{
	struct pmscope_sample *s = &current->sample;
	const struct pmscope_batch *b = s->batch;

	s->has_time = b->has[s->row] & PMSCOPE_HAS_TIMESTAMP &&
		      pmscope_recording_time(from->recording,
					     b->timestamp[s->row], &s->time);
}

/* A cache for the symbol of each record's code: hot code is looked up once. */

#define CODE_BITS  12 /* log2 of the number of pairs */
#define PAGE_BITS  11
#define PAGE_SHIFT 12
/* Functions are aligned to 16 bytes, so these addresses share an entry. */
#define GRAIN_SHIFT 4
#define PAGE_GRAINS (1 << (PAGE_SHIFT - GRAIN_SHIFT))

/* A symbol, or a mapping without symbols */
struct cached_symbol {
	/* identifies the process or kernel and the state of its mappings */
	alignas(64) uint64_t space;
	uint64_t first;	  /* the first address for which this is valid */
	uint64_t extent;  /* the last such address, relative to @first */
	uint64_t start;	  /* start of the symbol */
	uint64_t key;	  /* hash of @name and @dso */
	const char *name; /* name of the symbol, or NULL */
	const char *dso;  /* name of the file, or NULL */
	uint32_t stride;  /* of a variable, once a member was found */
	uint32_t row;	  /* row of a report + 1; 0: not known yet */
};

/*
 * A two-way cache: two symbols with the same hash share a pair. of_grain says
 * which entry an address uses. This is a hint: pages with the same hash share
 * it.
 */
struct symbol_cache {
	struct cached_symbol code[2 << CODE_BITS];
	uint16_t of_grain[1 << PAGE_BITS][PAGE_GRAINS];
	bool second; /* way to replace next, in any pair */
};

/* For one thread and one recording. NULL if out of memory. */
struct symbol_cache *symbol_cache_new(void);
void symbol_cache_free(struct symbol_cache *codes);

/* Slow path of symbol_cache_find(): looks up and caches the symbol. */
struct cached_symbol *symbol_cache_fill(struct symbol_cache *codes,
					const struct name_source *from,
					const struct thread_cache *current);

/* Makes an entry for the symbol that contains @address. */
struct cached_symbol cached_symbol_of(const struct pmscope_symbol *symbol,
				      uint64_t address, uint64_t space);

/* All processes have the same kernel. */
static inline uint64_t code_space(uint64_t pc,
				  const struct thread_cache *current)
{
	return pc >> 63 ? current->kernel : current->user;
}

/* Adjacent pages do not collide. */
static inline uint16_t *code_page(struct symbol_cache *codes, uint64_t pc,
				  uint64_t space)
{
	uint64_t page = (pc >> PAGE_SHIFT) +
			(space * UINT64_C(0xe7037ed1a0b428db) >> 32);

	return codes->of_grain[page & ((1 << PAGE_BITS) - 1)];
}

static inline uint64_t code_pc(const struct pmscope_sample *sample, size_t row)
{
	return pmscope_code_address(sample->batch->pc[row]);
}

/* Reads the entry of @at; it may belong to another address (collision). */
static inline struct cached_symbol *code_guess(struct symbol_cache *codes,
					       uint64_t space, uint64_t at)
{
	const uint16_t *page = code_page(codes, at, space);

	return &codes->code[page[at >> GRAIN_SHIFT & (PAGE_GRAINS - 1)]];
}

/* Is the entry valid for @pc? */
static inline bool code_has(const struct cached_symbol *code, uint64_t space,
			    uint64_t pc)
{
	return code->space == space && pc - code->first <= code->extent;
}

/* Reads the entry of @at if it belongs to @pc, otherwise NULL. */
static inline struct cached_symbol *
code_at(struct symbol_cache *codes, uint64_t space, uint64_t at, uint64_t pc)
{
	struct cached_symbol *code = code_guess(codes, space, at);

	return code_has(code, space, pc) ? code : NULL;
}

/* Finds the symbol for the PC of @current, which must have one. */
static inline struct cached_symbol *
symbol_cache_find(struct symbol_cache *codes, const struct name_source *from,
		  const struct thread_cache *current)
{
	uint64_t pc = code_pc(&current->sample, current->sample.row);
	struct cached_symbol *code =
		code_at(codes, code_space(pc, current), pc, pc);

	return code ? code : symbol_cache_fill(codes, from, current);
}

/* A hash of both names; @code is NULL without a PC. */
static inline uint64_t code_key(const struct cached_symbol *code)
{
	return code ? code->key : 1;
}

static inline struct pmscope_symbol
code_symbol(const struct cached_symbol *code, uint64_t pc)
{
	return (struct pmscope_symbol){
		.name = code->name,
		.offset = code->name ? pc - code->start : 0,
		.dso = code->dso,
	};
}

/*
 * A cache for the variables and members of data addresses: a large array is
 * looked up once for many addresses in it.
 */
struct data_symbols;

/* As symbol_cache_new(). */
struct data_symbols *data_symbols_new(void);
void data_symbols_free(struct data_symbols *variables);

struct data_names {
	/* NULL: the sample has no address; without a name: unknown */
	struct cached_symbol *variable;
	const char *member;  /* of the variable, or NULL */
	unsigned int memory; /* enum pmscope_memory, without a variable */
};

/*
 * Finds what the data address of @current is; member and memory only if @deps
 * has DEP_MEMBER. Valid until the next call.
 */
struct data_names data_names_find(struct data_symbols *variables,
				  const struct name_source *from,
				  const struct thread_cache *current,
				  unsigned int deps);

/* The place of a data address that has a variable; false if none has. */
bool data_place(const struct name_source *from,
		const struct pmscope_sample *sample, uint64_t va,
		struct pmscope_place *place);
static inline void data_names_show(const struct data_names *names,
				   struct view *view)
{
	if (names->variable)
		view->data = code_symbol(names->variable, view->va);
	view->member = names->member;
	view->memory = names->memory;
}
