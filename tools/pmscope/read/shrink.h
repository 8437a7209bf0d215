/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that get shorter while they are mapped, as when recorded anew. */
#ifndef PMSCOPE_READ_SHRINK_H
#define PMSCOPE_READ_SHRINK_H

#include <pmscope/input.h>

/*
 * From now on, a read past the end of a truncated file ends the program with
 * exit status 1 and one line; for @input with the offset. @name must stay
 * valid.
 */
void shrink_watch(const char *name, const struct pmscope_input *input);

#endif /* PMSCOPE_READ_SHRINK_H */
