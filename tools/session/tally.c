// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "recorder_priv.h"
#include "records.h"
#include "base/names.h"

#include <search.h>
#include <signal.h>
#include <sys/mman.h>

#define FIRST_MAX 64

/* Its index, or that of the next larger one. */
static size_t place_of(const struct living *living, pid_t pid)
{
	size_t begin = 0, end = living->nr;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (living->pid[middle] < pid)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static bool has(const struct living *living, size_t at, pid_t pid)
{
	return at < living->nr && living->pid[at] == pid;
}

static int grow(struct living *living)
{
	size_t max;
	pid_t *pids;

	if (living->nr < living->max)
		return 0;
	living_prune(living);
	if (living->nr < living->max / 2)
		return 0;
	max = living->max ? 2 * living->max : FIRST_MAX;
	pids = realloc(living->pid, max * sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	living->pid = pids;
	living->max = max;
	return 0;
}

static int add(struct living *living, pid_t pid)
{
	size_t at;

	if (has(living, place_of(living, pid), pid))
		return 0;
	if (grow(living))
		return -ENOMEM;
	at = place_of(living, pid);
	memmove(living->pid + at + 1, living->pid + at,
		(living->nr - at) * sizeof(*living->pid));
	living->pid[at] = pid;
	living->nr++;
	return 0;
}

int living_note(struct living *living, const struct perf_event_header *header)
{
	uint32_t pid;

	if (header->size < sizeof(*header) + sizeof(pid) ||
	    (header->type != PERF_RECORD_FORK &&
	     header->type != PERF_RECORD_COMM))
		return 0;
	memcpy(&pid, header + 1, sizeof(pid));
	return (pid_t)pid > 0 ? add(living, pid) : 0;
}

void living_prune(struct living *living)
{
	size_t nr = 0;

	for (size_t i = 0; i < living->nr; i++)
		if (!kill(living->pid[i], 0) || errno != ESRCH)
			living->pid[nr++] = living->pid[i];
	living->nr = nr;
}

void living_free(struct living *living)
{
	free(living->pid);
	*living = (struct living){};
}

/* From the start of a sample, or from the end of another record. */
#define SAMPLE_TIME_AT	(sizeof(struct perf_event_header) + 24)
#define TRAILER_TIME_AT 24

/* Bodies of records, after the header. */
struct lost_body {
	uint64_t id;
	uint64_t lost;
};

struct aux_body {
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int add_name(struct tally *tally, const char *name, size_t room)
{
	char *copy, **found;

	if (!memchr(name, '\0', room))
		return 0;
	copy = strdup(name);
	found = copy ? tsearch(copy, &tally->names, compare_names) : NULL;
	if (!found) {
		free(copy);
		return -ENOMEM;
	}
	if (*found != copy) {
		free(copy);
		return 0;
	}
	tally->nr_names++;
	tally->names_size += strlen(name) + 1;
	return 0;
}

static void note_time(struct recorder_stats *stats,
		      const struct perf_event_header *header)
{
	const char *record = (const char *)header;
	size_t at = header->type == PERF_RECORD_SAMPLE
			    ? SAMPLE_TIME_AT
			    : (size_t)header->size - TRAILER_TIME_AT;
	uint64_t time;

	if (header->size < SAMPLE_TIME_AT + sizeof(time))
		return;
	memcpy(&time, record + at, sizeof(time));
	if (!time)
		return;
	if (!stats->first || time < stats->first)
		stats->first = time;
	stats->last = MAX(stats->last, time);
}

static void note_aux(struct tally *tally, const void *body)
{
	struct recorder_stats *stats = &tally->stats;
	struct aux_body aux;

	memcpy(&aux, body, sizeof(aux));
	tally->aux_end = MAX(tally->aux_end, aux.offset + aux.size);
	stats->aux_buffers++;
	stats->truncated += !!(aux.flags & PERF_AUX_FLAG_TRUNCATED);
	stats->partial += !!(aux.flags & PERF_AUX_FLAG_PARTIAL);
	stats->collisions += !!(aux.flags & PERF_AUX_FLAG_COLLISION);
}

static int note_mmap(struct tally *tally,
		     const struct perf_event_header *header)
{
	const char *record = (const char *)header;
	size_t name_at = header->type == PERF_RECORD_MMAP2
				 ? offsetof(struct mmap2_record, name)
				 : offsetof(struct mmap_record, name);
	bool kernel = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_KERNEL;

	if (header->misc & PERF_RECORD_MISC_MMAP_DATA ||
	    header->size <= name_at)
		return 0;
	if (!kernel && !is_file_name(record + name_at))
		return 0;
	return add_name(tally, record + name_at, header->size - name_at);
}

static int note_record(struct tally *tally,
		       const struct perf_event_header *header)
{
	struct recorder_stats *stats = &tally->stats;
	const char *body = (const char *)(header + 1);
	size_t size = header->size - sizeof(*header);
	uint64_t lost;

	if (!tally->untimed)
		note_time(stats, header);
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		stats->samples++;
		break;
	case PERF_RECORD_LOST:
		if (size < sizeof(struct lost_body))
			break;
		memcpy(&lost, body + offsetof(struct lost_body, lost),
		       sizeof(lost));
		stats->lost += lost;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (size < sizeof(lost))
			break;
		memcpy(&lost, body, sizeof(lost));
		stats->lost += lost;
		break;
	case PERF_RECORD_THROTTLE:
		stats->throttled++;
		break;
	case PERF_RECORD_AUX:
		if (size >= sizeof(struct aux_body))
			note_aux(tally, body);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return note_mmap(tally, header);
	}
	return 0;
}

int tally_records(struct tally *tally, const void *records, size_t size)
{
	const char *at = records;

	while (size) {
		struct perf_event_header header;
		int ret;

		if (size < sizeof(header))
			return -EBADMSG;
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size > size)
			return -EBADMSG;
		ret = note_record(tally, (const void *)at);
		if (ret)
			return ret;
		at += header.size;
		size -= header.size;
	}
	return 0;
}

struct name_visit {
	void (*visit)(void *context, const char *name);
	void *context;
};

static void visit_node(const void *node, VISIT which, void *closure)
{
	const struct name_visit *v = closure;

	if (which == postorder || which == leaf)
		v->visit(v->context, *(const char *const *)node);
}

void tally_names(const struct tally *tally,
		 void (*visit)(void *context, const char *name), void *context)
{
	struct name_visit v = {visit, context};

	twalk_r(tally->names, visit_node, &v);
}

void tally_move_names(struct tally *tally, struct tally *to)
{
	to->names = tally->names;
	to->nr_names = tally->nr_names;
	to->names_size = tally->names_size;
	tally->names = NULL;
	tally->nr_names = 0;
	tally->names_size = 0;
}

void tally_free(struct tally *tally)
{
	tdestroy(tally->names, free);
	tally->names = NULL;
}
