/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * How a recording tells of allocations: a PERF_RECORD_AUX_OUTPUT_HW_ID, which
 *perf skips, whose hw_id is HEAP_RECORD_ID. Words follow: of whom, how many
 *were lost since the last record of that thread, and entries, in the order of
 *time.
 *
 *	whose		process | thread << 32
 *	parent		process that it was forked from; 0: none, or an exec
 *followed lost site		number, HEAP_SITE << 56 | n, and n addresses of
 *a call chain, the newest first; before it is used, and for all that follow
 *	allocation	ticks, HEAP_BLOCK << 56 | address, size << 24 | site
 *	end of it	ticks, HEAP_FREE << 56 | address
 *
 * Ticks are those that SPE stamps with.
 */
#pragma once

#include "base/std.h"

#define HEAP_RECORD_ID	  UINT64_C(0x7061656865706f63)
#define HEAP_RECORD_HEAD  4 /* words up to the entries */
#define HEAP_RECORD_WORDS 4096

enum heap_kind {
	HEAP_FREE,
	HEAP_BLOCK,
	HEAP_SITE
};

#define HEAP_KIND_SHIFT 56
#define HEAP_SITE_BITS	24
#define HEAP_SITE_MASK	((UINT64_C(1) << HEAP_SITE_BITS) - 1)
#define HEAP_SIZE_MAX	((UINT64_C(1) << (64 - HEAP_SITE_BITS)) - 1)
