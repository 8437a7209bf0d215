// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include <pmscope/source.h>

#include "midr.h"

#define NR_CODES 19

struct source_table {
	const char *names[NR_CODES];
};

static const struct source_table common = {{
	[0x0] = "L1",
	[0x8] = "L2",
	[0x9] = "peer core",
	[0xa] = "local cluster",
	[0xb] = "system cache",
	[0xc] = "peer cluster",
	[0xd] = "remote",
	[0xe] = "DRAM",
}};

static const struct source_table ampere1a = {{
	[0x0] = "local chip or device",
	[0x3] = "system cache",
	[0x5] = "remote",
	[0x7] = "DRAM",
	[0x8] = "L1",
	[0x9] = "L2",
}};

static const struct source_table hisilicon = {{
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
}};

static const struct {
	uint32_t model;
	const struct source_table *table;
} cpus[] = {
	{MIDR_CORTEX_A715, &common},   {MIDR_CORTEX_A720, &common},
	{MIDR_CORTEX_A720AE, &common}, {MIDR_CORTEX_A725, &common},
	{MIDR_CORTEX_A78C, &common},   {MIDR_CORTEX_X1, &common},
	{MIDR_CORTEX_X1C, &common},    {MIDR_CORTEX_X3, &common},
	{MIDR_CORTEX_X4, &common},     {MIDR_CORTEX_X925, &common},
	{MIDR_NEOVERSE_N1, &common},   {MIDR_NEOVERSE_N2, &common},
	{MIDR_NEOVERSE_V1, &common},   {MIDR_NEOVERSE_V2, &common},
	{MIDR_NEOVERSE_V3, &common},   {MIDR_NVIDIA_OLYMPUS, &common},
	{MIDR_AMPERE1A, &ampere1a},    {MIDR_HISI_HIP12, &hisilicon},
	{MIDR_QEMU_MAX, &common},
};

const char *pmscope_source_name(uint64_t midr, uint16_t code)
{
	if (code >= NR_CODES)
		return NULL;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (cpus[i].model == midr_model(midr))
			return cpus[i].table->names[code];
	return NULL;
}
