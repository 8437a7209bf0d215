/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "event.h"
#include "system.h"
#include "target.h"

#include <poll.h>

/*
 * Allocations of programs that this process starts: shares memory with the
 * library that is preloaded into them, and reads what it notes.
 */

struct heap_stats {
	uint64_t blocks; /* allocations */
	uint64_t lost;	 /* allocations and frees without room in a ring */
};

struct heap;

/*
 * Makes the memory. @least: bytes of the smallest allocation to note. -errno
 * with @err, as when the library is not installed.
 */
int heap_open(struct heap **heap, uint64_t least, struct pmscope_error *err);

/* Whatever is started between these preloads the library. -ENOMEM */
int heap_preload(struct heap *heap);
void heap_preload_end(struct heap *heap);

/*
 * Hands what is new to @write: words as in base/record.h, without the
 * first, and the time of the first of them, in ticks. Returns 0 or what @write
 * returns.
 */
int heap_drain(struct heap *heap,
	       int (*write)(void *context, const uint64_t *words, size_t nr,
			    uint64_t ticks),
	       void *context);

const struct heap_stats *heap_stats(const struct heap *heap);

/* Nothing more is noted. */
void heap_free(struct heap *heap);

/*
 * Records events that sample, or that trace into an AUX area, into a perf.data
 * file.
 *
 * The order of calls: open, start_file, enable, drain whenever one of the
 * descriptors has data, disable, finish, free.
 */

/* How events are opened */
struct recorder_rules {
	size_t data_size;	/* bytes of each ring, a power of two */
	size_t aux_size;	/* bytes of each AUX area, a power of two */
	uint32_t aux_watermark; /* bytes that wake it; 0: half of the area */
	bool inherit;		/* also threads and processes that tasks make */
	bool on_exec;		/* tasks are recorded from their next exec on */
	/*
	 * on_exec or recorder_track() only start recording mappings and names;
	 * recorder_enable() starts everything else
	 */
	bool delayed;
	/*
	 * one ring per task instead of one per CPU; as in perf, nothing is
	 * inherited then, and records have no times
	 */
	bool per_thread;
	bool data_maps; /* also record mappings that are not executable */
	/* context switches, to tell the thread of trace without Context */
	bool switches;
	bool cgroups;	    /* of each thread, and the paths of groups */
	bool several_files; /* recorder_switch() may be called */
	bool whole_file;    /* compress all of it, not only records */
	int compression;    /* level of zstd; 0: the file is not compressed */
	bool count;	    /* samples in the trace: struct recorder_area */
	bool follows;	    /* a new interval, which is recorded */
	/* operations that SPE adds at random (mean); intervals include it */
	uint32_t jitter;
	/*
	 * a flight recorder: the file gets only the trace of
	 * recorder_snapshot(), the newest of each AUX area
	 */
	bool overwrite;
	struct heap *heap; /* allocations of programs; NULL: none */
};

/*
 * What has been recorded, and what was lost. @first, @last: perf clock, ns; 0
 * when no record had a time.
 */
struct recorder_stats {
	uint64_t samples;     /* PERF_RECORD_SAMPLE */
	uint64_t aux_bytes;   /* trace from AUX areas */
	uint64_t aux_buffers; /* PERF_RECORD_AUX */
	uint64_t overwritten; /* bytes, before a snapshot */
	uint64_t lost;	      /* records lost because a ring was full */
	uint64_t truncated;   /* AUX buffers: no space, or a fault */
	uint64_t partial;     /* AUX buffers with an incomplete record */
	uint64_t collisions;  /* AUX buffers in which samples collided */
	uint64_t throttled;   /* times the kernel slowed down an event */
	uint64_t first;
	uint64_t last;
};

struct recorder;

/*
 * Opens the events of @list, and one for mappings. @list: if a leader has
 * sample_read, each of its samples reads the whole group; must outlive the
 * recording. Skips tasks that have ended meanwhile, unless all have. Kernels
 * before 6.12 cannot inherit a group with sample_read: it follows only the
 * tasks of @target; see recorder_inherits(). Returns 0; -errno as from
 * event_open() and mmap(2); -ENODEV if an event has no CPU.
 */
