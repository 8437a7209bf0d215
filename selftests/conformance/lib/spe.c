/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spe.h"

u8 spe_buffer[BUFFER_SIZE + SPE_PAGE] __attribute__((aligned(4096)));

#define PACKET_PADDING	 0x00
#define PACKET_END	 0x01
#define PACKET_TIMESTAMP 0x71
#define PACKET_PC	 0xb0

bool have_spe(void)
{
	return FIELD(read_sysreg(id_aa64dfr0_el1), 35, 32) != 0;
}

bool lacks_spe(unsigned el)
{
	if (have_spe())
		return lacks_el(el);
	skip("no FEAT_SPE");
	return true;
}

u64 base(void)
{
	return (u64)spe_buffer;
}

u64 max_size(void)
{
	return PMSIDR_MAXSIZE(read_sysreg(PMSIDR_EL1));
}

void spe_setup(u64 start, u64 size, u64 pmblimitr_bits)
{
	spe_disable();
	set_sysreg(0, PMBLIMITR_EL1);
	write_sysreg(start, PMBPTR_EL1);
	write_sysreg(0, PMBSR_EL1);
	write_sysreg(0, PMSFCR_EL1);
	set_sysreg(0, PMSICR_EL1);
	set_sysreg((start + size) | pmblimitr_bits | PMBLIMITR_E,
		   PMBLIMITR_EL1);
}

void spe_interval(u64 interval, bool random)
{
	write_sysreg(PMSIRR_INTERVAL(interval) | (random ? PMSIRR_RND : 0),
		     PMSIRR_EL1);
	set_sysreg(0, PMSICR_EL1);
}

void spe_start(u64 start, u64 size, u64 pmblimitr_bits)
{
	spe_setup(start, size, pmblimitr_bits);
	spe_interval(1, false);
}

void own_buffer(unsigned el)
{
	change_sysreg(MDCR_EL2, MDCR_EL2_E2PB(3),
		      MDCR_EL2_E2PB(el == 1 ? 3 : 0));
}

void expect_event(const char *file, int line, u64 ec, u64 status, u64 pointer)
{
	u64 pmbsr = read_sysreg(PMBSR_EL1);

	expect_true(file, line, "PMBSR_EL1.S", pmbsr & PMBSR_S);
	expect_eq(file, line, "PMBSR_EL1.EC", PMBSR_EC(pmbsr), ec);
	expect_eq(file, line, "PMBSR_EL1.MSS", PMBSR_FSC(pmbsr), status);
	expect_eq(file, line, "PMBPTR_EL1", read_sysreg(PMBPTR_EL1), pointer);
}

static void set_enables(bool on)
{
	write_sysreg(on ? PMSCR_E1SPE | PMSCR_E0SPE : 0, PMSCR_EL1);
	if (current_el() >= 2 && have_el(2))
		write_sysreg(on ? PMSCR_EL2_E2SPE : 0, PMSCR_EL2);
	isb();
}

void spe_enable(void)
{
	set_enables(true);
}

void spe_disable(void)
{
	set_enables(false);
}

u64 run_loop(u64 rounds)
{
	for (; rounds; rounds--)
		asm volatile("");
	return 0;
}

static __attribute__((noinline, noclone)) u64 loop(u64 rounds)
{
	asm volatile(".globl spe_loop\n"
		     "spe_loop:\n"
		     "nop\n nop\n nop\n nop\n nop\n"
		     "subs %0, %0, #1\n"
		     "b.ne spe_loop"
		     : "+r"(rounds) : : "cc", "memory");
	return 0;
}

static u64 profiled_loop(u64 rounds)
{
	spe_enable();
	loop(rounds);
	spe_disable();
	return 0;
}

void profile_at(unsigned el, u64 ops)
{
	u64 rounds = ops / SPE_LOOP_OPS + 1;

	run_at(el, profiled_loop, rounds);
	spe_drain();
}

void spe_drain(void)
{
	asm volatile("hint #17" : : : "memory");
	dsb();
	isb();
}

static u64 load_often(u64 address)
{
	for (unsigned i = 0; i < 1000; i++)
		(void)*(volatile u64 *)address;
	return 0;
}

void spe_sample_loads(unsigned el, const u64 *cell, u64 pmscr_el1,
		      u64 pmscr_el2)
{
	spe_setup((u64)spe_buffer, BUFFER_SIZE, 0);
	spe_interval(1, false);
	write_sysreg(PMSFCR_FT | PMSFCR_LD, PMSFCR_EL1);
	if (current_el() >= 2 && have_el(2))
		write_sysreg(pmscr_el2 | PMSCR_EL2_E2SPE | PMSCR_EL2_E0HSPE,
			     PMSCR_EL2);
	set_sysreg(pmscr_el1 | PMSCR_E1SPE | PMSCR_E0SPE, PMSCR_EL1);
	run_at(el, load_often, (u64)cell);
	spe_disable();
	spe_drain();
}

/* An extended header has another byte before the one with the size. */
static unsigned packet_size(const u8 *p)
{
	unsigned extended = (*p & 0xfc) == 0x20;

	if (*p == PACKET_PADDING || *p == PACKET_END)
		return 1;
	return 1 + extended + (1 << (p[extended] >> 4 & 3));
}

static u64 little_endian(const u8 *p, unsigned bytes)
{
	u64 value = 0;

	while (bytes--)
		value = value << 8 | p[bytes];
	return value;
}

static bool ends_record(u8 header)
{
	return header == PACKET_END || header == PACKET_TIMESTAMP;
}

bool spe_record_packet(const u8 *p, const u8 *end, u8 header, u64 *value)
{
	for (; p < end && p + packet_size(p) <= end; p += packet_size(p)) {
		if (*p == header) {
			if (value)
				*value = little_endian(p + 1,
						       packet_size(p) - 1);
			return true;
		}
		if (ends_record(*p))
			break;
	}
	return false;
}

bool spe_record_end(const u8 *p, const u8 *end, const u8 **next)
{
	u64 align = PMBIDR_ALIGN(read_sysreg(PMBIDR_EL1));

	for (; p < end && p + packet_size(p) <= end; p += packet_size(p)) {
		if (ends_record(*p)) {
			*next = (u8 *)(((u64)p + packet_size(p) + align - 1) &
				       ~(align - 1));
			return true;
		}
	}
	return false;
}

bool spe_record(const u8 *p, const u8 *end, u64 *pc, const u8 **next)
{
	if (!spe_record_packet(p, end, PACKET_PC, pc))
		return false;
	*pc &= GENMASK(55, 0);
	return spe_record_end(p, end, next);
}
