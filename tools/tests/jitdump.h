/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A jit-PID.dump, as programs write them that make code while they run. */
#ifndef PMSCOPE_TESTS_JITDUMP_H
#define PMSCOPE_TESTS_JITDUMP_H

#include "bytes.h"

/* @flags: 1 where its times are ticks, not of CLOCK_MONOTONIC */
void put_jit_header(struct bytes *b, uint64_t flags);

/* Four bytes of code, there from @time on; */
void put_jit_load(struct bytes *b, uint64_t time, uint32_t pid,
		  uint64_t address, const char *name);
void put_jit_move(struct bytes *b, uint64_t time, uint32_t pid, uint64_t from,
		  uint64_t to);

/* What is told of the source before its code is; see put_jit_line(). */
void put_jit_lines(struct bytes *b, uint64_t address, uint64_t nr,
		   const struct bytes *lines);
void put_jit_line(struct bytes *lines, uint64_t address, uint32_t line,
		  const char *file);

#endif /* PMSCOPE_TESTS_JITDUMP_H */
