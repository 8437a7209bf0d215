// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers N - two functions call a third, N times in all, with frame pointers.
 *
 * callers_often makes three of four calls of callers_work, callers_seldom one.
 * A call takes 1000 instructions.
 */
#include "bare.h"

void callers_often(void);
void callers_seldom(void);

#define BEGIN(name)                                       \
	"	.type	" name ", %function\n" name ":\n" \
	"	stp	x29, x30, [sp, #-16]!\n"                    \
	"	mov	x29, sp\n"
#define END(name)                    \
	"	ldp	x29, x30, [sp], #16\n" \
	"	ret\n"                     \
	"	.size	" name ", . - " name "\n"

__asm__(".pushsection .text\n" BEGIN(
	"callers_work") "	mov	x1, #498\n"
			"1:	subs	x1, x1, #1\n"
			"	b.ne	1b\n" END("callers_work") BEGIN(
				"callers_often") "	bl	callers_work\n"
						 "	nop\n" END(
							 "callers_often")
							 BEGIN(
								 "callers_"
								 "seldom") "	bl	callers_work\n"
									   "	nop\n" END(
										   "callers_seldom") ".popsection\n");

void bare_main(long argc, char **argv)
{
	uint64_t calls = bare_arg(argc, argv, 1, 100000);

	bare_put("callers");
	bare_put_count(" calls=", calls);
	bare_flush();
	for (uint64_t i = 0; i < calls; i++) {
		if (i % 4)
			callers_often();
		else
			callers_seldom();
	}
}
