// SPDX-License-Identifier: GPL-2.0-only
/*
 * The AUX area as a Profiling Buffer.
 */
#include "spe_buffer.h"

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* Map the AUX pages in one piece, as the hardware addresses them. */
static void *map_pages(void **addrs, int nr_pages)
{
	struct page **pages;
	void *base;
	int i;

	pages = kvmalloc_array(nr_pages, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return NULL;

	for (i = 0; i < nr_pages; i++)
		pages[i] = virt_to_page(addrs[i]);
	base = vmap(pages, nr_pages, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return base;
}

/**
 * spe_buffer_setup() - pmu::setup_aux
 * @event: the event that owns the AUX area
 * @pages: kernel addresses of its pages
 * @nr_pages: how many; at least two, because one page can never hold a window
 *	that ends on a page boundary and leaves unread data alone
 * @snapshot: the area is mapped read-only: overwrite old data.  It is used as
 *	two halves then, hence the number of pages must be even.
 *
 * Return: the struct spe_buffer, or NULL.
 */
void *spe_buffer_setup(struct perf_event *event, void **pages, int nr_pages,
		       bool snapshot)
{
	int node = event->cpu < 0 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	struct spe_buffer *buf;

	if (nr_pages < 2 || (snapshot && nr_pages & 1))
		return NULL;

	buf = kzalloc_node(sizeof(*buf), GFP_KERNEL, node);
	if (!buf)
		return NULL;

	buf->size = (u64)nr_pages << PAGE_SHIFT;
	buf->snapshot = snapshot;
	buf->base = map_pages(pages, nr_pages);
	if (!buf->base) {
		kfree(buf);
		return NULL;
	}
	return buf;
}

/**
 * spe_buffer_free() - pmu::free_aux
 * @aux: what spe_buffer_setup() returned
 */
void spe_buffer_free(void *aux)
{
	struct spe_buffer *buf = aux;

	vunmap(buf->base);
	kfree(buf);
}

/**
 * spe_buffer_addr() - kernel address of a position
 * @buf: the buffer
 * @pos: any position, also one that has wrapped
 */
void *spe_buffer_addr(const struct spe_buffer *buf, u64 pos)
{
	return buf->base + pos % buf->size;
}

/**
 * spe_buffer_pad() - fill with Padding packets
 * @buf: the buffer
 * @pos: position to start at
 * @len: bytes; the range must not wrap
 */
void spe_buffer_pad(const struct spe_buffer *buf, u64 pos, u64 len)
{
	memset(spe_buffer_addr(buf, pos), 0, len);
}
