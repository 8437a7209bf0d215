// SPDX-License-Identifier: GPL-2.0-only
/*
 * The AUX area as a Profiling Buffer.
 */
#include "spe/buffer.h"

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

/* @extent: NULL to count them only */
static unsigned int find_extents(void **pages, int nr_pages,
				 struct spe_extent *extent)
{
	unsigned int nr = 0;
	int i;

	for (i = 0; i < nr_pages; i++) {
		u64 offset = (u64)i << PAGE_SHIFT;
		bool joins = i && pages[i] == pages[i - 1] + PAGE_SIZE;

		if (!joins)
			nr++;
		if (!extent)
			continue;
		extent[nr - 1].end = offset + PAGE_SIZE;
		if (!joins)
			extent[nr - 1].delta = virt_to_phys(pages[i]) - offset;
	}
	return nr;
}

static int set_extents(struct spe_buffer *buf, void **pages, int nr_pages)
{
	buf->nr_extents = find_extents(pages, nr_pages, NULL);
	buf->extents = kvmalloc_array(buf->nr_extents, sizeof(*buf->extents),
				      GFP_KERNEL);
	if (!buf->extents)
		return -ENOMEM;
	find_extents(pages, nr_pages, buf->extents);
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
	if (physical && set_extents(buf, pages, nr_pages))
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

	kvfree(buf->extents);
	vunmap(buf->base);
	kfree(buf);
}

/* @pos: also one that has wrapped */
static void *spe_buffer_addr(const struct spe_buffer *buf, u64 pos)
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
