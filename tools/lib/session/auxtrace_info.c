// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "auxtrace_info.h"
#include "sysfs.h"

#include <pmscope/perfdata.h>

#include <stdlib.h>

/* The trace in AUXTRACE records is of this kind, as perf numbers them. */
#define AUXTRACE_ARM_SPE 4

/* Words of version 1, and of the head of version 2 (perf, util/arm-spe.h). */
enum {
	V1_PMU_TYPE,
	V1_PER_CPU,
	V1_WORDS
};
enum {
	V2_VERSION,
	V2_HEAD_WORDS,
	V2_PMU_TYPE,
	V2_CPUS,
	V2_WORDS
};
/* Then for each CPU; the parameters are those from MIDR on. */
enum {
	CPU_MAGIC,
	CPU_NUMBER,
	CPU_PARAMS,
	CPU_MIDR,
	CPU_PMU_TYPE,
	CPU_MIN_INTERVAL,
	CPU_WORDS
};

#define VERSION	  2
#define MAGIC	  UINT64_C(0x1010101010101010)
#define MAX_WORDS ((UINT16_MAX - sizeof(struct record)) / sizeof(uint64_t))

struct record {
	struct perf_event_header header;
	uint32_t type;
	uint32_t reserved;
	uint64_t word[];
};

/* Returns the words of all CPUs at @word. */
static size_t fill_cpus(uint64_t *word, const struct pmscope_spe_pmu *pmus,
			size_t nr, const char *folder)
{
	size_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < pmus[i].cpus->nr; j++) {
			int cpu = pmus[i].cpus->cpu[j];
			uint64_t midr = pmscope_sysfs_midr(folder, cpu);

			if (!midr || V2_WORDS + at + CPU_WORDS > MAX_WORDS)
				continue;
			word[at + CPU_MAGIC] = MAGIC;
			word[at + CPU_NUMBER] = cpu;
			word[at + CPU_PARAMS] = CPU_WORDS - CPU_MIDR;
			word[at + CPU_MIDR] = midr;
			word[at + CPU_PMU_TYPE] = pmus[i].type;
			word[at + CPU_MIN_INTERVAL] = 0; /* not told */
			at += CPU_WORDS;
		}
	}
	return at;
}

static bool are_alike(const uint64_t *cpus, size_t words)
{
	for (size_t at = 0; at < words; at += CPU_WORDS)
		if (cpus[at + CPU_MIDR] != cpus[CPU_MIDR])
			return false;
	return true;
}

static size_t nr_cpus(const struct pmscope_spe_pmu *pmus, size_t nr)
{
	size_t cpus = 0;

	for (size_t i = 0; i < nr; i++)
		cpus += pmus[i].cpus->nr;
	return cpus;
}

struct perf_event_header *
pmscope_auxtrace_info(const struct pmscope_spe_pmu *pmus, size_t nr,
		      bool per_cpu, const char *folder)
{
	size_t room = V2_WORDS + nr_cpus(pmus, nr) * CPU_WORDS, words;
	struct record *record =
		calloc(1, sizeof(*record) + room * sizeof(uint64_t));
	uint64_t *cpus;

	if (!record)
		return NULL;
	cpus = record->word + V2_WORDS;
	words = fill_cpus(cpus, pmus, nr, folder);
	if (are_alike(cpus, words)) {
		record->word[V1_PMU_TYPE] = pmus[0].type;
		record->word[V1_PER_CPU] = per_cpu;
		words = V1_WORDS;
	} else {
		record->word[V2_VERSION] = VERSION;
		record->word[V2_HEAD_WORDS] = V2_WORDS;
		record->word[V2_PMU_TYPE] = pmus[0].type;
		record->word[V2_CPUS] = words / CPU_WORDS;
		words += V2_WORDS;
	}
	record->type = AUXTRACE_ARM_SPE;
	record->header.type = PMSCOPE_RECORD_AUXTRACE_INFO;
	record->header.size = sizeof(*record) + words * sizeof(uint64_t);
	return &record->header;
}
