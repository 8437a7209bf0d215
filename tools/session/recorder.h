/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * A recording: events that sample, or trace into an AUX area, from the kernel
 * into a perf.data.
 *
 * The order of calls: open, start_file, enable, drain whenever one of the
 * descriptors has data, disable, finish, free.
 */
#ifndef PMSCOPE_SESSION_RECORDER_H
#define PMSCOPE_SESSION_RECORDER_H

#include "error.h"
#include "event.h"
#include "target.h"

#include <poll.h>
#include <stdint.h>

/**
 * struct pmscope_recorder_rules - how events are opened
 * @data_size: of each ring, bytes, a power of two
 * @aux_size: of each AUX area, bytes, a power of two
 * @inherit: also record the threads and processes that tasks make
 * @on_exec: tasks are recorded from their next exec on, not from enable
 * @delayed: on_exec or pmscope_recorder_track() only start to record mappings
 *	     and names, pmscope_recorder_enable() all the rest later
 * @per_thread: a ring for each task, instead of one for each CPU; then
 *              nothing is inherited and records have no times, as perf has it
 * @data_maps: also record mappings that are not executable
 * @switches: record context switches, which traces without context packets
 *            need to know whose they are
 */
struct pmscope_recorder_rules {
	size_t data_size;
	size_t aux_size;
	bool inherit;
	bool on_exec;
	bool delayed;
	bool per_thread;
	bool data_maps;
	bool switches;
};

/**
 * struct pmscope_recorder_stats - what has been recorded, and what was lost
 * @samples: PERF_RECORD_SAMPLE
 * @aux_bytes: trace from AUX areas
 * @aux_buffers: PERF_RECORD_AUX
 * @lost: records that found no place in a ring
 * @truncated: AUX buffers cut short, for want of space or by a fault
 * @partial: AUX buffers with a record that is not whole
 * @collisions: AUX buffers in which samples collided
 * @throttled: times the kernel slowed down an event
 * @first, @last: perf clock, ns; 0 when no record had a time
 */
struct pmscope_recorder_stats {
	uint64_t samples;
	uint64_t aux_bytes;
	uint64_t aux_buffers;
	uint64_t lost;
	uint64_t truncated;
	uint64_t partial;
	uint64_t collisions;
	uint64_t throttled;
	uint64_t first;
	uint64_t last;
};

struct pmscope_recorder;

/**
 * pmscope_recorder_open() - open the events of @list, and one for mappings
 * @list: groups whose leader has sample_read are read whole at each of its
 *        samples; must outlive the recording
 *
 * A task that has ended meanwhile is left out where there are others.
 *
 * Where a kernel cannot inherit such a group (before 6.12), it follows only the
 * tasks of @target; see pmscope_recorder_inherits().
 *
 * Return: 0; -errno as pmscope_event_open() and mmap(2) have it; -ENODEV when
 * an event has no CPU at all.
 */
int pmscope_recorder_open(struct pmscope_recorder **recorder,
			  const struct pmscope_event_list *list,
			  const struct pmscope_target *target,
			  const struct pmscope_recorder_rules *rules,
			  struct pmscope_error *err);

/* False when inherit was asked for, and a group could not have it. */
bool pmscope_recorder_inherits(const struct pmscope_recorder *recorder);

/**
 * pmscope_recorder_start_file() - make the file, with what is known by now
 * @path: "-" is standard output; must outlive the recording
 * @argv: the command line, ended by NULL
 *
 * Return: 0, -errno.  1: done, but kernel.kptr_restrict hides where the kernel
 * is, so its samples will have no symbols.
 */
int pmscope_recorder_start_file(struct pmscope_recorder *recorder,
				const char *path, char *const *argv,
				struct pmscope_error *err);

/*
 * Begin with mappings and names, best before the file; with all; end. -errno,
 * and why.
 */
int pmscope_recorder_track(struct pmscope_recorder *recorder,
			   struct pmscope_error *err);
int pmscope_recorder_enable(struct pmscope_recorder *recorder,
			    struct pmscope_error *err);
int pmscope_recorder_disable(struct pmscope_recorder *recorder,
			     struct pmscope_error *err);

/* Gives the SPE events another sampling interval; -errno, and why. */
int pmscope_recorder_set_period(struct pmscope_recorder *recorder,
				uint64_t period, struct pmscope_error *err);

/* How many descriptors there are, and their entries for poll(2). */
size_t pmscope_recorder_nr_fds(const struct pmscope_recorder *recorder);
void pmscope_recorder_fill_fds(const struct pmscope_recorder *recorder,
			       struct pollfd *fds);

/* All tasks that it follows have ended, and with inherit their children. */
bool pmscope_recorder_has_ended(const struct pmscope_recorder *recorder);

/* Moves records from the kernel to the file; -errno, with a message. */
int pmscope_recorder_drain(struct pmscope_recorder *recorder,
			   struct pmscope_error *err);

/*
 * Completes the file, also where something could not be read any more; the
 * counts are final.  -errno, and why.
 */
int pmscope_recorder_finish(struct pmscope_recorder *recorder,
			    struct pmscope_error *err);

const struct pmscope_recorder_stats *
pmscope_recorder_stats(const struct pmscope_recorder *recorder);

/* Bytes written up to here. */
uint64_t pmscope_recorder_size(const struct pmscope_recorder *recorder);

void pmscope_recorder_free(struct pmscope_recorder *recorder);

#endif /* PMSCOPE_SESSION_RECORDER_H */
