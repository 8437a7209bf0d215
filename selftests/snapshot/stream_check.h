/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream_check.h - what every record of a group holds, whatever triggered it. */
#pragma once

#include "ktap.h"
#include "stream.h"

static inline void check_record(const struct stream *s,
				const struct pmscope_record *r, int trigger)
{
	const struct pmscope_record_counter *c[STREAM_MEMBERS];

	EXPECT_EQ(r->version, PMSCOPE_RECORD_VERSION);
	EXPECT_EQ(r->trigger, trigger);
	EXPECT_NE(r->backend, PMSCOPE_BACKEND_NONE);
	EXPECT_EQ(r->result, PMSCOPE_CAPTURED);
	EXPECT_EQ(r->pmsscr, 0);
	/* Only the frozen back end stops counters. */
	if (r->backend == PMSCOPE_BACKEND_HARDWARE)
		EXPECT_EQ(r->stopped, 0);
	EXPECT_EQ(r->id, stream_id(s->fds[0]));
	EXPECT_GT(r->time, 0);
	EXPECT_GT(r->cntvct, 0);
	ASSERT_EQ(r->nr_counters, STREAM_MEMBERS);
	for (int i = 0; i < STREAM_MEMBERS; i++) {
		c[i] = stream_counter(r, i);
		EXPECT_EQ(c[i]->flags, PMSCOPE_COUNTER_MEMBER);
		EXPECT_EQ(c[i]->id, stream_id(s->fds[i]));
		EXPECT_LE(c[i]->number, 32);
		EXPECT_GT(c[i]->count, 0);
	}
	EXPECT_EQ(c[0]->count, c[2]->count);
}
