// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pre-aggregated branches for perf2bolt -pa: lines of "B FROM TO COUNT
 * MISPREDS" for branches, "F FROM TO COUNT" for code that was run from one
 * address to another, and "f" for the same behind a return. Addresses are those
 * of the linker, without any prefix, because perf2bolt 19 ignores one; so all
 * are of one file, and "X:0" is anything outside of it.
 */
#include "export/flows.h"

#define OUTSIDE	    UINT64_MAX
#define INSTRUCTION 4

struct bolt {
	struct export *export;
	const struct flows *flows;
	const struct code_binary *binary;
	uint32_t *ranks;     /* of the places, by address */
	uint64_t *addresses; /* of each rank, and next */
	uint64_t *executed;
	uint64_t *returned;
	size_t nr_ranks;
	struct strings skipped; /* functions that are left out */
	bool *seen;		/* which of these have samples */
	char kind;
	bool unlinked; /* some address is an offset in the file */
};

/* The other files with code that was sampled; they are not in the profile. */
static size_t count_others(const struct bolt *bolt)
{
	const struct places *places = &bolt->flows->places;
	size_t others = 0;

	for (size_t i = 0; i < places->nr_binaries; i++)
		others += places->binaries[i].samples &&
			  binary_is_file(&places->binaries[i]) &&
			  !binary_same(&places->binaries[i], bolt->binary);
	return others;
}

static bool is_skipped(struct bolt *bolt, const char *symbol)
{
	uint32_t number;

	if (!symbol ||
	    !strings_find(&bolt->skipped, symbol, strlen(symbol), &number))
		return false;
	return bolt->seen[number] = true;
}

/* BOLT has a slash and a file behind names of locals. 0 or -ENOMEM. */
static int skipped_read(struct bolt *bolt, const char *list)
{
	uint32_t number;
	int ret = 0;

	for (; list && *list && !ret; list += strcspn(list, ",")) {
		list += *list == ',';
		if (strcspn(list, ",/"))
			ret = strings_intern(&bolt->skipped, list,
					     strcspn(list, ",/"), &number);
	}
	bolt->seen = calloc(bolt->skipped.count + 1, sizeof(*bolt->seen));
	return bolt->seen ? ret : -ENOMEM;
}

static uint64_t address_of(struct bolt *bolt, uint32_t number)
{
	const struct places *places = &bolt->flows->places;
	const struct code_place *place = &places->items[number];

	if (!binary_same(&places->binaries[place->binary], bolt->binary) ||
	    is_skipped(bolt, place->symbol))
		return OUTSIDE;
	if (place->linked)
		return place->link;
	bolt->unlinked = true;
	return place->offset;
}

/* A place, for sorting. */
struct addressed {
	uint64_t address;
	uint32_t number;
};

static COMPARISON(compare, struct addressed, COMPARE(x->address, y->address));

/* Sets ranks and addresses: several places may have one, as those outside. */
static void rank(struct bolt *bolt, struct addressed *all)
{
	size_t nr = bolt->flows->places.nr;

	for (uint32_t i = 0; i < nr; i++)
		all[i] = (struct addressed){address_of(bolt, i), i};
	if (nr)
		qsort(all, nr, sizeof(*all), compare);
	for (size_t i = 0; i < nr; i++) {
		if (!i || all[i].address != all[i - 1].address)
			bolt->addresses[bolt->nr_ranks++] = all[i].address;
		bolt->ranks[all[i].number] = bolt->nr_ranks - 1;
	}
}

static int ranks_make(struct bolt *bolt)
{
	size_t nr = bolt->flows->places.nr;
	struct addressed *all = calloc(nr + 1, sizeof(*all));

	bolt->ranks = calloc(nr + 1, sizeof(*bolt->ranks));
	bolt->addresses = calloc(nr + 1, sizeof(*bolt->addresses));
	bolt->executed = calloc(nr + 1, sizeof(*bolt->executed));
	bolt->returned = calloc(nr + 1, sizeof(*bolt->returned));
	if (!all || !bolt->ranks || !bolt->addresses || !bolt->executed ||
	    !bolt->returned) {
		free(all);
		return -ENOMEM;
	}
	rank(bolt, all);
	free(all);
	for (size_t i = 0; i < nr; i++) {
		const struct flow_place *at = &bolt->flows->of_place[i];

		bolt->executed[bolt->ranks[i]] += at->next;
		bolt->returned[bolt->ranks[i]] += at->returned;
	}
	return 0;
}

