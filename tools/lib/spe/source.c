// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "source.h"

#include "base/midr.h"

#include <pmscope/events.h>

#define CACHE	 PMSCOPE_SOURCE_CACHE
#define MEMORY	 PMSCOPE_SOURCE_MEMORY
#define OWN	 PMSCOPE_SOURCE_OWN
#define CORE	 PMSCOPE_SOURCE_CORE
#define CLUSTER	 PMSCOPE_SOURCE_CLUSTER
#define LOCAL	 PMSCOPE_SOURCE_LOCAL
#define REMOTE	 PMSCOPE_SOURCE_REMOTE
#define MODIFIED PMSCOPE_SOURCE_MODIFIED
#define DEVICE	 PMSCOPE_SOURCE_DEVICE

/* @name is NULL if the code has no meaning. */
struct source {
	const char *name;
	uint32_t flags;
};

static const struct source common[NR_SOURCE_CODES] = {
	[0x0] = {"L1", CACHE | OWN},
	[0x8] = {"L2", CACHE | OWN},
	[0x9] = {"peer core", CACHE | CORE},
	[0xa] = {"local cluster", CACHE | CORE},
	[0xb] = {"system cache", CACHE},
	[0xc] = {"peer cluster", CACHE | CLUSTER},
	[0xd] = {"remote", CACHE | REMOTE},
	[0xe] = {"DRAM", MEMORY},
};

/*
 * If the local chip answers, but not its memory, another core or a device did.
 */
static const struct source ampere1a[NR_SOURCE_CODES] = {
	[0x0] = {"local chip or device", CACHE | CLUSTER},
	[0x3] = {"system cache", CACHE},
	[0x5] = {"remote", CACHE | REMOTE},
	[0x7] = {"DRAM", MEMORY},
	[0x8] = {"L1", CACHE | OWN},
	[0x9] = {"L2", CACHE | OWN},
};

static const struct source hisilicon[NR_SOURCE_CODES] = {
	[0] = {"peer core", CACHE | CORE},
	[1] = {"peer core HITM", CACHE | CORE | MODIFIED},
	[2] = {"L3", CACHE},
	[3] = {"L3 HITM", CACHE | MODIFIED},
	[4] = {"peer cluster", CACHE | CLUSTER},
	[5] = {"peer cluster HITM", CACHE | CLUSTER | MODIFIED},
	[6] = {"remote socket", CACHE | REMOTE},
	[7] = {"remote socket HITM", CACHE | REMOTE | MODIFIED},
	[8] = {"local memory", MEMORY | LOCAL},
	[9] = {"remote memory", MEMORY | REMOTE},
	[13] = {"non-cacheable or device", DEVICE},
	[16] = {"L2", CACHE | OWN},
	[17] = {"L2 HITM", CACHE | OWN | MODIFIED},
	[18] = {"L1", CACHE | OWN},
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
	{MIDR_CORTEX_A715, SOURCES_COMMON},
	{MIDR_CORTEX_A720, SOURCES_COMMON},
	{MIDR_CORTEX_A720AE, SOURCES_COMMON},
	{MIDR_CORTEX_A725, SOURCES_COMMON},
	{MIDR_CORTEX_A78C, SOURCES_COMMON},
	{MIDR_CORTEX_X1, SOURCES_COMMON},
	{MIDR_CORTEX_X1C, SOURCES_COMMON},
	{MIDR_CORTEX_X3, SOURCES_COMMON},
	{MIDR_CORTEX_X4, SOURCES_COMMON},
	{MIDR_CORTEX_X925, SOURCES_COMMON},
	{MIDR_NEOVERSE_N1, SOURCES_COMMON},
	{MIDR_NEOVERSE_N2, SOURCES_COMMON},
	{MIDR_NEOVERSE_V1, SOURCES_COMMON},
	{MIDR_NEOVERSE_V2, SOURCES_COMMON},
	{MIDR_NEOVERSE_V3, SOURCES_COMMON},
	{MIDR_NVIDIA_OLYMPUS, SOURCES_COMMON},
	{MIDR_AMPERE1A, SOURCES_AMPERE1A},
	{MIDR_HISI_HIP12, SOURCES_HISILICON},
	{MIDR_QEMU_MAX, SOURCES_COMMON},
};

enum source_family source_family(uint64_t midr)
{
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (cpus[i].model == midr_model(midr))
			return cpus[i].family;
	return SOURCES_UNKNOWN;
}

const char *source_family_name(enum source_family family, uint16_t code)
{
	return code < NR_SOURCE_CODES ? families[family][code].name : NULL;
}

const char *pmscope_source_name(uint64_t midr, uint16_t code)
{
	return source_family_name(source_family(midr), code);
}

uint32_t pmscope_source_flags(uint64_t midr, uint16_t code)
{
	if (code >= NR_SOURCE_CODES)
		return 0;
	return families[source_family(midr)][code].flags;
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
