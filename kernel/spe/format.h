/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user interface of arm_spe_<n>: perf_event_attr fields and the register
 * values they stand for.
 */
#ifndef PMSCOPE_SPE_FORMAT_H
#define PMSCOPE_SPE_FORMAT_H

#include <linux/types.h>

struct attribute_group;
struct perf_event;
struct perf_event_attr;
struct spe_caps;

/* event->hw.flags: records of this event may name the process (PMSCR.CX) */
#define SPE_EVENT_CX		0x1
/* hw.flags: intervals below caps/min_interval are allowed */
#define SPE_EVENT_ANY_INTERVAL	0x2

/**
 * struct spe_regs - what an event wants in the control registers
 * @pmscr: what is sampled where; writing it starts profiling
 * @pmsfcr: which filters apply
 * @pmsevfr: events a record must have
 * @pmsnevfr: events a record must not have (SPE_FEAT_FILT_INV_EVENT)
 * @pmsdsfr: data sources a record may have (SPE_FEAT_FILT_SOURCE)
 * @pmslatfr: smallest latency of a record, cycles
 * @pmsirr: sampling interval
 * @pmblimitr: E and PMFZ; the limit and the mode depend on the window
 * @discard: no records, only the SAMPLE_* events of the PMU
 * @freeze: the PMU's counters stop at a management event
 */
struct spe_regs {
	u64	pmscr;
	u64	pmsfcr;
	u64	pmsevfr;
	u64	pmsnevfr;
	u64	pmsdsfr;
	u64	pmslatfr;
	u64	pmsirr;
	u64	pmblimitr;
	bool	discard;
	bool	freeze;
};

int spe_format_check(const struct perf_event_attr *attr,
		     const struct spe_caps *caps);
bool spe_format_privileged(const struct perf_event_attr *attr);
bool spe_format_freezes(const struct perf_event_attr *attr);
u64 spe_format_pmsirr(const struct perf_event *event);
void spe_format_regs(const struct perf_event *event, struct spe_regs *regs);

extern const struct attribute_group spe_format_group;

#endif /* PMSCOPE_SPE_FORMAT_H */
