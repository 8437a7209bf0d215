/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pmu.h"

/* One line for each of 31 registers whose number is in CRm and op2. */
#define FOR_8(DO, crm)	 DO(crm, 0) DO(crm, 1) DO(crm, 2) DO(crm, 3) \
			 DO(crm, 4) DO(crm, 5) DO(crm, 6) DO(crm, 7)
#define FOR_7(DO, crm)	 DO(crm, 0) DO(crm, 1) DO(crm, 2) DO(crm, 3) \
			 DO(crm, 4) DO(crm, 5) DO(crm, 6)
#define FOR_31(DO, a, b, c, d) \
	FOR_8(DO, a) FOR_8(DO, b) FOR_8(DO, c) FOR_7(DO, d)

#define NUMBER(crm, op2) ((crm) % 4 * 8 + (op2))

#define READ_COUNTER(crm, op2)						\
	case NUMBER(crm, op2):						\
		return read_sysreg(S3_3_C14_C##crm##_##op2);
#define READ_SAVED(crm, op2)						\
	case NUMBER(crm, op2):						\
		return read_sysreg(S2_0_C14_C##crm##_##op2);
#define WRITE_COUNTER(crm, op2)						\
	case NUMBER(crm, op2):						\
		write_sysreg(value, S3_3_C14_C##crm##_##op2);		\
		break;

/* Of the event counters by CRm, of the two others by name. */
#define READ(name, READ_ONE, a, b, c, d, cycles, instructions)		\
	u64 name(unsigned n)						\
	{								\
		switch (n) {						\
		FOR_31(READ_ONE, a, b, c, d)				\
		case CYCLE_COUNTER:					\
			return read_sysreg(cycles);			\
		default:						\
			return read_sysreg(instructions);		\
		}							\
	}
#define WRITE(name, a, b, c, d, cycles, instructions)			\
	void name(unsigned n, u64 value)				\
	{								\
		switch (n) {						\
		FOR_31(WRITE_COUNTER, a, b, c, d)			\
		case CYCLE_COUNTER:					\
			write_sysreg(value, cycles);			\
			break;						\
		default:						\
			write_sysreg(value, instructions);		\
		}							\
		isb();							\
	}

READ(read_counter, READ_COUNTER, 8, 9, 10, 11, PMCCNTR_EL0, PMICNTR_EL0)
READ(read_event_type, READ_COUNTER, 12, 13, 14, 15, PMCCFILTR_EL0, PMICFILTR_EL0)
READ(read_saved, READ_SAVED, 8, 9, 10, 11, PMCCNTSVR_EL1, PMICNTSVR_EL1)
WRITE(write_counter, 8, 9, 10, 11, PMCCNTR_EL0, PMICNTR_EL0)
WRITE(write_event_type, 12, 13, 14, 15, PMCCFILTR_EL0, PMICFILTR_EL0)

unsigned event_counters(void)
{
	return PMCR_N(read_sysreg(PMCR_EL0));
}

void start_counters(u64 mask)
{
	write_sysreg(mask, PMCNTENSET_EL0);
	change_sysreg(PMCR_EL0, 0, PMCR_E);
}

void stop_counters(void)
{
	change_sysreg(PMCR_EL0, PMCR_E, 0);
}

void work(unsigned n)
{
	for (n /= 2; n; n--)
		asm volatile("");
}

u64 capture(void)
{
	u64 status;

	change_sysreg(PMSSCR_EL1, 0, PMSSCR_SS);
	do {
		status = read_sysreg(PMSSCR_EL1);
		isb();
	} while (status & PMSSCR_SS);
	return status;
}

void set_sse(unsigned sse)
{
	set_sysreg(PMECR_SSE(sse), PMECR_EL1);
}
