/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiling on one CPU, from the first window of an event to its last. */
#ifndef PMSCOPE_SPE_PROFILE_H
#define PMSCOPE_SPE_PROFILE_H

#include "spe/buffer.h"

#include <linux/irqreturn.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct spe_caps;

/**
 * struct spe_regs - values of the control registers for an event
 * @pmscr: Exception levels and packets; writing it starts profiling
 * @pmsfcr: enabled filters
 * @pmsevfr: events a record must have
 * @pmsnevfr: events a record must not have (SPE_FEAT_FILT_INV_EVENT)
 * @pmsdsfr: data sources a record may have (SPE_FEAT_FILT_SOURCE)
 * @pmslatfr: smallest latency of a record, cycles
 * @pmsirr: sampling interval
 * @pmblimitr: E and PMFZ; the limit and the mode depend on the window
 * @discard: write no records, only count the PMU's SAMPLE_* events
 * @freeze: freeze the PMU's counters at a management event
 * @owner: effective user of the task that opened the event
 * @sees_all: opened with CAP_PERFMON
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
	kuid_t	owner;
	bool	sees_all;
};

/**
 * struct spe_hw_state - registers that change while profiling runs
 * @pmsicr: interval counter
 * @pmbptr: write pointer
 * @pmblimitr: limit and enable bit
 * @pmbsr: buffer status
 */
struct spe_hw_state {
	u64	pmsicr;
	u64	pmbptr;
	u64	pmblimitr;
	u64	pmbsr;
};

/* Counters of losses and errors on a CPU since the PMU was registered */
enum spe_stat {
	SPE_STAT_WINDOWS,		/* pieces of AUX data handed to perf */
	SPE_STAT_BUFFER_FULL,		/* buffer full events */
	SPE_STAT_TRUNCATED,		/* profiling stopped, no room or an error */
	SPE_STAT_NO_ROOM,		/* ... because the AUX area was full */
	SPE_STAT_DATA_LOSS,		/* windows with PMBSR.DL set */
	SPE_STAT_EXTERNAL_ABORT,	/* windows with PMBSR.EA set */
	SPE_STAT_FAULTS,		/* errors of the buffer, all classes */
	SPE_STAT_FAULT_STAGE1,		/* one for each enum spe_fault */
	SPE_STAT_FAULT_STAGE2,
	SPE_STAT_FAULT_GPC,
	SPE_STAT_FAULT_IMPDEF,
	SPE_STAT_FAULT_TOO_LARGE,
	SPE_STAT_FAULT_OTHER,
	SPE_STAT_COLLISIONS,		/* windows with PMBSR.COLL set */
	SPE_STAT_SPURIOUS,		/* interrupts without a management event */
	SPE_STATS
};

/**
 * struct spe_cpu - the profiling unit of one CPU
 * @handle: perf's handle of the open window
 * @caps: capabilities of the PMU
 * @name: name of the PMU
 * @event: the event that profiles, or NULL
 * @window: the part of the buffer that the hardware may write
 * @saved: registers saved across a power-down of the CPU
 * @stats: counters by enum spe_stat, which other CPUs read
 * @ready: the CPU is online and its interrupt is enabled
 *
 * Used only by its own CPU, with interrupts off.
 */
struct spe_cpu {
	struct perf_output_handle	handle;
	const struct spe_caps		*caps;
	const char			*name;
	struct perf_event		*event;
	struct spe_window		window;
	struct spe_hw_state		saved;
	u64				stats[SPE_STATS];
	bool				ready;
};

int spe_run_start(struct spe_cpu *cpu, struct perf_event *event);
void spe_run_stop(struct spe_cpu *cpu);
void spe_run_pause(struct spe_cpu *cpu, struct perf_event *event);
void spe_run_suspend(struct spe_cpu *cpu);
void spe_run_resume(struct spe_cpu *cpu);

irqreturn_t spe_irq_handler(int irq, void *dev_id);

int spe_freeze_get(void);
void spe_freeze_exit(void);

#endif /* PMSCOPE_SPE_PROFILE_H */
