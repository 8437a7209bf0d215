/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last words of script and report on a recording. */
#ifndef PMSCOPE_VERDICT_H
#define PMSCOPE_VERDICT_H

#include "load.h"

/*
 * As load_verdict(); and where nothing is wrong, but there is nothing to print
 * either, says so, and what the recording is of.
 */
int verdict(const struct load *load);

#endif /* PMSCOPE_VERDICT_H */
