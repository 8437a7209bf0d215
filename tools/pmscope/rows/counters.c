// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/counters.h"
#include "cli/cli.h"
#include "session/scale.h"

#define NO_GROUP  SIZE_MAX
#define NO_THREAD UINT32_MAX

/* In place of a thread: the reading at the beginning of the file. */
#define BASE (NO_THREAD - 1)

/* Part of the key of a thread */
#define TOTAL (UINT64_C(1) << 32)

/* A share below this rounds to nothing when printed */
#define MISSING_MIN 20000

/*
 * struct counted_thread - the counters of one group that one thread has
 * @is_total: as read at the end, with all threads that inherited
 * @life: the threads so far that had its number; 0: none
 * @earlier: of the time enabled, what earlier files have
 * @least: of totals, the least time enabled: less than in @last if the events
 *	   went on while they were read, and a new file began
 * @least_base: the same where this file began
 * @first: where this life begins, and where it
 * @last: has come to; of all counters
 * @running: between the readings of each counter
 * @before: at most this long it ran on a CPU before the first reading there,
 * @before_least: and at least this long; both after @first
 * @all_time, @all_running: of the lives before, and of this one
 * @all_whole: time from where they were enabled on
 * @all_missing: of all these, ns that no counter ran
 */
struct counted_thread {
	size_t group;
	bool is_total;
	unsigned int life;
	uint64_t earlier;
	uint64_t least;
	uint64_t least_base;
	struct reading first;
	struct reading last;
	uint64_t running;
	uint64_t before;
	uint64_t before_least;
	uint64_t all_time;
	uint64_t all_whole;
	uint64_t all_running;
	uint64_t all_missing;
};

static uint64_t less_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_inherited(const struct counters *all, int attr)
{
	const struct pmscope_perf_attr *found =
		pmscope_perfdata_attr(all->perfdata, attr);

	return found && found->attr.inherit;
}

static int group_add(struct counters *all, int attr)
{
	struct counted_group *groups;

	if (array_room(all->groups, all->nr_groups, all->max_groups))
		return -ENOMEM;
	groups = &all->groups[all->nr_groups++];
	*groups = (struct counted_group){.attr = attr, .of_cpus = attr < 0};
	return 0;
}

static bool event_find(const struct counters *all, int attr, size_t *index)
{
	for (*index = 0; *index < all->nr_events; ++*index)
		if (all->events[*index].attr == attr)
			return true;
	return false;
}

/* NULL when memory is short. */
static char *event_name(const struct pmscope_count *count)
{
	char *name;

	if (count->name)
		return strdup(count->name);
	if (count->attr < 0)
		return strdup("unknown events");
	return asprintf(&name, "event %d", count->attr) < 0 ? NULL : name;
}

static int event_add(struct counters *all, const struct pmscope_count *count,
		     size_t group)
{
	struct counted_event *events;

	if (array_room(all->events, all->nr_events, all->max_events))
		return -ENOMEM;
	events = &all->events[all->nr_events++];
	*events = (struct counted_event){
		.attr = count->attr,
		.is_snapshot = count->is_snapshot,
		.group = group,
	};
	events->name = event_name(count);
	return events->name ? 0 : -ENOMEM;
}

/* With NO_GROUP it leads its own group. */
static int event_get(struct counters *all, const struct pmscope_count *count,
		     size_t group, size_t *index)
{
	if (event_find(all, count->attr, index))
		return 0;
	if (group == NO_GROUP) {
		group = all->nr_groups;
		if (group_add(all, count->attr))
			return -ENOMEM;
	}
	return event_add(all, count, group);
}

/* All threads have the identifier of an event that they inherited. */
static uint64_t counter_key(const struct counters *all,
			    const struct pmscope_sample *sample,
			    const struct pmscope_count *count)
{
	if (sample->is_total || sample->tid == PMSCOPE_NO_ID ||
	    !is_inherited(all, count->attr))
		return count->id;
	return count->id ^ ((uint64_t)sample->tid + 1) << 32;
}

