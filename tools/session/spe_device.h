/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The SPE devices described by firmware, and the drivers bound to them. */
#pragma once

#include "base/std.h"
#include "cpulist.h"

#include <pmscope/writer.h>

/*
 * The counters of pmscope's SPE driver, from the folder stats/ of its PMUs.
 */

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

#define PMSCOPE_PLATFORM_BUS "/sys/bus/platform"

/**
 * struct spe_device - a platform device
 * @name: as in /sys/bus/platform/devices
 * @driver: its driver; empty if none is bound
 * @override: its driver_override; empty when there is none
 */
struct spe_device {
	char name[128];
	char driver[64];
	char override[64];
};

/**
 * spe_devices() - find the SPE devices
 * @bus: PMSCOPE_PLATFORM_BUS, or a folder of that form
 * @device: receives up to @max devices, sorted by name
 *
 * From a device tree they are compatible with
 * "arm,statistical-profiling-extension-v1"; from ACPI they are named
 * "arm,spe-v1".
 *
 * Return: their number; 0 if the bus cannot be read.
 */
size_t spe_devices(const char *bus, struct spe_device *device, size_t max);

/* Reads the driver and the override again. */
void spe_device_update(const char *bus, struct spe_device *device);

/* Describes the CPUs with SPE for AUXTRACE_INFO. */

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
