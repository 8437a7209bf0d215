/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* PERF_RECORD_AUXTRACE_INFO of SPE: whose trace a recording has. */
#ifndef PMSCOPE_SESSION_AUXTRACE_INFO_H
#define PMSCOPE_SESSION_AUXTRACE_INFO_H

#include "cpulist.h"

#include <linux/perf_event.h>
#include <stdint.h>

/* An SPE PMU, as perf numbers it, and its CPUs. */
struct pmscope_spe_pmu {
	uint32_t type;
	const struct pmscope_cpulist *cpus;
};

/**
 * pmscope_auxtrace_info() - make the record
 * @pmus: of the recording, @nr of them, one at least
 * @per_cpu: each CPU has an AUX area, not each thread
 * @folder: PMSCOPE_CPUS, or another of that form
 *
 * Where the CPUs are not all alike it is of version 2, which has MIDR_EL1 of
 * each; else of version 1, the only one that perf before 6.13 reads.
 *
 * Return: the record, for free(); NULL when memory is short.
 */
struct perf_event_header *
pmscope_auxtrace_info(const struct pmscope_spe_pmu *pmus, size_t nr,
		      bool per_cpu, const char *folder);

#endif /* PMSCOPE_SESSION_AUXTRACE_INFO_H */
