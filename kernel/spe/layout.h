/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which part of the AUX area the hardware may write next (Arm ARM D17.7.4).
 */
#ifndef PMSCOPE_SPE_LAYOUT_H
#define PMSCOPE_SPE_LAYOUT_H

#include <linux/types.h>

struct spe_buffer;
struct spe_caps;
struct spe_extent;

/**
 * struct spe_window - a piece of the buffer for the hardware to write
 * @start: position of the first byte
 * @end: position behind the last byte, on a page boundary
 *
 * Positions only grow, as perf's aux_head does; position modulo buffer size is
 * the offset in the buffer.
 */
struct spe_window {
	u64	start;
	u64	end;
};

const struct spe_extent *spe_extent_at(const struct spe_buffer *buf,
				       u64 offset);
bool spe_window_next(const struct spe_buffer *buf, const struct spe_caps *caps,
		     u64 head, u64 space, u64 wakeup, struct spe_window *win);

#endif /* PMSCOPE_SPE_LAYOUT_H */
