// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freeze=1: the counters are stopped from a buffer management event to the next
 * window (Arm ARM D13.5.2.2). If an instruction takes one tick of the generic
 * timer, the missing ticks show for how long.
 */
#include "ktap.h"
#include "spe.h"

/*
 * From the event to the capture, and from there to the next window: the path
 * into the interrupt handler, and in it, through perf and back.
 */
#define STILL_MIN 500
#define STILL_MAX 50000

#define MAX_WINDOWS  24
#define NEED_WINDOWS 6
#define TURNS	     200 /* for pages of 4 KiB, each of which is one window */

/* Between the captures of two windows; the last of them was frozen, or not. */
struct span {
	uint64_t ticks;
	uint64_t cycles;
	uint64_t instructions;
	bool frozen;
};

static struct stream s, spe;
static struct span span[MAX_WINDOWS];
static int nr_spans;

static void add_spans(struct span *last, bool *first)
{
	const struct pmscope_record *r;

	while ((r = stream_next(&s)) && nr_spans < MAX_WINDOWS) {
		struct span now = {
			.ticks = r->cntvct,
			.cycles = stream_counter(r, 0)->count,
			.instructions = stream_counter(r, 1)->count,
		};

		if (!*first)
			span[nr_spans++] = (struct span){
				now.ticks - last->ticks,
				now.cycles - last->cycles,
				now.instructions - last->instructions,
				r->flags & PMSCOPE_RECORD_SPE_FROZEN,
			};
		*first = false;
		*last = now;
	}
	stream_release(&s);
}

/* Fills span[]; 0 or a negative errno. */
static int record(uint64_t config)
{
	struct span last = {0};
	bool first = true;
	int turns = TURNS * (getpagesize() / 4096), err;

	nr_spans = 0;
	err = stream_open(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_SPE, 1, -1, 0);
	if (err)
		return err;
	err = spe_stream_open(&spe, config, 16);
	if (err)
		return err;
	enable_group(s.fds[0]);
	enable_group(spe.fds[0]);
	for (int i = 0; i < turns; i++) {
		work(3000);
		stream_skip(&spe);
		add_spans(&last, &first);
	}
	disable_group(spe.fds[0]);
	stream_close(&spe);
	stream_close(&s);
	return 0;
}

static bool ticks_are_instructions(void)
{
	for (int i = 0; i < nr_spans; i++)
		if (span[i].ticks != span[i].instructions)
			return false;
	return nr_spans;
}

TEST(counters_stand_still_until_the_next_window)
{
	int64_t least = INT64_MAX, most = 0;

	NEED_SNAPSHOT();
	if (access(SPE_DIR "format/freeze", F_OK))
		SKIP("no FEAT_SPEv1p2 and FEAT_PMUv3p7 here, or no pmscope");
	pin_to(0);
	ASSERT_EQ(record(0), 0);
	ASSERT_GE(nr_spans, NEED_WINDOWS);
	for (int i = 0; i < nr_spans; i++)
		EXPECT_FALSE(span[i].frozen);
	if (!ticks_are_instructions())
		SKIP("an instruction takes more or less than a tick here");

	ASSERT_EQ(record(PMSCOPE_SPE_FREEZE), 0);
	ASSERT_GE(nr_spans, NEED_WINDOWS);
	for (int i = 0; i < nr_spans; i++) {
		int64_t still = span[i].ticks - span[i].instructions;

		EXPECT_TRUE(span[i].frozen);
		EXPECT_GE(still, STILL_MIN);
		EXPECT_LE(still, STILL_MAX);
		/*
		 * PMCCNTR_EL0 keeps counting, unless PMCR_EL0.DP stops it, too.
		 */
		EXPECT_TRUE(span[i].cycles == span[i].ticks ||
			    span[i].cycles == span[i].instructions);
		least = still < least ? still : least;
		most = still > most ? still : most;
	}
	printf("# stood still for %lld to %lld instructions in %d windows\n",
	       (long long)least, (long long)most, nr_spans);
}
