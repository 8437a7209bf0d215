/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of recordings let happen, and what they expect of it. */
#ifndef PMSCOPE_TESTS_HAPPENING_H
#define PMSCOPE_TESTS_HAPPENING_H

#include "bytes.h"

#include <pmscope/recording.h>

#define TYPE_ARM_SPE 4
#define NO_CPU	     UINT32_MAX
#define NO_TID	     UINT32_MAX

/* Ends what begin() began, and opens it. */
struct pmscope_recording *open_bytes(struct bytes *b);
void begin(struct bytes *b);

struct where at(uint64_t time, uint32_t pid, uint32_t tid);
void comm_at(struct bytes *b, uint16_t misc, const char *comm, uint64_t time,
	     uint32_t pid, uint32_t tid);

/* A page, of the file from 0x3000 on. */
void map_at(struct bytes *b, uint64_t start, const char *name, uint64_t time,
	    uint32_t pid);
void fork_at(struct bytes *b, uint64_t time, uint32_t pid, uint32_t tid,
	     uint32_t ppid);

/* One load by @tid at @time; a queue of its own for each @cpu. */
void load_at(struct bytes *b, uint32_t cpu, uint32_t tid, uint64_t pc,
	     uint64_t time);

void expect_next(struct pmscope_recording *recording,
		 struct pmscope_sample *sample, uint64_t time);

/* Valid until the next call. */
const char *dso_at(struct pmscope_recording *recording,
		   const struct pmscope_sample *sample, uint64_t address);

#endif /* PMSCOPE_TESTS_HAPPENING_H */
