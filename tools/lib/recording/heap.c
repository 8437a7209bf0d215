// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "recording.h"

#define NO_BLOCK UINT32_MAX

size_t heap_window = 1 << 16;

/* Blocks that are kept; more are lost. */
#define BLOCKS_MAX (1 << 25)

/* Forks of forks of forks; a damaged file may have a circle. */
#define MAX_PARENTS 16

bool heap_is(const struct pmscope_perf_event *event)
{
	return event->size >= 8 * (1 + HEAP_RECORD_HEAD) &&
	       get64(event->body) == HEAP_RECORD_ID;
}

/* The words behind hw_id; @nr of them. */
static const uint8_t *words_of(const uint8_t *record, size_t *nr)
{
	*nr = (get16(record + 6) - RECORD_HEADER) / 8 - 1;
	return record + RECORD_HEADER + 8;
}

static uint64_t word(const uint8_t *words, size_t at)
{
	return get64(words + 8 * at);
}

/* Of the entry at @at; beyond the record if it is none. */
static size_t entry_size(const uint8_t *words, size_t nr, size_t at)
{
	uint64_t second = at + 1 < nr ? word(words, at + 1) : 0;

	switch (second >> HEAP_KIND_SHIFT) {
	case HEAP_FREE:
		return at + 1 < nr ? 2 : nr;
	case HEAP_BLOCK:
		return 3;
	case HEAP_SITE:
		second -= (uint64_t)HEAP_SITE << HEAP_KIND_SHIFT;
		return second < nr ? 2 + second : nr;
	default:
		return nr;
	}
}

/* Without a clock they come first. */
static uint64_t time_at(const struct clock *clock, uint64_t ticks)
{
	uint64_t ns = 0;

	clock_ns(clock, ticks, &ns);
	return ns;
}

int heap_keep(struct heap *heap, const struct clock *clock,
	      const uint8_t *record)
{
	size_t nr, at = HEAP_RECORD_HEAD - 1;
	const uint8_t *words = words_of(record, &nr);

	heap->lost += word(words, 2);
	/* Sites have no time. */
	while (at + 1 < nr &&
	       word(words, at + 1) >> HEAP_KIND_SHIFT == HEAP_SITE)
		at += entry_size(words, nr, at);
	return array_add(heap->chunks, heap->nr_chunks, heap->max_chunks,
			 (struct heap_chunk){
				 time_at(clock, at < nr ? word(words, at) : 0),
				 record});
}

static COMPARISON(compare_chunks, struct heap_chunk, COMPARE(x->time, y->time));

void heap_sort(struct heap *heap)
{
	size_t nr = heap->nr_chunks - heap->chunk;

	if (nr)
		qsort(heap->chunks + heap->chunk, nr, sizeof(*heap->chunks),
		      compare_chunks);
}

void heap_drop(struct heap *heap)
{
	if (!heap->reads)
		heap->chunk = heap->nr_chunks;
	heap->nr_chunks -= heap->chunk;
	if (heap->nr_chunks)
		memmove(heap->chunks, heap->chunks + heap->chunk,
			heap->nr_chunks * sizeof(*heap->chunks));
	heap->chunk = 0;
}

static int add_site(struct heap *heap, const uint8_t *entry, size_t nr)
{
	struct heap_site site = {.nr = nr};
	uint64_t *frames = arena_alloc(&heap->frames, 8 * nr + 8);
	uint32_t number;

	if (!frames)
		return -ENOMEM;
	if (nr > PMSCOPE_CALLERS_MAX)
		site.nr = nr = PMSCOPE_CALLERS_MAX;
	for (size_t i = 0; i < nr; i++)
		frames[i] = word(entry, 2 + i);
	site.frames = frames;
	return keyed_get(&heap->site_of_number, sizeof(site), word(entry, 0),
			 &site, &number);
}

static int add_entry(struct heap *heap, const struct clock *clock,
		     struct heap_process *p, const uint8_t *entry, size_t nr)
{
	uint64_t second = word(entry, 1), third = nr > 2 ? word(entry, 2) : 0;
	struct heap_block block = {
		.start = second & ((UINT64_C(1) << HEAP_KIND_SHIFT) - 1),
		.begin = time_at(clock, word(entry, 0)),
		.end = UINT64_MAX,
		.size = third >> HEAP_SITE_BITS,
		.site = third & HEAP_SITE_MASK,
	};

