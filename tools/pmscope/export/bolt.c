// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pre-aggregated branches for perf2bolt -pa: lines of "B FROM TO COUNT
 * MISPREDS" for branches, "F FROM TO COUNT" for code that was run from one
 * address to another, and "f" for the same behind a return. Addresses are those
 * of the linker, without any prefix, because perf2bolt 19 ignores one; so all
 * are of one file, and "X:0" is anything outside of it.
 */
#include "base/text.h"
#include "cli/message.h"
#include "export/flows.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE	    UINT64_MAX
#define INSTRUCTION 4

struct bolt_line {
	char kind;
	uint64_t from;
	uint64_t to;
	uint64_t count;
	uint64_t mispredicted;
};

struct bolt {
	const struct flows *flows;
	const struct code_binary *binary;
	struct bolt_line *lines;
	size_t nr;
	bool unlinked; /* some address is an offset in the file */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_name(const struct code_binary *binary, const char *name)
{
	char id[BUILD_ID_TEXT];

	binary_build_id(binary, id);
	return !strcmp(binary->dso, name) ||
	       !strcmp(base_name(binary->dso), name) ||
	       (*id && !strcasecmp(id, name));
}

/* Samples of each binary's code; free with free(). */
static uint64_t *count_samples(const struct flows *flows)
{
	uint64_t *counts =
		calloc(flows->places.nr_binaries + 1, sizeof(*counts));

	for (size_t kind = 0; counts && kind < FLOW_PATH; kind++) {
		const struct flow_table *table = &flows->tables[kind];

		for (size_t i = 0; i < table->nr; i++)
			counts[flows->places.items[table->items[i].from]
				       .binary] += table->items[i].samples;
	}
	return counts;
}

/* The binary that is meant by @name, or with NULL the one with most samples. */
static const struct code_binary *
choose(const struct flows *flows, const char *name, const uint64_t *counts)
{
	const struct places *places = &flows->places;
	const struct code_binary *chosen = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < places->nr_binaries; i++) {
		const struct code_binary *binary = &places->binaries[i];

		if (!binary_is_file(binary) || counts[i] <= most ||
		    (name && !has_name(binary, name)))
			continue;
		chosen = binary;
		most = counts[i];
	}
	return chosen;
}

/* The other files with code; they are not in the profile. */
static size_t count_others(const struct bolt *bolt, const uint64_t *counts)
{
	const struct places *places = &bolt->flows->places;
	size_t others = 0;

	for (size_t i = 0; i < places->nr_binaries; i++)
		others += counts[i] && binary_is_file(&places->binaries[i]) &&
			  !binary_same(&places->binaries[i], bolt->binary);
	return others;
}

static uint64_t address_of(struct bolt *bolt, uint32_t number)
{
	const struct places *places = &bolt->flows->places;
	const struct code_place *place = &places->items[number];

	if (!binary_same(&places->binaries[place->binary], bolt->binary))
		return OUTSIDE;
	if (place->linked)
		return place->link;
	bolt->unlinked = true;
	return place->offset;
}

static void line_add(struct bolt *bolt, char kind, uint64_t from, uint64_t to,
		     const struct flow *flow)
{
	bool inside = from != OUTSIDE && to != OUTSIDE;

	if (!inside && (kind != 'B' || from == to))
		return;
	bolt->lines[bolt->nr++] = (struct bolt_line){
		.kind = kind,
		.from = from,
		.to = to,
		.count = flow->samples,
		.mispredicted = flow->mispredicted,
	};
}

static void table_add(struct bolt *bolt, enum flow_kind kind, char letter)
{
	const struct flow_table *table = &bolt->flows->tables[kind];
	uint64_t behind = kind == FLOW_NEXT ? INSTRUCTION : 0;

	for (size_t i = 0; i < table->nr; i++) {
		const struct flow *flow = &table->items[i];

		uint64_t from = address_of(bolt, flow->from);
		uint64_t to = address_of(bolt, flow->to);

		line_add(bolt, letter, from, to == OUTSIDE ? to : to + behind,
			 flow);
	}
}

