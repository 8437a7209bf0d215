/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What every public header of libpmscope builds on.
 *
 * Functions that can fail return a negative errno; those that return a
 * pointer return NULL and set errno. The library never prints or exits, and
 * every *_free() takes NULL.
 */
#ifndef PMSCOPE_API_H
#define PMSCOPE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMSCOPE_API __attribute__((visibility("default")))

#endif /* PMSCOPE_API_H */
