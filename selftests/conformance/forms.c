/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What records of few cores have: packets of other sizes and headers, sources of
 * machines with clusters and nodes, latencies at the limit of a counter.
 */
#include "lib/firmware.h"
#include "lib/spe.h"

#define HEADER_SOURCE	 0x43
#define HEADER_SOURCE_2	 0x53
#define HEADER_EVENTS	 0x42
#define HEADER_EXTENDED	 0x21
#define HEADER_TOTAL	 0x98
#define HEADER_VA	 0xb2
#define HEADER_PA	 0xb3

#define EVENT_REMOTE	 BIT(10)

enum {
	SOURCE_PEER_CORE = 9,
	SOURCE_LOCAL_CLUSTER,
	SOURCE_SYSTEM_CACHE,
	SOURCE_PEER_CLUSTER,
	SOURCE_REMOTE,
	SOURCE_DRAM,
	SOURCES
};

#define LINE	   64UL
#define STACK_SIZE 4096
#define LINES_MOVED 2000

static u8 second_buffer[16 * SPE_PAGE] __attribute__((aligned(4096)));
static u8 second_stack[STACK_SIZE] __attribute__((aligned(16)));

static bool lacks(const char *property)
{
	return lacks_spe(1) || lacks_property(property);
}

/* Memory behind the program, in turns of the nodes */
static u64 memory(void)
{
	return (base() + (8UL << 20)) & ~((4UL << 20) - 1);
}

/* Each line as often as that */
static void load_lines(u64 from, u64 lines, u64 times)
{
	spe_start(base(), BUFFER_SIZE, 0);
	set_sysreg(PMSFCR_FT | PMSFCR_LD, PMSFCR_EL1);
	spe_enable();
	for (u64 i = 0; i < lines * times; i++)
		asm volatile("ldr xzr, [%0]" : : "r"(from + i / times * LINE));
	spe_disable();
	spe_drain();
}

static u64 packet(const u8 *p, const u8 *end, u8 header)
{
	u64 value = ~0UL;

	spe_record_packet(p, end, header, &value);
	return value;
}

#define FOR_EACH_RECORD(p, end, next)                                          \
	for (const u8 *p = spe_buffer, *end = (u8 *)read_sysreg(PMBPTR_EL1),   \
		      *next;                                                   \
	     p < end && spe_record_end(p, end, &next); p = next)

/* The payload says the same, however long it is. */
TEST(packets_have_each_size_and_header, lacks("spe-forms"))
{
	unsigned events[4] = {}, sources[2] = {}, extended = 0, records = 0;

	load_lines(memory(), 100, 1000);
	FOR_EACH_RECORD(p, end, next) {
		u64 wide = packet(p, end, HEADER_EXTENDED);

		records++;
		for (unsigned size = 0; size < 4; size++) {
			u64 value = packet(p, end, HEADER_EVENTS + 16 * size);

			if (value == ~0UL)
				continue;
			events[size]++;
			EXPECT((value & GENMASK(2, 1)) == GENMASK(2, 1));
			EXPECT(size != 3 || !(value >> 32));
		}
		sources[0] += packet(p, end, HEADER_SOURCE) < SOURCES;
		sources[1] += packet(p, end, HEADER_SOURCE_2) < SOURCES;
		if (wide == ~0UL)
			continue;
		extended++;
		EXPECT_EQ(wide & 0xff, HEADER_TOTAL);
		EXPECT(wide >> 8 <= packet(p, end, HEADER_TOTAL));
	}
	note("%u records, events of 1 to 8 bytes: %u %u %u %u", records, events[0],
	     events[1], events[2], events[3]);
	EXPECT(records > 100);
	EXPECT_EQ(events[0] + events[1] + events[2] + events[3], records);
	EXPECT_EQ(sources[0] + sources[1], records);
	EXPECT(events[0] && events[3] && (events[1] || events[2]));
	EXPECT(sources[0] && sources[1] && extended);
}

/* With all packets, and forms that take what is left of PMSIDR_EL1.MaxSize */
TEST(a_record_fits_whatever_its_forms, lacks("spe-forms"))
{
	spe_start(base(), BUFFER_SIZE, 0);
	set_sysreg(PMSFCR_FT | PMSFCR_LD, PMSFCR_EL1);
	set_sysreg(PMSCR_E1SPE | PMSCR_CX | PMSCR_PA | PMSCR_TS, PMSCR_EL1);
	for (u64 i = 0; i < 100000; i++)
		asm volatile("ldr xzr, [%0]" : : "r"(base()));
	set_sysreg(0, PMSCR_EL1);
	spe_drain();
	FOR_EACH_RECORD(p, end, next) {
		EXPECT_NE(packet(p, end, HEADER_PA), ~0UL);
		EXPECT(next <= p + max_size());
	}
}

