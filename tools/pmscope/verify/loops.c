// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify/verify.h"

#include <sys/auxv.h>

/*
 * Each loop is called with n, at, base and page in x0 to x3, and ends with the
 * same two instructions. HINT #34 is BTI C.
 */
#ifdef __aarch64__
#define LOOP(name, before, body, after)                                    \
	__asm__(".pushsection .text\n.p2align 6\n.type code_" #name        \
		", %function\ncode_" #name ":\nhint #34\n" before          \
		"\n.p2align 6\nbody_" #name ":\n1:\n" body                 \
		"\nsubs x0, x0, #1\nb.ne 1b\n2:\n" after                   \
		"\nmov x0, x1\nret\n.size code_" #name ", . - code_" #name \
		"\n.popsection\n");                                        \
	extern const char body_##name[];                                   \
	uint64_t code_##name(uint64_t n, uint64_t at, void *base,          \
			     unsigned int page)
#define RUN(name)  code_##name
#define BODY(name) body_##name
#else
#define LOOP(name, before, body, after) struct loop
#define RUN(name)			NULL
#define BODY(name)			NULL
#endif

#define TIMES(n, text) ".rept " #n "\n" text "\n.endr\n"

/* Each operation takes the result of the one before it: a cycle. */
LOOP(chain, "lsl x0, x0, #11; mov x3, #1", TIMES(2047, "sub x0, x0, x3"), "");
LOOP(loads, "", TIMES(8, "ldr x4, [x2]"), "");
LOOP(stores, "", TIMES(8, "str x4, [x2]"), "");
#define L "ldr x4, [x2]; "
#define O "add x5, x5, #1; "
#define S "str x5, [x2, #64]; "
#define B "cbnz xzr, 2f; "
/* In the order of MIX_KINDS */
LOOP(mix, "", TIMES(4, L O S B O L B S S B L O B S O L), "");
LOOP(taken, "", TIMES(8, "b 3f; nop; 3:"), "");
LOOP(skipped, "", TIMES(8, "cbnz xzr, 2f"), "");
LOOP(calls, "mov x9, x30; b 1f; 3: hint #34; ret", TIMES(4, "bl 3b"),
     "mov x30, x9");
LOOP(indirect, "adr x16, 3f", "br x16; 3: hint #34", "");
/* xorshift64: a predictor would have to know its 64 bits. */
LOOP(random,
     "mov x4, #0x2545; movk x4, #0xf491, lsl #16; cmp x1, #0; "
     "csel x1, x1, x4, ne",
     "eor x1, x1, x1, lsl #13; eor x1, x1, x1, lsr #7; "
     "eor x1, x1, x1, lsl #17; tbz x1, #20, 3f; ldr x4, [x2]; b 4f; "
     "3: ldr x4, [x2, #64]; b 4f; 4:",
     "");
LOOP(chase, "cmp x1, #0; csel x1, x1, x2, ne", TIMES(8, "ldr x1, [x1]"), "");
/* Pages in an order that no prefetcher follows, in each another line */
LOOP(pages, "mov x5, #1629; mov x6, #3571",
     "madd x1, x1, x5, x6; and x1, x1, #0x1fff; lsl x4, x1, x3; "
     "ubfiz x7, x1, #6, #6; add x4, x4, x2; ldr x8, [x4, x7]",
     "");
LOOP(unaligned, "", TIMES(8, "ldur x4, [x2, #1]"), "");
LOOP(exclusives, "", TIMES(4, "ldxr x4, [x2]; stxr w5, x4, [x2]"), "");
LOOP(atomics, ".arch_extension lse; mov x4, #1", TIMES(8, "ldadd x4, x5, [x2]"),
     "");
LOOP(floating, "fmov d1, #1.0; fmov d2, #2.0", TIMES(8, "fadd d0, d1, d2"), "");
LOOP(vectors, "movi v1.4s, #1", TIMES(8, "add v0.4s, v1.4s, v1.4s"), "");
LOOP(barriers, "", "dmb ish; dsb ish; isb", "");
/* getppid(2), whose result is in x0 */
LOOP(syscalls, "mov x9, x0; mov x8, #173", "svc #0; mov x0, x9; sub x9, x9, #1",
     "");

#define NO_CACHES \
	[L1_MISSES] = UNKNOWN, [L2_MISSES] = UNKNOWN, [LL_MISSES] = UNKNOWN
#define NO_TLBS [TLB_MISSES] = UNKNOWN, [WALKS] = UNKNOWN

/* SUBS and B.NE */
#define ENDS [IMMED] = 1, [INTEGER] = 1

#define ROW(title, code, where, times, instructions, ...)                     \
	.name = title, .run = RUN(code), .body = BODY(code), .region = where, \
	.n = times, .per = {[INSTRUCTIONS] = instructions, __VA_ARGS__}

