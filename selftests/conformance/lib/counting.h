/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Do counters count at any Exception level? */
#ifndef CONF_COUNTING_H
#define CONF_COUNTING_H

#include "pmu.h"

#define WORK 2000

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

/* Does counter n move while a level works? */
bool moves(unsigned n, unsigned el);

/* Sets the overflow flag of counter n. */
void overflow(unsigned n);

#endif
