// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiling ID registers decoded, joined and compared. */
#include "ktap.h"
#include "spe/caps.c"

static u64 dfr0, dfr1, dfr2, pmbidr, pmsidr, pmsevfr, events;
static unsigned int pmsidr_reads;
static bool pmsidr_traps;
static enum pmscope_guarded traps = PMSCOPE_NR_GUARDED;
static u32 midr = 0x414fd490;
static struct spe_caps caps;

u64 read_sysreg_s(u32 reg)
{
	switch (reg) {
	case SYS_ID_AA64DFR0_EL1:
		return dfr0;
	case SYS_ID_AA64DFR1_EL1:
		return dfr1;
	case SYS_ID_AA64DFR2_EL1:
		return dfr2;
	case SYS_PMBIDR_EL1:
		return pmbidr;
	case SYS_PMSEVFR_EL1:
		return pmsevfr;
	}
	return 0;
}

bool guard_read(u32 reg, u64 *val)
{
	EXPECT_EQ(reg, SYS_PMSIDR_EL1);
	pmsidr_reads++;
	*val = pmsidr;
	return !pmsidr_traps;
}

const struct pmscope_register pmscope_registers[PMSCOPE_NR_GUARDED];

int pmscope_access_print(char *text, size_t size, enum pmscope_guarded reg,
			 struct pmscope_access access)
{
	return snprintf(text, size, "%d is %d", reg, access.state);
}

struct pmscope_access pmscope_access_find(enum pmscope_guarded reg,
					  bool trusted)
{
	bool open = trusted || reg != traps;

	return (struct pmscope_access){
		open ? PMSCOPE_ACCESS_OPEN : PMSCOPE_ACCESS_TRAPPED,
		PMSCOPE_TRIED
	};
}

u32 read_cpuid_id(void)
{
	return midr;
}

/* The bits that are not among @events are RAZ/WI. */
void write_sysreg_s(u64 value, u32 reg)
{
	if (reg == SYS_PMSEVFR_EL1)
		pmsevfr = value & events;
}

/* MaxSize 64 bytes, 12-bit counters, interval 1024, align 64 */
#define PMSIDR		(2ULL << 16 | 6ULL << 12 | 4ULL << 8 | 0x7)
#define PMBIDR		6ULL
#define DFR0(pmsver)	((u64)(pmsver) << 32)

static int read_caps(struct spe_caps *caps, u64 ver, u64 b, u64 s)
{
	dfr0 = DFR0(ver);
	pmbidr = b;
	pmsidr = s;
	pmsidr_reads = 0;
	*caps = (struct spe_caps){ };
	return spe_caps_read(caps) ?: spe_caps_decode(caps);
}

static void read_with_events(struct spe_caps *caps, u64 has)
{
	read_caps(caps, 3, PMBIDR, PMSIDR);
	events = has;
	ASSERT_EQ(spe_caps_probe(caps, false), 0);
}

CASE(no_spe, EXPECT_EQ(read_caps(&caps, 0, PMBIDR, PMSIDR), -ENODEV));

TEST(buffer_of_a_higher_level_is_not_touched)
{
	EXPECT_EQ(read_caps(&caps, 1, PMBIDR | 1 << 4, PMSIDR), -EPERM);
	EXPECT_EQ(pmsidr_reads, 0);
}

TEST(registers_that_trap_are_left_alone)
{
	pmsidr_traps = true;
	EXPECT_EQ(read_caps(&caps, 1, PMBIDR, PMSIDR), -EACCES);
	EXPECT_EQ(spe_caps_probe(&caps, false), -EACCES);
	pmsidr_traps = false;
	EXPECT_EQ(pmsevfr, 0);
}

TEST(plain_unit)
{
	ASSERT_EQ(read_caps(&caps, 1, PMBIDR, PMSIDR), 0);
	EXPECT_EQ(caps.max_record, 64);
	EXPECT_EQ(caps.align, 64);
	EXPECT_EQ(caps.counter_bits, 12);
	EXPECT_EQ(caps.min_interval, 1024);
	EXPECT_EQ(caps.max_buffer, U64_MAX);
	EXPECT_EQ(caps.features, SPE_FEAT_FILT_EVENT | SPE_FEAT_FILT_TYPE |
				 SPE_FEAT_FILT_LATENCY | SPE_FEAT_VIRTUAL);
}

