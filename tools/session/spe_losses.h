/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The counters of pmscope's SPE driver, from the folder stats/ of its PMUs.
 */
#ifndef PMSCOPE_SESSION_SPE_LOSSES_H
#define PMSCOPE_SESSION_SPE_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are printed. */
enum spe_count {
	PMSCOPE_SPE_WINDOWS,
	PMSCOPE_SPE_BUFFER_FULL,
	PMSCOPE_SPE_NO_ROOM,
	PMSCOPE_SPE_COLLISIONS,
	PMSCOPE_SPE_DATA_LOSS,
	PMSCOPE_SPE_EXTERNAL_ABORT,
	PMSCOPE_SPE_FAULT_STAGE1,
	PMSCOPE_SPE_FAULT_STAGE2,
	PMSCOPE_SPE_FAULT_GPC,
	PMSCOPE_SPE_FAULT_IMPDEF,
	PMSCOPE_SPE_FAULT_TOO_LARGE,
	PMSCOPE_SPE_FAULT_OTHER,
	PMSCOPE_SPE_SPURIOUS,
	PMSCOPE_SPE_COUNTS
};

/**
 * struct spe_losses - counts over all CPUs and all PMUs
 * @valid: at least one PMU has these counters
 */
struct spe_losses {
	uint64_t count[PMSCOPE_SPE_COUNTS];
	bool valid;
};

/* Reads the counters; @devices as for pmu_open(). */
void spe_losses_read(struct spe_losses *losses, const char *devices);

/* Subtracts @before from @losses. */
void spe_losses_since(struct spe_losses *losses,
		      const struct spe_losses *before);

/* The text to print after a count: "windows", "stage 1 faults". */
const char *spe_count_words(enum spe_count count);

#endif /* PMSCOPE_SESSION_SPE_LOSSES_H */
