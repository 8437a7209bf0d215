/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When an operation is sampled: Arm ARM D17.3. The operations are a loop of
 * seven instructions, so the PC of a record, modulo seven, shows how many
 * operations lie between two samples.
 */
#include "lib/pmu.h"
#include "lib/spe.h"

/* With intended collisions, the other samples have other intervals. */
static bool loses_samples(void)
{
	return skip_if(property("spe-collide-every", 0), "spe-collide-every") ||
	       lacks_spe(1);
}

static void start(u64 interval, bool random)
{
	spe_setup(base(), BUFFER_SIZE, 0);
	spe_interval(interval, random);
}

static bool has_ernd(void)
{
	return read_sysreg(PMSIDR_EL1) & PMSIDR_ERND;
}

static bool lacks_ernd(void)
{
	return loses_samples() || skip_if(!has_ernd(), "no FEAT_SPE_ERnd");
}

static u64 bytes_written(void)
{
	return read_sysreg(PMBPTR_EL1) - base();
}

static unsigned records(void)
{
	return bytes_written() / max_size();
}

/* Index in the loop of each sampled operation; others are skipped. */
static unsigned sampled(u8 *index, unsigned max)
{
	const u8 *p = spe_buffer, *end = spe_buffer + bytes_written();
	unsigned count = 0;
	u64 pc;

	while (p < end && count < max && spe_record(p, end, &pc, &p)) {
		u64 offset = pc - (u64)spe_loop;

		if (offset < SPE_LOOP_OPS * 4)
			index[count++] = offset / 4;
	}
	return count;
}

TEST(D17_3_4_1_interval_is_exact, loses_samples())
{
	static u8 index[64];

	for (u64 interval = 1; interval <= 4; interval++) {
		u64 period = interval * 256 + 1;
		unsigned count;

		start(interval, false);
		profile_at(1, 40 * period);
		count = sampled(index, ARRAY_SIZE(index));
		EXPECT(count >= 38);
		for (unsigned i = 1; i < count; i++) {
			unsigned step = (index[i] + SPE_LOOP_OPS -
					 index[i - 1]) % SPE_LOOP_OPS;

			EXPECT_EQ(step, period % SPE_LOOP_OPS);
		}
	}
}

TEST(D17_3_4_1_number_of_samples, loses_samples())
{
	u64 period = 2 * 256 + 1, ops = 100 * period;

	start(2, false);
	profile_at(1, ops);
	/* A few operations run before and after the loop. */
	EXPECT(records() >= 100);
	EXPECT(records() <= 101);
}

/* Operations counted from enabling to disabling, with none in between. */
static u64 counted(u64 ops)
{
	start(0x1000, false);
	profile_at(1, ops);
	return 0x1000 * 256 - PMSICR_COUNT(read_sysreg(PMSICR_EL1));
}

TEST(D17_3_3_zero_counter_is_loaded, lacks_spe(1))
{
	/* COUNT[31:8] = INTERVAL, COUNT[7:0] = 0, minus the counted operations. */
	EXPECT(counted(0) < 64);
}

ROW_OF(D17_3_4_1_counter_decrements_for_each_operation, lacks_spe(1),
       EXPECT_EQ(counted(70 * SPE_LOOP_OPS) - counted(0), 70 * SPE_LOOP_OPS))

TEST(D17_3_3_nonzero_counter_is_kept, lacks_spe(1))
{
	start(0x1000, false);
	write_sysreg(5000, PMSICR_EL1);
	profile_at(1, 0);
	EXPECT(PMSICR_COUNT(read_sysreg(PMSICR_EL1)) < 5000);
	EXPECT(PMSICR_COUNT(read_sysreg(PMSICR_EL1)) > 5000 - 64);
	EXPECT_EQ(records(), 0);
}

/* Few operations come before the counter is read. */
static void expect_count_near(u64 wanted)
{
	u64 count = PMSICR_COUNT(read_sysreg(PMSICR_EL1));

	if (!EXPECT(count <= wanted) || !EXPECT(count > wanted - 64))
		note("0x%lx, not 0x%lx", count, wanted);
}

TEST(D17_3_3_each_bit_of_the_interval, lacks_spe(1))
{
	for (unsigned bit = 0; bit < 24; bit++) {
		start(BIT(bit), false);
		profile_at(1, 0);
		expect_count_near(BIT(bit + 8));
		start(1, false);
		set_sysreg(BIT(bit + 8), PMSICR_EL1);
		profile_at(1, 0);
		expect_count_near(BIT(bit + 8));
	}
}

