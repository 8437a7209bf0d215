// SPDX-License-Identifier: GPL-2.0-or-later
#include "skewed.h"
#include "random.h"

#include <pmscope/packet.h>

#define EL0	      UINT64_C(0x8000000000000000) /* Non-secure */
#define EL2	      UINT64_C(0xc000000000000000)
#define KERNEL_TEXT   UINT64_C(0x00ff800008010000)
#define KERNEL_DATA   UINT64_C(0xffff000800000000)
#define STACK	      UINT64_C(0x0000fffff0000000)
#define HEAP	      UINT64_C(0x0000aaaad0000000)
#define ARRAYS	      UINT64_C(0x0000ffff80000000)
#define FUNCTION_BITS 9
#define FUNCTION_SIZE 0x180
#define LINE_BITS     20
#define LATENCY_MAX   4095

enum events {
	RETIRED = 1 << 1,
	L1D_ACCESS = 1 << 2,
	L1D_REFILL = 1 << 3,
	TLB_ACCESS = 1 << 4,
	TLB_REFILL = 1 << 5,
	NOT_TAKEN = 1 << 6,
	MISPRED = 1 << 7,
	LLC_ACCESS = 1 << 8,
	LLC_REFILL = 1 << 9,
};

/* What is sampled, before it is laid out. */
struct sampled {
	uint64_t pc, address;
	uint32_t total, issue, translate;
	uint16_t events;
	uint8_t class, op, source;
};

static uint64_t hash(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

static bool chance(struct skewed *s, uint32_t permille)
{
	return random_below(&s->random, 1000) < permille;
}

/* Below 1 << @bits, each as often as one divided by it, or so. */
static uint32_t rank(struct skewed *s, unsigned int bits)
{
	unsigned int size = random_below(&s->random, bits + 1);

	return size ? (1U << (size - 1)) +
			       random_below(&s->random, 1U << (size - 1))
		    : 0;
}

/* Each doubling of @most half as often. */
static uint32_t tail(struct skewed *s, uint32_t most)
{
	while (most < LATENCY_MAX / 2 && chance(s, 300))
		most *= 2;
	return random_below(&s->random, most);
}

static void go_on(struct skewed *s)
{
	/* The sampling interval at some instructions a tick; or it waited. */
	s->ticks += 20 + tail(s, 40);
	if (chance(s, 1))
		s->ticks += random_below(&s->random, 100000);
	if (chance(s, 1) || !s->task)
		s->task = SKEWED_TASK + rank(s, 2) % SKEWED_TASKS;
	if (chance(s, 300) || !s->function) {
		s->kernel = chance(s, 120);
		/* Those that are called much are spread over the text. */
		s->function = 1 + hash(rank(s, FUNCTION_BITS)) %
					  (1U << FUNCTION_BITS);
	}
}

static uint64_t in_text(const struct skewed *s, uint64_t function, uint64_t at)
{
	uint64_t offset = function * FUNCTION_SIZE + (at & ~3UL);

	return s->kernel ? EL2 | (KERNEL_TEXT + offset)
			 : EL0 | (SKEWED_TEXT + 0x10000 + offset);
}

/* Of a function the loop of 8 to 32 instructions has three quarters. */
static uint64_t some_pc(struct skewed *s)
{
	uint64_t function = s->function - 1, habits = hash(function + 77);
	uint32_t size = 32U << (habits & 1) << (habits >> 1 & 1);
	uint32_t start = habits >> 32 & 0xfc;

	if (chance(s, 750))
		return in_text(s, function,
			       start + random_below(&s->random, size));
	return in_text(s, function, random_below(&s->random, FUNCTION_SIZE));
}

static uint64_t some_data(struct skewed *s, uint64_t habits, uint32_t *far)
{
	unsigned int array = habits >> 20 & 15;
	uint32_t line;

	*far = 0;
	if (habits >> 8 & 1) /* the stack, by the function's frame */
		return (s->kernel ? KERNEL_DATA : STACK) -
		       ((uint64_t)s->task << 13) - (habits >> 24 & 0xff8);
	if (habits >> 9 & 1) {
		s->walked[array] += 8 * random_below(&s->random, 64);
		*far = 4; /* fetched ahead, mostly */
		return ARRAYS + ((uint64_t)array << 26) +
		       (s->walked[array] & 0x3ffffff);
	}
	line = rank(s, LINE_BITS);
	*far = line >> 9;
	return (s->kernel ? KERNEL_DATA : HEAP) +
	       (hash(line) % (1U << LINE_BITS)) * 64 + (habits >> 24 & 56);
}

/* Where @far is in some 512 lines: nearly always next to the CPU. */
static void hit(struct skewed *s, struct sampled *to, uint32_t far)
{
	static const struct {
		uint16_t events;
		uint8_t source, least, more;
	} level[] = {
		{0, 0x0, 4, 1},
		{L1D_REFILL, 0x8, 9, 8},
		{L1D_REFILL | LLC_ACCESS, 0xb, 40, 60},
		{L1D_REFILL | LLC_ACCESS | LLC_REFILL, 0xe, 130, 120},
		{L1D_REFILL | LLC_ACCESS, 0x9, 60, 60},
	};
	unsigned int at = 0;

	while (at < 3 && chance(s, far > 999 ? 700 : far / 2 + 8))
		at++;
	if (at == 2 && chance(s, 100))
		at = 4;
	to->events |= L1D_ACCESS | TLB_ACCESS | level[at].events;
	to->source = level[at].source;
	to->total += level[at].least + tail(s, level[at].more);
	to->translate = 1 + (at ? random_below(&s->random, 4) : 0);
	if (at && chance(s, 60)) {
		to->events |= TLB_REFILL;
		to->translate += 20 + tail(s, 60);
		to->total += to->translate;
	}
}

static void load_or_store(struct skewed *s, struct sampled *to, uint64_t habits,
			  bool store)
{
	static const uint8_t registers[] = {0x00, 0x00, 0x00, 0x00,
					    0x00, 0x00, 0x04, 0x12};
	uint32_t far;

	to->class = PMSCOPE_OPERATION_LOAD_STORE;
	to->op = registers[habits >> 12 & 7] | store;
	to->address = some_data(s, habits, &far);
	hit(s, to, far);
}

static void branch(struct skewed *s, struct sampled *to, uint64_t habits)
{
	bool conditional = habits >> 12 & 3, hard = !(habits >> 14 & 7);
	bool taken = !conditional || chance(s, hard ? 500 : 880);
	uint64_t next = to->pc + 4;

	to->class = PMSCOPE_OPERATION_BRANCH;
	to->op = conditional ? 1 : habits >> 18 & 2;
	if (!taken)
		to->events |= NOT_TAKEN;
	if (chance(s, hard ? 180 : 6))
		to->events |= MISPRED;
	if (taken && conditional)
		next = to->pc - (habits >> 20 & 0x7c) + 32;
	else if (taken)
		next = in_text(s, hash(habits) % (1U << FUNCTION_BITS), 0);
	to->address = next;
	to->total += 1;
}

static struct sampled sample(struct skewed *s)
{
	struct sampled to = {.pc = some_pc(s), .events = RETIRED};
	uint64_t habits = hash(to.pc);
	unsigned int kind = habits % 100;

	to.issue = 1 + tail(s, 1U << (1 + (habits >> 40 & 3)));
	to.total = to.issue;
	if (kind < 27) {
		load_or_store(s, &to, habits, false);
	} else if (kind < 38) {
		load_or_store(s, &to, habits, true);
	} else if (kind < 56) {
		branch(s, &to, habits);
	} else {
		to.op = kind < 90 ? 0 : 1 << (habits >> 12 & 1);
		to.total += 1 + (kind > 95 ? tail(s, 12) : 0);
	}
	if (to.total > LATENCY_MAX)
		to.total = LATENCY_MAX;
	return to;
}

static void put_address(struct bytes *b, unsigned int index, uint64_t value)
{
	put_packet(b, PMSCOPE_PACKET_ADDRESS, index, 8, value);
}

static void put_counter(struct bytes *b, unsigned int index, uint32_t value)
{
	put_packet(b, PMSCOPE_PACKET_COUNTER, index, 2, value);
}

static void put_n1(struct bytes *b, const struct skewed *s,
		   const struct sampled *from)
{
	size_t end = b->size + 55;
	bool data = from->class == PMSCOPE_OPERATION_LOAD_STORE;

	put_address(b, PMSCOPE_ADDRESS_PC, from->pc);
	put_zeros(b, 5);
	put_packet(b, PMSCOPE_PACKET_CONTEXT, 1, 4, s->task);
	put_packet(b, PMSCOPE_PACKET_OPERATION, from->class, 1, from->op);
	put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 2, from->events);
	put_counter(b, PMSCOPE_COUNTER_ISSUE, from->issue);
	put_counter(b, PMSCOPE_COUNTER_TOTAL, from->total);
	if (data) {
		put_address(b, PMSCOPE_ADDRESS_VA, from->address);
		put_counter(b, PMSCOPE_COUNTER_TRANSLATE, from->translate);
		put_zeros(b, 9);
	} else if (from->class == PMSCOPE_OPERATION_BRANCH) {
		put_address(b, PMSCOPE_ADDRESS_TARGET, from->address);
	}
	if (data && !(from->op & 1))
		put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0, 1, from->source);
	put_zeros(b, end - b->size);
	put_timestamp(b, s->ticks);
}

