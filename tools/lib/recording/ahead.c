// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "recording.h"

/*
 * Total size of all pieces, each of which fits in the caches of a CPU. With
 * very many queues, memory grows with their number instead.
 */
#define PIECES_BYTES (2U << 20)
#define PIECE_MAX    (128U << 10)
#define PIECE_MIN    (32U << 10)
#define QUEUES_MAX   256

#define ROWS_MIN 32

#define PER_THREAD  4
#define THREADS_MAX 256

struct piece {
	struct piece *next; /* in its queue, or in ahead.free */
	struct queue *queue;
	struct chunk chunk;
	uint64_t latest; /* of its rows: who takes them need not look */
	bool done;
};

/* Brief rows are half as large, so twice as many fit. */
static size_t piece_bytes(const struct pmscope_recording *rec)
{
	size_t max = rec->options.brief ? 2 * PIECE_MAX : PIECE_MAX;
	size_t bytes = PIECES_BYTES / rec->nr_queues;

	if (bytes > max)
		return max;
	return MAX(bytes, PIECE_MIN);
}

static void give_back(struct ahead *ahead, struct piece *piece)
{
	piece->next = ahead->free;
	ahead->free = piece;
}

int ahead_init(struct pmscope_recording *rec)
{
	struct ahead *ahead = &rec->ahead;
	size_t threads = rec->options.ahead;
	size_t nr;

	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->done, NULL);
	ahead->bytes = SIZE_MAX;
	for (size_t i = 0; i < rec->nr_queues; i++)
		rec->queues[i].ahead.end = &rec->queues[i].ahead.first;
	if (!threads || !rec->nr_queues || rec->nr_queues > QUEUES_MAX)
		return 0;
	threads = MIN(threads, THREADS_MAX);
	if (!tournament_init(&ahead->soonest, rec->nr_queues))
		return -ENOMEM;
	nr = rec->nr_queues + PER_THREAD * threads;
	ahead->pieces = calloc(nr, sizeof(*ahead->pieces));
	if (!ahead->pieces)
		return -ENOMEM;
	ahead->nr_pieces = nr;
	ahead->bytes = piece_bytes(rec);
	for (size_t i = 0; i < ahead->nr_pieces; i++)
		give_back(ahead, &ahead->pieces[i]);
	return 0;
}

void ahead_fini(struct pmscope_recording *rec)
{
	struct ahead *ahead = &rec->ahead;

	for (size_t i = 0; i < ahead->nr_pieces; i++)
		pmscope_batch_free(ahead->pieces[i].chunk.batch);
	free(ahead->pieces);
	tournament_fini(&ahead->soonest);
	pthread_cond_destroy(&ahead->done);
	pthread_mutex_destroy(&ahead->lock);
}

static void add_due(struct ahead_queue *ahead, uint64_t span)
{
	if (__builtin_add_overflow(ahead->due, span, &ahead->due))
		ahead->due = UINT64_MAX;
}

/* Part of the queue was consumed, or more is known about its times. */
static void queue_changed(struct pmscope_recording *rec, struct queue *q)
{
	size_t number;

	if (!rec->ahead.begun)
		return;
	number = q - rec->queues;
	if (queue_is_cut_up(q))
		tournament_leave(&rec->ahead.soonest, number);
	else
		tournament_enter(&rec->ahead.soonest, number, q->ahead.due);
}

/* Cuts the next stretch off the queue; false at its end. */
static bool queue_cut(struct pmscope_recording *rec, struct queue *q,
		      struct stretch *stretch)
{
	const struct ahead *ahead = &rec->ahead;
	size_t bytes = ahead->bytes;

	/* Only one thread decodes before ahead_begin(): keep that short. */
	if (ahead->pieces && !ahead->begun)
		bytes = PIECE_MIN;
	if (!stretch_cut(rec, q, bytes, stretch))
		return false;
	add_due(&q->ahead, q->ahead.span);
	queue_changed(rec, q);
	return true;
}

