/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fine-grained traps of EL2 on the registers of the PMU. */
#include "lib/counting.h"
#include "lib/fgt.h"

#define PMEVCNTR0_EL0	 S3_3_C14_C8_0
#define PMEVTYPER0_EL0	 S3_3_C14_C12_0
#define PMCEID1_EL0	 S3_3_C9_C12_7

/* Reads of PMCR_EL0 are not trapped. */
#define REGS(RW, RO, WO)						\
	RW(PMEVCNTR0_EL0, 12) RW(PMXEVCNTR_EL0, 12) RW(PMEVTYPER0_EL0, 13) \
	RW(PMXEVTYPER_EL0, 13) RW(PMCCFILTR_EL0, 14) RW(PMCCNTR_EL0, 15) \
	RW(PMCNTENSET_EL0, 16) RW(PMCNTENCLR_EL0, 16)			\
	RW(PMINTENSET_EL1, 17) RW(PMINTENCLR_EL1, 17) RW(PMOVSSET_EL0, 18) \
	RW(PMOVSCLR_EL0, 18) RW(PMSELR_EL0, 19) WO(PMSWINC_EL0, 20)	\
	WO(PMCR_EL0, 21) RO(PMMIR_EL1, 22) RW(PMUSERENR_EL0, 57)	\
	RO(PMCEID0_EL0, 58) RO(PMCEID1_EL0, 58)

FGT_TABLE(REGS)

ROW_OF(HDFGRTR_EL2_traps_PMU_registers, lacks_el(2),
       check_fgt(regs, ARRAY_SIZE(regs), false))
ROW_OF(HDFGWTR_EL2_traps_PMU_registers, lacks_el(2),
       check_fgt(regs, ARRAY_SIZE(regs), true))
