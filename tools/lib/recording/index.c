// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The first pass: collects the places of the traces, side-band events, and
 * losses. It decodes no trace.
 */
#include "perfdata/writer.h"
#include "recording.h"

/* Offsets in the body of an AUXTRACE record. */
enum {
	TRACE_OFFSET = 8,
	TRACE_REFERENCE = 16,
	TRACE_INDEX = 24,
	TRACE_TID = 28,
	TRACE_CPU = 32,
};

/* Offsets in the bodies of kernel records. */
enum {
	AUX_OFFSET = 0,
	AUX_SIZE = 8,
	AUX_FLAGS = 16,
	LOST_COUNT = 8,
	COMM_TID = 4,
	COMM_NAME = 8,
	NAMESPACES_TID = 4,
	NAMESPACES_NR = 8,
	NAMESPACES_LINKS = 16, /* device and inode of each */
};

/* Dropped by the BPF filter of perf record --filter, so not lost. */
#define LOST_TO_A_FILTER (1 << 15)

/* The outermost PID namespace (include/linux/proc_ns.h). */
#define PID_INIT_INODE 0xeffffffc

static struct queue *queue_get(struct pmscope_recording *rec, uint32_t index)
{
	const struct queue new = {
		.index = index, .cpu = PMSCOPE_NO_ID, .tid = PMSCOPE_NO_ID};

	return keyed_item(&rec->queue_of_index, sizeof(new), index, &new);
}

/* Ignores an empty trace. */
static int add_trace(struct pmscope_recording *rec,
		     const struct pmscope_trace *trace)
{
	struct queue *queue = queue_get(rec, trace->index);

	if (!queue)
		return -ENOMEM;
	if (array_room(rec->traces, rec->nr_traces, rec->max_traces))
		return -ENOMEM;
	if (trace->size && array_add(queue->traces, queue->nr_traces,
				     queue->max_traces, rec->nr_traces))
		return -ENOMEM;
	queue->bytes += trace->size;
	queue->cpu = trace->cpu;
	/* Only a per-thread area names its thread; a CPU's area has many. */
	queue->tid = trace->cpu == PMSCOPE_NO_ID ? trace->tid : PMSCOPE_NO_ID;
	queue->owner = trace->tid;
	rec->traces[rec->nr_traces++] = *trace;
	return 0;
}

/* A record that was wrongly compressed has no trace after it. */
static int read_trace(struct pmscope_recording *rec,
		      const struct pmscope_perf_event *event)
{
	struct pmscope_trace trace;

	if (!event->payload) {
		reader_fail(rec->reader, event->offset,
			    "compressed AUXTRACE record without trace");
		return 0;
	}
	trace = (struct pmscope_trace){
		.data = event->payload,
		.size = event->payload_size,
		.file_offset = event->offset,
		.data_offset = event->offset + RECORD_HEADER + event->size,
		.offset = get64(event->body + TRACE_OFFSET),
		.reference = get64(event->body + TRACE_REFERENCE),
		.index = get32(event->body + TRACE_INDEX),
		.cpu = get32(event->body + TRACE_CPU),
		.tid = get32(event->body + TRACE_TID),
	};
	if (packed_is(rec, &trace) && packed_read(rec, &trace))
		return -ENOMEM;
	return add_trace(rec, &trace);
}

/* Decompressed data is valid until the next record. NULL: no memory */
static const uint8_t *kept_record(struct pmscope_recording *rec,
				  const struct pmscope_perf_event *event)
{
	const uint8_t *record = event->body - RECORD_HEADER;

	if (reader_has(rec->reader, record))
		return record;
	rec->stream.copied += RECORD_HEADER + event->size;
	return arena_copy(&rec->arena, record, RECORD_HEADER + event->size);
}

/* Keeps @event until its time comes. */
static int keep(struct pmscope_recording *rec,
		const struct pmscope_perf_event *event)
{
	const uint8_t *record;
	struct side_event *sides;

	sides = array_reserve(rec->sides, rec->nr_sides, &rec->max_sides,
			      sizeof(*sides));
	if (!sides || (rec->nr_sides == UINT32_MAX && !rec->stream.is))
		return -ENOMEM;
	rec->sides = sides;
	record = kept_record(rec, event);
	if (!record)
		return -ENOMEM;
	sides[rec->nr_sides] = (struct side_event){
		.time = event->id.has & PERF_SAMPLE_TIME ? event->id.time : 0,
		.record = record,
		.order = rec->side_order++,
	};
	rec->nr_sides++;
	return 0;
}

