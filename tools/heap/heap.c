// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * libpmscope-heap.so, which `pmscope record --heap` preloads into programs: it
 * stands before the allocator and notes what that returns, see rings.h.
 *
 * It must work wherever programs allocate: before the C library has begun, in
 * signal handlers, after fork(2). So it takes no lock, allocates nothing, and
 * uses a thread's ring only in the process that got it: the page @here is zero
 * in a child.
 */
#include "rings.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define SHOWN	    __attribute__((visibility("default")))
#define COLD	    __attribute__((noinline, cold))
#define APART	    __attribute__((noinline))

/* Of the caller of the function that has this. */
#define FRAME ((const uintptr_t *)__builtin_frame_address(0))

extern char **environ;

/* Nothing is noted that is smaller: all, until the memory was looked for. */
static size_t least;
#define NOTHING SIZE_MAX

static struct heap_rings *rings;
static char rings_path[64];
static uint32_t pid;
static uint32_t parent;

/* A number of this process. Its children have 0 there, until they join. */
static uint64_t nowhere;
static uint64_t *here = &nowhere;

static _Thread_local struct {
	struct heap_ring *ring; /* NULL: there was none left */
	uint64_t process;	/* as @here when it was got */
	uintptr_t stack[2];
	bool noting;
} self __attribute__((tls_model("initial-exec")));

static uint64_t ticks(void)
{
	uint64_t now;

#ifdef __aarch64__
	asm volatile("isb\n mrs %0, cntvct_el0" : "=r"(now)::"memory");
#else
	__builtin_ia32_lfence();
	now = __builtin_ia32_rdtsc();
#endif
	return now;
}

/* Without what signs it. */
static uintptr_t return_address(uintptr_t signed_address)
{
#ifdef __aarch64__
	register uintptr_t x30 asm("x30") = signed_address;

	asm("hint #7" : "+r"(x30)); /* XPACLRI */
	return x30;
#else
	return signed_address;
#endif
}

/*
 * Frames are followed only within the stack that the thread began with. A
 * register that is no frame pointer may hold anything.
 */
static void find_stack(void)
{
	pthread_attr_t attr;
	size_t size;
	void *begin;

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &begin, &size)) {
		self.stack[0] = (uintptr_t)begin;
		self.stack[1] = (uintptr_t)begin + size - 2 * sizeof(uintptr_t);
	}
	pthread_attr_destroy(&attr);
}

