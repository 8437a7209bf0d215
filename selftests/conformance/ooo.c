/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core=ooo: what the records of operations say that wait for others, and the
 * cycles that pass meanwhile. machine.rst describes the core.
 */
#include "lib/firmware.h"
#include "lib/pmu.h"
#include "lib/spe.h"

#define HEADER_SOURCE 0x43
#define HEADER_TOTAL 0x98
#define HEADER_ISSUE 0x99
#define HEADER_XLAT  0x9a

/* What machine.rst says */
#define ISSUE_CYCLES   2
#define MUL_CYCLES     3
#define DIV_CYCLES     12
#define FP_CYCLES      3
#define FDIV_CYCLES    13
#define L2_CYCLES      13
#define XLAT_CYCLES    1
#define FORWARD_CYCLES 5
#define MEMORY_CYCLES  180
#define WALK_CYCLES    40
#define PEER_CYCLES    70
#define SOURCE_PEER    9

/* The mean of a counter over the records of an instruction, in tenths. */
static u64 mean(const char *pc, u8 header)
{
	const u8 *end = (const u8 *)read_sysreg(PMBPTR_EL1), *next;
	u64 sum = 0, count = 0, at, value;

	for (const u8 *p = spe_buffer; spe_record(p, end, &at, &next); p = next)
		if ((at & GENMASK(55, 0)) == (u64)pc &&
		    spe_record_packet(p, end, header, &value)) {
			sum += value;
			count++;
		}
	if (!EXPECT(count > 10))
		return 0;
	return sum * 10 / count;
}

static u64 issue(const char *pc)
{
	return mean(pc, HEADER_ISSUE);
}

/* From the issue to the end */
static u64 own(const char *pc)
{
	return mean(pc, HEADER_TOTAL) - issue(pc);
}

/* For ./truth: PC, and the counters ISSUE, TOTAL and of translation or 0 */
static void print_records(void)
{
	const u8 *end = (const u8 *)read_sysreg(PMBPTR_EL1), *next;
	u64 pc, value[3];

	for (const u8 *p = spe_buffer; spe_record(p, end, &pc, &next); p = next) {
		value[2] = 0;
		spe_record_packet(p, end, HEADER_ISSUE, &value[0]);
		spe_record_packet(p, end, HEADER_TOTAL, &value[1]);
		spe_record_packet(p, end, HEADER_XLAT, &value[2]);
		note("record %lx %lu %lu %lu", pc & GENMASK(55, 0), value[0],
		     value[1], value[2]);
	}
}

static bool lacks_ooo(void)
{
	u64 value = 0;

	option("core", &value);
	if (!value)
		skip("is in order");
	return !value || lacks_spe(1);
}

/* Profiles rounds of a loop; the cycles that one takes, in tenths */
static u64 profile(u64 (*loop)(u64 rounds), u64 rounds)
{
	u64 cycles, interval = 0;

	/* In units of 256 operations, with as many more rounds */
	option("interval", &interval);
	if (interval)
		rounds *= interval;
	spe_start(base(), BUFFER_SIZE, 0);
	spe_interval(interval ? interval : 1, false);
	/* Floating point is not trapped. */
	change_sysreg(cpacr_el1, 0, 3UL << 20);
	write_sysreg(0, pmccntr_el0);
	spe_enable();
	start_counters(BIT(CYCLE_COUNTER));
	loop(rounds);
	stop_counters();
	cycles = read_sysreg(pmccntr_el0);
	spe_disable();
	spe_drain();
	if (interval)
		print_records();
	return cycles * 10 / rounds;
}

#define LOOP(name, body)                                                    \
	extern const char name##_0[], name##_1[], name##_2[];               \
	static __attribute__((noinline, noclone)) u64 name(u64 rounds)      \
	{                                                                   \
		asm volatile("mov x9, #3\n mov x11, #0\n 1:\n" body                       \
			     "subs %0, %0, #1\n b.ne 1b\n"                  \
			     : "+r"(rounds) : "r"(base() + BUFFER_SIZE / 2) \
			     : "x9", "x10", "x11", "x12", "x13", "cc",      \
			       "memory");                                   \
		return 0;                                                   \
	}

