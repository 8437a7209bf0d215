/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * A recording as one stream of samples in time order: SPE records and
 * snapshots, each with its CPU, thread and the mappings of that moment.
 *
 * The thread of an SPE record is the one in its CONTEXTIDR, if the kernel
 * writes that and the recording knows the thread. Otherwise it is the thread of
 * the area, or the last one switched to or, before any switch, the one for
 * which perf opened the area. CONTEXTIDR has numbers of the outermost PID
 * namespace. If the recording contains a thread of that namespace, such as
 * "kthreadd", unknown numbers are used too: the events about them were lost. If
 * it has PERF_RECORD_NAMESPACES and no thread is in that namespace, it was made
 * in another one: then CONTEXTIDR is used last, even if its number is known.
 */
#ifndef PMSCOPE_RECORDING_H
#define PMSCOPE_RECORDING_H

#include <pmscope/perfdata.h>
#include <pmscope/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMSCOPE_NO_ID UINT32_MAX

/**
 * struct pmscope_recording_options - how to read
 * @size: sizeof of this struct, as the caller knows it
 * @midr: MIDR_EL1 for CPUs whose value the recording does not have; 0: none
 * @raw: the data is bare SPE data, not a perf.data; its samples have no time
 *	 and no CPU, and for a thread the number in CONTEXTIDR
 * @progress: called each time some 64 MiB of the data were read, if not NULL;
 *	      it may call pmscope_input_release()
 * @context: for @progress
 * @shared: runs stay valid behind the next call, for other threads: see
 *	    PMSCOPE_CHANGES, and @last of struct pmscope_run
 * @ahead: how many threads will call pmscope_recording_ahead(); 0: none does
 * @brief: batches have what PMSCOPE_DECODE_BRIEF leaves
 * @skip_by_size: unknown packets are skipped as PMSCOPE_DECODE_SKIP_BY_SIZE
 *		  says, and their records kept
 * @chains: samples of other events that have a call chain are samples, too
 * @no_trace: there are no SPE samples, and no trace is read
 * @mappings: records of mappings (PERF_RECORD_MMAP and MMAP2) are samples, too
 * @more: the data is the beginning of a pipe's: reads some of what follows to
 *	  the bytes behind it, and returns how many; 0 at the end, or -errno.
 *	  May be NULL. It is called while the recording is opened and read
 * @done: with @more: the bytes before @offset are not needed any more; may be
 *	  NULL
 * @clocks: samples of clocks (cpu-clock, task-clock) that are neither groups
 *	    nor have a call chain are samples, too: chains of one address
 */
struct pmscope_recording_options {
	size_t size;
	uint64_t midr;
	bool raw;
	void (*progress)(void *context);
	void *context;
	bool shared;
	unsigned int ahead;
	bool brief;
	bool skip_by_size;
	bool chains;
	bool no_trace;
	bool mappings;
	int64_t (*more)(void *context);
	void (*done)(void *context, size_t offset);
	bool clocks;
};

enum pmscope_sample_kind {
	PMSCOPE_SAMPLE_SPE,	/* one sampled operation */
	PMSCOPE_SAMPLE_GROUP,	/* counters read together, for instance one
				   capture of pmu_snapshot */
	PMSCOPE_SAMPLE_CHAIN,	/* where a thread was, and who called that; only
				   with the option @chains or @clocks */
	PMSCOPE_SAMPLE_MAPPING, /* memory was mapped; only with the option
				   @mappings */
};

/**
 * struct pmscope_count - one counter of a group
 * @name: of its event, NULL when the recording does not tell
 * @attr: index of its event; -1 when unknown
 * @is_snapshot: the event is of pmu_snapshot
 * @id: sample identifier
 * @value: the count since the event was enabled
 */
struct pmscope_count {
	const char *name;
	int attr;
	bool is_snapshot;
	uint64_t id;
	uint64_t value;
};

