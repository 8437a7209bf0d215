/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Families of CPUs that share the meaning of Data Source codes. */
#ifndef PMSCOPE_SPE_SOURCE_H
#define PMSCOPE_SPE_SOURCE_H

#include <pmscope/source.h>

enum source_family {
	SOURCES_UNKNOWN,
	SOURCES_COMMON, /* most CPUs by Arm */
	SOURCES_AMPERE1A,
	SOURCES_HISILICON,
	NR_SOURCE_FAMILIES
};

/* Codes from here on have no meaning in any family. */
#define NR_SOURCE_CODES 19

enum source_family source_family(uint64_t midr);

/* Like pmscope_source_name(). */
const char *source_family_name(enum source_family family, uint16_t code);

#endif /* PMSCOPE_SPE_SOURCE_H */
