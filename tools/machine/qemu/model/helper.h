/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCG helpers of the model; included by target/arm/helper.h. */
#include "spe_helper.h"

/* WFE and YIELD where each CPU is a thread of the host (relax.c). */
DEF_HELPER_FLAGS_0(relax, TCG_CALL_NO_RWG, void)
