// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Continues a recording in a new file. The head of the new file is written
 * while the events go on and their data still goes to the old one. Then each
 * ring is cut: what was read up to there is in the old file, all else will be
 * in the new one.
 */
#include "base/clock.h"
#include "event.h"
#include "recorder_priv.h"

/* How often to read counters again because a sample came meanwhile */
#define SEAL_TRIES 100

static bool has_counts(const struct recorder *rec, size_t i)
{
	const struct recorded_event *e = &rec->event[i];

	return e->leader == i && !e->aux &&
	       (e->stream || e->event->sample_read);
}

static bool is_of_ring(const struct recorded_event *e, size_t i,
		       const struct recorded_ring *r)
{
	return e->stream == r->stream && e->cpu[i] == r->cpu &&
	       (r->task == -1 || e->task[i] == r->task);
}

static int seam_alloc(struct recorded_event *e, size_t members)
{
	size_t words = PMSCOPE_LOST_AT + 3 * members;

	if (e->seam)
		return 0;
	e->seam =
		calloc(e->nr_fds, sizeof(*e->seam) + words * sizeof(uint64_t));
	for (size_t i = 0; e->seam && i < e->nr_fds; i++)
		e->seam[i].value =
			(uint64_t *)(e->seam + e->nr_fds) + i * words;
	return e->seam ? 0 : -ENOMEM;
}

static int seams_alloc(struct recorder *rec)
{
	for (size_t i = 0; i < rec->nr_events; i++) {
		size_t end = i;

		while (end < rec->nr_events && rec->event[end].leader == i)
			end++;
		if (has_counts(rec, i) && seam_alloc(&rec->event[i], end - i))
			return -ENOMEM;
	}
	return 0;
}

static void seam_read(const struct recorded_event *e, size_t i)
{
	uint64_t value[PMSCOPE_READ_MAX + 2];
	struct seam *seam = &e->seam[i];

	seam->n = event_read(e->fd[i], value, sizeof(value));
	if (seam->n > 0)
		memcpy(seam->value, value, seam->n);
}

/* Returns whether there was anything to read. */
static bool seams_read(const struct recorder *rec,
		       const struct recorded_ring *r)
{
	bool any = false;

	for (size_t i = 0; i < rec->nr_events; i++) {
		const struct recorded_event *e = &rec->event[i];

		for (size_t j = 0; has_counts(rec, i) && j < e->nr_fds; j++) {
			if (!is_of_ring(e, j, r))
				continue;
			seam_read(e, j);
			any = true;
		}
	}
	return any;
}

/* A sample between reading and draining would be counted in both files. */
static int seal(struct recorder *rec, struct recorded_ring *r,
		struct pmscope_error *err)
{
	for (int tries = 0;; tries++) {
		uint64_t before = rec->tally.stats.samples;
		bool any = seams_read(rec, r);
		int ret = recorder_drain_ring(rec, r, true, err);

		if (ret || !any || rec->tally.stats.samples == before ||
		    tries == SEAL_TRIES)
			return ret;
	}
}

static int write_seam(struct recorder *rec, const struct recorded_event *e,
		      size_t i, bool base)
{
	if (e->stream && !base)
		return recorder_end_stream(rec, e, i, &e->seam[i], true);
	return recorder_write_counts(rec, e, i, &e->seam[i], base);
}

/* The counts where the old file ends and the new one begins. */
static int write_seams(struct recorder *rec, bool base)
{
	int ret = 0;

	for (size_t i = 0; i < rec->nr_events; i++) {
		const struct recorded_event *e = &rec->event[i];

		for (size_t j = 0; has_counts(rec, i) && j < e->nr_fds && !ret;
		     j++)
			ret = write_seam(rec, e, j, base);
	}
	return ret;
}

