/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of the writer begin with. */
#ifndef PMSCOPE_TESTS_WRITING_H
#define PMSCOPE_TESTS_WRITING_H

#include "fake_sysfs.h"
#include "session/attr.h"

#include <pmscope/writer.h>

#define WRITING_PATH (FAKE_SYSFS_PATH + 16)

/* To a file in a folder of its own. */
struct pmscope_writer *writing_open(char dir[FAKE_SYSFS_PATH],
				    char path[WRITING_PATH]);

/* One of SPE and one for what comes beside it, each with two ids. */
extern union pmscope_attr writing_attrs[2];
void writing_events(struct pmscope_written_event event[2]);
int writing_begin(struct pmscope_writer *w);

#endif /* PMSCOPE_TESTS_WRITING_H */
