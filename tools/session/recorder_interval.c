// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Changes the sampling interval of SPE while it records. The file tells each
 * change with a record that perf has for what hardware of an AUX event decides
 * and its trace does not tell: readers of pmscope find the interval of each
 * sample, others skip it.
 */
#include "event.h"
#include "recorder_priv.h"

/* PERF_RECORD_AUX_OUTPUT_HW_ID, which has the trailer of all records */
struct interval_record {
	struct perf_event_header header;
	uint64_t interval;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t cpu;
	uint32_t reserved;
	uint64_t id;
};

bool recorder_area(const struct recorder *rec, size_t index,
		   struct recorder_area *area)
{
	const struct recorded_ring *r = &rec->ring[index];

	if (!r->nr_traces || !r->ring.page)
		return false;
	*area = (struct recorder_area){
		.cpu = r->cpu,
		.interval = r->interval,
		.samples = r->samples,
	};
	return true;
}

static int write_interval(const struct recorder *rec,
			  struct pmscope_writer *writer,
			  const struct recorded_ring *r, uint64_t time)
{
	const struct interval_record record = {
		.header.type = PERF_RECORD_AUX_OUTPUT_HW_ID,
		.header.size = sizeof(record),
		.interval = r->interval + rec->rules.jitter,
		.time = time,
		.cpu = r->cpu,
		.id = r->trace[0].id,
	};

	if (rec->tally.untimed || !rec->rules.follows)
		return 0;
	return pmscope_writer_records(writer, &record, sizeof(record));
}

/* They hold from the first sample of a file on. */
int recorder_write_intervals(struct recorder *rec,
			     struct pmscope_writer *writer)
{
	int ret = 0;

	for (size_t i = 0; i < rec->nr_rings && !ret; i++) {
		const struct recorded_ring *r = &rec->ring[i];

		if (r->nr_traces && r->ring.page &&
		    r->interval + rec->rules.jitter !=
			    r->trace[0].event->attr.attr.sample_period)
			ret = write_interval(rec, writer, r, 0);
	}
	return ret;
}

static int ioctl_traces(const struct recorded_ring *r, unsigned long request,
			unsigned long arg, struct pmscope_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < r->nr_traces && !ret; i++)
		if (request != PERF_EVENT_IOC_ENABLE || !r->trace[i].off)
			ret = event_ioctl(r->trace[i].event, r->trace[i].fd,
					  request, arg, err);
	return ret;
}

static int change(struct recorder *rec, struct recorded_ring *r,
		  uint64_t interval, struct pmscope_error *err)
{
	int ret = ioctl_traces(r, PERF_EVENT_IOC_PERIOD,
			       (unsigned long)&interval, err);

	if (ret)
		return ret;
	r->interval = interval;
	/*
	 * All records up to now were read, so the time of the newest is behind
	 * all samples, and before those that follow.
	 */
	ret = write_interval(rec, rec->writer, r, rec->tally.stats.last + 1);
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

int recorder_switch_ring(struct recorder *rec, struct recorded_ring *r, bool on,
			 struct pmscope_error *err)
{
	r->changing = !on;
	if (!on)
		return ioctl_traces(r, PERF_EVENT_IOC_DISABLE, 0, err);
	if (!rec->enabled || rec->ending)
		return 0;
	return ioctl_traces(r, PERF_EVENT_IOC_ENABLE, 0, err);
}

int recorder_set_interval(struct recorder *rec, size_t index, uint64_t interval,
			  struct pmscope_error *err)
{
	struct recorded_ring *r = &rec->ring[index];
	/*
	 * What runs while SPE is off is not sampled: the trace up to here is
	 * written before and after that.
	 */
	int ret = recorder_drain_ring(rec, r, false, err)
			  ?: recorder_switch_ring(rec, r, false, err)
			  ?: recorder_drain_data(rec, r, err);

	if (!ret && interval != r->interval)
		ret = change(rec, r, interval, err);
	if (!ret)
		ret = recorder_switch_ring(rec, r, true, err);
	return ret ? ret : recorder_drain_ring(rec, r, false, err);
}

int recorder_set_intervals(struct recorder *rec, uint64_t interval,
			   struct pmscope_error *err)
{
	struct recorder_area area;
	int ret = 0;

	for (size_t i = 0; i < rec->nr_rings && !ret; i++)
		if (recorder_area(rec, i, &area))
			ret = recorder_set_interval(rec, i, interval, err);
	return ret;
}
