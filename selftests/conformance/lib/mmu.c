/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mmu.h"

#define RAM_GIB		 1
#define ALIAS_GIB	 2
#define READ_ONLY_GIB	 3
#define NO_AF_GIB	 4
#define EL2_ALIAS_GIB	 7
#define UPPER_GIB	 8
#define IPA_ALIAS_GIB	 9
#define FAR_GIB		 10
#define HIDDEN_TABLE_GIB 11
#define PIECES_GIB	 12
#define EL1_UPPER_GIB	 13

/* RAM that no program uses, and blocks of level 2. */
#define SPARE		 0x44000000UL
#define MMU_2MIB	 (2UL << 20)

#define BLOCK		 1UL
#define TABLE		 3UL
#define ATTR_DEVICE	 (0UL << 2)
#define ATTR_NORMAL	 (1UL << 2)
#define AP_EL0		 (1UL << 6)
#define AP_READ_ONLY	 (2UL << 6)
#define INNER_SHAREABLE	 (3UL << 8)
#define ACCESS_FLAG	 (1UL << 10)

/* Attr0 Device-nGnRnE, Attr1 Normal write-back. */
#define MAIR		 0xff00UL
/* T0SZ and T1SZ 25: 39 bits from level 1; 4 KiB; 40-bit PA. */
#define TCR		 TCR_EL2_E2H1
/* The same for the EL2 regime, and for EL2&0. */
#define TCR_EL2_E2H0	 (25UL | 1UL << 8 | 1UL << 10 | 3UL << 12 | \
			  2UL << 16 | 1UL << 23 | 1UL << 31)
#define TCR_EL2_E2H1	 (25UL | 1UL << 8 | 1UL << 10 | 3UL << 12 | \
			  25UL << 16 | 1UL << 24 | 1UL << 26 | \
			  3UL << 28 | 2UL << 30 | 2UL << 32)
#define TTBR1_EL2	 S3_4_C2_C0_1
#define SCTLR_EL2_OFF	 0x30c50830UL
#define SCTLR_M		 BIT(0)

/* Stage 2: S2AP, MemAttr; 39 bits of IPA from level 1, 40 of PA. */
#define S2_WRITABLE	 (3UL << 6)
#define S2_READ_ONLY	 (1UL << 6)
#define S2_NORMAL	 (0xfUL << 2)
#define VTCR		 (25UL | 1UL << 6 | 1UL << 8 | 1UL << 10 | \
			  3UL << 12 | 2UL << 16 | 1UL << 31)

static u64 level1[512] __attribute__((aligned(4096)));
static u64 level1_el1_upper[512] __attribute__((aligned(4096)));
static u64 level2[512] __attribute__((aligned(4096)));
static u64 pieces[512] __attribute__((aligned(4096)));
static u64 level1_el2[512] __attribute__((aligned(4096)));
static u64 level1_upper[512] __attribute__((aligned(4096)));
static u64 stage2[512] __attribute__((aligned(4096)));

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

u64 mmu_alias_el2(u64 address)
{
	return ram_at(EL2_ALIAS_GIB, address);
}

u64 mmu_alias_el2_upper(u64 address)
{
	return ram_at(UPPER_GIB, address) | ~0UL << 39;
}

u64 mmu_alias_el1_upper(u64 address)
{
	return ram_at(EL1_UPPER_GIB, address) | ~0UL << 39;
}

u64 mmu_far_alias(u64 address)
{
	return ram_at(FAR_GIB, address);
}

u64 mmu_by_hidden_table(u64 address)
{
	return ram_at(HIDDEN_TABLE_GIB, address);
}

u64 mmu_edge(void)
{
	return PIECES_GIB * MMU_GIB + MMU_2MIB;
}

u64 mmu_joint(void)
{
	return PIECES_GIB * MMU_GIB + 5 * MMU_2MIB;
}

u64 mmu_device_edge(void)
{
	return PIECES_GIB * MMU_GIB + 8 * MMU_2MIB;
}

u64 mmu_stage2_edge(void)
{
	return PIECES_GIB * MMU_GIB + 11 * MMU_2MIB;
}

u64 mmu_alias_ipa(u64 address)
{
	return ram_at(IPA_ALIAS_GIB, address);
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
	level1[FAR_GIB] = (normal | ACCESS_FLAG) + (FAR_GIB - RAM_GIB) * MMU_GIB;
	level1[HIDDEN_TABLE_GIB] = mmu_far_alias((u64)level2) | TABLE;
	level1[PIECES_GIB] = (u64)pieces | TABLE;
	level1_el1_upper[EL1_UPPER_GIB] = normal | ACCESS_FLAG | AP_EL0;
	pieces[0] = SPARE | BLOCK | ATTR_NORMAL | INNER_SHAREABLE | ACCESS_FLAG;
	pieces[4] = pieces[0] + 3 * MMU_2MIB;
	pieces[5] = pieces[0] + MMU_2MIB;
	pieces[7] = pieces[0] + 4 * MMU_2MIB;
	pieces[8] = (pieces[7] + MMU_2MIB) & ~ATTR_NORMAL;
	pieces[10] = normal + ACCESS_FLAG - MMU_2MIB;
	pieces[11] = normal + ACCESS_FLAG;
	for (unsigned i = 0; i < ARRAY_SIZE(level2); i++)
		level2[i] = normal + i * (MMU_GIB / 512) + ACCESS_FLAG;
}

