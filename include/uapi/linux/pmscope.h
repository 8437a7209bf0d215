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

/*
 * For BPF programs: what bpf_pmscope_captured() tells of the last capture that
 * a program did on this CPU.  Counters are numbered as in PMCNTENSET_EL0: event
 * counters 0-30, 31 the cycle counter, 32 the instruction counter.
 */
#define PMSCOPE_CAPTURED_COUNTERS	33

struct pmscope_captured {
	__u64 number;		/* of the capture, from 1 on each CPU */
	__u64 counters;		/* bit n: value[n] is valid */
	__u64 stopped;		/* CNTVCT_EL0 ticks that no counter counted */
	__u32 backend;		/* 1 hardware, 2 frozen */
	__u32 reserved;
	__u64 value[PMSCOPE_CAPTURED_COUNTERS];	/* of the registers, raw */
};

/*
 * perf_event_attr.config of an arm_spe_<n> event: freeze the counters of the CPU
 * while a buffer management event waits for its interrupt.  The other bits are
 * those of the kernel's own arm_spe_pmu.
 */
#define PMSCOPE_SPE_FREEZE		0x8000000000000000ULL

#endif /* _UAPI_LINUX_PMSCOPE_H */
