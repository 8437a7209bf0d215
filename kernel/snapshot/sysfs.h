/* SPDX-License-Identifier: GPL-2.0-only */
/* sysfs attributes of pmu_snapshot. */
#ifndef PMSCOPE_SNAPSHOT_SYSFS_H
#define PMSCOPE_SNAPSHOT_SYSFS_H

struct attribute_group;

extern const struct attribute_group *snap_sysfs_groups[];

#endif /* PMSCOPE_SNAPSHOT_SYSFS_H */
