/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of `pmscope record`. */
#pragma once

#include "cli/measure.h"
#include "cli/options.h"
#include "record/events.h"

#include "record/limits.h"

/* `record --switch-output`: when a new file begins, and the files' names. */

/**
 * struct record_switch_rule - when a new file begins
 * @on: --switch-output is given
 * @size: when the file has so many bytes; 0: never
 * @ns: after this time; 0: never
 * @on_signal: at SIGUSR2
 */
struct record_switch_rule {
	bool on;
	uint64_t size;
	uint64_t ns;
	bool on_signal;
};

/**
 * struct record_files - the files that are complete
 * @path: the file that is being written
 * @max: keep only so many; 0: all
 * @name: names of those kept, a ring; unused without @max
 * @nr: how many there were
 * @last: the name of the newest; NULL: none
 */
struct record_files {
	const char *path;
	uint64_t max;
	char **name;
	size_t room;
	uint64_t nr;
	char *last;
};

/* The setter of an option whose field is a struct record_switch_rule. */
int option_switch(const struct option_row *row, const char *arg, void *field);
extern const char *const switch_rule[];

/* Is it time for a new file, by size and age of this one? */
bool record_switch_due(const struct record_switch_rule *rule, uint64_t size,
		       uint64_t ns);

/*
 * Can files of this path be switched? Reports what is wrong: -EINVAL, for
 * instance a pipe or a device.
 */
int record_files_check(const char *path);

/*
 * Renames the file, which is complete or soon will be, to PATH.TIMESTAMP, and
 * removes the oldest beyond the maximum. Reports errors; -errno.
 */
int record_files_move(struct record_files *files);

void record_files_free(struct record_files *files);

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

/* Which allocations are recorded: those of @least bytes or more. */
struct record_heap {
	bool on;
	uint64_t least;
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
	struct record_heap heap;
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