TEST(every_feature_bit)
{
	ASSERT_EQ(read_caps(&caps, 3, PMBIDR, PMSIDR | 0xff | 1 << 26), 0);
	EXPECT_EQ(caps.features, 0x3ff | SPE_FEAT_VIRTUAL);
}

#define PMUVER(ver)	((u64)(ver) << 8)

/* What freezes with these versions of SPE and of the PMU */
static unsigned long freezes(u64 spe, u64 pmu)
{
	dfr0 = DFR0(spe) | PMUVER(pmu);
	EXPECT_EQ(spe_caps_read(&caps) ?: spe_caps_decode(&caps), 0);
	return caps.features & (SPE_FEAT_FREEZE | SPE_FEAT_FREEZE_CYCLES);
}

TEST(freezing_takes_two_extensions)
{
	dfr1 = 1ULL << 52;
	read_caps(&caps, 3, PMBIDR, PMSIDR);
	EXPECT_FALSE(caps.features & SPE_FEAT_FREEZE);
	EXPECT_FALSE(caps.features & SPE_FEAT_FREEZE_CYCLES);
	EXPECT_EQ(freezes(3, 7), SPE_FEAT_FREEZE | SPE_FEAT_FREEZE_CYCLES);
	dfr1 = 0;
	EXPECT_FALSE(freezes(3, 7) & SPE_FEAT_FREEZE_CYCLES);
	/* Version 15 is no PMUv3, version 2 of SPE is FEAT_SPEv1p1. */
	EXPECT_FALSE(freezes(3, 15) & SPE_FEAT_FREEZE);
	EXPECT_FALSE(freezes(3, 6) & SPE_FEAT_FREEZE);
	EXPECT_FALSE(freezes(2, 9) & SPE_FEAT_FREEZE);
}

static unsigned long addresses(u64 addr_mode)
{
	read_caps(&caps, 6, PMBIDR | addr_mode << 6, PMSIDR);
	return caps.features & (SPE_FEAT_VIRTUAL | SPE_FEAT_PHYSICAL);
}

TEST(addresses_that_a_buffer_may_have)
{
	dfr2 = 1ULL << 20;
	EXPECT_EQ(addresses(0), SPE_FEAT_VIRTUAL);
	EXPECT_EQ(addresses(1), SPE_FEAT_VIRTUAL | SPE_FEAT_PHYSICAL);
	EXPECT_EQ(addresses(3), SPE_FEAT_PHYSICAL);
	/* Without FEAT_SPE_nVM there is no PMBMAR_EL1 to write. */
	dfr2 = 0;
	EXPECT_EQ(addresses(1), SPE_FEAT_VIRTUAL);
	EXPECT_EQ(addresses(3), 0);
}

TEST(event_filter_bits_are_those_that_stay_set)
{
	struct spe_caps other;

	read_with_events(&caps, 0xaa);
	EXPECT_EQ(~caps.pmsevfr_res0, 0xaa);
	EXPECT_EQ(pmsevfr, 0);

	read_with_events(&other, 0xffff00000000002aULL);
	EXPECT_FALSE(spe_caps_cover(&other, &caps));
	spe_caps_merge(&caps, &other);
	EXPECT_EQ(~caps.pmsevfr_res0, 0x2a);
	EXPECT_TRUE(spe_caps_cover(&other, &caps));
}

/* PMSIDR_EL1.Interval and .CountSize, Arm ARM D24.7 "PMSIDR_EL1" */
TEST(fields_that_count_by_a_table)
{
	static const unsigned int interval[] = {
		256, 4096, 512, 768, 1024, 1536, 2048, 3072, 4096, 4096
	};

	for (u64 i = 0; i < ARRAY_SIZE(interval); i++) {
		ASSERT_EQ(read_caps(&caps, 1, PMBIDR, 6 << 12 | i << 8), 0);
		EXPECT_EQ(caps.min_interval, interval[i]);
	}
	read_caps(&caps, 1, PMBIDR, 3ULL << 16 | 6 << 12);
	EXPECT_EQ(caps.counter_bits, 16);
}

