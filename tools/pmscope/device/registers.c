// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "registers.h"

typedef const char *const words;

/* As many per line as fit. */
/* clang-format off */

#define BITS(name, high, low) { name, high, low, NULL, 0 }
#define BIT(name, bit) { name, bit, bit, NULL, 0 }
#define NAMED(name, high, low, values)                                         \
	{ name, high, low, values, ARRAY_SIZE(values) }
#define END {}

/* Meanings of values, by the value. */

static words pmuver[] = {
	"no PMU", "PMUv3", NULL, NULL, "PMUv3p1", "PMUv3p4", "PMUv3p5",
	"PMUv3p7", "PMUv3p8", "PMUv3p9", [15] = "IMPLEMENTATION DEFINED",
};
static words pmsver[] = {
	"no SPE", "SPE", "SPEv1p1", "SPEv1p2", "SPEv1p3", "SPEv1p4", "SPEv1p5",
};
static words present[] = { "no", "yes" };
static words enabled[] = { "off", "on" };
static words pmsse[] = {
	"captures disabled", "the lower level decides",
	"captures prohibited", "captures allowed",
};
static words sse[] = {
	"captures disabled", "reserved", "captures prohibited",
	"captures allowed",
};
static words pmee[] = { "interrupt", "reserved", "reserved", "exception" };
static words nc[] = { "captured", "not captured" };
static words ss[] = { "complete", "in progress" };
static words pct[] = { "virtual time", "physical time", "reserved",
		       "guest physical time" };
static words e2pb[] = {
	"EL2 owns the buffer", "reserved", "EL1 owns it, its access traps",
	"EL1 owns it",
};
static words min_interval[] = {
	"256", NULL, "512", "768", "1024", "1536", "2048", "3072", "4096",
};
static words record_size[] = {
	[6] = "64 bytes", "128 bytes", "256 bytes", "512 bytes", "1 KiB",
	"2 KiB",
};
static words counter_size[] = {
	[2] = "12 bits, saturating", "16 bits, saturating",
};
static words addr_mode[] = {
	"virtual addresses", "virtual and physical addresses", "reserved",
	"physical addresses",
};
static words external_abort[] = { "not described", "ignored", "SError" };
static words fill_mode[] = { "stop when full", "reserved", "discard" };
static words shareability[] = { "non-shareable", "reserved",
				"outer shareable", "inner shareable" };
static words buffer_status_ec[] = {
	"other", [0x1e] = "granule protection check", "IMPLEMENTATION DEFINED",
	[0x24] = "stage 1 abort", "stage 2 abort",
};

/* Fields, from the top bit down. */

typedef const struct register_field fields;

static fields whole[] = { BITS("VALUE", 63, 0), END };

