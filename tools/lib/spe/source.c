// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "source.h"

#include "midr.h"

static const char *const names[NR_SOURCE_FAMILIES][NR_SOURCE_CODES] = {
	[SOURCES_COMMON] =
		{
			[0x0] = "L1",
			[0x8] = "L2",
			[0x9] = "peer core",
			[0xa] = "local cluster",
			[0xb] = "system cache",
			[0xc] = "peer cluster",
			[0xd] = "remote",
			[0xe] = "DRAM",
		},
	[SOURCES_AMPERE1A] =
		{
			[0x0] = "local chip or device",
			[0x3] = "system cache",
			[0x5] = "remote",
			[0x7] = "DRAM",
			[0x8] = "L1",
			[0x9] = "L2",
		},
	[SOURCES_HISILICON] =
		{
			[0] = "peer core",
			[1] = "peer core HITM",
			[2] = "L3",
			[3] = "L3 HITM",
			[4] = "peer cluster",
			[5] = "peer cluster HITM",
			[6] = "remote socket",
			[7] = "remote socket HITM",
			[8] = "local memory",
			[9] = "remote memory",
			[13] = "non-cacheable or device",
			[16] = "L2",
			[17] = "L2 HITM",
			[18] = "L1",
		},
};

static const struct {
	uint32_t model;
	enum source_family family;
} cpus[] = {
	{MIDR_CORTEX_A715, SOURCES_COMMON},
	{MIDR_CORTEX_A720, SOURCES_COMMON},
	{MIDR_CORTEX_A720AE, SOURCES_COMMON},
	{MIDR_CORTEX_A725, SOURCES_COMMON},
	{MIDR_CORTEX_A78C, SOURCES_COMMON},
	{MIDR_CORTEX_X1, SOURCES_COMMON},
	{MIDR_CORTEX_X1C, SOURCES_COMMON},
	{MIDR_CORTEX_X3, SOURCES_COMMON},
	{MIDR_CORTEX_X4, SOURCES_COMMON},
	{MIDR_CORTEX_X925, SOURCES_COMMON},
	{MIDR_NEOVERSE_N1, SOURCES_COMMON},
	{MIDR_NEOVERSE_N2, SOURCES_COMMON},
	{MIDR_NEOVERSE_V1, SOURCES_COMMON},
	{MIDR_NEOVERSE_V2, SOURCES_COMMON},
	{MIDR_NEOVERSE_V3, SOURCES_COMMON},
	{MIDR_NVIDIA_OLYMPUS, SOURCES_COMMON},
	{MIDR_AMPERE1A, SOURCES_AMPERE1A},
	{MIDR_HISI_HIP12, SOURCES_HISILICON},
	{MIDR_QEMU_MAX, SOURCES_COMMON},
};

enum source_family source_family(uint64_t midr)
{
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (cpus[i].model == midr_model(midr))
			return cpus[i].family;
	return SOURCES_UNKNOWN;
}

const char *source_family_name(enum source_family family, uint16_t code)
{
	return code < NR_SOURCE_CODES ? names[family][code] : NULL;
}

const char *pmscope_source_name(uint64_t midr, uint16_t code)
{
	return source_family_name(source_family(midr), code);
}
