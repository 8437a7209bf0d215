// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limits NAME [PERCENT] - a loop, or two, each limited by what its name says.
 *
 * Nothing is prepared: memory is zero, and addresses that seem to depend on it
 * come from a generator. Each program has functions of its own, whose names begin
 * with its name, so that the cycles of each address belong to one program. PERCENT
 * is for how much of its rounds it runs.
 */
#include "bare.h"

#define MIB (UINT64_C(1) << 20)

/* A next line of @at, any of a power of two of bytes; needs x12 to x14. */
#define SEED \
	"mov x12, #0x660d\n movk x12, #0x19, lsl #16\n mov x13, #0xf340\n" \
	"movk x13, #0x3c6e, lsl #16\n"
#define NEXT(at) "madd " at ", " at ", x12, x13\n and " at ", " at ", x14\n"
#define WITHIN(mask) SEED "mov x14, #" mask "\n"
#define IN_16_MIB    "0xffffc0"
#define IN_128_KIB   "0x1ffc0"
/* Of 2048 pages a line each, each further on in its page */
#define PAGES "mov x14, #4160\n"

#define ADDS4 \
	"add x3, x3, #1\n add x4, x4, #1\n add x5, x5, #1\n add x6, x6, #1\n"
#define ADDS3 "add x3, x11, x9\n add x4, x11, x9\n add x5, x11, x9\n"

/* @body: x9 is 3, x10 and x11 are 0, %1 is memory, d1 is 1 and d2 a bit more. */
#define LOOP(name, before, body)                                              \
	static __attribute__((noinline, noclone)) void name(uint64_t rounds,  \
							    char *memory)     \
	{                                                                     \
		__asm__ volatile(                                             \
			".arch_extension lse\n mov x9, #3\n mov x10, #0\n"    \
			"mov x11, #0\n fmov d1, #1.0\n fmov d2, #1.0625\n"    \
			before ".p2align 6\n 1:\n" body                       \
			"subs %0, %0, #1\n b.ne 1b\n"                         \
			: "+r"(rounds)                                        \
			: "r"(memory)                                         \
			: "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",    \
			  "x11", "x12", "x13", "x14", "x15", "x30", "v0",     \
			  "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc",     \
			  "memory");                                          \
	}

/* Each load needs the one before it. */
#define CHASE "ldr x11, [%1, x10]\n add x10, x10, x11\n" NEXT("x10")
#define READS                                                                 \
	"ldr x11, [%1, x10]\n add x9, x9, x11\n add x10, x10, #64\n"         \
	"and x10, x10, #0xffffff\n"
#define DEPENDANTS                                                            \
	"ldr x11, [%1, x10]\n" NEXT("x10") ADDS3 ADDS3 ADDS3 ADDS3 ADDS3      \
		ADDS3 ADDS3 ADDS3 ADDS3 ADDS3
#define STRIDE                                                                \
	"mul x15, x10, x14\n ldr x11, [%1, x15]\n add x10, x10, #1\n"         \
	"and x10, x10, #0x7ff\n"
#define WALKS STRIDE "add x10, x10, x11\n"
#define JOIN                                                                  \
	"ldr x7, [%1, x15]\n add x15, x15, #8\n and x15, x15, #0xffff\n"      \
	"add x8, x8, #37\n add x8, x8, x7\n mul x10, x8, x12\n"               \
	"and x10, x10, x14\n ldr x11, [%1, x10]\n cbnz x11, 2f\n"             \
	"add x9, x9, #1\n 2:\n"
#define STREAM                                                                \
	"str x9, [%1, x10]\n add x10, x10, #64\n and x10, x10, #0xffffff\n"
#define COPY                                                                  \
	"add x3, %1, x10\n ldp q4, q5, [x3]\n ldp q6, q7, [x3, #32]\n"        \
	"add x4, x3, x14\n stp q4, q5, [x4]\n stp q6, q7, [x4, #32]\n"        \
	"add x10, x10, #64\n and x10, x10, #0x7fffff\n"