int recorder_open(struct recorder **recorder, const struct event_list *list,
		  const struct target *target,
		  const struct recorder_rules *rules,
		  struct pmscope_error *err);

/* Returns false if inherit was requested but a group could not be inherited. */
bool recorder_inherits(const struct recorder *recorder);

/*
 * Creates the file and writes its header. @path: "-" is standard output; must
 * outlive the recording. @argv: the command line, ended by NULL. Returns 0,
 * -errno.  1: done, but kernel.kptr_restrict hides the address of the kernel,
 * so its samples will have no symbols.
 */
int recorder_start_file(struct recorder *recorder, const char *path,
			char *const *argv, struct pmscope_error *err);

/*
 * Completes the file, and goes on in a new one. The file must have been
 * renamed: the new one has its path. Each file is whole by itself: it begins
 * with the tasks and mappings that exist, and the events go on meanwhile. Every
 * record is in one of the files; mappings that appear during the call are in
 * both. Returns as recorder_start_file().
 */
int recorder_switch(struct recorder *recorder, char *const *argv,
		    struct pmscope_error *err);

/*
 * Start recording mappings and names (best before the file is started); start
 * all events; stop. Return 0, or -errno with @err set.
 */
int recorder_track(struct recorder *recorder, struct pmscope_error *err);
int recorder_enable(struct recorder *recorder, struct pmscope_error *err);
int recorder_disable(struct recorder *recorder, struct pmscope_error *err);

/*
 * Stops or starts events while recording; mappings and names are recorded all
 * the time.  @name: of one event, as in the list; NULL: of all.  Returns 0, or
 * -errno with @err set, -ENOENT for a name that no event has.
 */
int recorder_switch_events(struct recorder *recorder, const char *name, bool on,
			   struct pmscope_error *err);

/* An AUX area of SPE */
struct recorder_area {
	int cpu;	   /* CPU of the area, or -1 */
	uint64_t interval; /* sampling interval of its events, operations */
	uint64_t samples;  /* in its trace so far, with @count */
};

/* The area of a descriptor of recorder_fill_fds(); false: no SPE trace. */
bool recorder_area(const struct recorder *recorder, size_t index,
		   struct recorder_area *area);

/*
 * Changes the sampling interval of an area. @index: of recorder_area().
 * @interval: for its SPE events; the same as before: only moves the trace that
 * there is to the file, which is otherwise read when the kernel has filled a
 * part of the area. The events stop for the change, so that each sample is
 * before or behind it. The file tells it if @rules follows and records have
 * times. Returns 0; -errno with @err set.
 */
int recorder_set_interval(struct recorder *recorder, size_t index,
			  uint64_t interval, struct pmscope_error *err);

/* The same for all areas. */
int recorder_set_intervals(struct recorder *recorder, uint64_t interval,
			   struct pmscope_error *err);

/* With the rule @overwrite: writes the present trace; -errno with @err. */
int recorder_snapshot(struct recorder *recorder, struct pmscope_error *err);

/* The number of descriptors, and their entries for poll(2). */
size_t recorder_nr_fds(const struct recorder *recorder);
void recorder_fill_fds(const struct recorder *recorder, struct pollfd *fds);

/* If all tasks of a ring have ended, poll(2) would always return at once. */
void recorder_drop_ended(struct pollfd *fds, size_t nr);

/* Have all followed tasks ended (with inherit, their children, too)? */
bool recorder_has_ended(const struct recorder *recorder);

/* Moves records from the kernel to the file; -errno with @err set. */
int recorder_drain(struct recorder *recorder, struct pmscope_error *err);

/* Completes the file, even after errors; then stats are final. -errno, @err. */
int recorder_finish(struct recorder *recorder, struct pmscope_error *err);

const struct recorder_stats *recorder_stats(const struct recorder *recorder);

/* The number of bytes written to this file so far, and to all files. */
uint64_t recorder_size(const struct recorder *recorder);
uint64_t recorder_total_size(const struct recorder *recorder);

void recorder_free(struct recorder *recorder);
