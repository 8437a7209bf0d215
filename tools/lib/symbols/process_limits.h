/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Limits the CPU time and memory of the child that reads untrusted files. In
 * any other process these functions do nothing.
 */
#pragma once

#include "base/std.h"

/* CPU time for a file regardless of its size, in ns. */
#define LIMITS_FILE_TIME INT64_C(3000000000)

/*
 * Starts limiting this process. When the time is used up, a signal handler
 * calls @exceeded.
 */
void limits_begin(void (*exceeded)(void));

/* Starts the timer: the following work may take @ns of CPU time. */
void limits_start(int64_t ns);

/* Stops the timer. Returns the remaining time in ns. */
int64_t limits_stop(void);

/* Raises both limits in proportion to the size of the file at @path. */
void limits_raise(const char *path);

/* Returns the limit on memory, and sets it again after the file was read. */
uint64_t limits_memory(void);
void limits_restore(uint64_t memory);
