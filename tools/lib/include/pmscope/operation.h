/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Operation types: what the sampled operation was (SPE Operation Type). */
#ifndef PMSCOPE_OPERATION_H
#define PMSCOPE_OPERATION_H

#include <pmscope/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags that pmscope_operation_flags() returns. */
enum pmscope_operation_flag {
	PMSCOPE_OP_LOAD = 1U << 0,
	PMSCOPE_OP_STORE = 1U << 1,
	PMSCOPE_OP_BRANCH = 1U << 2,
	PMSCOPE_OP_CONDITIONAL = 1U << 3,
	PMSCOPE_OP_INDIRECT = 1U << 4,
	PMSCOPE_OP_CALL = 1U << 5,
	PMSCOPE_OP_RETURN = 1U << 6,
	PMSCOPE_OP_ATOMIC = 1U << 7,
	PMSCOPE_OP_EXCLUSIVE = 1U << 8,
	PMSCOPE_OP_ACQUIRE_RELEASE = 1U << 9,
	PMSCOPE_OP_SIMD_FP = 1U << 10,
	PMSCOPE_OP_SVE = 1U << 11,
	PMSCOPE_OP_SME = 1U << 12,
	PMSCOPE_OP_PREDICATED = 1U << 13,
	PMSCOPE_OP_GATHER_SCATTER = 1U << 14,
	PMSCOPE_OP_GCS = 1U << 15,
	PMSCOPE_OP_MEMCPY = 1U << 16,
	PMSCOPE_OP_MEMSET = 1U << 17,
	PMSCOPE_OP_MTE_TAG = 1U << 18,
	PMSCOPE_OP_FP = 1U << 19,
};

/**
 * pmscope_operation_flags() - the meaning of an Operation Type payload
 * @op_class: enum pmscope_operation_class
 * @payload: the payload byte
 *
 * Return: enum pmscope_operation_flag bits; 0 for what has none of them.
 */
PMSCOPE_API uint32_t pmscope_operation_flags(unsigned int op_class,
					     uint8_t payload);

/**
 * pmscope_operation_text() - an operation in the words of perf report -D
 * @op_class: enum pmscope_operation_class
 * @payload: the payload byte
 * @text: at least 64 bytes; gets the text without a NUL
 *
 * What has no words there is "OP-TYPE 0x10 (0)", payload and class.
 *
 * Return: length of the text; 0 for a class above 3, which no packet has.
 */
PMSCOPE_API size_t pmscope_operation_text(unsigned int op_class,
					  uint8_t payload, char *text);

/**
 * pmscope_operation_class_name() - a class as a stable lower-case word
 * @op_class: enum pmscope_operation_class
 * @payload: tells loads from stores
 *
 * Return: "other", "load", "store", "branch" or "unknown".
 */
PMSCOPE_API const char *pmscope_operation_class_name(unsigned int op_class,
						     uint8_t payload);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_OPERATION_H */
