/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features that show in ID registers, in RES0 bits, in the packets of a record
 * and in the filters: each as the properties of the CPU have it.
 */
#include "lib/spe.h"

#define HEADER_BRANCH	 0x4a
#define HEADER_EVENTS_4	 0x62
#define HEADER_EVENTS_2	 0x52
#define HEADER_SOURCE	 0x43
#define HEADER_PREVIOUS	 0xb4
#define HEADER_PC	 0xb0

#define CR(operation)	 FIELD(operation, 4, 3)
enum { CR_NONE, CR_CALL, CR_RETURN, CR_NEITHER };

#define EVENT_L1D_REFILL BIT(3)
#define EVENT_LLC_MISS	 BIT(9)
#define EVENT_L2D_ACCESS BIT(19)
#define EVENT_L2D_MISS	 BIT(20)
#define EVENTS_V1P4	 GENMASK(23, 19)

#define SOURCE_L1	 0x0

static u64 version(void)
{
	return property("spe-version", 2);
}

static u64 feature(const char *name)
{
	return property(name, 0);
}

static bool lacks(const char *name)
{
	return lacks_spe(1) || (name && lacks_property(name));
}

static void start(u64 pmsfcr)
{
	spe_start(base(), BUFFER_SIZE, 0);
	set_sysreg(pmsfcr, PMSFCR_EL1);
}

/* For each record: the value in one of its packets; 0 without one. */
static unsigned collect(u8 header, u64 *values, unsigned max)
{
	const u8 *p = spe_buffer, *next;
	const u8 *end = (u8 *)read_sysreg(PMBPTR_EL1);
	unsigned count = 0;

	while (p < end && count < max) {
		if (!spe_record_packet(p, end, header, &values[count]))
			values[count] = 0;
		if (!spe_record_packet(p, end, HEADER_PC, NULL) ||
		    !spe_record_end(p, end, &next))
			break;
		count++;
		p = next;
	}
	return count;
}

/* The code of the interval in PMSIDR_EL1.Interval; the codes are irregular. */
static u64 interval_code(void)
{
	switch (property("spe-interval", 256)) {
	case 256:
		return 0;
	case 3072:
		return 7;
	case 4096:
		return 8;
	default:
		return ~0UL;
	}
}

TEST(ID_registers_tell_what_is_modelled, lacks(NULL))
{
	u64 pmsidr = read_sysreg(PMSIDR_EL1);
	u64 countsize = property("spe-countsize", 12);

	/* The filters FE, FT and FL, ArchInst and LDS; FPF. */
	EXPECT_EQ(FIELD(pmsidr, 4, 0), 0x1f);
	EXPECT_EQ(FIELD(pmsidr, 27, 27), 1);
	EXPECT_EQ(FIELD(pmsidr, 15, 12), 6);
	EXPECT_EQ(FIELD(pmsidr, 19, 16), countsize == 16 ? 3 : 2);
	EXPECT_EQ(FIELD(read_sysreg(PMBIDR_EL1), 3, 0), 6);
	EXPECT_EQ(FIELD(read_sysreg(id_aa64dfr0_el1), 35, 32), version() + 1);
	EXPECT_EQ(FIELD(pmsidr, 5, 5), feature("spe-ernd"));
	EXPECT_EQ(FIELD(pmsidr, 6, 6), version() >= 2);
	EXPECT_EQ(FIELD(pmsidr, 7, 7), feature("spe-fds"));
	EXPECT_EQ(FIELD(pmsidr, 24, 24), feature("spe-pbt"));
	EXPECT_EQ(FIELD(pmsidr, 25, 25), feature("spe-crr"));
	EXPECT_EQ(FIELD(pmsidr, 26, 26), feature("spe-eft"));
	EXPECT_EQ(FIELD(pmsidr, 11, 8), interval_code());
	EXPECT_EQ(FIELD(pmsidr, 23, 20), 0);
	EXPECT_EQ(ID_AA64DFR2_SPE_NVM(read_sysreg(ID_AA64DFR2_EL1)),
		  property("spe-nvm", 1));
	EXPECT_EQ(ID_AA64DFR2_SPE_EXC(read_sysreg(ID_AA64DFR2_EL1)),
		  feature("spe-exc"));
}

