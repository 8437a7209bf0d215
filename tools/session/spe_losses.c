// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "spe_losses.h"
#include "pmu.h"
#include "sysfs.h"

#include <inttypes.h>
#include <stdio.h>

/* The largest sysfs file, on kernels with the largest pages. */
#define MAX_PAGE 65536

/* File of stats/, and the words for people. */
static const struct {
	const char *file;
	const char *words;
} counts[PMSCOPE_SPE_COUNTS] = {
	[PMSCOPE_SPE_WINDOWS] = {"windows", "windows"},
	[PMSCOPE_SPE_BUFFER_FULL] = {"buffer_full", "filled up"},
	[PMSCOPE_SPE_NO_ROOM] = {"no_room", "without room in the buffer"},
	[PMSCOPE_SPE_COLLISIONS] = {"collisions", "with collisions"},
	[PMSCOPE_SPE_DATA_LOSS] = {"data_loss", "with lost data"},
	[PMSCOPE_SPE_EXTERNAL_ABORT] = {"external_abort",
					"with external aborts"},
	[PMSCOPE_SPE_FAULT_STAGE1] = {"fault_stage1", "stage 1 faults"},
	[PMSCOPE_SPE_FAULT_STAGE2] = {"fault_stage2", "stage 2 faults"},
	[PMSCOPE_SPE_FAULT_GPC] = {"fault_gpc", "granule protection faults"},
	[PMSCOPE_SPE_FAULT_IMPDEF] = {"fault_impdef",
				      "IMPLEMENTATION DEFINED faults"},
	[PMSCOPE_SPE_FAULT_TOO_LARGE] = {"fault_too_large",
					 "refusals by the hypervisor"},
	[PMSCOPE_SPE_FAULT_OTHER] = {"fault_other", "unknown faults"},
	[PMSCOPE_SPE_SPURIOUS] = {"spurious", "spurious interrupts"},
};

static void add_pmu(struct spe_losses *losses, const char *devices,
		    const char *pmu)
{
	char text[MAX_PAGE + 1];
	uint64_t total;

	for (int i = 0; i < PMSCOPE_SPE_COUNTS; i++) {
		sysfs_read(text, sizeof(text), "%s/%s/stats/%s", devices, pmu,
			   counts[i].file);
		if (sscanf(text, "total %" SCNu64, &total) != 1)
			continue;
		losses->count[i] += total;
		losses->valid = true;
	}
}

void spe_losses_read(struct spe_losses *losses, const char *devices)
{
	char pmu[PMSCOPE_PMU_NAME_MAX];

	*losses = (struct spe_losses){};
	for (unsigned int i = 0; !pmu_instance(devices, "arm_spe", i, pmu); i++)
		add_pmu(losses, devices, pmu);
}

void spe_losses_since(struct spe_losses *losses,
		      const struct spe_losses *before)
{
	for (int i = 0; i < PMSCOPE_SPE_COUNTS; i++)
		losses->count[i] -= before->count[i];
}

const char *spe_count_words(enum spe_count count)
{
	return counts[count].words;
}
