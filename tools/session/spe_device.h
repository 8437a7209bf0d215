/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The SPE devices described by firmware, and the drivers bound to them. */
#ifndef PMSCOPE_SESSION_SPE_DEVICE_H
#define PMSCOPE_SESSION_SPE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

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

#endif /* PMSCOPE_SESSION_SPE_DEVICE_H */
