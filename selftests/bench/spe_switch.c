// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: spe_switch
 *
 * What SPE of a task costs at its context switches, with the SPE driver of this
 * boot: prints kernel instructions each time that the task leaves the CPU and
 * comes back, less those of the same without SPE.
 */
#include "spe.h"

#include <signal.h>

#define ROUNDS 2000

struct partner {
	int to;
	int from;
	pid_t pid;
};

/* A process on the same CPU that sends back each byte. */
static struct partner start_partner(void)
{
	int to[2], from[2];
	struct partner p;
	char byte;

	if (pipe(to) || pipe(from))
		bench_die("pipe", errno);
	p = (struct partner){.to = to[1], .from = from[0], .pid = fork()};
	if (p.pid < 0)
		bench_die("fork", errno);
	while (!p.pid)
		if (read(to[0], &byte, 1) != 1 || write(from[1], &byte, 1) != 1)
			_exit(0);
	return p;
}

/* Kernel instructions a round. */
static double run(const struct partner *p, int meter, struct spe *spe)
{
	uint64_t before = bench_count(meter);
	char byte = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (write(p->to, &byte, 1) != 1 || read(p->from, &byte, 1) != 1)
			bench_die("pipe", errno);
		if (spe)
			spe_drain(spe);
	}
	return (double)(bench_count(meter) - before) / ROUNDS;
}

int main(void)
{
	int meter = bench_kernel_instructions(0);
	struct partner p;
	double alone;
	struct spe spe;

	pin_to(0);
	p = start_partner();
	run(&p, meter, NULL);
	alone = run(&p, meter, NULL);
	spe = spe_open(0, -1);
	ioctl(spe.s.fds[0], PERF_EVENT_IOC_ENABLE, 0);
	run(&p, meter, &spe);
	printf("%.1f\n", run(&p, meter, &spe) - alone);
	kill(p.pid, SIGKILL);
	return 0;
}
