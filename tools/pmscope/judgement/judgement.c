// SPDX-License-Identifier: GPL-2.0-or-later
#include "judgement/judgement.h"
#include "code/code.h"

/* Where programs wait, others wait for these. */
#define WAITERS ", and what waits for them,"

static const struct {
	const char *name;
	const char *limit; /* what limits the program */
	const char *who;   /* has the cycles */
	const char *action;
} causes[NR_CAUSES] = {
	[CAUSE_NONE] = {"none", "", "", ""},
	[CAUSE_SHARING] = {"another core's cache",
			   "Threads wait for cache lines of each other",
			   "operations that another core's cache "
			   "answered" WAITERS,
			   "report --cachelines shows the lines; give each "
			   "thread its own"},
	[CAUSE_REMOTE] = {"remote memory",
			  "The program waits for memory of another node",
			  "operations that remote memory answered" WAITERS,
			  "keep threads and their memory on one node, as "
			  "numactl --membind does"},
	[CAUSE_MEMORY] = {"memory", "The program waits for memory",
			  "operations that memory answered" WAITERS,
			  "prefetch, or keep what is used together in fewer "
			  "cache lines"},
	[CAUSE_TLB] = {"TLB misses",
		       "The program waits for translations of addresses",
		       "translations of addresses" WAITERS,
		       "use huge pages, or touch fewer pages at a time"},
	[CAUSE_CACHE] = {"L1 cache misses",
			 "The program waits for caches behind the L1",
			 "operations that missed the L1 cache" WAITERS,
			 "work on less data at a time, so that it stays in "
			 "the L1 cache"},
	[CAUSE_BRANCH] = {"mispredicted branches",
			  "The program loses cycles to branches that are "
			  "predicted wrongly",
			  "these branches",
			  "replace the branch by a conditional select, or sort "
			  "the data that it depends on"},
	[CAUSE_ATOMIC] = {"atomics", "The program waits for atomic operations",
			  "atomic operations" WAITERS,
			  "let threads count on their own and add up later"},
	[CAUSE_STORE] = {"stores", "The program waits for stores",
			 "stores" WAITERS,
			 "write whole lines one after the other, and less"},
	[CAUSE_ARITHMETIC] = {"dependencies",
			      "The program waits for results of its own "
			      "arithmetic",
			      "operations with a long latency, such as "
			      "divisions" WAITERS,
			      "break the chain: several sums at a time, or a "
			      "multiplication instead of a division"},
};

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

/* The sums of a place; @first: a row of it. There may be one for each row. */
struct place {
	struct row_waits *waits;
	size_t first;
};

/* @most: what the place @where has that loses most to each cause */
struct places {
	KEYED(struct place, all, nr, of_row);
	struct judged most[NR_CAUSES];
	const struct place *where[NR_CAUSES];
};

static const struct row_wait *wait_of(const struct place *place, int cause)
{
	static const struct row_wait none;

	return row_waits_at(place->waits, cause) ?: &none;
}

/*
 * What operations of each cause need. @capped: the own cycles of those whose
 * counters are at their limit, which are taken to be as the others'. @branch:
 * what a misprediction costs, in cycles of latency.
 */
struct needs {
	unsigned int own[NR_CAUSES];
	unsigned int translate;
	unsigned int issue;
	double capped[NR_CAUSES];
	double branch;
};

static void capped_fill(struct needs *needs, const struct row_table *table)
{
	/* Where all are at their limit */
	static const double least[NR_CAUSES] = {[CAUSE_SHARING] = 100,
						[CAUSE_REMOTE] = 400,
						[CAUSE_MEMORY] = 200,
						[CAUSE_CACHE] = 20};
	struct row_wait sums[NR_CAUSES] = {};

	for (size_t i = 0; i < table->nr_rows; i++)
		for (int k = 0; k < NR_CAUSES; k++)
			row_wait_join(&sums[k],
				      row_waits_at(table->rows[i].waits, k));
	for (int k = 0; k < NR_CAUSES; k++)
		needs->capped[k] =
			sums[k].samples > sums[k].capped
				? (double)sums[k].own /
					  (sums[k].samples - sums[k].capped)
				: fmax(least[k], needs->own[k]);
}