#define RANDOM                                                                \
	"eor x9, x9, x9, lsl #13\n eor x9, x9, x9, lsr #7\n"                  \
	"eor x9, x9, x9, lsl #17\n"
#define GUESSES RANDOM "tbz x9, #20, 2f\n add x3, x3, #1\n 2:\n"
#define CALLS                                                                 \
	RANDOM "adr x10, 3f\n ubfx x11, x9, #20, #2\n"                        \
	"add x10, x10, x11, lsl #3\n blr x10\n b 2f\n"                        \
	"3: add x3, x3, #1\n ret\n add x3, x3, #2\n ret\n"                    \
	"add x3, x3, #3\n ret\n add x3, x3, #4\n ret\n 2:\n"
#define ALU ADDS4 ADDS4 ADDS4 ADDS4
#define SUMS                                                                  \
	"ldr x3, [%1, x10]\n add x10, x10, #8\n add x4, x4, #1\n"             \
	"ldr x5, [%1, x12]\n add x12, x12, #8\n add x6, x6, #1\n"             \
	"and x10, x10, #0x7ff\n and x12, x12, #0x7ff\n"                     \
	"add x7, x7, #1\n add x8, x8, #1\n"
#define FDIVS  "fdiv d1, d1, d2\n"
#define UDIVS  "udiv x9, x9, x9\n add x9, x9, #3\n"
#define MULS   "mul x9, x9, x9\n mul x9, x9, x9\n mul x9, x9, x9\n"
#define FMAS   "fmadd d1, d1, d2, d2\n fmadd d1, d1, d2, d2\n"
/* CPUs may run in turn, and then each for longer than this takes. */
#define GIVE_WAY   "tst %0, #127\n b.ne 2f\n yield\n 2:\n"
#define ADDS_TO_IT "ldr x9, [%1]\n add x9, x9, #1\n str x9, [%1]\n" GIVE_WAY
#define ATOMICS	   "ldaddal x9, x11, [%1]\n" GIVE_WAY

struct part {
	void (*run)(uint64_t rounds, char *memory);
	uint64_t rounds;
};

/* @second: of the first part, another process runs it @apart bytes further. */
struct program {
	const char *name;
	struct part parts[2];
	int apart;
	_Bool second;
};

#define PROGRAMS(ONE, SHARED, TWO)                                                   \
	ONE(chase, 60000, WITHIN(IN_16_MIB), CHASE)                                  \
	ONE(reads, 60000, "", READS)                                                 \
	ONE(dependants, 12000, WITHIN(IN_16_MIB), DEPENDANTS)                        \
	ONE(join, 30000, WITHIN(IN_16_MIB), JOIN)                                    \
	ONE(walks, 80000, PAGES, WALKS)                                              \
	ONE(stride, 80000, PAGES, STRIDE)                                            \
	ONE(l2, 200000, WITHIN(IN_128_KIB), CHASE)                                   \
	ONE(copy, 40000, "mov x14, #0x800000\n", COPY)                               \
	ONE(stores, 80000, "", STREAM)                                               \
	ONE(guesses, 60000, "", GUESSES)                                             \
	ONE(calls, 30000, "", CALLS)                                                 \
	ONE(fdivs, 120000, "", FDIVS)                                                \
	ONE(udivs, 80000, "", UDIVS)                                                 \
	ONE(muls, 80000, "", MULS)                                                   \
	ONE(fmas, 80000, "", FMAS)                                                   \
	ONE(alu, 20000, "", ALU)                                                     \
	ONE(sums, 30000, "mov x12, #0\n", SUMS)                                      \
	SHARED(false_sharing, 60000, 8, "", ADDS_TO_IT)                              \
	SHARED(true_sharing, 60000, 0, "", ADDS_TO_IT)                               \
	SHARED(atomics, 60000, 0, "", ATOMICS)                                       \
	TWO(chase_fdivs, 20000, 120000, WITHIN(IN_16_MIB), CHASE, "", FDIVS)         \
	TWO(chase_guesses, 20000, 60000, WITHIN(IN_16_MIB), CHASE, "", GUESSES)      \
	TWO(fdivs_chase, 120000, 5000, "", FDIVS, WITHIN(IN_16_MIB), CHASE)          \
	TWO(walks_reads, 40000, 60000, PAGES, WALKS, "", READS)                      \
	TWO(guesses_l2, 60000, 40000, "", GUESSES, WITHIN(IN_128_KIB), CHASE)        \
	TWO(l2_fdivs, 80000, 60000, WITHIN(IN_128_KIB), CHASE, "", FDIVS)            \
	TWO(guesses_muls, 60000, 30000, "", GUESSES, "", MULS)                       \
	TWO(dependants_calls, 6000, 20000, WITHIN(IN_16_MIB), DEPENDANTS, "", CALLS) \
	TWO(walks_guesses, 40000, 30000, PAGES, WALKS, "", GUESSES)                  \
	TWO(join_fdivs, 20000, 40000, WITHIN(IN_16_MIB), JOIN, "", FDIVS)

