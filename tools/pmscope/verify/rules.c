// SPDX-License-Identifier: GPL-2.0-or-later
/* What was found, in rows. */
#include "verify/verify.h"
#include "base/names.h"

double verify_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void put_words(struct verify_row *row, const struct judged *j)
{
	const char *words = verdict_words[j->verdict];

	if (j->verdict == VERDICT_WITHIN)
		snprintf(row->text, sizeof(row->text), "%s %.2g %%", words,
			 100 * j->error);
	else if (j->verdict == VERDICT_SOMETHING && j->ratio > 0)
		snprintf(row->text, sizeof(row->text), "%s (%.3g times)", words,
			 j->ratio);
	else if (j->verdict == VERDICT_OTHER_CODE)
		snprintf(row->text, sizeof(row->text), "%s (%s)", words,
			 j->speculative ? "speculative" : "exception levels");
	else
		snprintf(row->text, sizeof(row->text), "%s", words);
}

struct verify_row *verify_add(struct verify_kind *kind, const char *name,
			      int number, struct judged judged,
			      const struct loop *loop, const struct measured *m)
{
	const char *erratum, *note;
	struct verify_row *row;

	if (array_one_more(kind->row, kind->nr))
		return NULL;
	row = &kind->row[kind->nr++];
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->number = number;
	row->verdict = judged.verdict;
	row->ratio = judged.ratio;
	put_words(row, &judged);
	erratum = verify_erratum(kind->midr, name, &note);
	if (erratum)
		verify_note(row, "%s: %s", erratum, note);
	if (judged.verdict == VERDICT_UNDECIDED ||
	    judged.verdict == VERDICT_NOT_ALLOWED)
		return row;
	row->loop = loop->name;
	row->counted = m->counted;
	row->expected = m->expected;
	return row;
}

void verify_note(struct verify_row *row, const char *fmt, ...)
{
	size_t length = strlen(row->note);
	va_list args;

	if (length && length + 3 < sizeof(row->note))
		length += sprintf(row->note + length, "; ");
	va_start(args, fmt);
	vsnprintf(row->note + length, sizeof(row->note) - length, fmt, args);
	va_end(args);
}

/* What events must count, and published errata. */

/* Events, what, how exactly, and whether pmscope's own views use them */
static const struct verify_rule rules[] = {
	{"cpu_cycles", CYCLES, RETIRED, true},
	{"inst_retired", INSTRUCTIONS, RETIRED, true},
	{"inst_spec", INSTRUCTIONS, EXECUTED, true},
	{"op_retired,op_spec", INSTRUCTIONS, CACHED, true},
	{"ld_retired", LOADS, RETIRED, false},
	{"st_retired", STORES, RETIRED, false},
	{"ld_spec", LOADS, EXECUTED, true},
	{"st_spec", STORES, EXECUTED, true},
	{"ldst_spec", ACCESSES, EXECUTED, false},
	{"mem_access", ACCESSES, CACHED, false},
	{"mem_access_rd,l1d_cache_rd,l1d_tlb_rd", LOADS, CACHED, false},
	{"mem_access_wr,l1d_cache_wr,l1d_tlb_wr", STORES, CACHED, false},
	{"unaligned_ldst_retired", UNALIGNED, RETIRED, false},
	{"unaligned_ldst_spec,unaligned_ld_spec", UNALIGNED, EXECUTED, false},
	{"ldrex_spec", LOAD_EXCLUSIVES, EXECUTED, false},
	{"strex_spec,strex_pass_spec", STORE_EXCLUSIVES, EXECUTED, false},
	{"pc_write_retired", TAKEN, RETIRED, false},
	{"br_retired", BRANCHES, RETIRED, true},
	{"br_pred", BRANCHES, EXECUTED, false},
	{"br_immed_retired", IMMED, RETIRED, true},
	{"br_immed_spec", IMMED, EXECUTED, true},
	{"br_return_retired", RETURNS, RETIRED, true},
	{"br_return_spec", RETURNS, EXECUTED, false},
	{"br_indirect_spec", INDIRECT_TAKEN, EXECUTED, true},
	{"br_ind_retired", INDIRECT_TAKEN, RETIRED, true},
	{"br_skip_retired,br_immed_skip_retired", SKIPPED, RETIRED, false},
	{"br_immed_taken_retired", IMMED_TAKEN, RETIRED, false},
	{"br_ind_taken_retired", INDIRECT_TAKEN, RETIRED, false},
	{"br_indnr_taken_retired", INDIRECT, RETIRED, false},
	{"br_mis_pred,br_mis_pred_retired", MISPREDICTED, CACHED, true},
	{"l1d_cache,l1d_tlb", ACCESSES, CACHED, true},
	{"l1d_cache_refill,l2d_cache", L1_MISSES, CACHED, true},
	{"l1d_cache_refill_rd,l1d_cache_lmiss_rd,l2d_cache_rd", L1_MISSES,
	 CACHED, false},
	{"l2d_cache_refill,ll_cache_rd", L2_MISSES, CACHED, true},
	{"l2d_cache_refill_rd,l2d_cache_lmiss_rd,ll_cache", L2_MISSES, CACHED,
	 false},
	{"l3d_cache,l3d_cache_rd", L2_MISSES, CACHED, false},
	{"l3d_cache_refill,l3d_cache_lmiss_rd,ll_cache_miss", LL_MISSES, CACHED,
	 false},
	{"ll_cache_miss_rd", LL_MISSES, CACHED, true},
	{"l1d_tlb_refill,l2d_tlb", TLB_MISSES, CACHED, true},
	{"l1d_tlb_refill_rd", TLB_MISSES, CACHED, false},
	{"l2d_tlb_refill,dtlb_walk", WALKS, CACHED, true},
	{"dp_spec", INTEGER, EXECUTED, true},
	{"vfp_spec,fp_dp_spec,fp_fixed_ops_spec", FLOATING, EXECUTED, true},
	{"ase_spec", VECTORS, EXECUTED, true},
	{"ase_inst_spec,ase_sve_int32_spec", VECTORS, EXECUTED, false},
	{"fp_dp_fixed_ops_spec", FLOATING, EXECUTED, false},
	{"exc_taken,exc_return,exc_svc", EXCEPTIONS, RETIRED, false},
	{"isb_spec", ISBS, EXECUTED, true},
	{"dsb_spec", DSBS, EXECUTED, true},
	{"dmb_spec", DMBS, EXECUTED, true},
};

static const struct {
	uint32_t model;
	unsigned int fixed; /* in this revision; 0: in none */
	const char *title, *what, *note;
} errata[] = {
#define ERRATUM(cpu, fixed, title, what, note) \
	{MIDR_##cpu, fixed, title, what, note},
#include "verify/errata.def"
};

/* Is it one of the words that commas separate? */
static bool is_listed(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (; words; words = strchr(words, ',')) {
		words += *words == ',';
		if (!strncmp(words, word, length) &&
		    (!words[length] || words[length] == ','))
			return true;
	}
	return false;
}

const struct verify_rule *verify_rule(const char *event)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (is_listed(rules[i].events, event))
			return &rules[i];
	return NULL;
}

const char *verify_erratum(uint64_t midr, const char *what, const char **note)
{
	for (size_t i = 0; i < sizeof(errata) / sizeof(*errata); i++) {
		*note = errata[i].note;
		if (midr_model(midr) == errata[i].model &&
		    (!errata[i].fixed ||
		     midr_revision(midr) < errata[i].fixed) &&
		    is_listed(errata[i].what, what))
			return errata[i].title;
	}
	return NULL;
}
