// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample profile in the form of gcov's files, which GCC 12 and later read
 * with -fauto-profile: words of 32 bits, counts of two of them, and functions
 * by their number in a table of names.
 */
#include "export/flows.h"

#include <endian.h>

#define MAGIC	      0x67636461 /* gcov's for counts, "gcda" */
#define VERSION	      2
#define TAG_NAMES     0xaa000000
#define TAG_FUNCTIONS 0xac000000
#define TAG_MODULES   0xae000000
#define INDIRECT_CALL 3 /* gcov's kind of value: targets of a call */

struct gcov {
	FILE *out;
	struct strings names;
};

static void put_word(FILE *out, uint32_t word)
{
	word = htole32(word);
	fwrite(&word, sizeof(word), 1, out);
}

/* GCC's counts have a sign. */
static void put_count(FILE *out, uint64_t count)
{
	count = MIN(count, INT64_MAX);
	put_word(out, count);
	put_word(out, count >> 32);
}

/* GCC does not use the length, which is 0. */
static void put_tag(FILE *out, uint32_t tag, size_t nr)
{
	put_word(out, tag);
	put_word(out, 0);
	put_word(out, nr);
}

/* GCC compares names as they are before it adds a suffix to those of copies. */
static int name_number(struct gcov *gcov, const char *name, uint32_t *number)
{
	return strings_intern(&gcov->names, name, strcspn(name, "."), number);
}

static int names_find(struct gcov *gcov, const struct fdo_function *function)
{
	uint32_t number;
	int ret = name_number(gcov, function->name, &number);

	for (size_t i = 0; i < function->nr_lines && !ret; i++) {
		const struct fdo_line *line = &function->lines[i];

		for (size_t c = 0; c < line->nr_calls && !ret; c++)
			ret = name_number(gcov, line->calls[c].name, &number);
	}
	for (size_t i = 0; i < function->nr_inlined && !ret; i++)
		ret = names_find(gcov, function->inlined[i]);
	return ret;
}

static void put_names(const struct gcov *gcov)
{
	put_tag(gcov->out, TAG_NAMES, gcov->names.count);
	for (uint32_t i = 0; i < gcov->names.count; i++) {
		const char *name = strings_get(&gcov->names, i);

		put_word(gcov->out, strlen(name) + 1);
		fwrite(name, strlen(name) + 1, 1, gcov->out);
	}
}

static uint32_t number_of(struct gcov *gcov, const char *name)
{
	uint32_t number = 0;

	/* It has one. */
	strings_find(&gcov->names, name, strcspn(name, "."), &number);
	return number;
}

static void put_place(FILE *out, uint32_t offset, uint32_t discriminator)
{
	put_word(out, offset << 16 | (discriminator & 0xffff));
}

static void put_line(struct gcov *gcov, const struct fdo_line *line)
{
	FILE *out = gcov->out;

	put_place(out, line->offset, line->discriminator);
	put_word(out, line->nr_calls);
	put_count(out, line->count);
	for (size_t i = 0; i < line->nr_calls; i++) {
		put_word(out, INDIRECT_CALL);
		put_count(out, number_of(gcov, line->calls[i].name));
		put_count(out, line->calls[i].count);
	}
}

static void put_function(struct gcov *gcov, const struct fdo_function *function)
{
	put_word(gcov->out, number_of(gcov, function->name));
	put_word(gcov->out, function->nr_lines);
	put_word(gcov->out, function->nr_inlined);
	for (size_t i = 0; i < function->nr_lines; i++)
		put_line(gcov, &function->lines[i]);
	for (size_t i = 0; i < function->nr_inlined; i++) {
		const struct fdo_function *inlined = function->inlined[i];

		put_place(gcov->out, inlined->offset, inlined->discriminator);
		put_function(gcov, inlined);
	}
}

/*
 * Of functions with one name GCC takes the last: a function itself comes behind
 * its parts, whose names it begins.
 */
static void put_functions(struct gcov *gcov, const struct fdo_function *root)
{
	size_t nr = 0;

	for (size_t i = 0; i < root->nr_inlined; i++)
		nr += root->inlined[i]->total != 0;
	put_tag(gcov->out, TAG_FUNCTIONS, nr);
	for (size_t i = root->nr_inlined; i-- > 0;) {
		const struct fdo_function *function = root->inlined[i];

		if (!function->total)
			continue;
		put_count(gcov->out, function->head);
		put_function(gcov, function);
	}
}

int fdo_write_gcov(struct fdo_profile *profile, FILE *out)
{
	struct gcov gcov = {.out = out};
	const struct fdo_function *root = &profile->root;
	uint32_t number;
	/* GCC gives no name the number 0. */
	int ret = strings_intern(&gcov.names, "", 0, &number);

	fdo_sort(profile);
	for (size_t i = 0; i < root->nr_inlined && !ret; i++)
		if (root->inlined[i]->total)
			ret = names_find(&gcov, root->inlined[i]);
	if (!ret) {
		put_word(out, MAGIC);
		put_word(out, VERSION);
		put_word(out, 0);
		put_names(&gcov);
		put_functions(&gcov, root);
		put_tag(out, TAG_MODULES, 0);
	}
	strings_fini(&gcov.names);
	return ret;
}
