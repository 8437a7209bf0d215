// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which part of the AUX area the hardware may write next.  Arithmetic only.
 */
#include "spe/layout.h"
#include "spe/buffer.h"
#include "spe/caps.h"

#include <linux/limits.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <asm/page.h>

/**
 * spe_extent_at() - the contiguous part of memory that an offset is in
 * @buf: with extents
 * @offset: below the size of the buffer
 */
const struct spe_extent *spe_extent_at(const struct spe_buffer *buf,
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
static u64 extent_end(const struct spe_buffer *buf, u64 pos)
{
	u64 offset = pos % buf->size;

	return pos - offset + spe_extent_at(buf, offset)->end;
}

/* The next position, from @pos on, where the hardware has to stop */
static u64 window_end(const struct spe_buffer *buf, const struct spe_caps *caps,
		      u64 pos, u64 limit, u64 wakeup)
{
	/*
	 * Records cannot be parsed backwards.  Stopping half way leaves half a
	 * buffer of whole records in a snapshot, instead of possibly one.
	 */
	u64 turn = buf->snapshot ? buf->size / 2 : buf->size;
	u64 end = min(pos - pos % turn + turn, limit);

	if (wakeup > pos && wakeup < end)
		end = round_up(wakeup, PAGE_SIZE);
	if (buf->extents)
		end = min(end, extent_end(buf, pos));
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
 * Bytes from @head to @win->start have to be padded.  The arithmetic is in 64
 * bits throughout; perf's AUX area may exceed 4 GiB.
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
		u64 end = window_end(buf, caps, pos, limit, wakeup);

		if (end - pos >= caps->max_record) {
			win->start = pos;
			win->end = end;
			return true;
		}
		/* Too close to a boundary: continue after it. */
		pos = end;
	}
	return false;
}
