/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was mapped, as perf script --show-mmap-events prints it. */
#ifndef PMSCOPE_SCRIPT_MAPPING_H
#define PMSCOPE_SCRIPT_MAPPING_H

#include "cli/output.h"

#include <pmscope/recording.h>

/*
 * Writes the line of a sample of kind PMSCOPE_SAMPLE_MAPPING. Returns its
 * length; 0 if its record is too short, or if out of memory.
 */
size_t mapping_print(struct output *out, const struct pmscope_sample *mapping);

#endif /* PMSCOPE_SCRIPT_MAPPING_H */
