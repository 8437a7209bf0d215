// SPDX-License-Identifier: GPL-2.0-or-later
/* The control group of a thread, which samples of other events tell. */
#include "scenario.h"

#define TYPE (PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_CGROUP)

/* The sample types that put fields behind the control group. */
#define BEHIND (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

/* A clock has sampled thread @tid, which was in control group @...: its id. */
#define SAMPLED(time, tid, ...)                    \
	RECORD(PERF_RECORD_SAMPLE, 0, PERFDATA_ID, \
	       (uint64_t)(tid) << 32 | (tid), time, 0, __VA_ARGS__)

static void put_group(struct bytes *b, uint64_t id, const char *path)
{
	BYTES body = {};

	put(&body, id, 8);
	bytes_add(&body, path, strlen(path) + 1);
	put_zeros(&body, -body.size & 7);
	put_side_band(b, PERF_RECORD_CGROUP, 0, &body,
		      &(struct where){.pid = 1, .tid = 1});
}

STEP_IS(group_at, put_group(&sc->b, step->v[0], step->text));
#define GROUP(id, path) CALL_SAY(group_at, path, id)

#define CGROUP(time, name) NEXT(time), TEXT(s.cgroup, name)
#define NOTHING_LOST	   END, LOSS(other_samples, 0), LOSS(unknown_records, 0)

/* A thread is where it was seen first, until it is seen elsewhere. */
SCENARIO(group_of_a_thread_over_time, TYPE_IS(TYPE), GROUP(5, "/batch"),
	 LOAD(100, 0, 11), LOAD(110, 0, 12), LOAD(250, 0, 11), LOAD(350, 0, 11),
	 SAMPLED(300, 11, 6), SAMPLED(200, 11, 5), GROUP(6, "/web/front"),
	 CGROUP(100, "/batch"), CGROUP(110, NULL), CGROUP(250, "/batch"),
	 CGROUP(350, "/web/front"), NOTHING_LOST);

/* A group that was made before, by a tool that did not write its path. */
SCENARIO(group_without_a_path_has_its_number, TYPE_IS(TYPE), LOAD(100, 0, 11),
	 LOAD(110, 0, 0), SAMPLED(90, 11, UINT64_MAX), SAMPLED(95, 0, 1),
	 CGROUP(100, "18446744073709551615"), CGROUP(110, "1"), NOTHING_LOST);

/* By process 11. */
#define STARTED(misc, time, pid)                     \
	SIDE(PERF_RECORD_FORK, misc, time, pid, pid, \
	     UINT64_C(11) << 32 | (pid), UINT64_C(11) << 32 | (pid), time)

/*
 * A child begins in the group of its parent, also one that has the number of a
 * thread that was elsewhere later. What perf says of processes that ran before
 * is not when they were started.
 */
SCENARIO(children_begin_where_their_parent_is, TYPE_IS(TYPE),
	 GROUP(5, "/batch"), GROUP(6, "/web"), SAMPLED(10, 11, 5),
	 STARTED(PERF_RECORD_MISC_FORK_EXEC, 0, 20),
	 STARTED(PERF_RECORD_MISC_FORK_EXEC, 0, 21), STARTED(0, 100, 22),
	 STARTED(0, 100, 23), LOAD(120, 0, 20), LOAD(121, 0, 21),
	 LOAD(122, 0, 22), LOAD(123, 0, 23), LOAD(300, 0, 22),
	 SAMPLED(200, 20, 6), SAMPLED(200, 22, 6), CGROUP(120, "/web"),
	 CGROUP(121, NULL), CGROUP(122, "/batch"), CGROUP(123, "/batch"),
	 CGROUP(300, "/web"), NOTHING_LOST);

/* The sizes of pages follow the group; the size of AUX data is not known. */
SCENARIO(fields_behind_the_group, TYPE_IS(TYPE | BEHIND), LOAD(100, 0, 11),
	 SAMPLED(50, 11, 7, 4096, 65536), SAMPLED(50, 11, 8, 4096, 65536),
	 SAMPLED(50, 11, 9, 4096, 65536), CGROUP(100, "9"), NOTHING_LOST, ANEW,
	 TYPE_IS(TYPE | PERF_SAMPLE_AUX), LOAD(100, 0, 11), SAMPLED(50, 11, 7),
	 CGROUP(100, NULL), LOSS(other_samples, 1));

/* Records of every size, also without what they should have. */
TEST(damaged_records_of_groups)
{
	static const uint64_t zeros[8];

	for (size_t nr = 0; nr <= 8; nr++)
		PLAY(TYPE_IS(TYPE), RECORD_OF(PERF_RECORD_CGROUP, 0, nr, zeros),
		     RECORD_OF(PERF_RECORD_SAMPLE, 0, nr, zeros),
		     LOAD(100, 0, 11), TAKE, TEXT(s.cgroup, NULL));
}

STEP_OF(put_many)
{
	for (uint64_t i = 0; i < 300; i++) {
		const uint64_t tid = 11 + i % 2, group = i / 2 % 3 ? 5 : 6;
		const struct step seen = SAMPLED(995 + 10 * i, tid, group);

		load_at(&sc->b, i % 3, tid, 0x5000, 1000 + 10 * i);
		seen.run(sc, &seen);
	}
}

/* What several threads read while groups change is the same. */
TEST(commands_group_and_filter_by_it)
{
	for (int threads = 1; threads <= 4; threads++) {
		char report[128], script[128];

		snprintf(report, sizeof(report),
			 "report --threads=%d --sort=cgroup --format=csv",
			 threads);
		snprintf(script, sizeof(script),
			 "script --threads=%d -F tid,cgroup "
			 "--filter=cgroup=/web",
			 threads);
		PLAY(TYPE_IS(TYPE), GROUP(5, "/batch"), GROUP(6, "/web"),
		     CALL(put_many), COMMAND(report), HAS(",200,"),
		     HAS("/batch"), HAS(",100,"), HAS("/web"), COMMAND(script),
		     TIMES(100, " /web\n"));
	}
}