/* Blocks that end with a call which may throw go on behind a return. */
static void returns_add(struct bolt *bolt)
{
	const struct flow_table *table = &bolt->flows->tables[FLOW_TAKEN];

	for (size_t i = 0; i < table->nr; i++) {
		const struct flow *flow = &table->items[i];
		uint64_t to = address_of(bolt, flow->to);

		if (flow->is_return)
			line_add(bolt, 'f', to, to, flow);
	}
}

/*
 * Paths tell more than single operations, and both together would count the
 * same code twice.
 */
static int lines_make(struct bolt *bolt)
{
	const struct flow_table *tables = bolt->flows->tables;
	bool with_paths = tables[FLOW_PATH].nr;
	size_t max = 2 * tables[FLOW_TAKEN].nr + tables[FLOW_NEXT].nr +
		     tables[FLOW_PATH].nr;

	bolt->lines = calloc(max + 1, sizeof(*bolt->lines));
	if (!bolt->lines)
		return -ENOMEM;
	table_add(bolt, FLOW_TAKEN, 'B');
	table_add(bolt, with_paths ? FLOW_PATH : FLOW_NEXT, 'F');
	returns_add(bolt);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct bolt_line *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Several places may have become the same, as outside of the file. */
static void lines_merge(struct bolt *bolt)
{
	size_t nr = 0;

	if (!bolt->nr)
		return;
	qsort(bolt->lines, bolt->nr, sizeof(*bolt->lines), compare);
	for (size_t i = 1; i < bolt->nr; i++)
		if (compare(&bolt->lines[nr], &bolt->lines[i])) {
			bolt->lines[++nr] = bolt->lines[i];
		} else {
			bolt->lines[nr].count += bolt->lines[i].count;
			bolt->lines[nr].mispredicted +=
				bolt->lines[i].mispredicted;
		}
	bolt->nr = nr + 1;
}

static char *put_address(char *p, uint64_t address)
{
	*p++ = ' ';
	return address == OUTSIDE ? text_string(p, "X:0")
				  : text_hex(p, address, 1);
}

static void lines_write(const struct bolt *bolt, FILE *out)
{
	for (size_t i = 0; i < bolt->nr; i++) {
		const struct bolt_line *line = &bolt->lines[i];
		char text[128], *p = text;

		*p++ = line->kind;
		p = put_address(put_address(p, line->from), line->to);
		*p++ = ' ';
		p = text_unsigned(p, line->count);
		if (line->kind == 'B') {
			*p++ = ' ';
			p = text_unsigned(p, line->mispredicted);
		}
		*p++ = '\n';
		fwrite(text, 1, p - text, out);
	}
}

static void say_what_is_missing(const struct bolt *bolt, const char *given,
				size_t others)
{
	char name[PATH_MAX];

	*text_clean(name, bolt->binary->dso,
		    strnlen(bolt->binary->dso, sizeof(name) - 1)) = '\0';
	if (bolt->unlinked)
		warning("cannot read %s: its addresses in the profile are "
			"offsets in the file; set --symfs if it is elsewhere",
			name);
	if (others && !given)
		warning("the profile is of %s; branches in %zu other files are "
			"left out, see --binary",
			name, others);
}

static int write_binary(struct export *export, struct bolt *bolt)
{
	uint64_t *counts = count_samples(bolt->flows);
	const char *wanted = export->config->binary;
	int ret;

	if (!counts)
		return -ENOMEM;
	bolt->binary = choose(bolt->flows, wanted, counts);
	if (!bolt->binary) {
		free(counts);
		if (!wanted)
			return 0;
		error("%s has no samples of '%s'; see report --sort=dso",
		      export->load->name, wanted);
		return -ENOENT;
	}
	ret = lines_make(bolt);
	if (!ret) {
		lines_merge(bolt);
		lines_write(bolt, export->file.out);
		say_what_is_missing(bolt, wanted, count_others(bolt, counts));
	}
	free(bolt->lines);
	free(counts);
	return ret;
}

static int end(struct export *export)
{
	struct bolt bolt = {.flows = flows_join(export)};

	return bolt.flows ? write_binary(export, &bolt) : -ENOMEM;
}

const struct export_format export_bolt = {
	.name = "bolt",
	.needs = EXPORT_NOTE,
	.begin = flows_begin,
	.add = flows_add,
	.end = end,
	.fini = flows_fini,
};