/* An ISB empties the core: all that follows is dispatched at once. */
LOOP(divisions, "isb\n"
		"divisions_0: udiv x10, x9, x9\n"
		"divisions_1: udiv x10, x10, x10\n"
		"divisions_2: add x11, x10, #1\n")

TEST(an_operation_issues_when_its_operands_are_ready, lacks_ooo())
{
	profile(divisions, 4000);
	EXPECT_EQ(issue(divisions_0), 10 * ISSUE_CYCLES);
	EXPECT_EQ(issue(divisions_1), 10 * (ISSUE_CYCLES + DIV_CYCLES));
	EXPECT_EQ(issue(divisions_2), 10 * (ISSUE_CYCLES + 2 * DIV_CYCLES));
	EXPECT_EQ(own(divisions_0), 10 * DIV_CYCLES);
	EXPECT_EQ(own(divisions_1), 10 * DIV_CYCLES);
	EXPECT_EQ(own(divisions_2), 10);
}

LOOP(classes, "isb\n"
	      "classes_0: mul x10, x9, x9\n"
	      "classes_1: fdiv d1, d2, d3\n"
	      "classes_2: fmul d4, d2, d3\n")

TEST(latency_is_that_of_the_class, lacks_ooo())
{
	profile(classes, 4000);
	EXPECT_EQ(own(classes_0), 10 * MUL_CYCLES);
	EXPECT_EQ(own(classes_1), 10 * FDIV_CYCLES);
	EXPECT_EQ(own(classes_2), 10 * FP_CYCLES);
}

LOOP(chained, "chained_0: udiv x9, x9, x9\n chained_1: chained_2:\n")
LOOP(unchained, "unchained_0: unchained_1: unchained_2:\n"
		"mul x10, x9, x9\n mul x10, x9, x9\n mul x10, x9, x9\n")
LOOP(shared_divider, "shared_divider_0: udiv x10, x9, x9\n"
		     "shared_divider_1: udiv x11, x9, x9\n"
		     "shared_divider_2:\n")

/* In tenths of a cycle; counters are read outside of the loop. */
static bool takes(u64 (*loop)(u64 rounds), u64 wanted)
{
	u64 cycles;

	/* The first time, caches and predictor learn. */
	profile(loop, 2048);
	cycles = profile(loop, 20000);

	note("a round takes %lu cycles / 10", cycles);
	return cycles + 2 >= wanted && cycles <= wanted + 4;
}

TEST(independent_operations_overlap_but_for_the_divider, lacks_ooo())
{
	EXPECT(takes(chained, 10 * DIV_CYCLES));
	EXPECT(takes(shared_divider, 20 * DIV_CYCLES));
	/* Five operations, the last of which is a taken branch */
	EXPECT(takes(unchained, 20));
}

/* A line of the L2 cache each round: the memory is twice the L1 cache. */
LOOP(apart, "apart_0: ldr x10, [%1, x11]\n"
	    "apart_1: add x11, x11, #64\n"
	    "apart_2: and x11, x11, #0x1ffff\n")
LOOP(in_chain, "in_chain_0: ldr x10, [%1, x11]\n"
	       "in_chain_1: and x10, x10, #1\n add x11, x11, x10, lsl #20\n"
	       "in_chain_2: add x11, x11, #64\n and x11, x11, #0x1ffff\n")

TEST(independent_misses_overlap_and_dependent_ones_do_not, lacks_ooo())
{
	EXPECT(takes(apart, 20));
	EXPECT(takes(in_chain, 10 * (XLAT_CYCLES + L2_CYCLES + 4)));
	EXPECT_EQ(own(in_chain_0), 10 * (XLAT_CYCLES + L2_CYCLES));
	EXPECT_EQ(own(in_chain_1), 10);
}

