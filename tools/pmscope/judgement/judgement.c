// SPDX-License-Identifier: GPL-2.0-or-later
#include "judgement/judgement.h"
#include "base/hash.h"
#include "read/provenance.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *limit; /* what limits the program */
	const char *who;   /* has the cycles */
} causes[NR_CAUSES] = {
	[CAUSE_NONE] = {"none", "", ""},
	[CAUSE_SHARING] = {"another core's cache",
			   "Threads wait for cache lines of each other",
			   "operations that another core's cache answered"},
	[CAUSE_MEMORY] = {"memory", "The program waits for memory",
			  "operations that memory answered"},
	[CAUSE_TLB] = {"TLB misses",
		       "The program waits for translations of "
		       "addresses",
		       "operations that missed the TLB"},
	[CAUSE_CACHE] = {"L1 cache misses",
			 "The program waits for caches behind the L1",
			 "operations that missed the L1 cache"},
	[CAUSE_BRANCH] = {"mispredicted branches",
			  "The program loses cycles to branches that are "
			  "predicted wrongly",
			  "these branches"},
};

const char *judgement_cause_name(enum row_cause cause)
{
	return causes[cause].name;
}

static struct row_wait wait_of(const struct row *row, enum row_cause cause)
{
	struct row_wait wait = row->waits[cause];

	if (cause == CAUSE_BRANCH)
		wait.cycles += wait.samples * JUDGEMENT_BRANCH_CYCLES;
	return wait;
}

static void sum_up(struct judgement *v, const struct row_table *table)
{
	v->samples = table->samples;
	v->timed = table->total.count;
	v->ipc = counters_ipc(&table->counters);
	for (size_t i = 0; i < table->nr_rows; i++)
		for (int k = 0; k < NR_CAUSES; k++) {
			struct row_wait wait = wait_of(&table->rows[i], k);

			v->waits[k].samples += wait.samples;
			v->waits[k].cycles += wait.cycles;
			v->cycles += wait.cycles;
		}
	v->largest = CAUSE_NONE + 1;
	for (int k = CAUSE_NONE + 1; k < NR_CAUSES; k++)
		if (v->waits[k].cycles > v->waits[v->largest].cycles)
			v->largest = k;
	if (judgement_share(v, v->largest) >= JUDGEMENT_SHARE)
		v->cause = v->largest;
	else if (judgement_share(v, CAUSE_SHARING) >= JUDGEMENT_SHARE_SHARING)
		v->cause = v->largest = CAUSE_SHARING;
}

static int key_index(const struct row_table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_keys; i++)
		if (!strcmp(field_heading(table->keys[i]), name))
			return i;
	return -1;
}

/* Rows of one function count together, if rows are by functions. */
static uint64_t place_of(const struct row *row, size_t index, int sym, int dso)
{
	if (sym < 0)
		return index;
	return row->values[sym] << 32 |
	       (dso < 0 ? 0 : row->values[dso] & UINT32_MAX);
}

static char *place_name(const struct row_table *table, const struct row *row,
			int sym, int dso)
{
	char *name = NULL, buf[32];
	size_t size;
	FILE *out = open_memstream(&name, &size);

	if (!out)
		return NULL;
	if (sym >= 0)
		fputs(row_value(table, row, sym, buf, sizeof(buf)), out);
	if (sym >= 0 && dso >= 0)
		fprintf(out, " (%s)",
			row_value(table, row, dso, buf, sizeof(buf)));
	for (size_t i = 0; i < table->nr_keys && sym < 0; i++)
		fprintf(out, "%s%s %s", i ? ", " : "",
			field_heading(table->keys[i]),
			row_value(table, row, i, buf, sizeof(buf)));
	if (!fclose(out))
		return name;
	free(name);
	return NULL;
}

/* The sums of all places; @first: a row of each. */
struct places {
	struct row_wait *wait;
	uint32_t *first;
	size_t nr;
	struct map index;
};

static int places_add(struct places *places, uint64_t place, uint32_t row,
		      const struct row_wait *wait)
{
	uint64_t seed = table_seed();
	uint64_t hash = hash_word(seed, seed, place);
	uint32_t at;

	if (!map_get(&places->index, hash, &at)) {
		at = places->nr++;
		places->first[at] = row;
		if (map_set(&places->index, hash, at))
			return -ENOMEM;
	}
	places->wait[at].samples += wait->samples;
	places->wait[at].cycles += wait->cycles;
	return 0;
}

static int find_where(struct judgement *v, const struct row_table *table)
{
	int sym = key_index(table, "sym"), dso = key_index(table, "dso");
	struct places places = {
		.wait = calloc(table->nr_rows + 1, sizeof(*places.wait)),
		.first = calloc(table->nr_rows + 1, sizeof(*places.first)),
	};
	size_t most = 0;
	int ret = places.wait && places.first ? 0 : -ENOMEM;

	for (size_t i = 0; i < table->nr_rows && !ret; i++) {
		const struct row *row = &table->rows[i];
		struct row_wait wait = wait_of(row, v->largest);

		if (wait.samples)
			ret = places_add(&places, place_of(row, i, sym, dso), i,
					 &wait);
	}
	for (size_t i = 1; i < places.nr; i++)
		if (places.wait[i].cycles > places.wait[most].cycles)
			most = i;
	if (!ret && places.nr) {
		v->at = places.wait[most];
		v->where = place_name(table, &table->rows[places.first[most]],
				      sym, dso);
		ret = v->where ? 0 : -ENOMEM;
	}
	map_fini(&places.index);
	free(places.wait);
	free(places.first);
	return ret;
}