static u64 event_mask(void)
{
	u64 sve = FIELD(read_sysreg(id_aa64pfr0_el1), 35, 32) ?
			  GENMASK(18, 17) : 0;
	u64 mask = BIT(1) | BIT(3) | BIT(5) | BIT(7);

	mask |= version() >= 1 ? BIT(11) | sve : 0;
	mask |= version() >= 2 ? BIT(6) : 0;
	return version() >= 4 ? mask | EVENTS_V1P4 : mask;
}

TEST(RES0_bits_follow_the_features, lacks(NULL))
{
	u64 optional = BIT(2) | BIT(4) | BIT(8) | BIT(9) | BIT(10), seen;

	write_sysreg(~0UL, PMSEVFR_EL1);
	EXPECT_EQ(read_sysreg(PMSEVFR_EL1) & ~optional, event_mask());
	write_sysreg(0, PMSEVFR_EL1);

	write_sysreg(0, PMBLIMITR_EL1);
	write_sysreg(0xffe, PMBLIMITR_EL1);
	seen = read_sysreg(PMBLIMITR_EL1);
	EXPECT_EQ(FIELD(seen, 2, 1), version() >= 2 ? 3 : 0);
	EXPECT_EQ(FIELD(seen, 5, 5), version() >= 2);
	EXPECT_EQ(FIELD(seen, 7, 7),
		  ID_AA64DFR2_SPE_NVM(read_sysreg(ID_AA64DFR2_EL1)));
	write_sysreg(0, PMBLIMITR_EL1);

	write_sysreg(~0UL, PMSFCR_EL1);
	seen = read_sysreg(PMSFCR_EL1);
	EXPECT_EQ(!!(seen & PMSFCR_FNE), version() >= 2);
	EXPECT_EQ(!!(seen & PMSFCR_FDS), feature("spe-fds"));
	EXPECT_EQ(FIELD(seen, 20, 19), feature("spe-eft") ? 3 : 0);
	EXPECT_EQ(FIELD(seen, 52, 48), feature("spe-eft") ? 31 : 0);
	write_sysreg(0, PMSFCR_EL1);

	EXPECT_EQ(TRY((void)read_sysreg(PMSNEVFR_EL1)), version() < 2);
}

TEST(RPSLVX_without_FEAT_SPE_nVM,
     lacks(NULL) ||
     skip_if(ID_AA64DFR2_SPE_NVM(read_sysreg(ID_AA64DFR2_EL1)), "FEAT_SPE_nVM"))
{
	EXPECT_EQ(TRY((void)read_sysreg(PMBMAR_EL1)), 1);
	EXPECT_EQ(PMBIDR_ADDRMODE(read_sysreg(PMBIDR_EL1)), 0);
	if (!have_el(2))
		return;
	write_sysreg(PMSCR_ENVM, PMSCR_EL2);
	EXPECT_EQ(read_sysreg(PMSCR_EL2) & PMSCR_ENVM, 0);
}

/* Calls, returns and other branches; the labels tell which is which. */
extern const char call_site[], return_site[], loop_site[], called[];

static __attribute__((noinline, noclone)) u64 calls(u64 rounds)
{
	spe_enable();
	asm volatile("1:\n"
		     ".globl call_site\n"
		     "call_site: bl called\n"
		     "subs %0, %0, #1\n"
		     ".globl loop_site\n"
		     "loop_site: b.ne 1b\n"
		     "b 2f\n"
		     ".globl called\n"
		     "called: nop\n"
		     ".globl return_site\n"
		     "return_site: ret\n"
		     "2:\n"
		     : "+r"(rounds) : : "x30", "cc", "memory");
	spe_disable();
	return 0;
}