/* A chain of 8 divisions, other operations, and a chain on the other divider */
#define TWO_CHAINS(between)                                     \
	"isb\n .rept 8\n udiv x9, x9, x9\n .endr\n .rept " between \
	"\n nop\n .endr\n .rept 8\n fdiv d1, d1, d2\n .endr\n"

LOOP(within, TWO_CHAINS("100") "within_0: within_1: within_2:\n")
LOOP(beyond, TWO_CHAINS("130") "beyond_0: beyond_1: beyond_2:\n")

TEST(the_window_has_128_operations, lacks_ooo())
{
	u64 within_window, beyond_window;

	within_window = profile(within, 1000);
	beyond_window = profile(beyond, 1000);
	note("rounds take %lu and %lu cycles / 10", within_window,
	     beyond_window);
	EXPECT(within_window < 10 * (8 * FDIV_CYCLES + 50));
	EXPECT(beyond_window > 10 * 8 * (DIV_CYCLES + FDIV_CYCLES));
}

/* Some 20 loads in the window, each from memory and of the result of the one before */
LOOP(from_memory, "from_memory_0: ldr x10, [%1, x11]\n"
		  "from_memory_1: and x10, x10, xzr\n"
		  "from_memory_2: add x11, x11, #64\n add x11, x11, x10\n")

TEST(counters_saturate, lacks_ooo())
{
	const u8 *end, *next;
	u64 longest = 0, pc, issue;

	profile(from_memory, 100000);
	end = (const u8 *)read_sysreg(PMBPTR_EL1);
	for (const u8 *p = spe_buffer; spe_record(p, end, &pc, &next); p = next)
		if (spe_record_packet(p, end, HEADER_ISSUE, &issue) &&
		    issue > longest)
			longest = issue;
	EXPECT_EQ(longest, 4095);
}

LOOP(forwarded, "forwarded_0: ldr x10, [%1]\n"
		"forwarded_1: add x10, x10, #1\n"
		"forwarded_2: str x10, [%1]\n")

TEST(a_load_takes_the_data_of_a_store_before_it, lacks_ooo())
{
	EXPECT(takes(forwarded, 10 * (FORWARD_CYCLES + XLAT_CYCLES + 2)));
}

/* Memory that nothing else uses. Lines of 4096 pages of it share few sets of L2. */
#define FAR "mov x12, #0x48000000\n"

LOOP(miss, FAR "miss_0: ldr x10, [x12, x11]\n .rept 28\n add x9, x10, x10\n"
	       ".endr\n miss_1: add x9, x10, x10\n add x11, x11, #64\n"
	       "miss_2: and x11, x11, #0x1ffffff\n")
LOOP(stream, "mov x12, #0x4c000000\n stream_0: str x9, [x12, x11]\n"
		 "stream_1: add x11, x11, #64\n"
		 "stream_2: and x11, x11, #0x1ffffff\n")
LOOP(pages, FAR "ubfiz x11, %0, #12, #12\n bfi x11, %0, #6, #6\n"
		"pages_0: pages_1: ldr x10, [x12, x11]\n pages_2:\n")

TEST(what_needs_a_miss_waits_in_ISSUE, lacks_ooo())
{
	profile(miss, 4000);
	EXPECT(own(miss_0) > 10 * MEMORY_CYCLES);
	EXPECT(issue(miss_1) > 10 * MEMORY_CYCLES / 2);
	EXPECT_EQ(own(miss_1), 10);
}

/* 16 lines at a time, of at least 180 cycles each; a record tells nothing of it. */
TEST(stores_leave_for_the_cache_behind_their_records, lacks_ooo())
{
	u64 cycles = profile(stream, 20000);

	note("a round takes %lu cycles / 10", cycles);
	EXPECT(cycles > 10 * MEMORY_CYCLES / 16);
	EXPECT(own(stream_0) < 100);
}