/* The least and the most that a record and an alignment may be */
TEST(sizes_at_the_limits)
{
	ASSERT_EQ(read_caps(&caps, 1, 0, 4 << 12), 0);
	EXPECT_EQ(caps.max_record, 16);
	EXPECT_EQ(caps.align, 1);
	ASSERT_EQ(read_caps(&caps, 1, 11, 11 << 12), 0);
	EXPECT_EQ(caps.max_record, 2048);
	EXPECT_EQ(caps.align, 2048);
	EXPECT_EQ(read_caps(&caps, 1, PMBIDR, 12 << 12), -EINVAL);
	EXPECT_EQ(read_caps(&caps, 1, 12, PMSIDR), -EINVAL);
	EXPECT_EQ(read_caps(&caps, 1, PMBIDR, 3 << 12), -EINVAL);
}

TEST(reserved_values)
{
	/* Interval 1, CountSize 7: reserved, so the safe defaults */
	ASSERT_EQ(read_caps(&caps, 1, PMBIDR, 7ULL << 16 | 6 << 12 | 1 << 8),
		  0);
	EXPECT_EQ(caps.min_interval, 4096);
	EXPECT_EQ(caps.counter_bits, 12);
	/* MaxSize 15 or 1, Align 15: no buffer can be laid out */
	EXPECT_EQ(read_caps(&caps, 1, PMBIDR, PMSIDR | 15 << 12), -EINVAL);
	EXPECT_EQ(read_caps(&caps, 1, PMBIDR, 1 << 12), -EINVAL);
	EXPECT_EQ(read_caps(&caps, 1, 15, PMSIDR), -EINVAL);
}

TEST(limit_of_a_hypervisor)
{
	/* E 0: M pages; else (0x200 | M) << (E + 11) */
	read_caps(&caps, 1, PMBIDR | 3ULL << 32, PMSIDR);
	EXPECT_EQ(caps.max_buffer, 3 * 4096);
	read_caps(&caps, 1, PMBIDR | 1ULL << 32 | 1ULL << 41, PMSIDR);
	EXPECT_EQ(caps.max_buffer, 0x201ULL << 12);
	read_caps(&caps, 1, PMBIDR | 2ULL << 32 | 3ULL << 41, PMSIDR);
	EXPECT_EQ(caps.max_buffer, 0x202ULL << 14);
}

/* The CPU whose hypervisor allows less decides, whichever comes first. */
TEST(limits_of_two_cpus)
{
	struct spe_caps small, large;

	read_caps(&small, 1, PMBIDR | 3ULL << 32, PMSIDR);
	read_caps(&large, 1, PMBIDR | 4ULL << 32, PMSIDR);
	caps = small;
	spe_caps_merge(&caps, &large);
	EXPECT_EQ(caps.max_buffer, 3 * 4096);
	EXPECT_TRUE(spe_caps_cover(&large, &caps));
	caps = large;
	EXPECT_FALSE(spe_caps_cover(&small, &caps));
	spe_caps_merge(&caps, &small);
	EXPECT_EQ(caps.max_buffer, 3 * 4096);
}

TEST(two_cpus_have_in_common)
{
	struct spe_caps a, b;

	read_caps(&a, 3, PMBIDR, PMSIDR | 0xff);
	read_caps(&b, 1, 11, 3ULL << 16 | 11 << 12 | 8 << 8 | 1);
	spe_caps_merge(&a, &b);
	EXPECT_EQ(a.features, SPE_FEAT_FILT_EVENT | SPE_FEAT_VIRTUAL);
	EXPECT_EQ(a.max_record, 2048);
	EXPECT_EQ(a.align, 2048);
	EXPECT_EQ(a.counter_bits, 12);
	EXPECT_EQ(a.min_interval, 4096);
	EXPECT_EQ(a.pmsver, 1);
	EXPECT_TRUE(spe_caps_cover(&b, &a));
}

/* An extra feature of one CPU is removed, whichever comes first. */
TEST(the_second_cpu_has_more)
{
	struct spe_caps a, b;

	read_caps(&a, 1, PMBIDR, PMSIDR);
	read_caps(&b, 3, PMBIDR, (PMSIDR & ~(0xfULL << 16)) | 3 << 16 | 0xff);
	spe_caps_merge(&b, &a);
	EXPECT_EQ(b.counter_bits, 12);
	EXPECT_EQ(b.features, a.features);
	read_caps(&b, 3, PMBIDR, (PMSIDR & ~(0xfULL << 16)) | 3 << 16 | 0xff);
	spe_caps_merge(&a, &b);
	EXPECT_EQ(a.counter_bits, 12);
	EXPECT_EQ(a.pmsver, 1);
	EXPECT_EQ(a.features, SPE_FEAT_FILT_EVENT | SPE_FEAT_FILT_TYPE |
			      SPE_FEAT_FILT_LATENCY | SPE_FEAT_VIRTUAL);
}