TEST(D17_3_5_disabled_counter_keeps_its_value, lacks_spe(1))
{
	u64 value;

	start(0x1000, false);
	profile_at(1, 1000);
	value = read_sysreg(PMSICR_EL1);
	work(5000);
	EXPECT_REG(PMSICR_EL1, value);
	EXPECT_NE(PMSICR_COUNT(value), 0);
}

/* Disabled by the buffer, or at the Exception level, or by an event. */
TEST(D17_3_5_each_way_to_disable_profiling, lacks_spe(1))
{
	u64 value = 5000, pmblimitr;

	start(0x1000, false);
	pmblimitr = read_sysreg(PMBLIMITR_EL1);
	write_sysreg(value, PMSICR_EL1);
	set_sysreg(pmblimitr & ~PMBLIMITR_E, PMBLIMITR_EL1);
	profile_at(1, 1000);
	EXPECT_REG(PMSICR_EL1, value);
	write_sysreg(PMBSR_S, PMBSR_EL1);
	set_sysreg(pmblimitr, PMBLIMITR_EL1);
	profile_at(1, 1000);
	EXPECT_REG(PMSICR_EL1, value);
	write_sysreg(0, PMBSR_EL1);
	set_sysreg(PMSCR_E0SPE, PMSCR_EL1);
	run_at(1, run_loop, 1000);
	EXPECT_REG(PMSICR_EL1, value);
	set_sysreg(0, PMSCR_EL1);
	profile_at(1, 1000);
	EXPECT(read_sysreg(PMSICR_EL1) <= value - 1000);
}

TEST(D17_3_5_nothing_is_sampled_while_disabled, lacks_spe(1))
{
	start(1, false);
	set_sysreg(10, PMSICR_EL1);
	work(5000);
	spe_drain();
	EXPECT_EQ(records(), 0);
	EXPECT_REG(PMSICR_EL1, 10);
}

/*
 * The mean over 400 samples: with a uniform number from 0 to 255 its standard
 * deviation is 74 / 20 = 3.7 operations, so 20 is more than five of them.
 */
TEST(D17_3_4_2_random_interval_has_its_mean,
     loses_samples() || skip_if(has_ernd(), "FEAT_SPE_ERnd"))
{
	u64 interval = 2, mean = interval * 256 + 128, ops = 400 * mean;

	start(interval, true);
	profile_at(1, ops);
	EXPECT(ops / records() > mean - 20);
	EXPECT(ops / records() < mean + 20);
}

/* Every remainder modulo seven shows up. */
static void expect_all_steps(u64 interval, u64 mean)
{
	static u8 index[64];
	unsigned count, seen = 0;

	start(interval, true);
	profile_at(1, 60 * mean);
	count = sampled(index, ARRAY_SIZE(index));
	for (unsigned i = 1; i < count; i++)
		seen |= 1 << (index[i] + SPE_LOOP_OPS - index[i - 1]) %
				     SPE_LOOP_OPS;
	EXPECT_EQ(seen, 0x7f);
}

ROW_OF(D17_3_4_2_random_intervals_differ, loses_samples(),
       expect_all_steps(1, 384))

TEST(D17_3_4_3_ERnd_keeps_the_primary_period, lacks_ernd())
{
	u64 interval = 2, period = interval * 256 + 1, left;

	for (u64 ops = 1000; ops < 5000; ops += 777) {
		start(interval, false);
		profile_at(1, ops);
		left = PMSICR_COUNT(read_sysreg(PMSICR_EL1));
		start(interval, true);
		profile_at(1, ops);
		EXPECT_EQ(PMSICR_COUNT(read_sysreg(PMSICR_EL1)), left);
	}
	start(interval, true);
	profile_at(1, 400 * period);
	EXPECT(records() >= 399);
	EXPECT(records() <= 402);
}

ROW_OF(D17_3_4_3_ERnd_delays_each_sample, lacks_ernd(), expect_all_steps(2, 513))

static bool lacks_collisions(void)
{
	return lacks_spe(1) || lacks_property("spe-collide-every");
}

/* D17.3.7: the property spe-collide-every makes each Nth sample collide. */
TEST(IRCCQG_collision, lacks_collisions())
{
	u64 every = property("spe-collide-every", 0), samples, collisions;

	write_event_type(0, EVENT_SAMPLE_COLLISION | FILTER_NSH);
	write_event_type(1, EVENT_SAMPLE_FEED | FILTER_NSH);
	start_counters(BIT(0) | BIT(1));
	start(1, false);
	profile_at(1, 100 * 257);
	stop_counters();
	collisions = read_counter(0);
	samples = read_counter(1);
	EXPECT(collisions > 0);
	EXPECT_EQ((samples + collisions) / every, collisions);
	/* The colliding operation is not sampled, and COLL is all that is set. */
	EXPECT_EQ(records(), samples);
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
}

