// SPDX-License-Identifier: GPL-2.0-or-later
#include "happening.h"
#include "ktap.h"

struct pmscope_recording *open_bytes(struct bytes *b)
{
	struct pmscope_recording *recording = NULL;

	perfdata_end(b);
	EXPECT_EQ(pmscope_recording_open(b->data, b->size, NULL, &recording),
		  0);
	return recording;
}

void begin(struct bytes *b)
{
	perfdata_begin(b);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0); /* a tick is a ns */
}

struct where at(uint64_t time, uint32_t pid, uint32_t tid)
{
	return (struct where){.pid = pid, .tid = tid, .time = time};
}

void comm_at(struct bytes *b, uint16_t misc, const char *comm, uint64_t time,
	     uint32_t pid, uint32_t tid)
{
	struct where where = at(time, pid, tid);

	put_comm(b, misc, comm, &where);
}

void map_at(struct bytes *b, uint64_t start, const char *name, uint64_t time,
	    uint32_t pid)
{
	struct where where = at(time, pid, pid);

	put_mmap2(b, start, 0x1000, 0x3000, name, &where);
}

void fork_at(struct bytes *b, uint64_t time, uint32_t pid, uint32_t tid,
	     uint32_t ppid)
{
	struct where where = at(time, pid, tid);

	put_fork(b, ppid, ppid, &where);
}

void load_at(struct bytes *b, uint32_t cpu, uint32_t tid, uint64_t pc,
	     uint64_t time)
{
	struct bytes trace = {};

	if (tid == NO_TID)
		put_load(&trace, pc, 0x9000, time);
	else
		put_load_of(&trace, tid, pc, 0x9000, time);
	put_auxtrace(b, cpu, cpu, NO_TID, &trace);
	bytes_fini(&trace);
}

void expect_next(struct pmscope_recording *recording,
		 struct pmscope_sample *sample, uint64_t time)
{
	ASSERT_EQ(pmscope_recording_next(recording, sample), 1);
	EXPECT_TRUE(sample->has_time);
	EXPECT_EQ(sample->time, time);
}

const char *dso_at(struct pmscope_recording *recording,
		   const struct pmscope_sample *sample, uint64_t address)
{
	static struct pmscope_place place;

	pmscope_recording_place(recording, sample, address, &place);
	return place.dso;
}
