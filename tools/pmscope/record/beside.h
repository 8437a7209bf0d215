/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `pmscope record` measures beside SPE: a clock, and counters
 * that it captures, tell where the time goes, and how much of it is lost.
 */
#pragma once

#include "session/event.h"

/**
 * struct beside
 * @clock: it samples, @freq times a second; 0: the default
 * @counters: of cycles, instructions and stalls
 * @devices: folder to look up PMUs; NULL: PMSCOPE_PMU_DEVICES
 * @cpus: only PMUs with one of these are used; NULL: all
 */
struct beside {
	bool clock;
	bool counters;
	uint64_t freq;
	const char *devices;
	const struct cpulist *cpus;
};

/* The kernel's limit of samples a second. */
uint64_t beside_max_rate(void);

/**
 * beside_add() - add these events to @list, which begins with those of SPE
 * @way: from 0 on: each has less than the one before
 *
 * Return: 1; 0 if nothing was added, and neither will further ways be; or
 * -errno if events are not there, with @err set.
 */
int beside_add(struct event_list *list, const struct beside *beside,
	       unsigned int way, struct pmscope_error *err);

/**
 * beside_open() - open @list, and in the first way that works beside it
 * @open: opens all, @is_beside: some are not of SPE
 * @uncounted: set to why there are no counters, if they were wanted
 *
 * What is refused is left out, and changes nothing else. Return: the result of
 * @open, with @err set.
 */
int beside_open(struct event_list *list, const struct beside *beside,
		int (*open)(void *run, bool is_beside,
			    struct pmscope_error *err),
		void *run, struct pmscope_error *uncounted,
		struct pmscope_error *err);
