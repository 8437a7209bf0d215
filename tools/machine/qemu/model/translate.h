/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hooks in target/arm/tcg/translate-a64.c call, for SPE and for the
 * PMU. Without profiling only a DSB and a PSB CSYNC make code, and without a
 * counter that needs them the calls for the PMU make none.
 */
#pragma once

/* Before each instruction, and after the last one of a TB. */
void spe_gen_operation(DisasContext *s);
void spe_gen_tb_end(DisasContext *s);
/* Before an access of @size bytes at @addr. */
void spe_gen_access(DisasContext *s, TCGv_i64 addr, bool write,
                    unsigned size, int mmu_idx);
/* Before TB exit @n, which goes @diff bytes ahead. */
void spe_gen_goto(DisasContext *s, int n, int64_t diff);
/* Before an indirect branch to @target. */
void spe_gen_indirect(DisasContext *s, TCGv_i64 target);
void spe_gen_psb_csync(DisasContext *s);
void spe_gen_dsb(DisasContext *s);
void spe_gen_isb(DisasContext *s);

/* Before each instruction. */
void pmss_gen_instruction(DisasContext *s);
/* Where TB exit @n is. */
void pmss_gen_goto(DisasContext *s, int n);
/* Before an indirect branch. */
void pmss_gen_indirect(DisasContext *s);
