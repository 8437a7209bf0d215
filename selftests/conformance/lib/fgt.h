/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fine-grained traps to EL2: HDFGRTR_EL2 and HDFGWTR_EL2. */
#pragma once

#include "conf.h"

#define HDFGRTR_EL2	 S3_4_C3_C1_4
#define HDFGWTR_EL2	 S3_4_C3_C1_5

/* Fine-grained traps where 0 traps. */
#define FGT_BY_0	 (BIT(62) | BIT(61) | BIT(60) | BIT(59))

/* NULL if there is no such access, or no bit traps it. */
struct fgt_reg {
	const char *name;
	void (*read)(void);
	void (*write)(void);
	unsigned bit;
};

/*
 * A list of registers, REGS(RW, RO, WO) with entries RW(name, bit): as functions
 * and as a table.
 */
#define FGT_READ(name, ...)						\
	static void read_##name(void)					\
	{								\
		(void)read_sysreg(name);				\
	}
#define FGT_WRITE(name, ...)						\
	static void write_##name(void)					\
	{								\
		write_sysreg(0, name);					\
	}
/* Not by the two above, which would get the register's encoding. */
#define FGT_BOTH(name, ...)						\
	static void read_##name(void)					\
	{								\
		(void)read_sysreg(name);				\
	}								\
	static void write_##name(void)					\
	{								\
		write_sysreg(0, name);					\
	}
#define FGT_RW(name, bit) { #name, read_##name, write_##name, bit },
#define FGT_RO(name, bit) { #name, read_##name, NULL, bit },
#define FGT_WO(name, bit) { #name, NULL, write_##name, bit },
#define FGT_TABLE(REGS)							\
	REGS(FGT_BOTH, FGT_READ, FGT_WRITE)				\
	static const struct fgt_reg regs[] = { REGS(FGT_RW, FGT_RO, FGT_WO) };

/* Each bit traps, at EL1, its registers and no other, for reads or writes. */
void check_fgt(const struct fgt_reg *regs, unsigned count, bool write);

void clear_fgt(void);
