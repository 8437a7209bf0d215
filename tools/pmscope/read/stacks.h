/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who called a function that SPE sampled, by the call chains of another event.
 *
 * SPE samples have no stack. A sample gets the callers of the chain that ends
 * in the same function, is of the same thread, and is nearest in time. That is
 * an estimate: for a function with n chains, a caller with the share p of its
 * samples has a standard error of sqrt(p * (1 - p) / n).
 */
#pragma once

#include "read/symbol_cache.h"

/* No chain of the thread ends in the function. */
#define STACKS_NONE 0

struct stacks;

/**
 * stacks_read() - read all call chains of a recording
 * @load: open; its symbols name the functions
 * @stacks: set; to be freed. NULL if there are no chains
 *
 * Return: 0, or -ENOMEM.
 */
int stacks_read(const struct load *load, struct stacks **stacks);
void stacks_free(struct stacks *stacks);

/**
 * stacks_find() - the callers of a function at some time
 * @stacks: or NULL
 * @name: of the function, from the same symbols; NULL: it has none
 *
 * Return: a number for stacks_text(), or STACKS_NONE. May be called from many
 * threads at once.
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
