/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Pieces of traces that other threads decode before their rows are asked for.
 * Those that will be needed soonest come first; which they are is estimated
 * from the times in the pieces before them.
 */
#ifndef PMSCOPE_RECORDING_AHEAD_H
#define PMSCOPE_RECORDING_AHEAD_H

#include "base/tournament.h"

#include <pthread.h>

struct piece;
struct pmscope_recording;
struct queue;

/**
 * struct ahead_queue - what is decoded ahead of one queue
 * @first: its pieces, in the order of the queue
 * @end: where the next is put
 * @running: pieces that are not done
 * @due: about when what is left of the queue is needed
 * @span: about how long a piece lasts
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
 * @lock: of all this, of queue.ahead and of queue.rest
 * @done: a piece is
 * @begun: each queue has its first rows
 * @bytes: of a piece; SIZE_MAX when nothing is decoded ahead
 * @pieces: all of them
 * @free: those without bytes
 * @soonest: queues that nobody decodes to the end, by ahead_queue.due
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

/* Call when the queues are known. Each int is 0 or -ENOMEM. */
int ahead_init(struct pmscope_recording *rec);
void ahead_fini(struct pmscope_recording *rec);

/* Each queue has its first rows: start the others. */
void ahead_begin(struct pmscope_recording *rec);

/*
 * For the consumer of a queue whose stretch is done: the next stretch, with its
 * rows in the queue's empty batch if it was decoded ahead. False if none is
 * left.
 */
bool ahead_next(struct pmscope_recording *rec, struct queue *queue);

/* Is there any stretch left? */
bool ahead_has_next(struct pmscope_recording *rec, struct queue *queue);

#endif /* PMSCOPE_RECORDING_AHEAD_H */
