/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last words of script and report on a recording. */
#ifndef PMSCOPE_READ_EXIT_STATUS_H
#define PMSCOPE_READ_EXIT_STATUS_H

#include "read/load.h"

/*
 * Says on stderr what is wrong with the recording, one line; or, where nothing
 * is, but there is nothing to print either, what it is of. Returns the exit
 * status: 1 when it is damaged.
 */
int exit_status(const struct load *load);

#endif /* PMSCOPE_READ_EXIT_STATUS_H */
