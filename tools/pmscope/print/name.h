/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from files as text for people: they cannot control the terminal. */
#ifndef PMSCOPE_PRINT_NAME_H
#define PMSCOPE_PRINT_NAME_H

#include <stdio.h>

/* Writes @name without control characters, then spaces up to @width bytes. */
void name_put(FILE *out, const char *name, int width);

#endif /* PMSCOPE_PRINT_NAME_H */
