// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/flows.h"
#include "base/hash.h"

#define OFFSET_MASK 0xffff

/*
 * LLVM packs three numbers into a discriminator, the least significant first; a
 * compiler that has only the first one never sets the others. The profile is by
 * the first, which tells blocks of one line apart. The second is how many turns
 * of a loop the code does at once, since it was unrolled or vectorized; the
 * third tells copies of it apart. Bit 0 set means 0; else the number has 5
 * bits, or 12 if bit 6 is set.
 */
static uint32_t base_discriminator(uint32_t packed)
{
	if (packed & 1)
		return 0;
	packed >>= 1;
	return packed & 0x20 ? (packed >> 1 & 0xfe0) | (packed & 0x1f)
			     : packed & 0x1f;
}

static uint32_t turns_at_once(uint32_t packed)
{
	unsigned int first = packed & 1 ? 1 : packed & 0x40 ? 14 : 7;

	return base_discriminator(packed >> first) ?: 1;
}

static uint64_t times(uint64_t count, uint64_t factor)
{
	uint64_t product;

	return __builtin_mul_overflow(count, factor, &product) ? UINT64_MAX
							       : product;
}

static uint64_t plus(uint64_t count, uint64_t more)
{
	return count > UINT64_MAX - more ? UINT64_MAX : count + more;
}

static uint32_t discriminator_in(const struct fdo_profile *profile,
				 const struct pmscope_frame *frame)
{
	return profile->of_gcc ? frame->discriminator
			       : base_discriminator(frame->discriminator);
}

static uint32_t offset_of(const struct pmscope_frame *frame)
{
	return (frame->line - frame->start) & OFFSET_MASK;
}

static struct fdo_function *function_add(struct fdo_function *in,
					 const char *name)
{
	struct fdo_function **inlined =
		array_reserve(in->inlined, in->nr_inlined, &in->max_inlined,
			      sizeof(struct fdo_function *));
	struct fdo_function *function = calloc(1, sizeof(*function));

	if (inlined)
		in->inlined = inlined;
	if (!inlined || !function) {
		free(function);
		return NULL;
	}
	function->name = name;
	inlined[in->nr_inlined++] = function;
	return function;
}

/* Names are compared as text: each file has its own. */
static struct fdo_function *function_in(struct fdo_function *in,
					const char *name, uint32_t offset,
					uint32_t discriminator)
{
	uint64_t place = (uint64_t)offset << 32 | discriminator;
	uint64_t hash = hash_bytes(place, name, strlen(name)) | 1;
	struct fdo_function *function;
	uint32_t number;

	/* Keys of lines are even. */
	for (; map_get(&in->line_of_place.of_key, hash, &number); hash += 2) {
		function = in->inlined[number];
		if (!strcmp(function->name, name) &&
		    function->offset == offset &&
		    function->discriminator == discriminator)
			return function;
	}
	function = function_add(in, name);
	if (!function ||
	    map_set(&in->line_of_place.of_key, hash, in->nr_inlined - 1))
		return NULL;
	function->offset = offset;
	function->discriminator = discriminator;
	return function;
}

struct fdo_function *fdo_function_of(struct fdo_profile *profile,
				     const struct pmscope_frame *frames,
				     size_t nr)
{
	return function_in(&profile->root, frames[nr - 1].linkage, 0, 0);
}

static struct fdo_line *line_in(struct fdo_function *function, uint32_t offset,
				uint32_t discriminator)
{
	uint64_t key = ((uint64_t)offset << 32 | discriminator) << 1;
	const struct fdo_line line = {.offset = offset,
				      .discriminator = discriminator,
				      .guessed = true};

	return keyed_item(&function->line_of_place, sizeof(line), key, &line);
}

static struct fdo_function *inlined_in(const struct fdo_profile *profile,
				       struct fdo_function *function,
				       const struct pmscope_frame *inner,
				       const struct pmscope_frame *outer)
{
	return function_in(function, inner->linkage, offset_of(outer),
			   discriminator_in(profile, outer));
}

static struct fdo_line *line_of(const struct fdo_profile *profile,
				struct fdo_function *function,
				const struct pmscope_frame *frame)
{
	return line_in(function, offset_of(frame),
		       discriminator_in(profile, frame));
}

struct fdo_line *fdo_line_of(struct fdo_profile *profile,
			     const struct pmscope_frame *frames, size_t nr)
{
	struct fdo_function *function = fdo_function_of(profile, frames, nr);

	for (size_t i = nr - 1; function && i > 0; i--)
		function = inlined_in(profile, function, &frames[i - 1],
				      &frames[i]);
	return function ? line_of(profile, function, &frames[0]) : NULL;
}

static void line_count(struct fdo_line *line, uint64_t count, bool cheap)
{
	if (line->guessed == cheap && count > line->count)
		line->count = count;
	if (line->guessed && !cheap)
		line->count = count;
	line->guessed &= cheap;
}

