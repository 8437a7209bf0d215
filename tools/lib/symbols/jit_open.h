/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_JIT_OPEN_H
#define PMSCOPE_SYMBOLS_JIT_OPEN_H

#include "missing.h"

#include <stdio.h>
#include <sys/stat.h>

/*
 * Makes @file what a process left at @path of its generated code; NULL where
 * that is of another user, a link or no file: /tmp is everybody's. Returns 0 or
 * -ENOMEM.
 */
int jit_open(const char *path, struct missing *missing, struct stat *st,
	     FILE **file);

#endif /* PMSCOPE_SYMBOLS_JIT_OPEN_H */
