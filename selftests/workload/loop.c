// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loop ITERATIONS - a loop of 16 instructions: 2 loads, 1 store, 1 branch.
 *
 * Prints its PC range and array range, then loops. Each iteration goes one
 * element further in three tables of 1024 eight-byte elements, so the address
 * of an access tells the iteration modulo 1024, and with the PC the number of
 * the operation modulo 16384: the distance between two samples is known.
 */
#include "bare.h"

#define ELEMENTS 1024

static uint64_t tables[3][ELEMENTS] __attribute__((aligned(PAGE_BYTES)));

extern const char loop_begin[], loop_end[];
void loop_run(uint64_t iterations, uint64_t (*tables)[ELEMENTS]);

__asm__(".pushsection .text\n"
	"	.p2align 6\n"
	"loop_run:\n"
	"	mov	x2, #0\n"
	"	add	x6, x1, #2, lsl #12\n"
	"	add	x8, x1, #4, lsl #12\n"
	"	mov	x4, #0\n"
	"	mov	x7, #0\n"
	"	.p2align 6\n"
	"loop_begin:\n"
	"	ldr	x3, [x1, x2]\n"
	"	add	x4, x4, x3\n"
	"	eor	x9, x4, x7\n"
	"	lsl	x10, x9, #1\n"
	"	ldr	x5, [x6, x2]\n"
	"	add	x7, x7, x5\n"
	"	orr	x11, x10, #1\n"
	"	sub	x12, x11, x9\n"
	"	str	x4, [x8, x2]\n"
	"	eor	x13, x12, x11\n"
	"	add	x4, x4, #3\n"
	"	add	x7, x7, #5\n"
	"	add	x2, x2, #8\n"
	"	and	x2, x2, #0x1fff\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	loop_begin\n"
	"loop_end:\n"
	"	ret\n"
	".popsection\n");

/* An access that faults is an operation, too, and would come twice. */
static void touch_pages(void)
{
	volatile uint64_t *element = tables[0];

	for (size_t i = 0; i < 3 * ELEMENTS; i += PAGE_BYTES / sizeof(*element))
		element[i] = 0;
}

void bare_main(long argc, char **argv)
{
	uint64_t iterations = bare_arg(argc, argv, 1, 1000000);

	touch_pages();
	bare_put("loop");
	bare_put_range(" pc=", loop_begin, loop_end);
	bare_put_range(" va=", tables, tables + 3);
	bare_put(" ops=16 load=2 store=1 branch=1");
	bare_put_count(" iterations=", iterations);
	bare_flush();
	if (iterations)
		loop_run(iterations, tables);
}
