/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System registers by encoding, so that the assembler need not know them. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long s64;

#define BIT(n)		 (1UL << (n))
#define GENMASK(h, l)	 ((~0UL << (l)) & (~0UL >> (63 - (h))))
#define FIELD(value, h, l) (((u64)(value) & GENMASK(h, l)) >> (l))

#define STRING_(x)	 #x
#define STRING(x)	 STRING_(x)

#define read_sysreg(reg)						\
	({								\
		u64 value_;						\
		asm volatile("mrs %0, " STRING(reg) : "=r"(value_)	\
			     : : "memory");				\
		value_;							\
	})

#define write_sysreg(value, reg)					\
	asm volatile("msr " STRING(reg) ", %x0" : : "rZ"((u64)(value))	\
		     : "memory")

/* In effect at once. */
#define set_sysreg(value, reg)						\
	do {								\
		write_sysreg(value, reg);				\
		isb();							\
	} while (0)
#define change_sysreg(reg, clear, set)					\
	set_sysreg((read_sysreg(reg) & ~(u64)(clear)) | (set), reg)

#define isb()	 asm volatile("isb" : : : "memory")
#define dsb()	 asm volatile("dsb sy" : : : "memory")

/* FEAT_PMUv3_SS */
#define PMSSCR_EL1	 S3_0_C9_C13_3
#define PMECR_EL1	 S3_0_C9_C14_5
#define PMCCNTSVR_EL1	 S2_0_C14_C11_7
#define PMICNTSVR_EL1	 S2_0_C14_C12_0

#define PMSSCR_SS	 BIT(0)
#define PMSSCR_NC	 BIT(32)
#define PMECR_SSE(x)	 ((u64)(x) << 3)

/* PMUv3 */
#define PMCR_EL0	 S3_3_C9_C12_0
#define PMCNTENSET_EL0	 S3_3_C9_C12_1
#define PMCNTENCLR_EL0	 S3_3_C9_C12_2
#define PMOVSCLR_EL0	 S3_3_C9_C12_3
#define PMSWINC_EL0	 S3_3_C9_C12_4
#define PMSELR_EL0	 S3_3_C9_C12_5
#define PMCEID0_EL0	 S3_3_C9_C12_6
#define PMCCNTR_EL0	 S3_3_C9_C13_0
#define PMXEVTYPER_EL0	 S3_3_C9_C13_1
#define PMXEVCNTR_EL0	 S3_3_C9_C13_2
#define PMZR_EL0	 S3_3_C9_C13_4
#define PMUSERENR_EL0	 S3_3_C9_C14_0
#define PMOVSSET_EL0	 S3_3_C9_C14_3
#define PMINTENSET_EL1	 S3_0_C9_C14_1
#define PMINTENCLR_EL1	 S3_0_C9_C14_2
#define PMUACR_EL1	 S3_0_C9_C14_4
#define PMICNTR_EL0	 S3_3_C9_C4_0
#define PMICFILTR_EL0	 S3_3_C9_C6_0
#define PMCCFILTR_EL0	 S3_3_C14_C15_7

#define PMCR_E		 BIT(0)
#define PMCR_P		 BIT(1)
#define PMCR_C		 BIT(2)
#define PMCR_DP		 BIT(5)
#define PMCR_LC		 BIT(6)
#define PMCR_LP		 BIT(7)
#define PMCR_FZO	 BIT(9)
#define PMCR_FZS	 BIT(32)
#define PMCR_N(pmcr)	 FIELD(pmcr, 15, 11)

#define PMUSERENR_EN	 BIT(0)
#define PMUSERENR_SW	 BIT(1)
#define PMUSERENR_CR	 BIT(2)
#define PMUSERENR_ER	 BIT(3)
#define PMUSERENR_UEN	 BIT(4)
#define PMUSERENR_IR	 BIT(5)
#define PMUSERENR_TID	 BIT(6)

#define PMMIR_EL1	 S3_0_C9_C14_6

#define CYCLE_COUNTER	 31
#define INSN_COUNTER	 32

#define FILTER_P	 BIT(31)
#define FILTER_U	 BIT(30)
#define FILTER_NSK	 BIT(29)
#define FILTER_NSU	 BIT(28)
#define FILTER_NSH	 BIT(27)
#define FILTER_M	 BIT(26)
#define FILTER_SH	 BIT(24)

