/* SPDX-License-Identifier: GPL-2.0-only */
/* The raw registers of each CPU, for root: <debugfs>/pmscope/regs. */
#ifndef PMSCOPE_DEBUGFS_H
#define PMSCOPE_DEBUGFS_H

void pmscope_regs_init(void);
void pmscope_regs_exit(void);

#endif /* PMSCOPE_DEBUGFS_H */
