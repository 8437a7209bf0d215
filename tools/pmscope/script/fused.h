/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that nearly always come together, as one: each jump to a next step
 * costs as much as the few instructions of the step.
 */
#ifndef PMSCOPE_SCRIPT_FUSED_H
#define PMSCOPE_SCRIPT_FUSED_H

#include "script/plan.h"

/*
 * Lets the first of the @nr steps put those behind it as well, if they are of
 * such kinds. Returns how many it puts.
 */
size_t steps_fuse(struct step *steps, size_t nr, struct layout *layout);

#endif /* PMSCOPE_SCRIPT_FUSED_H */
