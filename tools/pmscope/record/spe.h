/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SPE event of `pmscope record`: filters and intervals that the SPE PMUs of
 * this machine support, according to @devices of the options.
 */
#pragma once

#include "record/events.h"

#define RECORD_SPE_EVENT_MAX 512

/* Format attributes of arm_spe in config, with either driver */
#define RECORD_SPE_TS_ENABLE (UINT64_C(1) << 0)
#define RECORD_SPE_JITTER    (UINT64_C(1) << 16)

/* PMSIRR_EL1.INTERVAL: 24 bits, of multiples of 256; 0 is UNKNOWN */
#define RECORD_SPE_STEP	   UINT64_C(256)
#define RECORD_SPE_LARGEST (UINT64_C(0xffffff) * RECORD_SPE_STEP)

bool record_spe_is_there(const struct record_events_options *o);

/* Builds the events of all SPE PMUs, in -e syntax; -errno after error(). */
int record_spe_event(const struct record_events_options *o,
		     char text[RECORD_SPE_EVENT_MAX]);

/* Rounds periods as SPE does, so that the file has the real interval. */
void record_spe_limit_periods(struct event_list *list,
			      const struct record_events_options *o);

/* The shortest interval that the designers of all CPUs recommend. */
uint64_t record_spe_recommended(const struct record_events_options *o,
				const struct event_list *list);

/*
 * The mean of what SPE adds to each interval at random, operations: 0 to 255
 * with PMSIRR_EL1.RND, but nothing with FEAT_SPE_ERnd (Arm ARM D17.3.4).
 */
uint32_t record_spe_jitter(const struct record_events_options *o,
			   const struct event_list *list);
