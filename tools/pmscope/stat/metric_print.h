/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "stat/estimate.h"

/* All metrics of @plan, at each place of the rows. */
void stat_print_metrics(const struct stat_printer *p,
			const struct stat_tally *tally,
			const struct metric_plan *plan, double seconds);