static fields id_aa64dfr0[] = {
	BITS("HPMN0", 63, 60), BITS("ExtTrcBuff", 59, 56), BITS("BRBE", 55, 52),
	BITS("MTPMU", 51, 48), BITS("TraceBuffer", 47, 44),
	BITS("TraceFilt", 43, 40), BITS("DoubleLock", 39, 36),
	NAMED("PMSVer", 35, 32, pmsver), BITS("CTX_CMPs", 31, 28),
	BITS("SEBEP", 27, 24), BITS("WRPs", 23, 20),
	NAMED("PMSS", 19, 16, present), BITS("BRPs", 15, 12),
	NAMED("PMUVer", 11, 8, pmuver), BITS("TraceVer", 7, 4),
	BITS("DebugVer", 3, 0), END
};
static fields id_aa64dfr1[] = {
	BITS("ABL_CMPs", 63, 56), BITS("DPFZS", 55, 52), BITS("EBEP", 51, 48),
	BITS("ITE", 47, 44), BITS("ABLE", 43, 40),
	NAMED("PMICNTR", 39, 36, present), BITS("SPMU", 35, 32),
	BITS("CTX_CMPs", 31, 24), BITS("WRPs", 23, 16), BITS("BRPs", 15, 8),
	BITS("SYSPMUID", 7, 0), END
};
static fields id_aa64dfr2[] = {
	NAMED("SPE_nVM", 23, 20, present), NAMED("SPE_EXC", 19, 16, present),
	END
};
static fields mdcr_el2[] = {
	BIT("EnSTEPOP", 50), BIT("EBWE", 43), BITS("PMEE", 41, 40),
	BIT("HPMFZS", 36), NAMED("PMSSE", 31, 30, pmsse), BIT("HPMFZO", 29),
	BIT("MTPME", 28), BIT("TDCC", 27), BIT("HLP", 26), BITS("E2TB", 25, 24),
	BIT("HCCD", 23), BIT("TTRF", 19), BIT("HPMD", 17), BIT("EnSPM", 15),
	BIT("TPMS", 14), NAMED("E2PB", 13, 12, e2pb), BIT("TDRA", 11),
	BIT("TDOSA", 10), BIT("TDA", 9), BIT("TDE", 8), BIT("HPME", 7),
	BIT("TPM", 6), BIT("TPMCR", 5), BITS("HPMN", 4, 0), END
};
static fields pmcr[] = {
	BIT("FZS", 32), BITS("IMP", 31, 24), BITS("IDCODE", 23, 16),
	BITS("N", 15, 11), BIT("FZO", 9), BIT("LP", 7), BIT("LC", 6),
	BIT("DP", 5), BIT("X", 4), BIT("D", 3), BIT("C", 2), BIT("P", 1),
	NAMED("E", 0, 0, enabled), END
};
static fields counter_set[] = {
	BIT("F0", 32), BIT("C", 31), BITS("P", 30, 0), END
};
static fields pmuserenr[] = {
	BIT("TID", 6), BIT("IR", 5), BIT("UEN", 4), BIT("ER", 3), BIT("CR", 2),
	BIT("SW", 1), BIT("EN", 0), END
};
static fields pmmir[] = {
	BITS("EDGE", 27, 24), BITS("THWIDTH", 23, 20), BITS("BUS_WIDTH", 19, 16),
	BITS("BUS_SLOTS", 15, 8), BITS("SLOTS", 7, 0), END
};
static fields pmevtyper[] = {
	BITS("TC", 63, 61), BIT("TE", 60), BIT("SYNC", 59), BITS("VS", 58, 57),
	BITS("TLC", 55, 54), BITS("TH", 43, 32), BIT("P", 31), BIT("U", 30),
	BIT("NSK", 29), BIT("NSU", 28), BIT("NSH", 27), BIT("M", 26),
	BIT("MT", 25), BIT("SH", 24), BIT("T", 23), BIT("RLK", 22),
	BIT("RLU", 21), BIT("RLH", 20), BITS("evtCount", 15, 0), END
};
static fields pmccfiltr[] = {
	BITS("VS", 58, 57), BIT("P", 31), BIT("U", 30), BIT("NSK", 29),
	BIT("NSU", 28), BIT("NSH", 27), BIT("M", 26), BIT("SH", 24),
	BIT("T", 23), BIT("RLK", 22), BIT("RLU", 21), BIT("RLH", 20), END
};
static fields pmicfiltr[] = {
	BIT("SYNC", 59), BITS("VS", 58, 57), BIT("P", 31), BIT("U", 30),
	BIT("NSK", 29), BIT("NSU", 28), BIT("NSH", 27), BIT("M", 26),
	BIT("SH", 24), BIT("T", 23), BIT("RLK", 22), BIT("RLU", 21),
	BIT("RLH", 20), BITS("evtCount", 15, 0), END
};
static fields pmecr[] = {
	NAMED("SSE", 4, 3, sse), BIT("KPME", 2), NAMED("PMEE", 1, 0, pmee), END
};
static fields pmsscr[] = {
	NAMED("NC", 32, 32, nc), NAMED("SS", 0, 0, ss), END
};
static fields pmsidr[] = {
	NAMED("SME", 32, 32, present), BITS("ALTCLK", 31, 28),
	NAMED("FPF", 27, 27, present), NAMED("EFT", 26, 26, present),
	NAMED("CRR", 25, 25, present), NAMED("PBT", 24, 24, present),
	BITS("Format", 23, 20), NAMED("CountSize", 19, 16, counter_size),
	NAMED("MaxSize", 15, 12, record_size),
	NAMED("Interval", 11, 8, min_interval), NAMED("FDS", 7, 7, present),
	NAMED("FnE", 6, 6, present), NAMED("ERnd", 5, 5, present),
	NAMED("LDS", 4, 4, present), NAMED("ArchInst", 3, 3, present),
	NAMED("FL", 2, 2, present), NAMED("FT", 1, 1, present),
	NAMED("FE", 0, 0, present), END
};
static fields pmbidr[] = {
	BITS("MaxBuffSize", 47, 32), NAMED("EA", 11, 8, external_abort),
	NAMED("AddrMode", 7, 6, addr_mode), NAMED("F", 5, 5, present),
	BIT("P", 4), BITS("Align", 3, 0), END
};
static fields pmscr[] = {
	BIT("EnVM", 11), BIT("KE", 10), BITS("EE", 9, 8),
	NAMED("PCT", 7, 6, pct), BIT("TS", 5), BIT("PA", 4), BIT("CX", 3),
	BIT("E1SPE", 1), BIT("E0SPE", 0), END
};
static fields pmscr_el2[] = {
	BIT("EnVM", 11), BIT("KE", 10), BITS("EE", 9, 8),
	NAMED("PCT", 7, 6, pct), BIT("TS", 5), BIT("PA", 4), BIT("CX", 3),
	BIT("E2SPE", 1), BIT("E0HSPE", 0), END
};
static fields pmsicr[] = {
	BITS("ECOUNT", 63, 56), BITS("COUNT", 31, 0), END
};
static fields pmsirr[] = { BITS("INTERVAL", 31, 8), BIT("RND", 0), END };
static fields pmsfcr[] = {
	BIT("SIMDm", 52), BIT("FPm", 51), BIT("STm", 50), BIT("LDm", 49),
	BIT("Bm", 48), BIT("SIMD", 20), BIT("FP", 19), BIT("ST", 18),
	BIT("LD", 17), BIT("B", 16), BIT("FDS", 4), BIT("FnE", 3), BIT("FL", 2),
	BIT("FT", 1), BIT("FE", 0), END
};
static fields pmslatfr[] = { BITS("MINLAT", 15, 0), END };
static fields pmblimitr[] = {
	BITS("LIMIT", 63, 12), BIT("nVM", 7), BIT("PMFZ", 5),
	NAMED("FM", 2, 1, fill_mode), NAMED("E", 0, 0, enabled), END
};
static fields pmbptr[] = { BITS("PTR", 63, 0), END };
static fields pmbmar[] = {
	NAMED("SH", 9, 8, shareability), BITS("Attr", 7, 0), END
};
static fields pmbsr[] = {
	BITS("MSS2", 55, 32), NAMED("EC", 31, 26, buffer_status_ec),
	BIT("DL", 19), BIT("EA", 18), BIT("S", 17), BIT("COLL", 16),
	BITS("MSS", 15, 0), END
};

