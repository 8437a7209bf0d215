/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * pmscope: the contract between the module and user space.
 *
 * The pmu_snapshot PMU (/sys/bus/event_source/devices/pmu_snapshot) counts any
 * PMUv3 event.  All members of a group are read at one instant.  Bits of
 * perf_event_attr that are not defined here must be 0.
 */
#ifndef _UAPI_LINUX_PMSCOPE_H
#define _UAPI_LINUX_PMSCOPE_H

#include <linux/types.h>

/* perf_event_attr.config of a pmu_snapshot event */
#define PMSCOPE_SNAPSHOT_EVENT_MASK	0xffffULL	/* PMEVTYPER<n>.evtCount */

#endif /* _UAPI_LINUX_PMSCOPE_H */