/**
 * struct pmscope_sample - one sample
 * @kind: which of the members below are set
 * @time: perf clock, ns; 0 when not known (@has_time)
 * @cpu: or PMSCOPE_NO_ID
 * @pid: thread group, and next the thread; or PMSCOPE_NO_ID
 * @interval: SPE: the sampling interval. The sample stands for this number of
 *	      operations, including those that filters dropped; 0 when not known
 * @comm: name of the thread at that time, NULL when not known. Each name is at
 *	  one address, as long as the recording
 * @cgroup: the thread's control group, as its path in the hierarchy of perf, or
 *	    its number where the path is not known. It is that of the thread's
 *	    last sample of another event with PERF_SAMPLE_CGROUP, before its
 *	    first that of the first, and of a thread without any that of the
 *	    thread which started it; NULL when not known. Each name is at one
 *	    address
 * @midr: SPE: MIDR_EL1 of the CPU, 0 when not known; without variant and
 *	  revision where only CPUID tells it
 * @batch: SPE: the columns, and next the row in them; offsets are of the file
 * @counts: group: the counters, leader first
 * @nr_counts: how many
 * @time_enabled: group: ns the leader was enabled, and next was counting; 0
 *		  when not recorded
 * @is_snapshot: group: some counter is of pmu_snapshot
 * @is_total: group: no sample, but what was read when the recording ended, over
 *	      all threads that inherited the event
 * @is_base: group, with @is_total: the same of the moment when this file began,
 *	     if the recording has earlier files; samples and totals continue
 *	     from these counts
 * @record: group of a stream: the record it was made of, for
 *	    pmscope_stream_next(), and next its bytes; NULL for other groups.
 *	    Mapping: the record of perf, with its header. It stays as long as
 *	    the recording, or with the option more until the next call
 * @is_clock: group, chain: the event that sampled is a clock, so that each
 *	      sample stands for as much time
 * @ip: group, chain: the address of the code that ran; 0 when not recorded
 * @chain: chain: the address of the code that ran, then those to which it and
 *	   its callers return; without the PERF_CONTEXT_* markers between them
 * @nr_chain: how many
 */
struct pmscope_sample {
	enum pmscope_sample_kind kind;
	bool has_time;
	uint64_t time;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	uint32_t interval;
	const char *comm;
	const char *cgroup;
	uint64_t midr;
	const struct pmscope_batch *batch;
	size_t row;
	const struct pmscope_count *counts;
	size_t nr_counts;
	uint64_t time_enabled;
	uint64_t time_running;
	bool is_snapshot;
	bool is_total;
	bool is_base;
	const void *record;
	size_t record_size;
	const uint64_t *chain;
	size_t nr_chain;
	bool is_clock;
	uint64_t ip;
};

/**
 * struct pmscope_losses - what is not among the samples, and why
 * @lost_records: side-band records the kernel had no room for
 * @lost_samples: samples the kernel had no room for
 * @truncated: AUX records with PERF_AUX_FLAG_TRUNCATED: the buffer was full
 * @collisions: AUX records with PERF_AUX_FLAG_COLLISION: the SPU dropped
 *		samples because one was still under way
 * @partial: AUX records with PERF_AUX_FLAG_PARTIAL
 * @other_samples: samples of other events, which this library does not read;
 *		   those with a control group are read for that, and those of
 *		   clocks with the option clocks
 * @other_trace: bytes of trace that is not SPE's
 * @decode: see struct pmscope_decode_stats; offsets are of the file
 * @trace_errors: AUXTRACE_ERROR records: what the tool that wrote the file
 *		  could not decode itself
 * @unknown_records: records of kinds that are not known here, of a newer kernel
 *		     or perf, or damaged
 * @missing_trace: bytes of trace that are not in the file, between what is and,
 *		   in a file that is not cut, behind it, up to where AUX records
 *		   tell of some
 * @unread_mappings: processes that ran before, of whose mappings perf did not
 *		     read all in its time
 * @repeated_trace: bytes of trace that the snapshot before has, too: read once
 * @doubled_trace: bytes of trace that another of the same area has, too, at the
 *		   same offsets: read again, as perf does
 * @unread_chains: samples of other events with a call chain, which are read
 *		   only with the option chains; not in @other_samples
 * @late_samples: with the option more: samples that came behind ones that are
 *		  later, since the pipe had them so late
 * @lost_blocks: allocations, or ends of some, that programs had no room to note
 */
