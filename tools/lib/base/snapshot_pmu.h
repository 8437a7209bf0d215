/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_BASE_SNAPSHOT_PMU_H
#define PMSCOPE_BASE_SNAPSHOT_PMU_H

/* The PMU that captures, as sysfs and the events of a recording call it. */
#define SNAPSHOT_PMU "pmu_snapshot"

#endif /* PMSCOPE_BASE_SNAPSHOT_PMU_H */
