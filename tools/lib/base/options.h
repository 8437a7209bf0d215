/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Option structs that begin with their size, so that they can grow. */
#pragma once

#include "base/std.h"

/*
 * Reads options of a caller built with another header version. @options:
 * initially the defaults; overwritten as far as @given reaches. @size: size of
 * @options. @given: the caller's options, or NULL. Returns 0; -EINVAL if an
 * option that this library does not know is set, or if the size is not set.
 */
int options_read(void *options, size_t size, const void *given);
