// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hop ROUNDS ITERATIONS - goes to the next of its CPUs before each of ROUNDS,
 * in which it runs ITERATIONS of two instructions.
 *
 * It executes the same instructions each time.
 */
#include "bare.h"

#define MAX_CPUS 64

void hop_run(uint64_t iterations);

__asm__(".pushsection .text\n"
	"	.p2align 6\n"
	"hop_run:\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	hop_run\n"
	"	ret\n"
	".popsection\n");

/* Those of the first 64 CPUs that it may use. */
static unsigned int find_cpus(unsigned char *cpus)
{
	uint64_t mask[16] = {};
	unsigned int nr = 0;

	if (bare_syscall(__NR_sched_getaffinity, 0, sizeof(mask), (long)mask,
			 0) <= 0)
		bare_exit(2);
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		if (mask[0] >> cpu & 1)
			cpus[nr++] = cpu;
	return nr;
}

void bare_main(long argc, char **argv)
{
	uint64_t rounds = bare_arg(argc, argv, 1, 100);
	uint64_t iterations = bare_arg(argc, argv, 2, 1000000);
	unsigned char cpus[MAX_CPUS];
	unsigned int nr = find_cpus(cpus), at = 0;

	if (!nr || !iterations)
		bare_exit(2);
	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t mask = UINT64_C(1) << cpus[at];

		if (bare_syscall(__NR_sched_setaffinity, 0, sizeof(mask),
				 (long)&mask, 0))
			bare_exit(2);
		hop_run(iterations);
		at = at + 1 < nr ? at + 1 : 0;
	}
	bare_put("hop");
	bare_put_count(" cpus=", nr);
	bare_put_count(" rounds=", rounds);
	bare_put_count(" iterations=", iterations);
	bare_flush();
}
