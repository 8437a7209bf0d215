// SPDX-License-Identifier: GPL-2.0-or-later
/* SPE in loops: what is sampled, where, how often, and what records say. */
#include "session/records.h"
#include "verify/verify.h"

#include <sys/ioctl.h>

#define LEAST_INTERVAL 256
#define SAMPLES	       6000
#define AUX_SIZE       (1U << 20)
#define PEER_ROUNDS    400

/* An SPE PMU on the CPU */
struct sampler {
	struct verify_kind *kind;
	char pmu[PMSCOPE_PMU_NAME_MAX];
	/* operations, the shortest that the CPU is meant for */
	uint64_t interval;
	struct pmscope_batch *batch;
	uint64_t collisions; /* AUX records that tell of some */
	uint64_t operations;
	bool lost; /* the buffer was full */
};

static void see_records(struct sampler *s, const struct ring *ring)
{
	struct perf_event_header header;
	struct ring_data data;
	uint64_t aux[3]; /* offset, size, flags */

	if (!ring_peek(ring, &data))
		return;
	for (const char *at = data.part[0], *end = at + data.size[0];
	     at + sizeof(header) <= end; at += header.size) {
		memcpy(&header, at, sizeof(header));
		if (header.type != PERF_RECORD_AUX)
			continue;
		memcpy(aux, at + sizeof(header), sizeof(aux));
		s->collisions += !!(aux[2] & PERF_AUX_FLAG_COLLISION);
		s->lost |= aux[2] & PERF_AUX_FLAG_TRUNCATED;
	}
}

static int open_ring(struct sampler *s, const char *terms, struct ring *ring)
{
	struct event_list list = {};
	struct pmscope_error err;
	char text[160];
	int ret;

	snprintf(text, sizeof(text), "%s/ts_enable=1,period=%" PRIu64 "%s/u",
		 s->pmu, s->interval, terms);
	ret = events_parse(&list, text, NULL, &err);
	if (!ret) {
		list.event[0].attr.attr.disabled = 1;
		attr_set_size(&list.event[0].attr);
		ret = ring->fd = event_open(&list.event[0], &list.event[0].attr,
					    0, -1, -1, &err);
	}
	events_free(&list);
	if (ret >= 0)
		ret = ring_map(ring, ring->fd,
			       16 * (size_t)sysconf(_SC_PAGESIZE));
	return ret ?: ring_map_aux(ring, AUX_SIZE, false);
}

/* Samples @rounds runs of @n iterations; the records are in the batch. */
static int sample(struct sampler *s, const struct loop *loop, uint64_t n,
		  unsigned int rounds, const char *terms)
{
	struct pmscope_decode_stats stats = {};
	struct ring ring = {.fd = -1};
	struct ring_data data;
	int ret = open_ring(s, terms, &ring);

	s->batch->count = 0;
	if (!ret && ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0))
		ret = -errno;
	for (unsigned int i = 0; !ret && i < rounds; i++) {
		loop_prepare(loop, &s->kind->memory);
		loop_run(loop, &s->kind->memory, n);
	}
	if (!ret && ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0))
		ret = -errno;
	s->operations = loop_quantity(loop, INSTRUCTIONS, n * rounds, 0);
	if (!ret && ring_peek_aux(&ring, &data))
		pmscope_decode(data.part[0], data.size[0], 0,
			       PMSCOPE_DECODE_LAST, s->batch, &stats);
	if (!ret)
		see_records(s, &ring);
	ring_unmap(&ring);
	if (ring.fd >= 0)
		close(ring.fd);
	return ret;
}

static int sample_loop(struct sampler *s, const struct loop *loop,
		       const char *terms)
{
	uint64_t n = SAMPLES * s->interval / (uint64_t)loop->per[INSTRUCTIONS];

	if (loop->region == RING_P)
		return sample(s, loop, 2 * loop->n, PEER_ROUNDS, terms);
	return sample(s, loop, n, 1, terms);
}

static struct verify_row *add(struct sampler *s, const char *name,
			      struct judged judged, const struct loop *loop,
			      const struct measured *m)
{
	struct verify_row *row = verify_add(s->kind, name, -1, judged, loop, m);

	if (row)
		row->used = true;
	return row;
}

static int check_mix(struct sampler *s)
{
	const struct loop *mix = loop_find("mix");
	struct measured m;
	struct verify_row *row;
	struct mixed mixed;
	int ret = sample_loop(s, mix, ",jitter=1");

	if (ret)
		return ret;
	mixed_of(&mixed, s->batch, (uintptr_t)mix->body);
	add(s, "SPE mix", judge_mix(s->batch, &m), mix, &m);
	row = add(s, "SPE places", judge_places(&mixed, &m), mix, &m);
	if (row && mixed.shift)
		verify_note(row, "samples are %d instructions late",
			    mixed.shift);
	add(s, "SPE bias", judge_bias(&mixed, &m), mix, &m);
	add(s, "SPE event not-taken", judge_not_taken(s->batch, &m), mix, &m);
	return 0;
}

