/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "frame.h"

static u64 frame_base(void)
{
	u64 base;

	return option("pmu-frame", &base) ? base : 0;
}

bool have_frame(void)
{
	if (frame_base())
		return true;
	skip("pmu-frame");
	return false;
}

u64 frame_read(unsigned offset)
{
	u64 value = *(volatile u64 *)(frame_base() + offset);

	dsb();
	return value;
}

void frame_write(u64 value, unsigned offset)
{
	*(volatile u64 *)(frame_base() + offset) = value;
	dsb();
	isb();
}