static void needs_fill(struct needs *needs, const struct row_table *table)
{
	static const struct row_needs none;
	const struct row_needs *of = table->needs ?: &none;

	for (int k = 0; k < NR_CAUSES; k++)
		needs->own[k] =
			row_need(of, k == CAUSE_ATOMIC	     ? NEED_ATOMIC
				     : k == CAUSE_STORE	     ? NEED_STORE
				     : k == CAUSE_ARITHMETIC ? NEED_ARITHMETIC
							     : NEED_ACCESS);
	needs->translate = row_need(of, NEED_TRANSLATE);
	needs->issue = row_need(of, NEED_ISSUE);
	capped_fill(needs, table);
}

/* From issue to completion, of all operations with that cause */
static double own_of(const struct needs *needs, int cause,
		     const struct row_wait *wait)
{
	return wait->own + wait->translate +
	       wait->capped * needs->capped[cause];
}

static double beyond(double cycles, uint64_t samples, unsigned int need)
{
	return fmax(cycles - (double)samples * need, 0);
}

/* Own cycles of a cause in a place */
struct part {
	double own;	/* all of them */
	double excess;	/* beyond what is needed */
	double walks;	/* for translations, beyond what is needed */
	double awaited; /* own cycles of the operations that others wait for */
};

/* Arithmetic costs something where it is a chain: it waits for itself. */
static struct part part_of_cause(const struct needs *needs,
				 enum row_cause cause,
				 const struct row_wait *wait)
{
	double capped = wait->capped * needs->capped[cause];
	struct part part = {
		.own = capped + (cause == CAUSE_ARITHMETIC
					 ? wait->waiting
					 : wait->own + wait->translate),
		.walks = beyond(wait->translate, wait->samples,
				needs->translate),
	};

	part.awaited = wait->awaited;
	if (wait->capped &&
	    row_awaited(cause, needs->capped[cause], ROW_WAITED + 1))
		part.awaited += capped + (double)wait->translate *
						 wait->capped / wait->samples;
	if (cause == CAUSE_NONE)
		part.excess =
			beyond(wait->waiting, wait->waited, needs->own[cause]);
	else if (cause == CAUSE_ARITHMETIC)
		part.excess = beyond(wait->waiting + capped, wait->waited,
				     needs->own[cause]);
	else if (cause != CAUSE_BRANCH)
		part.excess = beyond(wait->own + capped, wait->samples,
				     needs->own[cause]);
	return part;
}

/* What waits, and what is waited for */
struct balance {
	double waits;
	double awaited;
};

static void balance_add(struct balance *balance, const struct needs *needs,
			const struct place *place)
{
	for (int k = 0; k < NR_CAUSES; k++) {
		const struct row_wait *wait = wait_of(place, k);

		balance->waits += beyond(wait->total - own_of(needs, k, wait),
					 wait->samples, needs->issue);
		balance->awaited += part_of_cause(needs, k, wait).awaited;
	}
}

/* What waits for its operands waits for all that take long. */
static void place_settle(struct judged judged[NR_CAUSES],
			 const struct place *place, const struct needs *needs,
			 const struct balance *of)
{
	struct judged *tlb = &judged[CAUSE_TLB];

	for (int k = 0; k < NR_CAUSES; k++) {
		const struct row_wait *wait = wait_of(place, k);
		struct part part = part_of_cause(needs, k, wait);
		struct judged *to = &judged[k];
		uint64_t own = own_of(needs, k, wait);
		double factor = 1;

		if (of->awaited > 0 && part.own > 0)
			factor += of->waits * part.awaited /
				  (of->awaited * part.own);
		to->samples += wait->samples;
		to->own += own;
		to->translate += wait->translate;
		to->cycles += k == CAUSE_BRANCH ? wait->samples * needs->branch
						: part.excess * factor;
		tlb->cycles += part.walks * factor;
		if (part.walks > 0 && k != CAUSE_TLB) {
			tlb->samples += wait->samples;
			tlb->own += own;
			tlb->translate += wait->translate;
		}
	}
}

