// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record -k: events are timed by another clock than SPE records. */
#include "scenario.h"

/*
 * A thread that is "early" up to 125 by SPE's clock, and then "late"; what it
 * did at 110 and 120 is in one window, at 130 and 140 in another. Events are
 * told @skew later, and AUX records another @delay. Of "few" there are those at
 * 120 and 130.
 */
struct scene {
	int64_t skew;
	uint64_t delay;
	uint64_t flags; /* of the AUX records */
	bool other_clock;
	bool few;
	bool other_area; /* of another CPU, which is further ahead */
	bool of_thread;	 /* the area: it moves to another CPU at 125 */
};

static struct where on_cpu(const struct scene *scene, uint64_t time)
{
	return (struct where){7, 7, time + scene->skew,
			      scene->of_thread && time >= 125};
}

static void put_loads(struct bytes *area, const struct scene *scene,
		      uint64_t first, uint64_t last)
{
	for (uint64_t time = first; time <= last; time += 10)
		if (!scene->few || (time > 110 && time < 140))
			put_load_of(area, 7, 0x5000, 0x9000, time);
}

static void put_window(struct bytes *b, const struct scene *scene,
		       const struct bytes *area, size_t from, size_t to,
		       uint64_t end)
{
	struct where where = on_cpu(scene, end + scene->delay);
	BYTES part = {};

	bytes_add(&part, area->data + from, to - from);
	put_aux_at(b, from, to - from, scene->flags, &where);
	put_auxtrace_at(b, from, 0, scene->of_thread ? NO_CPU : 0, 7, &part);
}

STEP_OF(make)
{
	const struct scene *scene = step->data;
	struct where start = on_cpu(scene, 106);
	struct where elsewhere = {8, 8, 100 + scene->skew, 1};
	struct bytes *b = &sc->b, *area = &sc->trace;
	size_t first;

	if (scene->other_clock)
		perfdata_use_clockid(b, CLOCK_BOOTTIME);
	put_loads(area, scene, 110, 120);
	first = area->size;
	put_loads(area, scene, 130, 140);
	if (scene->other_area)
		put_aux_at(b, 0, first / 2, 0, &elsewhere);
	comm_at(b, 0, "early", 105 + scene->skew, 7, 7);
	put_itrace_start(b, &start);
	put_window(b, scene, area, 0, first, 121);
	comm_at(b, 0, "late", 125 + scene->skew, 7, 7);
	start = on_cpu(scene, 126);
	if (scene->of_thread)
		put_itrace_start(b, &start);
	put_window(b, scene, area, first, area->size, 141);
}

#define NAMES(first, second, third, fourth, ...)                           \
	PLAY(TELL_OF(make, NULL, (&(const struct scene){__VA_ARGS__}), 0), \
	     NEXT(110), NAME(first), NEXT(120), NAME(second), NEXT(130),   \
	     NAME(third), NEXT(140), NAME(fourth), END)
#define RIGHT(...) NAMES("early", "early", "late", "late", __VA_ARGS__)
#define NONE(...)  NAMES(NULL, NULL, NULL, NULL, __VA_ARGS__)
#define RIGHT_OF_FEW(...)                                                     \
	PLAY(TELL_OF(make, NULL,                                              \
		     (&(const struct scene){                                  \
			     .other_clock = true, .few = true, __VA_ARGS__}), \
		     0),                                                      \
	     NEXT(120), NAME("early"), NEXT(130), NAME("late"), END)

CASE(events_are_ahead, RIGHT(.skew = 1000000, .other_clock = true));
CASE(events_are_behind, RIGHT(.skew = -50, .other_clock = true));

/* A window of one record has its first and its last at one time. */
TEST(windows_of_one_record)
{
	RIGHT_OF_FEW(.skew = -50);
	RIGHT_OF_FEW(.skew = 1000000, .delay = 8);
}

/* A thread starts after the windows of its own area. */
CASE(a_start_beside_another_area,
     RIGHT(.skew = 1000000, .other_clock = true, .other_area = true));

/* Like perf record --per-thread --sample-cpu. */
TEST(an_area_of_a_thread_that_tells_its_cpus)
{
	RIGHT(.skew = 1000000, .other_clock = true, .of_thread = true);
	RIGHT(.skew = -50, .other_clock = true, .of_thread = true);
}

/* They come before the next window begins: that limits the skew, too. */
TEST(late_aux_records)
{
	RIGHT(.skew = 1000000, .delay = 8, .other_clock = true);
	RIGHT(.delay = 8, .other_clock = true);
}

/* Nothing is moved that need not be. */
CASE(perfs_own_clock, RIGHT(); NONE(.skew = 1000000));

/* Offsets in a ring do not tell when something was written. */
CASE(a_ring, NONE(.skew = 1000000, .flags = PERF_AUX_FLAG_OVERWRITE,
		  .other_clock = true));
