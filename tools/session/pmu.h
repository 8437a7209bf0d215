/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* PMUs as the kernel describes them in sysfs. */
#pragma once

#include "attr.h"
#include "cpulist.h"
#include "error.h"

#define PMSCOPE_PMU_DEVICES  "/sys/bus/event_source/devices"
#define PMSCOPE_PMU_NAME_MAX 64

/* PMUs of the driver arm_pmuv3: armv8_pmuv3_0, armv9_cortex_a710 and so on */
#define PMSCOPE_PMU_CORE "armv[89]_*"

/**
 * struct pmu - one PMU
 * @devices: the folder that contains @name
 * @type: attr.type of its events
 * @cpus: its CPUs, from cpumask or cpus; empty if there is no such file
 */
struct pmu {
	const char *devices;
	char name[PMSCOPE_PMU_NAME_MAX];
	unsigned int type;
	struct cpulist cpus;
};

/**
 * pmu_open() - find a PMU by its exact name
 * @devices: PMSCOPE_PMU_DEVICES, or another folder of that form; must outlive
 *           @pmu
 *
 * Return: 0, -ENOENT if there is no such PMU, -EIO if its sysfs files are
 * malformed, -ENOMEM.
 */
int pmu_open(struct pmu *pmu, const char *devices, const char *name,
	     struct pmscope_error *err);

void pmu_close(struct pmu *pmu);

/**
 * pmu_instance() - the @index-th PMU of a family
 * @family: a name without its number: "arm_spe" or "arm_spe_" for arm_spe_0,
 *          arm_spe_1 and so on
 * @name: gets the name of the instance with the @index-th lowest number
 *
 * Return: 0, -ENOENT.
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

/*
 * Like strcspn(3), but ignores characters of @ends 'in quotes'.
 */
size_t pmu_term_length(const char *text, const char *ends);

/**
 * pmu_encode() - turn "event=0x11,long=1" into attr.config*
 * @terms: comma-separated: a format field of the PMU with a value (1 when none
 *         is given), a named event, or config=, config1= ... config4=, period=,
 *         freq=, name= (one must be there, but is not used here)
 *
 * Return: 0, -EINVAL for an unknown term or a value that does not fit, -EIO
 * for a malformed format file.
 */
int pmu_encode(const struct pmu *pmu, const char *terms, union attr *attr,
	       struct pmscope_error *err);