/* Its index in @index. */
static int counter_new(struct counters *all, uint64_t key, size_t event,
		       uint32_t cpu, uint32_t *index)
{
	const struct counter new = {
		.event = event,
		.cpu = cpu,
		.whole = all->nr,
		.thread = NO_THREAD,
	};

	return keyed_add(&all->counter_of_key, sizeof(new), key, &new, index);
}

/* @group: of its leader. Returns NULL when memory is short. */
static struct counter *counter_get(struct counters *all,
				   const struct pmscope_sample *sample,
				   const struct pmscope_count *count,
				   size_t group)
{
	uint64_t key = counter_key(all, sample, count);
	uint32_t index, whole;
	size_t event;

	if (keyed_find(&all->counter_of_key, key, &index))
		return &all->counters[index];
	if (event_get(all, count, group, &event) ||
	    counter_new(all, key, event, sample->cpu, &index))
		return NULL;
	if (key == count->id)
		return &all->counters[index];
	if (!keyed_find(&all->counter_of_key, count->id, &whole) &&
	    counter_new(all, count->id, event, sample->cpu, &whole))
		return NULL;
	all->counters[index].partial = true;
	all->counters[index].whole = whole;
	return &all->counters[index];
}

/* @tid: or that of one for whom it was opened, and TOTAL */
static int thread_get(struct counters *all, size_t group, uint64_t tid,
		      uint32_t *index)
{
	uint64_t key = (uint64_t)group << 33 | tid;
	const struct counted_thread new = {.group = group,
					   .is_total = tid & TOTAL};

	if (keyed_find(&all->thread_of_key, key, index))
		return 0;
	all->groups[group].threads += !(tid & TOTAL);
	return keyed_add(&all->thread_of_key, sizeof(new), key, &new, index);
}

static bool is_set_back(const struct reading *from, const struct reading *to)
{
	return to->value < from->value || to->time < from->time ||
	       to->enabled < from->enabled || to->running < from->running;
}

/* The thread has ended, or the recording. */
static void end_life(struct counters *all, struct counted_thread *thread)
{
	struct counted_group *group = &all->groups[thread->group];
	uint64_t enabled = thread->last.enabled - thread->first.enabled;
	uint64_t time = thread->last.time - thread->first.time;
	uint64_t known = thread->running + thread->before;

	/* More than one counter ran at a time. */
	if (thread->running + thread->before_least > enabled + group->longest)
		group->of_cpus = true;
	thread->all_time += time - less_of(time, thread->before);
	thread->all_whole += time + thread->first.enabled - thread->earlier;
	thread->all_running += thread->running;
	/* An earlier part is missing. */
	thread->all_missing +=
		scaled_count(thread->running, enabled, known) - thread->running;
	thread->running = 0;
	thread->before = 0;
	thread->before_least = 0;
}

/* It was not enabled in this file before the file began. */
static uint64_t earlier_of(const struct counted_group *group,
			   const struct reading *first)
{
	uint64_t here = first->time - less_of(first->time, group->begin);

	return group->based ? first->enabled - less_of(first->enabled, here)
			    : 0;
}

static void begin_life(const struct counted_group *group,
		       struct counted_thread *thread, const struct reading *now)
{
	thread->life++;
	thread->earlier = earlier_of(group, now);
	thread->first = *now;
	thread->last = *now;
}

/*
 * Another thread may reuse the TID of one that has ended. The counters of a
 * thread share one clock; those of CPUs and control groups do not.
 */
static void look_at_clock(struct counters *all, struct counted_thread *thread,
			  bool set_back, const struct reading *now,
			  const struct reading *base)
{
	struct counted_group *group = &all->groups[thread->group];
	bool behind = now->enabled < thread->last.enabled / 2;

	if (thread->life && !set_back && behind &&
	    !is_inherited(all, group->attr)) {
		group->of_cpus = true;
		return;
	}
	if (thread->life && (set_back || behind))
		end_life(all, thread);
	if (!thread->life || set_back || behind)
		begin_life(group, thread,
			   base && !thread->life && !set_back ? base : now);
}

