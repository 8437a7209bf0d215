/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What every public header of libpmscope builds on.
 *
 * Functions that can fail return a negative errno; those that return a
 * pointer return NULL and set errno. The library never prints or exits, and
 * every *_free() takes NULL, and nothing else does but where it is said: bytes
 * of which there are none may be NULL, as pmscope_input_data() gives them.
 *
 * Functions without an object, such as pmscope_decode(), may be called by many
 * threads at once. An object is used by one thread at a time, but where it is
 * said; different objects have nothing to do with each other.
 *
 * A struct that begins with its own size grows in later versions: what the
 * caller does not know is 0, and what this library does not know must be 0.
 * Without its size it is refused (EINVAL), for else nothing in it would count.
 *
 * A struct without its size stays as it is while the library is
 * libpmscope.so.0: a function that would fill in more of one comes as a new
 * version of its symbol. Enums grow: a value or a bit of one that you do not
 * know has no meaning for you, but is no error.
 *
 * What the library points to is its own and constant, valid as long as is said.
 */
#ifndef PMSCOPE_API_H
#define PMSCOPE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMSCOPE_API __attribute__((visibility("default")))

#endif /* PMSCOPE_API_H */
