/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fate of a sampled operation: collisions in flight, exclusives (Arm ARM
 * D17.3.7, D17.7.9) and the SAMPLE_FILTRATE event.
 */
#include "lib/pmu.h"
#include "lib/spe.h"

static void start(u64 interval)
{
	spe_setup(base(), BUFFER_SIZE, 0);
	spe_interval(interval, false);
}

#define HEADER_BRANCH	 0x4a

static u64 records(void)
{
	return (read_sysreg(PMBPTR_EL1) - base()) /
	       PMBIDR_ALIGN(read_sysreg(PMBIDR_EL1));
}

/*
 * A load that misses, and a sample while it is in flight: the interval is
 * longer than any operation takes, so COUNT is rewritten.
 */
static u64 two_samples(u64 load)
{
	spe_enable();
	set_sysreg(8, PMSICR_EL1);
	asm volatile("nop\n nop\n nop\n nop\n nop\n nop\n");
	asm volatile("ldr xzr, [%0]\n ldr xzr, [%0, #64]\n"
		     "ldr xzr, [%0, #128]\n ldr xzr, [%0, #192]\n"
		     "ldr xzr, [%0, #256]\n ldr xzr, [%0, #320]\n"
		     : : "r"(load) : "memory");
	set_sysreg(2, PMSICR_EL1);
	asm volatile("nop\n nop\n nop\n nop\n");
	spe_disable();
	return 0;
}

TEST(RQWTQB_a_slow_operation_blocks_the_next_sample, lacks_spe(1))
{
	u64 collisions, fed;

	write_event_type(0, EVENT_SAMPLE_COLLISION | FILTER_NSH);
	write_event_type(1, EVENT_SAMPLE_FEED | FILTER_NSH);
	start_counters(BIT(0) | BIT(1));
	start(0x1000);
	run_at(1, two_samples, base() + BUFFER_SIZE / 2);
	spe_drain();
	stop_counters();
	collisions = read_counter(0);
	fed = read_counter(1);
	EXPECT_EQ(collisions, 1);
	EXPECT_EQ(fed, 1);
	EXPECT_EQ(records(), 1);
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
}

/* A branch, and the operation behind the write of PMSICR_EL1 that follows it */
static u64 branch_and_next(u64 unused)
{
	spe_enable();
	set_sysreg(5, PMSICR_EL1);
	asm volatile("nop\n nop\n b 1f\n"
		     "1: msr S3_0_C9_C9_2, %0\n nop\n nop\n nop"
		     : : "r"(1UL));
	spe_disable();
	return unused;
}

TEST(RQWTQB_a_branch_blocks_the_next_sample, lacks_spe(1))
{
	write_event_type(0, EVENT_SAMPLE_COLLISION | FILTER_NSH);
	start_counters(BIT(0));
	start(0x1000);
	run_at(1, branch_and_next, 0);
	spe_drain();
	stop_counters();
	EXPECT_EQ(read_counter(0), 1);
	EXPECT_EQ(records(), 1);
	EXPECT(spe_record_packet(spe_buffer, spe_buffer + max_size(),
				 HEADER_BRANCH, NULL));
}

/* EL2 owns the buffer; the next sample comes there, while the load goes on. */
static u64 load_before_return(u64 load)
{
	set_sysreg(8, PMSICR_EL1);
	asm volatile("nop\n nop\n nop\n nop\n nop\n nop\n"
		     "ldr xzr, [%0]\n ldr xzr, [%0, #64]\n"
		     "ldr xzr, [%0, #128]\n ldr xzr, [%0, #192]\n"
		     "ldr xzr, [%0, #256]\n ldr xzr, [%0, #320]\n"
		     : : "r"(load) : "memory");
	set_sysreg(20, PMSICR_EL1);
	return 0;
}

TEST(IQYCRM_a_sample_at_another_level_collides, lacks_spe(2))
{
	own_buffer(2);
	start(0x1000);
	spe_enable();
	run_at(1, load_before_return, base() + BUFFER_SIZE / 2 + SPE_PAGE);
	run_loop(100);
	spe_disable();
	spe_drain();
	EXPECT_EQ(records(), 1);
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
}

/* The same, with COLL read where the rule says: at EL1, after an ISB. */
static u64 coll_behind_isb(u64 load)
{
	two_samples(load);
	isb();
	return read_sysreg(PMBSR_EL1) & PMBSR_COLL;
}

TEST(RLTMKQ_COLL_is_seen_after_an_ISB, lacks_spe(1))
{
	start(0x1000);
	/* Lines that are in no cache yet. */
	EXPECT_EQ(run_at(1, coll_behind_isb, base() + BUFFER_SIZE / 4),
		  PMBSR_COLL);
}

/* Work of different shapes: how often and where blocks of code end. */
static void no_work(u64 n)
{
	(void)n;
}

