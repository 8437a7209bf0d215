/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counting.h"

void set_mdcr_el2(u64 bits)
{
	u64 pmsse = MDCR_PMSSE(1);

	set_sysreg(bits | pmsse, MDCR_EL2);
}

void set_mdcr_el3(u64 clear, u64 set)
{
	change_sysreg(MDCR_EL3, clear, set);
}

void count_everywhere(u64 mask, u64 pmcr)
{
	for (unsigned n = 0; n <= INSN_COUNTER; n++) {
		if (!(mask & BIT(n)))
			continue;
		write_event_type(n, (n < CYCLE_COUNTER ? EVENT_CPU_CYCLES : 0) |
				    FILTER_NSH);
		write_counter(n, 0);
	}
	write_sysreg(PMCR_LC | PMCR_LP | pmcr, PMCR_EL0);
	set_sysreg(mask, PMCNTENSET_EL0);
}

static u64 work_here(u64 n)
{
	work(n);
	return 0;
}

static u64 work_at_el0(u64 n)
{
	return run_at(0, work_here, n);
}

void work_at(unsigned el)
{
	if (el == 0)
		run_at(1, work_at_el0, WORK);
	else
		run_at(el, work_here, WORK);
}

bool moves(unsigned n, unsigned el)
{
	u64 before = read_counter(n);

	work_at(el);
	return read_counter(n) - before >= WORK;
}

void enter_secure(bool secure, bool eel2)
{
	u64 scr = read_sysreg(SCR_EL3) & ~(SCR_NS | SCR_EEL2);

	set_sysreg(scr | (secure ? 0 : SCR_NS) | (eel2 ? SCR_EEL2 : 0),
		   SCR_EL3);
}

bool expect_count(const char *file, int line, unsigned el, u64 moving,
		  u64 still)
{
	bool good = true;

	for (unsigned n = 0; n <= INSN_COUNTER; n++)
		if ((moving | still) & BIT(n) &&
		    !expect_eq(file, line, "moves", moves(n, el),
			       !!(moving & BIT(n)))) {
			note("counter %u at EL%u", n, el);
			good = false;
		}
	return good;
}

void expect_places(const struct place *places, unsigned count, u64 counters,
		   void (*set)(unsigned value))
{
	for (unsigned i = 0; i < 4 * count; i++) {
		const struct place *p = &places[i % count];
		unsigned value = i / count;

		count_everywhere(counters, PMCR_E | p->pmcr);
		set(value);
		if (!EXPECT_EQ(p->state == NS ? moves(p->counter, p->el) :
			       moves_secure(p->counter, p->el, p->state == S_EL2),
			       p->wanted >> value & 1))
			note("controls %u, place %u", value, i % count);
	}
}

bool moves_secure(unsigned n, unsigned el, bool eel2)
{
	bool moving;

	enter_secure(true, eel2);
	moving = moves(n, el);
	enter_secure(false, false);
	return moving;
}

bool counts_below_aarch32(unsigned el, unsigned n)
{
	/* subs r0, r0, #1; bne to itself; svc */
	static const u32 loop[] = { 0xe2500001, 0x1afffffd, 0xef000000 };
	u64 before = read_counter(n);

	enter_secure(true, false);
	run_below_aarch32_el1(el, loop, WORK);
	enter_secure(false, false);
	return read_counter(n) - before >= WORK;
}

void set_spme_mpmx(unsigned value)
{
	set_mdcr_el3(MDCR_EL3_SPME | MDCR_EL3_MPMX,
		     (value & 2 ? MDCR_EL3_SPME : 0) |
		     (value & 1 ? MDCR_EL3_MPMX : 0));
}

void overflow(unsigned n)
{
	set_sysreg(BIT(n), PMOVSSET_EL0);
}
