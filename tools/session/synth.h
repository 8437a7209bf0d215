/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Writes records for what exists before the recording starts: the kernel, its
 * modules, tasks and their mappings.
 */
#ifndef PMSCOPE_SESSION_SYNTH_H
#define PMSCOPE_SESSION_SYNTH_H

#include "target.h"

#include <linux/perf_event.h>

/**
 * struct pmscope_synth - where the records go
 * @trailer: bytes of the sample_id that records end with; it will be zeros
 * @data_maps: also mappings that are not executable
 * @ids: of pmscope_synth_tasks() itself
 * @emit: takes a record, header.size bytes; returns 0 or -errno
 */
struct pmscope_synth {
	size_t trailer;
	bool data_maps;
	struct named *ids;
	int (*emit)(void *context, const struct perf_event_header *record);
	void *context;
};

/**
 * pmscope_synth_kernel() - MMAP of the kernel and of its modules
 *
 * Nothing is emitted where kernel.kptr_restrict hides the addresses.
 *
 * Return: 1, 0 when the addresses are hidden, what emit returned below 0.
 */
int pmscope_synth_kernel(const struct pmscope_synth *synth);

/*
 * NAMESPACES of this process: whose numbers the tasks of a recording have. 0,
 * or what emit returned.
 */
int pmscope_synth_namespaces(const struct pmscope_synth *synth);

/* COMM and MMAP2 of the tasks of @target: all that run, for CPUs. */
int pmscope_synth_tasks(const struct pmscope_synth *synth,
			const struct pmscope_target *target);

#endif /* PMSCOPE_SESSION_SYNTH_H */