#define LOOP_ONE(name, rounds, before, body) LOOP(name##_one, before, body)
#define LOOP_SHARED(name, rounds, apart, before, body) \
	LOOP(name##_one, before, body)
#define LOOP_TWO(name, rounds, rounds2, before, body, before2, body2) \
	LOOP(name##_one, before, body) LOOP(name##_two, before2, body2)
PROGRAMS(LOOP_ONE, LOOP_SHARED, LOOP_TWO)

#define ROW_ONE(name, rounds, ...) {#name, {{name##_one, rounds}}, 0, 0},
#define ROW_SHARED(name, rounds, apart, ...) \
	{#name, {{name##_one, rounds}}, apart, 1},
#define ROW_TWO(name, rounds, rounds2, ...) \
	{#name, {{name##_one, rounds}, {name##_two, rounds2}}, 0, 0},
static const struct program programs[] = {
	PROGRAMS(ROW_ONE, ROW_SHARED, ROW_TWO)
};

static char *allocate(size_t bytes)
{
	long at = bare_syscall(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE);

	if (at < 0 && at > -PAGE_BYTES)
		bare_exit(2);
	return (char *)at;
}

static void go_to(int cpu)
{
	uint64_t mask = UINT64_C(1) << cpu;

	if (bare_syscall(__NR_sched_setaffinity, 0, sizeof(mask), (long)&mask,
			 0))
		bare_exit(2);
}

/* Both begin at about the same time; returns where the memory of each begins. */
static char *split(char *memory, int apart)
{
	int ends[2];
	char go = 0;

	if (bare_syscall(__NR_pipe2, (long)ends, 0, 0, 0))
		bare_exit(2);
	if (!bare_syscall(__NR_clone, 17 /* SIGCHLD */, 0, 0, 0)) {
		go_to(1);
		bare_syscall(__NR_read, ends[0], (long)&go, 1, 0);
		return memory + apart;
	}
	go_to(0);
	bare_syscall(__NR_write, ends[1], (long)&go, 1, 0);
	return memory;
}

static _Bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

void bare_main(long argc, char **argv)
{
	const struct program *p = programs;
	const struct program *end = p + sizeof(programs) / sizeof(*p);
	uint64_t percent = bare_arg(argc, argv, 2, 100);
	char *memory;

	if (argc < 2) {
		for (; p < end; p++) {
			bare_put(p->name);
			bare_flush();
		}
		return;
	}
	while (p < end && !same(p->name, argv[1]))
		p++;
	if (p == end)
		bare_exit(2);
	memory = allocate(16 * MIB);
	if (p->second)
		memory = split(memory, p->apart);
	for (int i = 0; i < 2; i++)
		if (p->parts[i].run)
			p->parts[i].run(p->parts[i].rounds * percent / 100 + 1,
					memory);
	bare_syscall(__NR_wait4, -1, 0, 0, 0);
}
