// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts events in loops. */
#include "session/records.h"
#include "verify/verify.h"

#include <sys/ioctl.h>

#define GROUP_MAX    6
#define TRIES	     3
#define NR_SAMPLES   8
#define LEAST_PERIOD 64

struct counter {
	/* of the event, or of the mode of its counter, which needs */
	const char *name;
	int number;
	const char *terms; /* in addition */
	const struct verify_rule *rule;
	bool listed; /* PMCEID<n>_EL0 has it; else only the CPU's manual may */
	int refused; /* -errno of opening it */
	/* what was measured, of which the middle one counts */
	struct measured try[TRIES][LOOPS_MAX];
	struct measured m[LOOPS_MAX];
	struct judged judged;
};

int counting_open(struct counting *c, const char *events)
{
	struct pmscope_error err;

	memset(c, 0, sizeof(*c));
	return events_parse(&c->events, events, NULL, &err) ?:
	       target_add(&c->target, gettid()) ?:
	       pmscope_counters_open(&c->counters, &c->events, &c->target,
				     &(struct count_rules){}, &err);
}

void counting_close(struct counting *c)
{
	pmscope_counters_free(c->counters);
	target_free(&c->target);
	events_free(&c->events);
}

/* Ticks that a hypervisor gave to others */
static uint64_t stolen(int cpu)
{
	unsigned long long steal = 0;
	char line[256], name[16];
	FILE *file = fopen("/proc/stat", "re");

	snprintf(name, sizeof(name), "cpu%d ", cpu);
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line, "%*s %*u %*u %*u %*u %*u %*u %*u %llu",
			       &steal);
	if (file)
		fclose(file);
	return steal;
}

/* Does the loop say, on this machine, what the event must be? */
static bool is_known(const struct verify_kind *kind, const struct counter *c,
		     const struct loop *loop)
{
	const struct verify_rule *rule = c->rule;
	const struct loop_memory *m = &kind->memory;
	enum quantity q = rule->quantity;

	if (loop_quantity(loop, q, 1, 0) < 0)
		return false;
	/* Stores are merged. */
	if (loop->per[STORES] != 0 && rule->exactness == CACHED)
		return false;
	/* Where guesses are wrong, others execute, too, but do not miss. */
	if (loop_quantity(loop, MISPREDICTED, 1, 1) != 0 &&
	    rule->exactness != RETIRED && q != MISPREDICTED)
		return rule->exactness == CACHED &&
		       loop_quantity(loop, q, 1, 1) == 0;
	if (q == EXCEPTIONS && !kind->kernel)
		return false;
	if (q == L2_MISSES && loop->region == RING_2)
		return m->fits && (m->has_l3 || strncmp(c->name, "ll_", 3));
	if (q == L2_MISSES || q == LL_MISSES)
		return loop->region != RING_M || m->misses;
	return true;
}

/* @counts: of each event the user's and, if it is counted, the kernel's */
static void take(const struct verify_kind *kind, const struct counter *c,
		 const struct loop *loop, uint64_t taken, const int64_t *counts,
		 struct measured *m)
{
	enum quantity q = c->rule->quantity;
	/* These go from one level to another, so both are counted. */
	bool both = q == EXCEPTIONS;

	*m = (struct measured){
		.known = is_known(kind, c, loop),
		.speculates = loop_quantity(loop, MISPREDICTED, 1, 1) != 0 &&
			      q != MISPREDICTED && !both,
		.traps = loop->traps && !both,
		.expected = loop_quantity(loop, q, loop->n, taken),
		.instructions =
			loop_quantity(loop, INSTRUCTIONS, loop->n, taken),
		.counted = counts[0],
		.kernel = kind->kernel ? counts[1] : -1,
	};
	if (both && kind->kernel) {
		m->counted += m->kernel;
		m->kernel = -1;
	}
}

