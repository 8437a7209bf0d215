// SPDX-License-Identifier: GPL-2.0-or-later
/* The control group of a thread, which samples of other events tell. */
#include "command.h"
#include "happening.h"
#include "ktap.h"

#include <string.h>

#define TYPE (PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_CGROUP)

/* The sample types that put fields behind the control group. */
#define BEHIND (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

static void begin_cgroups(struct bytes *b, uint64_t type)
{
	begin(b);
	perfdata_set_sample_type(b, type);
}

/* A clock has sampled thread @tid, which was in control group @id. */
static void seen_at(struct bytes *b, uint64_t time, uint32_t tid, uint64_t id)
{
	struct bytes body = {};

	put(&body, PERFDATA_ID, 8);
	put(&body, tid, 4);
	put(&body, tid, 4);
	put(&body, time, 8);
	put(&body, 0, 8);
	put(&body, id, 8);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
	bytes_fini(&body);
}

static void cgroup_at(struct bytes *b, uint64_t time, uint64_t id,
		      const char *path)
{
	struct where where = at(time, 1, 1);
	struct bytes body = {};

	put(&body, id, 8);
	bytes_add(&body, path, strlen(path) + 1);
	put_zeros(&body, -body.size & 7);
	put_side_band(b, PERF_RECORD_CGROUP, 0, &body, &where);
	bytes_fini(&body);
}

static void expect_cgroup(struct pmscope_recording *r, uint64_t time,
			  const char *name)
{
	struct pmscope_sample s;

	expect_next(r, &s, time);
	if (name)
		EXPECT_STREQ(s.cgroup, name);
	else
		EXPECT_TRUE(!s.cgroup);
}

static void expect_end(struct pmscope_recording *r, struct bytes *b)
{
	struct pmscope_sample s;

	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->other_samples, 0U);
	EXPECT_EQ(pmscope_recording_losses(r)->unknown_records, 0U);
	pmscope_recording_free(r);
	bytes_fini(b);
}

/* A thread is where it was seen first, until it is seen elsewhere. */
TEST(group_of_a_thread_over_time)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	begin_cgroups(&b, TYPE);
	cgroup_at(&b, 0, 5, "/batch");
	load_at(&b, 0, 11, 0x5000, 100);
	load_at(&b, 0, 12, 0x5000, 110);
	load_at(&b, 0, 11, 0x5000, 250);
	load_at(&b, 0, 11, 0x5000, 350);
	seen_at(&b, 300, 11, 6);
	seen_at(&b, 200, 11, 5);
	cgroup_at(&b, 260, 6, "/web/front");
	r = open_bytes(&b);
	expect_cgroup(r, 100, "/batch");
	expect_cgroup(r, 110, NULL);
	expect_cgroup(r, 250, "/batch");
	expect_cgroup(r, 350, "/web/front");
	expect_end(r, &b);
}

/* A group that was made before, by a tool that did not write its path. */
TEST(group_without_a_path_has_its_number)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	begin_cgroups(&b, TYPE);
	load_at(&b, 0, 11, 0x5000, 100);
	load_at(&b, 0, 0, 0x5000, 110);
	seen_at(&b, 90, 11, UINT64_MAX);
	seen_at(&b, 95, 0, 1);
	r = open_bytes(&b);
	expect_cgroup(r, 100, "18446744073709551615");
	expect_cgroup(r, 110, "1");
	expect_end(r, &b);
}

static void started_at(struct bytes *b, uint16_t misc, uint64_t time,
		       uint32_t pid)
{
	struct where where = at(time, pid, pid);
	struct bytes body = {};

	put(&body, pid, 4);
	put(&body, 11, 4);
	put(&body, pid, 4);
	put(&body, 11, 4);
	put(&body, time, 8);
	put_side_band(b, PERF_RECORD_FORK, misc, &body, &where);
	bytes_fini(&body);
}

/*
 * A child begins in the group of its parent, also one that has the number of a
 * thread that was elsewhere later. What perf says of processes that ran before
 * is not when they were started.
 */
