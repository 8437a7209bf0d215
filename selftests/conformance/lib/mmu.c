/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mmu.h"

#define RAM_GIB		 1
#define ALIAS_GIB	 2
#define READ_ONLY_GIB	 3
#define NO_AF_GIB	 4

#define BLOCK		 1UL
#define ATTR_DEVICE	 (0UL << 2)
#define ATTR_NORMAL	 (1UL << 2)
#define AP_READ_ONLY	 (2UL << 6)
#define INNER_SHAREABLE	 (3UL << 8)
#define ACCESS_FLAG	 (1UL << 10)

/* Attr0 Device-nGnRnE, Attr1 Normal write-back. */
#define MAIR		 0xff00UL
/* T0SZ 25: 39 bits from level 1; 4 KiB; no walks by TTBR1; 40-bit PA. */
#define TCR		 (25UL | 1UL << 8 | 1UL << 10 | 3UL << 12 | \
			  1UL << 23 | 2UL << 32)
#define SCTLR_M		 BIT(0)

static u64 level1[512] __attribute__((aligned(4096)));

static u64 ram_at(unsigned gib, u64 address)
{
	return address - RAM_GIB * MMU_GIB + gib * MMU_GIB;
}

u64 mmu_alias(u64 address)
{
	return ram_at(ALIAS_GIB, address);
}

u64 mmu_read_only(u64 address)
{
	return ram_at(READ_ONLY_GIB, address);
}

u64 mmu_no_access_flag(u64 address)
{
	return ram_at(NO_AF_GIB, address);
}

static void flush(void)
{
	dsb();
	asm volatile("tlbi vmalle1" : : : "memory");
	dsb();
	isb();
}

static void fill_table(void)
{
	u64 normal = RAM_GIB * MMU_GIB | BLOCK | ATTR_NORMAL | INNER_SHAREABLE;

	level1[0] = BLOCK | ATTR_DEVICE | ACCESS_FLAG;
	level1[RAM_GIB] = normal | ACCESS_FLAG;
	level1[ALIAS_GIB] = normal | ACCESS_FLAG;
	level1[READ_ONLY_GIB] = normal | ACCESS_FLAG | AP_READ_ONLY;
	level1[NO_AF_GIB] = normal;
}

void mmu_enable_el1(void)
{
	if (!level1[0])
		fill_table();
	write_sysreg(MAIR, mair_el1);
	write_sysreg(TCR, tcr_el1);
	write_sysreg(level1, ttbr0_el1);
	flush();
	write_sysreg(read_sysreg(sctlr_el1) | SCTLR_M, sctlr_el1);
	isb();
}

void mmu_disable_el1(void)
{
	write_sysreg(read_sysreg(sctlr_el1) & ~SCTLR_M, sctlr_el1);
	isb();
	flush();
}

void mmu_make_writable(void)
{
	level1[READ_ONLY_GIB] &= ~AP_READ_ONLY;
	flush();
}

void mmu_make_read_only(void)
{
	level1[READ_ONLY_GIB] |= AP_READ_ONLY;
	flush();
}
