// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_event_attr of arm_spe_<n>: each field is declared once, for sysfs, the
 * checks of event_init and the register values.  Names and bits are those of the
 * kernel's own arm_spe_pmu.
 */
#include "spe/format.h"
#include "compat.h"
#include "spe/caps.h"
#include "spe/hw.h"
#include "spe/regs.h"

#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/pmscope.h>

/* One field: bits @lo to @hi of config@word; the CPUs must have all of @needs */
struct spe_field {
	struct device_attribute	attr;
	u8			word;
	u8			lo;
	u8			hi;
	unsigned long		needs;		/* SPE_FEAT_* */
};

#define SPE_FIELD(_name, _word, _lo, _hi, _needs)			\
	static struct spe_field spe_field_##_name = {			\
		.attr	= __ATTR(_name, 0444, NULL, NULL),		\
		.word	= _word,					\
		.lo	= _lo,						\
		.hi	= _hi,						\
		.needs	= _needs,					\
	}

SPE_FIELD(ts_enable,		0, 0, 0, 0);
SPE_FIELD(pa_enable,		0, 1, 1, 0);
SPE_FIELD(pct_enable,		0, 2, 2, 0);
SPE_FIELD(jitter,		0, 16, 16, 0);
SPE_FIELD(branch_filter,	0, 32, 32, SPE_FEAT_FILT_TYPE);
SPE_FIELD(load_filter,		0, 33, 33, SPE_FEAT_FILT_TYPE);
SPE_FIELD(store_filter,		0, 34, 34, SPE_FEAT_FILT_TYPE);
SPE_FIELD(discard,		0, 35, 35, SPE_FEAT_DISCARD);
SPE_FIELD(branch_filter_mask,	0, 36, 36, SPE_FEAT_FILT_EXTENDED);
SPE_FIELD(load_filter_mask,	0, 37, 37, SPE_FEAT_FILT_EXTENDED);
SPE_FIELD(store_filter_mask,	0, 38, 38, SPE_FEAT_FILT_EXTENDED);
SPE_FIELD(simd_filter,		0, 39, 39, SPE_FEAT_FILT_EXTENDED);
SPE_FIELD(simd_filter_mask,	0, 40, 40, SPE_FEAT_FILT_EXTENDED);
SPE_FIELD(float_filter,		0, 41, 41, SPE_FEAT_FILT_EXTENDED);
SPE_FIELD(float_filter_mask,	0, 42, 42, SPE_FEAT_FILT_EXTENDED);
SPE_FIELD(freeze,		0, 63, 63, SPE_FEAT_FREEZE);
SPE_FIELD(event_filter,		1, 0, 63, SPE_FEAT_FILT_EVENT);
SPE_FIELD(min_latency,		2, 0, 15, SPE_FEAT_FILT_LATENCY);
SPE_FIELD(inv_event_filter,	PMSCOPE_INV_EVENT_WORD, PMSCOPE_INV_EVENT_LO,
	  PMSCOPE_INV_EVENT_HI, SPE_FEAT_FILT_INV_EVENT);
SPE_FIELD(inv_data_src_filter,	PMSCOPE_INV_SOURCE_WORD, PMSCOPE_INV_SOURCE_LO,
	  63, SPE_FEAT_FILT_SOURCE);

static_assert(PMSCOPE_SPE_FREEZE == BIT_ULL(63));

/* The fields as files of sysfs; spe_format_set_show() completes them. */
struct attribute *spe_format_attrs[] = {
	&spe_field_ts_enable.attr.attr,
	&spe_field_pa_enable.attr.attr,
	&spe_field_pct_enable.attr.attr,
	&spe_field_jitter.attr.attr,
	&spe_field_branch_filter.attr.attr,
	&spe_field_load_filter.attr.attr,
	&spe_field_store_filter.attr.attr,
	&spe_field_discard.attr.attr,
	&spe_field_branch_filter_mask.attr.attr,
	&spe_field_load_filter_mask.attr.attr,
	&spe_field_store_filter_mask.attr.attr,
	&spe_field_simd_filter.attr.attr,
	&spe_field_simd_filter_mask.attr.attr,
	&spe_field_float_filter.attr.attr,
	&spe_field_float_filter_mask.attr.attr,
	&spe_field_freeze.attr.attr,
	&spe_field_event_filter.attr.attr,
	&spe_field_min_latency.attr.attr,
	&spe_field_inv_event_filter.attr.attr,
	&spe_field_inv_data_src_filter.attr.attr,
	NULL
};

static struct spe_field *to_spe_field(struct attribute *attr)
{
	return container_of(attr, struct spe_field, attr.attr);
}

