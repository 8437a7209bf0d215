/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The external view of the PMU (Arm ARM table I5-1) and the debug frame, with the
 * CPU property pmu-frame: the program acts as the external agent.
 */
#pragma once

#include "conf.h"

/* Added to an offset of the first CPU: the same register of CPU n. */
#define FRAME_OF_CPU(n)		((n) * 0x100000U)

#define FRAME_PMEVCNTR(n)	(0x000 + 8 * (n))
#define FRAME_PMPCSR		0x200
#define FRAME_PMVCIDSR		0x208
#define FRAME_PMEVTYPER(n)	(0x400 + 8 * (n))
#define FRAME_PMEVCNTSVR(n)	(0x600 + 8 * (n))
#define FRAME_PMCCNTSVR		0x6f8
#define FRAME_PMICNTSVR		0x700
#define FRAME_PMCNTENSET	0xc00
#define FRAME_PMCNTENCLR	0xc20
#define FRAME_PMINTENSET	0xc40
#define FRAME_PMINTENCLR	0xc60
#define FRAME_PMOVSCLR		0xc80
#define FRAME_PMZR		0xca0
#define FRAME_PMOVSSET		0xcc0
#define FRAME_PMCR		0xe10
#define FRAME_PMSSCR		0xe30
#define FRAME_PMPCSCTL		0xe50
#define FRAME_PMCCR		0xe58

#define PMCCR_EPMN(n)		((u64)(n))
#define PMCCR_EPME		BIT(7)
#define PMCCR_OSLO		BIT(8)

/* The values of the property, as the program sees them */
#define FRAME_ARCH		1
#define FRAME_ARM		2

/* Skips the test and returns false if the machine has no frame of this layout. */
bool have_frame(void);
bool have_arm_frame(void);

u64 frame_read(unsigned offset);
void frame_write(u64 value, unsigned offset);
u32 frame_read32(unsigned offset);
void frame_write32(u32 value, unsigned offset);
u32 debug_frame_read(unsigned offset);
