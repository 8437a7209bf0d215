/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Worker threads decode pieces of traces ahead of the consumer, in the order in
 * which it will probably need them; that is estimated from the times in the
 * pieces before them.
 */
#pragma once

#include "base/tournament.h"

#include <pthread.h>

struct piece;
struct pmscope_recording;
struct queue;

/**
 * struct ahead_queue - what is decoded ahead of one queue
 * @first: its pieces, in the order of the queue
 * @end: where the next piece is linked
 * @running: pieces that are not done
 * @due: estimated time of the next row that is in no piece yet
 * @span: estimated time that a piece covers
 */
struct ahead_queue {
	struct piece *first;
	struct piece **end;
	unsigned int running;
	uint64_t due;
	uint64_t span;
};

/**
 * struct ahead - what is decoded ahead of all queues
 * @lock: protects this, queue.ahead and queue.rest
 * @done: signalled when a piece is done
 * @begun: each queue has its first rows
 * @bytes: size of a piece; SIZE_MAX if nothing is decoded ahead
 * @pieces: all pieces
 * @free: unused pieces
 * @soonest: queues that have bytes left to assign, by ahead_queue.due
 */
struct ahead {
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool begun;
	size_t bytes;
	struct piece *pieces;
	size_t nr_pieces;
	struct piece *free;
	struct tournament soonest;
};

/* Call when the queues are known. Returns 0 or -ENOMEM. */
int ahead_init(struct pmscope_recording *rec);
void ahead_fini(struct pmscope_recording *rec);

/* Call when each queue has its first rows: starts decoding ahead. */
void ahead_begin(struct pmscope_recording *rec);

/*
 * Moves a queue whose stretch is done to the next stretch. If that was decoded
 * ahead, its rows replace the queue's empty batch. Returns false if no stretch
 * is left.
 */
bool ahead_next(struct pmscope_recording *rec, struct queue *queue);

/* Is there any stretch left? */
bool ahead_has_next(struct pmscope_recording *rec, struct queue *queue);