/* MINLAT is as wide as the latency counters (Arm ARM D24.7 "PMSLATFR_EL1"). */
static unsigned int spe_field_last_bit(const struct spe_field *f,
				       const struct spe_caps *caps)
{
	return f->needs == SPE_FEAT_FILT_LATENCY ?
	       f->lo + caps->counter_bits - 1 : f->hi;
}

static bool spe_field_usable(const struct spe_field *f,
			     const struct spe_caps *caps)
{
	return !(f->needs & ~caps->features);
}

/**
 * spe_format_set_show() - complete spe_format_attrs
 * @show: shows a field by spe_format_emit(); it knows the PMU, and its caps
 */
void spe_format_set_show(ssize_t (*show)(struct device *dev,
					 struct device_attribute *attr,
					 char *page))
{
	struct attribute **a;

	for (a = spe_format_attrs; *a; a++)
		to_spe_field(*a)->attr.show = show;
}

/**
 * spe_format_has() - do the CPUs have what a field needs?
 * @attr: of spe_format_attrs
 * @caps: of the PMU
 *
 * Return: true if so
 */
bool spe_format_has(struct attribute *attr, const struct spe_caps *caps)
{
	return spe_field_usable(to_spe_field(attr), caps);
}

/**
 * spe_format_emit() - print the bits of a field for its sysfs file
 * @attr: of spe_format_attrs
 * @caps: of the PMU
 * @page: of the sysfs file
 *
 * Return: the number of bytes written.
 */
int spe_format_emit(struct attribute *attr, const struct spe_caps *caps,
		    char *page)
{
	const struct spe_field *f = to_spe_field(attr);
	unsigned int hi = spe_field_last_bit(f, caps);
	int len = sysfs_emit(page, "config");

	if (f->word)
		len += sysfs_emit_at(page, len, "%u", f->word);
	len += sysfs_emit_at(page, len, ":%u", f->lo);
	if (hi != f->lo)
		len += sysfs_emit_at(page, len, "-%u", hi);
	return len + sysfs_emit_at(page, len, "\n");
}

static u64 spe_field_get(const struct perf_event_attr *attr,
			 const struct spe_field *f)
{
	u64 bits = GENMASK_ULL(f->hi, f->lo);

	return (pmscope_attr_config(attr, f->word) & bits) >> f->lo;
}

#define GET(attr, name)	spe_field_get(attr, &spe_field_##name)

/* Refuse bits that belong to no field. */
static int spe_format_check_bits(const struct perf_event_attr *attr,
				 const struct spe_caps *caps)
{
	u64 known[PMSCOPE_ATTR_CONFIGS] = { };
	struct attribute **a;
	unsigned int i;

	for (a = spe_format_attrs; *a; a++) {
		const struct spe_field *f = to_spe_field(*a);

		known[f->word] |= GENMASK_ULL(spe_field_last_bit(f, caps),
					      f->lo);
	}

	for (i = 0; i < PMSCOPE_ATTR_CONFIGS; i++)
		if (pmscope_attr_config(attr, i) & ~known[i])
			return -EINVAL;
	return 0;
}

/**
 * spe_format_check() - can the hardware do what an event asks for?
 * @attr: the event's attributes
 * @caps: of the PMU
 *
 * Return: 0, -EOPNOTSUPP for a filter or a filter bit that the CPUs do not
 * have, -EINVAL for a bit that belongs to no field.
 */
int spe_format_check(const struct perf_event_attr *attr,
		     const struct spe_caps *caps)
{
	struct attribute **a;

	for (a = spe_format_attrs; *a; a++)
		if (spe_field_get(attr, to_spe_field(*a)) &&
		    !spe_field_usable(to_spe_field(*a), caps))
			return -EOPNOTSUPP;

	if ((GET(attr, event_filter) | GET(attr, inv_event_filter)) &
	    caps->pmsevfr_res0)
		return -EOPNOTSUPP;

	return spe_format_check_bits(attr, caps);
}

/**
 * spe_format_privileged() - does an event ask for physical addresses or time?
 * @attr: the event's attributes
 *
 * Return: true if so
 */
bool spe_format_privileged(const struct perf_event_attr *attr)
{
	return GET(attr, pa_enable) || GET(attr, pct_enable);
}

/**
 * spe_format_freezes() - does an event freeze the counters of its CPUs?
 * @attr: the event's attributes
 *
 * Return: true if so
 */
bool spe_format_freezes(const struct perf_event_attr *attr)
{
	return GET(attr, freeze);
}

