/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stage 1 translation at EL1, in blocks of 1 GiB: I/O and RAM at their own
 * addresses, and RAM again where it cannot be written.
 */
#ifndef CONF_MMU_H
#define CONF_MMU_H

#include "conf.h"

#define MMU_GIB			(1UL << 30)
#define MMU_UNMAPPED		(6 * MMU_GIB)

#define FSC_TRANSLATION_L1	0x05
#define FSC_ACCESS_FLAG_L1	0x09
#define FSC_PERMISSION_L1	0x0d

/* The same RAM at other addresses. */
u64 mmu_alias(u64 address);
u64 mmu_read_only(u64 address);
u64 mmu_no_access_flag(u64 address);

void mmu_enable_el1(void);
void mmu_disable_el1(void);

/* What mmu_read_only() leads to, until it is taken back. */
void mmu_make_writable(void);
void mmu_make_read_only(void);

#endif