	if (second >> HEAP_KIND_SHIFT == HEAP_SITE)
		return add_site(heap, entry, nr - 2);
	/* What malloc(0) returns is a block, too. */
	if (nr > 2 && !block.size)
		block.size = 1;
	if (!block.start)
		return 0;
	if (nr > 2 && heap->nr_blocks >= BLOCKS_MAX) {
		heap->lost++;
		return 0;
	}
	heap->nr_blocks += nr > 2;
	return array_add(p->fresh, p->nr_fresh, p->max_fresh, block);
}

/* Sets @entries to how many there were. */
static int read_chunk(struct heap *heap, const struct clock *clock,
		      const uint8_t *record, size_t *entries)
{
	size_t nr, at = HEAP_RECORD_HEAD - 1, size;
	const uint8_t *words = words_of(record, &nr);
	const struct heap_process new = {.pid = word(words, 0),
					 .parent = word(words, 1)};
	struct heap_process *p =
		keyed_item(&heap->process_of_pid, sizeof(new), new.pid, &new);
	int ret = p ? 0 : -ENOMEM;

	if (p)
		p->parent = new.parent;
	/* What is behind the last entry is the trailer, which is none. */
	for (; !ret && at + 4 < nr; at += size) {
		size = entry_size(words, nr, at);
		if (size > nr - at - 4)
			break;
		ret = add_entry(heap, clock, p, words + 8 * at, size);
		++*entries;
	}
	return ret;
}

/* At one time, the end of one block is before the begin of the next. */
static COMPARISON(compare_blocks, struct heap_block,
		  COMPARE(x->start, y->start) ?: COMPARE(x->begin, y->begin)
		  ?: !!x->size - !!y->size);

static uint64_t end_of(const struct heap_block *b)
{
	return b->start + b->size;
}

/* Adds @b behind those that are before it, of which it may be the end. */
static void add_block(struct heap_process *p, struct heap_block *blocks,
		      const struct heap_block *b, uint64_t from)
{
	struct heap_block *last = p->nr ? &blocks[p->nr - 1] : NULL;
	uint32_t up = p->nr - 1;

	if (last && last->start == b->start) {
		bool lived = last->size && last->end > b->begin;

		if (lived)
			last->end = b->begin;
		/* One end is enough to tell that it has no such block. */
		if (!b->size && (lived || !last->size))
			return;
	}
	if (b->end < from || (!b->size && !p->parent))
		return;
	while (up != NO_BLOCK && end_of(&blocks[up]) <= end_of(b))
		up = blocks[up].up;
	blocks[p->nr] = *b;
	blocks[p->nr++].up = up;
}

/* Moves entries before @until to the front, and returns how many these are. */
static size_t part(struct heap *heap, struct heap_process *p, uint64_t until)
{
	size_t front = 0;

	for (size_t i = 0; i < p->nr_fresh; i++) {
		struct heap_block block = p->fresh[i];

		if (block.begin < until) {
			p->fresh[i] = p->fresh[front];
			p->fresh[front++] = block;
		} else if (block.begin < heap->held) {
			heap->held = block.begin;
		}
	}
	return front;
}

/* Joins what is fresh before @until with blocks that did not end by @from. */
static int settle(struct heap *heap, struct heap_process *p, uint64_t from,
		  uint64_t until)
{
	size_t nr = p->nr, old = 0, at = 0, front = part(heap, p, until);
	struct heap_block *blocks = malloc((nr + front + 1) * sizeof(*blocks));

	if (!blocks)
		return -ENOMEM;
	qsort(p->fresh, front, sizeof(*p->fresh), compare_blocks);
	heap->nr_blocks -= nr;
	for (p->nr = 0; old < nr || at < front;) {
		bool is_old = at == front ||
			      (old < nr && compare_blocks(&p->blocks[old],
							  &p->fresh[at]) < 0);

		heap->nr_blocks -= !is_old && p->fresh[at].size;
		add_block(p, blocks,
			  is_old ? &p->blocks[old++] : &p->fresh[at++], from);
	}
	heap->nr_blocks += p->nr;
	free(p->blocks);
	p->blocks = blocks;
	p->nr_fresh -= front;
	memmove(p->fresh, p->fresh + front, p->nr_fresh * sizeof(*p->fresh));
	return 0;
}

/*
 * Chunks of threads overlap. What is behind the begin of one that is not read
 * yet may be the end of a block in it, and has to wait.
 */