static u64 spe_format_pmscr(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 reg;

	reg = FIELD_PREP(PMSCR_TS, GET(attr, ts_enable)) |
	      FIELD_PREP(PMSCR_PA, GET(attr, pa_enable)) |
	      FIELD_PREP(PMSCR_PCT, GET(attr, pct_enable));

	if (!attr->exclude_user)
		reg |= PMSCR_E0SPE;
	/* With VHE the accessor reaches PMSCR_EL2, whose bit 1 is E2SPE. */
	if (!attr->exclude_kernel)
		reg |= PMSCR_E1SPE;
	if (event->hw.flags & SPE_EVENT_CX)
		reg |= PMSCR_CX;
	return reg;
}

/* In units of 256 operations */
static u64 spe_format_least_interval(const struct perf_event *event,
				     const struct spe_caps *caps)
{
	if (event->hw.flags & SPE_EVENT_ANY_INTERVAL)
		return 1;
	return max(caps->min_interval >> 8, 1U);
}

/**
 * spe_format_pmsirr() - the sampling interval
 * @event: with its current hw.sample_period
 * @caps: of the PMU
 *
 * INTERVAL 0 gives an UNKNOWN interval (Arm ARM D24.7.12), so 256 operations is
 * the least.  PMSIDR.Interval only recommends a minimum; shorter intervals cost
 * interrupts, so they need CAP_PERFMON (SPE_EVENT_ANY_INTERVAL).
 *
 * Return: the value of PMSIRR_EL1
 */
u64 spe_format_pmsirr(const struct perf_event *event,
		      const struct spe_caps *caps)
{
	u64 interval = clamp_t(u64, event->hw.sample_period >> 8,
			       spe_format_least_interval(event, caps),
			       FIELD_MAX(PMSIRR_INTERVAL));

	return FIELD_PREP(PMSIRR_INTERVAL, interval) |
	       FIELD_PREP(PMSIRR_RND, GET(&event->attr, jitter));
}

static u64 spe_format_pmsfcr(const struct perf_event_attr *attr)
{
	u64 reg;

	reg = FIELD_PREP(PMSFCR_B, GET(attr, branch_filter)) |
	      FIELD_PREP(PMSFCR_LD, GET(attr, load_filter)) |
	      FIELD_PREP(PMSFCR_ST, GET(attr, store_filter)) |
	      FIELD_PREP(PMSFCR_SIMD, GET(attr, simd_filter)) |
	      FIELD_PREP(PMSFCR_FP, GET(attr, float_filter)) |
	      FIELD_PREP(PMSFCR_BM, GET(attr, branch_filter_mask)) |
	      FIELD_PREP(PMSFCR_LDM, GET(attr, load_filter_mask)) |
	      FIELD_PREP(PMSFCR_STM, GET(attr, store_filter_mask)) |
	      FIELD_PREP(PMSFCR_SIMDM, GET(attr, simd_filter_mask)) |
	      FIELD_PREP(PMSFCR_FPM, GET(attr, float_filter_mask));
	if (reg)
		reg |= PMSFCR_FT;

	if (GET(attr, event_filter))
		reg |= PMSFCR_FE;
	if (GET(attr, inv_event_filter))
		reg |= PMSFCR_FNE;
	if (GET(attr, inv_data_src_filter))
		reg |= PMSFCR_FDS;
	if (GET(attr, min_latency))
		reg |= PMSFCR_FL;
	return reg;
}

/**
 * spe_format_regs() - translate an event into register values
 * @event: with its current hw.sample_period
 * @caps: of the PMU
 * @regs: gets the values
 */
void spe_format_regs(const struct perf_event *event,
		     const struct spe_caps *caps, struct spe_regs *regs)
{
	const struct perf_event_attr *attr = &event->attr;

	regs->pmscr = spe_format_pmscr(event);
	regs->pmsfcr = spe_format_pmsfcr(attr);
	regs->pmsevfr = GET(attr, event_filter);
	regs->pmsnevfr = GET(attr, inv_event_filter);
	/* The field names the sources to exclude, the register those to include. */
	regs->pmsdsfr = ~GET(attr, inv_data_src_filter);
	regs->pmslatfr = FIELD_PREP(PMSLATFR_MINLAT, GET(attr, min_latency));
	regs->pmsirr = spe_format_pmsirr(event, caps);
	regs->pmblimitr = PMBLIMITR_E |
			  FIELD_PREP(PMBLIMITR_PMFZ, GET(attr, freeze));
	regs->discard = GET(attr, discard);
	regs->freeze = GET(attr, freeze);
}
