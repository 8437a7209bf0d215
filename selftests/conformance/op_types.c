/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operation Type packets: a loop of one instruction, and its samples. */
#include "lib/spe.h"

#define COPIES	 16
#define NOP	 0xd503201fU
#define RET	 0xd65f03c0U
/* subs x0, x0, #1; b.ne back to the first copy */
#define SUBS	 0xf1000400U
#define B_NE	 (0x54000001U | (-(COPIES + 1U) & 0x7ffff) << 5)

#define CPACR_FPEN (3UL << 20)
#define CPACR_ZEN  (3UL << 16)

enum needs { ALWAYS, SVE, MTE };

/*
 * X1 points to memory, Z registers have 128 bits, P0 is all true. An operation
 * that loads and stores has the payload of the half that the filter selects.
 */
static const struct row {
	const char *text;
	u32 insn;
	u8 header, payload;
	u64 pmsfcr;
	enum needs needs;
} rows[] = {
	{ "nop", NOP, 0x48, 0x00, 0, ALWAYS },
	{ "csel x9, x9, x9, eq", 0x9a890129, 0x48, 0x01, 0, ALWAYS },
	{ "ccmp x9, x9, #0, eq", 0xfa490120, 0x48, 0x01, 0, ALWAYS },
	{ "fadd d0, d0, d0", 0x1e602800, 0x48, 0x02, 0, ALWAYS },
	{ "fcsel d0, d0, d0, eq", 0x1e600c00, 0x48, 0x03, 0, ALWAYS },
	{ "add v0.4s, v0.4s, v0.4s", 0x4ea08400, 0x48, 0x04, 0, ALWAYS },
	{ "fadd v0.4s, v0.4s, v0.4s", 0x4e20d400, 0x48, 0x06, 0, ALWAYS },
	{ "ldr x9, [x1]", 0xf9400029, 0x49, 0x00, 0, ALWAYS },
	{ "str x9, [x1]", 0xf9000029, 0x49, 0x01, 0, ALWAYS },
	{ "ldr d0, [x1]", 0xfd400020, 0x49, 0x04, 0, ALWAYS },
	{ "str d0, [x1]", 0xfd000020, 0x49, 0x05, 0, ALWAYS },
	{ "ldxr x9, [x1]", 0xc85f7c29, 0x49, 0x0a, 0, ALWAYS },
	{ "ldaxr x9, [x1]", 0xc85ffc29, 0x49, 0x1a, 0, ALWAYS },
	{ "ldar x9, [x1]", 0xc8dffc29, 0x49, 0x12, 0, ALWAYS },
	{ "stlr x9, [x1]", 0xc89ffc29, 0x49, 0x13, 0, ALWAYS },
	{ "ldadd xzr, x9, [x1]", 0xf83f0029, 0x49, 0x06,
	  PMSFCR_FT | PMSFCR_LD, ALWAYS },
	{ "ldadd xzr, x9, [x1]", 0xf83f0029, 0x49, 0x07,
	  PMSFCR_FT | PMSFCR_ST, ALWAYS },
	{ "ldaddal xzr, x9, [x1]", 0xf8ff0029, 0x49, 0x16,
	  PMSFCR_FT | PMSFCR_LD, ALWAYS },
	{ "cas x9, x9, [x1]", 0xc8a97c29, 0x49, 0x07,
	  PMSFCR_FT | PMSFCR_ST, ALWAYS },
	{ "prfm pldl1keep, [x1]", 0xf9800020, 0x49, 0x10, 0, ALWAYS },
	{ "dc zva, x1", 0xd50b7421, 0x49, 0x11, 0, ALWAYS },
	{ "stg x1, [x1]", 0xd9200821, 0x49, 0x15, 0, MTE },
	{ "ldg x9, [x1]", 0xd9600029, 0x49, 0x14, 0, MTE },
	{ "b .+4", 0x14000001, 0x4a, 0x00, 0, ALWAYS },
	{ "cbz xzr, .+4", 0xb400003f, 0x4a, 0x01, 0, ALWAYS },
	{ "add z0.d, z0.d, z0.d", 0x04e00000, 0x48, 0x28, 0, SVE },
	{ "fadd z0.d, z0.d, z0.d", 0x65c00000, 0x48, 0x2a, 0, SVE },
	{ "ld1d z0.d, p0/z, [x1]", 0xa5e0a020, 0x49, 0x2c, 0, SVE },
	{ "st1d z0.d, p0, [x1]", 0xe5e0e020, 0x49, 0x2d, 0, SVE },
	{ "ldr z0, [x1]", 0x85804020, 0x49, 0x28, 0, SVE },
};

static u32 code[COPIES + 4] __attribute__((aligned(64)));
static u8 memory[256] __attribute__((aligned(64)));

static bool has(enum needs needs)
{
	switch (needs) {
	case SVE:
		return FIELD(read_sysreg(id_aa64pfr0_el1), 35, 32);
	case MTE:
		return FIELD(read_sysreg(id_aa64pfr1_el1), 11, 8);
	default:
		return true;
	}
}

static void make_loop(u32 insn)
{
	unsigned i;

	for (i = 0; i < COPIES; i++)
		code[i] = insn;
	code[i++] = SUBS;
	code[i++] = B_NE;
	code[i++] = RET;
	for (u64 p = (u64)code; p < (u64)&code[i]; p += 4)
		asm volatile("dc cvau, %0\n dsb ish\n ic ivau, %0"
			     : : "r"(p) : "memory");
	dsb();
	isb();
}

static void run_code(void)
{
	spe_enable();
	asm volatile("mov x0, #200\n mov x1, %0\n blr %1"
		     : : "r"(memory), "r"(code)
		     : "x0", "x1", "x9", "x30", "cc", "memory");
	spe_disable();
	spe_drain();
}

/* All samples of the copies have it. */
static void check(const struct row *row)
{
	const u8 *p = spe_buffer, *next = p, *end;
	unsigned seen = 0;
	u64 pc, payload;

	make_loop(row->insn);
	spe_start(base(), BUFFER_SIZE, 0);
	set_sysreg(row->pmsfcr, PMSFCR_EL1);
	run_code();
	end = (u8 *)read_sysreg(PMBPTR_EL1);
	for (; p < end && spe_record(p, end, &pc, &next); p = next) {
		if (pc < (u64)code || pc >= (u64)&code[COPIES])
			continue;
		seen++;
		if (!EXPECT(spe_record_packet(p, end, row->header, &payload)) ||
		    !EXPECT_EQ(payload, row->payload)) {
			note("%s", row->text);
			return;
		}
	}
	if (!EXPECT(seen >= 5))
		note("%s: %u", row->text, seen);
}

TEST(operation_types, skip_if(!have_spe() || highest_el() != 1, "runs at EL1"))
{
	set_sysreg(CPACR_FPEN | (has(SVE) ? CPACR_ZEN : 0), cpacr_el1);
	if (has(SVE)) {
		write_sysreg(0, S3_0_C1_C2_0);		/* ZCR_EL1 */
		isb();
		asm volatile(".inst 0x25d8e3e0");	/* ptrue p0.d */
	}
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (has(rows[i].needs))
			check(&rows[i]);
}
