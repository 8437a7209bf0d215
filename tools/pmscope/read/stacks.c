// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/caches.h"
#include "base/hash.h"

#define UNKNOWN "[unknown]"

/* A chain that ends in a function */
struct stack_end {
	uint64_t key; /* hash of the thread and the function */
	uint64_t time;
	uint32_t callers; /* number of their text, plus one */
};

struct stacks {
	struct stack_end *end;
	size_t nr;
	size_t max;
	struct strings texts;
	struct map ends_of_name;
};

/* Names are kept once: the same name is at the same place. */
static uint64_t key_of(uint32_t tid, const char *name)
{
	uint64_t seed = table_seed();

	return hash_word(seed, hash_word(seed, seed, tid), (uintptr_t)name);
}

/* Names are kept once, as above. */
static int count_name(struct stacks *stacks, const char *name)
{
	uint32_t nr = 0;

	map_get(&stacks->ends_of_name, (uintptr_t)name, &nr);
	return map_set(&stacks->ends_of_name, (uintptr_t)name, nr + 1);
}

static void symbol_of(const struct load *load,
		      const struct pmscope_recording *chains,
		      const struct pmscope_sample *sample, uint64_t address,
		      struct pmscope_symbol *symbol)
{
	struct pmscope_place place;

	pmscope_recording_place(chains, sample, address, &place);
	pmscope_symbols_find(load->symbols, &place, address, symbol);
}

/* A separator within a name becomes another character. */
static void put_frame(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, out);
}

/* A return address may belong to the function behind the caller. */
static char *callers_text(const struct load *load,
			  const struct pmscope_recording *chains,
			  const struct pmscope_sample *sample, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	for (size_t i = sample->nr_chain; i-- > 1;) {
		struct pmscope_symbol symbol;

		symbol_of(load, chains, sample, sample->chain[i] - 1, &symbol);
		put_frame(out, symbol.name ? symbol.name : UNKNOWN);
		if (i > 1)
			fputc(';', out);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int add_end(struct stacks *stacks, const struct load *load,
		   const struct pmscope_recording *chains,
		   const struct pmscope_sample *sample)
{
	struct pmscope_symbol leaf;
	uint32_t number;
	size_t size;
	char *text;
	int ret;

	if (!sample->nr_chain || !sample->has_time)
		return 0;
	if (array_room(stacks->end, stacks->nr, stacks->max))
		return -ENOMEM;
	text = callers_text(load, chains, sample, &size);
	ret = text ? strings_intern(&stacks->texts, text, size, &number)
		   : -ENOMEM;
	free(text);
	if (ret)
		return ret;
	symbol_of(load, chains, sample, sample->chain[0], &leaf);
	stacks->end[stacks->nr++] = (struct stack_end){
		.key = key_of(sample->tid, leaf.name),
		.time = sample->time,
		.callers = number + 1,
	};
	return count_name(stacks, leaf.name);
}

static COMPARISON(compare_ends, struct stack_end,
		  COMPARE(x->key, y->key) ?: COMPARE(x->time, y->time)
		  ?: COMPARE(x->callers, y->callers));

static int read_all(struct stacks *stacks, const struct load *load)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options),
		.chains = true,
		.no_trace = true,
	};
	struct pmscope_recording *chains;
	struct pmscope_sample sample;
	int ret;

	ret = pmscope_recording_open(pmscope_input_data(load->input),
				     pmscope_input_size(load->input), &options,
				     &chains);
	if (ret) {
		pmscope_recording_free(chains);
		return ret;
	}
	while ((ret = pmscope_recording_next(chains, &sample)) > 0) {
		if (sample.kind == PMSCOPE_SAMPLE_CHAIN)
			ret = add_end(stacks, load, chains, &sample);
		if (ret < 0)
			break;
	}
	pmscope_recording_free(chains);
	return ret;
}

bool stacks_are_in(const struct pmscope_perfdata *perfdata)
{
	const struct pmscope_perf_attr *attr;

	for (size_t i = 0;
	     perfdata && (attr = pmscope_perfdata_attr(perfdata, i)); i++)
		if (attr->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

int stacks_read(const struct load *load, struct stacks **result)
{
	struct stacks *stacks;
	int ret;

	*result = NULL;
	if (!stacks_are_in(pmscope_recording_perfdata(load->recording)))
		return 0;
	stacks = calloc(1, sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	ret = read_all(stacks, load);
	if (ret) {
		stacks_free(stacks);
		return ret;
	}
	if (stacks->nr)
		qsort(stacks->end, stacks->nr, sizeof(*stacks->end),
		      compare_ends);
	*result = stacks;
	return 0;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->end);
	strings_fini(&stacks->texts);
	map_fini(&stacks->ends_of_name);
	free(stacks);
}

/* The first end that is not before @wanted. */
static size_t find_end(const struct stacks *stacks,
		       const struct stack_end *wanted)
{
	size_t low = 0, high = stacks->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ends(&stacks->end[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t stacks_find(const struct stacks *stacks, uint32_t tid, uint64_t time,
		     const char *name)
{
	const struct stack_end wanted = {.key = key_of(tid, name),
					 .time = time};
	const struct stack_end *before = NULL, *behind = NULL;
	size_t at;

	if (!stacks)
		return STACKS_NONE;
	at = find_end(stacks, &wanted);
	if (at < stacks->nr && stacks->end[at].key == wanted.key)
		behind = &stacks->end[at];
	if (at && stacks->end[at - 1].key == wanted.key)
		before = &stacks->end[at - 1];
	if (!before || !behind)
		return before	? before->callers
		       : behind ? behind->callers
				: STACKS_NONE;
	return time - before->time <= behind->time - time ? before->callers
							  : behind->callers;
}

const char *stacks_text(const struct stacks *stacks, uint32_t number)
{
	return number == STACKS_NONE ? NULL
				     : strings_get(&stacks->texts, number - 1);
}

size_t stacks_count(const struct stacks *stacks)
{
	return stacks ? stacks->nr : 0;
}

size_t stacks_chains(const struct stacks *stacks, const char *name)
{
	uint32_t nr = 0;

	if (stacks)
		map_get(&stacks->ends_of_name, (uintptr_t)name, &nr);
	return nr;
}