/* Loads that the L1 cache answers late wait for lines that others fetch. */
static void share_late(struct judged judged[NR_CAUSES])
{
	double all = 0, late = judged[CAUSE_NONE].cycles;

	for (int k = CAUSE_SHARING; k <= CAUSE_CACHE; k++)
		all += judged[k].cycles;
	for (int k = CAUSE_SHARING; k <= CAUSE_CACHE && all > 0; k++)
		judged[k].cycles *= 1 + late / all;
	judged[CAUSE_NONE].cycles = 0;
}

/*
 * The last digits of sums of doubles depend on the order of rows: what is
 * equal but for these is equal, and the first one is taken.
 */
static bool is_more(double cycles, double than)
{
	return cycles > than * (1 + 1e-9);
}

static void place_count(struct places *places, struct judgement *v,
			const struct place *place,
			const struct judged judged[NR_CAUSES])
{
	for (int k = CAUSE_NONE + 1; k < NR_CAUSES; k++) {
		v->causes[k].samples += judged[k].samples;
		v->causes[k].own += judged[k].own;
		v->causes[k].translate += judged[k].translate;
		v->causes[k].cycles += judged[k].cycles;
		if (is_more(judged[k].cycles, places->most[k].cycles)) {
			places->most[k] = judged[k];
			places->where[k] = place;
		}
	}
}

/* @of_functions: each waits for itself, else all for all */
static void places_settle(struct places *places, struct judgement *v,
			  const struct needs *needs, bool of_functions)
{
	struct balance all = {};

	for (size_t i = 0; i < places->nr; i++)
		balance_add(&all, needs, &places->all[i]);
	for (size_t i = 0; i < places->nr; i++) {
		const struct place *place = &places->all[i];
		struct judged judged[NR_CAUSES] = {};
		struct balance own = {};

		balance_add(&own, needs, place);
		place_settle(judged, place, needs, of_functions ? &own : &all);
		share_late(judged);
		place_count(places, v, place, judged);
	}
}

/*
 * Latencies overlap, and what follows a wrong guess does not. If counters tell
 * how long operations take, it is its part of that.
 */
static double branch_cost(const struct judgement *v, uint64_t samples,
			  const struct places *places)
{
	double part = JUDGEMENT_BRANCH_TIME * v->ipc / samples;
	uint64_t wrong = 0;

	for (size_t i = 0; i < places->nr; i++)
		wrong += wait_of(&places->all[i], CAUSE_BRANCH)->samples;
	if (!v->counted || v->ipc <= 0 || !wrong)
		return JUDGEMENT_BRANCH_CYCLES;
	part = fmin(part * wrong, JUDGEMENT_SHARE_BRANCH);
	return v->cycles * part / (1 - part) / wrong;
}

static int places_fill(struct places *places, struct judgement *v,
		       const struct row_table *table)
{
	int sym = key_index(table, "sym"), dso = key_index(table, "dso");
	struct needs needs;

	needs_fill(&needs, table);
	for (size_t i = 0; i < table->nr_rows; i++) {
		const struct row *row = &table->rows[i];
		struct place *place =
			keyed_item(&places->of_row, sizeof(*place),
				   place_of(row, i, sym, dso),
				   &(struct place){.first = i});

		if (!place || row_waits_join(&place->waits, row->waits))
			return -ENOMEM;
	}
	for (size_t i = 0; i < places->nr; i++)
		for (int k = 0; k < NR_CAUSES; k++) {
			const struct row_wait *wait =
				wait_of(&places->all[i], k);

			v->cycles += wait->total;
			v->own += own_of(&needs, k, wait);
		}
	needs.branch = branch_cost(v, table->samples, places);
	places_settle(places, v, &needs, sym >= 0);
	return 0;
}

static bool is_limit(const struct judgement *v, enum row_cause cause)
{
	return judgement_share(v, cause) >=
	       (cause == CAUSE_SHARING || cause == CAUSE_BRANCH
			? JUDGEMENT_SHARE_WORSE
			: JUDGEMENT_SHARE);
}

/* The cause with the most cycles that is not @but. */
static enum row_cause most_of(const struct judgement *v, enum row_cause but)
{
	enum row_cause most = CAUSE_NONE;

