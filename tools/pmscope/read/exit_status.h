/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last message and the exit status of script and report. */
#pragma once

#include "read/load.h"

/*
 * Prints one line on stderr if the recording is damaged, or if it has nothing
 * to show. Returns the exit status: 1 if it is damaged.
 */
int exit_status(const struct load *load);

/*
 * True if the recording is damaged and no sample of it was read. After
 * load_runs(), print nothing then, since all of it would be 0, and call
 * exit_status().
 */
bool is_unreadable(const struct load *load);
