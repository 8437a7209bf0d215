/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of the SPE driver to main.c.
 */
#ifndef PMSCOPE_SPE_H
#define PMSCOPE_SPE_H

struct pmscope_reg_dump;

int pmscope_spe_init(void);
void pmscope_spe_exit(void);
void pmscope_spe_dump_regs(struct pmscope_reg_dump *dump);

#endif /* PMSCOPE_SPE_H */