static const struct device_register registers[] = {
	{ "ID_AA64DFR0_EL1", "debug features 0", id_aa64dfr0 },
	{ "ID_AA64DFR1_EL1", "debug features 1", id_aa64dfr1 },
	{ "ID_AA64DFR2_EL1", "debug features 2", id_aa64dfr2 },
	{ "MDCR_EL2", "monitor debug configuration", mdcr_el2 },
	{ "PMBIDR_EL1", "profiling buffer identification", pmbidr },
	{ "PMBLIMITR_EL1", "profiling buffer limit", pmblimitr },
	{ "PMBMAR_EL1", "profiling buffer memory attributes", pmbmar },
	{ "PMBPTR_EL1", "profiling buffer write pointer", pmbptr },
	{ "PMBSR_EL1", "profiling buffer status", pmbsr },
	{ "PMCCFILTR_EL0", "cycle counter filter", pmccfiltr },
	{ "PMCCNTR_EL0", "cycle counter", whole },
	{ "PMCCNTSVR_EL1", "captured cycle counter", whole },
	{ "PMCNTENSET_EL0", "counters that count", counter_set },
	{ "PMCR_EL0", "PMU control", pmcr },
	{ "PMECR_EL1", "PMU extended control", pmecr },
	{ "PMEVCNTRn_EL0", "event counter", whole },
	{ "PMEVCNTSVRn_EL1", "captured event counter", whole },
	{ "PMEVTYPERn_EL0", "event of a counter", pmevtyper },
	{ "PMICFILTR_EL0", "instruction counter filter", pmicfiltr },
	{ "PMICNTR_EL0", "instruction counter", whole },
	{ "PMICNTSVR_EL1", "captured instruction counter", whole },
	{ "PMINTENSET_EL1", "counters that interrupt", counter_set },
	{ "PMMIR_EL1", "PMU machine identification", pmmir },
	{ "PMOVSSET_EL0", "counters that overflowed", counter_set },
	{ "PMSCR_EL1", "SPE control of EL1 and EL0", pmscr },
	{ "PMSCR_EL12", "SPE control of EL1 and EL0, seen from EL2", pmscr },
	{ "PMSCR_EL2", "SPE control of EL2 and its EL0", pmscr_el2 },
	{ "PMSDSFR_EL1", "SPE data source filter", whole },
	{ "PMSEVFR_EL1", "SPE event filter", whole },
	{ "PMSFCR_EL1", "SPE filter control", pmsfcr },
	{ "PMSICR_EL1", "SPE interval counter", pmsicr },
	{ "PMSIDR_EL1", "SPE identification", pmsidr },
	{ "PMSIRR_EL1", "SPE interval reload", pmsirr },
	{ "PMSLATFR_EL1", "SPE latency filter", pmslatfr },
	{ "PMSNEVFR_EL1", "SPE inverse event filter", whole },
	{ "PMSSCR_EL1", "PMU snapshot control", pmsscr },
	{ "PMUACR_EL1", "PMU user access", counter_set },
	{ "PMUSERENR_EL0", "PMU user enable", pmuserenr },
};

