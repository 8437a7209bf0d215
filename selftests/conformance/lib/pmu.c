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
#define WRITE_COUNTER(crm, op2)						\
	case NUMBER(crm, op2):						\
		write_sysreg(value, S3_3_C14_C##crm##_##op2);		\
		break;
#define READ_SAVED(crm, op2)						\
	case NUMBER(crm, op2):						\
		return read_sysreg(S2_0_C14_C##crm##_##op2);

unsigned event_counters(void)
{
	return PMCR_N(read_sysreg(PMCR_EL0));
}

u64 read_counter(unsigned n)
{
	switch (n) {
	FOR_31(READ_COUNTER, 8, 9, 10, 11)
	case CYCLE_COUNTER:
		return read_sysreg(PMCCNTR_EL0);
	default:
		return read_sysreg(PMICNTR_EL0);
	}
}

void write_counter(unsigned n, u64 value)
{
	switch (n) {
	FOR_31(WRITE_COUNTER, 8, 9, 10, 11)
	case CYCLE_COUNTER:
		write_sysreg(value, PMCCNTR_EL0);
		break;
	default:
		write_sysreg(value, PMICNTR_EL0);
	}
	isb();
}

u64 read_event_type(unsigned n)
{
	switch (n) {
	FOR_31(READ_COUNTER, 12, 13, 14, 15)
	case CYCLE_COUNTER:
		return read_sysreg(PMCCFILTR_EL0);
	default:
		return read_sysreg(PMICFILTR_EL0);
	}
}

void write_event_type(unsigned n, u64 value)
{
	switch (n) {
	FOR_31(WRITE_COUNTER, 12, 13, 14, 15)
	case CYCLE_COUNTER:
		write_sysreg(value, PMCCFILTR_EL0);
		break;
	default:
		write_sysreg(value, PMICFILTR_EL0);
	}
	isb();
}

u64 read_saved(unsigned n)
{
	switch (n) {
	FOR_31(READ_SAVED, 8, 9, 10, 11)
	case CYCLE_COUNTER:
		return read_sysreg(PMCCNTSVR_EL1);
	default:
		return read_sysreg(PMICNTSVR_EL1);
	}
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
