// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Programs may write anything into the memory that they share with us: each
 * word is read once, and no count is believed.
 */
#include "recorder.h"
#include "base/hash.h"
#include "base/record.h"
#include "base/containers.h"
#include "heap/rings.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/mman.h>

#define LIBRARY "libpmscope-heap.so"
#define PRELOAD "LD_PRELOAD"

/* More have no call chain: site 0. */
#define SITES_MAX (1U << 20)

/* Rounds between looks for threads that have ended */
#define CHECK_ROUNDS 64

struct heap {
	struct heap_rings *rings;
	int fd;
	char library[PATH_MAX];
	char *preloaded; /* the user's */
	struct map site_of_hash;
	struct heap_stats stats;
	uint32_t nr_sites;
	unsigned int round;
	uint64_t told[HEAP_RINGS]; /* losses */
	uint64_t told_without;
	uint64_t words[HEAP_RECORD_WORDS];
	size_t nr;
	uint64_t ticks; /* of the first entry in @words */
};

/* Beside the tool, as it was installed or built: ../lib, lib64 or a machine's
 */
static bool find_library(char path[PATH_MAX])
{
	char self[PATH_MAX], pattern[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	bool found;
	glob_t names;

	self[n < 0 ? 0 : n] = '\0';
	*(strrchr(self, '/') ?: self) = '\0';
	snprintf(pattern, sizeof(pattern), "%s/../lib{,64,/*}/pmscope/" LIBRARY,
		 self);
	if (glob(pattern, GLOB_BRACE, NULL, &names))
		return false;
	found = realpath(names.gl_pathv[0], path);
	globfree(&names);
	return found;
}

static int share(struct heap *heap, uint64_t least)
{
	heap->fd =
		memfd_create("pmscope-heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* Nobody else may make it smaller under us. */
	if (heap->fd < 0 || ftruncate(heap->fd, sizeof(*heap->rings)) ||
	    fcntl(heap->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL))
		return -errno;
	heap->rings = mmap(NULL, sizeof(*heap->rings), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_NORESERVE, heap->fd, 0);
	if (heap->rings == MAP_FAILED) {
		heap->rings = NULL;
		return -errno;
	}
	heap->rings->least = least;
	return 0;
}

int heap_open(struct heap **made, uint64_t least, struct pmscope_error *err)
{
	struct heap *heap = calloc(1, sizeof(*heap));
	int ret;

	*made = heap;
	if (!heap)
		return pmscope_fail_nomem(err);
	heap->fd = -1;
	/* ld.so separates the names of LD_PRELOAD so. */
	if (!find_library(heap->library) || strpbrk(heap->library, " :"))
		return pmscope_fail(err, ENOENT,
				    "--heap: " LIBRARY " is not installed "
				    "beside this program, in lib/pmscope");
	ret = share(heap, least);
	return ret ? pmscope_fail(err, -ret, "--heap: %s", strerror(-ret)) : 0;
}

int heap_preload(struct heap *heap)
{
	const char *others = getenv(PRELOAD);
	char file[64], *all;
	int ret;

	snprintf(file, sizeof(file), "/proc/%d/fd/%d", getpid(), heap->fd);
	heap->preloaded = others ? strdup(others) : NULL;
	if ((others && !heap->preloaded) ||
	    asprintf(&all, "%s%s%s", heap->library, others ? ":" : "",
		     others ?: "") < 0)
		return -ENOMEM;
	ret = setenv(PRELOAD, all, 1) || setenv(HEAP_FILE, file, 1) ? -ENOMEM
								    : 0;
	free(all);
	return ret;
}

void heap_preload_end(struct heap *heap)
{
	unsetenv(HEAP_FILE);
	if (heap->preloaded)
		setenv(PRELOAD, heap->preloaded, 1);
	else
		unsetenv(PRELOAD);
}

/* What drains, and where to. */
struct drain {
	struct heap *heap;
	int (*write)(void *context, const uint64_t *words, size_t nr,
		     uint64_t ticks);
	void *context;
	struct heap_ring *ring;
	uint32_t owner;
	uint64_t lost;
};

static int flush(struct drain *d)
{
	struct heap *heap = d->heap;
	int ret = heap->nr ? d->write(d->context, heap->words, heap->nr,
				      heap->ticks)
			   : 0;

	heap->nr = 0;
	heap->ticks = 0;
	return ret;
}

/* Room for @nr words of an entry of this ring. */
static int reserve(struct drain *d, size_t nr)
{
	struct heap *heap = d->heap;
	int ret = heap->nr + nr > HEAP_RECORD_WORDS ? flush(d) : 0;

	if (heap->nr)
		return ret;
	heap->words[heap->nr++] = d->ring->pid | (uint64_t)d->owner << 32;
	heap->words[heap->nr++] = d->ring->parent;
	heap->words[heap->nr++] = d->lost;
	d->lost = 0;
	return ret;
}

/* Sets @site to the number of a call chain, which is written if it is new. */
static int site_of(struct drain *d, const uint64_t *frames, size_t nr,
		   uint32_t *site)
{
	uint64_t hash = hash_bytes(nr, frames, nr * sizeof(*frames));
	struct heap *heap = d->heap;
	int ret;

	*site = 0;
	if (map_get(&heap->site_of_hash, hash, site) ||
	    heap->nr_sites == SITES_MAX)
		return 0;
	*site = ++heap->nr_sites;
	if (map_set(&heap->site_of_hash, hash, *site))
		return -ENOMEM;
	ret = reserve(d, 2 + HEAP_FRAMES + 3);
	heap->words[heap->nr++] = *site;
	heap->words[heap->nr++] = (uint64_t)HEAP_SITE << HEAP_KIND_SHIFT | nr;
	memcpy(heap->words + heap->nr, frames, nr * sizeof(*frames));
	heap->nr += nr;
	return ret;
}

static int put_entry(struct drain *d, const uint64_t *entry, size_t nr)
{
	struct heap *heap = d->heap;
	uint64_t address = entry[1] & HEAP_ADDRESS;
	uint64_t size = MIN(entry[2], HEAP_SIZE_MAX);
	bool is_block = nr > 2;
	uint32_t site = 0;
	int ret = is_block ? site_of(d, entry + 3, nr - 3, &site) : 0;

	if (!ret)
		ret = reserve(d, 3);
	if (ret)
		return ret;
	if (!heap->ticks)
		heap->ticks = entry[0];
	heap->words[heap->nr++] = entry[0];
	heap->words[heap->nr++] =
		address | (uint64_t)(is_block ? HEAP_BLOCK : HEAP_FREE)
				  << HEAP_KIND_SHIFT;
	if (is_block)
		heap->words[heap->nr++] = size << HEAP_SITE_BITS | site;
	heap->stats.blocks += is_block;
	return 0;
}

/* What a program had no room for, of this ring or of threads without one. */
static uint64_t losses(struct heap *heap, uint32_t i)
{
	uint64_t lost =
		__atomic_load_n(&heap->rings->ring[i].lost, __ATOMIC_RELAXED);
	uint64_t without =
		__atomic_load_n(&heap->rings->lost, __ATOMIC_RELAXED);
	uint64_t new = lost - heap->told[i] + without - heap->told_without;

	heap->told[i] = lost;
	heap->told_without = without;
	heap->stats.lost += new;
	return new;
}

/* Returns the words of the entry that it copies, or 0 if it is none. */
static size_t read_entry(const struct heap_ring *ring, uint64_t at,
			 uint64_t left, uint64_t entry[HEAP_ENTRY])
{
	uint64_t address = left > 1 ? ring->words[(at + 1) % HEAP_WORDS] : 0;
	uint64_t frames = address >> HEAP_FRAMES_SHIFT;
	size_t nr = frames ? 3 + frames : 2;

	if (frames > HEAP_FRAMES || nr > left)
		return 0;
	for (size_t k = 0; k < nr; k++)
		entry[k] = ring->words[(at + k) % HEAP_WORDS];
	entry[1] = address;
	return nr;
}

static int drain_ring(struct drain *d, uint32_t i)
{
	struct heap_ring *ring = d->ring = &d->heap->rings->ring[i];
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->tail, entry[HEAP_ENTRY] = {};
	int ret = 0;
	size_t nr;

	if (!__atomic_load_n(&ring->pid, __ATOMIC_ACQUIRE))
		return 0;
	d->lost = losses(d->heap, i);
	if (head - tail > HEAP_WORDS)
		tail = head;
	while (!ret && (nr = read_entry(ring, tail, head - tail, entry))) {
		ret = put_entry(d, entry, nr);
		tail += nr;
	}
	__atomic_store_n(&ring->tail, head, __ATOMIC_RELEASE);
	if (!ret && d->lost)
		ret = reserve(d, 0);
	return ret ? ret : flush(d);
}

/* Its thread has ended, or has a newer ring: all that it wrote is there. */
static bool is_left(const struct heap *heap, uint32_t i)
{
	const struct heap_rings *all = heap->rings;
	uint32_t tid = all->owner[i];

	if (kill(tid, 0) && errno == ESRCH)
		return true;
	for (uint32_t k = 0; k < HEAP_RINGS; k++)
		if (all->owner[k] == tid && all->ring[i].pid &&
		    all->ring[k].since > all->ring[i].since)
			return true;
	return false;
}

static void give_back(struct heap *heap, uint32_t i)
{
	struct heap_ring *ring = &heap->rings->ring[i];

	heap->told[i] = 0;
	ring->head = ring->tail = ring->lost = ring->since = 0;
	ring->pid = 0;
	__atomic_store_n(&heap->rings->owner[i], 0, __ATOMIC_RELEASE);
}

int heap_drain(struct heap *heap,
	       int (*write)(void *context, const uint64_t *words, size_t nr,
			    uint64_t ticks),
	       void *context)
{
	struct drain d = {.heap = heap, .write = write, .context = context};
	bool looks = heap->round++ % CHECK_ROUNDS == 0;
	int ret = 0;

	for (uint32_t i = 0; i < HEAP_RINGS && !ret; i++) {
		bool left;

		d.owner = __atomic_load_n(&heap->rings->owner[i],
					  __ATOMIC_ACQUIRE);
		if (!d.owner)
			continue;
		left = looks && is_left(heap, i);
		ret = drain_ring(&d, i);
		if (left)
			give_back(heap, i);
	}
	return ret;
}

const struct heap_stats *heap_stats(const struct heap *heap)
{
	return &heap->stats;
}

void heap_free(struct heap *heap)
{
	if (!heap)
		return;
	if (heap->rings) {
		heap->rings->ended = 1;
		munmap(heap->rings, sizeof(*heap->rings));
	}
	close_open(&heap->fd);
	free(heap->preloaded);
	map_fini(&heap->site_of_hash);
	free(heap);
}