/* Did the thread that has the counter now have it at the reading before? */
static bool is_followed(const struct counters *all, const struct counter *c,
			uint32_t thread)
{
	return c->thread != NO_THREAD &&
	       (c->thread != thread || c->life == all->threads[thread].life);
}

/* Only a counter of a CPU counts for several threads, or for none. */
static bool is_of_cpu(const struct counter *leader, uint32_t thread,
		      const struct pmscope_sample *sample)
{
	return !sample->tid ||
	       (leader->thread < BASE && leader->thread != thread);
}

/* Times from the leader of the thread's group. */
static void thread_add(struct counters *all, uint32_t index,
		       const struct counter *leader, const struct reading *now)
{
	struct counted_thread *thread = &all->threads[index];
	struct counted_group *group = &all->groups[thread->group];
	bool followed = is_followed(all, leader, index);
	bool set_back = followed && is_set_back(&leader->last, now);
	uint64_t ran;

	look_at_clock(all, thread, set_back, now,
		      leader->thread == BASE ? &leader->last : NULL);
	if (!set_back && is_followed(all, leader, index)) {
		ran = now->running - leader->last.running;
		thread->running += ran;
		group->longest = MAX(group->longest, ran);
	} else {
		thread->before += less_of(now->running,
					  now->enabled - thread->first.enabled);
		thread->before_least +=
			now->running -
			less_of(now->running, thread->first.enabled);
	}
	thread->last.time = MAX(thread->last.time, now->time);
	thread->last.enabled = MAX(thread->last.enabled, now->enabled);
}

/*
 * Adds the count between two readings, judged alone. Returns it, or 0 if
 * unknown because the counter had no time.
 */
static uint64_t reading_add(struct reading *sum, const struct reading *from,
			    const struct reading *to)
{
	uint64_t enabled = to->enabled - from->enabled;
	uint64_t running = to->running - from->running, count;

	sum->enabled += enabled;
	sum->running += running;
	if (enabled && !running)
		return 0;
	count = scaled_count(to->value - from->value, enabled, running);
	sum->value += count;
	sum->time += to->time - from->time;
	return count;
}

static void told_add(struct reading *told, const struct reading *from,
		     const struct reading *to)
{
	told->value += to->value - from->value;
	told->time += to->time - from->time;
	told->enabled += to->enabled - from->enabled;
	told->running += to->running - from->running;
}

/* False if there is no earlier reading. */
static bool counter_add(struct counters *all, struct counter *c,
			uint32_t thread, const struct reading *now,
			struct counted *counted)
{
	struct counted_event *event = &all->events[c->event];
	bool known = is_followed(all, c, thread) && !is_set_back(&c->last, now);

	event->readings++;
	if (known) {
		told_add(&all->counters[c->whole].told, &c->last, now);
		*counted = (struct counted){
			.event = c->event,
			.from = c->last.time,
			.value = now->value - c->last.value,
			.scaled = reading_add(&event->alone, &c->last, now),
		};
		event->value += counted->value;
	}
	c->last = *now;
	c->thread = thread;
	c->life = all->threads[thread].life;
	return known;
}

unsigned int counted_event_number(const struct counters *all,
				  const struct counted_event *event)
{
	const struct pmscope_perf_attr *attr =
		pmscope_perfdata_attr(all->perfdata, event->attr);

	return attr && event->is_snapshot ? attr->attr.config & 0xffff : 0;
}

/* Takes the first of each of the two events. */
static void pair_take(struct counted_pair *pair, const struct counters *all,
		      const struct counted *counted)
{
	unsigned int number =
		counted_event_number(all, &all->events[counted->event]);

	if (number == EVENT_CPU_CYCLES && !pair->has_cycles) {
		pair->has_cycles = true;
		pair->cycles = *counted;
	}
	if (number == EVENT_INST_RETIRED && !pair->has_instructions) {
		pair->has_instructions = true;
		pair->instructions = *counted;
	}
}

