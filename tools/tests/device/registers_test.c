// SPDX-License-Identifier: GPL-2.0-or-later
#include "device/registers.h"
#include "ktap.h"

static const struct register_field *field(const char *reg_name,
					  const char *name)
{
	const struct device_register *reg = register_find(reg_name);
	const struct register_field *f = reg ? reg->field : NULL;

	while (f && f->name && strcmp(f->name, name))
		f++;
	return f && f->name ? f : NULL;
}

TEST(families_are_found_by_any_number)
{
	ASSERT_TRUE(register_find("PMEVCNTSVR30_EL1"));
	EXPECT_STREQ(register_find("PMEVCNTSVR30_EL1")->name,
		     "PMEVCNTSVRn_EL1");
	EXPECT_TRUE(!register_find("PMEVCNTSVR_EL1"));
	EXPECT_TRUE(!register_find("PMCR_EL01"));
	EXPECT_TRUE(!register_find(""));
}

/* Positions of Arm ARM D24.5 and D24.7. */
TEST(fields_are_where_the_arm_arm_has_them)
{
	static const struct {
		const char *reg, *field;
		uint64_t mask;
	} rows[] = {
		{"ID_AA64DFR0_EL1", "PMSS", 0xf0000},
		{"ID_AA64DFR0_EL1", "PMSVer", 0xf00000000},
		{"ID_AA64DFR0_EL1", "DoubleLock", 0xf000000000},
		{"ID_AA64DFR1_EL1", "ITE", 0xf00000000000},
		{"ID_AA64DFR0_EL1", "PMUVer", 0xf00},
		{"MDCR_EL2", "PMSSE", 0xc0000000},
		{"MDCR_EL2", "E2PB", 0x3000},
		{"MDCR_EL2", "HPMD", 1 << 17},
		{"MDCR_EL2", "PMEE", 3ULL << 40},
		{"MDCR_EL2", "EnSTEPOP", 1ULL << 50},
		{"PMCR_EL0", "FZS", 1ULL << 32},
		{"PMCR_EL0", "N", 0xf800},
		{"PMECR_EL1", "SSE", 0x18},
		{"PMEVTYPER0_EL0", "evtCount", 0xffff},
		{"PMEVTYPER0_EL0", "TLC", 3ULL << 54},
		{"PMMIR_EL1", "BUS_WIDTH", 0xf0000},
		{"PMSSCR_EL1", "NC", 1ULL << 32},
		{"PMSSCR_EL1", "SS", 1},
		{"PMBSR_EL1", "EC", 0xfc000000},
		{"PMBSR_EL1", "S", 1 << 17},
		{"PMBSR_EL1", "COLL", 1 << 16},
		{"PMBSR_EL1", "MSS2", 0xffffff00000000},
		{"PMBLIMITR_EL1", "PMFZ", 1 << 5},
		{"PMBLIMITR_EL1", "nVM", 1 << 7},
		{"PMBLIMITR_EL1", "LIMIT", ~0xfffULL},
		{"PMBIDR_EL1", "MaxBuffSize", 0xffff00000000},
		{"PMSIDR_EL1", "CountSize", 0xf0000},
		{"PMSIDR_EL1", "Interval", 0xf00},
		{"PMSCR_EL1", "EE", 0x300},
		{"PMSCR_EL1", "PCT", 0xc0},
		{"PMSICR_EL1", "ECOUNT", 0xffULL << 56},
		{"PMSIRR_EL1", "INTERVAL", 0xffffff00},
		{"PMSFCR_EL1", "LDm", 1ULL << 49},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct register_field *f;

		ktap_note("%s.%s", rows[i].reg, rows[i].field);
		f = field(rows[i].reg, rows[i].field);
		ASSERT_TRUE(f);
		EXPECT_EQ(register_field_get(f, ~0ULL) << f->low, rows[i].mask);
	}
}

TEST(fields_of_a_register_never_overlap)
{
	static const char *const names[] = {
		"ID_AA64DFR0_EL1", "ID_AA64DFR1_EL1", "ID_AA64DFR2_EL1",
		"MDCR_EL2",	   "PMBIDR_EL1",      "PMBLIMITR_EL1",
		"PMBMAR_EL1",	   "PMBPTR_EL1",      "PMBSR_EL1",
		"PMCCFILTR_EL0",   "PMCR_EL0",	      "PMECR_EL1",
		"PMEVTYPER0_EL0",  "PMICFILTR_EL0",   "PMMIR_EL1",
		"PMSCR_EL1",	   "PMSCR_EL12",      "PMSCR_EL2",
		"PMSFCR_EL1",	   "PMSICR_EL1",      "PMSIDR_EL1",
		"PMSIRR_EL1",	   "PMSLATFR_EL1",    "PMSSCR_EL1",
		"PMUSERENR_EL0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct device_register *reg;
		uint64_t seen = 0;

		ktap_note("%s", names[i]);
		reg = register_find(names[i]);
		ASSERT_TRUE(reg);
		for (const struct register_field *f = reg->field; f->name;
		     f++) {
			uint64_t mask = register_field_get(f, ~0ULL) << f->low;

			EXPECT_EQ(seen & mask, 0u);
			seen |= mask;
		}
		EXPECT_EQ(register_rest(reg, ~0ULL), ~seen);
	}
}

TEST(values_have_words)
{
	const struct register_field *f = field("PMBSR_EL1", "EC");

	ASSERT_TRUE(f);
	EXPECT_STREQ(register_field_text(f, 0x24), "stage 1 abort");
	EXPECT_STREQ(register_field_text(f, 0x1e), "granule protection check");
	EXPECT_TRUE(!register_field_text(f, 0x3f));
	f = field("PMSIDR_EL1", "Interval");
	ASSERT_TRUE(f);
	EXPECT_STREQ(register_field_text(f, 5), "1536");
	EXPECT_TRUE(!register_field_text(f, 1));
}

TEST(lines_of_the_dump_are_read)
{
	struct register_value v;

	ASSERT_EQ(register_parse("cpu12 PMCR_EL0 0x410130c0\n", &v), 0);
	EXPECT_EQ(v.cpu, 12);
	EXPECT_STREQ(v.name, "PMCR_EL0");
	EXPECT_EQ(v.value, 0x410130c0u);
}

TEST(lines_that_are_none_are_refused)
{
	static const char *const bad[] = {
		"",
		"cpu PMCR_EL0 0x1",
		"cpu0 PMCR_EL0 1",
		"cpu0 0x1",
		"cpu0 PMCR_EL0 0x1 more",
		"cpu-1 PMCR_EL0 0x1",
		"cpu+1 PMCR_EL0 0x1",
		"cpu 1 PMCR_EL0 0x1",
		"cpu4294967297 PMCR_EL0 0x1",
		"cpu0 PMCR_EL0 0x-1",
		"cpu0 PMCR_EL0 0x 1",
		"cpu0 PMCR_EL0 0x0x1",
		"cpu0 PMCR_EL0 0x11112222333344445",
		"PMCR_EL0 0x1",
	};
	struct register_value v;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ktap_note("'%s'", bad[i]);
		EXPECT_EQ(register_parse(bad[i], &v), -EINVAL);
	}
}
