/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of kernel/guard.h: the test says which registers trap. */
bool guard_read(u32 reg, u64 *val);

#define pmscope_guard_read(reg, val)	guard_read(reg, &(val))
