/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that profiling adds to the TBs of A64 instructions.
 *
 * A TB pays for all its operations at its start, and lines that were touched
 * last are recognized in line: a call for each instruction or access would
 * make the guest many times slower. Where the countdown would end inside a
 * TB, precise code runs instead, which counts each operation and shows each
 * access and branch.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/helper-gen.h"
#include "tcg/translate.h"
#include "tcg/translate-a64.h"
#include "ooo.h"
#include "translate.h"

#define SPE_FIELD(field) offsetof(CPUARMState, spe.field)

/*
 * The helper adds this to env->pc. The TBs of the system emulation are
 * position independent, so the PC is not a constant.
 */
static TCGv_i64 pc_offset(DisasContext *s)
{
    return tcg_constant_i64(s->pc_curr - s->pc_save);
}

static const ARMCPU *cpu_of(DisasContext *s)
{
    return container_of(s->isar, const ARMCPU, isar);
}

static void gen_count_operation(DisasContext *s)
{
    TCGLabel *go_on = gen_new_label();
    TCGv_i32 count = tcg_temp_new_i32();

    if (ooo_detail(cpu_of(s))) {
        gen_helper_spe_begin(tcg_env, pc_offset(s), tcg_constant_i32(s->insn));
    }
    tcg_gen_ld_i32(count, tcg_env, SPE_FIELD(countdown));
    tcg_gen_subi_i32(count, count, 1);
    tcg_gen_st_i32(count, tcg_env, SPE_FIELD(countdown));
    tcg_gen_brcondi_i32(TCG_COND_GT, count, 0, go_on);
    gen_helper_spe_operation(tcg_env, pc_offset(s),
                             tcg_constant_i32(s->insn));
    gen_set_label(go_on);
}

/*
 * The scoreboard of core=ooo wants precise code for a while before a sample, and
 * precise code sees the branch before a sampled one (FEAT_SPE_PBT) when it
 * runs so many operations ahead of the sample.
 */
#define PBT_OPERATIONS 32

static int precise_below(DisasContext *s)
{
    const ARMCPU *cpu = cpu_of(s);

    return MAX(ooo_detail(cpu), cpu->spe.pbt ? PBT_OPERATIONS : 0);
}

/* spe_gen_tb_end() fills in the number of operations. */
static void gen_count_tb(DisasContext *s)
{
    TCGv_i32 count = tcg_temp_new_i32();

    s->spe_to_precise = gen_new_label();
    tcg_gen_ld_i32(count, tcg_env, SPE_FIELD(countdown));
    tcg_gen_sub_i32(count, count, tcg_constant_i32(0));
    s->spe_count_op = tcg_last_op();
    tcg_gen_brcondi_i32(TCG_COND_LE, count, precise_below(s),
                        s->spe_to_precise);
    tcg_gen_st_i32(count, tcg_env, SPE_FIELD(countdown));

    /* For code that leaves the TB before its end. */
    tcg_gen_st_i32(tcg_constant_i32(0), tcg_env, SPE_FIELD(tb));
    s->spe_store_op = tcg_last_op();
}

void spe_gen_operation(DisasContext *s)
{
    if (s->spe_mode == SPE_PRECISE) {
        gen_count_operation(s);
    } else if (s->spe_mode == SPE_FAST && s->base.num_insns == 1) {
        gen_count_tb(s);
    }
}

void spe_gen_tb_end(DisasContext *s)
{
    TCGv_i32 ops = tcg_constant_i32(s->base.num_insns);

    if (!s->spe_to_precise) {
        return;
    }
    tcg_set_insn_param(s->spe_count_op, 2, tcgv_i32_arg(ops));
    tcg_set_insn_param(s->spe_store_op, 0, tcgv_i32_arg(tcg_constant_i32(
        spe_index_in_page(s->base.pc_first) << 16 | s->base.num_insns)));
    gen_set_label(s->spe_to_precise);
    gen_helper_spe_precise(tcg_env, ops);
    tcg_gen_exit_tb(NULL, 0);
}

/* Jumps to @hit if @addr is in the line that was last used in its cache set. */
static void gen_look_up(TCGv_i64 addr, bool write, TCGLabel *hit)
{
    TCGv_i64 line = tcg_temp_new_i64();
    TCGv_i64 index = tcg_temp_new_i64();
    TCGv_ptr entry = tcg_temp_new_ptr();

    tcg_gen_shri_i64(index, addr, SPE_LINE_BITS - 3);
    tcg_gen_andi_i64(index, index, (SPE_LINE_SETS - 1) << 3);
    tcg_gen_trunc_i64_ptr(entry, index);
    tcg_gen_add_ptr(entry, entry, tcg_env);
    tcg_gen_ld_i64(index, entry, write ? SPE_FIELD(written_line)
                                       : SPE_FIELD(read_line));
    tcg_gen_andi_i64(line, addr, -(1ll << SPE_LINE_BITS));
    tcg_gen_brcond_i64(TCG_COND_EQ, index, line, hit);
}

/* LDADD, SWP, ..., which QEMU tells as loads, as well as LDAPR, which is one */
static bool is_atomic(uint32_t insn)
{
    return (insn & 0x3f200c00) == 0x38200000 &&
           (!extract32(insn, 15, 1) || !extract32(insn, 12, 3));
}

