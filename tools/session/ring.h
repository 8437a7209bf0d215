/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The ring and the AUX area that an event shares with the kernel. */
#ifndef PMSCOPE_SESSION_RING_H
#define PMSCOPE_SESSION_RING_H

#include <pmscope/writer.h>

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct pmscope_ring - the mapping of one descriptor
 * @fd: descriptor of the event; not closed here
 * @page: the page that the kernel updates
 * @data_size: bytes of records, a power of two
 * @aux: NULL when there is none
 * @aux_size: bytes, a power of two
 *
 * Starts as zeros.
 */
struct pmscope_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t data_size;
	void *aux;
	size_t aux_size;
};

/**
 * struct pmscope_ring_data - unread data, in one or two parts
 * @tail: position of the first byte; positions never wrap
 * @head: position after the last byte
 */
struct pmscope_ring_data {
	const void *part[2];
	size_t size[2];
	uint64_t tail;
	uint64_t head;
};

/**
 * pmscope_ring_map() - map the ring of an event
 * @data_size: a power of two, a page or more
 *
 * Return: 0, -errno of mmap(2): -EPERM means over the limit of locked memory
 * (kernel.perf_event_mlock_kb).
 */
int pmscope_ring_map(struct pmscope_ring *ring, int fd, size_t data_size);

/**
 * pmscope_ring_map_aux() - map the AUX area of the same event
 * @aux_size: a power of two, a page or more
 * @overwrite: the kernel overwrites the oldest trace; read it only with
 *	       pmscope_ring_newest_aux(), while the events are disabled
 */
int pmscope_ring_map_aux(struct pmscope_ring *ring, size_t aux_size,
			 bool overwrite);

/**
 * pmscope_ring_peek() - find the unread records
 *
 * They stay until pmscope_ring_consume(); a record may span both parts.
 *
 * Return: false if there is none.
 */
bool pmscope_ring_peek(const struct pmscope_ring *ring,
		       struct pmscope_ring_data *data);

/* Returns the space of peeked records to the kernel. */
void pmscope_ring_consume(struct pmscope_ring *ring,
			  const struct pmscope_ring_data *data);

/* The same for the AUX area. */
bool pmscope_ring_peek_aux(const struct pmscope_ring *ring,
			   struct pmscope_ring_data *data);
void pmscope_ring_consume_aux(struct pmscope_ring *ring,
			      const struct pmscope_ring_data *data);

/* Leaves out what is at @end and after it; returns false if nothing is left. */
bool pmscope_ring_limit(struct pmscope_ring_data *data, uint64_t end);

/* All trace of an area in overwrite mode behind @from that is still there. */
bool pmscope_ring_newest_aux(const struct pmscope_ring *ring, uint64_t from,
			     struct pmscope_ring_data *data);

/* Returns false if the kernel does not provide the conversion. */
bool pmscope_ring_time_conv(const struct pmscope_ring *ring,
			    struct pmscope_time_conv *conv);

void pmscope_ring_unmap(struct pmscope_ring *ring);

#endif /* PMSCOPE_SESSION_RING_H */
