// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Operation Type payloads. A row says which payloads belong to a subclass,
 * perf's name for it, and the further bits with a name.
 */
#include <pmscope/operation.h>

#include "base/text.h"

#include <pthread.h>

/* How a subclass gives the size of its vectors. */
enum operation_length {
	LENGTH_NONE,
	LENGTH_EVL,
	LENGTH_ETS
};

struct operation_bit {
	uint8_t mask;
	uint8_t value;
	const char *name;
	uint32_t flag;
};

struct operation_subclass {
	uint8_t mask;
	uint8_t value;
	const char *name;
	uint32_t flags;
	enum operation_length length;
	struct operation_bit bits[6];
};

static const struct operation_subclass other[] = {
	{0x89,
	 0x08,
	 "SVE-OTHER",
	 PMSCOPE_OP_SVE,
	 LENGTH_EVL,
	 {{0x02, 0x02, " FP", PMSCOPE_OP_FP},
	  {0x04, 0x04, " PRED", PMSCOPE_OP_PREDICATED}}},
	{0x89,
	 0x88,
	 "SME-OTHER",
	 PMSCOPE_OP_SME,
	 LENGTH_ETS,
	 {{0x02, 0x02, " FP", PMSCOPE_OP_FP}}},
	{0xf8,
	 0x00,
	 "OTHER",
	 0,
	 LENGTH_NONE,
	 {{0x04, 0x04, " ASE", PMSCOPE_OP_SIMD_FP},
	  {0x02, 0x02, " FP", PMSCOPE_OP_FP},
	  {0x01, 0x01, " COND-SELECT", PMSCOPE_OP_CONDITIONAL},
	  {0x01, 0x00, " INSN-OTHER", 0}}},
	{},
};

static const struct operation_subclass load_store[] = {
	{0xe2,
	 0x02,
	 "",
	 0,
	 LENGTH_NONE,
	 {{0x04, 0x04, " AT", PMSCOPE_OP_ATOMIC},
	  {0x08, 0x08, " EXCL", PMSCOPE_OP_EXCLUSIVE},
	  {0x10, 0x10, " AR", PMSCOPE_OP_ACQUIRE_RELEASE}}},
	{0xfe, 0x04, " SIMD-FP", PMSCOPE_OP_SIMD_FP, LENGTH_NONE, {}},
	{0xfe, 0x00, " GP-REG", 0, LENGTH_NONE, {}},
	{0xfe, 0x10, " UNSPEC-REG", 0, LENGTH_NONE, {}},
	{0xfe, 0x30, " NV-SYSREG", 0, LENGTH_NONE, {}},
	{0xfe, 0x14, " MTE-TAG", PMSCOPE_OP_MTE_TAG, LENGTH_NONE, {}},
	{0xfe, 0x20, " MEMCPY", PMSCOPE_OP_MEMCPY, LENGTH_NONE, {}},
	{0xff, 0x25, " MEMSET", PMSCOPE_OP_MEMSET, LENGTH_NONE, {}},
	{0x0a,
	 0x08,
	 " SVE-SME-REG",
	 PMSCOPE_OP_SVE,
	 LENGTH_EVL,
	 {{0x04, 0x04, " PRED", PMSCOPE_OP_PREDICATED},
	  {0x80, 0x80, " SG", PMSCOPE_OP_GATHER_SCATTER}}},
	{0xfa,
	 0x40,
	 " GCS",
	 PMSCOPE_OP_GCS,
	 LENGTH_NONE,
	 {{0x04, 0x04, " COMM", 0}}},
	{},
};

static const struct operation_subclass branch[] = {
	{0x00,
	 0x00,
	 "",
	 PMSCOPE_OP_BRANCH,
	 LENGTH_NONE,
	 {{0x01, 0x01, " COND", PMSCOPE_OP_CONDITIONAL},
	  {0x02, 0x02, " IND", PMSCOPE_OP_INDIRECT},
	  {0x04, 0x04, " GCS", PMSCOPE_OP_GCS},
	  {0x18, 0x08, " CR-BL", PMSCOPE_OP_CALL},
	  {0x18, 0x10, " CR-RET", PMSCOPE_OP_RETURN},
	  {0x18, 0x18, " CR-NON-BL-RET", 0}}},
	{},
};

static const struct operation_subclass undefined[] = {
	{},
};

/* The two class bits of a header allow four classes. */
static const struct operation_subclass *const classes[4] = {
	[PMSCOPE_OPERATION_OTHER] = other,
	[PMSCOPE_OPERATION_LOAD_STORE] = load_store,
	[PMSCOPE_OPERATION_BRANCH] = branch,
	[3] = undefined,
};