/* clang-format on */

/* "PMEVCNTR12_EL0" belongs to the family "PMEVCNTRn_EL0". */
static bool matches(const char *pattern, const char *name)
{
	for (; *pattern && *name; pattern++) {
		if (*pattern == 'n' && isdigit((unsigned char)*name))
			while (isdigit((unsigned char)*name))
				name++;
		else if (*pattern != *name++)
			return false;
	}
	return !*pattern && !*name;
}

const struct device_register *register_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (matches(registers[i].name, name))
			return &registers[i];
	return NULL;
}

const char *register_field_text(const struct register_field *field,
				uint64_t bits)
{
	return bits < field->nr_values ? field->values[bits] : NULL;
}

uint64_t register_rest(const struct device_register *reg, uint64_t value)
{
	const struct register_field *field;

	for (field = reg->field; field->name; field++)
		value &= ~(register_field_get(field, UINT64_MAX) << field->low);
	return value;
}

int register_parse(const char *line, struct register_value *value)
{
	char cpu[10], bits[17];
	int end = 0;

	if (sscanf(line, "cpu%9[0-9] %31[A-Z0-9a-z_] 0x%16[0-9a-fA-F] %n", cpu,
		   value->name, bits, &end) != 3 ||
	    line[end])
		return -EINVAL;
	value->cpu = strtol(cpu, NULL, 10);
	value->value = strtoull(bits, NULL, 16);
	return 0;
}
