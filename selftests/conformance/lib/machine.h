/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's virt machine and the Exception levels, as the tests need them. */
#pragma once

#include "conf.h"

void put_char(char c);
const char *command_line(void);
void power_off(unsigned status) __attribute__((noreturn));

/* run_at() for a lower Exception level */
u64 run_below(unsigned el, u64 (*fn)(u64), u64 arg);

void prepare_levels(void);
void restore_levels(void);
