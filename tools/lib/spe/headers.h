/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What to do with a packet, by its header byte: most packets need one table
 * lookup and no branch.
 */
#ifndef PMSCOPE_SPE_HEADERS_H
#define PMSCOPE_SPE_HEADERS_H

#include <stdalign.h>
#include <stdint.h>

/* Where a record keeps the payloads of its packets. */
enum record_slot {
	SLOT_PC, /* the addresses and counters in the order of their indices */
	SLOT_TARGET,
	SLOT_VA,
	SLOT_PA,
	SLOT_PREVIOUS,
	SLOT_TIMESTAMP,
	SLOT_EVENTS,
	SLOT_CONTEXT_EL1,
	SLOT_CONTEXT_EL2,
	SLOT_TOTAL,
	SLOT_ISSUE,
	SLOT_TRANSLATE,
	SLOT_ALT_ISSUE,
	SLOT_SOURCE,
	SLOT_OPERATION, /* its class in [15:8] */
	SLOT_COUNTER, /* a counter without its own slot; its index in [31:16] */
	SLOT_NONE,    /* packets without a meaning here */
	SLOT_UNUSED,
	NR_SLOTS
};

enum header_kind {
	HEADER_PAYLOAD, /* store the payload in the slot and continue */
	HEADER_TIMESTAMP,
	HEADER_PAD,
	HEADER_OTHER, /* END, two bytes of header, no packet at all */
};

/**
 * struct header - packets whose header is this byte
 * @has: enum pmscope_has bit
 * @tag: value to set in the slot above the payload
 * @shift: how many of the 64 bits after the header are not payload
 * @slot: enum record_slot
 * @kind: enum header_kind
 * @unknown: 1 for an index without a meaning here
 */
struct header {
	alignas(16) uint32_t has;
	uint32_t tag;
	uint8_t shift;
	uint8_t slot;
	uint8_t kind;
	uint8_t unknown;
};

extern const struct header spe_headers[256]
	__attribute__((visibility("hidden")));

#endif /* PMSCOPE_SPE_HEADERS_H */