static char *put_address(char *p, uint64_t address)
{
	*p++ = ' ';
	return address == OUTSIDE ? text_string(p, "X:0")
				  : text_hex(p, address, 1);
}

static void put_line(const struct bolt *bolt, char kind, uint64_t from,
		     uint64_t to, const struct edge *edge)
{
	char text[128], *p = text;

	*p++ = kind;
	p = put_address(put_address(p, from), to);
	*p++ = ' ';
	p = text_unsigned(p, edge->samples);
	if (kind == 'B') {
		*p++ = ' ';
		p = text_unsigned(p, edge->mispredicted);
	}
	*p++ = '\n';
	fwrite(text, 1, p - text, bolt->export->file.out);
}

static int put_edge(void *context, const struct edge *edge)
{
	const struct bolt *bolt = context;
	uint64_t from = bolt->addresses[edge->from];
	uint64_t to = bolt->addresses[edge->to];
	bool inside = from != OUTSIDE && to != OUTSIDE;

	if (inside || (bolt->kind == 'B' && from != to))
		put_line(bolt, bolt->kind, from, to, edge);
	return 0;
}

/* A line for each address with samples, to one that is @behind it. */
static void put_places(const struct bolt *bolt, char kind,
		       const uint64_t *samples, uint64_t behind)
{
	for (size_t i = 0; i < bolt->nr_ranks; i++) {
		const struct edge edge = {.samples = samples[i]};
		uint64_t address = bolt->addresses[i];

		if (samples[i] && address != OUTSIDE)
			put_line(bolt, kind, address, address + behind, &edge);
	}
}

/*
 * Paths tell more than single operations, and both together would count the
 * same code twice. Blocks that end with a call which may throw go on behind a
 * return.
 */
static int lines_write(struct bolt *bolt)
{
	bool with_paths = flows_have(bolt->export, FLOW_PATH);
	int ret;

	bolt->kind = 'B';
	ret = flows_each(bolt->export, FLOW_TAKEN, bolt->ranks, put_edge, bolt);
	bolt->kind = 'F';
	if (!with_paths)
		put_places(bolt, 'F', bolt->executed, INSTRUCTION);
	else
		ret = ret
			      ?: flows_each(bolt->export, FLOW_PATH,
					    bolt->ranks, put_edge, bolt);
	put_places(bolt, 'f', bolt->returned, 0);
	return ret;
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
	for (size_t i = 0; i < bolt->skipped.count; i++)
		if (!bolt->seen[i])
			warning("no samples in a function '%s' of %s",
				strings_get(&bolt->skipped, i), name);
	if (others && !given)
		warning("the profile is of %s; branches in %zu other files are "
			"left out, see --binary",
			name, others);
}

static int write_binary(struct export *export, struct bolt *bolt,
			struct flows *flows)
{
	int ret = flows_binary(export, flows, &bolt->binary);

	bolt->flows = flows;
	if (ret || !bolt->binary)
		return ret;
	ret = skipped_read(bolt, export->config->skip)
		      ?: ranks_make(bolt)
		      ?: lines_write(bolt);
	if (!ret)
		say_what_is_missing(bolt, export->config->binary,
				    count_others(bolt));
	free(bolt->ranks);
	free(bolt->addresses);
	free(bolt->executed);
	free(bolt->returned);
	free(bolt->seen);
	strings_fini(&bolt->skipped);
	return ret;
}

static int end(struct export *export)
{
	struct bolt bolt = {.export = export};
	struct flows *flows;

	return flows_join(export, &flows) ?: write_binary(export, &bolt, flows);
}

const struct export_format export_bolt = {
	.name = "bolt",
	.needs = EXPORT_NOTE | EXPORT_MANGLED,
	.begin = flows_begin,
	.add = flows_add,
	.end = end,
	.fini = flows_fini,
};