static void put_kunpeng(struct bytes *b, const struct skewed *s,
			const struct sampled *from)
{
	bool data = from->class == PMSCOPE_OPERATION_LOAD_STORE;

	put_address(b, PMSCOPE_ADDRESS_PC, from->pc);
	put_counter(b, PMSCOPE_COUNTER_ISSUE, from->issue);
	put_counter(b, PMSCOPE_COUNTER_TOTAL, from->total);
	put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 2, from->events);
	put_packet(b, PMSCOPE_PACKET_OPERATION, from->class, 1, from->op);
	if (data) {
		put_address(b, PMSCOPE_ADDRESS_VA, from->address);
		put_counter(b, PMSCOPE_COUNTER_TRANSLATE, from->translate);
	} else if (from->class == PMSCOPE_OPERATION_BRANCH) {
		put_address(b, PMSCOPE_ADDRESS_TARGET, from->address);
	}
	put_packet(b, PMSCOPE_PACKET_CONTEXT, 1, 4, s->task);
	/* The next begins at a multiple of four. */
	put_zeros(b, -(b->size + 9) & 3);
	put_timestamp(b, s->ticks);
}

void put_skewed(struct bytes *b, struct skewed *s)
{
	struct sampled from;

	go_on(s);
	from = sample(s);
	if (s->layout == SKEWED_KUNPENG)
		put_kunpeng(b, s, &from);
	else
		put_n1(b, s, &from);
}

void put_skewed_stream(struct bytes *b, uint64_t *random, size_t size)
{
	struct skewed s = {
		.random = random_next(random) | 1,
		.ticks = 1000,
		.layout = random_below(random, 2),
	};
	size_t end = b->size + size;

	while (b->size < end)
		put_skewed(b, &s);
}
