// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "records.h"

#include <sys/mman.h>

int ring_map(struct ring *ring, int fd, size_t data_size)
{
	void *base;

	base = mmap(NULL, sysconf(_SC_PAGESIZE) + data_size,
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	ring->fd = fd;
	ring->page = base;
	ring->data_size = data_size;
	return 0;
}

int ring_map_aux(struct ring *ring, size_t aux_size, bool overwrite)
{
	uint64_t offset = sysconf(_SC_PAGESIZE) + ring->data_size;
	void *aux;

	ring->page->aux_offset = offset;
	ring->page->aux_size = aux_size;
	/* Who cannot write the area does not consume it: perf overwrites it. */
	aux = mmap(NULL, aux_size, PROT_READ | (overwrite ? 0 : PROT_WRITE),
		   MAP_SHARED, ring->fd, offset);
	if (aux == MAP_FAILED)
		return -errno;
	ring->aux = aux;
	ring->aux_size = aux_size;
	return 0;
}

/* Positions never wrap; the size of the area is a power of two. */
static bool area_split(const char *area, size_t size, uint64_t tail,
		       uint64_t head, struct ring_data *data)
{
	size_t at = tail & (size - 1), len = head - tail;
	size_t first = MIN(size - at, len);

	data->tail = tail;
	data->head = head;
	data->part[0] = area + at;
	data->size[0] = first;
	data->part[1] = area;
	data->size[1] = len - first;
	return len;
}

bool ring_peek(const struct ring *ring, struct ring_data *data)
{
	/* The kernel wrote the records before it moved the head. */
	uint64_t head =
		__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	return area_split((char *)ring->page + sysconf(_SC_PAGESIZE),
			  ring->data_size, ring->page->data_tail, head, data);
}

void ring_consume(struct ring *ring, const struct ring_data *data)
{
	/* Our reads end before the kernel may write there again. */
	__atomic_store_n(&ring->page->data_tail, data->head, __ATOMIC_RELEASE);
}

bool ring_peek_aux(const struct ring *ring, struct ring_data *data)
{
	uint64_t head;

	if (!ring->aux)
		return false;
	head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	return area_split(ring->aux, ring->aux_size, ring->page->aux_tail, head,
			  data);
}

void ring_consume_aux(struct ring *ring, const struct ring_data *data)
{
	__atomic_store_n(&ring->page->aux_tail, data->head, __ATOMIC_RELEASE);
}

bool ring_limit(struct ring_data *data, uint64_t end)
{
	size_t left;

	if (data->head > end)
		data->head = MAX(end, data->tail);
	left = data->head - data->tail;
	data->size[0] = MIN(data->size[0], left);
	data->size[1] = left - data->size[0];
	return left;
}

bool ring_newest_aux(const struct ring *ring, uint64_t from,
		     struct ring_data *data)
{
	uint64_t head =
		__atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);

	if (head - from > ring->aux_size)
		from = head - ring->aux_size;
	return area_split(ring->aux, ring->aux_size, from, head, data);
}

bool ring_time_conv(const struct ring *ring, struct pmscope_time_conv *conv)
{
	const volatile struct perf_event_mmap_page *page = ring->page;
	uint32_t lock;

	/* A sequence lock, see <linux/perf_event.h>. */
	do {
		lock = page->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		conv->time_shift = page->time_shift;
		conv->time_mult = page->time_mult;
		conv->time_zero = page->time_zero;
		conv->time_cycles = page->time_cycles;
		conv->time_mask = page->time_mask;
		conv->cap_user_time_zero = page->cap_user_time_zero;
		conv->cap_user_time_short = page->cap_user_time_short;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != lock || lock & 1);
	return conv->cap_user_time_zero;
}

uint64_t time_of_ticks(const struct pmscope_time_conv *conv, uint64_t ticks)
{
	if (conv->cap_user_time_short)
		ticks = conv->time_cycles +
			((ticks - conv->time_cycles) & conv->time_mask);
	return conv->time_zero +
	       (uint64_t)((unsigned __int128)ticks * conv->time_mult >>
			  conv->time_shift);
}

void ring_unmap(struct ring *ring)
{
	if (ring->aux)
		munmap(ring->aux, ring->aux_size);
	if (ring->page)
		munmap(ring->page, sysconf(_SC_PAGESIZE) + ring->data_size);
	ring->aux = NULL;
	ring->page = NULL;
}
