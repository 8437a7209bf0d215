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

#define FRAME(body)                                      \
	"stp x29, x30, [sp, #-16]!\n mov x29, sp\n" body \
	"ldp x29, x30, [sp], #16\n"

BARE_FUNCTION(callers_work, FRAME(BARE_TURNS(498)))
BARE_FUNCTION(callers_often, FRAME("bl callers_work\n nop\n"))
BARE_FUNCTION(callers_seldom, FRAME("bl callers_work\n nop\n"))

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
