// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: spe_window
 *
 * What the SPE driver of this boot costs and loses on a fixed loop: prints
 * kernel instructions per buffer window, less those of the same loop without
 * SPE, and the records that the SPU kept but the reader never got.
 */
#include "../snapshot/events.h"
#include "bench.h"

#include <sys/mman.h>

#define SAMPLE_FILTRATE 0x4002
#define PAGES		16
#define PERIOD		1024
#define TURNS		20000000
#define RECORD		64

struct spe {
	int fd;
	struct perf_event_mmap_page *ring;
	const uint8_t *aux;
	uint64_t windows;
	uint64_t records;
};

static struct spe open_spe(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = {
		.type = bench_pmu_type("arm_spe_0"),
		.size = sizeof(attr),
		.sample_period = PERIOD,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	struct spe spe = {.fd = open_event(&attr, -1, 0, -1)};

	if (spe.fd < 0)
		bench_die("arm_spe_0", -spe.fd);
	spe.ring = mmap(NULL, (1 + PAGES) * page, PROT_READ | PROT_WRITE,
			MAP_SHARED, spe.fd, 0);
	if (spe.ring == MAP_FAILED)
		bench_die("mmap", errno);
	spe.ring->aux_offset = (1 + PAGES) * page;
	spe.ring->aux_size = PAGES * page;
	spe.aux = mmap(NULL, spe.ring->aux_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, spe.fd, spe.ring->aux_offset);
	if (spe.aux == MAP_FAILED)
		bench_die("mmap aux", errno);
	return spe;
}

/* What is not a record is padding: a record begins with a packet. */
static void count_records(struct spe *spe, uint64_t from, uint64_t to)
{
	for (; from < to; from += RECORD)
		spe->records += spe->aux[from % spe->ring->aux_size] != 0;
}

/* Takes everything at once, as a reader that keeps up does. */
static void drain(struct spe *spe)
{
	uint64_t head = __atomic_load_n(&spe->ring->aux_head, __ATOMIC_ACQUIRE);
	uint64_t data = __atomic_load_n(&spe->ring->data_head,
					__ATOMIC_ACQUIRE);
	uint64_t tail = spe->ring->data_tail;
	char *base = (char *)spe->ring + spe->ring->data_offset;

	while (tail < data) {
		struct perf_event_header *header =
			(void *)(base + tail % spe->ring->data_size);

		spe->windows += header->type == PERF_RECORD_AUX;
		tail += header->size;
	}
	count_records(spe, spe->ring->aux_tail, head);
	__atomic_store_n(&spe->ring->data_tail, data, __ATOMIC_RELEASE);
	__atomic_store_n(&spe->ring->aux_tail, head, __ATOMIC_RELEASE);
}

static void run(struct spe *spe)
{
	for (int i = 0; i < 64; i++) {
		work(TURNS / 64);
		if (spe)
			drain(spe);
	}
}

int main(void)
{
	int kernel = bench_kernel_instructions(0);
	int kept = bench_meter(SAMPLE_FILTRATE, 0, 0);
	uint64_t alone, with, records;
	struct spe spe;

	pin_to(0);
	run(NULL);
	alone = bench_count(kernel);
	run(NULL);
	alone = bench_count(kernel) - alone;

	spe = open_spe();
	records = bench_count(kept);
	with = bench_count(kernel);
	ioctl(spe.fd, PERF_EVENT_IOC_ENABLE, 0);
	run(&spe);
	ioctl(spe.fd, PERF_EVENT_IOC_DISABLE, 0);
	with = bench_count(kernel) - with;
	records = bench_count(kept) - records;
	drain(&spe);

	if (!spe.windows)
		bench_die("no AUX window", ENODATA);
	printf("%.1f\t%lld\n", (double)(int64_t)(with - alone) / spe.windows,
	       (long long)(records - spe.records));
	return 0;
}