	for (int k = CAUSE_NONE + 1; k < NR_CAUSES; k++)
		if (k != (int)but &&
		    is_more(v->causes[k].cycles, v->causes[most].cycles))
			most = k;
	return most;
}

static void sum_up(struct judgement *v, const struct row_table *table)
{
	double squares = 0;

	v->samples = table->samples;
	v->timed = table->total.count;
	for (size_t i = 0; i < table->total.used; i++)
		squares += (double)table->total.bins[i].count *
			   table->total.bins[i].value *
			   table->total.bins[i].value;
	if (v->cycles > 0)
		v->deviation = DEVIATIONS * sqrt(squares) / v->cycles;
	v->cycles += v->causes[CAUSE_BRANCH].cycles;
	v->largest = most_of(v, CAUSE_NONE);
	for (int k = CAUSE_NONE + 1; k < NR_CAUSES; k++)
		if (is_limit(v, k) &&
		    is_more(v->causes[k].cycles, v->causes[v->cause].cycles))
			v->cause = k;
	if (v->cause != CAUSE_NONE)
		v->largest = v->cause;
	v->second = most_of(v, v->largest);
	if (judgement_share(v, v->second) < JUDGEMENT_SHARE_SECOND)
		v->second = CAUSE_NONE;
}

/* Sums up, over the rows of @place, by instruction. */
static int slow_sums(struct slow_codes *sums, const struct row_table *table,
		     const struct place *place, enum row_cause cause)
{
	int sym = key_index(table, "sym"), dso = key_index(table, "dso");
	uint64_t here = place_of(&table->rows[place->first], 0, sym, dso);
	FREED bool *is_here = calloc(table->nr_numbers, sizeof(*is_here));
	int ret = is_here ? 0 : -ENOMEM;

	for (size_t i = 0; i < table->nr_rows && !ret; i++)
		is_here[table->rows[i].number] =
			place_of(&table->rows[i], i, sym, dso) == here;
	for (size_t i = 0; i < table->slow.nr && !ret; i++) {
		struct slow_code code = table->slow.all[i];
		uint32_t of_row;

		if (!is_here[code.row] || code.cause != (uint32_t)cause ||
		    !keyed_find(&table->slow.of_row, code.row, &of_row))
			continue;
		code.row = 0;
		ret = slow_codes_add(sums, &code, &table->slow.places[of_row]);
	}
	return ret;
}

/* "'ldr x1, [x1]' at +0x18, chase.c:42" */
static char *insn_text(const struct slow_code *code,
		       const struct code_found *found)
{
	const char *insn = found->insns.nr ? found->insns.all[0].text : NULL;
	char line[VIEW_LINE_MAX], *text = NULL;

	view_line_text(&found->line, line);
	return asprintf(&text, "%s%s%sat +0x%" PRIx64 "%s%s", insn ? "'" : "",
			insn ?: "", insn ? "' " : "", code->offset,
			*line ? ", " : "", line) < 0
		       ? NULL
		       : text;
}

/* Sets the instruction of @to, if it is known. */
static int find_insn(struct judged_place *to, const struct row_table *table,
		     const struct load *load, const struct place *place,
		     enum row_cause cause)
{
	const struct slow_code *most = NULL;
	CLEANUP(slow_codes_fini) struct slow_codes sums = {};
	struct code_found found;
	int ret;

	if (!load || table->slow.left_out || key_index(table, "sym") < 0)
		return 0;
	ret = slow_sums(&sums, table, place, cause);
	for (size_t i = 0; i < sums.nr; i++)
		if (!most || sums.all[i].cycles > most->cycles ||
		    (sums.all[i].cycles == most->cycles &&
		     sums.all[i].at < most->at))
			most = &sums.all[i];
	if (!ret && most) {
		ret = code_find(&found, load, &sums.places[0], most->at);
		to->insn = ret ? NULL : insn_text(most, &found);
		to->offset = most->offset;
		ret = to->insn ? 0 : -ENOMEM;
		insns_fini(&found.insns);
	}
	return ret;
}

static char *key_text(const struct row_table *table, const struct row *row,
		      int key)
{
	char buf[32];

	return key < 0 ? NULL
		       : strdup(row_value(table, row, key, buf, sizeof(buf)));
}