#define RECORDS 200

static u64 pcs[RECORDS], values[RECORDS];

static unsigned sample_calls(u8 header)
{
	unsigned count;

	start(PMSFCR_FT | PMSFCR_B);
	run_at(1, calls, 300 * 257 / 6);
	spe_drain();
	count = collect(header, values, RECORDS);
	collect(HEADER_PC, pcs, RECORDS);
	EXPECT(count > 50);
	return count;
}

static u64 address(u64 packet)
{
	return packet & GENMASK(55, 0);
}

TEST(CRR_tells_calls_and_returns, lacks(NULL))
{
	bool crr = feature("spe-crr");
	unsigned count;

	count = sample_calls(HEADER_BRANCH);
	for (unsigned i = 0; i < count; i++) {
		u64 pc = address(pcs[i]);

		if (pc == (u64)call_site)
			EXPECT_EQ(CR(values[i]), crr ? CR_CALL : CR_NONE);
		else if (pc == (u64)return_site)
			EXPECT_EQ(CR(values[i]), crr ? CR_RETURN : CR_NONE);
		else if (pc == (u64)loop_site)
			EXPECT_EQ(CR(values[i]), crr ? CR_NEITHER : CR_NONE);
	}
}

TEST(PBT_is_the_branch_target_before, lacks(NULL))
{
	bool pbt = feature("spe-pbt");
	unsigned count;

	count = sample_calls(HEADER_PREVIOUS);
	/* The first and the last may be outside of the loop. */
	for (unsigned i = 1; i + 1 < count; i++) {
		u64 pc = address(pcs[i]), before = address(values[i]);

		if (!pbt)
			EXPECT_EQ(values[i], 0);
		else if (pc == (u64)call_site)
			EXPECT_EQ(before, (u64)call_site);
		else if (pc == (u64)return_site)
			EXPECT_EQ(before, (u64)called);
		else if (pc == (u64)loop_site)
			EXPECT_EQ(before, (u64)call_site + 4);
	}
}

/* Loads all over the buffer's second half: most miss in every cache. */
static u64 loads(u64 count)
{
	u64 offset = 0, from = base() + BUFFER_SIZE / 2;

	spe_enable();
	for (; count; count--) {
		asm volatile("ldr xzr, [%0]" : : "r"(from + offset));
		offset = (offset + 64 * 37) % (BUFFER_SIZE / 2);
	}
	spe_disable();
	return 0;
}

static u64 loads_of_one_line(u64 count)
{
	spe_enable();
	for (; count; count--)
		asm volatile("ldr xzr, [%0]" : : "r"(base()));
	spe_disable();
	return 0;
}

static unsigned sample_loads(u64 pmsfcr, u8 header)
{
	start(pmsfcr);
	run_at(1, loads, 20000);
	spe_drain();
	return collect(header, values, RECORDS);
}

TEST(v1p4_events_of_a_miss, lacks(NULL))
{
	u8 header = version() >= 4 ? HEADER_EVENTS_4 : HEADER_EVENTS_2;
	unsigned count, misses = 0;

	write_sysreg(0, PMSEVFR_EL1);
	count = sample_loads(PMSFCR_FT | PMSFCR_LD, header);
	EXPECT(count > 20);
	for (unsigned i = 0; i < count; i++) {
		u64 events = values[i];

		if (version() < 4) {
			EXPECT_EQ(events & EVENTS_V1P4, 0);
			continue;
		}
		/* An L1 miss looks in L2. */
		EXPECT_EQ(!!(events & EVENT_L2D_ACCESS),
			  !!(events & EVENT_L1D_REFILL));
		if (events & EVENT_LLC_MISS)
			EXPECT(events & EVENT_L2D_MISS);
		misses += !!(events & EVENT_L2D_ACCESS);
	}
	if (version() >= 4)
		note("%u of %u loads missed", misses, count);
}

