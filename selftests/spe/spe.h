/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spe.h - events of the SPE PMU, and their AUX area. */
#pragma once

#include "snapshot/stream.h"

#define SPE_DIR "/sys/bus/event_source/devices/arm_spe_0/"

#define NEED_SPE()                            \
	do {                                  \
		if (access(SPE_DIR, F_OK))    \
			SKIP("no arm_spe_0"); \
	} while (0)

/* The in-tree driver ignores what it does not know. */
#define NEED_PMSCOPE()                                      \
	do {                                                \
		if (access(SPE_DIR "stats", F_OK))          \
			SKIP("arm_spe_0 is not pmscope's"); \
	} while (0)

/* A number of stats/, of all CPUs; -1 if it is not counted */
static inline long spe_total(const char *name)
{
	char path[128];
	long total = -1;

	snprintf(path, sizeof(path), SPE_DIR "stats/%s", name);
	sscanf(file_text(path), "total %ld", &total);
	return total;
}

static inline struct perf_event_attr spe_attr(uint64_t config, uint64_t period)
{
	return (struct perf_event_attr){
		.type = sysfs_number(SPE_DIR "type"),
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

/* On CPU 0, sampling every 1024 operations; 0 or a negative errno. */
static inline int spe_stream_open(struct stream *s, uint64_t config,
				  int aux_pages)
{
	struct perf_event_attr attr = spe_attr(config, 1024);

	return stream_open_alone(s, &attr, 0, aux_pages);
}
