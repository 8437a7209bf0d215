/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The raw registers of each CPU, for root: <debugfs>/pmscope/regs.
 */
#ifndef PMSCOPE_DEBUGFS_H
#define PMSCOPE_DEBUGFS_H

#include <linux/types.h>

#define PMSCOPE_REG_NAME_MAX	32

/* One register as read on a CPU */
struct pmscope_reg {
	char name[PMSCOPE_REG_NAME_MAX];
	u64 val;
};

/* Enough for 31 counters with type, count and snapshot, and all others */
#define PMSCOPE_REGS_MAX	192

/**
 * struct pmscope_reg_dump - the registers of one CPU
 * @nr: number of used entries in @reg
 * @reg: the registers
 */
struct pmscope_reg_dump {
	unsigned int nr;
	struct pmscope_reg reg[PMSCOPE_REGS_MAX];
};

void pmscope_regs_add(struct pmscope_reg_dump *dump, const char *name, u64 val);

typedef void (*pmscope_regs_fn)(struct pmscope_reg_dump *dump);

void pmscope_regs_init(pmscope_regs_fn dump_more);
void pmscope_regs_exit(void);

#endif /* PMSCOPE_DEBUGFS_H */
