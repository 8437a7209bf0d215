// SPDX-License-Identifier: GPL-2.0-or-later
/* spin ITERATIONS - two instructions an iteration, no memory access. */
#include "bare.h"

extern const char spin_begin[], spin_end[];
void spin_run(uint64_t iterations);

__asm__(".pushsection .text\n"
	"	.p2align 6\n"
	"spin_run:\n"
	"spin_begin:\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	spin_begin\n"
	"spin_end:\n"
	"	ret\n"
	".popsection\n");

void bare_main(long argc, char **argv)
{
	uint64_t iterations = bare_arg(argc, argv, 1, 1000000);

	bare_put("spin");
	bare_put_range(" pc=", spin_begin, spin_end);
	bare_put(" ops=2 branch=1");
	bare_put_count(" iterations=", iterations);
	bare_flush();
	if (iterations)
		spin_run(iterations);
}
