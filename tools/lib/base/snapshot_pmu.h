/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

/* The name of the snapshot PMU in sysfs and in the events of recordings. */
#define SNAPSHOT_PMU "pmu_snapshot"
