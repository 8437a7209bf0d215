/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * pmscope: the contract between the module and user space.
 *
 * The pmu_snapshot PMU (/sys/bus/event_source/devices/pmu_snapshot) counts any
 * PMUv3 event.  All members of a group are read at one instant.  Bits of
 * perf_event_attr that are not defined here must be 0.
 *
 * An event with a sample_period streams: at each trigger the counters of its
 * group are captured, and a struct pmscope_record goes to the AUX area of the
 * event's ring buffer.  What triggers is chosen in config, the timer if nothing
 * is; sample_period says which of the triggers are recorded:
 *
 *   timer	every sample_period nanoseconds that the event runs; with
 *		attr.freq, sample_freq times a second
 *   overflow	every sample_period counts of the event itself, the first time
 *		after that many at most; takes one counter more
 *   spe	every sample_period'th time that a piece of the CPU's SPE data
 *		ends: at a buffer management event (pmbsr bit 17, S), or where
 *		the event that profiles stops, as its task leaves the CPU
 *   request	every sample_period'th read(2) of the event, which must lead its
 *		group and have PERF_FORMAT_GROUP, or request of a BPF program
 *
 * The PMU pmu_external streams likewise what it captures of another CPU, by the timer
 * only, at the rate that sample_period or sample_freq gives: without either an event
 * counts.  Its records have a PC where caps/pc says so.
 *
 * A record that finds no room is dropped whole.  The next record says how many
 * are missing since the one before it, and its PERF_RECORD_AUX has
 * PERF_AUX_FLAG_PARTIAL; PERF_FORMAT_LOST has the sum of the event.  Periods of
 * the timer without a record are missing, too: it was late, or it had to rest
 * because its records took more than its share of the CPU.
 *
 * Records follow each other without gaps, each starts on a multiple of 8 bytes
 * and may wrap at the end of the area.  In snapshot mode (an AUX area mapped
 * read-only) the oldest record is cut: look for PMSCOPE_RECORD_MAGIC.  A reader
 * takes sizes and offsets from the record, not from these structures: later
 * versions only append members.
 */
#ifndef _UAPI_LINUX_PMSCOPE_H
#define _UAPI_LINUX_PMSCOPE_H

#include <linux/types.h>

/* perf_event_attr.config of a pmu_snapshot event */
#define PMSCOPE_SNAPSHOT_EVENT_MASK	0xffffULL	/* PMEVTYPER<n>.evtCount */
/* At most one of these */
#define PMSCOPE_SNAPSHOT_OVERFLOW	0x10000ULL
#define PMSCOPE_SNAPSHOT_SPE		0x20000ULL
#define PMSCOPE_SNAPSHOT_REQUEST	0x40000ULL
#define PMSCOPE_SNAPSHOT_TRIGGER_MASK	0x70000ULL
/* Records hold every counter that is enabled (needs CAP_PERFMON) */
#define PMSCOPE_SNAPSHOT_ALL		0x80000ULL
#define PMSCOPE_SNAPSHOT_CONFIG_MASK	0xfffffULL

/* The shortest sample_period of the timer */
#define PMSCOPE_TIMER_PERIOD_MIN	10000ULL

/* pmscope_record.trigger */
enum pmscope_trigger {
	PMSCOPE_TRIGGER_NONE,
	PMSCOPE_TRIGGER_TIMER,
	PMSCOPE_TRIGGER_OVERFLOW,
	PMSCOPE_TRIGGER_SPE,
	PMSCOPE_TRIGGER_READ,		/* request: read(2) */
	PMSCOPE_TRIGGER_BPF,		/* request: a BPF program */
	__PMSCOPE_TRIGGER_MAX
};

#define PMSCOPE_TRIGGER_MAX		(__PMSCOPE_TRIGGER_MAX - 1)

/* pmscope_record.backend */
enum pmscope_backend {
	PMSCOPE_BACKEND_NONE,
	PMSCOPE_BACKEND_HARDWARE,	/* PMSSCR_EL1.SS (FEAT_PMUv3_SS) */
	PMSCOPE_BACKEND_FROZEN,		/* PMCR_EL0.E cleared for the reading */
	PMSCOPE_BACKEND_EXTERNAL,	/* another CPU captured @cpu (pmu_external) */
	PMSCOPE_BACKEND_SKEWED,		/* another CPU read one after the other */
	__PMSCOPE_BACKEND_MAX
};

#define PMSCOPE_BACKEND_MAX		(__PMSCOPE_BACKEND_MAX - 1)

/*
 * pmscope_record.result: how the hardware capture ended.  Where it did not end
 * well the values are those of a frozen capture that followed it.
 */
enum pmscope_capture_result {
	PMSCOPE_CAPTURED,	/* also where no hardware capture was tried */
	PMSCOPE_PROHIBITED,	/* enabled but prohibited (Table D13-10) */
	PMSCOPE_DISABLED,	/* the request was ignored (Arm ARM D13.9) */
	PMSCOPE_TIMED_OUT,	/* PMSSCR_EL1.SS stayed 1 */
	PMSCOPE_RACED,		/* external captures kept overwriting it */
	PMSCOPE_NR_RESULTS
};

#define PMSCOPE_RECORD_MAGIC		0x53534d50U	/* "PMSS" */
#define PMSCOPE_RECORD_VERSION		1

