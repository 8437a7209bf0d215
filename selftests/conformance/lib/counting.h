/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Do counters count at any Exception level? */
#pragma once

#include "pmu.h"

#define WORK 2000

#define CYCLES BIT(CYCLE_COUNTER)
#define INSNS  BIT(INSN_COUNTER)

/* In addition to PMSSE, which stays delegated. */
void set_mdcr_el2(u64 bits);
void set_mdcr_el3(u64 clear, u64 set);

/* Secure or Non-secure state below EL3, Secure EL2 enabled or not. */
void enter_secure(bool secure, bool eel2);

/*
 * Sets the counters of @mask to 0 and lets them count CPU_CYCLES at every
 * Exception level, with the bits @pmcr of PMCR_EL0 set.
 */
void count_everywhere(u64 mask, u64 pmcr);

/* Executes about WORK instructions at a level; EL0 is below EL1. */
void work_at(unsigned el);

bool moves(unsigned n, unsigned el);

/* The counters of these masks move while a level works, and do not. */
#define EXPECT_COUNT(el, moving, still)					\
	expect_count(__FILE__, __LINE__, el, moving, still)
bool expect_count(const char *file, int line, unsigned el, u64 moving,
		  u64 still);

/* The same as moves(), in Secure state. */
bool moves_secure(unsigned n, unsigned el, bool eel2);

/*
 * Does a counter move at a level, in a state, for each of four values of two
 * controls? The state is Non-secure, Secure, or Secure with EL2.
 */
enum { NS, S, S_EL2 };
struct place {
	u8 counter, el, state;
	u8 wanted;	/* bit N for the value N of the controls */
	u64 pmcr;	/* besides E */
};
void expect_places(const struct place *places, unsigned count, u64 counters,
		   void (*set)(unsigned value));

/* Does counter n move in Secure state at EL0 or EL1, with an AArch32 EL1? */
bool counts_below_aarch32(unsigned el, unsigned n);

/* The four values of MDCR_EL3.{SPME,MPMX}. */
void set_spme_mpmx(unsigned value);

void overflow(unsigned n);
