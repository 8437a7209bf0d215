/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* MIDR_EL1 values of the CPUs whose IMPLEMENTATION DEFINED codes are known. */
#ifndef PMSCOPE_BASE_MIDR_H
#define PMSCOPE_BASE_MIDR_H

#include <stdint.h>

/* Implementer [31:24] and part number [15:4], without variant and revision. */
static inline uint32_t midr_model(uint64_t midr)
{
	return midr & 0xff00fff0;
}

/* Clears Variant [23:20] and Revision [3:0], as perf does for CPUID. */
static inline uint64_t midr_cpuid(uint64_t midr)
{
	return midr & 0xff0ffff0;
}

/* The name of the CPU, for instance "Neoverse N2"; NULL when not known. */
const char *midr_name(uint64_t midr);

/* Variant [23:20] and Revision [3:0]: 0x13 is r1p3. */
static inline unsigned int midr_revision(uint64_t midr)
{
	return (midr >> 16 & 0xf0) | (midr & 0xf);
}

#define MIDR_MODEL(implementer, part) \
	((uint32_t)(implementer) << 24 | (uint32_t)(part) << 4)

#define MIDR_CORTEX_A715    MIDR_MODEL(0x41, 0xd4d)
#define MIDR_CORTEX_A720    MIDR_MODEL(0x41, 0xd81)
#define MIDR_CORTEX_A720AE  MIDR_MODEL(0x41, 0xd89)
#define MIDR_CORTEX_A725    MIDR_MODEL(0x41, 0xd87)
#define MIDR_CORTEX_A78C    MIDR_MODEL(0x41, 0xd4b)
#define MIDR_CORTEX_X1	    MIDR_MODEL(0x41, 0xd44)
#define MIDR_CORTEX_X1C	    MIDR_MODEL(0x41, 0xd4c)
#define MIDR_CORTEX_X3	    MIDR_MODEL(0x41, 0xd4e)
#define MIDR_CORTEX_X4	    MIDR_MODEL(0x41, 0xd82)
#define MIDR_CORTEX_X925    MIDR_MODEL(0x41, 0xd85)
#define MIDR_NEOVERSE_N1    MIDR_MODEL(0x41, 0xd0c)
#define MIDR_NEOVERSE_N2    MIDR_MODEL(0x41, 0xd49)
#define MIDR_NEOVERSE_N3    MIDR_MODEL(0x41, 0xd8e)
#define MIDR_NEOVERSE_V1    MIDR_MODEL(0x41, 0xd40)
#define MIDR_NEOVERSE_V2    MIDR_MODEL(0x41, 0xd4f)
#define MIDR_NEOVERSE_V3    MIDR_MODEL(0x41, 0xd84)
#define MIDR_NEOVERSE_V3AE  MIDR_MODEL(0x41, 0xd83)
#define MIDR_COBALT_100	    MIDR_MODEL(0x6d, 0xd49)
#define MIDR_AMPERE1A	    MIDR_MODEL(0xc0, 0xac4)
#define MIDR_HISI_HIP12	    MIDR_MODEL(0x48, 0xd06)
#define MIDR_NVIDIA_OLYMPUS MIDR_MODEL(0x4e, 0x010)
/* The emulated machine (tools/machine) uses the common data source codes. */
#define MIDR_QEMU_MAX MIDR_MODEL(0x00, 0x051)

#endif /* PMSCOPE_BASE_MIDR_H */
