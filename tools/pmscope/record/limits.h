/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a recording ends by itself, and when it begins a new file. */
#pragma once

#include "cli/options.h"

/**
 * struct record_limits - when a recording ends; 0: no limit
 * @duration_ns: after this time
 * @max_size: when the output has this size, bytes
 */
struct record_limits {
	uint64_t duration_ns;
	uint64_t max_size;
};

/*
 * Parses "64K", "4M", "1G" or bytes, or a number of @unit; *@end is set to the
 * rest. Returns 0 if there is no number, or if it is above 1024G.
 */
uint64_t record_read_size(const char *arg, uint64_t unit, char **end);

/* Setters of options, for fields of uint64_t. */
int option_duration(const struct option_row *row, const char *arg, void *field);
int option_max_size(const struct option_row *row, const char *arg, void *field);

/* Texts about valid arguments, for error messages. */
extern const char *const duration_rule[];
extern const char *const max_size_rule[];

/**
 * record_limit_text() - why a recording ended by itself
 * @text: for example "10 s have passed (--duration)"; "" if no limit is reached
 * @ns: how long it has recorded
 * @bytes: the size of its output
 */
void record_limit_text(char *text, size_t size,
		       const struct record_limits *limits, uint64_t ns,
		       uint64_t bytes);
