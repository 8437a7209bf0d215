// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: spe_late
 *
 * The records that the SPE driver of this boot has for a reader that comes
 * late, as perf does at load: at known points of a task, some after the AUX
 * area is full. Prints them and the TRUNCATED windows, for each of eight
 * settings.
 */
#include "spe.h"

#define ROUNDS 2

/* Operations between two looks, in percent of those that fill the AUX area */
static const int looks[] = {45, 120, 200, 150, 95, 130, 110, 160, 70, 180};

/* The task reads and enables as perf does; its sleep is another's turn. */
static void run(struct spe *spe, int period)
{
	uint64_t fills = spe->s.aux_size / SPE_RECORD * period;
	unsigned int i;

	for (i = 0; i < ROUNDS * sizeof(looks) / sizeof(*looks); i++) {
		operations(fills * looks[i % (sizeof(looks) / sizeof(*looks))] /
			   100);
		spe_drain(spe);
		ioctl(spe->s.fds[0], PERF_EVENT_IOC_ENABLE, 0);
		usleep(1);
	}
}

int main(void)
{
	pin_to(0);
	for (int pages = 8; pages <= 32; pages *= 4) {
		for (int period = 512; period <= 4096; period *= 2) {
			struct spe spe = spe_open_with(0, -1, period, pages);

			ioctl(spe.s.fds[0], PERF_EVENT_IOC_ENABLE, 0);
			run(&spe, period);
			ioctl(spe.s.fds[0], PERF_EVENT_IOC_DISABLE, 0);
			spe_drain(&spe);
			printf("%lld\t%lld\n", (long long)spe.records,
			       (long long)spe.truncated);
			stream_close(&spe.s);
		}
	}
	return 0;
}
