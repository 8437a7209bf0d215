// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "shape.h"

#include <pmscope/packet.h>
#include <pmscope/record.h>

/* The kind is HEADER_PAYLOAD, 0. */
#define PACKET(bytes, which, bit)                                        \
	{                                                                \
		.shift = 64 - 8 * (bytes), .has = (bit), .slot = (which) \
	}

#define UNKNOWN(bytes)                                                     \
	{                                                                  \
		.shift = 64 - 8 * (bytes), .slot = SLOT_NONE, .unknown = 1 \
	}

/* Unknown counters are kept, too. */
#define COUNTER(index)                                                         \
	{                                                                      \
		.shift = 48, .has = PMSCOPE_HAS_COUNTER, .tag = (index) << 16, \
		.slot = SLOT_COUNTER, .unknown = 1                             \
	}

#define OPERATION(class)                                    \
	{                                                   \
		.shift = 56, .has = PMSCOPE_HAS_OPERATION,  \
		.tag = (class) << 8, .slot = SLOT_OPERATION \
	}

#define OTHERS                                          \
	{                                               \
		.slot = SLOT_NONE, .kind = HEADER_OTHER \
	}

const struct header spe_headers[256] = {
	[0x00] = {.slot = SLOT_NONE, .kind = HEADER_PAD},
	[0x01 ... 0x41] = OTHERS,
	[0x42] = PACKET(1, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x43] = PACKET(1, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x44 ... 0x47] = OTHERS,
	[0x48] = OPERATION(PMSCOPE_OPERATION_OTHER),
	[0x49] = OPERATION(PMSCOPE_OPERATION_LOAD_STORE),
	[0x4a] = OPERATION(PMSCOPE_OPERATION_BRANCH),
	[0x4b] = OPERATION(3),
	[0x4c ... 0x51] = OTHERS,
	[0x52] = PACKET(2, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x53] = PACKET(2, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x54 ... 0x61] = OTHERS,
	[0x62] = PACKET(4, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x63] = PACKET(4, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x64] = PACKET(4, SLOT_CONTEXT_EL1, PMSCOPE_HAS_CONTEXT_EL1),
	[0x65] = PACKET(4, SLOT_CONTEXT_EL2, PMSCOPE_HAS_CONTEXT_EL2),
	[0x66 ... 0x67] = UNKNOWN(4),
	[0x68 ... 0x70] = OTHERS,
	[0x71] = {.shift = 0,
		  .has = PMSCOPE_HAS_TIMESTAMP,
		  .slot = SLOT_TIMESTAMP,
		  .kind = HEADER_TIMESTAMP},
	[0x72] = PACKET(8, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x73] = PACKET(8, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x74 ... 0x97] = OTHERS,
	[0x98] = PACKET(2, SLOT_TOTAL, PMSCOPE_HAS_TOTAL),
	[0x99] = PACKET(2, SLOT_ISSUE, PMSCOPE_HAS_ISSUE),
	[0x9a] = PACKET(2, SLOT_TRANSLATE, PMSCOPE_HAS_TRANSLATE),
	[0x9b] = COUNTER(3),
	[0x9c] = PACKET(2, SLOT_ALT_ISSUE, PMSCOPE_HAS_ALT_ISSUE),
	[0x9d] = COUNTER(5),
	[0x9e] = COUNTER(6),
	[0x9f] = COUNTER(7),
	[0xa0 ... 0xaf] = OTHERS,
	[0xb0] = PACKET(8, SLOT_PC, PMSCOPE_HAS_PC),
	[0xb1] = PACKET(8, SLOT_TARGET, PMSCOPE_HAS_TARGET),
	[0xb2] = PACKET(8, SLOT_VA, PMSCOPE_HAS_VA),
	[0xb3] = PACKET(8, SLOT_PA, PMSCOPE_HAS_PA),
	[0xb4] = PACKET(8, SLOT_PREVIOUS, PMSCOPE_HAS_PREVIOUS),
	[0xb5 ... 0xb7] = UNKNOWN(8),
	[0xb8 ... 0xff] = OTHERS,
};