/* Unrolled and vectorized loops do several turns at once. */
int fdo_code_add(struct fdo_profile *profile,
		 const struct pmscope_frame *frames, size_t nr,
		 const struct fdo_code *code)
{
	uint32_t turns =
		profile->of_gcc ? 1 : turns_at_once(frames[0].discriminator);
	uint64_t count = times(code->executed, turns);
	uint64_t total = times(count, code->bytes);
	struct fdo_function *function = fdo_function_of(profile, frames, nr);
	struct fdo_line *line;

	for (size_t i = nr - 1; function && i > 0; i--) {
		function->total = plus(function->total, total);
		function = inlined_in(profile, function, &frames[i - 1],
				      &frames[i]);
	}
	line = function ? line_of(profile, function, &frames[0]) : NULL;
	if (!line)
		return -ENOMEM;
	function->total = plus(function->total, total);
	line_count(line, count, code->cheap);
	return 0;
}

int fdo_call_add(struct fdo_line *line, const char *name, uint64_t count)
{
	for (size_t i = 0; i < line->nr_calls; i++)
		if (!strcmp(line->calls[i].name, name)) {
			line->calls[i].count += count;
			return 0;
		}
	return array_add(line->calls, line->nr_calls, line->max_calls,
			 (struct fdo_call){name, count});
}

static COMPARISON(compare_lines, struct fdo_line,
		  COMPARE(x->offset, y->offset)
			  ?: COMPARE(x->discriminator, y->discriminator));

static int compare_functions(const void *a, const void *b)
{
	const struct fdo_function *x = *(struct fdo_function *const *)a;
	const struct fdo_function *y = *(struct fdo_function *const *)b;

	return COMPARE(x->offset, y->offset)
		       ?: COMPARE(x->discriminator, y->discriminator)
		       ?: strcmp(x->name, y->name);
}

static COMPARISON(compare_calls, struct fdo_call,
		  COMPARE(y->count, x->count) ?: strcmp(x->name, y->name));

static void function_sort(struct fdo_function *function)
{
	if (function->nr_lines)
		qsort(function->lines, function->nr_lines,
		      sizeof(*function->lines), compare_lines);
	for (size_t i = 0; i < function->nr_lines; i++)
		if (function->lines[i].nr_calls)
			qsort(function->lines[i].calls,
			      function->lines[i].nr_calls,
			      sizeof(*function->lines[i].calls), compare_calls);
	if (function->nr_inlined)
		qsort(function->inlined, function->nr_inlined,
		      sizeof(struct fdo_function *), compare_functions);
	for (size_t i = 0; i < function->nr_inlined; i++)
		function_sort(function->inlined[i]);
}

void fdo_sort(struct fdo_profile *profile)
{
	function_sort(&profile->root);
}

static void put_place(FILE *out, size_t depth, uint32_t offset,
		      uint32_t discriminator)
{
	fprintf(out, "%*s%" PRIu32, (int)depth, "", offset);
	if (discriminator)
		fprintf(out, ".%" PRIu32, discriminator);
	fputs(": ", out);
}

static void put_line(FILE *out, size_t depth, const struct fdo_line *line)
{
	put_place(out, depth, line->offset, line->discriminator);
	fprintf(out, "%" PRIu64, line->count);
	for (size_t i = 0; i < line->nr_calls; i++)
		fprintf(out, " %s:%" PRIu64, line->calls[i].name,
			line->calls[i].count);
	fputc('\n', out);
}

static void put_function(FILE *out, size_t depth,
			 const struct fdo_function *function)
{
	for (size_t i = 0; i < function->nr_lines; i++)
		put_line(out, depth, &function->lines[i]);
	for (size_t i = 0; i < function->nr_inlined; i++) {
		const struct fdo_function *inlined = function->inlined[i];

		put_place(out, depth, inlined->offset, inlined->discriminator);
		fprintf(out, "%s:%" PRIu64 "\n", inlined->name, inlined->total);
		put_function(out, depth + 1, inlined);
	}
}

void fdo_write(struct fdo_profile *profile, FILE *out)
{
	const struct fdo_function *root = &profile->root;

	fdo_sort(profile);
	for (size_t i = 0; i < root->nr_inlined; i++) {
		const struct fdo_function *function = root->inlined[i];

		if (!function->total)
			continue;
		fprintf(out, "%s:%" PRIu64 ":%" PRIu64 "\n", function->name,
			function->total, function->head);
		put_function(out, 1, function);
	}
}

static void function_fini(struct fdo_function *function)
{
	for (size_t i = 0; i < function->nr_lines; i++)
		free(function->lines[i].calls);
	for (size_t i = 0; i < function->nr_inlined; i++) {
		function_fini(function->inlined[i]);
		free(function->inlined[i]);
	}
	free(function->inlined);
	keyed_fini(&function->line_of_place);
}

void fdo_fini(struct fdo_profile *profile)
{
	function_fini(&profile->root);
}
