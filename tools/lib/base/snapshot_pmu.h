/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_BASE_SNAPSHOT_PMU_H
#define PMSCOPE_BASE_SNAPSHOT_PMU_H

/* The name of the snapshot PMU in sysfs and in the events of recordings. */
#define SNAPSHOT_PMU "pmu_snapshot"

#endif /* PMSCOPE_BASE_SNAPSHOT_PMU_H */
