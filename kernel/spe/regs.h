/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the Statistical Profiling registers, Arm ARM D24.7.
 *
 * The kernel's own names for them changed between the supported versions, so
 * these drop the _EL1: PMSCR_PA is PMSCR_EL1.PA.
 */
#ifndef PMSCOPE_SPE_REGS_H
#define PMSCOPE_SPE_REGS_H

#include "sysreg.h"

#define PMSCR_E0SPE		BIT_ULL(0)
#define PMSCR_E1SPE		BIT_ULL(1)
#define PMSCR_CX		BIT_ULL(3)
#define PMSCR_PA		BIT_ULL(4)
#define PMSCR_TS		BIT_ULL(5)
#define PMSCR_PCT		GENMASK_ULL(7, 6)

#define PMSIRR_RND		BIT_ULL(0)
#define PMSIRR_INTERVAL		GENMASK_ULL(31, 8)

#define PMSICR_COUNT		GENMASK_ULL(31, 0)

#define PMSFCR_FE		BIT_ULL(0)
#define PMSFCR_FT		BIT_ULL(1)
#define PMSFCR_FL		BIT_ULL(2)
#define PMSFCR_FNE		BIT_ULL(3)
#define PMSFCR_FDS		BIT_ULL(4)
#define PMSFCR_B		BIT_ULL(16)
#define PMSFCR_LD		BIT_ULL(17)
#define PMSFCR_ST		BIT_ULL(18)
#define PMSFCR_FP		BIT_ULL(19)
#define PMSFCR_SIMD		BIT_ULL(20)
#define PMSFCR_BM		BIT_ULL(48)
#define PMSFCR_LDM		BIT_ULL(49)
#define PMSFCR_STM		BIT_ULL(50)
#define PMSFCR_FPM		BIT_ULL(51)
#define PMSFCR_SIMDM		BIT_ULL(52)

#define PMSLATFR_MINLAT		GENMASK_ULL(15, 0)

#define PMSIDR_FE		BIT_ULL(0)
#define PMSIDR_FT		BIT_ULL(1)
#define PMSIDR_FL		BIT_ULL(2)
#define PMSIDR_ARCHINST		BIT_ULL(3)
#define PMSIDR_LDS		BIT_ULL(4)
#define PMSIDR_ERND		BIT_ULL(5)
#define PMSIDR_FNE		BIT_ULL(6)
#define PMSIDR_FDS		BIT_ULL(7)
#define PMSIDR_INTERVAL		GENMASK_ULL(11, 8)
#define PMSIDR_MAXSIZE		GENMASK_ULL(15, 12)
#define PMSIDR_COUNTSIZE	GENMASK_ULL(19, 16)
#define PMSIDR_EFT		BIT_ULL(26)

#define PMBIDR_ALIGN		GENMASK_ULL(3, 0)
#define PMBIDR_P		BIT_ULL(4)
#define PMBIDR_ADDRMODE		GENMASK_ULL(7, 6)
#define PMBIDR_ADDRMODE_BOTH	1
#define PMBIDR_ADDRMODE_PHYSICAL 3
#define PMBIDR_MAXBUFF_M	GENMASK_ULL(40, 32)
#define PMBIDR_MAXBUFF_E	GENMASK_ULL(45, 41)

#define PMBLIMITR_E		BIT_ULL(0)
#define PMBLIMITR_FM		GENMASK_ULL(2, 1)
#define PMBLIMITR_FM_DISCARD	2
#define PMBLIMITR_PMFZ		BIT_ULL(5)
#define PMBLIMITR_NVM		BIT_ULL(7)

#define PMBMAR_ATTR		GENMASK_ULL(7, 0)
#define PMBMAR_SH		GENMASK_ULL(9, 8)
#define PMBMAR_SH_INNER		3

#define PMBSR_COLL		BIT_ULL(16)
#define PMBSR_S			BIT_ULL(17)
#define PMBSR_EA		BIT_ULL(18)
#define PMBSR_DL		BIT_ULL(19)
#define PMBSR_EC		GENMASK_ULL(31, 26)

/* PMBSR.EC */
#define PMBSR_EC_OTHER		0x00
#define PMBSR_EC_GPC		0x1e
#define PMBSR_EC_IMPDEF		0x1f
#define PMBSR_EC_STAGE1		0x24
#define PMBSR_EC_STAGE2		0x25

/* PMBSR.MSS: a BSC when EC is "other", an FSC for the two aborts */
#define PMBSR_BSC		GENMASK_ULL(5, 0)
#define PMBSR_BSC_NOT_FULL	0x00	/* or access not allowed */
#define PMBSR_BSC_FULL		0x01
#define PMBSR_BSC_TOO_LARGE	0x04
#define PMBSR_FSC		GENMASK_ULL(5, 0)

/* ID_AA64DFR0_EL1.PMSVer */
#define PMSVER_V1P2		3

#endif /* PMSCOPE_SPE_REGS_H */