struct pmscope_losses {
	uint64_t lost_records;
	uint64_t lost_samples;
	uint64_t truncated;
	uint64_t collisions;
	uint64_t partial;
	uint64_t other_samples;
	uint64_t other_trace;
	struct pmscope_decode_stats decode;
	uint64_t trace_errors;
	uint64_t unknown_records;
	uint64_t missing_trace;
	uint64_t unread_mappings;
	uint64_t repeated_trace;
	uint64_t doubled_trace;
	uint64_t unread_chains;
	uint64_t late_samples;
	uint64_t lost_blocks;
};

/**
 * struct pmscope_around - addresses of which the same is true
 * @before: how many bytes before the address, and
 * @behind: how many behind it
 */
struct pmscope_around {
	uint64_t before;
	uint64_t behind;
};

/**
 * struct pmscope_place - what an address belongs to
 * @dso: name of the mapped file, of one longer than paths are the beginning;
 *	 NULL when nothing known is mapped there; of a @symbol "[bpf]" or
 *	 "[kernel.kallsyms]"
 * @build_id: of that file, or of the kernel where nothing known is mapped at an
 *	      address of the kernel's; @build_id_size is 0 when not known
 * @file_offset: of the address in that file; in the kernel's, the address
 * @kernel: the address is the kernel's (or a module's)
 * @pid: the process that mapped it, that of the sample or one that this was
 *	 forked from, and which may run another program by now;
 *	 PMSCOPE_NO_ID for the kernel
 * @jitdump: the file that the program which mapped it writes its generated
 *	     code to, or NULL; and
 * @time: of the sample by the clock of that file, CLOCK_MONOTONIC, in ns; 0:
 *	  not known, as without perf record -k CLOCK_MONOTONIC
 * @reference: kernel: a symbol of it, also of a module, and
 *	       @reference_address where it was, which tells where this boot had
 *	       put the kernel; NULL when not known
 * @symbol: its name, where the recording tells it itself (BPF programs,
 *	    trampolines), else NULL; and @symbol_offset from its start
 * @around: addresses whose place is the same but for the offsets, for as long
 *	    as pmscope_recording_version() is the same
 *
 * Strings stay until pmscope_recording_free(), the build-id until the next
 * call of pmscope_recording_next() or pmscope_recording_next_run(); of runs
 * that are shared, until the call behind PMSCOPE_CHANGES.
 */
struct pmscope_place {
	const char *dso;
	const uint8_t *build_id;
	size_t build_id_size;
	uint64_t file_offset;
	bool kernel;
	uint32_t pid;
	const char *jitdump;
	uint64_t time;
	const char *reference;
	uint64_t reference_address;
	const char *symbol;
	uint64_t symbol_offset;
	struct pmscope_around around;
};

struct pmscope_recording;

/**
 * pmscope_recording_open() - read all but the trace itself
 * @data: the recording; must stay as it is until pmscope_recording_free()
 * @size: bytes of @data
 * @options: or NULL
 * @recording: the new recording, also on -EBADMSG, for
 *	       pmscope_recording_error(), and to be freed then, too; NULL on
 *	       other errors
 *
 * A damaged recording opens, with what is before the damage. Traces that
 * simpleperf -z compressed go to an unnamed temporary file in $TMPDIR or /tmp.
 *
 * Of a pipe, some 64 MiB are read ahead, and more where its rounds
 * (FINISHED_ROUND) are larger, up to 256 MiB and one record with its data.
 * Samples that come so late that later ones were returned already are still
 * returned, with the threads and mappings of then; see the losses. What a pipe
 * has behind its first samples, such as build-ids, applies to later ones.
 *
 * Return: 0; -EBADMSG for what is no perf.data, or has a header that cannot be
 * read; -EINVAL for options this library does not know; -ENOMEM.
 */
PMSCOPE_API int
pmscope_recording_open(const uint8_t *data, size_t size,
		       const struct pmscope_recording_options *options,
		       struct pmscope_recording **recording);
PMSCOPE_API void pmscope_recording_free(struct pmscope_recording *recording);

