/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The snapshot half of the module, as other folders see it.
 */
#ifndef PMSCOPE_SNAPSHOT_H
#define PMSCOPE_SNAPSHOT_H

int pmscope_snapshot_init(void);
void pmscope_snapshot_exit(void);

#endif /* PMSCOPE_SNAPSHOT_H */