#define NR_BITS ARRAY_SIZE(other[0].bits)

static const struct operation_subclass *subclass_find(unsigned int class,
						      uint8_t payload)
{
	if (class >= ARRAY_SIZE(classes))
		return NULL;
	for (const struct operation_subclass *s = classes[class]; s->name; s++)
		if ((payload & s->mask) == s->value)
			return s;
	return NULL;
}

static uint32_t class_flags(unsigned int class, uint8_t payload)
{
	if (class != PMSCOPE_OPERATION_LOAD_STORE)
		return 0;
	return payload & 1 ? PMSCOPE_OP_STORE : PMSCOPE_OP_LOAD;
}

uint32_t pmscope_operation_flags(unsigned int class, uint8_t payload)
{
	const struct operation_subclass *s = subclass_find(class, payload);
	uint32_t flags = class_flags(class, payload);

	if (!s)
		return flags;
	flags |= s->flags;
	for (size_t i = 0; i < NR_BITS && s->bits[i].name; i++)
		if ((payload & s->bits[i].mask) == s->bits[i].value)
			flags |= s->bits[i].flag;
	return flags;
}

/* The size in bits, a power of two: EVL from 32, ETS from 128 (D17). */
static char *text_length(char *p, enum operation_length length, uint8_t payload)
{
	unsigned int evl = payload >> 4 & 0x7;

	switch (length) {
	case LENGTH_EVL:
		p = text_string(p, " EVLEN ");
		return text_unsigned(p, 32U << evl);
	case LENGTH_ETS:
		p = text_string(p, " ETS ");
		return text_unsigned(p,
				     128U << (evl << 1 | (payload >> 2 & 1)));
	default:
		return p;
	}
}

static char *text_class(char *p, unsigned int class, uint8_t payload)
{
	switch (class) {
	case PMSCOPE_OPERATION_LOAD_STORE:
		return text_string(p, payload & 1 ? "ST" : "LD");
	case PMSCOPE_OPERATION_BRANCH:
		return text_string(p, "B");
	default:
		return p;
	}
}

/*
 * Text for payloads without a name: payload and class as numbers. For a payload
 * of class 0 without a subclass, perf prints stale text of its buffer.
 */
static char *text_raw(char *p, unsigned int class, uint8_t payload)
{
	p = text_string(p, "OP-TYPE 0x");
	p = text_hex(p, payload, 1);
	p = text_string(p, " (");
	p = text_unsigned(p, class);
	return text_string(p, ")");
}

static size_t make_text(unsigned int class, uint8_t payload, char *text)
{
	const struct operation_subclass *s = subclass_find(class, payload);
	char *p = text_class(text, class, payload);

	if (!s)
		return (p == text ? text_raw(p, class, payload) : p) - text;
	p = text_string(p, s->name);
	p = text_length(p, s->length, payload);
	for (size_t i = 0; i < NR_BITS && s->bits[i].name; i++)
		if ((payload & s->bits[i].mask) == s->bits[i].value)
			p = text_string(p, s->bits[i].name);
	return p - text;
}

/*
 * All possible texts, built once: building one takes longer than decoding its
 * record. They have a fixed size, so that they can be copied at once.
 */
#define TEXT_ROOM 47

static struct operation_text {
	char text[TEXT_ROOM];
	uint8_t length;
} texts[ARRAY_SIZE(classes)][256];

static void make_texts(void)
{
	char text[64];

	for (unsigned int class = 0; class < ARRAY_SIZE(classes); class ++)
		for (unsigned int payload = 0; payload < 256; payload++) {
			struct operation_text *t = &texts[class][payload];

			t->length = make_text(class, payload, text);
			memcpy(t->text, text, t->length);
		}
}

size_t pmscope_operation_text(unsigned int class, uint8_t payload, char *text)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (class >= ARRAY_SIZE(classes))
		return 0;
	pthread_once(&once, make_texts);
	memcpy(text, texts[class][payload].text, TEXT_ROOM);
	return texts[class][payload].length;
}

const char *pmscope_operation_class_name(unsigned int class, uint8_t payload)
{
	switch (class) {
	case PMSCOPE_OPERATION_OTHER:
		return "other";
	case PMSCOPE_OPERATION_LOAD_STORE:
		return payload & 1 ? "store" : "load";
	case PMSCOPE_OPERATION_BRANCH:
		return "branch";
	default:
		return "unknown";
	}
}
