/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities of a CPU's Statistical Profiling Unit, from PMSIDR_EL1,
 * PMBIDR_EL1 and ID_AA64DFR0_EL1.PMSVer.
 */
#ifndef PMSCOPE_SPE_CAPS_H
#define PMSCOPE_SPE_CAPS_H

#include "access.h"

#include <linux/bits.h>
#include <linux/types.h>

struct device;

/* Bits of spe_caps.features */
#define SPE_FEAT_FILT_EVENT	BIT(0)	/* PMSIDR.FE: event filter */
#define SPE_FEAT_FILT_TYPE	BIT(1)	/* PMSIDR.FT: operation type filter */
#define SPE_FEAT_FILT_LATENCY	BIT(2)	/* PMSIDR.FL: latency filter */
#define SPE_FEAT_ARCH_INST	BIT(3)	/* samples architectural instructions */
#define SPE_FEAT_LDS		BIT(4)	/* loads carry a data source */
#define SPE_FEAT_ERND		BIT(5)	/* FEAT_SPE_ERnd */
#define SPE_FEAT_FILT_INV_EVENT	BIT(6)	/* FEAT_SPE_FnE */
#define SPE_FEAT_FILT_SOURCE	BIT(7)	/* FEAT_SPE_FDS */
#define SPE_FEAT_FILT_EXTENDED	BIT(8)	/* FEAT_SPE_EFT */
#define SPE_FEAT_DISCARD	BIT(9)	/* FEAT_SPEv1p2: discard mode */
#define SPE_FEAT_FREEZE		BIT(10)	/* and FEAT_PMUv3p7: PMBLIMITR.PMFZ */
#define SPE_FEAT_FREEZE_CYCLES	BIT(11)	/* FEAT_SPE_DPFZS */
#define SPE_FEAT_VIRTUAL	BIT(12)	/* buffer by virtual addresses */
#define SPE_FEAT_PHYSICAL	BIT(13)	/* FEAT_SPE_nVM: by physical ones */

/**
 * struct spe_caps - one CPU's profiling unit
 * @pmsver: ID_AA64DFR0_EL1.PMSVer
 * @dfr0: ID_AA64DFR0_EL1
 * @dfr1: ID_AA64DFR1_EL1
 * @dfr2: ID_AA64DFR2_EL1
 * @pmsidr: PMSIDR_EL1; 0 if it was not read
 * @pmbidr: PMBIDR_EL1 as read
 * @features: SPE_FEAT_* bits
 * @pmsevfr_res0: bits that the event filters do not have, from
 *	spe_caps_probe()
 * @min_interval: smallest interval that the CPU designer recommends, operations
 * @counter_bits: width of the latency counters, which saturate
 * @max_record: largest record, bytes
 * @align: alignment of a fresh PMBPTR_EL1, bytes
 * @max_buffer: largest buffer that a hypervisor permits, bytes
 * @errata: a bit for each that caps.c lists
 * @access: access to the registers of features in @features, and of features
 *	that firmware does not enable
 */
struct spe_caps {
	u8		pmsver;
	u64		dfr0;
	u64		dfr1;
	u64		dfr2;
	u64		pmsidr;
	u64		pmbidr;
	unsigned long	features;
	u64		pmsevfr_res0;
	unsigned int	min_interval;
	unsigned int	counter_bits;
	unsigned int	max_record;
	unsigned int	align;
	u64		max_buffer;
	unsigned long	errata;
	struct pmscope_access access[PMSCOPE_NR_GUARDED];
};

int spe_caps_identify(struct spe_caps *caps);
int spe_caps_probe(struct spe_caps *caps, bool physical);
void spe_caps_merge(struct spe_caps *caps, const struct spe_caps *other);
bool spe_caps_join(struct device *dev, struct spe_caps *pmu,
		   const struct spe_caps *cpu);
void spe_caps_report_access(struct device *dev, const struct spe_caps *caps);
void spe_caps_report_errata(struct device *dev, unsigned long found);
int spe_caps_emit_errata(char *page, unsigned long found);
int spe_caps_print_access(const struct spe_caps *caps, char *text, size_t size);

#endif /* PMSCOPE_SPE_CAPS_H */
