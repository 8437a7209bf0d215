/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pmu_snapshot PMU.
 */
#ifndef PMSCOPE_SNAPSHOT_H
#define PMSCOPE_SNAPSHOT_H

struct attribute_group;

extern const struct attribute_group pmscope_snapshot_events_group;
extern const struct attribute_group pmscope_snapshot_format_group;
extern const struct attribute_group pmscope_snapshot_caps_group;
extern const struct attribute_group pmscope_snapshot_stats_group;

int pmscope_snapshot_init(void);
void pmscope_snapshot_exit(void);

#endif /* PMSCOPE_SNAPSHOT_H */