static void pair_join(struct counted_pair *pair,
		      const struct counted_pair *from)
{
	if (!counted_pair_is_whole(from))
		return;
	pair->cycles.value += from->cycles.value;
	pair->cycles.scaled += from->cycles.scaled;
	pair->instructions.value += from->instructions.value;
	pair->instructions.scaled += from->instructions.scaled;
}

static struct reading reading_of(const struct pmscope_sample *sample,
				 const struct pmscope_count *count,
				 uint64_t time)
{
	return (struct reading){count->value, time, sample->time_enabled,
				sample->time_running};
}

/* The recipient of counts. */
struct taker {
	void (*take)(void *context, const struct counted *counted);
	void *context;
	struct counted_pair *pair;
};

static void hand_over(const struct counters *all, const struct taker *taker,
		      const struct counted *counted)
{
	pair_take(taker->pair, all, counted);
	if (taker->take)
		taker->take(taker->context, counted);
}

static int samples_add(struct counters *all, size_t group,
		       const struct pmscope_sample *sample, uint64_t time,
		       const struct taker *taker)
{
	const struct pmscope_count *first = &sample->counts[0];
	const struct counter *leader = counter_get(all, sample, first, group);
	const struct reading now = reading_of(sample, first, time);
	uint32_t thread;

	if (!leader || thread_get(all, group, sample->tid, &thread))
		return -ENOMEM;
	if (is_of_cpu(leader, thread, sample))
		all->groups[group].of_cpus = true;
	thread_add(all, thread, leader, &now);
	for (size_t i = 0; i < sample->nr_counts; i++) {
		const struct pmscope_count *count = &sample->counts[i];
		const struct reading to = reading_of(sample, count, time);
		struct counter *c = counter_get(all, sample, count, group);
		struct counted counted;

		if (!c)
			return -ENOMEM;
		if (c->cpu != sample->cpu)
			c->cpu = PMSCOPE_NO_ID;
		if (counter_add(all, c, thread, &to, &counted))
			hand_over(all, taker, &counted);
	}
	return 0;
}

/* Scales the count for the time that no reading covers. */
static void rest_add(struct counters *all, struct counter *c,
		     const struct reading *now, const struct taker *taker)
{
	struct counted_event *event = &all->events[c->event];
	struct reading to = *now;
	struct counted rest;

	/* The time of a CPU is the time it was enabled, but none of threads. */
	to.time = now->enabled > c->told.time ? now->enabled : c->told.time;
	if (is_set_back(&c->told, &to))
		return;
	rest = (struct counted){
		.event = c->event,
		.from = all->groups[event->group].begin,
		.value = to.value - c->told.value,
		.scaled = reading_add(&event->alone, &c->told, &to),
	};
	event->value += rest.value;
	c->told = to;
	c->last = *now;
	hand_over(all, taker, &rest);
}

/* The counts go on from another file: what they were there is not counted. */
static int bases_add(struct counters *all, size_t group,
		     const struct pmscope_sample *sample, uint64_t time)
{
	struct counted_thread *thread;
	uint32_t index;

	all->groups[group].based = true;
	if (thread_get(all, group, sample->tid | TOTAL, &index))
		return -ENOMEM;
	thread = &all->threads[index];
	thread->all_running -= sample->time_running;
	if (sample->time_enabled > thread->first.enabled)
		thread->first.enabled = sample->time_enabled;
	if (!thread->least_base || sample->time_enabled < thread->least_base)
		thread->least_base = sample->time_enabled;
	for (size_t i = 0; i < sample->nr_counts; i++) {
		const struct pmscope_count *count = &sample->counts[i];
		struct counter *c = counter_get(all, sample, count, group);

		if (!c)
			return -ENOMEM;
		c->last = reading_of(sample, count, time);
		c->thread = BASE;
		c->base = c->last.value;
		c->told = c->last;
		/* As totals have it: see rest_add(). */
		c->told.time = c->last.enabled;
	}
	return 0;
}

