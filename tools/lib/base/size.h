/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "base/std.h"

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}
