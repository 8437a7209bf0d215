/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Describes the CPUs with SPE for AUXTRACE_INFO. */
#pragma once

#include "cpulist.h"

#include <pmscope/writer.h>

/* The type (attr.type) and the CPUs of an SPE PMU. */
struct spe_pmu {
	uint32_t type;
	const struct cpulist *cpus;
};

/**
 * auxtrace_cpus() - CPUs of SPE PMUs whose MIDR_EL1 is readable
 * @pmus: the @nr SPE PMUs of the recording
 * @folder: PMSCOPE_CPUS, or another folder of that form
 * @nr_cpus: number of CPUs; at most what pmscope_writer_spe() accepts
 *
 * Return: the CPUs, to be freed with free(); NULL if out of memory.
 */
struct pmscope_written_cpu *auxtrace_cpus(const struct spe_pmu *pmus, size_t nr,
					  const char *folder, size_t *nr_cpus);