/* "; the largest, memory, has 3.1% ..."; nothing of nothing. */
static const char *largest_text(const struct judgement *v, char *text,
				size_t size)
{
	*text = '\0';
	if (v->waits[v->largest].samples)
		snprintf(text, size, ": the largest, %s, has %.1f%% of %s",
			 causes[v->largest].name,
			 100 * judgement_share(v, v->largest),
			 v->population ? "their latency"
				       : "all cycles of latency");
	return text;
}

/* Of other operations nothing is known, and so not what limits the program. */
static char *say_what_of(const struct judgement *v)
{
	char *text = NULL, largest[128];
	int n;

	if (v->cause == CAUSE_NONE)
		n = asprintf(&text,
			     "Only %s were recorded: no wait that SPE sees has "
			     "much of their latency%s.",
			     v->population,
			     largest_text(v, largest, sizeof(largest)));
	else
		n = asprintf(&text,
			     "Only %s were recorded: of their latency, %s have "
			     "%.1f%%; their share of the program's time is not "
			     "known.",
			     v->population, causes[v->cause].who,
			     100 * judgement_share(v, v->cause));
	return n < 0 ? NULL : text;
}

static char *say_what(const struct judgement *v)
{
	char *text = NULL, largest[128];
	int n;

	if (v->timed < JUDGEMENT_SAMPLES)
		n = asprintf(&text,
			     "Only %" PRIu64 " samples have a latency: too few "
			     "to tell what limits the program.",
			     v->timed);
	else if (v->population)
		return say_what_of(v);
	else if (v->cause == CAUSE_NONE)
		n = asprintf(&text,
			     "No wait that SPE sees limits the program%s.",
			     largest_text(v, largest, sizeof(largest)));
	else
		n = asprintf(&text,
			     "%s: %s have %.1f%% of all cycles of latency%s.",
			     causes[v->cause].limit, causes[v->cause].who,
			     100 * judgement_share(v, v->cause),
			     v->cause == CAUSE_BRANCH
				     ? ", if each costs 15 cycles more"
				     : "");
	return n < 0 ? NULL : text;
}

static char *say_where(const struct judgement *v)
{
	uint64_t all = v->waits[v->largest].cycles;
	double part = all ? (double)v->at.cycles / all : 0;
	char *text = NULL;

	if (asprintf(&text, "%s of that is in %s: %.1f%%, %" PRIu64 " samples.",
		     part > 0.5 ? "Most" : "The largest part", v->where,
		     100 * part, v->at.samples) < 0)
		return NULL;
	return text;
}

/* The cause with the next most cycles. */
static enum row_cause second_of(const struct judgement *v)
{
	enum row_cause second = CAUSE_NONE;

	for (int k = CAUSE_NONE + 1; k < NR_CAUSES; k++)
		if ((enum row_cause)k != v->largest &&
		    (second == CAUSE_NONE ||
		     v->waits[k].cycles > v->waits[second].cycles))
			second = k;
	return second;
}

static double mean_of(uint64_t cycles, uint64_t samples)
{
	return samples ? (double)cycles / samples : 0;
}

/* What else there is: "; the next cause is memory with 3.1% ...". */
static char *say_more(const struct judgement *v)
{
	enum row_cause second = second_of(v);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (v->waits[second].samples)
		fprintf(out, "; the next cause is %s with %.1f%% of the cycles",
			causes[second].name, 100 * judgement_share(v, second));
	if (v->ipc >= 0)
		fprintf(out, "; %.3f instructions per cycle", v->ipc);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static char *say_evidence(const struct judgement *v)
{
	const struct row_wait *wait = &v->waits[v->largest];
	double part = mean_of(wait->samples, v->samples);
	char *text = NULL, *more = say_more(v);

	if (!more ||
	    asprintf(&text,
		     "Evidence: %" PRIu64 " of %" PRIu64 " samples, %.2f%% "
		     "+- %.2f, with %.1f cycles each, all others with "
		     "%.1f%s.",
		     wait->samples, v->samples, 100 * part,
		     196 * sqrt(part * (1 - part) / v->samples),
		     mean_of(wait->cycles, wait->samples),
		     mean_of(v->cycles - wait->cycles,
			     v->samples - wait->samples),
		     more) < 0)
		text = NULL;
	free(more);
	return text;
}

int judgement_make(struct judgement *v, const struct row_table *table,
		   char *population)
{
	int ret;

	*v = (struct judgement){.ipc = -1, .population = population};
	sum_up(v, table);
	if (!v->samples)
		return 0;
	ret = find_where(v, table);
	if (ret)
		return ret;
	v->sentence[JUDGEMENT_WHAT] = say_what(v);
	if (!v->sentence[JUDGEMENT_WHAT])
		return -ENOMEM;
	if (v->timed < JUDGEMENT_SAMPLES || !v->where)
		return 0;
	v->sentence[JUDGEMENT_WHERE] = say_where(v);
	v->sentence[JUDGEMENT_EVIDENCE] = say_evidence(v);
	return v->sentence[JUDGEMENT_WHERE] && v->sentence[JUDGEMENT_EVIDENCE]
		       ? 0
		       : -ENOMEM;
}

int judgement_of(struct judgement *v, const struct row_table *table,
		 const struct load *load)
{
	char *population;
	int ret = population_read(load, &population);

	*v = (struct judgement){};
	return ret ?: judgement_make(v, table, population);
}

void judgement_fini(struct judgement *v)
{
	free(v->where);
	free(v->population);
	for (int i = 0; i < JUDGEMENT_SENTENCES; i++)
		free(v->sentence[i]);
	*v = (struct judgement){};
}
