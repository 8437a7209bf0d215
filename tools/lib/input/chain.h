/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Records of perf one behind the other, as far as each says where it ends. */
#ifndef PMSCOPE_INPUT_CHAIN_H
#define PMSCOPE_INPUT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

/* Bytes at @data, of @size, that are whole records. */
size_t chain_whole(const uint8_t *data, size_t size);

/*
 * Writes these @whole ones to @fd, and what there is of a trace that was cut
 * short behind them, as if that was all. @data is of a mapped file, of which
 * little stays in memory. @written is bytes. Returns 0 or -errno.
 */
int chain_write(int fd, const uint8_t *data, size_t size, size_t whole,
		uint64_t *written);

#endif /* PMSCOPE_INPUT_CHAIN_H */
