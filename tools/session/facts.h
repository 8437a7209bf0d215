/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Features of the perf.data header that describe the recorded machine. */
#pragma once

#include <pmscope/writer.h>

/*
 * Host name, kernel, CPUs, memory, PMUs. Returns 0, -errno of writing, -ENOMEM.
 * Features that the system does not provide are left out.
 */
int facts_system(struct pmscope_writer *writer);

/* The command that made the recording; @argv ends in NULL. */
int facts_command(struct pmscope_writer *writer, char *const *argv);

/* The group number of each of @nr events. */
int facts_groups(struct pmscope_writer *writer, const unsigned int *group,
		 size_t nr);

/*
 * The times of the first and the last sample, perf clock, ns (0: there is
 * none), and what the wall clock shows now.
 */
int facts_times(struct pmscope_writer *writer, uint64_t first, uint64_t last);
