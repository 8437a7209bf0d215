// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Converts records to perf's PERF_SAMPLE_DATA_SRC. A known Data Source code
 * takes precedence over the events.
 */
#include "base/names.h"
#include "spe.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

#include <linux/perf_event.h>

#define EVENT(name) PMSCOPE_EVENT_BIT(name)

#define TEXT_MAX 128 /* of pmscope_data_src_text() */

static const struct cache {
	uint64_t access;
	uint64_t miss;
	uint16_t lvl;
	uint8_t num;
} caches[] = {
	{EVENT(L1D_ACCESS), EVENT(L1D_REFILL), PERF_MEM_LVL_L1,
	 PERF_MEM_LVLNUM_L1},
	{EVENT(L2D_ACCESS), EVENT(L2D_MISS), PERF_MEM_LVL_L2,
	 PERF_MEM_LVLNUM_L2},
	{EVENT(LLC_ACCESS), EVENT(LLC_REFILL), PERF_MEM_LVL_L3,
	 PERF_MEM_LVLNUM_L3},
};

#define NR_CACHES 3

static void set_level(union perf_mem_data_src *d, const struct cache *cache,
		      uint64_t hit_or_miss)
{
	d->mem_lvl = cache->lvl | hit_or_miss;
	d->mem_lvl_num = cache->num;
}

/* The nearest cache that hit, else the farthest that missed. */
static void level_of_load(union perf_mem_data_src *d, uint64_t events)
{
	static const struct cache fill_buffer = {.lvl = PERF_MEM_LVL_LFB,
						 .num = PERF_MEM_LVLNUM_LFB};

	for (const struct cache *c = caches; c < caches + NR_CACHES; c++) {
		if ((events & (c->access | c->miss)) == c->access)
			return set_level(d, c, PERF_MEM_LVL_HIT);
		if (c == caches && events & EVENT(LFB))
			return set_level(d, &fill_buffer, PERF_MEM_LVL_HIT);
	}
	for (const struct cache *c = caches + NR_CACHES; c-- > caches;)
		if (events & c->miss)
			return set_level(d, c, PERF_MEM_LVL_MISS);
}

/* The farthest cache that was accessed. */
static void level_of_store(union perf_mem_data_src *d, uint64_t events)
{
	for (const struct cache *c = caches + NR_CACHES; c-- > caches;)
		if (events & (c->access | c->miss))
			return set_level(d, c,
					 events & c->miss ? PERF_MEM_LVL_MISS
							  : PERF_MEM_LVL_HIT);
}

static void set_source(union perf_mem_data_src *d, enum source_family family,
		       uint32_t has, uint16_t code)
{
	const struct source *source =
		has & PMSCOPE_HAS_SOURCE ? source_find(family, code) : NULL;

	/* These CPUs have no data source for stores. */
	if (family != SOURCES_UNKNOWN && d->mem_op == PERF_MEM_OP_STORE &&
	    (source || family != SOURCES_AMPERE1A ||
	     !(has & PMSCOPE_HAS_SOURCE))) {
		d->mem_lvl = PERF_MEM_LVL_NA;
		d->mem_lvl_num = PERF_MEM_LVLNUM_NA;
		d->mem_snoop = PERF_MEM_SNOOP_NA;
	} else if (source) {
		d->mem_lvl = source->level.lvl;
		d->mem_lvl_num = source->level.lvl_num;
		d->mem_snoop = source->level.snoop;
		d->mem_snoopx = source->level.snoopx;
		d->mem_remote = source->level.remote;
	}
}

static void set_level_of_events(union perf_mem_data_src *d, uint64_t events)
{
	if (d->mem_op == PERF_MEM_OP_LOAD)
		level_of_load(d, events);
	else if (d->mem_op == PERF_MEM_OP_STORE)
		level_of_store(d, events);
	if (d->mem_lvl)
		return;
	d->mem_lvl = PERF_MEM_LVL_NA;
	d->mem_lvl_num = PERF_MEM_LVLNUM_NA;
}

/* @told: without the event, data was not snooped (else: unknown). */
static uint64_t snoop_of_events(uint64_t events, bool told)
{
	if (!(events & EVENT(SNOOPED)))
		return told ? PERF_MEM_SNOOP_NONE : PERF_MEM_SNOOP_NA;
	return events & EVENT(HITM) ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_HIT;
}

static uint64_t tlb_of_events(uint64_t events)
{
	if (events & EVENT(TLB_REFILL))
		return PERF_MEM_TLB_WK | PERF_MEM_TLB_MISS;
	if (events & EVENT(TLB_ACCESS))
		return PERF_MEM_TLB_WK | PERF_MEM_TLB_HIT;
	return 0;
}

