/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The features of a perf.data header: what a reader elsewhere cannot know. */
#ifndef PMSCOPE_PERFDATA_FACTS_H
#define PMSCOPE_PERFDATA_FACTS_H

#include "writer.h"

/**
 * pmscope_facts_system() - host name, kernel, CPUs, memory, PMUs
 *
 * Return: 0, -errno of writing, -ENOMEM.  A fact that the system does not tell
 * is left out.
 */
int pmscope_facts_system(struct pmscope_perfdata_writer *writer);

/* The command that made the recording; @argv ends in NULL. */
int pmscope_facts_command(struct pmscope_perfdata_writer *writer,
			  char *const *argv);

/**
 * pmscope_facts_events() - names of events and who is grouped with whom
 * @group: the group number of each event
 * @nr: of events
 */
int pmscope_facts_events(struct pmscope_perfdata_writer *writer,
			 const struct pmscope_written_attr *attr,
			 const unsigned int *group, size_t nr);

/* The times of the first and the last sample, perf clock, ns. */
int pmscope_facts_times(struct pmscope_perfdata_writer *writer, uint64_t first,
			uint64_t last);

/* What each mapped file was a build of. */
int pmscope_facts_build_ids(struct pmscope_perfdata_writer *writer,
			    const struct pmscope_build_id *ids, size_t nr);

#endif /* PMSCOPE_PERFDATA_FACTS_H */
