/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Limits the CPU time, the memory and the rights of the child that reads
 * untrusted files. Other processes have no time limit to start or to raise.
 */
#pragma once

#include "base/std.h"

/* CPU time for a file regardless of its size, in ns. */
#define LIMITS_FILE_TIME INT64_C(3000000000)

/* Limits this process. @exceeded handles the signal when the time is up. */
void limits_begin(void (*exceeded)(int));

/* Starts the timer: the following work may take @ns of CPU time. */
void limits_start(int64_t ns);

/* Stops the timer. Returns the remaining time in ns. */
int64_t limits_stop(void);

/* Raises both limits in proportion to the size of the file at @path. */
void limits_raise(const char *path);

/* Returns the limit on memory, and sets it again after the file was read. */
uint64_t limits_memory(void);
void limits_restore(uint64_t memory);

/*
 * Takes from this process, for good, what the child that reads untrusted files
 * does not need: privileges other than to read files, programs, the network,
 * other processes, and files to write to. What a kernel cannot take stays.
 * @servers: files come from debuginfod servers, so it keeps the network and
 * may write its cache.
 */
void sandbox_enter(bool servers);