/* The counts of @n iterations are added to @sum, @sign times. */
static int count_loop(struct verify_kind *kind, struct pmscope_counters *cs,
		      const struct loop *loop, uint64_t n, int sign,
		      int64_t *sum, uint64_t *taken)
{
	const struct pmscope_reading *r;
	struct pmscope_error err;
	uint64_t before[GROUP_MAX * 2];
	int ret = pmscope_counters_read(cs, &r, &err);

	if (ret < 0)
		return ret;
	memcpy(before, r->value, r->nr * sizeof(*before));
	loop_prepare(loop, &kind->memory);
	ret = pmscope_counters_enable(cs, &err);
	loop_run(loop, &kind->memory, n);
	ret = ret ?: pmscope_counters_disable(cs, &err);
	*taken += sign * loop_taken(loop, &kind->memory, n);
	if (!ret)
		ret = pmscope_counters_read(cs, &r, &err);
	for (size_t i = 0; ret >= 0 && i < r->nr; i++)
		sum[i] += sign * (int64_t)(r->value[i] - before[i]);
	if (ret >= 0 && r->running < r->enabled)
		return -EBUSY;
	return ret < 0 ? ret : 0;
}

/*
 * The first run fills caches and trains predictors; the difference of the
 * others has nothing of what starts and stops them.
 */
static int count_loops(struct verify_kind *kind, struct pmscope_counters *cs,
		       struct counter **c, size_t nr, size_t try)
{
	for (size_t l = 0; l < nr_loops; l++) {
		static const int signs[] = {0, 1, -1};
		int64_t counts[GROUP_MAX * 2] = {};
		const struct loop *loop = &loops[l];
		uint64_t taken = 0;
		int ret;

		if (!loop_is_possible(loop, &kind->memory))
			continue;
		for (size_t i = 0; i < 3; i++) {
			ret = count_loop(kind, cs, loop,
					 loop->n << (signs[i] > 0), signs[i],
					 counts, &taken);
			if (ret)
				return ret;
		}
		for (size_t i = 0; i < nr; i++)
			take(kind, c[i], loop, taken,
			     &counts[i << kind->kernel], &c[i]->try[try][l]);
	}
	return 0;
}

static double difference(const struct measured *m)
{
	return m->counted - m->expected;
}

static double off(const struct measured *m)
{
	return difference(m) < 0 ? -difference(m) : difference(m);
}

static int by_difference(const void *a, const void *b)
{
	double d = difference(a) - difference(b);

	return (d > 0) - (d < 0);
}

/*
 * Of several tries the middle one, as interrupts disturb some; of exceptions,
 * which these are, the best one.
 */
static void judge(struct counter *c, size_t tries)
{
	for (size_t l = 0; l < nr_loops; l++) {
		struct measured of_loop[TRIES];
		size_t best;

		for (size_t t = 0; t < tries; t++)
			of_loop[t] = c->try[t][l];
		qsort(of_loop, tries, sizeof(*of_loop), by_difference);
		best = tries / 2;
		for (size_t t = 0; c->rule->quantity == EXCEPTIONS && t < tries;
		     t++)
			if (off(&of_loop[t]) < off(&of_loop[best]))
				best = t;
		c->m[l] = of_loop[best];
	}
	c->judged = verdict_of(c->m, nr_loops, verify_margin(c->rule));
}

/* Three times if it is not exact, and again what a hypervisor disturbed */
static int count_group(struct verify_kind *kind, struct pmscope_counters *cs,
		       struct counter **c, size_t nr)
{
	size_t tries = 1, again = 0;

	for (size_t t = 0; t < tries; t++) {
		uint64_t steal = stolen(kind->cpu);
		int ret = count_loops(kind, cs, c, nr, t);

		if (ret)
			return ret;
		steal = stolen(kind->cpu) - steal;
		kind->stolen += steal;
		if (steal && again++ < TRIES)
			t--;
		for (size_t i = 0; i < nr; i++) {
			judge(c[i], t + 1);
			if (c[i]->judged.verdict != VERDICT_EXACT)
				tries = TRIES;
		}
	}
	return 0;
}

