/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * How much CPU time and memory the process that reads files of others may take.
 * In any other process these functions do nothing.
 */
#ifndef PMSCOPE_SYMBOLS_PROCESS_LIMITS_H
#define PMSCOPE_SYMBOLS_PROCESS_LIMITS_H

#include <stdint.h>

/* What each file may take, whatever its size: ns. */
#define LIMITS_FILE_TIME INT64_C(3000000000)

/*
 * From now on this process has limits. @exceeded is called, by a signal
 * handler, when the time is used up.
 */
void limits_begin(void (*exceeded)(void));

/* The next work may take @ns. */
void limits_start(int64_t ns);

/* It is done. Returns what is left of that time. */
int64_t limits_stop(void);

/* The file at @path, of which more is read now, raises both by its size. */
void limits_raise(const char *path);

#endif /* PMSCOPE_SYMBOLS_PROCESS_LIMITS_H */
