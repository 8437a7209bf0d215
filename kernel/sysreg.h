/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System register encodings and fields that some supported kernels lack.
 * Names as in the Arm ARM (DDI 0487), spelled as arch/arm64/tools/sysreg does.
 */
#ifndef PMSCOPE_SYSREG_H
#define PMSCOPE_SYSREG_H

#include <linux/bits.h>
#include <asm/cputype.h>

/* PMU snapshots, Arm ARM D13.9 and D24.5 */
#ifndef SYS_PMSSCR_EL1
#define SYS_PMSSCR_EL1			sys_reg(3, 0, 9, 13, 3)
#endif
#ifndef PMSSCR_EL1_NC
#define PMSSCR_EL1_NC			BIT_ULL(32)
#endif
#ifndef PMSSCR_EL1_SS
#define PMSSCR_EL1_SS			BIT_ULL(0)
#endif

#ifndef SYS_PMECR_EL1
#define SYS_PMECR_EL1			sys_reg(3, 0, 9, 14, 5)
#endif
#ifndef PMECR_EL1_SSE
#define PMECR_EL1_SSE			GENMASK_ULL(4, 3)
#endif

#ifndef SYS_PMCCNTSVR_EL1
#define SYS_PMCCNTSVR_EL1		sys_reg(2, 0, 14, 11, 7)
#endif
#ifndef SYS_PMICNTSVR_EL1
#define SYS_PMICNTSVR_EL1		sys_reg(2, 0, 14, 12, 0)
#endif

/* CRm<1:0>:op2<2:0> of these registers is the counter number */
#define SYS_PMEVCNTR(n)		(sys_reg(3, 3, 14, 8, 0) + ((n) << 5))
#define SYS_PMEVTYPER(n)	(sys_reg(3, 3, 14, 12, 0) + ((n) << 5))
#define SYS_PMEVCNTSVR(n)	(sys_reg(2, 0, 14, 8, 0) + ((n) << 5))

/* FEAT_PMUv3_ICNTR */
#ifndef SYS_PMICNTR_EL0
#define SYS_PMICNTR_EL0			sys_reg(3, 3, 9, 4, 0)
#endif
#ifndef SYS_PMICFILTR_EL0
#define SYS_PMICFILTR_EL0		sys_reg(3, 3, 9, 6, 0)
#endif

#ifndef SYS_PMMIR_EL1
#define SYS_PMMIR_EL1			sys_reg(3, 0, 9, 14, 6)
#endif

/* FEAT_PMUv3p9 */
#ifndef SYS_PMUACR_EL1
#define SYS_PMUACR_EL1			sys_reg(3, 0, 9, 14, 4)
#endif

/* PMSCR_EL1 at EL2 with VHE, where the name PMSCR_EL1 accesses PMSCR_EL2 */
#ifndef SYS_PMSCR_EL12
#define SYS_PMSCR_EL12			sys_reg(3, 5, 9, 9, 0)
#endif

/* FEAT_SPE_FDS */
#ifndef SYS_PMSDSFR_EL1
#define SYS_PMSDSFR_EL1			sys_reg(3, 0, 9, 10, 4)
#endif

/* FEAT_SPE_nVM */
#ifndef SYS_PMBMAR_EL1
#define SYS_PMBMAR_EL1			sys_reg(3, 0, 9, 10, 5)
#endif

/* Fields of ID registers that the kernel's tables lack or name differently */
#ifndef SYS_ID_AA64DFR2_EL1
#define SYS_ID_AA64DFR2_EL1		sys_reg(3, 0, 0, 5, 2)
#endif
#define PMSCOPE_DFR0_PMUVER		GENMASK_ULL(11, 8)
#define PMSCOPE_DFR0_PMSS		GENMASK_ULL(19, 16)
#define PMSCOPE_DFR0_PMSVER		GENMASK_ULL(35, 32)
#define PMSCOPE_DFR1_PMICNTR		GENMASK_ULL(39, 36)
#define PMSCOPE_DFR1_EBEP		GENMASK_ULL(51, 48)
#define PMSCOPE_DFR1_DPFZS		GENMASK_ULL(55, 52)
#define PMSCOPE_DFR2_SPE_NVM		GENMASK_ULL(23, 20)

#define PMSCOPE_PFR0_EL2		GENMASK_ULL(11, 8)
#define PMSCOPE_MMFR0_FGT		GENMASK_ULL(59, 56)

/* ID_AA64MMFR0_EL1.FGT: there are HDFGRTR2_EL2 and HDFGWTR2_EL2 */
#define PMSCOPE_FGT_FGT2		2

/* ID_AA64DFR0_EL1.PMUVer */
#define PMSCOPE_PMUVER_V3		1
#define PMSCOPE_PMUVER_V3P4		5
#define PMSCOPE_PMUVER_V3P5		6
#define PMSCOPE_PMUVER_V3P7		7
#define PMSCOPE_PMUVER_V3P9		9
#define PMSCOPE_PMUVER_IMPDEF		15

/* PMCR_EL0 */
#define PMSCOPE_PMCR_E			BIT_ULL(0)
#define PMSCOPE_PMCR_DP			BIT_ULL(5)
#define PMSCOPE_PMCR_N			GENMASK_ULL(15, 11)
#define PMSCOPE_PMCR_FZS		BIT_ULL(32)

/* MDCR_EL2 and MDCR_EL3 */
#define PMSCOPE_MDCR_EL2_HPMN		GENMASK_ULL(4, 0)
#define PMSCOPE_MDCR_EL2_HPME		BIT_ULL(7)
#define PMSCOPE_MDCR_EL2_E2PB		GENMASK_ULL(13, 12)
#define PMSCOPE_MDCR_EL2_PMSSE		GENMASK_ULL(31, 30)
#define PMSCOPE_MDCR_EL3_ENPM2		BIT_ULL(7)
#define PMSCOPE_MDCR_EL3_PMSSE_LOW	BIT_ULL(30)	/* set for 0b01 and 0b11 */
#define PMSCOPE_MDCR_EL3_ENPMSN		BIT_ULL(36)
#define PMSCOPE_MDCR_EL3_ENPMS3		BIT_ULL(42)
#define PMSCOPE_MDCR_EL3_ENPMSS		BIT_ULL(44)
#define PMSCOPE_MDCR_EL3_ENPMS4		BIT_ULL(55)

/* Values of MDCR_EL3.PMSSE, MDCR_EL2.PMSSE and PMECR_EL1.SSE, Table D13-10 */
#define PMSCOPE_SSE_PROHIBITED		2
#define PMSCOPE_SSE_ALLOWED		3

#endif /* PMSCOPE_SYSREG_H */