TEST(late_cpu_with_less_stays_out)
{
	struct spe_caps pmu, cpu;

	read_caps(&pmu, 3, PMBIDR, PMSIDR);
	read_caps(&cpu, 3, PMBIDR, PMSIDR | 0xff);
	EXPECT_TRUE(spe_caps_cover(&cpu, &pmu));
	read_caps(&cpu, 2, PMBIDR, PMSIDR);
	EXPECT_FALSE(spe_caps_cover(&cpu, &pmu));
	read_caps(&cpu, 3, 11, PMSIDR);
	EXPECT_FALSE(spe_caps_cover(&cpu, &pmu));
	read_caps(&cpu, 3, PMBIDR, PMSIDR | 7 << 12);
	EXPECT_FALSE(spe_caps_cover(&cpu, &pmu));
	/* A latency filter of 16 bits would lose the upper ones. */
	read_caps(&pmu, 3, PMBIDR, (PMSIDR & ~(0xfULL << 16)) | 3ULL << 16);
	EXPECT_TRUE(spe_caps_cover(&pmu, &pmu));
	EXPECT_FALSE(spe_caps_cover(&cpu, &pmu));
	read_caps(&cpu, 3, PMBIDR, PMSIDR);
	EXPECT_FALSE(spe_caps_cover(&cpu, &pmu));
}

static const struct pmscope_access open_by_report = {
	PMSCOPE_ACCESS_OPEN, PMSCOPE_REPORTED
}, unknown = {
	PMSCOPE_ACCESS_UNKNOWN, PMSCOPE_NOT_REPORTED
}, trapped = {
	PMSCOPE_ACCESS_TRAPPED, PMSCOPE_TRIED
};

TEST(firmware_closes_what_the_cpu_has)
{
	struct spe_caps pmu = { .features = 0x7 }, cpu = { .features = 0x7 };

	spe_caps_guard(&pmu, 0x4, PMSCOPE_PMSDSFR, open_by_report);
	EXPECT_EQ(pmu.features, 0x7);
	spe_caps_guard(&cpu, 0x4, PMSCOPE_PMSDSFR, trapped);
	EXPECT_EQ(cpu.features, 0x3);
	/* A single CPU with the register closed is enough. */
	spe_caps_merge(&pmu, &cpu);
	EXPECT_EQ(pmu.features, 0x3);
	EXPECT_EQ(pmu.access[PMSCOPE_PMSDSFR].state, PMSCOPE_ACCESS_TRAPPED);
	EXPECT_EQ(pmu.access[PMSCOPE_PMSDSFR].known_by, PMSCOPE_TRIED);
	EXPECT_TRUE(spe_caps_cover(&cpu, &pmu));
	/* A register that is closed on one of two CPUs stays closed. */
	spe_caps_guard(&cpu, 0x4, PMSCOPE_PMSDSFR, open_by_report);
	spe_caps_merge(&pmu, &cpu);
	EXPECT_EQ(pmu.access[PMSCOPE_PMSDSFR].state, PMSCOPE_ACCESS_TRAPPED);
	/* Unknown ranks below open, and absent below unknown. */
	spe_caps_guard(&cpu, 0x4, PMSCOPE_PMSDSFR, unknown);
	spe_caps_merge(&pmu, &cpu);
	EXPECT_EQ(pmu.access[PMSCOPE_PMSDSFR].state, PMSCOPE_ACCESS_UNKNOWN);
	cpu.features = 0x7;
	spe_caps_guard(&cpu, 0x4, PMSCOPE_PMSDSFR, unknown);
	EXPECT_EQ(cpu.features, 0x3);
	EXPECT_EQ(pmu.access[PMSCOPE_PMBMAR].state, PMSCOPE_ACCESS_NONE);
}

TEST(errata_of_each_cpu_are_those_of_the_pmu)
{
	struct spe_caps pmu = { .errata = 0x1 }, cpu = { .errata = 0x2 };

	spe_caps_merge(&pmu, &cpu);
	EXPECT_EQ(pmu.errata, 0x3);
}

