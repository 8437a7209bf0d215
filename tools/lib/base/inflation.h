/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A limit for what compressed data may expand to. */
#pragma once

#include "base/std.h"

/*
 * Compression shrinks side-band records and traces by a factor of 10 to 30.
 * Refuse much more: the state kept for the smallest records is several times as
 * large as the records.
 */
#define INFLATED_RATIO_MAX  100
#define INFLATED_RATIO_FROM (32U << 20)

static inline bool inflates_too_much(uint64_t given, uint64_t taken)
{
	return given > INFLATED_RATIO_FROM &&
	       given / INFLATED_RATIO_MAX > taken;
}
