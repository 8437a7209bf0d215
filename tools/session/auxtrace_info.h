/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Describes the trace of a recording: the CPUs with SPE, and their types. */
#ifndef PMSCOPE_SESSION_AUXTRACE_INFO_H
#define PMSCOPE_SESSION_AUXTRACE_INFO_H

#include "cpulist.h"

#include <pmscope/writer.h>

/* An SPE PMU, as perf numbers it, and its CPUs. */
struct pmscope_spe_pmu {
	uint32_t type;
	const struct pmscope_cpulist *cpus;
};

/**
 * pmscope_auxtrace_cpus() - CPUs of SPE PMUs that tell what they are
 * @pmus: of the recording, @nr of them
 * @folder: PMSCOPE_CPUS, or another of that form
 * @nr_cpus: how many there are; as many as pmscope_writer_spe() takes
 *
 * Return: the CPUs, for free(); NULL when memory is short.
 */
struct pmscope_written_cpu *
pmscope_auxtrace_cpus(const struct pmscope_spe_pmu *pmus, size_t nr,
		      const char *folder, size_t *nr_cpus);

#endif /* PMSCOPE_SESSION_AUXTRACE_INFO_H */
