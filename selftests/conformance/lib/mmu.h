/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation tables with blocks of 1 GiB: I/O and RAM at their own addresses,
 * and RAM again at others. The aliases differ between regimes, so an address
 * shows which regime translated it.
 */
#pragma once

#include "conf.h"

#define MMU_GIB			(1UL << 30)
#define MMU_UNMAPPED		(6 * MMU_GIB)

#define FSC_TRANSLATION_L1	0x05
#define FSC_TRANSLATION_L2	0x06
#define FSC_ACCESS_FLAG_L1	0x09
#define FSC_PERMISSION_L1	0x0d
#define FSC_SYNC_EXTERNAL	0x10
#define FSC_ALIGNMENT		0x21

/* For mmu_enable_el1_with() */
#define TCR_TBI0		BIT(37)
#define TCR_E0PD1		BIT(56)

/* The same RAM at other addresses. */
u64 mmu_alias(u64 address);
u64 mmu_read_only(u64 address);
u64 mmu_no_access_flag(u64 address);

/* The same RAM at an address of EL2, of the upper half of EL2&0, of an IPA. */
u64 mmu_alias_el2(u64 address);
u64 mmu_alias_el2_upper(u64 address);
u64 mmu_alias_ipa(u64 address);

/* The same at EL1, in the upper half, and accessible at EL0. */
u64 mmu_alias_el1_upper(u64 address);

/*
 * RAM at EL1 by an IPA that stage 2 can hide, and by a level 2 table that lies
 * there; without stage 2 they lead nowhere.
 */
u64 mmu_far_alias(u64 address);
u64 mmu_by_hidden_table(u64 address);
void mmu_hide_stage2_ram(bool hide);

/*
 * Of EL1's mapping: the address after the last mapped byte, and the boundary of
 * two adjacent parts.
 */
u64 mmu_edge(void);
u64 mmu_joint(void);
/* Device memory from there on, and what only stage 2 makes Normal memory. */
u64 mmu_device_edge(void);
u64 mmu_stage2_edge(void);

/* The EL2 regime, or EL2&0 if HCR_EL2 has E2H; that bit is not changed. */
void mmu_enable_el2(bool e2h);
void mmu_disable_el2(void);

/*
 * Stage 2 for EL1&0: the aliases above are IPAs too, read-only and without
 * access flag. The bits are those of HCR_EL2 besides VM.
 */
void mmu_enable_stage2(u64 hcr_bits);
void mmu_disable_stage2(void);

/* The same for Secure EL1&0; the bits are VSTCR_EL2.{SA,SW}. */
#define VSTCR_SW		BIT(29)
#define VSTCR_SA		BIT(30)
void mmu_enable_secure_stage2(u64 vstcr_bits);

void mmu_enable_el1(void);
void mmu_disable_el1(void);

/* The same with further bits of TCR_EL1. */
void mmu_enable_el1_with(u64 tcr_bits);

/* Unmaps the alias of EL1, or maps it again. */
void mmu_hide_alias(bool hide);

/* Makes the aliases of EL1 and EL2 accessible at EL0, or ends that. */
void mmu_open_to_el0(bool open);

/* Makes the target of mmu_read_only() writable. */
void mmu_make_writable(void);

/* As before the test: nothing is translated, all mappings are whole. */
void mmu_restore(void);
