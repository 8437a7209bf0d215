/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUX area as a Profiling Buffer: its mapping.
 */
#ifndef PMSCOPE_SPE_BUFFER_H
#define PMSCOPE_SPE_BUFFER_H

#include <linux/types.h>

struct perf_event;

/**
 * struct spe_buffer - the AUX area of one event
 * @base: kernel address of the first byte
 * @size: bytes, two pages or more
 * @snapshot: overwrite mode: the reader's position does not count
 */
struct spe_buffer {
	void	*base;
	u64	size;
	bool	snapshot;
};

void *spe_buffer_setup(struct perf_event *event, void **pages, int nr_pages,
		       bool snapshot);
void spe_buffer_free(void *aux);

void *spe_buffer_addr(const struct spe_buffer *buf, u64 pos);
void spe_buffer_pad(const struct spe_buffer *buf, u64 pos, u64 len);

#endif /* PMSCOPE_SPE_BUFFER_H */