/* 0 if perf does not count it as a memory access. */
static uint64_t operation_of(unsigned int class, uint8_t payload)
{
	uint32_t flags = pmscope_operation_flags(class, payload);

	if (flags & PMSCOPE_OP_LOAD)
		return PERF_MEM_OP_LOAD;
	if (flags & PMSCOPE_OP_STORE)
		return PERF_MEM_OP_STORE;
	if (flags & (PMSCOPE_OP_SVE | PMSCOPE_OP_SME | PMSCOPE_OP_SIMD_FP))
		return PERF_MEM_OP_NA;
	return 0;
}

uint64_t pmscope_data_src(const struct pmscope_batch *b, size_t row,
			  uint64_t midr, uint64_t event_filter)
{
	union perf_mem_data_src d = {};
	uint64_t events = b->events[row];

	if (b->has[row] & PMSCOPE_HAS_OPERATION)
		d.mem_op = operation_of(b->op_class[row], b->op[row]);
	if (!d.mem_op)
		return 0;
	/* perf does not know the emulated CPU. */
	if (midr_model(midr) != MIDR_QEMU_MAX && d.mem_op != PERF_MEM_OP_NA)
		set_source(&d, source_family(midr), b->has[row],
			   b->source[row]);
	if (!d.mem_lvl)
		set_level_of_events(&d, events);
	if (!d.mem_snoop)
		d.mem_snoop =
			snoop_of_events(events, event_filter & EVENT(SNOOPED));
	d.mem_remote |= !!(events & EVENT(REMOTE_ACCESS));
	d.mem_dtlb = tlb_of_events(events);
	return d.val;
}

static char *text_bits(char *begin, char *p, unsigned int bits,
		       const char *const *words)
{
	for (; bits; bits &= bits - 1) {
		if (p != begin)
			p = text_string(p, " or ");
		p = text_string(p, words[__builtin_ctz(bits)]);
	}
	return p;
}

static char *text_level(char *p, const union perf_mem_data_src *d)
{
	static const char *const words[16] = {
		[PERF_MEM_LVLNUM_L1] = "L1",
		[PERF_MEM_LVLNUM_L2] = "L2",
		[PERF_MEM_LVLNUM_L3] = "L3",
		[PERF_MEM_LVLNUM_IO] = "I/O",
		[PERF_MEM_LVLNUM_ANY_CACHE] = "Any cache",
		[PERF_MEM_LVLNUM_LFB] = "LFB/MAB",
		[PERF_MEM_LVLNUM_RAM] = "RAM",
	};

	if (!words[d->mem_lvl_num])
		return text_string(p, "N/A");
	if (d->mem_remote)
		p = text_string(p, "Remote ");
	p = text_string(text_string(p, words[d->mem_lvl_num]), " ");
	if (d->mem_lvl & PERF_MEM_LVL_HIT)
		return text_string(p, "hit");
	return d->mem_lvl & PERF_MEM_LVL_MISS ? text_string(p, "miss") : p;
}

static char *text_snoop(char *p, const union perf_mem_data_src *d)
{
	static const char *const words[] = {"N/A", "None", "Hit", "Miss",
					    "HitM"};
	static const char *const more[] = {"Fwd", "Peer"};
	char *begin = p;

	p = text_bits(begin, p, d->mem_snoop, words);
	return text_bits(begin, p, d->mem_snoopx, more);
}

static char *text_tlb(char *p, const union perf_mem_data_src *d)
{
	if (!d->mem_dtlb)
		return text_string(p, "N/A");
	return text_string(p, d->mem_dtlb & PERF_MEM_TLB_HIT ? "Walker hit"
							     : "Walker miss");
}

static const char *operation_word(const union perf_mem_data_src *d)
{
	if (d->mem_op == PERF_MEM_OP_NA)
		return "N/A";
	return d->mem_op == PERF_MEM_OP_LOAD ? "LOAD" : "STORE";
}

size_t pmscope_data_src_text(uint64_t value, char *text)
{
	const union perf_mem_data_src d = {.val = value};
	/* Values of other PMUs may give a longer text, which is truncated. */
	char room[2 * TEXT_MAX];
	char *p = text_string(text_hex(room, value, 1), " |OP ");
	size_t length;

	p = text_string(text_string(p, operation_word(&d)), "|LVL ");
	p = text_string(text_level(p, &d), "|SNP ");
	p = text_string(text_snoop(p, &d), "|TLB ");
	p = text_string(text_tlb(p, &d), "|LCK No|BLK  N/A");
	length = MIN(p - room, TEXT_MAX);
	memcpy(text, room, length);
	return length;
}