#define EVENT_SW_INCR	 0x0000
#define EVENT_INST_RETIRED 0x0008
#define EVENT_BR_MIS_PRED 0x0010
#define EVENT_CPU_CYCLES 0x0011
#define EVENT_BR_PRED	 0x0012
#define EVENT_CHAIN	 0x001e
#define EVENT_BR_RETIRED 0x0021
#define EVENT_BR_MIS_PRED_RETIRED 0x0022
#define EVENT_STALL_FRONTEND 0x0023
#define EVENT_STALL_BACKEND 0x0024
#define EVENT_OP_RETIRED 0x003a
#define EVENT_OP_SPEC	 0x003b
#define EVENT_STALL	 0x003c
#define EVENT_STALL_SLOT_BACKEND 0x003d
#define EVENT_STALL_SLOT_FRONTEND 0x003e
#define EVENT_STALL_SLOT 0x003f
#define EVENT_PMU_SNAPSHOT 0x8127

/* FEAT_SPE */
#define PMSCR_EL1	 S3_0_C9_C9_0
#define PMSCR_EL2	 S3_4_C9_C9_0
#define PMSICR_EL1	 S3_0_C9_C9_2
#define PMSIRR_EL1	 S3_0_C9_C9_3
#define PMSFCR_EL1	 S3_0_C9_C9_4
#define PMSEVFR_EL1	 S3_0_C9_C9_5
#define PMSLATFR_EL1	 S3_0_C9_C9_6
#define PMSIDR_EL1	 S3_0_C9_C9_7
#define PMBLIMITR_EL1	 S3_0_C9_C10_0
#define PMBPTR_EL1	 S3_0_C9_C10_1
#define PMBSR_EL2	 S3_4_C9_C10_3
#define PMBSR_EL3	 S3_6_C9_C10_3
#define PMBSR_EL12	 S3_5_C9_C10_3
#define PMBMAR_EL1	 S3_0_C9_C10_5
#define PMSNEVFR_EL1	 S3_0_C9_C9_1
#define PMSDSFR_EL1	 S3_0_C9_C10_4
#define PMBSR_EL1	 S3_0_C9_C10_3
#define PMBIDR_EL1	 S3_0_C9_C10_7

#define PMSCR_E0SPE	 BIT(0)
#define PMSCR_E1SPE	 BIT(1)
#define PMSCR_CX	 BIT(3)
#define PMSCR_PA	 BIT(4)
#define PMSCR_TS	 BIT(5)
#define PMSCR_PCT(x)	 ((u64)(x) << 6)
#define PMSCR_EE(x)	 ((u64)(x) << 8)
#define PMSCR_ENVM	 BIT(11)
#define PMSCR_EL2_E0HSPE BIT(0)
#define PMSCR_EL2_E2SPE	 BIT(1)
#define PMSICR_COUNT(x)	 FIELD(x, 31, 0)
#define PMSICR_ECOUNT(x) FIELD(x, 63, 56)
#define PMSIRR_RND	 BIT(0)
#define PMSIRR_INTERVAL(x) ((u64)(x) << 8)
#define PMSFCR_FE	 BIT(0)
#define PMSFCR_FT	 BIT(1)
#define PMSFCR_FL	 BIT(2)
#define PMSFCR_FNE	 BIT(3)
#define PMSFCR_FDS	 BIT(4)
#define PMSFCR_B	 BIT(16)
#define PMSFCR_LD	 BIT(17)
#define PMSFCR_ST	 BIT(18)
#define PMSFCR_FP	 BIT(19)
#define PMSFCR_SIMD	 BIT(20)
/* The mask of one of the five types above. */
#define PMSFCR_MASK(type) ((type) << 32)
#define PMSIDR_ERND	 BIT(5)
#define PMSIDR_MAXSIZE(x) BIT(FIELD(x, 15, 12))
#define PMBIDR_ALIGN(x)	 BIT(FIELD(x, 3, 0))
#define PMBLIMITR_E	 BIT(0)
#define PMBLIMITR_FM_DISCARD (2UL << 1)
#define PMBLIMITR_PMFZ	 BIT(5)
#define PMBLIMITR_NVM	 BIT(7)
#define PMBIDR_P	 BIT(4)
#define PMBIDR_ADDRMODE(x) FIELD(x, 7, 6)
#define PMBSR_BSC(x)	 FIELD(x, 5, 0)
#define PMBSR_FSC(x)	 FIELD(x, 5, 0)
#define PMBSR_COLL	 BIT(16)
#define PMBSR_S		 BIT(17)
#define PMBSR_EA	 BIT(18)
#define PMBSR_DL	 BIT(19)
#define PMBSR_EC(x)	 FIELD(x, 31, 26)
#define PMBSR_BSC_NOT_ALLOWED 0
#define PMBSR_BSC_FULL	 1
#define PMBSR_EC_OTHER	 0x00
#define PMBSR_EC_STAGE1	 0x24
#define PMBSR_EC_STAGE2	 0x25

