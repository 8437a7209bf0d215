// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "generic_events.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

static const struct pmscope_generic_event software_events[] = {
	{"alignment-faults", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"context-switches", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
	{"emulation-faults", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_EMULATION_FAULTS},
	{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{}};

static const struct pmscope_generic_event hardware_events[] = {
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-instructions", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"cache-references", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CACHE_REFERENCES},
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"stalled-cycles-backend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{}};

/* The events that arm_pmuv3 uses for perf's generic events. */
static const struct {
	const char *perf;
	const char *arm;
} arm_events[] = {
	{"branches", "br_retired"},
	{"branch-instructions", "br_retired"},
	{"branch-misses", "br_mis_pred"},
	{"bus-cycles", "bus_cycles"},
	{"cache-misses", "l1d_cache_refill"},
	{"cache-references", "l1d_cache"},
	{"cpu-cycles", "cpu_cycles"},
	{"cycles", "cpu_cycles"},
	{"instructions", "inst_retired"},
	{"stalled-cycles-backend", "stall_backend"},
	{"stalled-cycles-frontend", "stall_frontend"},
};

static const struct pmscope_generic_event *
find(const struct pmscope_generic_event *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

const struct pmscope_generic_event *pmscope_generic_software(const char *name)
{
	return find(software_events, name);
}

const struct pmscope_generic_event *pmscope_generic_hardware(const char *name)
{
	return find(hardware_events, name);
}

const char *pmscope_generic_arm_name(const char *name)
{
	for (size_t i = 0; i < sizeof(arm_events) / sizeof(*arm_events); i++)
		if (!strcmp(arm_events[i].perf, name))
			return arm_events[i].arm;
	return name;
}
