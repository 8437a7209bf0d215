/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the samples of a recording that was just written. */
#ifndef PMSCOPE_RECORD_COUNT_H
#define PMSCOPE_RECORD_COUNT_H

#include <stdint.h>

/*
 * Reads the file as report does, and counts SPE samples. Returns 0, or -errno
 * if it cannot be read, for instance a pipe.
 */
int record_count(const char *path, uint64_t *samples);

#endif /* PMSCOPE_RECORD_COUNT_H */
