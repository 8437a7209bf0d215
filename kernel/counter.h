/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads PMU counter registers by number; MRS itself needs a constant register.
 */
#ifndef PMSCOPE_COUNTER_H
#define PMSCOPE_COUNTER_H

#include "sysreg.h"

#include <linux/types.h>

/* Counter numbers as in PMCNTENSET_EL0: event counters 0-30, then these */
#define PMSCOPE_CYCLE_COUNTER	31
#define PMSCOPE_INSTR_COUNTER	32
#define PMSCOPE_NR_COUNTERS	33

#define PMSCOPE_READ_CASE(val, n, reg)                                          \
	case n:                                                         \
		val = read_sysreg_s(reg(n));                            \
		break

#define PMSCOPE_READ_COUNTER(val, num, reg, cycles, instructions)               \
	do {                                                            \
		switch (num) {                                          \
		PMSCOPE_READ_CASE(val, 0, reg);                                 \
		PMSCOPE_READ_CASE(val, 1, reg);                                 \
		PMSCOPE_READ_CASE(val, 2, reg);                                 \
		PMSCOPE_READ_CASE(val, 3, reg);                                 \
		PMSCOPE_READ_CASE(val, 4, reg);                                 \
		PMSCOPE_READ_CASE(val, 5, reg);                                 \
		PMSCOPE_READ_CASE(val, 6, reg);                                 \
		PMSCOPE_READ_CASE(val, 7, reg);                                 \
		PMSCOPE_READ_CASE(val, 8, reg);                                 \
		PMSCOPE_READ_CASE(val, 9, reg);                                 \
		PMSCOPE_READ_CASE(val, 10, reg);                                \
		PMSCOPE_READ_CASE(val, 11, reg);                                \
		PMSCOPE_READ_CASE(val, 12, reg);                                \
		PMSCOPE_READ_CASE(val, 13, reg);                                \
		PMSCOPE_READ_CASE(val, 14, reg);                                \
		PMSCOPE_READ_CASE(val, 15, reg);                                \
		PMSCOPE_READ_CASE(val, 16, reg);                                \
		PMSCOPE_READ_CASE(val, 17, reg);                                \
		PMSCOPE_READ_CASE(val, 18, reg);                                \
		PMSCOPE_READ_CASE(val, 19, reg);                                \
		PMSCOPE_READ_CASE(val, 20, reg);                                \
		PMSCOPE_READ_CASE(val, 21, reg);                                \
		PMSCOPE_READ_CASE(val, 22, reg);                                \
		PMSCOPE_READ_CASE(val, 23, reg);                                \
		PMSCOPE_READ_CASE(val, 24, reg);                                \
		PMSCOPE_READ_CASE(val, 25, reg);                                \
		PMSCOPE_READ_CASE(val, 26, reg);                                \
		PMSCOPE_READ_CASE(val, 27, reg);                                \
		PMSCOPE_READ_CASE(val, 28, reg);                                \
		PMSCOPE_READ_CASE(val, 29, reg);                                \
		PMSCOPE_READ_CASE(val, 30, reg);                                \
		case PMSCOPE_CYCLE_COUNTER:                             \
			val = read_sysreg_s(cycles);                    \
			break;                                          \
		case PMSCOPE_INSTR_COUNTER:                             \
			val = read_sysreg_s(instructions);              \
			break;                                          \
		}                                                       \
	} while (0)

/**
 * pmscope_counter_count() - PMEVCNTR<n>_EL0, PMCCNTR_EL0 or PMICNTR_EL0
 * @n: counter number, one that this Exception level may access
 *
 * Context: pinned to a CPU.
 * Return: the live value of the counter of this CPU.
 */
static inline u64 pmscope_counter_count(unsigned int n)
{
	u64 val = 0;

	PMSCOPE_READ_COUNTER(val, n, SYS_PMEVCNTR, SYS_PMCCNTR_EL0,
			     SYS_PMICNTR_EL0);
	return val;
}

/**
 * pmscope_counter_type() - PMEVTYPER<n>_EL0, PMCCFILTR_EL0 or PMICFILTR_EL0
 * @n: counter number, one that this Exception level may access
 *
 * Context: pinned to a CPU.
 * Return: the event that the counter of this CPU counts, and its filters.
 */
static inline u64 pmscope_counter_type(unsigned int n)
{
	u64 val = 0;

	PMSCOPE_READ_COUNTER(val, n, SYS_PMEVTYPER, SYS_PMCCFILTR_EL0,
			     SYS_PMICFILTR_EL0);
	return val;
}

/**
 * pmscope_counter_svr() - the snapshot register of a counter
 * @n: counter number, one that this Exception level may access
 *
 * Only where pmscope_access_find() says that PMSCOPE_PMSSCR is open: firmware may
 * trap it.
 *
 * Context: pinned to a CPU.
 * Return: the value of the counter of this CPU at its last capture.
 */
static inline u64 pmscope_counter_svr(unsigned int n)
{
	u64 val = 0;

	PMSCOPE_READ_COUNTER(val, n, SYS_PMEVCNTSVR, SYS_PMCCNTSVR_EL1,
			     SYS_PMICNTSVR_EL1);
	return val;
}

#endif /* PMSCOPE_COUNTER_H */
