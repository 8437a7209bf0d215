/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The debug frame and the PMU frame of a CPU, with names as in the Arm ARM (DDI 0487),
 * chapters H9 and I5, and in the manuals of Arm's cores (100442, 100798).
 */
#ifndef PMSCOPE_EXTERNAL_REGISTERS_H
#define PMSCOPE_EXTERNAL_REGISTERS_H

#include <linux/bits.h>

#define EXT_FRAME_SIZE		0x1000

/* The debug frame, in the Debug power domain */
#define EDPRSR			0x314
#define EDPRSR_PU		BIT(0)	/* the Core power domain is powered up */
#define EDPRSR_DLK		BIT(6)	/* the OS Double Lock is locked */
#define EDPRSR_EPMAD		BIT(9)	/* EL3 denies the PMU to others */

/* FEAT_PCSRv8: PC samples before Armv8.2 */
#define EDPCSR_LO		0x0a0
#define EDCIDSR			0x0a4
#define EDVIDSR			0x0a8
#define EDVIDSR_E3		BIT(29)
#define EDVIDSR_E2		BIT(30)
#define EDVIDSR_NS		BIT(31)
#define EDPCSR_HI		0x0ac

/* FEAT_PCSRv8p2: in the PMU frame, whose registers FEAT_PMUv3_EXT64 joins in twos */
#define PMPCSR			0x200
#define PMPCSR_EL		GENMASK_ULL(62, 61)
#define PMPCSR_NS		BIT_ULL(63)
#define PMCID1SR		0x208
#define PMCCIDSR		0x228
#define PMCID2SR		0x22c
/* FEAT_PCSRv8p9 */
#define PMPCSCTL		0xe50
#define PMPCSCTL_SS		BIT(4)

/* Both frames: what identifies them */
#define DEVAFF0			0xfa8
#define DEVAFF1			0xfac
#define LAR			0xfb0
#define LAR_KEY			0xc5acce55
#define LSR			0xfb4
#define LSR_SLI			BIT(0)
#define LSR_SLK			BIT(1)
#define AUTHSTATUS		0xfb8
#define AUTHSTATUS_NSNID	GENMASK(3, 2)
#define AUTHSTATUS_DISABLED	2
#define DEVARCH			0xfbc
#define DEVARCH_ARCHITECT	GENMASK(31, 21)
#define DEVARCH_ARM		0x23b
#define DEVARCH_ARCHPART	GENMASK(11, 0)
#define DEVARCH_PMUV3		0xa16
#define DEVID			0xfc8
#define DEVID_PCSAMPLE		GENMASK(3, 0)
#define DEVTYPE			0xfcc
#define DEVTYPE_DEBUG		0x15
#define DEVTYPE_PMU		0x16
#define PIDR0			0xfe0
#define PIDR1			0xfe4
#define CIDR(n)			(0xff0 + 4 * (n))
#define CIDR_CORESIGHT		0xb105900d

/* Counters of the PMU frame */
#define PMEVCNTR(n)		(8 * (n))
#define PMCCNTR			0x0f8
#define PMICNTR			0x100
#define PMCNTENSET		0xc00
#define PMCFGR			0xe00
#define PMCFGR_SIZE		GENMASK(13, 8)

/* FEAT_PMUv3_EXT64, and FEAT_PMUv3_SS in it: registers of 64 bits */
#define PMEVCNTSVR(n)		(0x600 + 8 * (n))
#define PMCCNTSVR		0x6f8
#define PMICNTSVR		0x700
#define PMCR_EXT64		0xe10
#define PMSSCR_EXT64		0xe30

/* FEAT_PMUv3_EXT32, and the snapshot of Arm's cores in it: of 32 bits */
#define ARM_PMPCSSR		0x600
#define ARM_PMCIDSSR		0x608
#define ARM_PMCID2SSR		0x60c
#define ARM_PMSSSR		0x610
#define ARM_PMSSSR_NC		BIT(0)
#define ARM_PMCCNTSR		0x618
#define ARM_PMEVCNTSR(n)	(0x620 + 4 * (n))
#define ARM_NR_PMEVCNTSR	6
#define ARM_PMSSCR		0x6f0
#define ARM_PMSSCR_SS		BIT(0)
#define PMCR_EXT32		0xe04

#endif /* PMSCOPE_EXTERNAL_REGISTERS_H */
