// SPDX-License-Identifier: GPL-2.0-or-later
#include "writing.h"

#include "session/tally.h"

#include <stdio.h>
#include <string.h>

static uint64_t ids[2][2] = {{40, 41}, {42, 43}};

union pmscope_attr writing_attrs[2];

void writing_events(struct pmscope_written_event event[2])
{
	static const char *const names[] = {"arm_spe_0/inv_event_filter=1/",
					    "dummy:u"};

	union pmscope_attr *attrs = writing_attrs;

	memset(attrs, 0, sizeof(writing_attrs));
	attrs[0].attr.type = 21;
	*pmscope_attr_config(&attrs[0], 3) = 1;
	attrs[1].attr.type = PERF_TYPE_SOFTWARE;
	attrs[1].attr.config = PERF_COUNT_SW_DUMMY;
	for (int i = 0; i < 2; i++) {
		attrs[i].attr.sample_type = PMSCOPE_TALLY_TIMED;
		attrs[i].attr.sample_id_all = 1;
		pmscope_attr_set_size(&attrs[i]);
		event[i] = (struct pmscope_written_event){
			.attr = &attrs[i].attr,
			.name = names[i],
			.ids = ids[i],
			.nr_ids = 2,
		};
	}
}

int writing_begin(struct pmscope_writer *w)
{
	struct pmscope_written_event event[2];

	writing_events(event);
	return pmscope_writer_begin(w, event, 2);
}

struct pmscope_writer *writing_open(char dir[FAKE_SYSFS_PATH],
				    char path[WRITING_PATH])
{
	fake_sysfs_make(dir);
	snprintf(path, WRITING_PATH, "%s/a.data", dir);
	return pmscope_writer_open(path);
}