/* As many at once as the PMU has counters for; those refused are noted. */
static int measure(struct verify_kind *kind, struct counter **c, size_t nr)
{
	char text[GROUP_MAX * 2 * 96], *at = text;
	bool kernel = kind->kernel;
	struct counting counting;
	int ret;

	for (size_t i = 0; i < nr; i++)
		for (int k = 0; k <= kernel; k++)
			at += sprintf(at, "%c%s/event=0x%x%s/%c",
				      at == text ? '{' : ',', kind->pmu.name,
				      c[i]->number, c[i]->terms, k ? 'k' : 'u');
	strcpy(at, "}");
	ret = counting_open(&counting, text)
		      ?: count_group(kind, counting.counters, c, nr);
	counting_close(&counting);
	if (!ret || ret == -ENOMEM)
		return ret;
	if (nr > 1)
		return measure(kind, c, nr / 2)
			       ?: measure(kind, c + nr / 2, nr - nr / 2);
	/* There may be one counter, or none. */
	kind->kernel = false;
	if (kernel)
		ret = measure(kind, c, nr);
	else
		c[0]->refused = ret;
	kind->kernel = kernel;
	return kernel ? ret : 0;
}

static size_t count_samples(const struct ring *ring)
{
	struct perf_event_header header;
	struct ring_data data;
	size_t samples = 0;

	if (!ring_peek(ring, &data))
		return 0;
	/* So few records do not reach the end of the ring. */
	for (const char *at = data.part[0], *end = at + data.size[0];
	     at + sizeof(header) <= end; at += header.size) {
		memcpy(&header, at, sizeof(header));
		samples += header.type == PERF_RECORD_SAMPLE;
	}
	return samples;
}

static const struct loop *strongest(const struct counter *c)
{
	size_t best = nr_loops;

	for (size_t l = 0; l < nr_loops; l++)
		if (c->m[l].known && !c->m[l].traps &&
		    (best == nr_loops ||
		     c->m[l].expected > c->m[best].expected))
			best = l;
	return best < nr_loops ? &loops[best] : NULL;
}

/* Runs @loop with samples each @period counts of the event; -errno */
static int sample_loop(struct verify_kind *kind, struct listed_event *event,
		       const struct loop *loop, uint64_t period,
		       uint64_t *count, size_t *samples)
{
	struct perf_event_attr *attr = &event->attr.attr;
	struct ring ring = {};
	int fd, ret;

	attr->sample_period = period;
	attr->sample_type = PERF_SAMPLE_IP;
	attr->disabled = 1;
	attr_set_size(&event->attr);
	fd = event_open(event, &event->attr, 0, -1, -1, NULL);
	if (fd < 0)
		return fd;
	ret = ring_map(&ring, fd, 16 * (size_t)sysconf(_SC_PAGESIZE));
	loop_prepare(loop, &kind->memory);
	ret = ret ?: event_ioctl(event, fd, PERF_EVENT_IOC_ENABLE, 0, NULL);
	loop_run(loop, &kind->memory, loop->n);
	ret = ret ?: event_ioctl(event, fd, PERF_EVENT_IOC_DISABLE, 0, NULL);
	if (!ret && read(fd, count, sizeof(*count)) != sizeof(*count))
		ret = -EIO;
	if (!ret)
		*samples = count_samples(&ring);
	ring_unmap(&ring);
	close(fd);
	return ret;
}

/* Does a counter that overflows tell? If it does so late, samples are lost. */
static void check_overflow(struct verify_kind *kind, struct counter *c,
			   struct verify_row *row)
{
	const struct loop *loop = strongest(c);
	struct event_list list = {};
	uint64_t count, period;
	char text[128];
	size_t samples;

	period = loop ? c->m[loop - loops].counted / NR_SAMPLES : 0;
	snprintf(text, sizeof(text), "%s/event=0x%x%s/u", kind->pmu.name,
		 c->number, c->terms);
	if (period >= LEAST_PERIOD && c->rule->quantity != EXCEPTIONS &&
	    !events_parse(&list, text, NULL, NULL) &&
	    !sample_loop(kind, &list.event[0], loop, period, &count,
			 &samples) &&
	    2 * samples < count / period) {
		row->is_silent = !samples;
		verify_note(row, "%zu samples where %" PRIu64 " are due",
			    samples, count / period);
	}
	events_free(&list);
}

