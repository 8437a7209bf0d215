/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user interface of arm_spe_<n>: perf_event_attr fields, and the register
 * values they give.
 */
#ifndef PMSCOPE_SPE_FORMAT_H
#define PMSCOPE_SPE_FORMAT_H

#include <linux/types.h>

struct attribute;
struct device;
struct device_attribute;
struct perf_event;
struct perf_event_attr;
struct spe_caps;
struct spe_regs;

/* event->hw.flags: records of this event may name the process (PMSCR.CX) */
#define SPE_EVENT_CX		0x1
/* hw.flags: intervals below caps/min_interval are allowed */
#define SPE_EVENT_ANY_INTERVAL	0x2

extern struct attribute *spe_format_attrs[];

void spe_format_set_show(ssize_t (*show)(struct device *dev,
					 struct device_attribute *attr,
					 char *page));
bool spe_format_has(struct attribute *attr, const struct spe_caps *caps);
int spe_format_emit(struct attribute *attr, const struct spe_caps *caps,
		    char *page);
int spe_format_check(const struct perf_event_attr *attr,
		     const struct spe_caps *caps);
bool spe_format_privileged(const struct perf_event_attr *attr);
bool spe_format_freezes(const struct perf_event_attr *attr);
u64 spe_format_pmsirr(const struct perf_event *event,
		      const struct spe_caps *caps);
void spe_format_regs(const struct perf_event *event,
		     const struct spe_caps *caps, struct spe_regs *regs);

#endif /* PMSCOPE_SPE_FORMAT_H */