static int name_place(struct judged_place *to, const struct row_table *table,
		      const struct places *places, enum row_cause cause,
		      const struct load *load)
{
	int sym = key_index(table, "sym"), dso = key_index(table, "dso");
	const struct place *place = places->where[cause];
	const struct row *row;

	if (!place)
		return 0;
	row = &table->rows[place->first];
	to->at = places->most[cause];
	to->where = place_name(table, row, sym, dso);
	to->sym = key_text(table, row, sym);
	to->dso = key_text(table, row, dso);
	return find_insn(to, table, load, place, cause);
}

/* "81.3% +- 2.0" */
struct share_text {
	char text[32];
};

static struct share_text share_text(const struct judgement *v,
				    enum row_cause cause)
{
	double share = judgement_share(v, cause);
	struct share_text to;

	snprintf(to.text, sizeof(to.text), "%.1f%% +- %.1f", 100 * share,
		 100 * v->deviation * sqrt(fmax(share * (1 - share), 0)));
	return to;
}

/* "; the largest, memory, has 3.1% ..."; nothing of nothing. */
static const char *largest_text(const struct judgement *v, char *text,
				size_t size)
{
	*text = '\0';
	if (v->largest != CAUSE_NONE)
		snprintf(text, size, ": the largest, %s, has %s of %s",
			 causes[v->largest].name,
			 share_text(v, v->largest).text,
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
			     "Only %s were taken: no wait that SPE sees has "
			     "much of their latency%s.",
			     v->population,
			     largest_text(v, largest, sizeof(largest)));
	else
		n = asprintf(&text,
			     "Only %s were taken: of their latency, %s have "
			     "%s; their share of the program's time is not "
			     "known.",
			     v->population, causes[v->cause].who,
			     share_text(v, v->cause).text);
	return n < 0 ? NULL : text;
}

/* What a wrong guess is taken to cost */
static const char *branch_text(const struct judgement *v, char text[64])
{
	bool of_time = v->counted && v->ipc > 0;

	snprintf(text, 64, ", if each costs %d cycles %s",
		 of_time ? JUDGEMENT_BRANCH_TIME : JUDGEMENT_BRANCH_CYCLES,
		 of_time ? "of time" : "more");
	return text;
}

static char *say_what(const struct judgement *v)
{
	char *text = NULL, largest[128], cost[64];
	int n;

	if (v->timed < JUDGEMENT_SAMPLES)
		n = asprintf(&text,
			     "Only %" PRIu64 " samples have a latency: too few "
			     "to tell what limits the program: record longer, "
			     "or with a smaller -c.",
			     v->timed);
	else if (v->population)
		return say_what_of(v);
	else if (v->cause == CAUSE_NONE)
		n = asprintf(&text,
			     "No wait that SPE sees limits the program%s.",
			     largest_text(v, largest, sizeof(largest)));
	else
		n = asprintf(
			&text, "%s: %s have %s of all cycles of latency%s.",
			causes[v->cause].limit, causes[v->cause].who,
			share_text(v, v->cause).text,
			v->cause == CAUSE_BRANCH ? branch_text(v, cost) : "");
	return n < 0 ? NULL : text;
}

/* What was counted is of all operations, whatever filters let pass. */
static int say_lost(struct judgement *v, const struct row_table *table)
{
	struct counted_stalls stalls;
	char scaled[64] = "";
	double all;

	if (!counters_stalls(&table->counters, &stalls))
		return 0;
	all = stalls.cycles.value;
	if (stalls.cycles.running < stalls.cycles.enabled)
		snprintf(scaled, sizeof(scaled),
			 ", as counted in %.1f%% of the time",
			 100 * reading_share(&stalls.cycles));
	return asprintf(&v->sentence[JUDGEMENT_LOST],
			"Of %.1f M cycles %.1f%% were lost%s: in %.1f%% the "
			"back end could take no operation, in %.1f%% the front "
			"end had none.",
			all / 1e6, 100 * (stalls.front + stalls.back) / all,
			scaled, 100 * stalls.back / all,
			100 * stalls.front / all) < 0
		       ? -ENOMEM
		       : 0;
}

