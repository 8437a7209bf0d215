/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates the words of --filter for SPE's own filters; only those of
 * `pmscope report --filter` for which the hardware has a register.
 */
#pragma once

#include "base/std.h"

/**
 * struct record_filter - the filters of SPE
 * @loads, @stores, @branches: keep these; if none is set: keep all
 * @min_latency: keep records with at least this latency; 0: all
 * @events: keep records with all of these events (PMSEVFR_EL1)
 * @no_events: drop records with any of these events (PMSNEVFR_EL1)
 * @no_sources: drop loads with these data sources (PMSDSFR_EL1, inverted)
 */
struct record_filter {
	bool loads;
	bool stores;
	bool branches;
	uint64_t min_latency;
	uint64_t events;
	uint64_t no_events;
	uint64_t no_sources;
};

/**
 * record_filter_parse() - add the filters of @text to @filter
 * @midr: MIDR_EL1 of the CPU, for the names of its data sources
 *
 * Return: 0; -EINVAL or -ENOMEM after error().
 */
int record_filter_parse(struct record_filter *filter, const char *text,
			uint64_t midr);
