// SPDX-License-Identifier: GPL-2.0-or-later
/* What events must count, and published errata. */
#include "base/names.h"
#include "verify/verify.h"

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
