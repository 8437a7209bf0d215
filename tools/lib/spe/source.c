// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "spe.h"

#include "base/names.h"

#include <pmscope/events.h>

#include <linux/perf_event.h>

#define CACHE	 PMSCOPE_SOURCE_CACHE
#define MEMORY	 PMSCOPE_SOURCE_MEMORY
#define OWN	 PMSCOPE_SOURCE_OWN
#define CORE	 PMSCOPE_SOURCE_CORE
#define CLUSTER	 PMSCOPE_SOURCE_CLUSTER
#define LOCAL	 PMSCOPE_SOURCE_LOCAL
#define REMOTE	 PMSCOPE_SOURCE_REMOTE
#define MODIFIED PMSCOPE_SOURCE_MODIFIED
#define DEVICE	 PMSCOPE_SOURCE_DEVICE

#define HIT(lvl, num) \
	PERF_MEM_LVL_##lvl | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_##num
#define SNOOP(how)    PERF_MEM_SNOOP_##how
#define PEER	      PERF_MEM_SNOOPX_PEER
#define ANY_REMOTE    PERF_MEM_LVL_REM_CCE2, PERF_MEM_LVLNUM_ANY_CACHE
#define NOT_AVAILABLE PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA

static const struct source common[NR_SOURCE_CODES] = {
	[0x0] = {"L1", CACHE | OWN, {HIT(L1, L1), SNOOP(NONE), 0, 0}},
	[0x8] = {"L2", CACHE | OWN, {HIT(L2, L2), SNOOP(NONE), 0, 0}},
	[0x9] = {"peer core", CACHE | CORE, {HIT(L2, L2), 0, PEER, 0}},
	[0xa] = {"local cluster", CACHE | CORE, {HIT(L3, L3), 0, PEER, 0}},
	[0xb] = {"system cache", CACHE, {HIT(L3, L3), SNOOP(HIT), 0, 0}},
	[0xc] = {"peer cluster", CACHE | CLUSTER, {HIT(L3, L3), 0, PEER, 0}},
	[0xd] = {"remote", CACHE | REMOTE, {NOT_AVAILABLE, 0, PEER, 1}},
	[0xe] = {"DRAM", MEMORY, {HIT(LOC_RAM, RAM), SNOOP(NONE), 0, 0}},
};

/*
 * If the local chip answers, but not its memory, another core or a device did.
 */
static const struct source ampere1a[NR_SOURCE_CODES] = {
	[0x0] = {"local chip or device",
		 CACHE | CLUSTER,
		 {HIT(L2, L2), 0, PEER, 0}},
	[0x3] = {"system cache", CACHE, {HIT(L3, L3), SNOOP(HIT), 0, 0}},
	[0x5] = {"remote", CACHE | REMOTE, {NOT_AVAILABLE, 0, PEER, 1}},
	[0x7] = {"DRAM", MEMORY, {HIT(LOC_RAM, RAM), SNOOP(NONE), 0, 0}},
	[0x8] = {"L1", CACHE | OWN, {HIT(L1, L1), SNOOP(NONE), 0, 0}},
	[0x9] = {"L2", CACHE | OWN, {HIT(L2, L2), SNOOP(NONE), 0, 0}},
};