void mmu_enable_el1(void)
{
	mmu_enable_el1_with(0);
}

void mmu_enable_el1_with(u64 tcr_bits)
{
	if (!level1[0])
		fill_table();
	write_sysreg(MAIR, mair_el1);
	write_sysreg(TCR | tcr_bits, tcr_el1);
	write_sysreg(level1, ttbr0_el1);
	write_sysreg(level1_el1_upper, ttbr1_el1);
	flush();
	change_sysreg(sctlr_el1, 0, SCTLR_M);
}

void mmu_disable_el1(void)
{
	change_sysreg(sctlr_el1, SCTLR_M, 0);
	flush();
}

static void flush_el2(void)
{
	dsb();
	asm volatile("tlbi alle2" : : : "memory");
	asm volatile("tlbi alle1" : : : "memory");
	dsb();
	isb();
}

static void fill_table_el2(void)
{
	u64 normal = RAM_GIB * MMU_GIB | BLOCK | ATTR_NORMAL |
		     INNER_SHAREABLE | ACCESS_FLAG;

	level1_el2[0] = BLOCK | ATTR_DEVICE | ACCESS_FLAG;
	level1_el2[RAM_GIB] = normal;
	level1_el2[EL2_ALIAS_GIB] = normal;
	level1_upper[UPPER_GIB] = normal;
}

void mmu_enable_el2(bool e2h)
{
	if (!level1_el2[0])
		fill_table_el2();
	write_sysreg(MAIR, mair_el2);
	write_sysreg(e2h ? TCR_EL2_E2H1 : TCR_EL2_E2H0, tcr_el2);
	write_sysreg(level1_el2, ttbr0_el2);
	if (e2h)
		write_sysreg(level1_upper, TTBR1_EL2);
	flush_el2();
	set_sysreg(SCTLR_EL2_OFF | SCTLR_M, sctlr_el2);
}

void mmu_disable_el2(void)
{
	set_sysreg(SCTLR_EL2_OFF, sctlr_el2);
	flush_el2();
}

static void fill_stage2(void)
{
	u64 ram = RAM_GIB * MMU_GIB | BLOCK | S2_NORMAL | INNER_SHAREABLE;

	stage2[0] = BLOCK | S2_WRITABLE | ACCESS_FLAG;
	stage2[RAM_GIB] = ram | S2_WRITABLE | ACCESS_FLAG;
	stage2[IPA_ALIAS_GIB] = ram | S2_WRITABLE | ACCESS_FLAG;
	stage2[READ_ONLY_GIB] = ram | S2_READ_ONLY | ACCESS_FLAG;
	stage2[FAR_GIB] = stage2[RAM_GIB];
	stage2[NO_AF_GIB] = ram | S2_WRITABLE;
}

void mmu_enable_stage2(u64 hcr_bits)
{
	if (!stage2[0])
		fill_stage2();
	write_sysreg(VTCR, vtcr_el2);
	write_sysreg(stage2, vttbr_el2);
	flush_el2();
	set_sysreg(HCR_RW | HCR_VM | hcr_bits, hcr_el2);
}

#define VSTTBR_EL2 S3_4_C2_C6_0
#define VSTCR_EL2 S3_4_C2_C6_2

/* Secure IPAs only; T0SZ, SL0 and TG0 as in VTCR_EL2, bit 31 is RES1. */
void mmu_enable_secure_stage2(u64 vstcr_bits)
{
	if (!stage2[0])
		fill_stage2();
	write_sysreg(VTCR, vtcr_el2);
	write_sysreg(25UL | 1UL << 6 | 1UL << 31 | vstcr_bits, VSTCR_EL2);
	write_sysreg(stage2, VSTTBR_EL2);
	flush_el2();
	set_sysreg(HCR_RW | HCR_VM, hcr_el2);
}

void mmu_hide_stage2_ram(bool hide)
{
	stage2[FAR_GIB] &= ~BLOCK;
	stage2[FAR_GIB] |= hide ? 0 : BLOCK;
	flush_el2();
}

void mmu_disable_stage2(void)
{
	set_sysreg(HCR_RW, hcr_el2);
	flush_el2();
}

void mmu_hide_alias(bool hide)
{
	level1[ALIAS_GIB] &= ~BLOCK;
	level1[ALIAS_GIB] |= hide ? 0 : BLOCK;
	flush();
}

void mmu_open_to_el0(bool open)
{
	level1[ALIAS_GIB] &= ~AP_EL0;
	level1[ALIAS_GIB] |= open ? AP_EL0 : 0;
	if (have_el(2)) {
		if (!level1_el2[0])
			fill_table_el2();
		level1_el2[EL2_ALIAS_GIB] &= ~AP_EL0;
		level1_el2[EL2_ALIAS_GIB] |= open ? AP_EL0 : 0;
		flush_el2();
	}
	flush();
}

void mmu_make_writable(void)
{
	level1[READ_ONLY_GIB] &= ~AP_READ_ONLY;
	flush();
}

void mmu_restore(void)
{
	mmu_disable_el1();
	if (current_el() >= 2 && have_el(2)) {
		mmu_disable_el2();
		mmu_disable_stage2();
	}
	/* Each table is filled again when it is needed. */
	level1[0] = 0;
	level1_el2[0] = 0;
	stage2[0] = 0;
	flush();
}