static double part_of(const struct judgement *v, enum row_cause cause,
		      const struct judged *at)
{
	return v->causes[cause].cycles > 0
		       ? at->cycles / v->causes[cause].cycles
		       : 0;
}

static char *say_where(const struct judgement *v)
{
	double part = part_of(v, v->largest, &v->first.at);
	char *text = NULL;

	if (asprintf(&text,
		     "%s of that is in %s: %.1f%%, %" PRIu64 " samples.%s%s%s",
		     part > 0.5 ? "Most" : "The largest part", v->first.where,
		     100 * part, v->first.at.samples,
		     v->first.insn ? " Its costliest instruction is " : "",
		     v->first.insn ?: "", v->first.insn ? "." : "") < 0)
		return NULL;
	return text;
}

/* With as much as the first, and in the same form. */
static char *say_second(const struct judgement *v)
{
	char *text = NULL;

	if (asprintf(&text,
		     "Second, %s: %s of all cycles%s; %.1f%% of that in "
		     "%s%s%s; %s.",
		     causes[v->second].name, share_text(v, v->second).text,
		     v->population ? " of these" : "",
		     100 * part_of(v, v->second, &v->also.at), v->also.where,
		     v->also.insn ? ", costliest " : "", v->also.insn ?: "",
		     causes[v->second].action) < 0)
		return NULL;
	return text;
}

static double mean_of(uint64_t cycles, uint64_t samples)
{
	return samples ? (double)cycles / samples : 0;
}

