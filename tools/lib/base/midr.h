/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* MIDR_EL1 values of the CPUs whose IMPLEMENTATION DEFINED codes are known. */
#pragma once

#include "base/std.h"

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

enum {
#define CPU(id, implementer, part, name, sources) \
	MIDR_##id = MIDR_MODEL(implementer, part),
#include "cpus.def"
#undef CPU
};
