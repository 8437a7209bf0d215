/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h - streaming pmu_snapshot events: their AUX area and its records. */
#pragma once

#include <poll.h>
#include <sys/mman.h>
#include <linux/pmscope.h>

#include "events.h"
#include "nobody.h"

#define STREAM_MEMBERS	  3
#define STREAM_RING_PAGES 16
#define STREAM_AUX_PAGES  16

/* Cycles are listed twice: both have the same count in each record. */
static const uint64_t stream_events[STREAM_MEMBERS] = {CPU_CYCLES, INST_RETIRED,
						       CPU_CYCLES};

struct stream {
	int fds[STREAM_MEMBERS];
	int count;
	size_t page;
	size_t aux_size;
	struct perf_event_mmap_page *ring;
	unsigned char *aux;
	uint64_t tail;
	uint64_t record[1024];
};

static inline struct perf_event_attr stream_attr(uint64_t config,
						 uint64_t period)
{
	struct perf_event_attr attr = snapshot_attr(config);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_TID;
	attr.sample_id_all = 1;
	attr.disabled = 1;
	return attr;
}

/* Maps both buffers of @s; @prot: PROT_READ for snapshot mode. */
static inline int stream_map(struct stream *s, int aux_pages, int prot)
{
	s->page = sysconf(_SC_PAGESIZE);
	s->aux_size = aux_pages * s->page;
	s->ring = mmap(NULL, (STREAM_RING_PAGES + 1) * s->page,
		       PROT_READ | PROT_WRITE, MAP_SHARED, s->fds[0], 0);
	if (s->ring == MAP_FAILED)
		return -errno;
	s->ring->aux_offset = (STREAM_RING_PAGES + 1) * s->page;
	s->ring->aux_size = s->aux_size;
	s->aux = mmap(NULL, s->aux_size, prot, MAP_SHARED, s->fds[0],
		      s->ring->aux_offset);
	return s->aux == MAP_FAILED ? -errno : 0;
}

/* A group of stream_events led by @attr, disabled; 0 or a negative errno. */
static inline int stream_open_group(struct stream *s,
				    struct perf_event_attr *attr, pid_t pid,
				    int cpu)
{
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < STREAM_MEMBERS; i++) {
		struct perf_event_attr member = snapshot_attr(stream_events[i]);

		member.inherit = attr->inherit;
		s->fds[i] = open_event(i ? &member : attr, pid, cpu,
				       i ? s->fds[0] : -1);
		if (s->fds[i] < 0) {
			int err = s->fds[i];

			close_group(s->fds, i);
			return err;
		}
		s->count++;
	}
	return 0;
}

static inline int stream_open(struct stream *s, uint64_t config,
			      uint64_t period, pid_t pid, int cpu)
{
	struct perf_event_attr attr = stream_attr(config, period);
	int err = stream_open_group(s, &attr, pid, cpu);

	return err ? err
		   : stream_map(s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
}

static inline int stream_start(struct stream *s, uint64_t config,
			       uint64_t period, pid_t pid, int cpu)
{
	return stream_open(s, config, period, pid, cpu)
		       ?: enable_group(s->fds[0]);
}

/* @attr alone, its area mapped with @prot; 0 or a negative errno. */
static inline int stream_open_as(struct stream *s, struct perf_event_attr *attr,
				 pid_t pid, int cpu, int aux_pages, int prot)
{
	memset(s, 0, sizeof(*s));
	s->fds[0] = open_event(attr, pid, cpu, -1);
	if (s->fds[0] < 0)
		return s->fds[0];
	s->count = 1;
	return stream_map(s, aux_pages, prot);
}

static inline int stream_open_one(struct stream *s,
				  struct perf_event_attr *attr, pid_t pid,
				  int cpu, int aux_pages)
{
	return stream_open_as(s, attr, pid, cpu, aux_pages,
			      PROT_READ | PROT_WRITE);
}

/* The same, of all tasks on @cpu. */
static inline int stream_open_alone(struct stream *s,
				    struct perf_event_attr *attr, int cpu,
				    int aux_pages)
{
	return stream_open_one(s, attr, -1, cpu, aux_pages);
}

/*
 * @attr alone, of user code, as opened by user @uid with no capabilities but
 * those in @keep: of @cpu, or of the caller if that is -1.
 */
static inline int stream_open_as_user(struct stream *s,
				      struct perf_event_attr *attr, int cpu,
				      int aux_pages, uid_t uid, uint64_t keep)
{
	long before = sysfs_number(PARANOID);
	int err;

	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	set_paranoid(cpu < 0 ? 2 : -1);
	if (seteuid(uid) || set_effective(keep))
		return -errno;
	err = stream_open_one(s, attr, cpu < 0 ? 0 : -1, cpu, aux_pages);
	if (seteuid(0))
		abort();
	set_paranoid(before);
	return err;
}

static inline int stream_open_as_nobody(struct stream *s,
					struct perf_event_attr *attr, int cpu,
					int aux_pages)
{
	return stream_open_as_user(s, attr, cpu, aux_pages, NOBODY, 0);
}

static inline void stream_close(struct stream *s)
{
	munmap(s->aux, s->aux_size);
	munmap(s->ring, (STREAM_RING_PAGES + 1) * s->page);
	close_group(s->fds, s->count);
}

static inline uint64_t stream_head(const struct stream *s)
{
	return __atomic_load_n(&s->ring->aux_head, __ATOMIC_ACQUIRE);
}

static inline void stream_copy(const struct stream *s, uint64_t pos, void *to,
			       size_t len)
{
	for (size_t i = 0; i < len; i++)
		((unsigned char *)to)[i] = s->aux[(pos + i) % s->aux_size];
}

static inline bool stream_is_whole(const struct pmscope_record *r,
				   uint64_t room)
{
	return r->size <= room && r->size >= sizeof(*r) && r->size % 8 == 0 &&
	       r->magic == PMSCOPE_RECORD_MAGIC &&
	       r->counters_at + 1u * r->nr_counters * r->counter_size <=
		       r->size;
}

/* The next record, which stays valid until the next call; NULL at the head. */
static inline const struct pmscope_record *stream_next(struct stream *s)
{
	struct pmscope_record *r = (struct pmscope_record *)s->record;
	uint64_t room = stream_head(s) - s->tail;

	if (room < sizeof(*r))
		return NULL;
	stream_copy(s, s->tail, r, sizeof(*r));
	if (!stream_is_whole(r, room) || r->size > sizeof(s->record)) {
		printf("# no record at %llu: size %u magic %#x\n",
		       (unsigned long long)s->tail, r->size, r->magic);
		return NULL;
	}
	stream_copy(s, s->tail, r, r->size);
	s->tail += r->size;
	return r;
}

/* Data that was read may be overwritten. */
static inline void stream_release(struct stream *s)
{
	__atomic_store_n(&s->ring->aux_tail, s->tail, __ATOMIC_RELEASE);
}

/* All that there is counts as read. */
static inline void stream_skip(struct stream *s)
{
	s->tail = stream_head(s);
	stream_release(s);
}

static inline const struct pmscope_record_counter *
stream_counter(const struct pmscope_record *r, int i)
{
	return (const void *)((const char *)r + r->counters_at +
			      i * r->counter_size);
}

static inline uint64_t stream_id(int fd)
{
	uint64_t id = 0;

	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	return id;
}

/* The flags of all PERF_RECORD_AUX so far, or'ed; consumes the records. */
static inline uint64_t stream_aux_flags(struct stream *s)
{
	struct aux_record aux;
	uint64_t flags = 0;

	while (next_aux(s->ring, &aux))
		flags |= aux.flags;
	return flags;
}
