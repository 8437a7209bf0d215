/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUX area as a Profiling Buffer: its mapping, and which part of it the
 * hardware may write next (Arm ARM D17.7.4).
 */
#ifndef PMSCOPE_SPE_BUFFER_H
#define PMSCOPE_SPE_BUFFER_H

#include <linux/string.h>
#include <linux/types.h>

struct spe_caps;

/**
 * struct spe_extent - a physically contiguous part of the AUX area
 * @end: offset after its last byte
 * @delta: physical address of a byte minus its offset, modulo 2^64
 */
struct spe_extent {
	u64	end;
	u64	delta;
};

/**
 * struct spe_buffer - the AUX area of one event
 * @base: kernel address of the first byte
 * @size: bytes, two pages or more
 * @snapshot: overwrite mode: ignore the reader's position
 * @extents: physically contiguous parts in order, if the hardware uses physical
 *	addresses (FEAT_SPE_nVM); NULL if it uses virtual ones
 * @nr_extents: number of @extents
 */
struct spe_buffer {
	void			*base;
	u64			size;
	bool			snapshot;
	struct spe_extent	*extents;
	unsigned int		nr_extents;
};

/**
 * struct spe_window - the part of the buffer that the hardware may write
 * @start: position of the first byte
 * @end: position after the last byte, on a page boundary
 * @pmbptr: address of the first byte, as PMBPTR_EL1 takes it: virtual, or
 *	physical if the buffer has extents
 *
 * Positions never wrap, like perf's aux_head; the offset in the buffer is the
 * position modulo its size.
 */
struct spe_window {
	u64	start;
	u64	end;
	u64	pmbptr;
};

struct spe_buffer *spe_buffer_alloc(void **pages, int nr_pages, int node,
				    bool physical);
void spe_buffer_free(void *aux);

/**
 * spe_buffer_pad() - fill with Padding packets
 * @buf: the buffer
 * @pos: position to start at
 * @len: bytes; the range must not wrap
 */
static inline void spe_buffer_pad(const struct spe_buffer *buf, u64 pos, u64 len)
{
	memset(buf->base + pos % buf->size, 0, len);
}

bool spe_window_next(const struct spe_buffer *buf, const struct spe_caps *caps,
		     u64 head, u64 space, u64 wakeup, struct spe_window *win);

#endif /* PMSCOPE_SPE_BUFFER_H */