static int totals_add(struct counters *all, size_t group,
		      const struct pmscope_sample *sample, uint64_t time,
		      const struct taker *taker)
{
	struct counted_thread *thread;
	uint32_t index;

	/* The recorder knows for whom the event was opened. */
	all->groups[group].has_totals = true;
	all->groups[group].totals_of_cpus = sample->tid == PMSCOPE_NO_ID;
	if (thread_get(all, group, sample->tid | TOTAL, &index))
		return -ENOMEM;
	thread = &all->threads[index];
	thread->all_running += sample->time_running;
	thread->last.enabled = MAX(thread->last.enabled, sample->time_enabled);
	if (!thread->least || sample->time_enabled < thread->least)
		thread->least = sample->time_enabled;
	for (size_t i = 0; i < sample->nr_counts; i++) {
		const struct pmscope_count *count = &sample->counts[i];
		const struct reading now = reading_of(sample, count, time);
		struct counter *c = counter_get(all, sample, count, group);

		if (!c)
			return -ENOMEM;
		rest_add(all, c, &now, taker);
	}
	return 0;
}

int counters_add(struct counters *all, const struct pmscope_sample *sample,
		 uint64_t time,
		 void (*take)(void *context, const struct counted *counted),
		 void *context, struct counted_pair *pair)
{
	const struct taker taker = {take, context, pair};
	const struct counter *leader;
	size_t group;
	int ret;

	*pair = (struct counted_pair){};
	if (!sample->nr_counts)
		return 0;
	leader = counter_get(all, sample, &sample->counts[0], NO_GROUP);
	if (!leader)
		return -ENOMEM;
	group = all->events[leader->event].group;
	if (!all->groups[group].begin)
		all->groups[group].begin = time;
	if (sample->is_base)
		return bases_add(all, group, sample, time);
	ret = (sample->is_total ? totals_add : samples_add)(all, group, sample,
							    time, &taker);
	pair_join(&all->groups[group].pair, pair);
	return ret;
}

static size_t nr_ids(const struct counters *all, int attr)
{
	return attr < 0 ? 0
			: pmscope_perfdata_ids(all->perfdata, attr, NULL, 0);
}

/* The most that an event of the recording has. */
static size_t most_ids(const struct counters *all)
{
	size_t most = 0;

	for (int i = 0; pmscope_perfdata_attr(all->perfdata, i); i++)
		most = MAX(most, nr_ids(all, i));
	return most;
}

/* Number of CPUs on which each thread has a counter of the event. */
static size_t nr_cpus(const struct counters *all,
		      const struct counted_group *group)
{
	size_t ids = nr_ids(all, group->attr);

	return is_inherited(all, group->attr) || !group->threads
		       ? ids
		       : ids / group->threads;
}

/*
 * On each CPU but its last, a thread may have run for one more interval that no
 * reading covers. If an event is not open on all CPUs, for example on a PMU of
 * some, it is unknown where the thread was.
 */
static void group_add_thread(const struct counters *all,
			     struct counted_group *group,
			     const struct counted_thread *thread, size_t most)
{
	uint64_t unread =
		thread->life * group->longest * (nr_cpus(all, group) - 1);

	group->time += group->has_totals ? thread->all_whole : thread->all_time;
	if (thread->is_total != group->has_totals)
		return;
	if (thread->is_total)
		unread = thread->all_running / MISSING_MIN +
			 thread->last.enabled - thread->least +
			 thread->first.enabled - thread->least_base;
	group->running += thread->all_running;
	group->enabled += thread->all_running;
	if (thread->all_missing > unread && nr_ids(all, group->attr) == most)
		group->enabled += thread->all_missing;
}

static void thread_settle(struct counters *all, struct counted_thread *thread)
{
	uint64_t enabled = thread->last.enabled - thread->first.enabled;

	if (thread->is_total && thread->last.enabled)
		thread->all_missing =
			enabled - less_of(thread->all_running, enabled);
	else if (thread->life)
		end_life(all, thread);
}