/* All fields but COLL, and S, which would stop profiling. */
TEST(IRCCQG_a_collision_leaves_the_other_fields, lacks_collisions())
{
	static const u64 patterns[] = { ~0UL, 0x5555555555555555UL,
					0xaaaaaaaaaaaaaaaaUL };
	u64 every = property("spe-collide-every", 0);
	u64 others = GENMASK(55, 32) | GENMASK(31, 26) | PMBSR_EA | PMBSR_DL |
		     GENMASK(15, 0);

	start(1, false);
	for (unsigned i = 0; i < ARRAY_SIZE(patterns); i++) {
		u64 fields = others & patterns[i];

		write_sysreg(fields, PMBSR_EL1);
		set_sysreg(0, PMSICR_EL1);
		profile_at(1, 2 * every * 257);
		EXPECT_REG(PMBSR_EL1, fields | PMBSR_COLL);
	}
}

/* PMBSR_EL1 while profiling runs, after an ISB without PSB CSYNC. */
static u64 coll_while_profiling(u64 ops)
{
	u64 before, after;

	spe_enable();
	isb();
	before = read_sysreg(PMBSR_EL1);
	run_loop(ops / 2);
	isb();
	after = read_sysreg(PMBSR_EL1);
	spe_disable();
	return after & ~before;
}

TEST(RLTMKQ_COLL_is_seen_while_profiling_goes_on, lacks_collisions())
{
	u64 every = property("spe-collide-every", 0);

	start(1, false);
	EXPECT_EQ(run_at(1, coll_while_profiling, 2 * every * 257), PMBSR_COLL);
	spe_drain();
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL);
}

/* COLL reports samples before the event. */
TEST(IRCCQG_a_management_event_keeps_COLL, lacks_collisions())
{
	spe_start(base(), SPE_PAGE, 0);
	profile_at(1, 400 * 257);
	EXPECT_REG(PMBSR_EL1, PMBSR_COLL | PMBSR_S | PMBSR_BSC_FULL);
}

TEST(IRCCQG_no_collision_no_COLL, loses_samples())
{
	start(4, false);
	profile_at(1, 20 * 1025);
	EXPECT_REG(PMBSR_EL1, 0);
}

TEST(SAMPLE_POP_and_SAMPLE_FEED_are_counted, lacks_spe(1))
{
	write_event_type(0, EVENT_SAMPLE_POP | FILTER_NSH);
	write_event_type(1, EVENT_SAMPLE_FEED | FILTER_NSH);
	start_counters(BIT(0) | BIT(1));
	start(1, false);
	profile_at(1, 50 * 257);
	stop_counters();
	EXPECT_EQ(read_counter(1), records());
	EXPECT(read_counter(0) >= 50 * 257);
	EXPECT(read_counter(0) < 51 * 257);
}

/*
 * A byte that was drawn this often for each of its values, on average: that one
 * of them never comes up has a probability of 256 * exp(-32). Chi-squared with
 * 255 degrees of freedom is below 330.5 with a probability of 99.9 %, and the
 * seed is fixed.
 */
#define EACH_VALUE 32
#define DRAWS	 (256 * EACH_VALUE)

static void expect_uniform(const u16 *seen)
{
	u64 chi = 0;

	for (unsigned value = 0; value < 256; value++) {
		s64 off = (s64)seen[value] - EACH_VALUE;

		chi += off * off;
		if (!EXPECT(seen[value] > 0))
			note("%u never comes up", value);
	}
	if (!EXPECT(chi < 3305 * EACH_VALUE / 10))
		note("chi-squared is %lu / %u", chi, EACH_VALUE);
}

/* PMSICR_EL1 is read after a few operations, always the same number. */
TEST(D17_3_3_random_initial_value_is_uniform,
     lacks_spe(1) || skip_if(has_ernd(), "FEAT_SPE_ERnd"))
{
	static u16 seen[256];
	u64 offset = counted(0);

	for (unsigned i = 0; i < DRAWS; i++) {
		u64 count;

		start(0x1000, true);
		profile_at(1, 0);
		count = PMSICR_COUNT(read_sysreg(PMSICR_EL1)) + offset;
		if (!EXPECT_EQ(count >> 8, 0x1000))
			return;
		seen[count & 0xff]++;
	}
	expect_uniform(seen);
}

TEST(D17_3_3_ERnd_initial_value_is_not_random,
     lacks_spe(1) || skip_if(!has_ernd(), "no FEAT_SPE_ERnd"))
{
	u64 offset = counted(0);

	for (unsigned i = 0; i < 20; i++) {
		start(0x1000, true);
		profile_at(1, 0);
		EXPECT_EQ(PMSICR_COUNT(read_sysreg(PMSICR_EL1)) + offset,
			  0x100000);
	}
}