/* More pages than the TLB has entries, of memory behind the program */
static u64 loads_of_many_pages(u64 count)
{
	spe_enable();
	for (; count; count--)
		asm volatile("ldr xzr, [%0]"
			     : : "r"(base() + count % 4096 * (SPE_PAGE + 64)));
	spe_disable();
	return 0;
}

/* Loads that miss, in the TLB or not, and loads that hit */
static unsigned sample_mixed_loads(u64 pmsfcr, u8 header)
{
	start(pmsfcr | PMSFCR_FT | PMSFCR_LD);
	run_at(1, loads, 10000);
	run_at(1, loads_of_one_line, 10000);
	run_at(1, loads_of_many_pages, 10000);
	spe_drain();
	return collect(header, values, RECORDS);
}

#define HEADER_TOTAL 0x98

TEST(MINLAT_is_the_least_latency, lacks(NULL))
{
	unsigned count = sample_mixed_loads(0, HEADER_TOTAL), equal = 0;
	u64 least = ~0UL;

	for (unsigned i = 0; i < count; i++)
		least = values[i] < least ? values[i] : least;
	for (unsigned more = 0; more < 2; more++) {
		set_sysreg(least + more, PMSLATFR_EL1);
		count = sample_mixed_loads(PMSFCR_FL, HEADER_TOTAL);
		EXPECT(count > 10);
		for (unsigned i = 0; i < count; i++) {
			EXPECT(values[i] >= least + more);
			equal += values[i] == least;
		}
		EXPECT(equal > 10);
	}
	/* A latency of more bits than PMSIDR_EL1.CountSize has is none. */
	set_sysreg(GENMASK(15, 0), PMSLATFR_EL1);
	EXPECT_EQ(FIELD(read_sysreg(PMSLATFR_EL1), 15, 0),
		  GENMASK(property("spe-countsize", 12) - 1, 0));
	EXPECT_EQ(sample_mixed_loads(PMSFCR_FL, HEADER_TOTAL), 0);
	set_sysreg(0, PMSLATFR_EL1);
}

#define EVENT_TLB_WALK BIT(5)
#define MISSES (EVENT_L1D_REFILL | EVENT_TLB_WALK)

/* Records with none, one and both of the events, as bits 0 to 3 */
static unsigned combinations(u64 pmsfcr)
{
	u8 header = version() >= 4 ? HEADER_EVENTS_4 : HEADER_EVENTS_2;
	unsigned count = sample_mixed_loads(pmsfcr, header), seen = 0;

	for (unsigned i = 0; i < count; i++)
		seen |= 1 << (!!(values[i] & EVENT_L1D_REFILL) +
			      2 * !!(values[i] & EVENT_TLB_WALK));
	return seen;
}

TEST(PMSEVFR_EL1_requires_all_events, lacks(NULL))
{
	unsigned all = combinations(0);

	/* None; only a refill; both */
	EXPECT_EQ(all & 0xb, 0xb);
	set_sysreg(MISSES, PMSEVFR_EL1);
	EXPECT_EQ(combinations(PMSFCR_FE), 0x8);
	EXPECT_EQ(combinations(0), all);
	set_sysreg(0, PMSEVFR_EL1);
	EXPECT_EQ(combinations(PMSFCR_FE), all);
}

TEST(PMSNEVFR_EL1_refuses_any_event,
     lacks(NULL) || skip_if(version() < 2, "no FEAT_SPEv1p2"))
{
	set_sysreg(MISSES, PMSNEVFR_EL1);
	EXPECT_EQ(combinations(PMSFCR_FNE), 0x1);
	EXPECT_EQ(combinations(0) & 0xb, 0xb);
	set_sysreg(0, PMSNEVFR_EL1);
	EXPECT_EQ(combinations(PMSFCR_FNE) & 0xb, 0xb);
}

enum { LOADS = 1, STORES = 2, BRANCHES = 4, OTHERS = 8 };

static const u8 type_at[] = { LOADS, STORES, OTHERS, OTHERS, BRANCHES };
extern const char mixture_loop[];

