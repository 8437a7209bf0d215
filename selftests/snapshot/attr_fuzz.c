// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_event_open() all over the attr space of pmu_snapshot: nothing but the
 * documented errors, and what opens can be used and closed.  The seed is
 * printed; PMSCOPE_SEED repeats a run, PMSCOPE_ROUNDS makes it longer.
 */
#include <poll.h>

#include <linux/pmscope.h>

#include "ktap.h"
#include "events.h"

#define ROUNDS 2000
#define OPEN   8

static uint64_t state;

/* xorshift64* */
static uint64_t next_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

static bool one_in(unsigned int n)
{
	return next_random() % n == 0;
}

/* Few bits, at random places: most of the space is refused at once. */
static uint64_t few_bits(int most)
{
	uint64_t bits = 0;

	for (int n = next_random() % (most + 1); n > 0; n--)
		bits |= 1ULL << (next_random() % 64);
	return bits;
}

static uint64_t random_config(void)
{
	static const uint64_t events[] = {CPU_CYCLES, INST_RETIRED, 0x1b, 0,
					  0xffff};
	uint64_t config = events[next_random() % 5];

	if (one_in(3))
		config |= 1ULL << (16 + next_random() % 4);
	if (one_in(8))
		config |= few_bits(3);
	return config;
}

static uint64_t random_period(void)
{
	static const uint64_t periods[] = {0,	       0,	  0,
					   1,	       1000,	  9999,
					   10000,      100000,	  1ULL << 32,
					   1ULL << 62, 1ULL << 63};

	return periods[next_random() % 11];
}

/* Every word of the attr may differ from what a tool would write. */
static struct perf_event_attr random_attr(void)
{
	struct perf_event_attr attr = snapshot_attr(random_config());
	uint64_t *words = (uint64_t *)&attr;

	attr.sample_period = random_period();
	attr.disabled = one_in(2);
	attr.inherit = one_in(4);
	attr.freq = one_in(8);
	attr.exclude_user = one_in(4);
	attr.exclude_kernel = one_in(4);
	attr.pinned = one_in(8);
	attr.exclusive = one_in(16);
	if (one_in(2))
		attr.read_format = next_random() % 32;
	if (one_in(4))
		attr.sample_type = next_random() % (1 << 25);
	if (one_in(4))
		words[3 + next_random() % 13] ^= few_bits(2);
	if (one_in(16))
		attr.size = next_random() % 256;
	return attr;
}

/*
 * Besides the errors of perf core for any event: 11 and 24 the task's perf context
 * is held for long, 16 pinned events of others, 28 no room in the group, 95
 * sampling that no PMU supports.
 */
static bool is_documented(int err)
{
	switch (err) {
	case EAGAIN:
	case EMFILE:
	case EINVAL:
	case EOPNOTSUPP:
	case ENOSPC:
	case EBUSY:
	case E2BIG:
	case EOVERFLOW:
	case EACCES:
		return true;
	default:
		return false;
	}
}

static void use(int fd)
{
	uint64_t value[256];
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *ring;
	void *aux;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (read(fd, value, sizeof(value)) < 0)
		EXPECT_TRUE(errno == EBUSY || errno == ENOSPC);
	if (!one_in(8))
		return;
	ring = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return;
	ring->aux_offset = 2 * page;
	ring->aux_size = page;
	aux = mmap(NULL, page, PROT_READ | (one_in(2) ? PROT_WRITE : 0),
		   MAP_SHARED, fd, ring->aux_offset);
	work(100);
	if (one_in(2)) {
		uint64_t period = random_period();

		ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
	}
	if (read(fd, value, sizeof(value)) < 0)
		EXPECT_TRUE(errno == EBUSY || errno == ENOSPC);
	munmap(ring, 2 * page);
	if (aux != MAP_FAILED)
		munmap(aux, page);
}

static long from_environment(const char *name, long otherwise)
{
	const char *value = getenv(name);

	return value ? strtol(value, NULL, 0) : otherwise;
}

TEST(only_documented_errors)
{
	int fds[OPEN], opened = 0, refused = 0;
	long rounds = from_environment("PMSCOPE_ROUNDS", ROUNDS);

	NEED_SNAPSHOT();
	state = from_environment("PMSCOPE_SEED", 1);
	ktap_note("PMSCOPE_SEED=%llu PMSCOPE_ROUNDS=%ld",
		  (unsigned long long)state, rounds);
	pin_to(0);
	memset(fds, -1, sizeof(fds));
	for (long i = 0; i < rounds; i++) {
		struct perf_event_attr attr = random_attr();
		int at = next_random() % OPEN;
		int leader = one_in(2) ? fds[next_random() % OPEN] : -1;
		int fd = open_event(&attr, one_in(2) ? 0 : -1,
				    one_in(2) ? -1 : 0, leader);

		if (fd >= 0) {
			if (fds[at] >= 0)
				close(fds[at]);
			fds[at] = fd;
			opened++;
			use(fd);
			continue;
		}
		refused++;
		if (is_documented(-fd))
			continue;
		ktap_note("round %ld: errno %d, config %#llx", i, -fd,
			  (unsigned long long)attr.config);
		EXPECT_TRUE(is_documented(-fd));
	}
	for (int i = 0; i < OPEN; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	ktap_note("%d opened, %d refused", opened, refused);
	EXPECT_GT(opened, 0);
}

/* Everything that was opened has been released. */
TEST(the_counters_are_free_again)
{
	uint64_t events[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES, CPU_CYCLES};
	struct group_value group;
	int fds[4];

	NEED_SNAPSHOT();
	pin_to(0);
	ASSERT_EQ(start_group(events, 4, -1, 0, fds), 0);
	ASSERT_TRUE(read_group(fds[0], 4, &group));
	EXPECT_EQ(group.value[0], group.value[2]);
}
