/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCG helpers of the model; included by target/arm/helper.h. */
#include "spe_helper.h"