static void count_sources(unsigned *sources)
{
	for (unsigned i = 0; i < SOURCES; i++)
		sources[i] = 0;
	FOR_EACH_RECORD(p, end, next) {
		u64 source = packet(p, end, HEADER_SOURCE);

		EXPECT(source < SOURCES);
		if (source < SOURCES)
			sources[source]++;
	}
}

/* 2 MiB of one node, 2 MiB of the other */
TEST(memory_of_the_other_node_is_remote, lacks("spe-nodes"))
{
	unsigned near[2] = {}, far[2] = {};

	load_lines(memory() + (16UL << 20), (8UL << 20) / LINE, 1);
	FOR_EACH_RECORD(p, end, next) {
		u64 events = packet(p, end, HEADER_EVENTS + 16) &
			     packet(p, end, HEADER_EVENTS + 32);
		u64 source = packet(p, end, HEADER_SOURCE);
		unsigned node = packet(p, end, HEADER_VA) >> 21 & 1;

		EXPECT_EQ(!!(events & EVENT_REMOTE), source == SOURCE_REMOTE);
		near[node] += source == SOURCE_DRAM;
		far[node] += source == SOURCE_REMOTE;
	}
	note("near %u %u, remote %u %u", near[0], near[1], far[0], far[1]);
	EXPECT(near[0] + near[1] > 100);
	EXPECT(far[0] + far[1] > 100);
	EXPECT(!(near[0] && near[1]) && !(far[0] && far[1]));
	EXPECT(!!near[0] != !!far[0]);
}

/* More than L2 has, less than the cluster's cache */
TEST(what_L2_lost_is_in_the_cluster, lacks("spe-nodes"))
{
	unsigned sources[SOURCES];
	u64 lines = (896UL << 10) / LINE;

	load_lines(memory(), lines, 1);
	load_lines(memory(), lines, 1);
	count_sources(sources);
	EXPECT(sources[SOURCE_LOCAL_CLUSTER] > 20);
	EXPECT_EQ(sources[SOURCE_REMOTE] + sources[SOURCE_DRAM], 0);
}

static volatile u64 written;

void second_main(void);
void second_main(void)
{
	spe_setup((u64)second_buffer, sizeof(second_buffer), 0);
	spe_interval(0xffffff, false);
	spe_enable();
	for (u64 line = written, end = line + LINES_MOVED * LINE; line < end; line += LINE)
		asm volatile("str xzr, [%0]" : : "r"(line) : "memory");
	spe_disable();
	written = 0;
	firmware(PSCI_CPU_OFF, 0, 0, 0);
}

SECOND_ENTRY

static void write_on(u64 cpu, u64 lines)
{
	written = lines;
	EXPECT_EQ(firmware(PSCI_CPU_ON, cpu, (u64)second_entry,
			   (u64)second_stack + STACK_SIZE).x0, 0);
	while (written || firmware(PSCI_AFFINITY_INFO, cpu, 0, 0).x0 != PSCI_OFF)
		asm volatile("yield");
}

/* CPUs 0 and 1 are a cluster, 2 and 3 another. */
TEST(a_line_comes_from_the_CPU_that_wrote_it, lacks("spe-nodes"))
{
	static const u8 expected[] = {0, SOURCE_PEER_CORE, SOURCE_PEER_CLUSTER,
				      SOURCE_PEER_CLUSTER};
	unsigned sources[SOURCES];

	for (u64 cpu = 1; cpu < 4; cpu++) {
		u64 lines = memory() + cpu * (1UL << 20);

		write_on(cpu, lines);
		load_lines(lines, LINES_MOVED, 1);
		count_sources(sources);
		note("CPU %lu: %u of its cluster, %u of another", cpu,
		     sources[SOURCE_PEER_CORE], sources[SOURCE_PEER_CLUSTER]);
		EXPECT(sources[expected[cpu]] > 5);
		EXPECT_EQ(sources[SOURCE_PEER_CORE] + sources[SOURCE_PEER_CLUSTER],
			  sources[expected[cpu]]);
	}
}

/* A counter stays at its greatest value. */
TEST(a_latency_saturates, lacks("spe-device-cycles"))
{
	u64 most = GENMASK(property("spe-countsize", 12) - 1, 0);
	unsigned saturated = 0;

	spe_start(base(), BUFFER_SIZE, 0);
	set_sysreg(PMSFCR_FT | PMSFCR_LD, PMSFCR_EL1);
	spe_enable();
	for (unsigned i = 0; i < 4000; i++)
		(void)GICR_ISPENDR0;
	spe_disable();
	spe_drain();
	FOR_EACH_RECORD(p, end, next) {
		EXPECT(packet(p, end, HEADER_TOTAL) <= most);
		saturated += packet(p, end, HEADER_TOTAL) == most;
	}
	EXPECT(saturated > 0);
}
