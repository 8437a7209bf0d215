// SPDX-License-Identifier: GPL-2.0-or-later
/* stores ITERATIONS - eight instructions: 4 stores, 1 branch, no load. */
#include "bare.h"

#define BYTES 16384

static uint64_t table[BYTES / 8] __attribute__((aligned(PAGE_BYTES)));

extern const char stores_begin[], stores_end[];
void stores_run(uint64_t iterations, uint64_t *table);

__asm__(".pushsection .text\n"
	"	.p2align 6\n"
	"stores_run:\n"
	"	mov	x2, #0\n"
	"	.p2align 6\n"
	"stores_begin:\n"
	"	add	x3, x1, x2\n"
	"	str	x0, [x3]\n"
	"	str	w0, [x3, #8]\n"
	"	strb	w0, [x3, #16]\n"
	"	strh	w0, [x3, #24]\n"
	"	eor	x2, x2, #0x20\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	stores_begin\n"
	"stores_end:\n"
	"	ret\n"
	".popsection\n");

void bare_main(long argc, char **argv)
{
	uint64_t iterations = bare_arg(argc, argv, 1, 1000000);

	bare_put("stores");
	bare_put_range(" pc=", stores_begin, stores_end);
	bare_put_range(" va=", table, table + BYTES / 8);
	bare_put(" ops=8 store=4 branch=1");
	bare_put_count(" iterations=", iterations);
	bare_flush();
	if (iterations)
		stores_run(iterations, table);
}