/* A loop of a load, a store, a branch and two other instructions. */
static __attribute__((noinline, noclone)) u64 mixture(u64 rounds)
{
	spe_enable();
	asm volatile(".globl mixture_loop\n"
		     "mixture_loop:\n"
		     "ldr x9, [%1]\n str x9, [%1]\n nop\n"
		     "subs %0, %0, #1\n b.ne mixture_loop\n"
		     : "+r"(rounds) : "r"(base() + BUFFER_SIZE - 8)
		     : "x9", "cc", "memory");
	spe_disable();
	return 0;
}

TEST(FDS_filters_loads_by_source, lacks("spe-fds"))
{
	unsigned count;

	write_sysreg(BIT(SOURCE_L1), PMSDSFR_EL1);
	start(PMSFCR_FDS | PMSFCR_FT | PMSFCR_LD);
	run_at(1, loads, 20000);
	spe_drain();
	run_at(1, mixture, 2000);
	spe_drain();
	count = collect(HEADER_SOURCE, values, RECORDS);
	EXPECT(count > 0);
	for (unsigned i = 0; i < count; i++)
		EXPECT_EQ(values[i], SOURCE_L1);
	write_sysreg(~BIT(SOURCE_L1), PMSDSFR_EL1);
	count = sample_loads(PMSFCR_FDS | PMSFCR_FT | PMSFCR_LD,
			     HEADER_SOURCE);
	EXPECT(count > 0);
	for (unsigned i = 0; i < count; i++)
		EXPECT_NE(values[i], SOURCE_L1);
	/* Operations that load nothing are not filtered. */
	write_sysreg(0, PMSDSFR_EL1);
	start(PMSFCR_FDS);
	profile_at(1, 20 * 257);
	EXPECT(collect(HEADER_PC, values, RECORDS) >= 19);
}

static void count_types(u64 pmsfcr, unsigned *seen, unsigned *count)
{
	static u64 pc[RECORDS];
	unsigned n;

	start(PMSFCR_FT | pmsfcr);
	run_at(1, mixture, 100 * 257 / 5);
	spe_drain();
	n = collect(HEADER_PC, pc, RECORDS);
	*seen = 0;
	*count = 0;
	for (unsigned i = 0; i < n; i++) {
		u64 index = (address(pc[i]) - (u64)mixture_loop) / 4;

		if (index < ARRAY_SIZE(type_at)) {
			*seen |= type_at[index];
			++*count;
		}
	}
}

TEST(EFT_masks_select_exactly, lacks("spe-eft"))
{
	static const struct {
		u64 pmsfcr;
		unsigned types;
	} rows[] = {
		{ PMSFCR_LD, LOADS },
		{ PMSFCR_LD | PMSFCR_B, LOADS | BRANCHES },
		/* A mask with its type: only that; without: all but that. */
		{ PMSFCR_MASK(PMSFCR_B) | PMSFCR_B, BRANCHES },
		{ PMSFCR_MASK(PMSFCR_B), LOADS | STORES | OTHERS },
		{ PMSFCR_MASK(PMSFCR_LD) | PMSFCR_MASK(PMSFCR_ST),
		  BRANCHES | OTHERS },
		/* Beside the mask, the types without one are alternatives. */
		{ PMSFCR_MASK(PMSFCR_LD) | PMSFCR_B | PMSFCR_ST,
		  STORES | BRANCHES },
		/* No operation is both a load and a branch. */
		{ PMSFCR_MASK(PMSFCR_LD) | PMSFCR_LD | PMSFCR_B, 0 },
		{ PMSFCR_FP | PMSFCR_SIMD, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned seen, count;

		count_types(rows[i].pmsfcr, &seen, &count);
		if (!EXPECT_EQ(seen, rows[i].types) ||
		    !EXPECT_EQ(count > 0, rows[i].types != 0))
			note("row %u: %u records", i, count);
	}
}
