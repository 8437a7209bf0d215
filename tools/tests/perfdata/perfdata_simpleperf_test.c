// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of Android's simpleperf files that perf does not have. */
#include "scenario.h"

#define FEATURE_INIT_MAP 134
#define EVENT_ID	 0x8006
#define LATER_ID	 (3 * PERFDATA_ID)
#define NAME_OF(name)	 COMM(99, 7, 8, name)

/* simpleperf's own records may be larger than 64 KiB; hiperf's never are. */
TEST(large_records_of_simpleperf)
{
	BYTES text = {};

	put_zeros(&text, 3 * 65536);
	PLAY(BARE, BODY(0x8001, 3, &text), RECORD(0x7fffffff, 0, 0, 0, 0, 0, 0),
	     RECORDS_HERE, READ, SEEN_ERROR(""), IS(seen.others, 2),
	     IS(seen.comms, 2));
}

STEP_OF(expect_names)
{
	char found[80] = "";

	while (pmscope_perfdata_next(sc->reader, &sc->event) > 0)
		if (sc->event.type == PERF_RECORD_COMM) {
			EXPECT_EQ(sc->event.id.time, 99U);
			strcat(strcat(found, (const char *)sc->event.body + 8),
			       " ");
		}
	EXPECT_STREQ(found, step->text);
}
#define NAMES(names, error) \
	READER, CALL_SAY(expect_names, names, 0), READER_ERROR(error)

/* A file whose data section and whose first maps have a name each. */
#define FIRST_MAPS(maps) BARE, NAME_OF("later"), FEATURE(FEATURE_INIT_MAP, maps)

/* System-wide, names and mappings of before are read while it records. */
TEST(first_maps_come_first)
{
	BYTES maps = {};

	put_comm(&maps, 0, "first", &here);
	put_comm(&maps, 0, "second", &here);
	PLAY(FIRST_MAPS(&maps), NAMES("first second later ", ""));
}

STEP_OF(put_packed_later)
{
	BYTES data = {};

	put_comm(&data, 0, "later", &here);
	put_compressed(&sc->b, &data, PMSCOPE_RECORD_COMPRESSED, 7);
}

TEST(first_maps_that_are_compressed)
{
	BYTES plain = {}, maps = {};

	put_comm(&plain, 0, "first", &here);
	put_compressed(&maps, &plain, PMSCOPE_RECORD_COMPRESSED, 7);
	PLAY(BARE, CALL(put_packed_later), FEATURE(FEATURE_INIT_MAP, &maps),
	     NAMES("first later ", ""));
}

TEST(records_behind_first_maps_that_are_damaged)
{
	BYTES maps = {};

	put_comm(&maps, 0, "first", &here);
	put(&maps, PERF_RECORD_COMM | UINT64_C(4) << 48, 8);
	PLAY(FIRST_MAPS(&maps),
	     NAMES("first later ", "record of invalid size (4 bytes)"));
	maps.size = 0;
	put_comm(&maps, 0, "first", &here);
	put_comm(&maps, 0, "cut", &here);
	maps.size -= 8;
	PLAY(FIRST_MAPS(&maps),
	     NAMES("first later ", "cut short inside the record"));
}

/* The second of two events is not the one whose identifiers come later. */
#define LATER_IDS(count, index)                                                \
	PIPE,                                                                  \
		RECORD(PMSCOPE_RECORD_HEADER_ATTR, 0,                          \
		       1 | (uint64_t)PERF_ATTR_SIZE_VER0 << 32, 0, 0, 0, 0, 0, \
		       0, 0, 2 * PERFDATA_ID),                                 \
		RECORD(EVENT_ID, 0, count, index, LATER_ID), NAME_OF("name"),  \
		PATCH(40, LATER_ID)

/* Events of CPUs that come online during the recording. */
SCENARIO(identifiers_that_come_later, LATER_IDS(1, 0), NAMES("name ", ""));

TEST(identifiers_that_make_no_sense)
{
	static const uint64_t counts[] = {2, UINT64_MAX, (UINT64_MAX / 16) + 2};

	for (int i = 0; i < 3; i++)
		PLAY(LATER_IDS(counts[i], 0), READ,
		     SEEN_ERROR("more identifiers than in the 32 bytes"));
	PLAY(LATER_IDS(1, 2), READ, SEEN_ERROR(""));
}
