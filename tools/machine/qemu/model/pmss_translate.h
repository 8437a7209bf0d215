/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hooks in target/arm/tcg/translate-a64.c call for the PMU. Without a
 * counter that needs it, they make no code.
 */
#ifndef TARGET_ARM_PMSCOPE_PMSS_TRANSLATE_H
#define TARGET_ARM_PMSCOPE_PMSS_TRANSLATE_H

/* Before each instruction. */
void pmss_gen_instruction(DisasContext *s);
/* Where TB exit @n is. */
void pmss_gen_goto(DisasContext *s, int n);
/* Before an indirect branch. */
void pmss_gen_indirect(DisasContext *s);

#endif