TEST(children_begin_where_their_parent_is)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	begin_cgroups(&b, TYPE);
	cgroup_at(&b, 0, 5, "/batch");
	cgroup_at(&b, 0, 6, "/web");
	seen_at(&b, 10, 11, 5);
	started_at(&b, PERF_RECORD_MISC_FORK_EXEC, 0, 20);
	started_at(&b, PERF_RECORD_MISC_FORK_EXEC, 0, 21);
	started_at(&b, 0, 100, 22);
	started_at(&b, 0, 100, 23);
	for (uint32_t tid = 20; tid <= 23; tid++)
		load_at(&b, 0, tid, 0x5000, 100 + tid);
	load_at(&b, 0, 22, 0x5000, 300);
	seen_at(&b, 200, 20, 6);
	seen_at(&b, 200, 22, 6);
	r = open_bytes(&b);
	expect_cgroup(r, 120, "/web");
	expect_cgroup(r, 121, NULL);
	expect_cgroup(r, 122, "/batch");
	expect_cgroup(r, 123, "/batch");
	expect_cgroup(r, 300, "/web");
	expect_end(r, &b);
}

/* The sizes of pages come behind the group; of AUX data the size is not known.
 */
TEST(fields_behind_the_group)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	begin_cgroups(&b, PERFDATA_SAMPLE_TYPE | BEHIND | PERF_SAMPLE_CGROUP);
	load_at(&b, 0, 11, 0x5000, 100);
	for (uint64_t id = 7; id <= 9; id++) {
		struct bytes body = {};

		put(&body, PERFDATA_ID, 8);
		put(&body, 11, 4);
		put(&body, 11, 4);
		put(&body, 50, 8);
		put(&body, 0, 8);
		put(&body, id, 8);
		put(&body, 4096, 8);
		put(&body, 65536, 8);
		put_record(&b, PERF_RECORD_SAMPLE, 0, &body);
		bytes_fini(&body);
	}
	r = open_bytes(&b);
	expect_cgroup(r, 100, "9");
	expect_end(r, &b);
	b = (struct bytes){};
	begin_cgroups(&b, TYPE | PERF_SAMPLE_AUX);
	load_at(&b, 0, 11, 0x5000, 100);
	seen_at(&b, 50, 11, 7);
	r = open_bytes(&b);
	expect_cgroup(r, 100, NULL);
	EXPECT_EQ(pmscope_recording_losses(r)->other_samples, 1U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* Records of every size, also without what they should have. */
TEST(damaged_records_of_groups)
{
	for (size_t size = 0; size <= 64; size += 8) {
		struct pmscope_recording *r;
		struct pmscope_sample s;
		struct bytes b = {}, body = {};

		begin_cgroups(&b, TYPE);
		put_zeros(&body, size);
		put_record(&b, PERF_RECORD_CGROUP, 0, &body);
		put_record(&b, PERF_RECORD_SAMPLE, 0, &body);
		load_at(&b, 0, 11, 0x5000, 100);
		r = open_bytes(&b);
		EXPECT_EQ(pmscope_recording_next(r, &s), 1);
		EXPECT_TRUE(!s.cgroup);
		pmscope_recording_free(r);
		bytes_fini(&body);
		bytes_fini(&b);
	}
}

/* What several threads read while groups change is the same. */
TEST(commands_group_and_filter_by_it)
{
	static char text[65536];
	struct bytes b = {};

	begin_cgroups(&b, TYPE);
	cgroup_at(&b, 0, 5, "/batch");
	cgroup_at(&b, 0, 6, "/web");
	for (uint64_t i = 0; i < 300; i++) {
		load_at(&b, i % 3, 11 + i % 2, 0x5000, 1000 + 10 * i);
		seen_at(&b, 995 + 10 * i, 11 + i % 2, i / 2 % 3 ? 5 : 6);
	}
	perfdata_end(&b);
	for (int threads = 1; threads <= 4; threads++) {
		char options[128];
		size_t lines = 0;

		snprintf(options, sizeof(options),
			 "report --threads=%d --sort=cgroup --format=csv",
			 threads);
		EXPECT_EQ(command_pmscope_text(&b, options, text, sizeof(text)),
			  0);
		EXPECT_TRUE(strstr(text, ",200,") && strstr(text, "/batch"));
		EXPECT_TRUE(strstr(text, ",100,") && strstr(text, "/web"));
		snprintf(options, sizeof(options),
			 "script --threads=%d -F tid,cgroup "
			 "--filter=cgroup=/web",
			 threads);
		EXPECT_EQ(command_pmscope_text(&b, options, text, sizeof(text)),
			  0);
		for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
			lines += strstr(p, " /web\n") != NULL;
		EXPECT_EQ(lines, 100U);
	}
	bytes_fini(&b);
}

KTAP_MAIN
