/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of `pmscope record`. */
#ifndef PMSCOPE_RECORD_OPTIONS_H
#define PMSCOPE_RECORD_OPTIONS_H

#include "cli/measure.h"
#include "record/events.h"

#include <limits.h>
#include "record/limits.h"
#include "record/switch.h"

/**
 * struct record_sizes - bytes of the rings and SPE buffers; 0: automatic
 */
struct record_sizes {
	uint64_t data;
	uint64_t aux;
};

/**
 * struct record_flight - the flight recorder: only the newest trace is kept
 * @at_exit: it is also written when recording ends
 * @size: of each area, bytes; 0: the default
 */
struct record_flight {
	bool on;
	bool at_exit;
	uint64_t size;
};

/* Of struct record_config's delay_ms: until --control enables the events. */
#define DELAY_UNTIL_ENABLED UINT_MAX

struct record_config {
	struct measure_options measure;
	struct record_events_options events;
	const char *output;
	const char *cgroup;
	const char *control;
	struct record_flight flight;
	uint64_t max_loss;
	uint64_t rate;
	unsigned int delay_ms;
	struct record_sizes sizes;
	struct record_limits limits;
	struct record_switch_rule switching;
	uint64_t max_files;
	int compression;
	bool per_thread;
	bool data_maps;
	bool quiet;
};

extern const struct command_help record_help;

#endif /* PMSCOPE_RECORD_OPTIONS_H */
