/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory-mapped frames of each CPU: found, proven, watched only while the CPU has
 * power (frame.c); and captures through them (capture.c).
 */
#ifndef PMSCOPE_EXTERNAL_FRAME_H
#define PMSCOPE_EXTERNAL_FRAME_H

#include "counter.h"

#include <linux/cpumask.h>
#include <linux/pm_qos.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct clk;
struct device_node;

/**
 * enum ext_layout - how the PMU frame of a CPU captures
 * @EXT_LIVE: not at all: its counters are read one after the other
 * @EXT_ARM: with the IMPLEMENTATION DEFINED snapshot of Arm's cores
 * @EXT_ARCH: with FEAT_PMUv3_SS
 */
enum ext_layout {
	EXT_LIVE,
	EXT_ARM,
	EXT_ARCH,
};

extern const char *const ext_layout_names[];

/**
 * enum ext_pc - where the PC of a capture comes from
 * @EXT_PC_NONE: there is none
 * @EXT_PC_DEBUG: EDPCSR: a sample of its own, between the first and the last counter
 * @EXT_PC_READ: PMPCSR: likewise
 * @EXT_PC_CAPTURE: it is captured with the counters
 */
enum ext_pc {
	EXT_PC_NONE,
	EXT_PC_DEBUG,
	EXT_PC_READ,
	EXT_PC_CAPTURE,
};

extern const char *const ext_pc_names[];

/* No sample: the low word of PMPCSR, EDPCSR and PMPCSSR */
#define EXT_NO_PC	U32_MAX

enum { EXT_CAPTURED, EXT_RETRIED, EXT_FAILED, EXT_NR_STATS };

/* CPUs that are online and can be watched */
extern struct cpumask ext_proven;

/**
 * struct ext_frame - the frames of one CPU
 * @cpu: the CPU
 * @address: physical address of the PMU frame, 0 for none
 * @debug_address: of the debug frame, 0 if it is not known
 * @by: who said so
 * @node: the device tree node of the PMU frame, or of the debug frame, or NULL
 * @pmu: the PMU frame, mapped
 * @debug: the debug frame, mapped, or NULL
 * @layout: how it captures
 * @wide: its event counters have 64 bits
 * @pc: where the PC comes from
 * @sets_ss: PMPCSCTL.SS was 0 before the CPU was watched
 * @why: why it may not be accessed, or NULL if it is the PMU of this CPU
 * @watchers: events that are open; changes under both @lock and the mutex of frame.c
 * @clock: clock of the debug bus, enabled while it is watched
 * @qos: keeps the CPU out of idle states that lose power
 * @lock: a capture is in progress
 * @powered: the CPU is online and not about to lose power; under @lock
 * @stats: how captures ended
 */
struct ext_frame {
	int cpu;
	phys_addr_t address;
	phys_addr_t debug_address;
	const char *by;
	struct device_node *node;
	void __iomem *pmu;
	void __iomem *debug;
	enum ext_layout layout;
	bool wide;
	enum ext_pc pc;
	bool sets_ss;
	const char *why;
	unsigned int watchers;
	struct clk *clock;
	struct dev_pm_qos_request qos;
	raw_spinlock_t lock;
	bool powered;
	u64 stats[EXT_NR_STATS];
};

/**
 * struct ext_capture - counters of a CPU at one instant
 * @wants_pc: set by the caller: capture @pc and @context, too
 * @pc: as PMPCSR has it; the low word is EXT_NO_PC if there is none
 * @context: CONTEXTIDR of the kernel, valid with @pc
 * @counters: bit n set: @value[n] is valid
 * @value: raw counter values
 */
struct ext_capture {
	bool wants_pc;
	u64 pc;
	u32 context;
	unsigned long counters;
	u64 value[PMSCOPE_NR_COUNTERS];
};

int ext_frames_init(int (*leave)(unsigned int cpu));
void ext_frames_exit(void);

struct ext_frame *ext_frame(int cpu);
int ext_frame_watch(int cpu);
void ext_frame_unwatch(int cpu);

int ext_capture(const struct ext_frame *frame, struct ext_capture *cap);

#endif /* PMSCOPE_EXTERNAL_FRAME_H */
