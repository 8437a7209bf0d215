// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of Android's simpleperf files that perf does not have. */
#include "container.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <string.h>

#define FEATURE_INIT_MAP 134
#define EVENT_ID	 0x8006
#define LATER_ID	 (3 * PERFDATA_ID)

/* simpleperf's own records may be larger than 64 KiB; hiperf's never are. */
TEST(large_records_of_simpleperf)
{
	struct bytes b = {}, text = {};
	struct seen seen;

	put_zeros(&text, 3 * 65536);
	perfdata_begin(&b);
	put_record(&b, 0x8001, 3, &text);
	text.size = 40;
	put_record(&b, 0x7fffffff, 3, &text);
	put_records(&b);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.others, 2U);
	EXPECT_EQ(seen.comms, 2U);
	bytes_fini(&text);
	bytes_fini(&b);
}

/* A file whose data section and whose first maps have a name each. */
static void make_first_maps(struct bytes *b, const struct bytes *maps)
{
	perfdata_begin(b);
	put_comm(b, 0, "later", &here);
	perfdata_end(b);
	perfdata_put_feature(b, FEATURE_INIT_MAP, maps);
}

/* Names in the order they are read; the error must contain @error. */
static void expect_names(const struct bytes *b, const char *names,
			 const char *error)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	char found[80] = "";

	ASSERT_EQ(pmscope_perfdata_open(b->data, b->size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		if (event.type == PERF_RECORD_COMM) {
			EXPECT_EQ(event.id.time, 99U);
			strcat(strcat(found, (const char *)event.body + 8),
			       " ");
		}
	EXPECT_STREQ(found, names);
	EXPECT_TRUE(strstr(pmscope_perfdata_error(reader), error) != NULL);
	EXPECT_EQ(!*error, !*pmscope_perfdata_error(reader));
	pmscope_perfdata_free(reader);
}

/* System-wide, names and mappings of before are read while it records. */
TEST(first_maps_come_first)
{
	struct bytes b = {}, maps = {};

	put_comm(&maps, 0, "first", &here);
	put_comm(&maps, 0, "second", &here);
	make_first_maps(&b, &maps);
	expect_names(&b, "first second later ", "");
	bytes_fini(&b);
	bytes_fini(&maps);
}

TEST(first_maps_that_are_compressed)
{
	struct bytes b = {}, plain = {}, maps = {}, data = {};

	put_comm(&plain, 0, "first", &here);
	put_compressed(&maps, &plain, PMSCOPE_RECORD_COMPRESSED, 7);
	put_comm(&data, 0, "later", &here);
	perfdata_begin(&b);
	put_compressed(&b, &data, PMSCOPE_RECORD_COMPRESSED, 7);
	perfdata_end(&b);
	perfdata_put_feature(&b, FEATURE_INIT_MAP, &maps);
	expect_names(&b, "first later ", "");
	bytes_fini(&b);
	bytes_fini(&data);
	bytes_fini(&maps);
	bytes_fini(&plain);
}

TEST(records_behind_first_maps_that_are_damaged)
{
	struct bytes b = {}, maps = {};

	put_comm(&maps, 0, "first", &here);
	put(&maps, PERF_RECORD_COMM | UINT64_C(4) << 48, 8);
	make_first_maps(&b, &maps);
	expect_names(&b, "first later ", "record of invalid size (4 bytes)");
	b.size = maps.size = 0;
	put_comm(&maps, 0, "first", &here);
	put_comm(&maps, 0, "cut", &here);
	maps.size -= 8;
	make_first_maps(&b, &maps);
	expect_names(&b, "first later ", "cut short inside the record");
	bytes_fini(&b);
	bytes_fini(&maps);
}

static void put_event_id(struct bytes *b, uint64_t count, uint64_t index,
			 uint64_t id)
{
	struct bytes body = {};

	put(&body, count, 8);
	put(&body, index, 8);
	put(&body, id, 8);
	put_record(b, EVENT_ID, 0, &body);
	bytes_fini(&body);
}

/* The second of two events is not the one whose identifiers come later. */
static void make_later_id(struct bytes *b, uint64_t count, uint64_t index)
{
	struct bytes attr = {};

	perfdata_begin_pipe(b);
	put(&attr, 1, 4);
	put(&attr, PERF_ATTR_SIZE_VER0, 4);
	put_zeros(&attr, 56);
	put(&attr, 2 * PERFDATA_ID, 8);
	put_record(b, PMSCOPE_RECORD_HEADER_ATTR, 0, &attr);
	put_event_id(b, count, index, LATER_ID);
	put_comm(b, 0, "name", &here);
	b->size -= 8;
	put(b, LATER_ID, 8);
	bytes_fini(&attr);
}

/* Events of CPUs that come online during the recording. */
TEST(identifiers_that_come_later)
{
	struct bytes b = {};

	make_later_id(&b, 1, 0);
	expect_names(&b, "name ", "");
	bytes_fini(&b);
}

TEST(identifiers_that_make_no_sense)
{
	static const uint64_t counts[] = {2, UINT64_MAX, (UINT64_MAX / 16) + 2};
	struct bytes b = {};

	for (int i = 0; i < 3; i++) {
		b.size = 0;
		make_later_id(&b, counts[i], 0);
		EXPECT_TRUE(strstr(read_all(&b).error,
				   "more identifiers than in the 32 bytes") !=
			    NULL);
	}
	b.size = 0;
	make_later_id(&b, 1, 2);
	EXPECT_STREQ(read_all(&b).error, "");
	bytes_fini(&b);
}

KTAP_MAIN