/* Which threads run where the new file begins. */
static int write_running(struct recorder *rec)
{
	int ret = 0;

	for (size_t i = 0; i < rec->nr_rings && !ret; i++) {
		const struct perf_event_header *header =
			(const void *)rec->ring[i].running;

		if (header->size)
			ret = pmscope_writer_records(rec->writer, header,
						     header->size);
	}
	return ret;
}

static int seal_all(struct recorder *rec, struct pmscope_error *err)
{
	int ret = seams_alloc(rec);

	if (ret)
		return pmscope_fail_nomem(err);
	for (size_t i = 0; i < rec->nr_rings && !ret; i++)
		ret = seal(rec, &rec->ring[i], err);
	if (ret)
		return ret;
	ret = write_seams(rec, false);
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

/* Counts go on; names and times are those of a file. */
static void swap(struct recorder *rec)
{
	struct pmscope_writer *writer = rec->writer;
	struct tally tally = rec->tally;

	rec->written += pmscope_writer_size(writer);
	tally_move_names(&rec->other_tally, &rec->tally);
	rec->writer = rec->other;
	rec->other = writer;
	rec->other_tally = tally;
}

static int begin_new(struct recorder *rec, struct pmscope_error *err)
{
	int ret = write_seams(rec, true);

	rec->tally.stats.first = 0;
	if (!ret)
		ret = write_running(rec);
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

static int end_old(struct recorder *rec, struct pmscope_error *err)
{
	uint64_t size = pmscope_writer_size(rec->other);
	int ret = recorder_write_end(rec, rec->other, &rec->other_tally);

	rec->written += pmscope_writer_size(rec->other) - size;
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

static int switch_files(struct recorder *rec, char *const *argv,
			struct pmscope_error *err)
{
	int kernel, ret;

	living_prune(&rec->living);
	rec->drained_ns = clock_ns();
	ret = kernel =
		recorder_write_head(rec, rec->other, &rec->other_tally, argv);
	if (ret < 0)
		return recorder_write_failed(rec, ret, err);
	ret = seal_all(rec, err);
	if (ret)
		return ret;
	swap(rec);
	return begin_new(rec, err) ?: end_old(rec, err) ?: kernel;
}

int recorder_switch(struct recorder *rec, char *const *argv,
		    struct pmscope_error *err)
{
	int ret;

	rec->other = pmscope_writer_open(rec->path);
	if (!rec->other)
		return recorder_open_failed(rec->path, err);
	rec->other_tally = (struct tally){
		.untimed = rec->tally.untimed,
	};
	ret = switch_files(rec, argv, err);
	pmscope_writer_free(rec->other);
	tally_free(&rec->other_tally);
	rec->other = NULL;
	return ret;
}

/*
 * A flight recorder: the kernel overwrites the oldest trace, and a snapshot
 * writes what there is. Positions of the AUX area never wrap, so its bytes are
 * whole and in order in the file; what a snapshot before has is left out.
 */
static int write_newest(struct recorder *rec, struct recorded_ring *r,
			struct pmscope_error *err)
{
	struct ring_data data;
	int ret;

	if (!ring_newest_aux(&r->ring, r->saved, &data))
		return 0;
	rec->tally.stats.overwritten += data.tail - r->saved;
	rec->tally.stats.aux_bytes += data.head - data.tail;
	r->saved = data.head;
	ret = recorder_write_trace(rec, r, &data);
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

static int ring_snapshot(struct recorder *rec, struct recorded_ring *r,
			 struct pmscope_error *err)
{
	return recorder_switch_ring(rec, r, false, err)
		       ?: recorder_drain_ring(rec, r, false, err)
		       ?: write_newest(rec, r, err)
		       ?: recorder_switch_ring(rec, r, true, err);
}

int recorder_snapshot(struct recorder *rec, struct pmscope_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < rec->nr_rings && !ret; i++)
		if (rec->ring[i].nr_traces && rec->ring[i].ring.aux)
			ret = ring_snapshot(rec, &rec->ring[i], err);
	return ret;
}
