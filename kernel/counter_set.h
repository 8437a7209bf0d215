/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of counter registers, inlined into the capture.
 */
#ifndef PMSCOPE_COUNTER_SET_H
#define PMSCOPE_COUNTER_SET_H

#include "counter.h"
#include "sysreg.h"

#include <linux/bits.h>
#include <linux/compiler.h>

/* CRm and op2 of these registers are the number: CRm<1:0>:op2<2:0> */
#define SYS_PMEVCNTR(n)		(sys_reg(3, 3, 14, 8, 0) + ((n) << 5))
#define SYS_PMEVTYPER(n)	(sys_reg(3, 3, 14, 12, 0) + ((n) << 5))
#define SYS_PMEVCNTSVR(n)	(sys_reg(2, 0, 14, 8, 0) + ((n) << 5))

/* A test and a read for each counter beat a loop with a switch in it. */
#define PMSCOPE_DO_IF_SET(set, n, op)                                           \
	do {                                                            \
		if ((set) & BIT_ULL(n))                                 \
			op(n);                                          \
	} while (0)

#define PMSCOPE_DO_EIGHT(set, n, op)                                    \
	do {                                                            \
		PMSCOPE_DO_IF_SET(set, (n) + 0, op);                    \
		PMSCOPE_DO_IF_SET(set, (n) + 1, op);                    \
		PMSCOPE_DO_IF_SET(set, (n) + 2, op);                    \
		PMSCOPE_DO_IF_SET(set, (n) + 3, op);                    \
		PMSCOPE_DO_IF_SET(set, (n) + 4, op);                    \
		PMSCOPE_DO_IF_SET(set, (n) + 5, op);                    \
		PMSCOPE_DO_IF_SET(set, (n) + 6, op);                    \
		PMSCOPE_DO_IF_SET(set, (n) + 7, op);                    \
	} while (0)

/* Few CPUs have more than eight; used ones come first. */
#define PMSCOPE_FOR_EVENT_COUNTERS(set, op)                                     \
	do {                                                            \
		u64 __events = (set) & GENMASK_ULL(30, 0);              \
									\
		PMSCOPE_DO_EIGHT(__events, 0, op);                              \
		if (!(__events >> 8))                                   \
			break;                                          \
		PMSCOPE_DO_EIGHT(__events, 8, op);                              \
		if (!(__events >> 16))                                  \
			break;                                          \
		PMSCOPE_DO_EIGHT(__events, 16, op);                             \
		PMSCOPE_DO_EIGHT(__events, 24, op);                             \
	} while (0)

/* Counters that may be a witness (capture.c): 0, cycles, instructions */
static __always_inline u64 pmscope_read_count(unsigned int n)
{
	if (n == PMSCOPE_CYCLE_COUNTER)
		return read_sysreg(pmccntr_el0);
	if (n == PMSCOPE_INSTR_COUNTER)
		return read_sysreg_s(SYS_PMICNTR_EL0);
	return read_sysreg_s(SYS_PMEVCNTR(0));
}

/* Its snapshot register */
static __always_inline u64 pmscope_read_svr(unsigned int n)
{
	if (n == PMSCOPE_CYCLE_COUNTER)
		return read_sysreg_s(SYS_PMCCNTSVR_EL1);
	if (n == PMSCOPE_INSTR_COUNTER)
		return read_sysreg_s(SYS_PMICNTSVR_EL1);
	return read_sysreg_s(SYS_PMEVCNTSVR(0));
}

/**
 * pmscope_read_svrs() - the snapshot registers of many counters of this CPU
 * @set: bit n set: read that of counter n
 * @value: value[n] is written for those
 *
 * Only where pmscope_access_has_pmsscr() says so.
 */
static __always_inline void pmscope_read_svrs(u64 set, u64 *value)
{
#define LOAD(n) (value[n] = read_sysreg_s(SYS_PMEVCNTSVR(n)))
	PMSCOPE_FOR_EVENT_COUNTERS(set, LOAD);
#undef LOAD
	if (set & BIT_ULL(PMSCOPE_CYCLE_COUNTER))
		value[PMSCOPE_CYCLE_COUNTER] =
			read_sysreg_s(SYS_PMCCNTSVR_EL1);
	if (set & BIT_ULL(PMSCOPE_INSTR_COUNTER))
		value[PMSCOPE_INSTR_COUNTER] =
			read_sysreg_s(SYS_PMICNTSVR_EL1);
}

#endif /* PMSCOPE_COUNTER_SET_H */
