// SPDX-License-Identifier: GPL-2.0-only
/*
 * The AUX area as a Profiling Buffer.
 */
#include "spe_buffer.h"

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/memory.h>

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

/* @run: NULL to count them only */
static unsigned int find_runs(void **pages, int nr_pages, struct spe_run *run)
{
	unsigned int nr = 0;
	int i;

	for (i = 0; i < nr_pages; i++) {
		u64 offset = (u64)i << PAGE_SHIFT;
		bool joins = i && pages[i] == pages[i - 1] + PAGE_SIZE;

		if (!joins)
			nr++;
		if (!run)
			continue;
		run[nr - 1].end = offset + PAGE_SIZE;
		if (!joins)
			run[nr - 1].delta = virt_to_phys(pages[i]) - offset;
	}
	return nr;
}

static int set_runs(struct spe_buffer *buf, void **pages, int nr_pages)
{
	buf->nr_runs = find_runs(pages, nr_pages, NULL);
	buf->runs = kvmalloc_array(buf->nr_runs, sizeof(*buf->runs),
				   GFP_KERNEL);
	if (!buf->runs)
		return -ENOMEM;
	find_runs(pages, nr_pages, buf->runs);
	return 0;
}

/**
 * spe_buffer_alloc() - describe an AUX area
 * @pages: kernel addresses of its pages
 * @nr_pages: how many
 * @node: where the CPU is
 * @physical: the hardware is to be given physical addresses
 *
 * Return: the buffer, or NULL.
 */
struct spe_buffer *spe_buffer_alloc(void **pages, int nr_pages, int node,
				    bool physical)
{
	struct spe_buffer *buf = kzalloc_node(sizeof(*buf), GFP_KERNEL, node);

	if (!buf)
		return NULL;

	buf->size = (u64)nr_pages << PAGE_SHIFT;
	buf->base = map_pages(pages, nr_pages);
	if (!buf->base)
		goto out_free;
	if (physical && set_runs(buf, pages, nr_pages))
		goto out_unmap;
	return buf;

out_unmap:
	vunmap(buf->base);
out_free:
	kfree(buf);
	return NULL;
}

/**
 * spe_buffer_free() - pmu::free_aux
 * @aux: the buffer
 */
void spe_buffer_free(void *aux)
{
	struct spe_buffer *buf = aux;

	kvfree(buf->runs);
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