/**
 * pmscope_recording_next() - the next sample in the order of time
 * @sample: filled in; what it points to is valid until the next call
 *
 * Samples of one AUX area come in the order of the file, whatever their times:
 * one that is earlier than those before it directly behind them. One whose time
 * is not known comes with the one before it; where an area begins with such,
 * with the first behind them that has a time. An area that has none in its
 * first thousand records and its share of another million, of all areas, comes
 * after the others. Events with the times of another clock (perf record -k) are
 * due together with the SPE records of the same moment, but keep their time.
 *
 * An SPE record that is split across consecutive AUXTRACE records is one
 * sample. If several snapshots (perf record -S) contain the same part of a
 * ring, it is read once, provided its records have timestamps, but it is in
 * each of their traces.
 *
 * Return: 1; 0 at the end; -ENOMEM, and again from every later call.
 */
PMSCOPE_API int pmscope_recording_next(struct pmscope_recording *recording,
				       struct pmscope_sample *sample);

/**
 * struct pmscope_run - SPE samples of one CPU between two side-band events
 * @batch: the columns
 * @first: row of the first sample, and next behind the last one
 * @area: of pmscope_recording_areas(), from 0 on
 * @cpu: of all samples, or PMSCOPE_NO_ID
 * @tid: thread the trace is of, or PMSCOPE_NO_ID
 * @running: thread that was last switched to on the CPU; before any switch the
 *	     one that the area was opened for; or PMSCOPE_NO_ID
 * @due: the latest time of the area up to the first sample, or, where none is
 *	 known, the first behind it, perf's clock; UINT64_MAX when it has none,
 *	 or not soon. Of a group that has a time, that as SPE's clock has it
 * @midr: MIDR_EL1 of the CPU, 0 when not known
 * @epoch: runs with the same number see the same threads and mappings
 * @last: with the option @shared: no run behind this one is of its batch, which
 *	  is the caller's from then on, to pmscope_batch_free() or
 *	  pmscope_recording_reuse() when all its runs are done with
 * @interval: operations for each sample: the interval of sampling; 0 when not
 *	      known. A run ends where it changes
 * @group: instead of all that but @due and @epoch: one sample of kind
 *	   PMSCOPE_SAMPLE_GROUP, PMSCOPE_SAMPLE_CHAIN or
 *	   PMSCOPE_SAMPLE_MAPPING; else NULL
 * @broken: since the run before it of the area, a thread was switched to or
 *	    from on the CPU, or samples were lost since the buffer was full
 */
struct pmscope_run {
	const struct pmscope_batch *batch;
	size_t first;
	size_t end;
	uint32_t area;
	uint32_t cpu;
	uint32_t tid;
	uint32_t running;
	uint64_t due;
	uint64_t midr;
	uint64_t epoch;
	bool last;
	uint32_t interval;
	const struct pmscope_sample *group;
	bool broken;
};

/* What pmscope_recording_next_run() returns in place of a run. */
#define PMSCOPE_CHANGES 2

/**
 * pmscope_recording_next_run() - the next samples, many at once
 * @in_order: end a run where a sample of another CPU is due; without it, for
 *	      sums, runs are longer: samples still come before all later
 *	      changes of threads and mappings, but in no order among CPUs
 * @run: filled in; what it points to is valid until the next call; with the
 *	 option @shared only @group is, and its batch stays
 *
 * Not to be mixed with pmscope_recording_next(), and much faster. To put runs
 * in the order of time across CPUs, sort their rows by the area and the times
 * at which they are due.
 *
 * Return: as pmscope_recording_next(). With the option @shared also
 * PMSCOPE_CHANGES: no run, but the next call begins another epoch. All threads
 * must be done with all runs before that call.
 */
PMSCOPE_API int pmscope_recording_next_run(struct pmscope_recording *recording,
					   bool in_order,
					   struct pmscope_run *run);

/*
 * Returns the batch of a run with @last, to be filled again; called by the
 * thread that asks for runs.
 */
PMSCOPE_API void pmscope_recording_reuse(struct pmscope_recording *recording,
					 struct pmscope_batch *batch);

/**
 * pmscope_recording_ahead() - decode some of what will be needed soon
 * @recording: opened with an option that says how many threads call this
 *
 * May be called from many threads at once, also while another takes samples,
 * which are the same with it and without. It waits for nobody.
 *
 * Return: how many bytes it decoded, some ten or hundred thousand; 0 when there
 * is nothing to decode: before the first sample is taken, when enough is
 * decoded already, or all, or where there are very many AUX areas.
 */