static int read_aux(struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event)
{
	uint64_t flags, begin, end;

	if (event->size < AUX_FLAGS + 8)
		return 0;
	flags = get64(event->body + AUX_FLAGS);
	begin = get64(event->body + AUX_OFFSET);
	end = begin + get64(event->body + AUX_SIZE);
	rec->losses.truncated += !!(flags & PERF_AUX_FLAG_TRUNCATED);
	rec->losses.collisions += !!(flags & PERF_AUX_FLAG_COLLISION);
	rec->losses.partial += !!(flags & PERF_AUX_FLAG_PARTIAL);
	rec->overwrite |= !!(flags & PERF_AUX_FLAG_OVERWRITE);
	if (flags & PERF_AUX_FLAG_TRUNCATED && keep(rec, event))
		return -ENOMEM;
	if (flags & PERF_AUX_FLAG_PARTIAL && window_add(rec, event, end))
		return -ENOMEM;
	if (end > begin && aux_extent_add(rec, event, begin, end))
		return -ENOMEM;
	return moment_add(rec, event, end);
}

/* As in perf, the TIME_CONV before AUXTRACE_INFO takes precedence. */
static void read_time_conv(struct pmscope_recording *rec,
			   const struct pmscope_perf_event *event)
{
	struct clock *clock = &rec->clock;

	if (rec->trace_type && clock->known)
		return;
	clock_read(clock, event->body, event->size);
	if (clock->mult && !clock->known)
		reader_fail(rec->reader, event->offset,
			    "TIME_CONV shifts by %" PRIu64 " bits",
			    clock->shift);
}

/*
 * If the recording has threads of the outermost PID namespace, perf ran in that
 * namespace, too: in others they have no number.
 */
static void read_namespaces(struct pmscope_recording *rec,
			    const struct pmscope_perf_event *event)
{
	static const size_t link = NAMESPACES_LINKS + 16 * PID_NS_INDEX;
	uint32_t tid;

	if (event->size < link + 16 ||
	    get64(event->body + NAMESPACES_NR) <= PID_NS_INDEX)
		return;
	tid = get32(event->body + NAMESPACES_TID);
	if (!tid || tid == PMSCOPE_NO_ID)
		return;
	rec->namespaces = true;
	rec->outermost |= get64(event->body + link + 8) == PID_INIT_INODE;
}

/* Only in the outermost PID namespace is thread 2 the kernel's kthreadd. */
static void read_comm(struct pmscope_recording *rec,
		      const struct pmscope_perf_event *event)
{
	static const char name[] = "kthreadd";

	if (event->size >= COMM_NAME + sizeof(name) &&
	    get32(event->body + COMM_TID) == 2 && !is_of_guest(event->misc))
		rec->outermost |=
			!memcmp(event->body + COMM_NAME, name, sizeof(name));
}

static int keep_sample(struct pmscope_recording *rec,
		       const struct pmscope_perf_event *event)
{
	bool has_chain = chain_is(rec, event);
	bool chain = rec->options.chains && has_chain;
	bool tick = rec->options.clocks && tick_is(rec, event);
	struct pmscope_sample sample;
	uint64_t id;
	bool has_cgroup = cgroup_read(rec, event, &id);
	int ret = chain	 ? chain_read(rec, event, &sample)
		  : tick ? tick_read(rec, event, &sample)
			 : group_read(rec, event, &sample);

	rec->has_cgroups |= has_cgroup;
	if (ret < 0)
		return ret;
	if (ret)
		return keep(rec, event);
	if (chain)
		reader_fail(rec->reader, event->offset,
			    "sample of %zu bytes lacks its call chain",
			    event->size + RECORD_HEADER);
	else if (group_is(rec, event))
		reader_fail(
			rec->reader, event->offset,
			"sample of %zu bytes lacks its group, or a part of it",
			event->size + RECORD_HEADER);
	else if (has_chain)
		rec->losses.unread_chains++;
	else if (!has_cgroup)
		rec->losses.other_samples++;
	return has_cgroup ? keep(rec, event) : 0;
}

/* Changes of the interval, and allocations */
static int keep_own(struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event)
{
	const uint8_t *record;

	if (!heap_is(event))
		return interval_is(rec, event) ? keep(rec, event) : 0;
	record = kept_record(rec, event);
	return record ? heap_keep(&rec->heap, &rec->clock, record) : -ENOMEM;
}

/* The newest known record types. */
#define LAST_OF_KERNEL 22 /* CALLCHAIN_DEFERRED */
#define LAST_OF_PERF   86 /* SCHEDSTAT_DOMAIN */

static bool is_known(uint32_t type)
{
	if (is_simpleperf(type))
		return true;
	return type < PMSCOPE_RECORD_HEADER_ATTR
		       ? type && type <= LAST_OF_KERNEL
		       : type <= LAST_OF_PERF;
}