void spe_gen_access(DisasContext *s, TCGv_i64 addr, bool write,
                    unsigned size, int mmu_idx)
{
    TCGLabel *done = gen_new_label();
    uint32_t desc = 0;

    write |= is_atomic(s->insn);
    if (s->spe_mode == SPE_OFF && !s->count_accesses) {
        return;
    }
    if (s->spe_mode == SPE_FAST && !s->count_accesses) {
        gen_look_up(addr, write, done);
    }
    desc = FIELD_DP32(desc, SPE_ACCESS, PROFILED, s->spe_mode != SPE_OFF);
    desc = FIELD_DP32(desc, SPE_ACCESS, SIZE, size);
    desc = FIELD_DP32(desc, SPE_ACCESS, WRITE, write);
    desc = FIELD_DP32(desc, SPE_ACCESS, REGISTER, s->insn & 31);
    desc = FIELD_DP32(desc, SPE_ACCESS, MMU_IDX, mmu_idx);
    gen_helper_spe_access(tcg_env, addr, tcg_constant_i32(desc));
    gen_set_label(done);
}

static void gen_branch(DisasContext *s, TCGv_i64 target, bool taken)
{
    gen_helper_spe_branch(tcg_env, pc_offset(s), target,
                          tcg_constant_i32(spe_branch_type(s->insn)),
                          tcg_constant_i32(taken));
}

static void gen_train_direction(DisasContext *s, bool taken)
{
    TCGv_i32 history = tcg_temp_new_i32();
    TCGv_i32 index = tcg_temp_new_i32();
    TCGv_i32 counter = tcg_temp_new_i32();
    TCGv_i32 step = tcg_temp_new_i32();
    TCGv_ptr entry = tcg_temp_new_ptr();

    tcg_gen_ld_i32(history, tcg_env, SPE_FIELD(history));
    tcg_gen_xori_i32(index, history, spe_index_in_page(s->pc_curr));
    tcg_gen_ext_i32_ptr(entry, index);
    tcg_gen_add_ptr(entry, entry, tcg_env);
    tcg_gen_ld8u_i32(counter, entry, SPE_FIELD(direction));
    if (taken) {
        tcg_gen_setcondi_i32(TCG_COND_LTU, step, counter, 3);
        tcg_gen_add_i32(counter, counter, step);
    } else {
        tcg_gen_setcondi_i32(TCG_COND_NE, step, counter, 0);
        tcg_gen_sub_i32(counter, counter, step);
    }
    tcg_gen_st8_i32(counter, entry, SPE_FIELD(direction));
    tcg_gen_shli_i32(history, history, 1);
    tcg_gen_ori_i32(history, history, taken);
    tcg_gen_andi_i32(history, history, SPE_DIRECTIONS - 1);
    tcg_gen_st_i32(history, tcg_env, SPE_FIELD(history));
}

/* A call pushes what is in the link register already. */
static void gen_train_returns(DisasContext *s, bool push)
{
    TCGv_i32 last = tcg_temp_new_i32();
    TCGv_ptr entry = tcg_temp_new_ptr();

    tcg_gen_ld_i32(last, tcg_env, SPE_FIELD(last_return));
    tcg_gen_addi_i32(last, last, push ? 1 : -1);
    tcg_gen_andi_i32(last, last, SPE_RETURNS - 1);
    tcg_gen_st_i32(last, tcg_env, SPE_FIELD(last_return));
    if (push) {
        tcg_gen_shli_i32(last, last, 3);
        tcg_gen_ext_i32_ptr(entry, last);
        tcg_gen_add_ptr(entry, entry, tcg_env);
        tcg_gen_st_i64(cpu_reg(s, 30), entry, SPE_FIELD(returns));
    }
}

static void gen_train_target(DisasContext *s, TCGv_i64 target)
{
    tcg_gen_st_i64(target, tcg_env, SPE_FIELD(target) + sizeof(uint64_t) *
                   (spe_index_in_page(s->pc_curr) % SPE_TARGETS));
}

/* What spe_predict() does, without a prediction. */
static void gen_train(DisasContext *s, TCGv_i64 target, bool taken)
{
    SPEBranch type = spe_branch_type(s->insn);

    if (type == SPE_BRANCH_CONDITIONAL) {
        gen_train_direction(s, taken);
    }
    if (type == SPE_BRANCH_CALL || type == SPE_BRANCH_INDIRECT_CALL ||
        type == SPE_BRANCH_RETURN) {
        gen_train_returns(s, type != SPE_BRANCH_RETURN);
    }
    if (type == SPE_BRANCH_INDIRECT || type == SPE_BRANCH_INDIRECT_CALL) {
        gen_train_target(s, target);
    }
}

static void gen_show_branch(DisasContext *s, TCGv_i64 target, bool taken)
{
    if (s->spe_mode == SPE_PRECISE) {
        gen_branch(s, target, taken);
    } else if (s->spe_mode == SPE_FAST) {
        gen_train(s, target, taken);
    }
}

void spe_gen_goto(DisasContext *s, int n, int64_t diff)
{
    bool conditional = spe_insn_is_conditional_branch(s->insn);

    /* As an offset, which the helper adds to the PC. */
    if (conditional || spe_insn_is_direct_branch(s->insn)) {
        gen_show_branch(s, tcg_constant_i64(diff), !conditional || n == 1);
    }
}

void spe_gen_indirect(DisasContext *s, TCGv_i64 target)
{
    gen_show_branch(s, target, true);
}

void spe_gen_psb_csync(DisasContext *s)
{
    if (dc_isar_feature(aa64_spe, s)) {
        translator_io_start(&s->base);
        gen_helper_spe_psb_csync(tcg_env);
        s->base.is_jmp = DISAS_TOO_MANY;
    }
}

void spe_gen_dsb(DisasContext *s)
{
    bool is_dsb = extract32(s->insn, 5, 2) == 0;

    if (is_dsb && dc_isar_feature(aa64_spe, s)) {
        gen_helper_spe_dsb(tcg_env);
    }
}

void spe_gen_isb(DisasContext *s)
{
    if (cpu_of(s)->sync.on) {
        translator_io_start(&s->base);
        gen_helper_sync_context(tcg_env);
    }
}
