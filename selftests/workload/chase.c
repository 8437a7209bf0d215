// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chase BYTES STEPS [STRIDE] - follows pointers, each in a cache line of its
 * own.
 *
 * The lines form one cycle in an order no prefetcher guesses, so a step costs
 * what the level of memory costs that holds BYTES. Prints the range of the
 * chase itself and of the array: filling the array comes before and shows
 * other PCs. With a STRIDE of a page and a line, 4160, few lines miss the TLB.
 */
#include "bare.h"

#define LINE 64
/* Full period modulo a power of two: multiplier 1 mod 4, odd increment. */
#define MULTIPLIER 1664525
#define INCREMENT  1013904223

extern const char chase_begin[], chase_end[];
void *chase_run(uint64_t steps, void *first);

__asm__(".pushsection .text\n"
	"	.p2align 6\n"
	"chase_run:\n"
	"chase_begin:\n"
	"	ldr	x1, [x1]\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	chase_begin\n"
	"chase_end:\n"
	"	mov	x0, x1\n"
	"	ret\n"
	".popsection\n");

/* The largest power of two of lines that fits. */
static uint64_t lines_in(uint64_t bytes, uint64_t stride)
{
	uint64_t lines = 1;

	while (lines * 2 * stride <= bytes)
		lines *= 2;
	return lines;
}

static void link_lines(char *array, uint64_t lines, uint64_t stride)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < lines; i++) {
		uint64_t next = (at * MULTIPLIER + INCREMENT) & (lines - 1);

		*(char **)(array + at * stride) = array + next * stride;
		at = next;
	}
}

void bare_main(long argc, char **argv)
{
	uint64_t stride = bare_arg(argc, argv, 3, LINE);
	uint64_t lines = lines_in(bare_arg(argc, argv, 1, 16384), stride);
	uint64_t steps = bare_arg(argc, argv, 2, 1000000);
	char *array = bare_alloc(lines * stride);

	bare_put("chase");
	bare_put_range(" pc=", chase_begin, chase_end);
	bare_put_range(" va=", array, array + lines * stride);
	bare_put(" ops=3 load=1 branch=1");
	bare_put_count(" steps=", steps);
	bare_flush();
	link_lines(array, lines, stride);
	if (steps)
		chase_run(steps, array);
}
