/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptor of an access that a TB shows to the helper. */
#ifndef TARGET_ARM_PMSCOPE_SPE_ACCESS_H
#define TARGET_ARM_PMSCOPE_SPE_ACCESS_H

#include "hw/registerfields.h"

FIELD(SPE_ACCESS, SIZE, 0, 16)
FIELD(SPE_ACCESS, WRITE, 16, 1)
FIELD(SPE_ACCESS, REGISTER, 17, 5)
FIELD(SPE_ACCESS, MMU_IDX, 22, 5)
FIELD(SPE_ACCESS, PROFILED, 27, 1)      /* not for the PMU alone */

#endif
