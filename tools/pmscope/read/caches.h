/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pass over a recording keeps of threads, code and data. */
#pragma once

#include "base/record.h"
#include "fields/fields.h"
#include "load.h"
#include "sample/fields.h"

#include <stdalign.h>

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
void thread_cache_renew(struct thread_cache *current, const struct load *load,
			const struct pmscope_run *run, size_t row);

/* Sets the sample to @row, except its time: see thread_cache_set_time(). */
static inline void thread_cache_set(struct thread_cache *current,
				    const struct load *load,
				    const struct pmscope_run *run, size_t row)
{
	uint32_t context = context_tid(run->batch, row);

	current->sample.row = row;
	if (current->known && current->context == context)
		return;
	current->context = context;
	thread_cache_renew(current, load, run, row);
}

/* Sets the time of the sample as well. */
static inline void thread_cache_set_time(struct thread_cache *current,
					 const struct load *load)
{
	struct pmscope_sample *s = &current->sample;
	const struct pmscope_batch *b = s->batch;

	s->has_time = b->has[s->row] & PMSCOPE_HAS_TIMESTAMP &&
		      pmscope_recording_time(load->recording,
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
					const struct load *load,
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
symbol_cache_find(struct symbol_cache *codes, const struct load *load,
		  const struct thread_cache *current)
{
	uint64_t pc = code_pc(&current->sample, current->sample.row);
	struct cached_symbol *code =
		code_at(codes, code_space(pc, current), pc, pc);

	return code ? code : symbol_cache_fill(codes, load, current);
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
				  const struct load *load,
				  const struct thread_cache *current,
				  unsigned int deps);

/* The place of a data address that has a variable; false if none has. */
bool data_place(const struct load *load, const struct pmscope_sample *sample,
		uint64_t va, struct pmscope_place *place);
static inline void data_names_show(const struct data_names *names,
				   struct view *view)
{
	if (names->variable)
		view->data = code_symbol(names->variable, view->va);
	view->member = names->member;
	view->memory = names->memory;
}

/*
 * A number for each instruction, found by its address. The numbers of a piece
 * of code are side by side: those that most samples need fit in the CPU's
 * caches, which entries of a hash table would not.
 */

#define CODE_PIECE_SHIFT   10 /* log2 of its bytes */
#define CODE_PIECE_NUMBERS (1 << (CODE_PIECE_SHIFT - 2))
#define CODE_PIECES	   (1 << 14)

/* The code at addresses that start with the same bits */
struct code_piece {
	uint64_t space; /* code_space(), or a hash; 0: empty */
	uint64_t piece; /* those bits */
};

/* A cache with two ways: a piece may be dropped, with all of its numbers. */
struct code_numbers {
	struct code_piece pieces[CODE_PIECES];
	uint32_t numbers[CODE_PIECES][CODE_PIECE_NUMBERS]; /* 0: not known */
	size_t other_way; /* to replace next: 0 or CODE_PIECES / 2 */
	uint32_t unaligned;
};

/* NULL if out of memory. Only pieces that are in use take memory. */
struct code_numbers *code_numbers_new(void);
void code_numbers_free(struct code_numbers *numbers);

/* The slow path of code_number(): where a piece is that is not at @at. */
size_t code_piece_get(struct code_numbers *numbers, size_t at, uint64_t space,
		      uint64_t piece);

/* Where a piece is, unless another is there. Adjacent ones do not collide. */
static inline size_t code_piece_at(uint64_t space, uint64_t piece)
{
	return (piece + (space * UINT64_C(0xe7037ed1a0b428db) >> 32)) &
	       (CODE_PIECES - 1);
}

/* The number of the instruction at @pc; set it if 0, before the next call. */
static inline uint32_t *code_number(struct code_numbers *numbers,
				    uint64_t space, uint64_t pc)
{
	uint64_t piece = pc >> CODE_PIECE_SHIFT;
	size_t at = code_piece_at(space, piece);
	const struct code_piece *code = &numbers->pieces[at];

	if (code->space != space || code->piece != piece)
		at = code_piece_get(numbers, at, space, piece);
	if (pc & 3) {
		numbers->unaligned = 0;
		return &numbers->unaligned;
	}
	return &numbers->numbers[at][pc >> 2 & (CODE_PIECE_NUMBERS - 1)];
}

/*
 * A hash of the parts of a record that its values depend on. Because programs
 * loop, nearly every record equals an earlier one in these parts, so results
 * are cached by this hash. It is wide enough that records never collide in
 * practice.
 */

/* The pmscope_has bits for the parts in @deps. */
static inline uint32_t deps_has(unsigned int deps)
{
	return (deps & (DEP_CODE | DEP_LEVEL | DEP_PC) ? PMSCOPE_HAS_PC : 0) |
	       (deps & DEP_TARGET ? PMSCOPE_HAS_TARGET : 0) |
	       (deps & DEP_OPERATION ? PMSCOPE_HAS_OPERATION : 0) |
	       (deps & DEP_SOURCE ? PMSCOPE_HAS_SOURCE : 0) |
	       (deps & DEP_EVENTS ? PMSCOPE_HAS_EVENTS : 0) |
	       (deps & DEP_TOTAL ? PMSCOPE_HAS_TOTAL : 0) |
	       (deps & (DEP_DATA | DEP_CACHELINE) ? PMSCOPE_HAS_VA : 0);
}

/*
 * Hash for the row of @current; valid for one recording. @code is the entry of
 * the PC if @deps has DEP_CODE, NULL without a PC. The multiplications are
 * independent of each other.
 */
static inline uint64_t deps_hash(unsigned int deps,
				 const struct thread_cache *current,
				 const struct cached_symbol *code)
{
	const struct pmscope_sample *s = &current->sample;
	const struct pmscope_batch *b = s->batch;
	uint64_t hash = UINT64_C(0x2545f4914f6cdd1d);
	size_t row = s->row;

	if (deps_has(deps))
		hash += (b->has[row] & deps_has(deps)) *
			UINT64_C(0x9fb21c651e98df25);
	if (deps & DEP_CODE)
		hash += code_key(code);
	if (deps & DEP_LINE)
		hash += b->pc[row] * UINT64_C(0x9e3779b97f4a7c15) +
			current->user + current->kernel;
	if (deps & DEP_PC)
		hash += pmscope_code_address(b->pc[row]) *
			UINT64_C(0xd1b54a32d192ed03);
	/* The start tells apart symbols of one name. */
	if (deps & DEP_OFFSET && code && code->name)
		hash += pmscope_code_address(b->pc[row]) *
				UINT64_C(0x8bb84b93962eacc9) +
			code->start * UINT64_C(0xaef17502108ef2d9);
	if (deps & DEP_TARGET)
		hash += pmscope_code_address(b->target[row]) *
			UINT64_C(0xf1357aea2e62a9c5);
	if (deps & DEP_CACHELINE)
		hash += (b->va[row] >> 6) * UINT64_C(0xbf58476d1ce4e5b9);
	if (deps & DEP_LEVEL)
		hash += (b->pc[row] >> 56) * UINT64_C(0x8cb92ba72f3d8dd7);
	if (deps & DEP_THREAD)
		hash += current->thread;
	if (deps & DEP_CPU)
		hash += s->cpu * UINT64_C(0x27d4eb2f165667c5);
	if (deps & DEP_INTERVAL)
		hash += s->interval * UINT64_C(0xda942042e4dd58b5);
	if (deps & (DEP_OPERATION | DEP_SOURCE | DEP_EVENTS))
		hash += s->midr * UINT64_C(0xff51afd7ed558ccd);
	if (deps & DEP_OPERATION)
		hash += (b->op[row] | b->op_class[row] << 8) *
			UINT64_C(0xc4ceb9fe1a85ec53);
	if (deps & DEP_SOURCE)
		hash += b->source[row] * UINT64_C(0xd6e8feb86659fd93);
	if (deps & DEP_EVENTS)
		hash += b->events[row] * UINT64_C(0xa0761d6478bd642f);
	if (deps & DEP_TOTAL)
		hash += b->total[row] * UINT64_C(0xe7037ed1a0b428db);
	return hash_finish(hash);
}

/* Adds DEP_DATA and DEP_MEMBER to a hash. */
static inline uint64_t deps_data(uint64_t hash, const struct data_names *names)
{
	return hash_finish(
		hash +
		code_key(names->variable) * UINT64_C(0x8ebc6af09c88c6e3) +
		(uintptr_t)names->member * UINT64_C(0xc2b2ae3d27d4eb4f) +
		names->memory);
}

/*
 * Who called a function that SPE sampled, by the call chains of another event.
 *
 * SPE samples have no stack. A sample gets the callers of the chain that ends
 * in the same function, is of the same thread, and is nearest in time. That is
 * an estimate: for a function with n chains, a caller with the share p of its
 * samples has a standard error of sqrt(p * (1 - p) / n).
 */

/* No chain of the thread ends in the function. */
#define STACKS_NONE 0

struct stacks;

/*
 * Reads all call chains of a recording. @load: open; its symbols name the
 * functions. @stacks: set; to be freed. NULL if there are no chains. Returns 0,
 * or -ENOMEM.
 */
int stacks_read(const struct load *load, struct stacks **stacks);
void stacks_free(struct stacks *stacks);

/*
 * The callers of a function at some time. @stacks: or NULL. @name: of the
 * function, from the same symbols; NULL: it has none. Returns a number for
 * stacks_text(), or STACKS_NONE. May be called from many threads at once.
 */
uint32_t stacks_find(const struct stacks *stacks, uint32_t tid, uint64_t time,
		     const char *name);

/* The same for a sample, whose time is set; @code is NULL without a PC. */
static inline uint32_t stacks_number(const struct stacks *stacks,
				     const struct thread_cache *current,
				     const struct cached_symbol *code)
{
	return stacks_find(stacks, current->sample.tid, current->sample.time,
			   code ? code->name : NULL);
}

/* "main;work", the outermost first; NULL for STACKS_NONE. */
const char *stacks_text(const struct stacks *stacks, uint32_t number);

/* How many chains there are; 0 of NULL. */
size_t stacks_count(const struct stacks *stacks);

/* How many of them end in a function of that name, in any thread. */
size_t stacks_chains(const struct stacks *stacks, const char *name);

/* Does the recording have samples with call chains? */
bool stacks_are_in(const struct pmscope_perfdata *perfdata);

/* A cache for the results of the filter. */

/*
 * Does the sample of @current pass the filter of @load? @view was filled by
 * view_begin(). Counts samples that do not pass.
 */
bool filter_passes(struct load *load, struct view *view,
		   const struct thread_cache *current);

/* The same of @current alone: its time must be set. */
bool filter_passes_sample(struct load *load,
			  const struct thread_cache *current);

/* Does the time of the group pass? Other terms are of samples only. */
bool filter_passes_group(const struct load *load,
			 const struct pmscope_sample *group);

/* Stores a result of filter_passes() in @load. */
void filter_memo_free(struct filter_memo *memo);
