/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction: gshare for conditional branches, a target buffer for
 * indirect ones and a stack for returns.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "spe.h"

#define TARGETS 512
#define STACK 16

typedef struct SPEPredictor {
    uint64_t target[TARGETS];
    uint64_t stack[STACK];
    unsigned top;
} SPEPredictor;

SPEPredictor *spe_predictor_new(void)
{
    return g_new0(SPEPredictor, 1);
}

uint32_t spe_branch_hash(uint64_t pc)
{
    return (pc & ~TARGET_PAGE_MASK) >> 2;
}

/* The TBs train the counters in the same way. */
static bool predict_direction(CPUARMState *env, uint64_t pc, bool taken)
{
    SPEState *s = &env->spe;
    uint8_t *counter = &s->direction[spe_branch_hash(pc) ^ s->history];
    bool foreseen = (*counter >= 2) == taken;

    if (taken && *counter < 3) {
        (*counter)++;
    } else if (!taken && *counter > 0) {
        (*counter)--;
    }
    s->history = (s->history << 1 | taken) & (SPE_DIRECTIONS - 1);
    return foreseen;
}

static bool predict_target(SPEPredictor *p, uint64_t pc, uint64_t target)
{
    uint64_t *last = &p->target[(pc >> 2) % TARGETS];
    bool foreseen = *last == target;

    *last = target;
    return foreseen;
}

static void push_return(SPEPredictor *p, uint64_t address)
{
    p->top = (p->top + 1) % STACK;
    p->stack[p->top] = address;
}

static bool predict_return(SPEPredictor *p, uint64_t target)
{
    bool foreseen = p->stack[p->top] == target;

    p->top = (p->top + STACK - 1) % STACK;
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

bool spe_predict(SPEPredictor *p, CPUARMState *env, SPEBranch type,
                 uint64_t pc, uint64_t target, bool taken)
{
    switch (type) {
    case SPE_BRANCH_CONDITIONAL:
        return predict_direction(env, pc, taken);
    case SPE_BRANCH_CALL:
        push_return(p, pc + 4);
        return true;
    case SPE_BRANCH_INDIRECT_CALL:
        push_return(p, pc + 4);
        return predict_target(p, pc, target);
    case SPE_BRANCH_INDIRECT:
        return predict_target(p, pc, target);
    case SPE_BRANCH_RETURN:
        return predict_return(p, target);
    default:
        return true;
    }
}
