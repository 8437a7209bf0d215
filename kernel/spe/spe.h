/* SPDX-License-Identifier: GPL-2.0-only */
/* Interface of the SPE driver to main.c. */
#ifndef PMSCOPE_SPE_H
#define PMSCOPE_SPE_H

int pmscope_spe_init(void);
void pmscope_spe_exit(void);

#endif /* PMSCOPE_SPE_H */
