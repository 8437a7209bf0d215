// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A buffer of two pages that fails at each position in turn, because the
 * machine raises a fault at every 38th record, or every 39th where that one is
 * cut off: 37 or 39 places of 64 bytes are used, which has no factor in common
 * with the 128 places of the buffer, or more where pages are larger.  Whatever
 * happens: what is reported is whole, what is not reported is not written, and
 * recording goes on.
 *
 * PMSCOPE_FAULTS has sweep, and sweep-abort (External aborts) or sweep-dl (data
 * lost) where the faults are of that kind.
 */
#include "faults.h"
#include "spe/spe.h"

#define MAX_AUX_SIZE (2 * 65536)
#define RECORD	     64
#define PERIOD	     1024
#define TS_ENABLE    (1ULL << 0)
/* Fewer records than there are in a page, more than there are to a fault */
#define BATCH	  40
#define MAX_TURNS (2000u * (getpagesize() / 4096))

struct spe {
	struct stream s;
	uint8_t before[MAX_AUX_SIZE];
	uint64_t records;
	uint64_t truncated;
	uint64_t partial;
	uint64_t other_flags;
};

static int spe_open(struct spe *spe)
{
	struct perf_event_attr attr = spe_attr(TS_ENABLE, PERIOD);

	memset(spe, 0, sizeof(*spe));
	return stream_open_one(&spe->s, &attr, 0, -1, 2);
}

static void take_flags(struct spe *spe)
{
	struct aux_record aux;

	while (next_aux(spe->s.ring, &aux)) {
		spe->truncated += !!(aux.flags & PERF_AUX_FLAG_TRUNCATED);
		spe->partial += !!(aux.flags & PERF_AUX_FLAG_PARTIAL);
		spe->other_flags |= aux.flags & ~(PERF_AUX_FLAG_TRUNCATED |
						  PERF_AUX_FLAG_PARTIAL);
	}
}

/* The start of the next record: the rest of a truncated one is padding. */
static uint64_t round_up(uint64_t position)
{
	return (position + RECORD - 1) / RECORD * RECORD;
}

/* Reported data is padding or records, and a record begins with a PC packet. */
static void take_aux(struct spe *spe)
{
	uint64_t head =
		__atomic_load_n(&spe->s.ring->aux_head, __ATOMIC_ACQUIRE);
	uint64_t tail = round_up(spe->s.ring->aux_tail);

	for (; tail + RECORD <= head; tail += RECORD) {
		uint8_t first = spe->s.aux[tail % spe->s.aux_size];

		EXPECT_TRUE(first == 0xb0 || first == 0);
		spe->records += first == 0xb0;
	}
	__atomic_store_n(&spe->s.ring->aux_tail, head, __ATOMIC_RELEASE);
}

/*
 * Data after the head is unchanged, except for a truncated record. No two
 * records are equal, because each has its time.
 */
static void check_free(const struct spe *spe, uint64_t *damage)
{
	uint64_t head = spe->s.ring->aux_head;
	uint64_t free = round_up(head);

	for (; free < spe->s.ring->aux_tail + spe->s.aux_size; free++)
		*damage += spe->s.aux[free % spe->s.aux_size] !=
			   spe->before[free % spe->s.aux_size];
}

static void turn(struct spe *spe, uint64_t *damage)
{
	memcpy(spe->before, spe->s.aux, spe->s.aux_size);
	ioctl(spe->s.fds[0], PERF_EVENT_IOC_ENABLE, 0);
	operations((uint64_t)BATCH * PERIOD);
	ioctl(spe->s.fds[0], PERF_EVENT_IOC_DISABLE, 0);
	take_flags(spe);
	check_free(spe, damage);
	take_aux(spe);
}

TEST(every_position_of_a_small_buffer)
{
	bool seen[MAX_AUX_SIZE / RECORD] = {};
	uint64_t faults, aborts, losses, no_room, damage = 0;
	unsigned int turns, all, positions = 0;
	struct spe spe;

	if (!has_fault("sweep"))
		SKIP("this machine has no sweep of faults");
	ASSERT_EQ(spe_open(&spe), 0);
	all = spe.s.aux_size / RECORD;
	faults = spe_total("faults");
	aborts = spe_total("external_abort");
	losses = spe_total("data_loss");
	no_room = spe_total("no_room");

	for (turns = 0; turns < MAX_TURNS && positions < all; turns++) {
		uint64_t before = spe.truncated;
		unsigned int at;

		turn(&spe, &damage);
		if (spe.truncated == before)
			continue;
		at = spe.s.ring->aux_head % spe.s.aux_size / RECORD;
		positions += !seen[at];
		seen[at] = true;
	}
	faults = spe_total("faults") - faults;
	ktap_note("%u turns, %u positions, %llu records, %llu faults", turns,
		  positions, (unsigned long long)spe.records,
		  (unsigned long long)faults);

	EXPECT_EQ(positions, all);
	EXPECT_EQ(damage, 0);
	EXPECT_GE(spe.records, faults * 30);
	EXPECT_EQ(spe.other_flags, 0);
	EXPECT_EQ(spe.truncated, faults + spe_total("no_room") - no_room);
	aborts = spe_total("external_abort") - aborts;
	losses = spe_total("data_loss") - losses;
	EXPECT_EQ(aborts, has_fault("sweep-abort") ? faults : 0);
	EXPECT_EQ(losses, has_fault("sweep-dl") ? faults : 0);
	EXPECT_EQ(spe.partial, aborts || losses ? faults : 0);
}

/*
 * Enables the event, like a reader of the truncation flag. Does it sample after
 * a context switch? Disabling hands over its data: on a busy host a second
 * sleep may end before it begins.
 */
static bool goes_on(struct spe *spe)
{
	uint64_t truncated = spe->truncated, before;

	ioctl(spe->s.fds[0], PERF_EVENT_IOC_ENABLE, 0);
	usleep(1000);
	before = spe->s.ring->aux_head;
	operations(8 * PERIOD);
	ioctl(spe->s.fds[0], PERF_EVENT_IOC_DISABLE, 0);
	take_flags(spe);
	take_aux(spe);
	return spe->s.ring->aux_head != before || spe->truncated != truncated;
}

/*
 * PERF_EVENT_IOC_PERIOD stops the event, which finds the fault, and starts it.
 * A reader that sees the fault and enables the event keeps it enabled, also
 * across context switches.
 */
TEST(found_where_the_period_changes)
{
	uint64_t period = PERIOD, found = 0, stuck = 0;
	struct spe spe;

	if (!has_fault("sweep"))
		SKIP("this machine has no sweep of faults");
	pin_to(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	ASSERT_EQ(spe_open(&spe), 0);
	for (unsigned int i = 0; i < 2000 && found < 20; i++) {
		uint64_t before = spe.truncated;

		ioctl(spe.s.fds[0], PERF_EVENT_IOC_ENABLE, 0);
		operations((34 + i % 7) * PERIOD);
		take_flags(&spe);
		take_aux(&spe);
		/* That was the interrupt's fault. */
		if (spe.truncated != before)
			continue;
		ioctl(spe.s.fds[0], PERF_EVENT_IOC_PERIOD, &period);
		take_flags(&spe);
		take_aux(&spe);
		if (spe.truncated == before)
			continue;
		found++;
		stuck += !goes_on(&spe);
	}
	ktap_note("%llu found", (unsigned long long)found);
	EXPECT_GT(found, 0);
	EXPECT_EQ(stuck, 0);
}