/* When the rest of the queue is due: after @batch and pieces in progress. */
static void queue_estimate(struct pmscope_recording *rec, struct queue *q,
			   const struct pmscope_batch *batch, size_t first)
{
	struct ahead_queue *ahead = &q->ahead;
	uint64_t from, to;

	if (first < batch->count && row_time(rec, batch, first, &from) &&
	    row_time(rec, batch, batch->count - 1, &to)) {
		ahead->span = to > from ? to - from : 0;
		ahead->due = to;
		for (unsigned int i = 0; i < ahead->running; i++)
			add_due(ahead, ahead->span);
	}
	queue_changed(rec, q);
}

void ahead_begin(struct pmscope_recording *rec)
{
	if (!rec->ahead.pieces)
		return;
	pthread_mutex_lock(&rec->ahead.lock);
	rec->ahead.begun = true;
	for (size_t i = 0; i < rec->nr_queues; i++) {
		struct queue *q = &rec->queues[i];

		if (q->batch)
			queue_estimate(rec, q, q->batch, q->row);
	}
	pthread_mutex_unlock(&rec->ahead.lock);
}

/* Cuts the piece needed soonest; NULL if there is none, or all are in use. */
static struct piece *piece_new(struct pmscope_recording *rec)
{
	struct ahead *ahead = &rec->ahead;
	struct piece *piece = ahead->free;
	struct queue *q;

	if (!ahead->begun || !piece || tournament_is_over(&ahead->soonest))
		return NULL;
	q = &rec->queues[tournament_first(&ahead->soonest).number];
	ahead->free = piece->next;
	queue_cut(rec, q, &piece->chunk.stretch);
	piece->queue = q;
	piece->done = false;
	piece->next = NULL;
	*q->ahead.end = piece;
	q->ahead.end = &piece->next;
	q->ahead.running++;
	return piece;
}

/*
 * Rows of the batch for the stretch: many short traces are printed together,
 * and each keeps its batch until then.
 */
static size_t rows_of(const struct pmscope_recording *rec,
		      const struct stretch *stretch)
{
	size_t bytes = stretch->end - stretch->begin;
	size_t most = rec->ahead.bytes / RECORD_BYTES, rows = ROWS_MIN;

	while (rows < bytes / RECORD_BYTES && rows < most)
		rows *= 2;
	return rows;
}

static void piece_batch(const struct pmscope_recording *rec,
			struct piece *piece)
{
	struct chunk *chunk = &piece->chunk;
	size_t rows = rows_of(rec, &chunk->stretch);

	if (chunk->batch && chunk->batch->capacity == rows)
		return;
	pmscope_batch_free(chunk->batch);
	chunk->batch = pmscope_batch_new(rows);
}

/*
 * The queue's empty batch becomes as large as that of a piece, so that the runs
 * are the same whoever decodes them.
 */
static void queue_batch(const struct pmscope_recording *rec, struct queue *q)
{
	size_t rows = rows_of(rec, &q->stretch);
	struct pmscope_batch *batch;

	if (!rec->ahead.begun || q->batch->count || q->batch->capacity == rows)
		return;
	batch = pmscope_batch_new(rows);
	if (!batch)
		return;
	pmscope_batch_free(q->batch);
	q->batch = batch;
}

/* If out of memory, leave it to the consumer. */
static void piece_decode(const struct pmscope_recording *rec,
			 struct piece *piece)
{
	struct chunk *chunk = &piece->chunk;

	piece_batch(rec, piece);
	if (!chunk->batch)
		return;
	chunk_guess(chunk, rec->flags);
	if (rec->nr_queues > 1)
		piece->latest = rows_latest(rec, chunk->batch);
}

