// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "pmu.h"
#include "system.h"

#include <dirent.h>

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

#define COMPATIBLE "arm,statistical-profiling-extension-v1"
#define ACPI_NAME  "arm,spe-v1"

/* The property is a list of strings, each with its NUL. */
static bool is_compatible(const char *bus, const char *name)
{
	char text[512];
	int len, at = 0;

	len = sysfs_read(text, sizeof(text), "%s/devices/%s/of_node/compatible",
			 bus, name);
	while (at < len) {
		if (!strcmp(text + at, COMPATIBLE))
			return true;
		at += strlen(text + at) + 1;
	}
	return false;
}

void spe_device_update(const char *bus, struct spe_device *device)
{
	if (sysfs_link_name(device->driver, sizeof(device->driver),
			    "%s/devices/%s/driver", bus, device->name) < 0)
		device->driver[0] = '\0';
	sysfs_read(device->override, sizeof(device->override),
		   "%s/devices/%s/driver_override", bus, device->name);
	/* How the kernel prints a NULL pointer. */
	if (!strcmp(device->override, "(null)"))
		device->override[0] = '\0';
}

size_t spe_devices(const char *bus, struct spe_device *device, size_t max)
{
	struct dirent **entry;
	char path[512];
	size_t nr = 0;
	int entries;

	snprintf(path, sizeof(path), "%s/devices", bus);
	entries = scandir(path, &entry, NULL, alphasort);
	for (int i = 0; i < entries; i++) {
		const char *name = entry[i]->d_name;

		if (name[0] != '.' && nr < max &&
		    strlen(name) < sizeof(device->name) &&
		    (!strncmp(name, ACPI_NAME, strlen(ACPI_NAME)) ||
		     is_compatible(bus, name))) {
			strcpy(device[nr].name, name);
			spe_device_update(bus, &device[nr++]);
		}
		free(entry[i]);
	}
	if (entries >= 0)
		free(entry);
	return nr;
}

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
