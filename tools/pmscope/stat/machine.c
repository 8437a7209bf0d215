// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts about the measured machine, from sysfs. */
#include "stat/stat.h"

#include <glob.h>

#define CPU_TOPOLOGY "/sys/devices/system/cpu/cpu%d/topology/"
#define SNAPSHOT     PMSCOPE_PMU_DEVICES "/" SNAPSHOT_PMU

static int topology(const char *file, int cpu)
{
	char text[64];

	if (sysfs_read(text, sizeof(text), CPU_TOPOLOGY "%s", cpu, file) <= 0)
		return -1;
	return atoi(text);
}

const char *stat_core(int cpu, char *name, size_t size)
{
	int package = topology("physical_package_id", cpu);
	int die = topology("die_id", cpu);

	snprintf(name, size, "S%d-D%d-C%d", package < 0 ? 0 : package,
		 die < 0 ? 0 : die, topology("core_id", cpu));
	return name;
}

const char *stat_thread(int tid, char *name, size_t size)
{
	char comm[32];

	if (sysfs_read(comm, sizeof(comm), "/proc/%d/comm", tid) > 0)
		snprintf(name, size, "%s-%d", comm, tid);
	else
		snprintf(name, size, "%d", tid);
	return name;
}

int stat_first_of_core(int cpu)
{
	int first = topology("core_cpus_list", cpu);

	return first < 0 ? cpu : first;
}

unsigned int stat_slots(void)
{
	unsigned int slots = 0;
	char text[64];
	glob_t found;

	if (glob(PMSCOPE_PMU_DEVICES "/" PMSCOPE_PMU_CORE "/caps/slots", 0,
		 NULL, &found))
		return 0;
	if (sysfs_read(text, sizeof(text), "%s", found.gl_pathv[0]) > 0)
		slots = strtoul(text, NULL, 0);
	globfree(&found);
	return slots;
}

static bool has_event(const struct pmu *pmu, const char *name)
{
	char terms[64];

	return !pmu_event_terms(pmu, name, terms, sizeof(terms));
}

/* Events for half of level 1, in slots or cycles. */
static const char *bound_events(const struct pmu *pmu)
{
	static const char *const slots =
		"cpu_cycles,stall_slot_backend,stall_slot_frontend";
	static const char *const cycles =
		"cpu_cycles,stall_backend,stall_frontend";

	if (has_event(pmu, "stall_slot_backend") &&
	    has_event(pmu, "stall_slot_frontend"))
		return slots;
	return has_event(pmu, "stall_backend") &&
			       has_event(pmu, "stall_frontend")
		       ? cycles
		       : NULL;
}

static int lacks(const struct pmu *pmu, const char *event,
		 struct pmscope_error *err)
{
	const char *bound = bound_events(pmu);
	char name[32] = "";

	for (size_t i = 0; event[i] && i < sizeof(name) - 1; i++)
		name[i] = toupper((unsigned char)event[i]);
	if (!bound)
		return pmscope_fail(err, ENOENT,
				    "this CPU has no %s event, which top-down "
				    "level 1 needs, and none for frontend "
				    "bound and backend bound alone",
				    name);
	return pmscope_fail(
		err, ENOENT,
		"this CPU has no %s event, which top-down level 1 needs; "
		"frontend bound and backend bound alone work: -e '{%s}'",
		name, bound);
}

int stat_topdown_check(const char *devices, struct pmscope_error *err)
{
	static const char *const needed[] = {"op_retired", "op_spec",
					     "stall_slot", "stall_slot_backend",
					     "stall_slot_frontend"};
	struct pmu pmu;
	int ret = 0;

	/* If the PMU is missing, opening its events reports why. */
	if (pmu_open(&pmu, devices, SNAPSHOT_PMU, NULL))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(needed) && !ret; i++)
		if (!has_event(&pmu, needed[i]))
			ret = lacks(&pmu, needed[i], err);
	pmu_close(&pmu);
	return ret;
}

static bool read_stat(const char *name, uint64_t *value)
{
	char text[32];

	if (sysfs_read(text, sizeof(text), SNAPSHOT "/stats/%s", name) <= 0)
		return false;
	*value += strtoull(text, NULL, 10);
	return true;
}

bool stat_captures_read(struct stat_captures *captures)
{
	*captures = (struct stat_captures){};
	return read_stat("captured", &captures->done) &&
	       read_stat("frozen", &captures->done) &&
	       read_stat("frozen", &captures->frozen) &&
	       read_stat("prohibited", &captures->failed) &&
	       read_stat("disabled", &captures->failed) &&
	       read_stat("timed_out", &captures->failed) &&
	       read_stat("raced", &captures->raced);
}

bool stat_captures_since(const struct stat_captures *before,
			 struct stat_captures *since)
{
	if (!stat_captures_read(since))
		return false;
	since->done -= before->done;
	since->frozen -= before->frozen;
	since->failed -= before->failed;
	since->raced -= before->raced;
	return true;
}
