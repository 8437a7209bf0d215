/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kind is a combination of events and Data Source. There are few kinds, so a
 * row counts records by kind, and names are looked up at the end.
 */
#pragma once

#include "base/std.h"

#include <pmscope/record.h>

/* A CPU has fewer; excess ones of a damaged trace get no number. */
#define MAX_KINDS      256
#define KIND_HASH_BITS 11

/**
 * struct row_kind - what such records have in common
 * @events: theirs
 * @source: the Data Source in bits [15:0], if bit 16 is set; and in bits
 *[63:32] MIDR_EL1 of the CPU, which gives it its name
 */
struct row_kind {
	uint64_t events;
	uint64_t source;
};

#define KIND_SOURCED (1U << 16)

/* Number 0 belongs to the all-zero kind, so an empty place needs no mark. */
struct row_kinds {
	struct row_kind kinds[MAX_KINDS];
	uint8_t causes[MAX_KINDS];     /* enum row_cause of each */
	uint8_t translated[MAX_KINDS]; /* the same if the TLB cost little */
	uint8_t of_op[16][4][256]; /* with each operation: row_cause_with() */
	uint16_t nr;
	uint16_t of_hash[1 << KIND_HASH_BITS]; /* or of the place behind */
};

/* NULL if out of memory; free with free(). */
struct row_kinds *row_kinds_new(void);

/* The rare part of row_kind_number(): @at is the place of its hash. */
unsigned int row_kind_search(struct row_kinds *kinds,
			     const struct row_kind *wanted, size_t at);

static inline struct row_kind row_kind_of(const struct pmscope_batch *batch,
					  size_t at, uint32_t midr)
{
	bool sourced = batch->has[at] & PMSCOPE_HAS_SOURCE;

	return (struct row_kind){
		.events = batch->events[at],
		.source = (uint64_t)midr << 32 | (sourced ? KIND_SOURCED : 0) |
			  batch->source[at],
	};
}

static inline bool row_kind_is(const struct row_kind *kind,
			       const struct row_kind *wanted)
{
	return kind->events == wanted->events && kind->source == wanted->source;
}

/* Below @kinds->nr; MAX_KINDS if all numbers are in use. */
static inline unsigned int row_kind_number(struct row_kinds *kinds,
					   const struct row_kind *wanted)
{
	uint64_t sum = wanted->events * UINT64_C(0x9e3779b97f4a7c15) +
		       wanted->source * UINT64_C(0xc2b2ae3d27d4eb4f);
	size_t at = sum >> (64 - KIND_HASH_BITS);
	unsigned int number = kinds->of_hash[at];

	return row_kind_is(&kinds->kinds[number], wanted)
		       ? number
		       : row_kind_search(kinds, wanted, at);
}