#define EVENT_SAMPLE_POP 0x4000
#define EVENT_SAMPLE_FEED 0x4001
#define EVENT_SAMPLE_FILTRATE 0x4002
#define EVENT_SAMPLE_COLLISION 0x4003

#define ID_AA64DFR2_EL1	 S3_0_C0_C5_2
#define ID_AA64DFR2_SPE_EXC(x) FIELD(x, 19, 16)
#define ID_AA64DFR2_SPE_NVM(x) FIELD(x, 23, 20)

/* EL2 and EL3 controls */
#define SCR_EL3		 S3_6_C1_C1_0
#define MDCR_EL2	 S3_4_C1_C1_1
#define MDCR_EL3	 S3_6_C1_C3_1
#define HDFGRTR2_EL2	 S3_4_C3_C1_0
#define HDFGWTR2_EL2	 S3_4_C3_C1_1

#define SCR_NS		 BIT(0)
#define SCR_EA		 BIT(3)
#define SCR_SMD		 BIT(7)
#define SCR_HCE		 BIT(8)
#define SCR_RW		 BIT(10)
#define SCR_APK		 BIT(16)
#define SCR_API		 BIT(17)
#define SCR_EEL2	 BIT(18)
#define SCR_FGTEN	 BIT(27)
#define SCR_HXEN	 BIT(38)
#define SCR_FGTEN2	 BIT(59)
#define SCR_NSE		 BIT(62)
#define SDER32_EL3	 S3_6_C1_C1_1
#define SUNIDEN		 BIT(1)

#define HCR_VM		 BIT(0)
#define HCR_DC		 BIT(12)
#define HCR_RW		 BIT(31)
#define HCR_TGE		 BIT(27)
#define HCR_TEA		 BIT(37)
#define HCR_E2H		 BIT(34)

#define MDCR_HPMN(x)	 ((u64)(x))
#define MDCR_HPMN_MASK	 0x1fUL
#define MDCR_TPM	 BIT(6)
#define MDCR_EL2_HPME	 BIT(7)
#define MDCR_EL2_HPMD	 BIT(17)
#define MDCR_EL2_HCCD	 BIT(23)
#define MDCR_EL2_HLP	 BIT(26)
#define MDCR_EL2_HPMFZO	 BIT(29)
#define MDCR_EL2_HPMFZS	 BIT(36)
#define MDCR_EL2_E2PB(x) ((u64)(x) << 12)
#define MDCR_EL2_TPMS	 BIT(14)
#define MDCR_PMSSE(x)	 ((u64)(x) << 30)
#define MDCR_PMSSE_MASK	 MDCR_PMSSE(3)
#define MDCR_EL3_ENPM2	 BIT(7)
#define MDCR_EL3_NSPBE	 BIT(11)
#define MDCR_EL3_NSPB(x) ((u64)(x) << 12)
#define MDCR_EL3_PMSEE(x) ((u64)(x) << 51)
#define MDCR_EL3_SPME	 BIT(17)
#define MDCR_EL3_SCCD	 BIT(23)
#define MDCR_EL3_MCCD	 BIT(34)
#define MDCR_EL3_MPMX	 BIT(35)
#define MDCR_EL3_ENPMSN	 BIT(36)
#define MDCR_EL3_ENPMS3	 BIT(42)
#define MDCR_EL3_ENPMSS	 BIT(44)
#define MDCR_EL3_ENPMS4	 BIT(55)

/* Bits of HDFGRTR2_EL2 and HDFGWTR2_EL2 */
#define FGT2_PMECR	 BIT(0)
#define FGT2_PMICNTR	 BIT(2)
#define FGT2_PMICFILTR	 BIT(3)
#define FGT2_PMUACR	 BIT(4)
#define FGT2_PMSSDATA	 BIT(6)
#define FGT2_PMSSCR	 BIT(7)
#define FGT2_PMSDSFR	 BIT(19)
#define FGT2_PMZR	 BIT(21)
#define FGT2_PMBMAR	 BIT(24)

/* Exception classes */
#define ESR_EC(esr)	 FIELD(esr, 31, 26)
#define EC_UNKNOWN	 0x00
#define EC_CP15		 0x03
#define EC_SYSREG	 0x18
