/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SPE event of `pmscope record`: filters and intervals that the SPE PMUs of
 * this machine support, according to @devices of the options.
 */
#ifndef PMSCOPE_RECORD_SPE_H
#define PMSCOPE_RECORD_SPE_H

#include "record/events.h"

#define RECORD_SPE_EVENT_MAX 512

bool record_spe_is_there(const struct record_events_options *o);

/* Builds the events of all SPE PMUs, in -e syntax; -errno after error(). */
int record_spe_event(const struct record_events_options *o,
		     char text[RECORD_SPE_EVENT_MAX]);

/* Rounds periods as SPE does, so that the file has the real interval. */
void record_spe_limit_periods(struct pmscope_event_list *list,
			      const struct record_events_options *o);

#endif /* PMSCOPE_RECORD_SPE_H */
