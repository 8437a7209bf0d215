// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls N [SLEEP] - calls two functions of known length, N times each.
 *
 * calls_short executes 100 instructions and calls_long 1000; calls_nested calls
 * itself three times, executing 10 instructions a level.  With SLEEP, each
 * round ends in calls_sleep, which yields the CPU in the middle.
 */
#include "bare.h"

void calls_short(void);
void calls_long(void);
void calls_nested(uint64_t levels);
void calls_sleep(void);

BARE_FUNCTION(calls_short, BARE_TURNS(49))
BARE_FUNCTION(calls_long, BARE_TURNS(499))
BARE_FUNCTION(calls_nested,
	      "sub sp, sp, #16\n str x30, [sp]\n subs x0, x0, #1\n b.eq 1f\n"
	      "bl calls_nested\n 1: ldr x30, [sp]\n add sp, sp, #16\n")
/* sched_yield */
BARE_FUNCTION(calls_sleep, "mov x8, #124\n svc #0\n" BARE_TURNS(48))

void bare_main(long argc, char **argv)
{
	uint64_t calls = bare_arg(argc, argv, 1, 1000);
	uint64_t sleep = bare_arg(argc, argv, 2, 0);

	bare_put("calls short=100 long=1000");
	bare_put_count(" calls=", calls);
	bare_flush();
	for (uint64_t i = 0; i < calls; i++) {
		calls_short();
		calls_long();
		calls_nested(3);
		if (sleep)
			calls_sleep();
	}
}