PMSCOPE_API size_t pmscope_recording_ahead(struct pmscope_recording *recording);

/*
 * The number of AUX areas with SPE data, one per recorded CPU or thread,
 * numbered in the order of the file. If samples are due at the same time, the
 * area with the smaller number comes first.
 */
PMSCOPE_API size_t
pmscope_recording_areas(const struct pmscope_recording *recording);

/**
 * struct pmscope_intervals - the sampling intervals of SPE, in operations
 * @least: of all, and next the largest; 0 when not known
 * @changes: how often the recorder changed that of a CPU
 */
struct pmscope_intervals {
	uint64_t least;
	uint64_t most;
	uint64_t changes;
};

/*
 * The intervals of the whole recording. Those of areas without trace, and in
 * recordings of per-thread areas changes, are not known.
 */
PMSCOPE_API void
pmscope_recording_intervals(const struct pmscope_recording *recording,
			    struct pmscope_intervals *intervals);

/**
 * pmscope_recording_time() - ticks of the generic timer in perf's clock
 * @ticks: of a timestamp
 * @ns: set on success
 *
 * Return: false when the recording has no way to tell.
 */
PMSCOPE_API bool
pmscope_recording_time(const struct pmscope_recording *recording,
		       uint64_t ticks, uint64_t *ns);

/**
 * pmscope_recording_times() - many ticks in perf's clock
 * @ticks: of @nr timestamps
 * @nr: how many
 * @ns: set, each of them, on success
 *
 * Return: false when the recording has no way to tell, and @nr is not 0.
 */
PMSCOPE_API bool
pmscope_recording_times(const struct pmscope_recording *recording,
			const uint64_t *ticks, size_t nr, uint64_t *ns);

/*
 * A sample of a run of the newest epoch, with its thread, as
 * pmscope_recording_next(); of a run of a group, whatever the row, that group.
 * This, and all else here that takes a const recording, but
 * pmscope_recording_losses(), may be called from many threads at once, also
 * while another one asks for the next run; see PMSCOPE_CHANGES.
 */
PMSCOPE_API void
pmscope_recording_run_sample(const struct pmscope_recording *recording,
			     const struct pmscope_run *run, size_t row,
			     struct pmscope_sample *sample);

/**
 * pmscope_recording_place() - what an address was at the time of a sample
 * @sample: the newest sample of pmscope_recording_next(), or one of a run
 * @address: a canonical address
 * @place: filled in
 */
PMSCOPE_API void
pmscope_recording_place(const struct pmscope_recording *recording,
			const struct pmscope_sample *sample, uint64_t address,
			struct pmscope_place *place);

/* The most addresses of a call chain */
#define PMSCOPE_CALLERS_MAX 16

/**
 * struct pmscope_block - memory that a program allocated
 * @start: its first byte
 * @size: in bytes, as the program asked for it
 * @site: number of the call chain; with the process's mappings, it tells where
 * @callers: addresses to which the allocator and its callers return, the newest
 *	     first, as long as the recording; NULL: not known
 * @nr_callers: how many, PMSCOPE_CALLERS_MAX at most
 */
struct pmscope_block {
	uint64_t start;
	uint64_t size;
	uint32_t site;
	const uint64_t *callers;
	size_t nr_callers;
};

/**
 * pmscope_recording_read_blocks() - also read allocations (pmscope record
 * --heap)
 * @recording: the recording, before its first sample
 *
 * In memory are those that live, and some of the next ones: 40 bytes for each.
 */
PMSCOPE_API void
pmscope_recording_read_blocks(struct pmscope_recording *recording);

/**
 * pmscope_recording_block() - what block an address was in, when it was sampled
 * @sample: as of pmscope_recording_place()
 * @address: a canonical address
 * @block: filled in
 *
 * A forked process has the blocks of its parent. Of blocks within another, as
 * in memory that a program maps and manages itself, it is the innermost.
 *
 * Return: false if none is known.
 */
PMSCOPE_API bool
pmscope_recording_block(const struct pmscope_recording *recording,
			const struct pmscope_sample *sample, uint64_t address,
			struct pmscope_block *block);