const struct loop loops[] = {
	{ROW("chain", chain, SMALL, 50,
	     2049, [CYCLES] = 2048, [IMMED] = 1, [INTEGER] = 2048)},
	{ROW("mix", mix, SMALL, 2000, 66, [LOADS] = 16, [STORES] = 16,
	     [IMMED] = 17, [SKIPPED] = 16, [INTEGER] = 17)},
	{ROW("loads", loads, SMALL, 10000, 10, [LOADS] = 8, ENDS)},
	{ROW("stores", stores, SMALL, 10000, 10, [STORES] = 8, ENDS)},
	{ROW("taken", taken, SMALL, 10000, 10, [IMMED] = 9, [INTEGER] = 1)},
	{ROW("skipped", skipped, SMALL, 10000,
	     10, [IMMED] = 9, [SKIPPED] = 8, [INTEGER] = 1)},
	{ROW("calls", calls, SMALL, 5000,
	     14, [IMMED] = 5, [RETURNS] = 4, [INTEGER] = UNKNOWN)},
	{ROW("indirect", indirect, SMALL, 10000,
	     4, [INDIRECT] = 1, [MISPREDICTED] = UNKNOWN, ENDS)},
	{ROW("random", random, SMALL, 10000,
	     8, [LOADS] = 1, [IMMED] = 3, [INTEGER] = 4),
	 .random = true},
	{ROW("misses in L1", chase, RING_2, 10000,
	     10, [LOADS] = 8, [L1_MISSES] = 8, NO_TLBS, ENDS)},
	{ROW("misses in all", chase, RING_M, 2000,
	     10, [LOADS] = 8, [L1_MISSES] = 8, [L2_MISSES] = 8, [LL_MISSES] = 8,
	     NO_TLBS, ENDS)},
	{ROW("of a peer", chase, RING_P, 32, 10, [LOADS] = 8, NO_CACHES,
	     NO_TLBS, ENDS)},
	{ROW("pages", pages, PAGES, 10000, 8, [LOADS] = 1, NO_CACHES,
	     [TLB_MISSES] = 1, [WALKS] = 1, [IMMED] = 1, [INTEGER] = UNKNOWN)},
	{ROW("unaligned", unaligned, SMALL, 10000,
	     10, [LOADS] = 8, [UNALIGNED] = 8, ENDS)},
	{ROW("exclusives", exclusives, SMALL, 10000, 10, [LOADS] = 4,
	     [STORES] = 4, [LOAD_EXCLUSIVES] = 4, [STORE_EXCLUSIVES] = 4,
	     NO_CACHES, ENDS)},
	{ROW("atomics", atomics, SMALL, 10000,
	     10, [LOADS] = UNKNOWN, [STORES] = UNKNOWN,
	     NO_CACHES, [IMMED] = 1, [INTEGER] = UNKNOWN)},
	{ROW("floating", floating, SMALL, 10000, 10, [FLOATING] = 8, ENDS)},
	{ROW("vectors", vectors, SMALL, 10000, 10, [VECTORS] = 8, ENDS)},
	{ROW("barriers", barriers, SMALL, 5000,
	     5, [DMBS] = 1, [DSBS] = 1, [ISBS] = 1, [MISPREDICTED] = UNKNOWN,
	     ENDS)},
	{ROW("system calls", syscalls, SMALL, 500,
	     5, [EXCEPTIONS] = 1, [MISPREDICTED] = UNKNOWN, NO_CACHES,
	     NO_TLBS, [IMMED] = 1, [INTEGER] = UNKNOWN),
	 .traps = true},
};
const size_t nr_loops = sizeof(loops) / sizeof(*loops);
_Static_assert(sizeof(loops) / sizeof(*loops) <= LOOPS_MAX, "LOOPS_MAX");

const struct loop *loop_find(const char *name)
{
	const struct loop *loop = loops;

	while (strcmp(loop->name, name) != 0)
		loop++;
	return loop;
}

uint64_t loop_taken(const struct loop *loop, const struct loop_memory *memory,
		    uint64_t n)
{
	uint64_t at = memory->from ?: 0xf4912545, taken = 0;

	for (; loop->random && n; n--) {
		at ^= at << 13;
		at ^= at >> 7;
		at ^= at << 17;
		taken += !(at & 1 << 20);
	}
	return taken;
}

double loop_quantity(const struct loop *loop, enum quantity quantity,
		     uint64_t n, uint64_t taken)
{
#define OF(q) loop_quantity(loop, q, n, taken)
	switch (quantity) {
	case ACCESSES:
		return OF(LOADS) < 0 ? UNKNOWN : OF(LOADS) + OF(STORES);
	case INDIRECT_TAKEN:
		return OF(RETURNS) + OF(INDIRECT);
	case BRANCHES:
		return OF(IMMED) + OF(INDIRECT_TAKEN);
	case IMMED_TAKEN:
		return OF(IMMED) - OF(SKIPPED);
	case TAKEN:
		return OF(BRANCHES) - OF(SKIPPED);
	case SKIPPED:
		return loop->random ? n - taken : loop->per[SKIPPED] * n;
	case CYCLES:
		return loop->per[CYCLES] ? loop->per[CYCLES] * n : UNKNOWN;
	case MISPREDICTED:
		if (loop->random)
			return taken;
		/* fall through */
	default:
		return loop->per[quantity] < 0 ? UNKNOWN
					       : loop->per[quantity] * n;
	}
#undef OF
}

bool loop_is_possible(const struct loop *loop, const struct loop_memory *memory)
{
	if (!loop->run || !memory->base[loop->region])
		return false;
#ifdef __aarch64__
	if (loop->run == code_atomics)
		return getauxval(AT_HWCAP) & HWCAP_ATOMICS;
#endif
	return true;
}
