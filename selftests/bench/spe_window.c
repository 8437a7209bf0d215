// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: spe_window
 *
 * What the SPE driver of this boot costs and loses on a fixed loop: prints
 * kernel instructions per buffer window, less those of the same loop without
 * SPE, and the records that the SPU kept but the reader never got.
 */
#include "spe.h"

#define SAMPLE_FILTRATE 0x4002
#define TURNS		20000000
/* Between two looks at the buffer, half of it is always free */
#define LOOKS		1024

static void run(struct spe *spe)
{
	for (int i = 0; i < LOOKS; i++) {
		work(TURNS / LOOKS);
		if (spe)
			spe_drain(spe);
	}
}

int main(void)
{
	int kernel = bench_kernel_instructions(0);
	int kept = bench_meter(SAMPLE_FILTRATE, 0, 0);
	uint64_t alone, with, records;
	struct spe spe;

	pin_to(0);
	run(NULL);
	alone = bench_count(kernel);
	run(NULL);
	alone = bench_count(kernel) - alone;

	spe = spe_open(-1, 0);
	records = bench_count(kept);
	with = bench_count(kernel);
	ioctl(spe.s.fds[0], PERF_EVENT_IOC_ENABLE, 0);
	run(&spe);
	ioctl(spe.s.fds[0], PERF_EVENT_IOC_DISABLE, 0);
	with = bench_count(kernel) - with;
	records = bench_count(kept) - records;
	spe_drain(&spe);

	if (spe.truncated || !spe.windows)
		bench_die("the reader did not keep up", ENODATA);
	printf("%.1f\t%lld\n", (double)(int64_t)(with - alone) / spe.windows,
	       (long long)(records - spe.records));
	return 0;
}
