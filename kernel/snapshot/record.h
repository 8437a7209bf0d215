/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmscope_record from a capture.
 */
#ifndef PMSCOPE_SNAPSHOT_RECORD_H
#define PMSCOPE_SNAPSHOT_RECORD_H

#include "capture.h"
#include "snapshot/stream.h"

/* Every counter once, and a member more for each event that lost its own */
#define SNAP_RECORD_COUNTERS	(2 * PMSCOPE_NR_COUNTERS)
#define SNAP_RECORD_MAX                                                 \
	(sizeof(struct pmscope_record) +                                \
	 SNAP_RECORD_COUNTERS * sizeof(struct pmscope_record_counter))

/**
 * struct snap_trigger - why a record is made
 * @by: the trigger
 * @cookie: of a BPF program
 * @throttled: perf stops the trigger until the next tick
 * @spe: of an SPE management event, else NULL
 */
struct snap_trigger {
	enum pmscope_trigger by;
	u64 cookie;
	bool throttled;
	const struct pmscope_spe_window *spe;
};

void snap_record_fill(struct pmscope_record *record, struct perf_event *event,
		      const struct snap_trigger *trigger,
		      const struct pmscope_capture *cap);

#endif /* PMSCOPE_SNAPSHOT_RECORD_H */
