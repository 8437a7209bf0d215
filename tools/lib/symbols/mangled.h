/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* One name of C++ or Rust, by libiberty, within bounds of size and time. */
#ifndef PMSCOPE_SYMBOLS_MANGLED_H
#define PMSCOPE_SYMBOLS_MANGLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names refer to parts of themselves, so that 200 bytes can stand for
 * megabytes: what gets longer than this stays as it is.
 */
#define MANGLED_TEXT_MAX 16384

struct mangled_text {
	size_t length;
	char text[MANGLED_TEXT_MAX];
};

/*
 * What @name is in the source. @slow is how long those took that were slow, ns:
 * what may be so is not tried any more after some, nor the worst where there
 * can be no thread for it. False: it is no such name, or was given up.
 */
bool mangled_show(const char *name, struct mangled_text *shown, uint64_t *slow);

#endif /* PMSCOPE_SYMBOLS_MANGLED_H */