void counters_settle(struct counters *all)
{
	size_t most = all->nr_groups ? most_ids(all) : 0;

	for (size_t i = 0; i < all->nr_threads; i++)
		thread_settle(all, &all->threads[i]);
	for (size_t i = 0; i < all->nr_groups; i++) {
		struct counted_group *group = &all->groups[i];

		group->alone =
			group->has_totals
				? group->totals_of_cpus
				: group->of_cpus || nr_cpus(all, group) <= 1;
	}
	for (size_t i = 0; i < all->nr_threads; i++) {
		const struct counted_thread *thread = &all->threads[i];
		struct counted_group *group = &all->groups[thread->group];

		if (!group->alone)
			group_add_thread(all, group, thread, most);
	}
}

struct reading counters_sum(const struct counters *all,
			    const struct counted_event *event)
{
	const struct counted_group *group = &all->groups[event->group];

	if (group->alone)
		return event->alone;
	return (struct reading){
		.value = scaled_count(event->value, group->enabled,
				      group->running),
		.time = group->time,
		.enabled = group->enabled,
		.running = group->running,
	};
}

/* The missing share between two readings is known only after all are read. */
void counters_scale(const struct counters *all, size_t most, double *counts,
		    const double *scaled)
{
	bool alone = false;

	for (size_t i = 0; i < all->nr_events && i < most; i++) {
		const struct counted_group *group =
			&all->groups[all->events[i].group];

		if (group->alone)
			counts[i] = scaled[i];
		else if (group->running)
			counts[i] *= (double)group->enabled / group->running;
	}
	for (size_t i = 0; i < all->nr_groups; i++)
		alone |= all->groups[i].alone;
	if (alone)
		memcpy(counts + most, scaled + most, 2 * sizeof(*counts));
}

double counters_ipc(const struct counters *all)
{
	uint64_t cycles = 0, instructions = 0;

	for (size_t i = 0; i < all->nr_groups; i++) {
		const struct counted_group *group = &all->groups[i];
		const struct counted_pair *pair = &group->pair;

		cycles +=
			group->alone ? pair->cycles.scaled : pair->cycles.value;
		instructions += group->alone ? pair->instructions.scaled
					     : pair->instructions.value;
	}
	return cycles ? (double)instructions / cycles : -1;
}

static bool stalls_of_group(const struct counters *all, size_t group,
			    struct counted_stalls *to)
{
	bool cycles = false, front = false, back = false;

	for (size_t i = 0; i < all->nr_events; i++) {
		const struct counted_event *event = &all->events[i];
		unsigned int number = counted_event_number(all, event);
		struct reading sum;

		if (event->group != group)
			continue;
		sum = counters_sum(all, event);
		if (number == EVENT_CPU_CYCLES)
			to->cycles = sum;
		else if (number == EVENT_STALL_FRONTEND)
			to->front = sum.value;
		else if (number == EVENT_STALL_BACKEND)
			to->back = sum.value;
		cycles |= number == EVENT_CPU_CYCLES;
		front |= number == EVENT_STALL_FRONTEND;
		back |= number == EVENT_STALL_BACKEND;
	}
	return cycles && front && back && to->cycles.value &&
	       (to->front || to->back);
}

bool counters_stalls(const struct counters *all, struct counted_stalls *to)
{
	for (size_t i = 0; i < all->nr_groups; i++)
		if (stalls_of_group(all, i, to))
			return true;
	return false;
}

void counters_left_out(const char *name, unsigned int shown)
{
	warning("%s: groups of more than %u events; those behind are not shown",
		name, shown);
}

void counters_fini(struct counters *all)
{
	for (size_t i = 0; i < all->nr_events; i++)
		free(all->events[i].name);
	free(all->events);
	free(all->groups);
	keyed_fini(&all->counter_of_key);
	keyed_fini(&all->thread_of_key);
}
