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

__asm__(".pushsection .text\n"
	"	.type	calls_short, %function\n"
	"calls_short:\n"
	"	mov	x1, #49\n"
	"1:	subs	x1, x1, #1\n"
	"	b.ne	1b\n"
	"	ret\n"
	"	.size	calls_short, . - calls_short\n"
	"	.type	calls_long, %function\n"
	"calls_long:\n"
	"	mov	x1, #499\n"
	"1:	subs	x1, x1, #1\n"
	"	b.ne	1b\n"
	"	ret\n"
	"	.size	calls_long, . - calls_long\n"
	"	.type	calls_nested, %function\n"
	"calls_nested:\n"
	"	sub	sp, sp, #16\n"
	"	str	x30, [sp]\n"
	"	subs	x0, x0, #1\n"
	"	b.eq	1f\n"
	"	bl	calls_nested\n"
	"1:	ldr	x30, [sp]\n"
	"	add	sp, sp, #16\n"
	"	ret\n"
	"	.size	calls_nested, . - calls_nested\n"
	/* sched_yield */
	"	.type	calls_sleep, %function\n"
	"calls_sleep:\n"
	"	mov	x8, #124\n"
	"	svc	#0\n"
	"	mov	x1, #48\n"
	"1:	subs	x1, x1, #1\n"
	"	b.ne	1b\n"
	"	ret\n"
	"	.size	calls_sleep, . - calls_sleep\n"
	".popsection\n");

void bare_main(long argc, char **argv)
{
	uint64_t calls = bare_arg(argc, argv, 1, 1000);
	uint64_t sleep = bare_arg(argc, argv, 2, 0);

	bare_put("calls");
	bare_put_count(" short=", 100);
	bare_put_count(" long=", 1000);
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
