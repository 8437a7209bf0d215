// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "auxtrace_info.h"
#include "sysfs.h"

static size_t count_cpus(const struct spe_pmu *pmus, size_t nr)
{
	size_t cpus = 0;

	for (size_t i = 0; i < nr; i++)
		cpus += pmus[i].cpus->nr;
	return cpus;
}

struct pmscope_written_cpu *auxtrace_cpus(const struct spe_pmu *pmus, size_t nr,
					  const char *folder, size_t *nr_cpus)
{
	struct pmscope_written_cpu *cpus =
		calloc(count_cpus(pmus, nr) + 1, sizeof(*cpus));

	*nr_cpus = 0;
	for (size_t i = 0; cpus && i < nr; i++) {
		for (size_t j = 0; j < pmus[i].cpus->nr; j++) {
			int cpu = pmus[i].cpus->cpu[j];
			uint64_t midr = sysfs_midr(folder, cpu);

			if (!midr || *nr_cpus == PMSCOPE_WRITER_CPUS_MAX)
				continue;
			cpus[(*nr_cpus)++] = (struct pmscope_written_cpu){
				.midr = midr,
				.cpu = cpu,
				.pmu_type = pmus[i].type,
			};
		}
	}
	return cpus;
}
