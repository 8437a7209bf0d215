/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Writes records for what exists before the recording starts: the kernel, its
 * modules, tasks and their mappings.
 */
#pragma once

#include "target.h"

#include <linux/perf_event.h>

/**
 * struct synth - options and output of the synthesis
 * @trailer: bytes of the sample_id after each record; filled with zeros
 * @data_maps: include mappings that are not executable
 * @ids: for internal use by synth_tasks()
 * @emit: takes a record, header.size bytes; returns 0 or -errno
 */
struct synth {
	size_t trailer;
	bool data_maps;
	struct named *ids;
	int (*emit)(void *context, const struct perf_event_header *record);
	void *context;
};

/*
 * MMAP of the kernel and of its modules. Emits nothing if kernel.kptr_restrict
 * hides the addresses. Returns 1; 0 if the addresses are hidden; a negative
 * result of emit.
 */
int synth_kernel(const struct synth *synth);

/*
 * Emits NAMESPACES of this process: TIDs in a recording belong to its PID
 * namespace. Returns 0 or the result of emit.
 */
int synth_namespaces(const struct synth *synth);

/* Emits CGROUP for each control group. Returns 0 or the result of emit. */
int synth_cgroups(const struct synth *synth);

/*
 * Emits MMAP2 for one line of /proc/PID/maps, for instance
 * "aaaa-bbbb r-xp 0 fe:01 123 /bin/ls", which is changed.
 */
int synth_map(const struct synth *synth, pid_t pid, pid_t tid, char *line);

/* Emits COMM and MMAP2 for the tasks of @target; all tasks if it is CPUs. */
int synth_tasks(const struct synth *synth, const struct target *target);
