/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Records of one CPU have only a few shapes: the same packets at the same
 * offsets, with different payloads. A shape is learnt from a record that was
 * decoded packet by packet. A record with the same header and padding bytes is
 * then decoded at once, without following the packet lengths.
 */
#pragma once

#include <endian.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * What to do with a packet, by its header byte: most packets need one table
 * lookup and no branch.
 */

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

#define SHAPE_BYTES 128 /* maximum size of a record with a shape */
#define SHAPE_WORDS (SHAPE_BYTES / 8)
/* Bytes that must be readable: the last payload is loaded as eight bytes. */
#define SHAPE_ROOM (SHAPE_BYTES + 8)
#define NR_SHAPES  16

/**
 * struct shape - the layout of a record
 * @fixed: the header and padding bytes, zeros elsewhere
 * @bytes: mask of the header and padding bytes
 * @mask: mask of the payload of each slot; 0 if there is no such packet
 * @at: offset of the payload of each slot
 * @has: enum pmscope_has bits
 * @class: class of the operation
 * @counter: value to set above the payload of SLOT_COUNTER
 * @length: length of the record
 * @unknown: number of packets without a meaning here
 */
struct shape {
	alignas(16) uint64_t fixed[SHAPE_WORDS];
	alignas(16) uint64_t bytes[SHAPE_WORDS];
	uint64_t mask[NR_SLOTS];
	uint8_t at[NR_SLOTS];
	uint32_t has;
	uint32_t counter;
	uint8_t class;
	uint8_t length;
	uint8_t unknown;
};

#define GUESS_BITS 10

/**
 * struct shapes - the shapes in one stream of records
 * @nr: number of known shapes
 * @has: enum pmscope_has bits of all shapes
 * @credit: records without a shape reduce it; at 0, the search pauses: then
 *	    minus the number of batches until it starts again
 * @chosen: @word and @mask are valid
 * @word: offsets of two 8-byte words that distinguish most shapes
 * @mask: which bytes of these words are fixed in all shapes
 * @guess: the shape last found with these bytes, by their hash
 * @shapes: the shapes
 */
struct shapes {
	unsigned int nr;
	uint32_t has;
	int credit;
	bool chosen;
	uint8_t word[2];
	uint64_t mask[2];
	uint8_t guess[1 << GUESS_BITS];
	struct shape shapes[NR_SHAPES];
};

void shapes_init(struct shapes *shapes);

/* Call for each batch: restarts an abandoned search after some batches. */
static inline void shapes_go_on(struct shapes *shapes)
{
	if (shapes->credit <= 0 && ++shapes->credit > 0)
		shapes_init(shapes);
}

/* Is it worthwhile to look for the shape of a record? */
static inline bool shapes_worth(const struct shapes *shapes)
{
	return shapes->credit > 0 && shapes->nr;
}

static inline bool shapes_may_learn(const struct shapes *shapes)
{
	return shapes->credit > 0 && shapes->nr < NR_SHAPES;
}

/* Accounts for @found records with a shape, followed by one without. */
void shapes_credit(struct shapes *shapes, size_t found);

/**
 * shapes_learn() - remember the shape of a record
 * @record: a complete record of @length bytes, already decoded
 * @has: enum pmscope_has bits of the record
 */
void shapes_learn(struct shapes *shapes, const uint8_t *record, size_t length,
		  uint32_t has);

static inline uint64_t shape_word(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The first nonzero byte from @at on, or @len. */
static inline size_t zeros_end(const uint8_t *buf, size_t len, size_t at)
{
	while (at + 8 <= len && !shape_word(buf + at))
		at += 8;
	if (at + 8 <= len)
		return at + __builtin_ctzll(le64toh(shape_word(buf + at))) / 8;
	while (at < len && !buf[at])
		at++;
	return at;
}

typedef uint64_t shape_vector __attribute__((vector_size(16), may_alias));
typedef shape_vector record_vector __attribute__((aligned(1)));

static inline shape_vector shape_differs(const struct shape *shape,
					 const uint8_t *record, unsigned int i)
{
	const shape_vector *bytes = (const shape_vector *)shape->bytes;
	const shape_vector *fixed = (const shape_vector *)shape->fixed;

	return (((const record_vector *)record)[i] & bytes[i]) ^ fixed[i];
}

static inline bool shape_half_fits(const struct shape *shape,
				   const uint8_t *record, unsigned int i)
{
	shape_vector differ = shape_differs(shape, record, i) |
			      shape_differs(shape, record, i + 1) |
			      shape_differs(shape, record, i + 2) |
			      shape_differs(shape, record, i + 3);

	return !(differ[0] | differ[1]);
}

static inline bool shape_fits(const struct shape *shape, const uint8_t *record)
{
	return shape_half_fits(shape, record, 0) &&
	       (shape->length <= SHAPE_BYTES / 2 ||
		shape_half_fits(shape, record, SHAPE_BYTES / 32));
}

static inline unsigned int shapes_hash(const struct shapes *shapes,
				       const uint8_t *record)
{
	uint64_t a = shape_word(record + shapes->word[0]) & shapes->mask[0];
	uint64_t b = shape_word(record + shapes->word[1]) & shapes->mask[1];

	return (a * UINT64_C(0x9e3779b97f4a7c15) +
		b * UINT64_C(0xc2b2ae3d27d4eb4f)) >>
	       (64 - GUESS_BITS);
}

/* The shape that @record probably has. */
static inline unsigned int shapes_guess(const struct shapes *shapes,
					const uint8_t *record)
{
	return shapes->guess[shapes_hash(shapes, record)];
}

/* Searches all shapes and corrects the guess. */
const struct shape *shapes_search(struct shapes *shapes, const uint8_t *record);

/* Finds the shape of @record, of SHAPE_ROOM readable bytes; NULL: none. */
static inline const struct shape *shapes_find(struct shapes *shapes,
					      const uint8_t *record)
{
	const struct shape *shape =
		&shapes->shapes[shapes_guess(shapes, record)];

	if (shape_fits(shape, record))
		return shape;
	return shapes_search(shapes, record);
}
