/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls to QEMU's built-in firmware, by the SMC Calling Convention. A program
 * at EL3 has no firmware.
 */
#pragma once

#include "conf.h"

#define PSCI_VERSION		0x84000000
#define PSCI_FEATURES		0x8400000a
#define PSCI_CPU_SUSPEND	0xc4000001
#define PSCI_CPU_OFF		0x84000002
#define PSCI_CPU_ON		0xc4000003
#define PSCI_AFFINITY_INFO	0xc4000004

#define PSCI_ON			0
#define PSCI_OFF		1
#define PSCI_ALREADY_ON		(-4)
#define PSCI_POWERDOWN		BIT(16)

struct result {
	u64 x0, x1;
};

struct result firmware(u64 function, u64 x1, u64 x2, u64 x3);

/*
 * second_entry, where CPU_ON lets a CPU begin: second_main() of the program,
 * with the argument of CPU_ON as its stack pointer
 */
#define SECOND_ENTRY                      \
	extern const char second_entry[]; \
	asm(".pushsection .text\n"        \
	    ".globl second_entry\n"       \
	    "second_entry:\n"             \
	    "mov sp, x0\n"                \
	    "b second_main\n"             \
	    ".popsection");

/*
 * CPU_SUSPEND of a state that loses all registers: comes back when the CPU was
 * woken up, with 0 and registers as after a reset; or with PSCI's error.
 */
int power_down(void);

/* PPIs of this CPU, the first, that wake it up. */
void wake_up_by(u32 ppis);