/* 2 walks at a time, of at least 40 cycles each, are slower than 16 misses. */
TEST(translations_wait_for_each_other, lacks_ooo())
{
	u64 cycles;

	profile(pages, 4096);
	cycles = profile(pages, 20000);
	note("a round takes %lu cycles / 10", cycles);
	EXPECT(cycles > 10 * WALK_CYCLES / 2);
	EXPECT(mean(pages_0, HEADER_XLAT) > 10 * WALK_CYCLES);
}

LOOP(guessed, "eor x9, x9, x9, lsl #13\n eor x9, x9, x9, lsr #7\n"
	      "eor x9, x9, x9, lsl #17\n"
	      "guessed_0: tbz x9, #20, 2f\n nop\n 2: guessed_1: guessed_2:\n")

/* Two events of 20000 rounds */
static void count(u64 (*loop)(u64 rounds), u16 first, u16 second)
{
	write_event_type(0, first);
	write_event_type(1, second);
	write_counter(0, 0);
	write_counter(1, 0);
	write_sysreg(BIT(0) | BIT(1), PMCNTENSET_EL0);
	profile(loop, 20000);
}

static u64 speculated(u64 (*loop)(u64 rounds))
{
	count(loop, EVENT_OP_RETIRED, EVENT_OP_SPEC);
	return (read_counter(1) - read_counter(0)) * 10 / 20000;
}

/* Half of the guesses are wrong: 10 cycles, and until the branch issues. */
TEST(a_wrong_guess_delays_what_follows, lacks_ooo())
{
	u64 cycles;

	cycles = profile(guessed, 20000);
	note("a round takes %lu cycles / 10", cycles);
	EXPECT(cycles > 70 && cycles < 140);
	/* Slots of four a cycle */
	EXPECT(speculated(guessed) > 150);
	EXPECT(speculated(chained) < 5);
}

/* A chain keeps the back end busy. */
TEST(slots_tell_the_same, lacks_ooo())
{
	u64 slots, backend;

	count(chained, EVENT_STALL_SLOT_BACKEND, EVENT_CPU_CYCLES);
	backend = read_counter(0);
	slots = 4 * read_counter(1);
	note("%lu of %lu slots", backend, slots);
	/* Of 48 in 12 cycles three retire, and three come after the branch. */
	EXPECT(backend * 100 >= slots * 86 && backend * 100 <= slots * 89);
}

/* The same without profiling */
TEST(slots_are_those_of_the_core_without_SPE, lacks_ooo())
{
	u64 slots, backend;

	write_sysreg(0, PMBLIMITR_EL1);
	write_event_type(0, EVENT_STALL_SLOT_BACKEND);
	write_event_type(1, EVENT_CPU_CYCLES);
	write_counter(0, 0);
	write_counter(1, 0);
	start_counters(BIT(0) | BIT(1));
	chained(200000);
	stop_counters();
	backend = read_counter(0);
	slots = 4 * read_counter(1);
	note("%lu of %lu slots", backend, slots);
	EXPECT(slots >= 200000 * 44UL && slots <= 200000 * 49UL);
	EXPECT(backend * 100 >= slots * 84 && backend * 100 <= slots * 89);
}

#define SECOND_CPU 1
#define STACK_SIZE 4096

static u8 second_stack[STACK_SIZE] __attribute__((aligned(16)));
static u8 second_buffer[2 * SPE_PAGE] __attribute__((aligned(4096)));
static volatile bool second_runs, second_ends;

static u64 (*second_loop)(u64 rounds);

/* A CPU that runs in turn with others gives up its turn sometimes. */
#define GIVE_WAY "tst %0, #127\n b.ne 2f\n yield\n 2:\n"

LOOP(shared, "isb\n shared_0: ldr x10, [%1]\n"
	     "shared_1: add x10, x10, #1\n"
	     "shared_2: str x10, [%1]\n" GIVE_WAY)