/**
 * pmscope_recording_place_below() - the file that is mapped below an address
 * @sample: as of pmscope_recording_place()
 * @address: a canonical address
 * @place: filled in: of that file, as if it went on up to @address
 *
 * A program's .bss is memory of no file, right behind its data. Whether an
 * address is in it, pmscope_symbols_find_data() knows.
 *
 * Return: false when a file is mapped at @address itself, or nothing is, or
 * there is no file right below.
 */
PMSCOPE_API bool
pmscope_recording_place_below(const struct pmscope_recording *recording,
			      const struct pmscope_sample *sample,
			      uint64_t address, struct pmscope_place *place);

/**
 * pmscope_recording_version() - of what a process has mapped, so far
 * @pid: the process, or PMSCOPE_NO_ID for the kernel
 *
 * Where two samples of a process have the same version the places of all its
 * addresses are the same. For runs, as pmscope_recording_place().
 *
 * Return: a number; another one after each change.
 */
PMSCOPE_API uint64_t pmscope_recording_version(
	const struct pmscope_recording *recording, uint32_t pid);

/*
 * The error in the file, in one line; "" if there is none. Damaged SPE trace is
 * counted in the losses.
 */
PMSCOPE_API const char *
pmscope_recording_error(const struct pmscope_recording *recording);

/*
 * Complete after pmscope_recording_next(), or next_run(), returned 0; until
 * then it grows with each call.
 */
PMSCOPE_API const struct pmscope_losses *
pmscope_recording_losses(const struct pmscope_recording *recording);

/**
 * pmscope_recording_cpu() - a CPU with SPE that the recording lists
 * @index: from 0 on, in the order of the file
 * @cpu: set to its number
 * @midr: set to its MIDR_EL1, 0 when not known
 *
 * Return: false from the number of such CPUs on. Recordings in which all CPUs
 * are alike may list none; see PMSCOPE_FEATURE_CPUID.
 */
PMSCOPE_API bool
pmscope_recording_cpu(const struct pmscope_recording *recording, size_t index,
		      uint32_t *cpu, uint64_t *midr);

/**
 * pmscope_recording_event_filter() - the events that the SPU of a CPU tells
 * @cpu: or PMSCOPE_NO_ID, of samples whose CPU is not known
 *
 * Return: those that it can filter by, bits as of the Events packet; 0 when the
 * recording does not tell, or not for a CPU that is not known.
 */
PMSCOPE_API uint64_t pmscope_recording_event_filter(
	const struct pmscope_recording *recording, uint32_t cpu);

/*
 * Total bytes of SPE trace; bytes in several snapshots count once.
 * losses->decode.bytes is the progress.
 */
PMSCOPE_API uint64_t
pmscope_recording_trace_size(const struct pmscope_recording *recording);

/* The reader, for the events and the features; NULL for raw data. */
PMSCOPE_API const struct pmscope_perfdata *
pmscope_recording_perfdata(const struct pmscope_recording *recording);

/**
 * struct pmscope_trace - the trace one AUXTRACE record carries
 * @data: the bytes; of one that simpleperf compressed what was
 * @size: how many
 * @file_offset: of the AUXTRACE record, and next of @data; 0 for raw data
 * @offset: of the trace in its AUX area
 * @reference: what perf numbered the trace with
 * @index: of the AUX area
 * @cpu: or PMSCOPE_NO_ID
 * @tid: or PMSCOPE_NO_ID
 * @midr: MIDR_EL1 of the CPU, 0 when not known
 */
struct pmscope_trace {
	const uint8_t *data;
	size_t size;
	uint64_t file_offset;
	uint64_t data_offset;
	uint64_t offset;
	uint64_t reference;
	uint32_t index;
	uint32_t cpu;
	uint32_t tid;
	uint64_t midr;
};

/* The SPE traces, in the order of the file; false from their number on. */
PMSCOPE_API size_t
pmscope_recording_nr_traces(const struct pmscope_recording *recording);
PMSCOPE_API bool
pmscope_recording_trace(const struct pmscope_recording *recording, size_t index,
			struct pmscope_trace *trace);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_RECORDING_H */