/* Hands the piece over to the consumer. */
static void piece_done(struct pmscope_recording *rec, struct piece *piece)
{
	piece->done = true;
	piece->queue->ahead.running--;
	if (piece->chunk.batch)
		queue_estimate(rec, piece->queue, piece->chunk.batch, 0);
	pthread_cond_broadcast(&rec->ahead.done);
}

size_t pmscope_recording_ahead(struct pmscope_recording *rec)
{
	struct ahead *ahead = &rec->ahead;
	struct piece *piece;
	size_t bytes;

	pthread_mutex_lock(&ahead->lock);
	piece = piece_new(rec);
	pthread_mutex_unlock(&ahead->lock);
	if (!piece)
		return 0;
	bytes = piece->chunk.stretch.end - piece->chunk.stretch.begin;
	piece_decode(rec, piece);
	pthread_mutex_lock(&ahead->lock);
	piece_done(rec, piece);
	pthread_mutex_unlock(&ahead->lock);
	return bytes;
}

/* Waits for the first piece of the queue; NULL if it has none. */
static struct piece *piece_take(struct ahead *ahead, struct queue *q)
{
	struct piece *piece = q->ahead.first;

	if (!piece)
		return NULL;
	while (!piece->done)
		pthread_cond_wait(&ahead->done, &ahead->lock);
	q->ahead.first = piece->next;
	if (!q->ahead.first)
		q->ahead.end = &q->ahead.first;
	return piece;
}

/* Uses the rows of the piece if they start at the position of the queue. */
static void piece_use(struct pmscope_recording *rec, struct piece *piece,
		      struct queue *q)
{
	struct pmscope_batch *empty = q->batch;
	struct chunk *chunk = &piece->chunk;

	if (!chunk->batch || chunk->first != q->at || empty->count ||
	    q->split.is)
		return;
	stats_add(&rec->losses.decode, &chunk->stats);
	q->at = chunk->next;
	q->batch = chunk->batch;
	q->latest = piece->latest;
	chunk->batch = empty;
	if (empty->capacity == q->batch->capacity)
		return;
	pmscope_batch_free(empty);
	chunk->batch = NULL;
}

/*
 * Of a pipe, it may turn out late that the record that was left open at the end
 * of a trace does not continue in the next one.
 */
static bool must_close(const struct pmscope_recording *rec,
		       const struct queue *q)
{
	return rec->stream.is && q->split.is && q->at >= q->stretch.end &&
	       !trace_goes_on(rec, q);
}

/* If no packet of it was decoded, decode it again, as the last one. */
static void close_record(struct pmscope_recording *rec, struct queue *q)
{
	struct split_record *split = &q->split;

	q->stretch.open = false;
	if (split->trace == q->stretch.index && !split->record.bytes &&
	    split->at < q->stretch.end) {
		split->is = false;
		q->at = split->at;
	} else {
		split_record_join(rec, q);
	}
}

bool ahead_next(struct pmscope_recording *rec, struct queue *q)
{
	struct ahead *ahead = &rec->ahead;
	struct piece *piece;
	bool found = true;

	if (must_close(rec, q)) {
		close_record(rec, q);
		return true;
	}
	pthread_mutex_lock(&ahead->lock);
	piece = piece_take(ahead, q);
	if (piece)
		q->stretch = piece->chunk.stretch;
	else
		found = queue_cut(rec, q, &q->stretch);
	if (found && !piece)
		queue_batch(rec, q);
	if (found && !q->stretch.begin)
		q->at = split_record_join(rec, q);
	if (piece) {
		piece_use(rec, piece, q);
		give_back(ahead, piece);
	}
	pthread_mutex_unlock(&ahead->lock);
	return found;
}

bool ahead_has_next(struct pmscope_recording *rec, struct queue *q)
{
	bool has;

	if (must_close(rec, q))
		return true;
	pthread_mutex_lock(&rec->ahead.lock);
	has = q->ahead.first || !queue_is_cut_up(q);
	pthread_mutex_unlock(&rec->ahead.lock);
	return has;
}
