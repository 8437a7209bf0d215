/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that counts instructions and branches for the PMU.
 *
 * A conditional branch is predicted taken when it goes back, and a return goes
 * where it was called from; the target of any other indirect branch is not
 * foreseen. This is not the predictor of SPE, which learns.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/translate.h"
#include "tcg/translate-a64.h"
#include "translate.h"
#include "spe.h"

#define ADD_ONE(field) gen_add_one(offsetof(CPUARMState, pmss.field))
#define ADD_ONE_IF(condition, field) ((condition) ? ADD_ONE(field) : (void)0)

static void gen_add_one(size_t offset)
{
    TCGv_i64 count = tcg_temp_new_i64();

    tcg_gen_ld_i64(count, tcg_env, offset);
    tcg_gen_addi_i64(count, count, 1);
    tcg_gen_st_i64(count, tcg_env, offset);
}

void pmss_gen_instruction(DisasContext *s)
{
    if (s->count_insns) {
        ADD_ONE(insns);
    }
}

static void gen_branch(DisasContext *s, bool taken, bool foreseen)
{
    SPEBranch type = spe_branch_type(s->insn);

    ADD_ONE(branches);
    ADD_ONE_IF(type < SPE_BRANCH_INDIRECT, tally[PMSS_IMMED]);
    ADD_ONE_IF(type == SPE_BRANCH_RETURN, tally[PMSS_RETURNS]);
    ADD_ONE_IF(taken, tally[PMSS_TAKEN]);
    if (!foreseen) {
        ADD_ONE(mispredicted);
    } else if (taken) {
        ADD_ONE(redirected);
    }
}

/* The sign of imm14 or imm19. */
static bool goes_back(uint32_t insn)
{
    bool test_bit = (insn & 0x7e000000) == 0x36000000;

    return extract32(insn, test_bit ? 18 : 23, 1);
}

void pmss_gen_goto(DisasContext *s, int n)
{
    if (!s->count_branches || !spe_insn_is_branch(s->insn)) {
        return;
    }
    if (spe_insn_is_conditional_branch(s->insn)) {
        gen_branch(s, n == 1, (n == 1) == goes_back(s->insn));
    } else {
        gen_branch(s, true, true);
    }
}

void pmss_gen_indirect(DisasContext *s)
{
    if (s->count_branches) {
        gen_branch(s, true, spe_branch_type(s->insn) == SPE_BRANCH_RETURN);
    }
}
