/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Default sizes of SPE's buffers. */
#ifndef PMSCOPE_RECORD_SIZE_H
#define PMSCOPE_RECORD_SIZE_H

#include <stdint.h>

#define AUX_SIZE_MIN (64ULL << 10)

/**
 * record_aux_size() - buffer size per CPU in bytes, a power of two
 * @period: sampling interval, operations
 * @cpus: number of buffers
 * @memory: memory of the machine, bytes
 */
uint64_t record_aux_size(uint64_t period, uint64_t cpus, uint64_t memory);

#endif /* PMSCOPE_RECORD_SIZE_H */
