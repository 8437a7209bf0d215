/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include <pmscope/writer.h>

#include "system.h"

#include <linux/perf_event.h>

/* perf_event_attr, whatever <linux/perf_event.h> we build with. */

/* Up to sig_data (Linux 5.13), then config3 (6.3) and config4 (6.17). */
#define PMSCOPE_ATTR_SIZE_BASE	  128
#define PMSCOPE_ATTR_SIZE_CONFIG3 136
#define PMSCOPE_ATTR_SIZE_CONFIG4 144

#define PMSCOPE_ATTR_CONFIGS 5

/* The attributes of an event, with room for new members */
union attr {
	struct perf_event_attr attr;
	uint64_t word[PMSCOPE_ATTR_SIZE_CONFIG4 / 8];
};

/* attr.config for @index 0, attr.config1 for 1, and so on up to 4. */
static inline uint64_t *attr_config(union attr *attr, unsigned int index)
{
	static const unsigned char word[PMSCOPE_ATTR_CONFIGS] = {
		offsetof(struct perf_event_attr, config) / 8,
		offsetof(struct perf_event_attr, config1) / 8,
		offsetof(struct perf_event_attr, config2) / 8,
		PMSCOPE_ATTR_SIZE_BASE / 8,
		PMSCOPE_ATTR_SIZE_CONFIG3 / 8,
	};

	return &attr->word[word[index]];
}

/*
 * Sets attr.size to the oldest layout that holds all set fields: kernels and
 * perf tools refuse a layout that is longer than the one they know.
 */
static inline void attr_set_size(union attr *attr)
{
	if (*attr_config(attr, 4))
		attr->attr.size = PMSCOPE_ATTR_SIZE_CONFIG4;
	else if (*attr_config(attr, 3))
		attr->attr.size = PMSCOPE_ATTR_SIZE_CONFIG3;
	else
		attr->attr.size = PMSCOPE_ATTR_SIZE_BASE;
}

/* PMUs as the kernel describes them in sysfs. */

#define PMSCOPE_PMU_DEVICES  "/sys/bus/event_source/devices"
#define PMSCOPE_PMU_NAME_MAX 64

/* PMUs of the driver arm_pmuv3: armv8_pmuv3_0, armv9_cortex_a710 and so on */
#define PMSCOPE_PMU_CORE "armv[89]_*"

struct pmu {
	const char *devices; /* the folder that contains @name */
	char name[PMSCOPE_PMU_NAME_MAX];
	unsigned int type;   /* attr.type of its events */
	struct cpulist cpus; /* from cpumask or cpus; empty: no file */
};

/*
 * Finds a PMU by its exact name. @devices: PMSCOPE_PMU_DEVICES, or another
 * folder of that form; must outlive @pmu. Returns 0, -ENOENT if there is no
 * such PMU, -EIO if its sysfs files are malformed, -ENOMEM.
 */
int pmu_open(struct pmu *pmu, const char *devices, const char *name,
	     struct pmscope_error *err);

void pmu_close(struct pmu *pmu);

/*
 * The @index-th PMU of a family. @family: a name without its number: "arm_spe"
 * or "arm_spe_" for arm_spe_0, arm_spe_1 and so on. @name: gets the name of the
 * instance with the @index-th lowest number. Returns 0, -ENOENT.
 */
int pmu_instance(const char *devices, const char *family, unsigned int index,
		 char name[PMSCOPE_PMU_NAME_MAX]);

/* Does the PMU use PMUv3 event numbers (pmu_snapshot and arm_pmuv3)? */
bool pmu_has_arm_events(const char *name);

/* The folder in sysfs that has the PMU's events by name. */
const char *pmu_event_folder(const char *name);

/* The terms of a named event of the PMU; -ENOENT if there is no such event. */
int pmu_event_terms(const struct pmu *pmu, const char *event, char *terms,
		    size_t size);

/* Like strcspn(3), but ignores characters of @ends 'in quotes'. */
size_t pmu_term_length(const char *text, const char *ends);

/*
 * Turns "event=0x11,long=1" into attr.config*. @terms: comma-separated: a
 * format field of the PMU with a value (1 when none is given), a named event,
 * or config=, config1= ... config4=, period=, freq=, name= (one must be there,
 * but is not used here). Returns 0, -EINVAL for an unknown term or a value that
 * does not fit, -EIO for a malformed format file.
 */
int pmu_encode(const struct pmu *pmu, const char *terms, union attr *attr,
	       struct pmscope_error *err);

/* The names of PMUv3 events, also those that sysfs does not list. */

/* How to know that a CPU has an event. */
enum event_source {
	PMSCOPE_EVENT_LISTED, /* PMCEID<n>_EL0, and so sysfs */
	PMSCOPE_EVENT_COMMON, /* the CPU's manual; one meaning on all CPUs */
	PMSCOPE_EVENT_ARM,    /* the same, for CPUs made by Arm */
};

struct pmscope_event_name {
	const char *name;
	uint16_t number;
	enum event_source source;
	const char *text;
};

/* All names, ascending within each source. */
const struct pmscope_event_name *event_names(size_t *nr);

/*
 * An event by name. @midr: MIDR_EL1 of the CPU; 0 when it is not known. Returns
 * NULL if no event of this name exists for CPUs of that implementer.
 */
const struct pmscope_event_name *event_name_find(const char *name,
						 uint64_t midr);

/* The SPE devices described by firmware, and the drivers bound to them. */

/* The counters of pmscope's SPE driver, from the folder stats/ of its PMUs. */

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

/* Counts over all CPUs and all PMUs */
struct spe_losses {
	uint64_t count[PMSCOPE_SPE_COUNTS];
	bool valid; /* at least one PMU has these counters */
};

/* Reads the counters; @devices as for pmu_open(). */
void spe_losses_read(struct spe_losses *losses, const char *devices);
void spe_losses_since(struct spe_losses *losses,
		      const struct spe_losses *before);

/* The text to print after a count: "windows", "stage 1 faults". */
const char *spe_count_words(enum spe_count count);

#define PMSCOPE_PLATFORM_BUS "/sys/bus/platform"

struct spe_device {
	char name[128];	   /* as in /sys/bus/platform/devices */
	char driver[64];   /* its driver; empty if none is bound */
	char override[64]; /* its driver_override; empty when there is none */
};

/*
 * Finds the SPE devices. @bus: PMSCOPE_PLATFORM_BUS, or a folder of that form.
 * @device: receives up to @max devices, sorted by name. From a device tree they
 * are compatible with "arm,statistical-profiling-extension-v1"; from ACPI they
 * are named "arm,spe-v1". Returns their number; 0 if the bus cannot be read.
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

/*
 * CPUs of SPE PMUs whose MIDR_EL1 is readable. @pmus: the @nr SPE PMUs of the
 * recording. @folder: PMSCOPE_CPUS, or another folder of that form. @nr_cpus:
 * number of CPUs; at most what pmscope_writer_spe() accepts. Returns the CPUs,
 * to be freed with free(); NULL if out of memory.
 */
struct pmscope_written_cpu *auxtrace_cpus(const struct spe_pmu *pmus, size_t nr,
					  const char *folder, size_t *nr_cpus);
