// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#define RECORD_BYTES 64 /* of SPE, on all CPUs known */

/* More operations than any CPU executes per second. */
#define OPERATIONS (UINT64_C(6) << 30)
/* The time, ms, that we may be late; the kernel wakes us at half a buffer. */
#define LATE_MS 50
#define LARGEST (UINT64_C(64) << 20)
/* Of memory, for all buffers, which the kernel cannot swap out. */
#define MEMORY_SHARE 16

uint64_t record_aux_size(uint64_t period, uint64_t cpus, uint64_t memory)
{
	uint64_t rate = OPERATIONS / (period ? period : 1) * RECORD_BYTES;
	uint64_t wanted = 2 * (rate / 1000 * LATE_MS), size = AUX_SIZE_MIN;

	while (size < wanted && size < LARGEST)
		size *= 2;
	while (size > AUX_SIZE_MIN &&
	       size > memory / MEMORY_SHARE / (cpus ? cpus : 1))
		size /= 2;
	return size;
}

/* Buffers to judge by, so that a single one does not decide. */
#define ENOUGH_BUFFERS 4
#define LARGEST_PERIOD (UINT64_C(1) << 24)

/* A buffer may be counted twice; then it lost samples in two ways. */
static uint64_t lossy(const struct recorder_stats *stats)
{
	return stats->truncated + stats->collisions;
}

uint64_t record_adapt(struct record_adapt *a,
		      const struct recorder_stats *stats)
{
	uint64_t buffers = stats->aux_buffers - a->buffers;
	uint64_t lost = lossy(stats) - a->lossy;

	if (a->percent < 0 || buffers < ENOUGH_BUFFERS)
		return a->period;
	a->buffers = stats->aux_buffers;
	a->lossy = lossy(stats);
	if (lost * 100 <= buffers * a->percent || a->period >= LARGEST_PERIOD)
		return a->period;
	a->raised++;
	a->period *= 2;
	return a->period;
}

#define SECOND UINT64_C(1000000000)

/* So many samples tell the rate; with fewer, those of a second. */
#define ENOUGH 256

/* Parts of the trace of a second after which a CPU is looked at. */
#define LOOKS 8

/*
 * What the kernel had not handed over when counting began is counted, too: at
 * most a look. So a rate is that of several.
 */
#define SHORTEST (4 * SECOND / LOOKS)

/*
 * An idle CPU that gets work again would have a short interval at first, so the
 * interval is shortened in steps.
 */
#define LARGEST_DIVISOR	   2
#define LARGEST_MULTIPLIER 16

static uint64_t limited(const struct record_rate *rate, double interval)
{
	if (interval < rate->least)
		return rate->least;
	if (interval > RECORD_SPE_LARGEST)
		return RECORD_SPE_LARGEST;
	return (uint64_t)interval / RECORD_SPE_STEP * RECORD_SPE_STEP;
}

/* Each change costs a part of an interval that is not sampled. */
static bool is_near(uint64_t samples, double wanted)
{
	return samples >= 0.8 * wanted && samples <= 1.25 * wanted;
}

uint64_t record_rate_next(const struct record_rate *rate, uint64_t interval,
			  uint64_t samples, uint64_t ns)
{
	double wanted = (double)rate->wanted * ns / SECOND;
	double next = interval * (samples / wanted);

	if (!ns || is_near(samples, wanted))
		return interval;
	next = MAX(next, interval / LARGEST_DIVISOR);
	next = MIN(next, (double)interval * LARGEST_MULTIPLIER);
	return limited(rate, next);
}

/*
 * An idle CPU that gets work would fill its buffer before half a second has
 * passed: those of a second are enough.
 */
bool record_rate_is_due(const struct record_rate *rate, uint64_t samples,
			uint64_t ns)
{
	if (samples < ENOUGH)
		return ns >= SECOND;
	return ns >= SHORTEST || samples >= rate->wanted;
}

uint32_t record_rate_watermark(uint64_t wanted, uint64_t aux_size)
{
	uint64_t bytes = wanted * RECORD_BYTES / LOOKS;

	return bytes < aux_size / 2 ? bytes : aux_size / 2;
}

static int change(struct record_rate *rate, struct recorder *recorder,
		  size_t index, uint64_t interval, struct pmscope_error *err)
{
	rate->changes++;
	if (!rate->low || interval < rate->low)
		rate->low = interval;
	rate->high = MAX(rate->high, interval);
	return recorder_set_interval(recorder, index, interval, err);
}

/* The area may hold samples that the kernel did not hand over yet. */
static int read_all(struct recorder *recorder, size_t index,
		    struct recorder_area *area, struct pmscope_error *err)
{
	int ret = recorder_set_interval(recorder, index, area->interval, err);

	recorder_area(recorder, index, area);
	return ret;
}

static int follow(struct record_rate *rate, struct recorder *recorder,
		  size_t index, struct recorder_area *area, uint64_t now,
		  struct pmscope_error *err)
{
	struct record_rate_seen *seen = &rate->seen[index];
	uint64_t ns = now - seen->ns, next;
	uint64_t samples = area->samples - seen->samples;
	int ret = 0;

	if (!seen->ns) {
		*seen = (struct record_rate_seen){now, area->samples};
		return 0;
	}
	if (!record_rate_is_due(rate, samples, ns))
		return 0;
	if (samples < ENOUGH)
		ret = read_all(recorder, index, area, err);
	samples = area->samples - seen->samples;
	next = record_rate_next(rate, area->interval, samples, ns);
	*seen = (struct record_rate_seen){now, area->samples};
	if (ret || next == area->interval)
		return ret;
	/* The change reads more samples of the old interval: count anew. */
	seen->ns = 0;
	return change(rate, recorder, index, next, err);
}

int record_rate_follow(struct record_rate *rate, struct recorder *recorder,
		       uint64_t now, struct pmscope_error *err)
{
	size_t nr = recorder_nr_fds(recorder);
	struct recorder_area area;
	int ret = 0;

	if (!rate->wanted)
		return 0;
	if (!rate->seen)
		rate->seen = calloc(nr + 1, sizeof(*rate->seen));
	if (!rate->seen)
		return pmscope_fail_nomem(err);
	for (size_t i = 0; i < nr && !ret; i++)
		if (recorder_area(recorder, i, &area))
			ret = follow(rate, recorder, i, &area, now, err);
	return ret;
}

void record_rate_fini(struct record_rate *rate)
{
	free(rate->seen);
}
