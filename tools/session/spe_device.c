// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "spe_device.h"
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_spe(const char *bus, const char *name)
{
	return !strncmp(name, ACPI_NAME, strlen(ACPI_NAME)) ||
	       is_compatible(bus, name);
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
		    strlen(name) < sizeof(device->name) && is_spe(bus, name)) {
			strcpy(device[nr].name, name);
			spe_device_update(bus, &device[nr++]);
		}
		free(entry[i]);
	}
	if (entries >= 0)
		free(entry);
	return nr;
}
