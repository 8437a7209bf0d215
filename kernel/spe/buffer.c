// SPDX-License-Identifier: GPL-2.0-only
/*
 * The AUX area as a Profiling Buffer: its mapping, and which part of it the
 * hardware may write next.
 */
#include "spe/buffer.h"
#include "spe/caps.h"

#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/memory.h>
#include <asm/page.h>

/* Map the AUX pages in one piece, as the hardware addresses them. */
static void *spe_buffer_map(void **addrs, int nr_pages)
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
static unsigned int spe_buffer_find_extents(void **pages, int nr_pages,
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

static int spe_buffer_set_extents(struct spe_buffer *buf, void **pages,
				  int nr_pages)
{
	buf->nr_extents = spe_buffer_find_extents(pages, nr_pages, NULL);
	buf->extents = kvmalloc_array(buf->nr_extents, sizeof(*buf->extents),
				      GFP_KERNEL);
	if (!buf->extents)
		return -ENOMEM;
	spe_buffer_find_extents(pages, nr_pages, buf->extents);
	return 0;
}

/**
 * spe_buffer_alloc() - map an AUX area for the hardware
 * @pages: kernel addresses of its pages
 * @nr_pages: how many
 * @node: NUMA node of the CPU
 * @physical: the hardware gets physical addresses (FEAT_SPE_nVM)
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
	buf->base = spe_buffer_map(pages, nr_pages);
	if (!buf->base)
		goto out_free;
	if (physical && spe_buffer_set_extents(buf, pages, nr_pages))
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

/* The contiguous part of memory that an offset is in */
static const struct spe_extent *spe_extent_at(const struct spe_buffer *buf,
					      u64 offset)
{
	unsigned int low = 0, high = buf->nr_extents - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (offset < buf->extents[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return &buf->extents[low];
}

/* The position where memory stops being contiguous */
static u64 spe_extent_end(const struct spe_buffer *buf, u64 pos)
{
	u64 offset = pos % buf->size;

	return pos - offset + spe_extent_at(buf, offset)->end;
}

/*
 * The address of a position, as PMBPTR_EL1 takes it: virtual, or physical where
 * the buffer has extents
 */
static u64 spe_buffer_hw_addr(const struct spe_buffer *buf, u64 pos)
{
	u64 offset = pos % buf->size;

	if (!buf->extents)
		return (u64)buf->base + offset;
	return spe_extent_at(buf, offset)->delta + offset;
}

/* The next position, from @pos on, where the hardware has to stop */
static u64 spe_window_end(const struct spe_buffer *buf,
			  const struct spe_caps *caps, u64 pos, u64 limit,
			  u64 wakeup)
{
	/*
	 * Records cannot be parsed backwards.  In a snapshot, windows of half a
	 * buffer leave at least half of it full of whole records.
	 */
	u64 turn = buf->snapshot ? buf->size / 2 : buf->size;
	u64 end = min(pos - pos % turn + turn, limit);

	if (wakeup > pos && wakeup < end)
		end = round_up(wakeup, PAGE_SIZE);
	if (buf->extents)
		end = min(end, spe_extent_end(buf, pos));
	if (end - pos > caps->max_buffer)
		end = round_down(pos + caps->max_buffer, PAGE_SIZE);
	return end;
}

/**
 * spe_window_next() - choose the part of the buffer to write next
 * @buf: the buffer
 * @caps: of the PMU, for alignment, record size and hypervisor's limit
 * @head: position of the first free byte
 * @space: bytes that may be written from @head on (not in snapshot mode)
 * @wakeup: position whose reader waits for data up to there
 * @win: gets the window
 *
 * The window obeys Arm ARM D17.7.4: PMBPTR is aligned (RHLXGD) and the largest
 * record fits in front of PMBLIMITR (RHXSYK).  It never covers unread data.
 * Physical addresses (FEAT_SPE_nVM) are contiguous in all of it.
 * Bytes from @head to @win->start have to be padded.  Positions have 64 bits,
 * as perf's AUX area may exceed 4 GiB.
 *
 * Return: false when there is no room.
 */
bool spe_window_next(const struct spe_buffer *buf, const struct spe_caps *caps,
		     u64 head, u64 space, u64 wakeup, struct spe_window *win)
{
	u64 limit = buf->snapshot ? U64_MAX :
				    round_down(head + space, PAGE_SIZE);
	u64 pos = round_up(head, caps->align);

	while (pos < limit) {
		u64 end = spe_window_end(buf, caps, pos, limit, wakeup);

		if (end - pos >= caps->max_record) {
			win->start = pos;
			win->end = end;
			win->pmbptr = spe_buffer_hw_addr(buf, pos);
			return true;
		}
		/* Too close to a boundary: continue after it. */
		pos = end;
	}
	return false;
}
