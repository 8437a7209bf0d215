/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction: gshare for conditional branches, a target buffer for
 * indirect ones and a stack for returns.
 */
#include "qemu/osdep.h"
#include "spe.h"

uint32_t spe_index_in_page(uint64_t pc)
{
    return (pc & ~TARGET_PAGE_MASK) >> 2;
}

/* The TBs train all of it in the same way. */
static bool predict_direction(SPEState *s, uint64_t pc, bool taken)
{
    uint8_t *counter = &s->direction[spe_index_in_page(pc) ^ s->history];
    bool foreseen = (*counter >= 2) == taken;

    if (taken && *counter < 3) {
        (*counter)++;
    } else if (!taken && *counter > 0) {
        (*counter)--;
    }
    s->history = (s->history << 1 | taken) & (SPE_DIRECTIONS - 1);
    return foreseen;
}

static bool predict_target(SPEState *s, uint64_t pc, uint64_t target)
{
    uint64_t *last = &s->target[spe_index_in_page(pc) % SPE_TARGETS];
    bool foreseen = *last == target;

    *last = target;
    return foreseen;
}

static void push_return(SPEState *s, uint64_t address)
{
    s->last_return = (s->last_return + 1) % SPE_RETURNS;
    s->returns[s->last_return] = address;
}

static bool predict_return(SPEState *s, uint64_t target)
{
    bool foreseen = s->returns[s->last_return] == target;

    s->last_return = (s->last_return + SPE_RETURNS - 1) % SPE_RETURNS;
    return foreseen;
}

SPEBranch spe_branch_type(uint32_t insn)
{
    if (spe_insn_is_conditional_branch(insn)) {
        return SPE_BRANCH_CONDITIONAL;
    }
    if (!spe_insn_is_indirect_branch(insn)) {
        return extract32(insn, 31, 1) ? SPE_BRANCH_CALL : SPE_BRANCH_DIRECT;
    }
    switch (extract32(insn, 21, 4) & 7) {
    case 1:
        return SPE_BRANCH_INDIRECT_CALL;
    case 2:
        return SPE_BRANCH_RETURN;
    default:
        return SPE_BRANCH_INDIRECT;
    }
}

bool spe_predict(SPEState *s, SPEBranch type, uint64_t pc, uint64_t target,
                 bool taken)
{
    switch (type) {
    case SPE_BRANCH_CONDITIONAL:
        return predict_direction(s, pc, taken);
    case SPE_BRANCH_CALL:
        push_return(s, pc + 4);
        return true;
    case SPE_BRANCH_INDIRECT_CALL:
        push_return(s, pc + 4);
        return predict_target(s, pc, target);
    case SPE_BRANCH_INDIRECT:
        return predict_target(s, pc, target);
    case SPE_BRANCH_RETURN:
        return predict_return(s, target);
    default:
        return true;
    }
}