static void loop_work(u64 n)
{
	work(n);
}

static void system_calls(u64 n)
{
	while (n--)
		TRY(asm volatile("svc #1"));
}

static __attribute__((noinline, noclone)) u64 recurse(u64 n)
{
	u64 result = n ? recurse(n - 1) + 1 : 0;

	asm volatile("" : "+r"(result));
	return result;
}

static void calls(u64 n)
{
	recurse(n % 100);
}

static void branches_by_data(u64 n)
{
	u64 x = n * 0x9e3779b97f4a7c15UL;

	for (; n; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1)
			asm volatile("nop\n nop");
		if (x & 6)
			asm volatile("nop\n isb");
	}
}

static void memory_accesses(u64 n)
{
	volatile u64 *p = (u64 *)(spe_buffer + BUFFER_SIZE / 2);

	for (; n; n--)
		p[n * 37 % 4096] += n;
}

static void (*const works[])(u64 n) = {
	no_work, loop_work, system_calls, calls, branches_by_data,
	memory_accesses,
};

/* Operations that SPE counted less instructions that the PMU counted. */
static __attribute__((noinline, noclone)) u64 excess(u64 arg)
{
	u64 pop, insns;

	write_counter(0, 0);
	write_counter(1, 0);
	start_counters(BIT(0) | BIT(1));
	spe_enable();
	works[arg >> 32](arg & 0xffffffff);
	spe_disable();
	stop_counters();
	pop = read_counter(0);
	insns = read_counter(1);
	return pop - insns;
}

/* Whatever is sampled on the way, nothing is lost or doubled. */
TEST(SAMPLE_POP_counts_what_INST_RETIRED_counts,
     lacks_spe(1) || skip_if(highest_el() != 1, "runs at EL1"))
{
	static const u16 sizes[] = { 0, 1, 2, 3, 7, 50, 129, 300, 1001, 3000 };
	u64 wanted;

	write_event_type(0, EVENT_SAMPLE_POP);
	write_event_type(1, EVENT_INST_RETIRED);
	start(1);
	/* D17.3.3: the first time, PMSICR_EL1 is 0 and has to be loaded. */
	excess(0);
	wanted = excess(0);
	for (u64 shape = 0; shape < ARRAY_SIZE(works); shape++)
		for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
			u64 seen = excess(shape << 32 | sizes[i]);

			if (!EXPECT_EQ(seen, wanted))
				note("shape %lu, size %u", shape, sizes[i]);
		}
}

/* Increments by LDXR and STXR; returns how often STXR failed. */
static u64 exclusives(u64 rounds)
{
	static u64 word;
	u64 value, status, failures = 0;

	spe_enable();
	for (; rounds; rounds--) {
		asm volatile("ldxr %0, [%2]\n"
			     "add %0, %0, #1\n"
			     "stxr %w1, %0, [%2]"
			     : "=&r"(value), "=&r"(status) : "r"(&word)
			     : "memory");
		failures += status & 1;
	}
	spe_disable();
	return failures;
}

TEST(D17_7_9_sampled_exclusives_do_not_fail, lacks_spe(1))
{
	/* 257 and the length of the loop have no common divisor. */
	start(1);
	EXPECT_EQ(run_at(1, exclusives, 20000), 0);
	spe_drain();
	EXPECT(records() > 100);
}

TEST(SAMPLE_FILTRATE_counts_what_the_filters_pass, lacks_spe(1))
{
	u64 fed, passed;

	write_event_type(0, EVENT_SAMPLE_FEED | FILTER_NSH);
	write_event_type(1, EVENT_SAMPLE_FILTRATE | FILTER_NSH);
	start_counters(BIT(0) | BIT(1));
	start(1);
	set_sysreg(PMSFCR_FT | PMSFCR_B, PMSFCR_EL1);
	profile_at(1, 70 * 257);
	stop_counters();
	fed = read_counter(0);
	passed = read_counter(1);
	EXPECT(fed >= 69);
	/* One operation in seven is a branch. */
	EXPECT(passed >= 9 && passed <= 12);
	EXPECT_EQ(records(), passed);
}

/* What no record is written of is counted all the same. */
TEST(SAMPLE_FILTRATE_counts_in_discard_mode, lacks_spe(1))
{
	write_event_type(0, EVENT_SAMPLE_FILTRATE | FILTER_NSH);
	start_counters(BIT(0));
	spe_start(base(), BUFFER_SIZE, PMBLIMITR_FM_DISCARD);
	set_sysreg(PMSFCR_FT | PMSFCR_B, PMSFCR_EL1);
	profile_at(1, 70 * 257);
	stop_counters();
	EXPECT(read_counter(0) >= 9 && read_counter(0) <= 12);
	EXPECT_EQ(records(), 0);
}