static char *say_evidence(const struct judgement *v)
{
	const struct judged *of = &v->causes[v->largest];
	double part = mean_of(of->samples, v->samples);
	uint64_t others = v->samples - of->samples;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "Evidence: ");
	if (others)
		fprintf(out,
			"%" PRIu64 " of %" PRIu64 " samples, %.2f%% +- %.2f",
			of->samples, v->samples, 100 * part,
			100 * DEVIATIONS *
				sqrt(part * (1 - part) / v->samples));
	else
		fprintf(out, "all %" PRIu64 " samples", v->samples);
	fprintf(out, ", with %.1f own cycles each",
		mean_of(of->own, of->samples));
	if (v->largest == CAUSE_TLB)
		fprintf(out, ", %.1f of them for translations",
			mean_of(of->translate, of->samples));
	if (others)
		fprintf(out, ", all others with %.1f",
			mean_of(v->own - of->own, others));
	if (v->ipc >= 0)
		fprintf(out, "; %.3f instructions per cycle", v->ipc);
	fputc('.', out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* As a shell reads it as one word. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789_-+=./:@%";

	if (word[strspn(word, plain)] == '\0') {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
	fputc('\'', out);
}

static char *say_action(const struct judgement *v)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "To do: %s.", causes[v->cause].action);
	if (v->first.sym && *v->first.sym != '[') {
		fputs(" For the instructions: pmscope annotate ", out);
		put_word(out, v->first.sym);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int say(struct judgement *v)
{
	char **to = v->sentence;
	bool complete;

	to[JUDGEMENT_WHAT] = say_what(v);
	complete = to[JUDGEMENT_WHAT];
	if (v->timed < JUDGEMENT_SAMPLES || !v->first.where)
		return complete ? 0 : -ENOMEM;
	to[JUDGEMENT_WHERE] = say_where(v);
	to[JUDGEMENT_EVIDENCE] = say_evidence(v);
	complete &= to[JUDGEMENT_WHERE] && to[JUDGEMENT_EVIDENCE];
	if (v->cause != CAUSE_NONE) {
		to[JUDGEMENT_ACTION] = say_action(v);
		complete &= !!to[JUDGEMENT_ACTION];
	}
	if (v->cause != CAUSE_NONE && v->also.where) {
		to[JUDGEMENT_SECOND] = say_second(v);
		complete &= !!to[JUDGEMENT_SECOND];
	}
	return complete ? 0 : -ENOMEM;
}

int judgement_make(struct judgement *v, const struct row_table *table,
		   char *population, const struct load *load)
{
	bool is_chosen = load && load->filter && load->filter->said;
	struct places places = {};
	int ret;

	*v = (struct judgement){
		.ipc = is_chosen ? -1 : counters_ipc(&table->counters),
		.counted = load && !load->filtered && !population,
		.population = population};
	ret = places_fill(&places, v, table);
	if (!ret) {
		sum_up(v, table);
		ret = name_place(&v->first, table, &places, v->largest, load);
		ret = ret
			      ?: name_place(&v->also, table, &places, v->second,
					    load);
	}
	for (size_t i = 0; i < places.nr; i++)
		free(places.all[i].waits);
	keyed_fini(&places.of_row);
	if (!ret && !is_chosen)
		ret = say_lost(v, table);
	return ret ?: v->samples ? say(v) : 0;
}

static int judgement_of(struct judgement *v, const struct row_table *table,
			const struct load *load)
{
	char *population;
	int ret = population_read(load, &population);

	*v = (struct judgement){};
	return ret ?: judgement_make(v, table, population, load);
}

static void judged_place_fini(struct judged_place *place)
{
	free(place->where);
	free(place->sym);
	free(place->dso);
	free(place->insn);
}

void judgement_fini(struct judgement *v)
{
	judged_place_fini(&v->first);
	judged_place_fini(&v->also);
	free(v->population);
	for (int i = 0; i < JUDGEMENT_SENTENCES; i++)
		free(v->sentence[i]);
	*v = (struct judgement){};
}

int judgement_print(FILE *out, const struct row_table *table,
		    const struct load *load)
{
	CLEANUP(judgement_fini) struct judgement v;
	int ret = judgement_of(&v, table, load), lines = 0;

	for (int i = 0; i < JUDGEMENT_SENTENCES && !ret; i++)
		if (v.sentence[i])
			lines += name_put_lines(out, "# ", v.sentence[i]);
	if (lines)
		fprintf(out, "#\n");
	return ret ?: lines;
}

static void put_causes(struct json *json, const struct judgement *v)
{
	json_begin_array(json, "causes");
	for (int k = 0; k < NR_CAUSES && v->timed >= JUDGEMENT_SAMPLES; k++) {
		json_begin_object(json, NULL);
		json_text(json, "name", causes[k].name);
		json_text(json, "who", causes[k].who);
		json_real(json, "share", 4, judgement_share(v, k));
		json_end_object(json);
	}
	json_end_array(json);
}

/* @sentence: its number among those that are there */
static void put_place(struct json *json, const struct judged_place *place,
		      int sentence)
{
	if (!place->sym || !place->dso)
		return;
	json_begin_object(json, NULL);
	json_unsigned(json, "sentence", sentence);
	json_text(json, "sym", place->sym);
	json_text(json, "dso", place->dso);
	if (place->insn)
		json_unsigned(json, "symoff", place->offset);
	json_end_object(json);
}

static void put_places(struct json *json, const struct judgement *v)
{
	int nr = 0;

	json_begin_array(json, "verdict_places");
	for (int i = 0; i < JUDGEMENT_SENTENCES; i++) {
		if (!v->sentence[i])
			continue;
		if (i == JUDGEMENT_WHERE || i == JUDGEMENT_SECOND)
			put_place(json,
				  i == JUDGEMENT_WHERE ? &v->first : &v->also,
				  nr);
		nr++;
	}
	json_end_array(json);
}

static int put_judgement(struct json *json, const char *key,
			 const struct row_table *table, const struct load *load,
			 bool with_causes)
{
	CLEANUP(judgement_fini) struct judgement v;
	int ret = judgement_of(&v, table, load);

	json_begin_array(json, key);
	for (int i = 0; i < JUDGEMENT_SENTENCES && !ret; i++)
		if (v.sentence[i])
			json_text(json, NULL, v.sentence[i]);
	json_end_array(json);
	if (with_causes) {
		put_places(json, &v);
		put_causes(json, &v);
	}
	return ret;
}

int judgement_json(struct json *json, const char *key,
		   const struct row_table *table, const struct load *load)
{
	return put_judgement(json, key, table, load, false);
}

int judgement_json_causes(struct json *json, const char *key,
			  const struct row_table *table,
			  const struct load *load)
{
	return put_judgement(json, key, table, load, true);
}
