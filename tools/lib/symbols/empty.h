/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_EMPTY_H
#define PMSCOPE_SYMBOLS_EMPTY_H

/*
 * Opens a file with empty debug information: whoever gets it does not look for
 * another one. Returns a file descriptor or -1.
 */
int empty_open(void);

#endif /* PMSCOPE_SYMBOLS_EMPTY_H */
