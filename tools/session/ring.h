/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The ring and the AUX area that an event shares with the kernel. */
#pragma once

#include "base/std.h"

#include <pmscope/writer.h>

#include <linux/perf_event.h>

/**
 * struct ring - the mapping of one descriptor
 * @fd: descriptor of the event; not closed here
 * @page: the page that the kernel updates
 * @data_size: bytes of records, a power of two
 * @aux: NULL when there is none
 * @aux_size: bytes, a power of two
 *
 * Starts as zeros.
 */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t data_size;
	void *aux;
	size_t aux_size;
};

/**
 * struct ring_data - unread data, in one or two parts
 * @tail: position of the first byte; positions never wrap
 * @head: position after the last byte
 */
struct ring_data {
	const void *part[2];
	size_t size[2];
	uint64_t tail;
	uint64_t head;
};

/**
 * ring_map() - map the ring of an event
 * @data_size: a power of two, a page or more
 *
 * Return: 0, -errno of mmap(2): -EPERM means over the limit of locked memory
 * (kernel.perf_event_mlock_kb).
 */
int ring_map(struct ring *ring, int fd, size_t data_size);

/**
 * ring_map_aux() - map the AUX area of the same event
 * @aux_size: a power of two, a page or more
 * @overwrite: the kernel overwrites the oldest trace; read it only with
 *	       ring_newest_aux(), while the events are disabled
 */
int ring_map_aux(struct ring *ring, size_t aux_size, bool overwrite);

/*
 * Finds the unread records. They stay until ring_consume(); a record may span
 * both parts. Returns false if there is none.
 */
bool ring_peek(const struct ring *ring, struct ring_data *data);

/* Returns the space of peeked records to the kernel. */
void ring_consume(struct ring *ring, const struct ring_data *data);

/* The same for the AUX area. */
bool ring_peek_aux(const struct ring *ring, struct ring_data *data);
void ring_consume_aux(struct ring *ring, const struct ring_data *data);

/* Leaves out what is at @end and after it; returns false if nothing is left. */
bool ring_limit(struct ring_data *data, uint64_t end);

/* All trace of an area in overwrite mode behind @from that is still there. */
bool ring_newest_aux(const struct ring *ring, uint64_t from,
		     struct ring_data *data);

/* Returns false if the kernel does not provide the conversion. */
bool ring_time_conv(const struct ring *ring, struct pmscope_time_conv *conv);

/* The perf clock, in ns, where the timer counts @ticks. */
uint64_t time_of_ticks(const struct pmscope_time_conv *conv, uint64_t ticks);

void ring_unmap(struct ring *ring);
