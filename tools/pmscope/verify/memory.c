// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of loops, by the sizes of the caches. */
#include "verify/verify.h"

#include <sched.h>
#include <sys/sysinfo.h>

/* Where sysfs does not tell */
#define ASSUMED_L1  (32U << 10)
#define ASSUMED_ALL (8U << 20)
#define RING_MAX    (256U << 20)
#define HUGE_PAGE   (2U << 20)
#define PEER_LINES  512
#define LEVELS	    5

static size_t line_size(void)
{
#ifdef __aarch64__
	uint64_t ctr;

	__asm__("mrs %0, ctr_el0" : "=r"(ctr));
	return 4U << (ctr >> 16 & 0xf);
#else
	return 64;
#endif
}

/* Sizes by level, 0: unknown. Returns the last level. */
static uint64_t cache_sizes(int cpu, size_t size[LEVELS])
{
	uint64_t level, last = 0;
	char text[32];

	for (int i = 0;; i++) {
		level = 0;
		sysfs_number(&level, PMSCOPE_CPUS "/cpu%d/cache/index%d/level",
			     cpu, i);
		if (!level || level >= LEVELS)
			return last;
		last = level > last ? level : last;
		if (sysfs_read(text, sizeof(text),
			       PMSCOPE_CPUS "/cpu%d/cache/index%d/type", cpu,
			       i) > 0 &&
		    strcmp(text, "Instruction") != 0 &&
		    sysfs_read(text, sizeof(text),
			       PMSCOPE_CPUS "/cpu%d/cache/index%d/size", cpu,
			       i) > 0)
			size[level] = strtoul(text, NULL, 10) << 10; /* 64K */
	}
}

static void *map(size_t size, int advice)
{
	char *base = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	base += -(uintptr_t)base & (HUGE_PAGE - 1);
	madvise(base, size, advice);
	return base;
}

/* A ring of all lines in random order (Sattolo's algorithm). */
static void link_lines(void *base, size_t lines, size_t line)
{
	uint32_t *next = malloc(lines * sizeof(*next));
	uint64_t random = 88172645463325252;

	for (size_t i = 0; next && i < lines; i++)
		next[i] = i;
	for (size_t i = lines; next && --i > 0;) {
		size_t other;
		uint32_t swap;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		other = random % i;
		swap = next[i];
		next[i] = next[other];
		next[other] = swap;
	}
	for (size_t i = 0; next && i < lines; i++)
		*(void **)((char *)base + i * line) =
			(char *)base + next[i] * line;
	free(next);
}

static void open_ring(struct loop_memory *m, enum region region, size_t size)
{
	size_t line = line_size();

	m->base[region] = map(size, MADV_HUGEPAGE);
	m->size[region] = size;
	m->lines[region] = size / line;
	if (m->base[region])
		link_lines(m->base[region], m->lines[region], line);
}

int loop_run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/* Another CPU that this thread may use, or -1 */
static int find_peer(int cpu)
{
	struct cpulist online = {};
	int peer = -1;

	if (!cpulist_online(&online))
		for (size_t i = 0; i < online.nr && peer < 0; i++)
			if (online.cpu[i] != cpu && !loop_run_on(online.cpu[i]))
				peer = online.cpu[i];
	cpulist_free(&online);
	return peer;
}

int loop_memory_open(struct loop_memory *m, int cpu)
{
	size_t page = sysconf(_SC_PAGESIZE), size[LEVELS] = {}, all = 0, ring;
	struct sysinfo info = {};

	memset(m, 0, sizeof(*m));
	m->has_l3 = cache_sizes(cpu, size) > 2;
	m->assumed = !size[1] || !size[2];
	size[1] = size[1] ?: ASSUMED_L1;
	for (size_t i = 2; i < LEVELS; i++)
		all = size[i] > all ? size[i] : all;
	all = all ?: ASSUMED_ALL;
	m->fits = !size[2] || size[2] >= 8 * size[1];
	for (ring = HUGE_PAGE; ring < 4 * all && ring < RING_MAX;)
		ring *= 2;
	sysinfo(&info);
	while (ring > info.freeram / 4 * info.mem_unit && ring > HUGE_PAGE)
		ring /= 2;
	m->misses = ring >= 2 * all;
	m->size[SMALL] = page;
	m->base[SMALL] = map(page, MADV_NOHUGEPAGE);
	m->size[PAGES] = LOOP_PAGES * page;
	m->base[PAGES] = map(m->size[PAGES], MADV_NOHUGEPAGE);
	open_ring(m, RING_2, 4 * size[1]);
	open_ring(m, RING_M, ring);
	m->cpu = cpu;
	m->peer = find_peer(cpu);
	if (m->peer >= 0 && !loop_run_on(cpu))
		open_ring(m, RING_P, PEER_LINES * line_size());
	if (!m->base[SMALL] || !m->base[PAGES] || !m->base[RING_2] ||
	    !m->base[RING_M])
		return -ENOMEM;
	memset(m->base[SMALL], 0, page);
	/* Reads, so that all pages are the one of zeros. */
	for (size_t i = 0; i < LOOP_PAGES; i++)
		(void)((volatile char *)m->base[PAGES])[i * page];
	return 0;
}

void loop_memory_close(struct loop_memory *m)
{
	for (size_t i = 0; i < NR_REGIONS; i++)
		if (m->base[i])
			munmap(m->base[i], m->size[i]);
}

void loop_prepare(const struct loop *loop, struct loop_memory *m)
{
	void **line = m->base[RING_P];

	if (loop->region != RING_P || loop_run_on(m->peer))
		return;
	for (size_t i = 0; i < m->lines[RING_P]; i++, line = *line)
		((void *volatile *)line)[1] = line;
	loop_run_on(m->cpu);
}

void loop_run(const struct loop *loop, struct loop_memory *m, uint64_t n)
{
	m->from = m->at[loop->region];
	m->at[loop->region] = loop->run(n, m->from, m->base[loop->region],
					__builtin_ctzl(m->size[SMALL]));
}