int heap_advance(struct pmscope_recording *rec, uint64_t limit)
{
	struct heap *heap = &rec->heap;
	size_t wanted = heap->nr_blocks / 2, entries = 0;
	uint64_t from = heap_next(heap), until;
	int ret = 0;

	wanted = MAX(wanted, heap_window);
	while (!ret && entries < wanted && heap->chunk < heap->nr_chunks &&
	       heap->chunks[heap->chunk].time <= limit)
		ret = read_chunk(heap, &rec->clock,
				 heap->chunks[heap->chunk++].record, &entries);
	heap->held = UINT64_MAX;
	until = heap_next(heap);
	if (until > limit)
		until = limit + 1;
	for (size_t i = 0; i < heap->nr_processes && !ret; i++)
		if (heap->processes[i].nr_fresh)
			ret = settle(heap, &heap->processes[i], from, until);
	rec->losses.lost_blocks = heap->lost;
	return ret;
}

/* The last block that begins at @start and @time at the latest, or before. */
static uint32_t last_until(const struct heap_process *p, uint64_t start,
			   uint64_t time)
{
	size_t low = 0, high = p->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct heap_block *b = &p->blocks[middle];

		if (b->start < start || (b->start == start && b->begin <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* Of several, as in memory that a program manages, the one that starts last. */
static const struct heap_block *find(const struct heap_process *p,
				     uint64_t address, uint64_t time)
{
	uint32_t at = last_until(p, address, time);

	while (at != NO_BLOCK) {
		const struct heap_block *b = &p->blocks[at];

		if (end_of(b) <= address)
			at = b->up;
		else if (b->begin <= time && time < b->end)
			return b;
		else
			at = b->begin > time
				     ? last_until(p, b->start, time)
				     : last_until(p, b->start - 1, UINT64_MAX);
	}
	return NULL;
}

/* Has the child of the process that has @b ended it? */
static bool has_ended(const struct heap_process *child,
		      const struct heap_block *b, uint64_t time)
{
	uint32_t at = last_until(child, b->start, time);

	return at != NO_BLOCK && child->blocks[at].start == b->start;
}

static const struct heap_block *find_of(const struct pmscope_recording *rec,
					uint32_t pid, uint64_t address,
					uint64_t time)
{
	const struct heap_process *child = NULL, *p;
	const uint64_t now = time;
	const struct heap_block *b;
	uint64_t since;
	uint32_t number;

	for (int i = 0; pid && i < MAX_PARENTS; i++) {
		p = keyed_find(&rec->heap.process_of_pid, pid, &number)
			    ? &rec->heap.processes[number]
			    : NULL;
		b = p ? find(p, address, time) : NULL;
		pid = machine_begin(&rec->machine, pid, &since);
		if (b && b->begin >= since)
			return child && has_ended(child, b, now) ? NULL : b;
		child = i ? child : p;
		time = since;
	}
	return NULL;
}

void pmscope_recording_read_blocks(struct pmscope_recording *rec)
{
	rec->heap.reads = true;
}

bool pmscope_recording_block(const struct pmscope_recording *rec,
			     const struct pmscope_sample *sample,
			     uint64_t address, struct pmscope_block *block)
{
	const struct heap_block *b = NULL;
	const struct heap_site *site;
	uint32_t number;
	uint64_t time;

	if (!rec->heap.nr_processes || address >> 63 ||
	    sample->kind != PMSCOPE_SAMPLE_SPE || sample->pid == PMSCOPE_NO_ID)
		return false;
	if (row_time(rec, sample->batch, sample->row, &time))
		b = find_of(rec, sample->pid, address, time);
	if (!b)
		return false;
	*block = (struct pmscope_block){
		.start = b->start, .size = b->size, .site = b->site};
	if (!keyed_find(&rec->heap.site_of_number, b->site, &number))
		return true;
	site = &rec->heap.sites[number];
	block->callers = site->frames;
	block->nr_callers = site->nr;
	return true;
}

void heap_fini(struct heap *heap)
{
	for (size_t i = 0; i < heap->nr_processes; i++) {
		free(heap->processes[i].blocks);
		free(heap->processes[i].fresh);
	}
	keyed_fini(&heap->process_of_pid);
	keyed_fini(&heap->site_of_number);
	arena_fini(&heap->frames);
	free(heap->chunks);
}
