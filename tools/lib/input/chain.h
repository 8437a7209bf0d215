/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A chain of perf records; each header has the record's size. */
#ifndef PMSCOPE_INPUT_CHAIN_H
#define PMSCOPE_INPUT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the @whole bytes to @fd, then the available part of a truncated trace
 * as a complete one. @data belongs to a mapped file, whose pages are released
 * after each piece. *@written: bytes written. Returns 0 or -errno.
 */
int chain_write(int fd, const uint8_t *data, size_t size, size_t whole,
		uint64_t *written);

#endif /* PMSCOPE_INPUT_CHAIN_H */