/* Operations are samples times the interval, unless some collided. */
static int check_interval(struct sampler *s)
{
	const struct loop *loop = loop_find("loads");
	struct measured m = {.known = true};
	struct verify_row *row;
	uint64_t back = 0;
	int ret;

	s->collisions = 0;
	ret = sample_loop(s, loop, "");
	if (ret)
		return ret;
	m.expected = (double)s->operations / s->interval;
	m.counted = s->batch->count;
	row = add(s, "SPE interval", verdict_of(&m, 1, 0.3), loop, &m);
	if (row && s->collisions)
		verify_note(row, "samples collided %" PRIu64 " times",
			    s->collisions);
	if (row && s->lost)
		verify_note(row, "the buffer was full");
	for (size_t i = 1; i < s->batch->count; i++)
		back += s->batch->timestamp[i] < s->batch->timestamp[i - 1];
	m.expected = s->batch->count;
	m.counted = s->batch->count - back;
	add(s, "SPE timestamps", verdict_of(&m, 1, 0), loop, &m);
	return 0;
}

static int check_loads(struct sampler *s)
{
	const struct loop *const of[NR_LOADS] = {loop_find("loads"),
						 loop_find("misses in L1"),
						 loop_find("misses in all"),
						 loop_find("pages"),
						 loop_find("of a peer")};
	struct measured order = {.known = true, .expected = 2};
	struct of_loads l = {};
	struct verify_row *row;
	struct judged j;

	for (size_t i = 0; i < NR_LOADS; i++) {
		int ret;

		if (!loop_is_possible(of[i], &s->kind->memory))
			continue;
		ret = sample_loop(s, of[i], ",jitter=1");
		if (ret)
			return ret;
		see_loads(&l, i, s->batch, of[i], s->kind->midr,
			  s->kind->memory.misses);
	}
	j = verdict_of(l.refills, NR_LOADS, 0.3);
	add(s, "SPE event L1D-refill", j, of[j.loop], &l.refills[j.loop]);
	j = verdict_of(l.walks, NR_LOADS, 0.3);
	add(s, "SPE event TLB-refill", j, of[j.loop], &l.walks[j.loop]);
	j = verdict_of(l.source, NR_LOADS, 0.3);
	add(s, "SPE data sources", j, of[j.loop], &l.source[j.loop]);
	order.counted =
		(l.latency[0] < l.latency[1]) + (l.latency[1] < l.latency[2]);
	row = add(s, "SPE latencies", verdict_of(&order, 1, 0), of[2], &order);
	if (row)
		verify_note(row,
			    "of a hit, a miss in L1, in all: %.0f, %.0f, %.0f",
			    l.latency[0], l.latency[1], l.latency[2]);
	return 0;
}

static bool find_pmu(struct sampler *s)
{
	for (unsigned int i = 0;
	     !pmu_instance(PMSCOPE_PMU_DEVICES, "arm_spe", i, s->pmu); i++) {
		struct pmu pmu;
		bool has = !pmu_open(&pmu, PMSCOPE_PMU_DEVICES, s->pmu, NULL) &&
			   cpulist_has(&pmu.cpus, s->kind->cpu);

		pmu_close(&pmu);
		if (has)
			return true;
	}
	return false;
}

int verify_spe(struct verify_kind *kind)
{
	struct sampler s = {.kind = kind, .interval = LEAST_INTERVAL};
	struct measured none = {};
	struct verify_row *row;
	int ret;

	if (!find_pmu(&s) || verify_now() > kind->until)
		return 0;
	sysfs_number(&s.interval, PMSCOPE_PMU_DEVICES "/%s/caps/min_interval",
		     s.pmu);
	s.batch = pmscope_batch_new(AUX_SIZE / 8);
	if (!s.batch)
		return -ENOMEM;
	ret = check_mix(&s) ?: check_interval(&s) ?: check_loads(&s);
	pmscope_batch_free(s.batch);
	if (!ret || ret == -ENOMEM)
		return ret;
	row = add(&s, "SPE",
		  (struct judged){.verdict = ret == -EACCES || ret == -EPERM
						     ? VERDICT_NOT_ALLOWED
						     : VERDICT_UNDECIDED},
		  loops, &none);
	if (row)
		verify_note(row, "%s", strerror(-ret));
	return 0;
}
