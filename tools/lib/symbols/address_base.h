/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What a load or store of arm64 counts its address from. */
#pragma once

#include "base/std.h"

enum address_base {
	BASE_UNKNOWN,
	BASE_STACK,	   /* the stack pointer */
	BASE_THREAD,	   /* TPIDR_EL0 */
	BASE_THREAD_OFFSET /* the same, and how far from it is known */
};

/*
 * Follows the register that @code[@nr - 1] has its address in back to where it
 * comes from, in the order of the addresses. Sets @offset to the constants that
 * were added, for BASE_THREAD_OFFSET; the index of an array is not known.
 */
enum address_base address_base(const uint32_t *code, size_t nr,
			       uint64_t *offset);