/* pmscope_record.flags */
enum pmscope_record_flag {
	/*
	 * overflow: perf throttles the trigger until the next tick; timer: it
	 * had to rest, and some of @lost are periods of this rest
	 */
	PMSCOPE_RECORD_THROTTLED	= 1U << 0,
	/* pmbsr, pmbptr, aux_offset and aux_size are valid */
	PMSCOPE_RECORD_HAS_SPE		= 1U << 1,
	/* The SPE event has freeze=1, and the counters stood still since PMBSR.S */
	PMSCOPE_RECORD_SPE_FROZEN	= 1U << 2,
	/* pc is valid: there was one, and the event may see it */
	PMSCOPE_RECORD_HAS_PC		= 1U << 3,
	/* contextidr is valid; only where the event was opened with CAP_PERFMON */
	PMSCOPE_RECORD_HAS_CONTEXT	= 1U << 4,
	__PMSCOPE_RECORD_FLAGS_ALL	= PMSCOPE_RECORD_THROTTLED |
					  PMSCOPE_RECORD_HAS_SPE |
					  PMSCOPE_RECORD_SPE_FROZEN |
					  PMSCOPE_RECORD_HAS_PC |
					  PMSCOPE_RECORD_HAS_CONTEXT
};

/**
 * struct pmscope_record - one capture
 * @size: bytes of the whole record, a multiple of 8
 * @magic: PMSCOPE_RECORD_MAGIC
 * @version: PMSCOPE_RECORD_VERSION
 * @counters_at: bytes from the start of the record to its first counter
 * @counter_size: bytes from one struct pmscope_record_counter to the next
 * @nr_counters: how many there are
 * @trigger: enum pmscope_trigger
 * @backend: enum pmscope_backend
 * @result: enum pmscope_capture_result
 * @reserved: 0
 * @flags: enum pmscope_record_flag
 * @cpu: where it was captured
 * @pid: the process that ran there, as the event's owner sees it; 0 from outside
 * @tid: the thread
 * @reserved2: 0
 * @id: the event, as PERF_SAMPLE_ID has it
 * @time: the clock of the event (attr.use_clockid), as PERF_SAMPLE_TIME
 * @cntvct: CNTVCT_EL0 right after the capture
 * @stopped: CNTVCT_EL0 ticks for which a frozen capture kept the counters from
 *	counting
 * @pmsscr: PMSSCR_EL1 as the capture left it; 0 where it was not used
 * @lost: records of this event that are missing since the one before this
 * @cookie: what the BPF program passed
 * @pmbsr: for the spe trigger: PMBSR_EL1 when the SPE data ended
 * @pmbptr: PMBPTR_EL1 then, an address of the kernel's; 0 where the event was
 *	opened without CAP_PERFMON
 * @aux_offset: where, in the AUX area of the SPE event, the data that ended
 *	starts; as in PERF_RECORD_AUX
 * @aux_size: how much it is
 * @pc: of pmu_external: as PMPCSR has it: bits 55:0 the address of an instruction that
 *	was executed recently, 62:61 the Exception level, 63 NS
 * @contextidr: CONTEXTIDR of the kernel there then: a TID if it is built with
 *	PID_IN_CONTEXTIDR
 * @reserved3: 0
 */
struct pmscope_record {
	__u32 size;
	__u32 magic;
	__u16 version;
	__u16 counters_at;
	__u16 counter_size;
	__u16 nr_counters;
	__u8 trigger;
	__u8 backend;
	__u8 result;
	__u8 reserved;
	__u32 flags;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__u32 reserved2;
	__u64 id;
	__u64 time;
	__u64 cntvct;
	__u64 stopped;
	__u64 pmsscr;
	__u64 lost;
	__u64 cookie;
	__u64 pmbsr;
	__u64 pmbptr;
	__u64 aux_offset;
	__u64 aux_size;
	__u64 pc;
	__u32 contextidr;
	__u32 reserved3;
};

/* pmscope_record_counter.flags */
enum pmscope_counter_flag {
	/* It belongs to the event @id; without: another one, see ..._ALL */
	PMSCOPE_COUNTER_MEMBER		= 1U << 0,
	/* The event is not on the CPU: count is what it was when it left */
	PMSCOPE_COUNTER_STALE		= 1U << 1,
	__PMSCOPE_COUNTER_FLAGS_ALL	= PMSCOPE_COUNTER_MEMBER |
					  PMSCOPE_COUNTER_STALE
};

/**
 * struct pmscope_record_counter - one counter of a capture
 * @number: as in PMCNTENSET_EL0: event counters 0-30, cycles 31, instructions 32
 * @flags: enum pmscope_counter_flag
 * @reserved: 0
 * @type: PMEVTYPER<n>_EL0, PMCCFILTR_EL0 or PMICFILTR_EL0; 0 if stale
 * @value: the captured register; 0 if stale
 * @id: the event, as PERF_SAMPLE_ID has it; 0 without PMSCOPE_COUNTER_MEMBER
 * @count: what read(2) of the event returned at that moment (of an inherited
 *	event, its own part); 0 without PMSCOPE_COUNTER_MEMBER
 */
struct pmscope_record_counter {
	__u16 number;
	__u16 flags;
	__u32 reserved;
	__u64 type;
	__u64 value;
	__u64 id;
	__u64 count;
};

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