/* A counter of 64 bits; a cycle counts one, which reaches a threshold of 1. */
static const struct mode {
	const char *name, *event;
	int number;
	const char *terms, *needed;
} modes[] = {
	{"64-bit counter", "inst_retired", 0x8, ",long=1", "format/long"},
	{"threshold", "cpu_cycles", 0x11, ",threshold=1", "caps/threshold_max"},
};
#define NR_MODES (sizeof(modes) / sizeof(*modes))

static bool has_mode(const struct verify_kind *kind, const struct mode *mode)
{
	char text[64];

	return sysfs_read(text, sizeof(text), PMSCOPE_PMU_DEVICES "/%s/%s",
			  kind->pmu.name, mode->needed) > 0 &&
	       (*text == 'c' || strtoul(text, NULL, 0)); /* config1:0 */
}

/* What is offered: in sysfs, or perhaps in the CPU's manual */
static size_t list_counters(const struct verify_kind *kind,
			    struct counter *counters)
{
	size_t nr_names, nr = 0;
	const struct pmscope_event_name *name = event_names(&nr_names);
	char terms[64];

	for (; nr_names--; name++) {
		bool listed = !pmu_event_terms(&kind->pmu, name->name, terms,
					       sizeof(terms));

		if (listed || (name->source != PMSCOPE_EVENT_LISTED &&
			       event_name_find(name->name, kind->midr) == name))
			counters[nr++] = (struct counter){
				.name = name->name,
				.number = name->number,
				.terms = "",
				.rule = verify_rule(name->name),
				.listed = listed,
			};
	}
	for (const struct mode *m = modes; m < modes + NR_MODES; m++)
		if (has_mode(kind, m))
			counters[nr++] = (struct counter){
				.name = m->name,
				.number = m->number,
				.terms = m->terms,
				.rule = verify_rule(m->event),
				.listed = true,
			};
	return nr;
}

static int add_counter(struct verify_kind *kind, struct counter *c)
{
	const struct measured *m = &c->m[c->judged.loop];
	struct verify_row *row;
	bool silent;

	if (c->refused == -EACCES || c->refused == -EPERM)
		c->judged.verdict = VERDICT_NOT_ALLOWED;
	/* No PMCEID<n>_EL0 bit: the CPU may not have it at all. */
	silent = !c->listed && c->judged.verdict == VERDICT_DEAD;
	if (silent)
		c->judged.verdict = VERDICT_UNDECIDED;
	row = verify_add(kind, c->name, *c->terms ? -1 : c->number, c->judged,
			 &loops[c->judged.loop], m);
	if (!row)
		return -ENOMEM;
	row->used = c->rule && c->rule->used;
	row->listed = c->listed;
	if (silent)
		verify_note(row, "counts nothing: this CPU may not have it");
	else if (c->refused)
		verify_note(row, "%s", strerror(-c->refused));
	else if (c->judged.verdict != VERDICT_UNDECIDED &&
		 c->judged.verdict != VERDICT_DEAD)
		check_overflow(kind, c, row);
	return 0;
}

int verify_counters(struct verify_kind *kind)
{
	size_t nr_names, nr, nr_measured = 0;
	struct counter *counters, **measured;
	int ret = 0;

	event_names(&nr_names);
	counters = calloc(nr_names + NR_MODES, sizeof(*counters));
	measured = calloc(nr_names + NR_MODES, sizeof(struct counter *));
	if (!counters || !measured)
		ret = -ENOMEM;
	nr = ret ? 0 : list_counters(kind, counters);
	for (size_t i = 0; i < nr; i++)
		if (counters[i].rule)
			measured[nr_measured++] = &counters[i];
	for (size_t i = 0; !ret && i < nr_measured; i += GROUP_MAX) {
		size_t left = nr_measured - i;

		if (verify_now() > kind->until)
			break;
		ret = measure(kind, measured + i,
			      left < GROUP_MAX ? left : GROUP_MAX);
	}
	for (size_t i = 0; !ret && i < nr; i++)
		ret = add_counter(kind, &counters[i]);
	free(counters);
	free(measured);
	return ret;
}
