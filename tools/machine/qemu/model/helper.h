/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCG helpers of the model; included by target/arm/helper.h. */

/* What the TBs call; see spe_translate.c. */
DEF_HELPER_3(spe_operation, void, env, i64, i32)
DEF_HELPER_3(spe_begin, void, env, i64, i32)
DEF_HELPER_2(spe_precise, void, env, i32)
DEF_HELPER_FLAGS_3(spe_access, TCG_CALL_NO_RWG, void, env, i64, i32)
DEF_HELPER_FLAGS_5(spe_branch, TCG_CALL_NO_WG, void, env, i64, i64, i32, i32)
DEF_HELPER_1(spe_psb_csync, void, env)
DEF_HELPER_1(spe_dsb, void, env)
DEF_HELPER_1(sync_context, void, env)

/* WFE and YIELD where each CPU is a thread of the host (relax.c). */
DEF_HELPER_FLAGS_0(relax, TCG_CALL_NO_RWG, void)