static const struct source hisilicon[NR_SOURCE_CODES] = {
	[0] = {"peer core", CACHE | CORE, {HIT(L2, L2), 0, PEER, 0}},
	[1] = {"peer core HITM",
	       CACHE | CORE | MODIFIED,
	       {HIT(L2, L2), SNOOP(HITM), PEER, 0}},
	[2] = {"L3", CACHE, {HIT(L3, L3), SNOOP(HIT), 0, 0}},
	[3] = {"L3 HITM", CACHE | MODIFIED, {HIT(L3, L3), SNOOP(HITM), 0, 0}},
	[4] = {"peer cluster",
	       CACHE | CLUSTER,
	       {HIT(REM_CCE1, L3), 0, PEER, 0}},
	[5] = {"peer cluster HITM",
	       CACHE | CLUSTER | MODIFIED,
	       {HIT(REM_CCE1, L3), SNOOP(HITM), PEER, 0}},
	[6] = {"remote socket", CACHE | REMOTE, {ANY_REMOTE, 0, PEER, 1}},
	[7] = {"remote socket HITM",
	       CACHE | REMOTE | MODIFIED,
	       {ANY_REMOTE, SNOOP(HITM), PEER, 1}},
	[8] = {"local memory",
	       MEMORY | LOCAL,
	       {HIT(LOC_RAM, RAM), SNOOP(NONE), 0, 0}},
	[9] = {"remote memory", MEMORY | REMOTE, {HIT(REM_RAM1, RAM), 0, 0, 1}},
	[13] = {"non-cacheable or device",
		DEVICE,
		{HIT(IO, IO), SNOOP(NONE), 0, 0}},
	[16] = {"L2", CACHE | OWN, {HIT(L2, L2), SNOOP(NONE), 0, 0}},
	[17] = {"L2 HITM",
		CACHE | OWN | MODIFIED,
		{HIT(L2, L2), SNOOP(HITM), 0, 0}},
	[18] = {"L1", CACHE | OWN, {HIT(L1, L1), SNOOP(NONE), 0, 0}},
};

static const struct source unknown[NR_SOURCE_CODES];

static const struct source *const families[NR_SOURCE_FAMILIES] = {
	[SOURCES_UNKNOWN] = unknown,
	[SOURCES_COMMON] = common,
	[SOURCES_AMPERE1A] = ampere1a,
	[SOURCES_HISILICON] = hisilicon,
};

static const struct {
	uint32_t model;
	enum source_family family;
} cpus[] = {
#define CPU(id, implementer, part, name, sources) \
	{MIDR_##id, SOURCES_##sources},
#include "base/cpus.def"
#undef CPU
};

enum source_family source_family(uint64_t midr)
{
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		if (cpus[i].model == midr_model(midr))
			return cpus[i].family;
	return SOURCES_UNKNOWN;
}

const struct source *source_find(enum source_family family, uint64_t code)
{
	if (code >= NR_SOURCE_CODES || !families[family][code].name)
		return NULL;
	return &families[family][code];
}

const char *pmscope_source_name(uint64_t midr, uint16_t code)
{
	const struct source *s = source_find(source_family(midr), code);

	return s ? s->name : NULL;
}

uint32_t pmscope_source_flags(uint64_t midr, uint16_t code)
{
	const struct source *s = source_find(source_family(midr), code);

	return s ? s->flags : 0;
}

static uint32_t flags_of(const struct pmscope_batch *b, size_t row,
			 uint64_t midr)
{
	if (!(b->has[row] & PMSCOPE_HAS_SOURCE))
		return 0;
	return pmscope_source_flags(midr, b->source[row]);
}

static bool has_event(const struct pmscope_batch *b, size_t row,
		      enum pmscope_event event)
{
	return b->events[row] >> event & 1;
}

bool pmscope_source_is_peer(const struct pmscope_batch *b, size_t row,
			    uint64_t midr)
{
	uint32_t flags = flags_of(b, row, midr);

	if (flags & (MEMORY | DEVICE))
		return false;
	return (flags & CACHE && flags & PMSCOPE_SOURCE_PEER) ||
	       has_event(b, row, PMSCOPE_EVENT_SNOOPED);
}

bool pmscope_source_is_far(const struct pmscope_batch *b, size_t row,
			   uint64_t midr)
{
	uint32_t flags = flags_of(b, row, midr);
	bool remote = has_event(b, row, PMSCOPE_EVENT_REMOTE_ACCESS);

	if (flags & MEMORY)
		return flags & REMOTE || remote;
	return !flags && remote &&
	       has_event(b, row, PMSCOPE_EVENT_LLC_REFILL) &&
	       !has_event(b, row, PMSCOPE_EVENT_SNOOPED);
}
