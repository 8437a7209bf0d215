/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spe.h - an SPE recording and its reader. */
#pragma once

#include "bench.h"
#include "../snapshot/events.h"

#include <sys/mman.h>

#define SPE_PAGES  16
#define SPE_PERIOD 1024
#define SPE_RECORD 64

struct spe {
	int fd;
	struct perf_event_mmap_page *ring;
	const uint8_t *aux;
	uint64_t windows;
	uint64_t truncated; /* windows whose later records are lost */
	uint64_t records;
};

/* Opens a disabled event: of the task @pid on any CPU, or of all on @cpu. */
static inline struct spe spe_open_with(pid_t pid, int cpu, int period,
				       int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = {
		.type = bench_pmu_type("arm_spe_0"),
		.size = sizeof(attr),
		.sample_period = period,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	struct spe spe = {.fd = open_event(&attr, pid, cpu, -1)};

	if (spe.fd < 0)
		bench_die("arm_spe_0", -spe.fd);
	spe.ring = mmap(NULL, (1 + SPE_PAGES) * page, PROT_READ | PROT_WRITE,
			MAP_SHARED, spe.fd, 0);
	if (spe.ring == MAP_FAILED)
		bench_die("mmap", errno);
	spe.ring->aux_offset = (1 + SPE_PAGES) * page;
	spe.ring->aux_size = pages * page;
	spe.aux = mmap(NULL, spe.ring->aux_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, spe.fd, spe.ring->aux_offset);
	if (spe.aux == MAP_FAILED)
		bench_die("mmap aux", errno);
	return spe;
}

static inline struct spe spe_open(pid_t pid, int cpu)
{
	return spe_open_with(pid, cpu, SPE_PERIOD, SPE_PAGES);
}

/*
 * A record starts with a packet; zeros are padding, which may end between two
 * places of records.
 */
static inline void spe_count_records(struct spe *spe, uint64_t from,
				     uint64_t to)
{
	from = (from + SPE_RECORD - 1) / SPE_RECORD * SPE_RECORD;
	for (; from < to; from += SPE_RECORD)
		spe->records += spe->aux[from % spe->ring->aux_size] != 0;
}

/* Reads everything at once, so that the buffer is empty again. */
static inline void spe_drain(struct spe *spe)
{
	uint64_t head = __atomic_load_n(&spe->ring->aux_head, __ATOMIC_ACQUIRE);
	uint64_t data =
		__atomic_load_n(&spe->ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = spe->ring->data_tail;
	char *base = (char *)spe->ring + spe->ring->data_offset;

	while (tail < data) {
		struct aux_record *r =
			(void *)(base + tail % spe->ring->data_size);

		if (r->header.type == PERF_RECORD_AUX) {
			spe->windows++;
			spe->truncated += r->flags & PERF_AUX_FLAG_TRUNCATED;
		}
		tail += r->header.size;
	}
	spe_count_records(spe, spe->ring->aux_tail, head);
	__atomic_store_n(&spe->ring->data_tail, data, __ATOMIC_RELEASE);
	__atomic_store_n(&spe->ring->aux_tail, head, __ATOMIC_RELEASE);
}

/* The mappings, too, hold the event, which is the only one of its task. */
static inline void spe_close(struct spe *spe)
{
	munmap((void *)spe->aux, spe->ring->aux_size);
	munmap(spe->ring, (1 + SPE_PAGES) * sysconf(_SC_PAGESIZE));
	close(spe->fd);
}
