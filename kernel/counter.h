/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads PMU counter registers by number; MRS itself needs a constant register.
 */
#ifndef PMSCOPE_COUNTER_H
#define PMSCOPE_COUNTER_H

#include <linux/types.h>

/* Counter numbers as in PMCNTENSET_EL0: event counters 0-30, then these */
#define PMSCOPE_CYCLE_COUNTER	31
#define PMSCOPE_INSTR_COUNTER	32
#define PMSCOPE_NR_COUNTERS	33

u64 pmscope_counter_count(unsigned int n);
u64 pmscope_counter_type(unsigned int n);
u64 pmscope_counter_svr(unsigned int n);

#endif /* PMSCOPE_COUNTER_H */
