/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "frame.h"

#define DEBUG_FRAME 0x0b010000
#define PMU_FRAME   0x0b030000

bool have_frame(void)
{
	return !skip_if(property("pmu-frame", 0) != FRAME_ARCH, "pmu-frame=arch");
}

bool have_arm_frame(void)
{
	return !skip_if(property("pmu-frame", 0) != FRAME_ARM, "pmu-frame=arm");
}

u32 frame_read32(unsigned offset)
{
	u32 value = *(volatile u32 *)(u64)(PMU_FRAME + offset);

	dsb();
	return value;
}

void frame_write32(u32 value, unsigned offset)
{
	*(volatile u32 *)(u64)(PMU_FRAME + offset) = value;
	dsb();
	isb();
}

u32 debug_frame_read(unsigned offset)
{
	u32 value = *(volatile u32 *)(u64)(DEBUG_FRAME + offset);

	dsb();
	return value;
}

u64 frame_read(unsigned offset)
{
	u64 value = *(volatile u64 *)(u64)(PMU_FRAME + offset);

	dsb();
	return value;
}

void frame_write(u64 value, unsigned offset)
{
	*(volatile u64 *)(u64)(PMU_FRAME + offset) = value;
	dsb();
	isb();
}