TEST(late_cpu_brings_its_errata)
{
	struct spe_caps pmu = { .errata = 0x1 }, cpu = { .errata = 0x7 };

	EXPECT_EQ(spe_caps_add_errata(&pmu, &cpu), 0x6);
	EXPECT_EQ(pmu.errata, 0x7);
	/* Known errata are not reported again. */
	EXPECT_EQ(spe_caps_add_errata(&pmu, &cpu), 0);
	cpu.errata = 0;
	EXPECT_EQ(spe_caps_add_errata(&pmu, &cpu), 0);
	EXPECT_EQ(pmu.errata, 0x7);
}

TEST(a_probed_cpu_has_what_is_open)
{
	const unsigned long all = SPE_FEAT_FILT_INV_EVENT |
				  SPE_FEAT_FILT_SOURCE | SPE_FEAT_PHYSICAL;

	dfr2 = 1ULL << 20;
	read_caps(&caps, 6, PMBIDR | 1 << 6, PMSIDR | 0xff);
	traps = PMSCOPE_PMBMAR;
	midr = 0x414fd0c0;
	EXPECT_EQ(spe_caps_probe(&caps, false), 0);
	EXPECT_EQ(caps.features & all, all & ~SPE_FEAT_PHYSICAL);
	EXPECT_EQ(caps.access[PMSCOPE_PMBMAR].state, PMSCOPE_ACCESS_TRAPPED);
	EXPECT_NE(caps.errata, 0);
	/* physical_buffers=1 takes that register for open, and no other. */
	EXPECT_EQ(spe_caps_probe(&caps, true), 0);
	EXPECT_EQ(caps.features & all, all);
	traps = PMSCOPE_PMSDSFR;
	EXPECT_EQ(spe_caps_probe(&caps, true), 0);
	EXPECT_EQ(caps.features & all, all & ~SPE_FEAT_FILT_SOURCE);
	traps = PMSCOPE_NR_GUARDED;
	midr = 0x414fd490;
	dfr2 = 0;
	/* What a CPU does not have is not looked for. */
	caps = (struct spe_caps){ };
	EXPECT_EQ(spe_caps_probe(&caps, false), 0);
	EXPECT_EQ(caps.access[PMSCOPE_PMBMAR].state, PMSCOPE_ACCESS_NONE);
}

TEST(late_cpu_joins_where_it_has_everything)
{
	struct spe_caps pmu, cpu;

	read_caps(&pmu, 3, PMBIDR, PMSIDR | 0xff);
	read_caps(&cpu, 3, PMBIDR, PMSIDR);
	cpu.errata = 0x1;
	EXPECT_FALSE(spe_caps_join(NULL, &pmu, &cpu));
	EXPECT_EQ(pmu.errata, 0);
	EXPECT_TRUE(spe_caps_join(NULL, &cpu, &pmu));
	EXPECT_EQ(cpu.errata, 0x1);
}

TEST(erratum_of_neoverse_n1_before_r4p1)
{
	char page[PAGE_SIZE] = "";
	unsigned long found;

	/* Variant and revision are bits 23 to 20 and 3 to 0. */
	EXPECT_EQ(spe_caps_errata(0x414fd0c1), 0);
	EXPECT_EQ(spe_caps_errata(0x414fd490), 0);
	EXPECT_NE(spe_caps_errata(0x410fd0c0), 0);
	found = spe_caps_errata(0x414fd0c0);
	ASSERT_NE(found, 0);
	EXPECT_EQ(spe_caps_emit_errata(page, found), (int)strlen(page));
	EXPECT_EQ(strncmp(page, "1694299 ", 8), 0);
	EXPECT_EQ(spe_caps_emit_errata(page, 0), 0);
}

TEST(access_in_words_is_of_the_registers_that_a_cpu_has)
{
	struct spe_caps caps = { };
	char text[64] = "x";

	EXPECT_EQ(spe_caps_print_access(&caps, text, sizeof(text)), 0);
	EXPECT_EQ(strcmp(text, ""), 0);
	caps.access[PMSCOPE_PMSNEVFR].state = PMSCOPE_ACCESS_OPEN;
	caps.access[PMSCOPE_PMBMAR].state = PMSCOPE_ACCESS_TRAPPED;
	EXPECT_EQ(spe_caps_print_access(&caps, text, sizeof(text)),
		  (int)strlen("2 is 3, 4 is 2"));
	EXPECT_EQ(strcmp(text, "2 is 3, 4 is 2"), 0);
}
