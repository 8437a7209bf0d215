/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h - what the measuring programs share: meters and the result line. */
#pragma once

#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define BENCH_PMUS "/sys/bus/event_source/devices/"

/* name, ours, peer, unit, ours/peer: less is better */
static inline void bench_line(const char *name, double ours, double peer,
			      const char *unit)
{
	printf("%s\t%.1f\t%.1f\t%s\t%.3f\n", name, ours, peer, unit,
	       peer ? ours / peer : 0);
	fflush(stdout);
}

static inline void bench_die(const char *what, int err)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(err));
	exit(1);
}

static inline int bench_pmu_type(const char *pmu)
{
	char path[256];
	FILE *file;
	int type;

	snprintf(path, sizeof(path), BENCH_PMUS "%s/type", pmu);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &type) != 1)
		bench_die(path, errno ? errno : EINVAL);
	fclose(file);
	return type;
}

static inline const char *bench_core_pmu(void)
{
	static char name[64];
	glob_t found;

	if (glob(BENCH_PMUS "armv8_*", 0, NULL, &found))
		bench_die("armv8 PMU", ENOENT);
	snprintf(name, sizeof(name), "%s",
		 found.gl_pathv[0] + strlen(BENCH_PMUS));
	globfree(&found);
	return name;
}

/* An event on @cpu that counts at once, EL1 and EL2 only if @kernel. */
static inline int bench_meter(uint64_t config, int cpu, int kernel)
{
	struct perf_event_attr attr = {
		.type = bench_pmu_type(bench_core_pmu()),
		.size = sizeof(attr),
		.config = config,
		.pinned = 1,
		.exclude_user = kernel,
	};
	int fd = syscall(__NR_perf_event_open, &attr, -1, cpu, -1, 0);

	if (fd < 0)
		bench_die("meter", errno);
	return fd;
}

static inline int bench_kernel_instructions(int cpu)
{
	return bench_meter(0x08, cpu, 1);
}

static inline uint64_t bench_count(int meter)
{
	uint64_t value;

	if (read(meter, &value, sizeof(value)) != sizeof(value))
		bench_die("meter", EIO);
	return value;
}
