/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Data Source codes: where the data of a load came from. */
#ifndef PMSCOPE_SOURCE_H
#define PMSCOPE_SOURCE_H

#include <pmscope/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * pmscope_source_name() - what a Data Source code means
 * @midr: MIDR_EL1 of the CPU: the codes are IMPLEMENTATION DEFINED
 * @code: payload of the Data Source packet
 *
 * Return: a short constant string, or NULL when the CPU or the code is not
 * known.
 */
PMSCOPE_API const char *pmscope_source_name(uint64_t midr, uint16_t code);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_SOURCE_H */
