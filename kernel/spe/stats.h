/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses and errors of each CPU since the PMU was registered. */
#ifndef PMSCOPE_SPE_STATS_H
#define PMSCOPE_SPE_STATS_H

#include <linux/compiler.h>
#include <linux/types.h>

enum spe_stat {
	SPE_STAT_WINDOWS,		/* pieces of AUX data handed to perf */
	SPE_STAT_BUFFER_FULL,		/* buffer full events */
	SPE_STAT_TRUNCATED,		/* profiling stopped, no room or an error */
	SPE_STAT_NO_ROOM,		/* of these: the reader was late */
	SPE_STAT_DATA_LOSS,		/* windows with PMBSR.DL set */
	SPE_STAT_EXTERNAL_ABORT,	/* windows with PMBSR.EA set */
	SPE_STAT_FAULTS,		/* errors of the buffer, all classes */
	SPE_STAT_FAULT_STAGE1,		/* one for each enum spe_fault */
	SPE_STAT_FAULT_STAGE2,
	SPE_STAT_FAULT_GPC,
	SPE_STAT_FAULT_IMPDEF,
	SPE_STAT_FAULT_TOO_LARGE,
	SPE_STAT_FAULT_OTHER,
	SPE_STAT_COLLISIONS,		/* windows with PMBSR.COLL set */
	SPE_STAT_SPURIOUS,		/* interrupts without a cause */
	SPE_STATS
};

/* Written by its own CPU only, interrupts off; readers may be anywhere. */
struct spe_stats {
	u64	count[SPE_STATS];
};

static inline void spe_stats_inc(struct spe_stats *stats, enum spe_stat stat)
{
	WRITE_ONCE(stats->count[stat], stats->count[stat] + 1);
}

static inline u64 spe_stats_read(const struct spe_stats *stats,
				 enum spe_stat stat)
{
	return READ_ONCE(stats->count[stat]);
}

#endif /* PMSCOPE_SPE_STATS_H */
