// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * branches ITERATIONS - branches of known behaviour, one of each kind.
 *
 * "always" is taken each time, "never" not once, "alternate" every second
 * time, "random" as a bit of a 64-bit xorshift generator says: no predictor
 * gets the last one right. A branch that is taken skips one nop: 17
 * instructions an iteration in the mean, 16 to 18 in each.
 */
#include "bare.h"

extern const char branches_begin[], branches_end[];
extern const char branch_always[], branch_never[], branch_alternate[];
extern const char branch_random[], branch_back[];
void branches_run(uint64_t iterations);

__asm__(".pushsection .text\n"
	"	.p2align 6\n"
	"branches_run:\n"
	"	mov	x1, #0x2545\n"
	"	movk	x1, #0xf491, lsl #16\n"
	"	.p2align 6\n"
	"branches_begin:\n"
	"	cmp	xzr, xzr\n"
	"branch_always:\n"
	"	b.eq	1f\n"
	"	nop\n"
	"1:\n"
	"branch_never:\n"
	"	cbz	x0, branches_end\n"
	"	eor	x1, x1, x1, lsl #13\n"
	"	eor	x1, x1, x1, lsr #7\n"
	"	eor	x1, x1, x1, lsl #17\n"
	"branch_alternate:\n"
	"	tbz	x0, #0, 3f\n"
	"	nop\n"
	"3:	add	x2, x2, x1\n"
	"	add	x3, x3, #1\n"
	"	add	x4, x4, #2\n"
	"branch_random:\n"
	"	tbz	x1, #20, 4f\n"
	"	nop\n"
	"4:	add	x5, x5, #3\n"
	"	add	x6, x6, #4\n"
	"	eor	x7, x6, x5\n"
	"	subs	x0, x0, #1\n"
	"branch_back:\n"
	"	b.ne	branches_begin\n"
	"branches_end:\n"
	"	ret\n"
	".popsection\n");

static void put_pc(const char *name, const char *pc)
{
	bare_put(name);
	bare_put("0x");
	bare_put_number((uint64_t)pc, 16);
}

void bare_main(long argc, char **argv)
{
	uint64_t iterations = bare_arg(argc, argv, 1, 1000000);

	bare_put("branches");
	bare_put_range(" pc=", branches_begin, branches_end);
	bare_put(" ops=17 branch=5");
	put_pc(" always=", branch_always);
	put_pc(" never=", branch_never);
	put_pc(" alternate=", branch_alternate);
	put_pc(" random=", branch_random);
	put_pc(" back=", branch_back);
	bare_put_count(" iterations=", iterations);
	bare_flush();
	if (iterations)
		branches_run(iterations);
}