/* More operations before the load than before the store: the other CPU has it then. */
LOOP(contended, "contended_0: str x9, [%1]\n .rept 9\n nop\n .endr\n"
		"contended_1: ldr x10, [%1]\n contended_2:\n" GIVE_WAY)

/* A line that nothing else writes */
LOOP(counted, ".arch_extension lse\n add x12, %1, #1024\n"
	      "counted_0: ldaddal x9, x10, [x12]\n counted_1: counted_2:\n" GIVE_WAY)

void second_main(void);
void second_main(void)
{
	spe_setup((u64)second_buffer, sizeof(second_buffer), 0);
	spe_interval(0xffffff, false);
	spe_enable();
	while (!second_ends) {
		second_loop(192);
		second_runs = true;
	}
	firmware(PSCI_CPU_OFF, 0, 0, 0);
}

SECOND_ENTRY

static bool lacks_two(void)
{
	if (lacks_ooo())
		return true;
	if ((int)firmware(PSCI_AFFINITY_INFO, SECOND_CPU, 0, 0).x0 >= 0)
		return false;
	skip("one CPU");
	return true;
}

/* Where they run at the same time, it is the host that says how often lines move. */
static bool lacks_turns(void)
{
	u64 turns = 0;

	if (lacks_two())
		return true;
	option("icount", &turns);
	if (!turns)
		skip("CPUs run at the same time");
	return !turns;
}

/* The cycles that a round takes, in tenths, while another CPU does the same */
static u64 profile_two(u64 (*loop)(u64 rounds))
{
	u64 cycles;

	second_loop = loop;
	second_runs = second_ends = false;
	EXPECT_EQ(firmware(PSCI_CPU_ON, SECOND_CPU, (u64)second_entry,
			   (u64)second_stack + STACK_SIZE)
			  .x0,
		  0);
	while (!second_runs)
		asm volatile("yield");
	cycles = profile(loop, 20000);
	second_ends = true;
	while (firmware(PSCI_AFFINITY_INFO, SECOND_CPU, 0, 0).x0 != PSCI_OFF)
		asm volatile("yield");
	return cycles;
}

TEST(a_line_that_another_CPU_writes_comes_from_there, lacks_turns())
{
	u64 alone;

	profile(shared, 20000);
	alone = own(shared_0);
	EXPECT(alone <= 10 * (XLAT_CYCLES + FORWARD_CYCLES));
	profile_two(shared);
	note("its load takes %lu cycles / 10, alone %lu", own(shared_0), alone);
	note("source %lu / 10", mean(shared_0, HEADER_SOURCE));
	EXPECT(own(shared_0) > 10 * PEER_CYCLES * 2 / 3);
	EXPECT(mean(shared_0, HEADER_SOURCE) > 10 * SOURCE_PEER * 2 / 3);
	profile(shared, 20000);
	EXPECT_EQ(own(shared_0), alone);
}

TEST(an_atomic_operation_takes_the_line, lacks_turns())
{
	profile_two(counted);
	EXPECT(own(counted_0) > 10 * PEER_CYCLES * 2 / 3);
	EXPECT(mean(counted_0, HEADER_SOURCE) > 10 * SOURCE_PEER * 2 / 3);
}

/* Also where they run at the same time. */
TEST(what_comes_from_another_CPU_takes_as_long_as_that, lacks_two())
{
	const u8 *end, *next;
	u64 pc, source, issue, total;

	profile_two(contended);
	end = (const u8 *)read_sysreg(PMBPTR_EL1);
	for (const u8 *p = spe_buffer; spe_record(p, end, &pc, &next); p = next)
		if (spe_record_packet(p, end, HEADER_SOURCE, &source) &&
		    source == SOURCE_PEER) {
			spe_record_packet(p, end, HEADER_ISSUE, &issue);
			spe_record_packet(p, end, HEADER_TOTAL, &total);
			if (!EXPECT(total - issue >= PEER_CYCLES))
				return;
		}
}