int index_event(struct pmscope_recording *rec,
		const struct pmscope_perf_event *event)
{
	switch (event->type) {
	case PMSCOPE_RECORD_AUXTRACE_INFO:
		return cpus_read(rec, event);
	case PMSCOPE_RECORD_AUXTRACE:
		return read_trace(rec, event);
	case PMSCOPE_RECORD_TIME_CONV:
		read_time_conv(rec, event);
		return 0;
	case PMSCOPE_RECORD_AUXTRACE_ERROR:
		rec->losses.trace_errors++;
		return 0;
	case PERF_RECORD_AUX:
		return read_aux(rec, event);
	case PERF_RECORD_LOST:
		if (event->size >= LOST_COUNT + 8)
			rec->losses.lost_records +=
				get64(event->body + LOST_COUNT);
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
		if (event->size >= 8 && !(event->misc & LOST_TO_A_FILTER))
			rec->losses.lost_samples += get64(event->body);
		return 0;
	case PERF_RECORD_CGROUP:
		return cgroup_name(&rec->machine, event);
	case PERF_RECORD_NAMESPACES:
		read_namespaces(rec, event);
		return 0;
	case PERF_RECORD_SAMPLE:
		return keep_sample(rec, event);
	case PERF_RECORD_READ:
		return group_is_total(rec, event) ? keep_sample(rec, event) : 0;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return keep_own(rec, event);
	case PERF_RECORD_ITRACE_START:
		return moment_of_start(rec, event) ? -ENOMEM : keep(rec, event);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		rec->losses.unread_mappings += !!(
			event->misc & PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT);
		return keep(rec, event);
	case PERF_RECORD_COMM:
		read_comm(rec, event);
		return keep(rec, event);
	case PERF_RECORD_FORK:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_KSYMBOL:
		return keep(rec, event);
	default:
		rec->losses.unknown_records += !is_known(event->type);
		return 0;
	}
}

static COMPARISON(compare_sides, struct side_event,
		  COMPARE(x->time, y->time) ?: COMPARE(x->order, y->order));

/* Most files are sorted or nearly sorted. */
static void sort_sides(struct pmscope_recording *rec)
{
	for (size_t i = 1; i < rec->nr_sides; i++) {
		if (compare_sides(&rec->sides[i - 1], &rec->sides[i]) < 0)
			continue;
		qsort(rec->sides, rec->nr_sides, sizeof(*rec->sides),
		      compare_sides);
		return;
	}
}

static void drop_traces(struct pmscope_recording *rec)
{
	rec->nr_traces = 0;
	for (size_t i = 0; i < rec->nr_queues; i++)
		rec->queues[i].nr_traces = 0;
}

/* Counts traces of other units (AUXTRACE type) instead of decoding them. */
static void drop_other_traces(struct pmscope_recording *rec)
{
	if (!rec->trace_type || rec->trace_type == AUXTRACE_ARM_SPE)
		return;
	for (size_t i = 0; i < rec->nr_traces; i++)
		rec->losses.other_trace += rec->traces[i].size;
	drop_traces(rec);
}

static int take_build_ids(struct pmscope_recording *rec)
{
	const struct pmscope_build_id *id;
	size_t *taken = &rec->stream.build_ids;

	for (; (id = pmscope_perfdata_build_id(rec->reader, *taken));
	     ++*taken) {
		uint32_t at;

		if (machine_dso(&rec->machine, id->name, strlen(id->name), &at))
			return -ENOMEM;
		if (*taken + 1 == rec->reader->kernel_build_id)
			rec->kernel = at + 1;
		if (rec->machine.dsos[at].build_id_size)
			continue;
		memcpy(rec->machine.dsos[at].build_id, id->id, sizeof(id->id));
		rec->machine.dsos[at].build_id_size = id->size;
		/* Places that were looked up have none, see pipe.c. */
		rec->machine.files_version += rec->stream.settled;
	}
	return 0;
}

int index_settle(struct pmscope_recording *rec, bool whole)
{
	int ret;

	if (packed_settle(rec))
		return -ENOMEM;
	areas_settle(rec);
	windows_sort(rec);
	drop_other_traces(rec);
	/* In a truncated file, do not report the end as missing once more. */
	missing_trace_count(rec, whole);
	cpus_place(rec);
	intervals_begin(rec);
	ret = snapshot_overlap_cut(rec)
		      ?: doubled_count(rec) ?: skew_settle(rec);
	sort_sides(rec);
	heap_sort(&rec->heap);
	rec->losses.lost_blocks = rec->heap.lost;
	if (rec->options.no_trace)
		drop_traces(rec);
	if (!ret)
		ret = cgroups_foresee(rec);
	return ret ? ret : take_build_ids(rec);
}

int index_raw(struct pmscope_recording *rec, const uint8_t *data, size_t size)
{
	struct pmscope_trace trace = {.data = data,
				      .size = size,
				      .cpu = PMSCOPE_NO_ID,
				      .tid = PMSCOPE_NO_ID};
	int ret = add_trace(rec, &trace);

	cpus_place(rec);
	return ret;
}
