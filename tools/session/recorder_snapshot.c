// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * A flight recorder: the kernel overwrites the oldest trace, and a snapshot
 * writes what there is. Positions of the AUX area never wrap, so its bytes are
 * whole and in order in the file; what a snapshot before has is left out.
 */
#include "open.h"
#include "recorder_priv.h"

#include <string.h>

static int write_newest(struct recorder *rec, struct recorded_ring *r,
			struct pmscope_error *err)
{
	struct ring_data data;
	int ret;

	if (!ring_newest_aux(&r->ring, r->saved, &data))
		return 0;
	rec->tally.stats.overwritten += data.tail - r->saved;
	rec->tally.stats.aux_bytes += data.head - data.tail;
	r->saved = data.head;
	ret = recorder_write_trace(rec, r, &data);
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

static int ring_snapshot(struct recorder *rec, struct recorded_ring *r,
			 struct pmscope_error *err)
{
	int ret = recorder_switch_ring(rec, r, false, err);

	if (!ret)
		ret = recorder_drain_ring(rec, r, false, err);
	if (!ret)
		ret = write_newest(rec, r, err);
	return ret ? ret : recorder_switch_ring(rec, r, true, err);
}

int recorder_snapshot(struct recorder *rec, struct pmscope_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < rec->nr_rings && !ret; i++)
		if (rec->ring[i].nr_traces && rec->ring[i].ring.aux)
			ret = ring_snapshot(rec, &rec->ring[i], err);
	return ret;
}
