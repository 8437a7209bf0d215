// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "midr.h"

#include <stddef.h>

#define ARM	  0x41
#define HISILICON 0x48
#define NVIDIA	  0x4e
#define AMPERE	  0xc0

/* CPUs with SPE, by the names that their manuals have. */
static const struct {
	uint32_t model;
	const char *name;
} names[] = {
	{MIDR_NEOVERSE_N1, "Neoverse N1"},
	{MIDR_NEOVERSE_N2, "Neoverse N2"},
	{MIDR_NEOVERSE_N3, "Neoverse N3"},
	{MIDR_NEOVERSE_V1, "Neoverse V1"},
	{MIDR_NEOVERSE_V2, "Neoverse V2"},
	{MIDR_NEOVERSE_V3, "Neoverse V3"},
	{MIDR_NEOVERSE_V3AE, "Neoverse V3AE"},
	{MIDR_MODEL(ARM, 0xd4a), "Neoverse E1"},
	{MIDR_MODEL(ARM, 0xd0b), "Cortex-A76"},
	{MIDR_MODEL(ARM, 0xd41), "Cortex-A78"},
	{MIDR_MODEL(ARM, 0xd42), "Cortex-A78AE"},
	{MIDR_CORTEX_A78C, "Cortex-A78C"},
	{MIDR_MODEL(ARM, 0xd47), "Cortex-A710"},
	{MIDR_CORTEX_A715, "Cortex-A715"},
	{MIDR_CORTEX_A720, "Cortex-A720"},
	{MIDR_CORTEX_A720AE, "Cortex-A720AE"},
	{MIDR_CORTEX_A725, "Cortex-A725"},
	{MIDR_CORTEX_X1, "Cortex-X1"},
	{MIDR_CORTEX_X1C, "Cortex-X1C"},
	{MIDR_MODEL(ARM, 0xd48), "Cortex-X2"},
	{MIDR_CORTEX_X3, "Cortex-X3"},
	{MIDR_CORTEX_X4, "Cortex-X4"},
	{MIDR_CORTEX_X925, "Cortex-X925"},
	{MIDR_MODEL(HISILICON, 0xd01), "Kunpeng 920"},
	{MIDR_MODEL(HISILICON, 0xd02), "HIP09"},
	{MIDR_HISI_HIP12, "HIP12"},
	{MIDR_NVIDIA_OLYMPUS, "NVIDIA Olympus"},
	{MIDR_COBALT_100, "Azure Cobalt 100"},
	{MIDR_MODEL(AMPERE, 0xac3), "AmpereOne"},
	{MIDR_AMPERE1A, "AmpereOne A"},
	{MIDR_QEMU_MAX, "QEMU max"},
};

const char *midr_name(uint64_t midr)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].model == midr_model(midr))
			return names[i].name;
	return NULL;
}
