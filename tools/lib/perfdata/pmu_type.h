/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The feature PMU_MAPPINGS: the PMU types of the recorded machine. */
#ifndef PMSCOPE_PERFDATA_PMU_TYPE_H
#define PMSCOPE_PERFDATA_PMU_TYPE_H

#include <pmscope/perfdata.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds the type of the PMU called @name; false if the file does not have it.
 */
bool pmu_type_find(const struct pmscope_perfdata *reader, const char *name,
		   uint32_t *type);

#endif /* PMSCOPE_PERFDATA_PMU_TYPE_H */
