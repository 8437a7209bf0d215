/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_SPE, as the tests use it: a Profiling Buffer in RAM and operations to
 * sample.
 */
#pragma once

#include "conf.h"

#define SPE_PAGE	 0x1000UL
#define BUFFER_SIZE	 (64 * SPE_PAGE)

/* Memory for the buffer, page aligned, with a guard after it. */
extern u8 spe_buffer[BUFFER_SIZE + SPE_PAGE];

u64 base(void);

bool have_spe(void);

/* Skips the test without FEAT_SPE, or if the highest level is lower. */
bool lacks_spe(unsigned el);

u64 max_size(void);

/*
 * Profiling of EL1 (and of EL2 if it owns the buffer) into [start, start +
 * size) with a fixed interval, filters off; nothing is sampled before
 * profile_at().
 */
void spe_setup(u64 start, u64 size, u64 pmblimitr_bits);
void spe_interval(u64 interval, bool random);
/* The same, with the shortest interval. */
void spe_start(u64 start, u64 size, u64 pmblimitr_bits);

/* The Exception level that owns the buffer; EL1 does when a test starts. */
void own_buffer(unsigned el);

/* The management event, of this class and status, that left the pointer. */
#define EXPECT_EVENT(ec, status, pointer)				\
	expect_event(__FILE__, __LINE__, ec, status, pointer)
void expect_event(const char *file, int line, u64 ec, u64 status, u64 pointer);

/* Records were written from there on, and no event came. */
#define EXPECT_PROFILED(pointer)					\
	({								\
		EXPECT_REG(PMBSR_EL1, 0);				\
		EXPECT(read_sysreg(PMBPTR_EL1) > (pointer));		\
	})

/* For run_at(): operations at that level, with no other purpose. */
u64 run_loop(u64 rounds);

void profile_at(unsigned el, u64 ops);

/* Enables and disables sampling of EL1 and EL2 at the current level. */
void spe_enable(void);
void spe_disable(void);

/*
 * Records of loads from a cell at a level, with these bits in addition to the
 * enables; written from the start of spe_buffer.
 */
void spe_sample_loads(unsigned el, const u64 *cell, u64 pmscr_el1,
		      u64 pmscr_el2);

/* PSB CSYNC and DSB: all records are in memory. */
void spe_drain(void);

/*
 * The PC packet of the record at p, below end; *next is the start of the next
 * record. False if there is no record.
 */
bool spe_record(const u8 *p, const u8 *end, u64 *pc, const u8 **next);

/* The payload of that packet in the record at p; value may be NULL. */
bool spe_record_packet(const u8 *p, const u8 *end, u8 header, u64 *value);
/* The start of the record after the one at p. */
bool spe_record_end(const u8 *p, const u8 *end, const u8 **next);

/* The loop of profile_at(): its first instruction and its length. */
extern const char spe_loop[];
#define SPE_LOOP_OPS	 7