/* Restored by software: the sample comes when ECOUNT, not COUNT, is 0. */
TEST(D17_3_4_3_ECOUNT_selects, lacks_ernd())
{
	u64 value, offset = counted(0);

	for (u64 ecount = offset + 8; ecount < 256; ecount += 49) {
		start(0x1000, true);
		write_sysreg(ecount << 56 | 100000, PMSICR_EL1);
		profile_at(1, 0);
		value = read_sysreg(PMSICR_EL1);
		EXPECT_EQ(PMSICR_ECOUNT(value), ecount - offset);
		EXPECT_EQ(PMSICR_COUNT(value), 100000 - offset);
		EXPECT_EQ(records(), 0);
		profile_at(1, 256);
		value = read_sysreg(PMSICR_EL1);
		EXPECT_EQ(PMSICR_ECOUNT(value), 0);
		EXPECT(PMSICR_COUNT(value) > 99000);
		EXPECT_EQ(records(), 1);
	}
}

/* Operations that profile_at() counts in addition to the requested ones. */
static u64 own_operations(void)
{
	u64 offset = counted(0);

	EXPECT(offset > 1 && offset < 64);
	return offset;
}

/* As drawn: COUNT reaches 0 at the last counted operation. */
TEST(D17_3_4_3_ECOUNT_is_uniform_from_0_to_255, lacks_ernd())
{
	static u16 seen[256];
	u64 offset = own_operations();

	for (unsigned i = 0; i < DRAWS; i++) {
		u64 value;

		start(0x1000, true);
		write_sysreg(offset, PMSICR_EL1);
		profile_at(1, 0);
		value = read_sysreg(PMSICR_EL1);
		seen[PMSICR_ECOUNT(value)]++;
		/* An operation is selected at once if it is 0. */
		if (!EXPECT_EQ(records(), PMSICR_ECOUNT(value) == 0))
			return;
	}
	expect_uniform(seen);
}

/* RND 0: the secondary counter is unused, whatever its value. */
TEST(D17_3_4_1_ECOUNT_is_not_used_with_RND_0, lacks_ernd())
{
	u64 offset = own_operations(), value;

	start(1, false);
	write_sysreg(5UL << 56 | 1000, PMSICR_EL1);
	profile_at(1, 70 * SPE_LOOP_OPS);
	value = read_sysreg(PMSICR_EL1);
	EXPECT_EQ(PMSICR_ECOUNT(value), 5);
	EXPECT_EQ(PMSICR_COUNT(value), 1000 - offset - 70 * SPE_LOOP_OPS);
	EXPECT_EQ(records(), 0);
	/* COUNT alone selects, at once when it is 0, and leaves ECOUNT. */
	profile_at(1, 1000 + 257);
	EXPECT_EQ(PMSICR_ECOUNT(read_sysreg(PMSICR_EL1)), 5);
	EXPECT(records() >= 2);
}

/*
 * D17.3.3: PMSICR_EL1 is not zero, so sampling continues from its value, as if
 * it was saved between the operation at which COUNT reached 0 and the next,
 * which reloads it.
 */
TEST(D17_3_3_only_ECOUNT_is_nonzero, lacks_ernd())
{
	u64 offset = own_operations(), value;

	start(0x1000, true);
	write_sysreg((offset + 100) << 56, PMSICR_EL1);
	EXPECT_REG(PMSICR_EL1, (offset + 100) << 56);
	profile_at(1, 0);
	value = read_sysreg(PMSICR_EL1);
	EXPECT_EQ(PMSICR_ECOUNT(value), 100);
	EXPECT_EQ(PMSICR_COUNT(value), 0x100000 - (offset - 1));
	EXPECT_EQ(records(), 0);
	profile_at(1, 20 * SPE_LOOP_OPS);
	value = read_sysreg(PMSICR_EL1);
	EXPECT_EQ(PMSICR_ECOUNT(value), 0);
	EXPECT_EQ(PMSICR_COUNT(value),
		  0x100000 - (2 * offset + 20 * SPE_LOOP_OPS - 1));
	EXPECT_EQ(records(), 1);
	/* With RND 0 ECOUNT stays. */
	start(0x1000, false);
	write_sysreg(100UL << 56, PMSICR_EL1);
	profile_at(1, 0);
	value = read_sysreg(PMSICR_EL1);
	EXPECT_EQ(value, 100UL << 56 | (0x100000 - (offset - 1)));
}
