/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of pmu_snapshot to the other folders.
 */
#ifndef PMSCOPE_SNAPSHOT_H
#define PMSCOPE_SNAPSHOT_H

struct attribute_group;

int pmscope_snapshot_init(const struct attribute_group **groups);
void pmscope_snapshot_exit(void);

#endif /* PMSCOPE_SNAPSHOT_H */