static bool map_rings(void)
{
	int fd = open(rings_path, O_RDWR | O_CLOEXEC);
	void *at;

	if (fd < 0)
		return false;
	at = mmap(NULL, sizeof(*rings), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return false;
	madvise(at, sizeof(*rings), MADV_DONTFORK);
	madvise(at, sizeof(*rings), MADV_DONTDUMP);
	__atomic_store_n(&rings, at, __ATOMIC_RELEASE);
	return true;
}

/* As the recorder sees it, whose directory the path is in. */
static uint32_t number_in(const char *link, char after)
{
	char text[64];
	ssize_t n = readlink(link, text, sizeof(text) - 1);
	const char *at;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strrchr(text, after);
	return strtoul(at ? at + 1 : text, NULL, 10);
}

static bool begin(void)
{
	const char *path = environ ? getenv(HEAP_FILE) : NULL;
	size_t page = sysconf(_SC_PAGESIZE);
	void *own;

	if (!environ) /* too early to know */
		return false;
	least = NOTHING;
	if (!path || strlen(path) >= sizeof(rings_path))
		return false;
	strcpy(rings_path, path);
	own = mmap(NULL, page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED || madvise(own, page, MADV_WIPEONFORK) ||
	    !map_rings())
		return false;
	here = own;
	return true;
}

/* In a new process one thread does it; events of others are lost then. */
static COLD bool join_process(void)
{
	static uint32_t joining;
	bool first = !pid;
	uint32_t was = 0;
	bool ok;

	if (!__atomic_compare_exchange_n(&joining, &was, 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	ok = first ? begin() : *here || map_rings();
	if (ok && !*here) {
		parent = pid;
		pid = number_in("/proc/self", '/');
		least = rings->least;
		*here = ticks() | 1;
	} else if (!ok && !first) {
		least = NOTHING;
	}
	joining = 0;
	return ok;
}

static struct heap_ring *take_ring(void)
{
	uint32_t tid = number_in("/proc/thread-self", '/');
	uint32_t from = __atomic_fetch_add(&rings->hint, 1, __ATOMIC_RELAXED);

	for (uint32_t i = from; tid && i - from < HEAP_RINGS; i++) {
		struct heap_ring *ring = &rings->ring[i % HEAP_RINGS];
		uint32_t nobody = 0;

		if (!__atomic_compare_exchange_n(
			    &rings->owner[i % HEAP_RINGS], &nobody, tid, false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		ring->parent = parent;
		ring->since = ticks();
		__atomic_store_n(&ring->pid, pid, __ATOMIC_RELEASE);
		return ring;
	}
	return NULL;
}

/* Of a thread, at its first allocation in this process. */
static COLD void join(void)
{
	if (!self.stack[1])
		find_stack();
	self.ring = take_ring();
	self.process = *here;
}

/* For sizes that are noted: the first came before that was known. */
static COLD bool may_note(size_t size)
{
	int code = errno;
	bool ok = (*here || join_process()) && size >= least;

	if (ok && *here != self.process)
		join();
	errno = code;
	return ok;
}

/* False inside of itself, as when a signal came meanwhile. */
static inline bool begin_note(size_t size)
{
	if (self.noting)
		return false;
	self.noting = true;
	if (likely((self.process && *here == self.process) || may_note(size))) {
		if (likely(!rings->ended))
			return true;
		least = NOTHING;
	}
	self.noting = false;
	return false;
}

/* The ring, if it has room for an entry of @nr words; else that is lost. */
static inline struct heap_ring *room(unsigned int nr)
{
	struct heap_ring *ring = self.ring;

	if (unlikely(!ring)) {
		__atomic_fetch_add(&rings->lost, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	if (likely(ring->head + nr -
			   __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) <=
		   HEAP_WORDS))
		return ring;
	__atomic_store_n(&ring->lost, ring->lost + 1, __ATOMIC_RELAXED);
	return NULL;
}

static inline void put(struct heap_ring *ring, uint64_t at, uint64_t word)
{
	ring->words[at % HEAP_WORDS] = word;
}

/* Writes the addresses to which functions return; returns how many. */
static inline unsigned int put_callers(struct heap_ring *ring, uint64_t at,
				       const uintptr_t *frame)
{
	bool is_stack = (uintptr_t)frame >= self.stack[0];
	const uintptr_t *next;
	unsigned int nr = 0;

	for (;; frame = next) {
		put(ring, at + nr++, return_address(frame[1]));
		next = (const uintptr_t *)frame[0];
		if (nr == HEAP_FRAMES || !is_stack || next <= frame ||
		    (uintptr_t)next > self.stack[1] || (uintptr_t)next % 8)
			return nr;
	}
}

static void note(const void *block, size_t size, const uintptr_t *frame)
{
	struct heap_ring *ring;
	uint64_t at, nr;

	if (!begin_note(size))
		return;
	ring = room(HEAP_ENTRY);
	if (likely(ring)) {
		at = ring->head;
		nr = put_callers(ring, at + 3, frame);
		put(ring, at, ticks());
		put(ring, at + 1,
		    ((uintptr_t)block & HEAP_ADDRESS) |
			    nr << HEAP_FRAMES_SHIFT);
		put(ring, at + 2, size);
		__atomic_store_n(&ring->head, at + 3 + nr, __ATOMIC_RELEASE);
	}
	self.noting = false;
}

/* Before others may get it, it was free: at @time. */
static void note_free(const void *block, size_t size, uint64_t time)
{
	struct heap_ring *ring;

	if (!begin_note(size))
		return;
	ring = room(2);
	if (likely(ring)) {
		put(ring, ring->head, time);
		put(ring, ring->head + 1, (uintptr_t)block & HEAP_ADDRESS);
		__atomic_store_n(&ring->head, ring->head + 2, __ATOMIC_RELEASE);
	}
	self.noting = false;
}

/* The functions behind these, which are looked for when the first is needed. */
/* clang-format off */
#define FUNCTIONS(DO) \
	DO(malloc) DO(free) DO(realloc) DO(calloc) DO(aligned_alloc) \
	DO(memalign) DO(posix_memalign) DO(valloc) DO(pvalloc) \
	DO(malloc_usable_size) DO(mmap) DO(munmap) DO(mremap)
/* clang-format on */

#define MEMBER(name) __typeof__(name) *name;
static struct {
	FUNCTIONS(MEMBER)
} next;

static void find_next(void);

/* They are known where @least is not 0. */
#define NEXT(name) (*(likely(next.malloc) ? (void)0 : find_next(), next.name))

/* The code of the allocator, whose own memory is no allocation. */
static uintptr_t allocator[2];

static int find_allocator(struct dl_phdr_info *info, size_t, void *)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uintptr_t to = from + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    (uintptr_t)next.malloc >= from &&
		    (uintptr_t)next.malloc < to) {
			allocator[0] = from;
			allocator[1] = to;
			return 1;
		}
	}
	return 0;
}

static bool is_allocators(uintptr_t address)
{
	return address >= allocator[0] && address < allocator[1];
}

/* Where sizes are not known, all ends of blocks are noted. */
static size_t unknown_size(void *)
{
	return NOTHING - 1;
}

static void find_next(void)
{
	static bool finding;

	/* The loader must not depend on what it is asked for. */
	if (finding)
		abort();
	finding = true;
#define FIND(name) next.name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);
	FUNCTIONS(FIND)
	dl_iterate_phdr(find_allocator, NULL);
	if (!is_allocators((uintptr_t)next.malloc_usable_size))
		next.malloc_usable_size = unknown_size;
	finding = false;
}

/* What a block has, at least as much as was asked for; all are known then. */
static size_t size_of(void *block)
{
	if (likely(least))
		return next.malloc_usable_size(block);
	if (!next.malloc)
		find_next();
	return NOTHING;
}

/* Small ones cost no frame; the caller's is behind this, too. */
static APART void *malloc_noted(size_t size)
{
	void *block = NEXT(malloc)(size);

	if (block)
		note(block, size, FRAME);
	return block;
}

SHOWN void *malloc(size_t size)
{
	return likely(size < least) ? next.malloc(size) : malloc_noted(size);
}

SHOWN void *calloc(size_t nr, size_t size)
{
	void *block = NEXT(calloc)(nr, size);

	if (block && nr * size >= least)
		note(block, nr * size, FRAME);
	return block;
}

SHOWN void *realloc(void *block, size_t size)
{
	size_t before = block ? size_of(block) : 0;
	uint64_t time;
	void *moved;

	if (likely(before < least && size < least))
		return next.realloc(block, size);
	time = ticks();
	moved = NEXT(realloc)(block, size);
	if (block && before >= least && (moved || !size))
		note_free(block, before, time);
	if (moved && size >= least)
		note(moved, size, FRAME);
	return moved;
}

#define ALIGNED(name, parameters, arguments)        \
	SHOWN void *name parameters                 \
	{                                           \
		void *block = NEXT(name) arguments; \
                                                    \
		if (block && size >= least)         \
			note(block, size, FRAME);   \
		return block;                       \
	}
ALIGNED(aligned_alloc, (size_t align, size_t size), (align, size))
ALIGNED(memalign, (size_t align, size_t size), (align, size))
ALIGNED(valloc, (size_t size), (size))
ALIGNED(pvalloc, (size_t size), (size))

SHOWN int posix_memalign(void **block, size_t align, size_t size)
{
	int ret = NEXT(posix_memalign)(block, align, size);

	if (!ret && size >= least)
		note(*block, size, FRAME);
	return ret;
}

static APART void free_noted(void *block)
{
	size_t size = size_of(block);

	if (size >= least)
		note_free(block, size, ticks());
	next.free(block);
}

SHOWN void free(void *block)
{
	if (unlikely(!block || least == NOTHING))
		NEXT(free)(block);
	else
		free_noted(block);
}

SHOWN void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t from)
{
	void *block = NEXT(mmap)(at, size, prot, flags, fd, from);

	if (block != MAP_FAILED && size >= least && flags & MAP_ANONYMOUS &&
	    !is_allocators(return_address(FRAME[1])))
		note(block, size, FRAME);
	return block;
}

SHOWN int munmap(void *at, size_t size)
{
	if (size >= least)
		note_free(at, size, ticks());
	return NEXT(munmap)(at, size);
}

SHOWN void *mremap(void *at, size_t size, size_t to, int flags, ...)
{
	uint64_t time = ticks();
	void *moved;
	va_list more;

	va_start(more, flags);
	moved = NEXT(mremap)(at, size, to, flags, va_arg(more, void *));
	va_end(more);
	if (moved == MAP_FAILED || is_allocators(return_address(FRAME[1])))
		return moved;
	if (size >= least)
		note_free(at, size, time);
	if (to >= least)
		note(moved, to, FRAME);
	return moved;
}

#ifdef __GLIBC__
#undef mmap64
SHOWN __typeof__(mmap) mmap64 __attribute__((alias("mmap")));
#endif
