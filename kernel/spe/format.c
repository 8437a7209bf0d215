// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_event_attr of arm_spe_<n>: each field is declared once, for the sysfs
 * format directory, the checks of event_init and the register values alike.
 * Names and bit positions are those of the kernel's own arm_spe_pmu.
 */
#include "spe/format.h"
#include "compat.h"
#include "spe/caps.h"
#include "spe/pmu.h"
#include "spe/regs.h"

#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/pmscope.h>

/* One format attribute: bits @lo to @hi of config@word */
struct spe_field {
	struct device_attribute	attr;
	u8			word;
	u8			lo;
	u8			hi;
	unsigned long		needs;		/* SPE_FEAT_* */
};

/* MINLAT is as wide as the latency counters (Arm ARM D24.7 "PMSLATFR_EL1"). */
static unsigned int last_bit(const struct spe_field *f,
			     const struct spe_caps *caps)
{
	return f->needs == SPE_FEAT_FILT_LATENCY ?
	       f->lo + caps->counter_bits - 1 : f->hi;
}

static ssize_t show_field(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	const struct spe_field *f = container_of(attr, struct spe_field, attr);
	unsigned int hi = last_bit(f, &dev_to_spe_pmu(dev)->caps);
	int len = sysfs_emit(buf, "config");

	if (f->word)
		len += sysfs_emit_at(buf, len, "%u", f->word);
	len += sysfs_emit_at(buf, len, ":%u", f->lo);
	if (hi != f->lo)
		len += sysfs_emit_at(buf, len, "-%u", hi);
	return len + sysfs_emit_at(buf, len, "\n");
}

#define SPE_FIELD(_name, _word, _lo, _hi, _needs)			\
	static struct spe_field field_##_name = {			\
		.attr	= __ATTR(_name, 0444, show_field, NULL),	\
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

static struct attribute *format_attrs[] = {
	&field_ts_enable.attr.attr,
	&field_pa_enable.attr.attr,
	&field_pct_enable.attr.attr,
	&field_jitter.attr.attr,
	&field_branch_filter.attr.attr,
	&field_load_filter.attr.attr,
	&field_store_filter.attr.attr,
	&field_discard.attr.attr,
	&field_branch_filter_mask.attr.attr,
	&field_load_filter_mask.attr.attr,
	&field_store_filter_mask.attr.attr,
	&field_simd_filter.attr.attr,
	&field_simd_filter_mask.attr.attr,
	&field_float_filter.attr.attr,
	&field_float_filter_mask.attr.attr,
	&field_freeze.attr.attr,
	&field_event_filter.attr.attr,
	&field_min_latency.attr.attr,
	&field_inv_event_filter.attr.attr,
	&field_inv_data_src_filter.attr.attr,
	NULL
};

static const struct spe_field *to_field(const struct attribute *attr)
{
	return container_of(attr, struct spe_field, attr.attr);
}

static bool usable(const struct spe_field *f, const struct spe_caps *caps)
{
	return !(f->needs & ~caps->features);
}

static umode_t is_visible(struct kobject *kobj, struct attribute *attr,
			  int unused)
{
	const struct spe_pmu *spe = dev_to_spe_pmu(kobj_to_dev(kobj));

	return usable(to_field(attr), &spe->caps) ? attr->mode : 0;
}

const struct attribute_group spe_format_group = {
	.name		= "format",
	.is_visible	= is_visible,
	.attrs		= format_attrs,
};

static u64 bits_of(const struct spe_field *f)
{
	return GENMASK_ULL(f->hi, f->lo);
}

static u64 read_field(const struct perf_event_attr *attr,
		      const struct spe_field *f)
{
	return (pmscope_attr_config(attr, f->word) & bits_of(f)) >> f->lo;
}

#define GET(attr, name)		read_field(attr, &field_##name)

/* Bits that no field has */
static int check_unknown(const struct perf_event_attr *attr,
			 const struct spe_caps *caps)
{
	u64 known[PMSCOPE_ATTR_CONFIGS] = { };
	struct attribute **a;
	unsigned int i;

	for (a = format_attrs; *a; a++) {
		const struct spe_field *f = to_field(*a);

		known[f->word] |= GENMASK_ULL(last_bit(f, caps), f->lo);
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
 * have, -EINVAL for a bit that means nothing.
 */
int spe_format_check(const struct perf_event_attr *attr,
		     const struct spe_caps *caps)
{
	struct attribute **a;

	for (a = format_attrs; *a; a++)
		if (read_field(attr, to_field(*a)) &&
		    !usable(to_field(*a), caps))
			return -EOPNOTSUPP;

	if ((GET(attr, event_filter) | GET(attr, inv_event_filter)) &
	    caps->pmsevfr_res0)
		return -EOPNOTSUPP;

	return check_unknown(attr, caps);
}

/**
 * spe_format_privileged() - does an event touch what is not the user's own?
 * @attr: the event's attributes
 *
 * Physical addresses and physical time.
 */
bool spe_format_privileged(const struct perf_event_attr *attr)
{
	return GET(attr, pa_enable) || GET(attr, pct_enable);
}

/**
 * spe_format_freezes() - does an event stop the counters of its CPUs?
 * @attr: the event's attributes
 */
bool spe_format_freezes(const struct perf_event_attr *attr)
{
	return GET(attr, freeze);
}

static u64 to_pmscr(const struct perf_event *event)
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
static u64 least_interval(const struct perf_event *event)
{
	if (event->hw.flags & SPE_EVENT_ANY_INTERVAL)
		return 1;
	return max(to_spe_pmu(event->pmu)->caps.min_interval >> 8, 1U);
}

/**
 * spe_format_pmsirr() - the sampling interval
 * @event: with its current hw.sample_period
 *
 * INTERVAL 0 gives an UNKNOWN interval (Arm ARM D24.7.12), so 256 operations
 * is the least.  PMSIDR.Interval is a recommendation and not a limit, but what is
 * below it costs the CPU more interrupts than its designer meant to allow.
 */
u64 spe_format_pmsirr(const struct perf_event *event)
{
	u64 interval = clamp_t(u64, event->hw.sample_period >> 8,
			       least_interval(event),
			       FIELD_MAX(PMSIRR_INTERVAL));

	return FIELD_PREP(PMSIRR_INTERVAL, interval) |
	       FIELD_PREP(PMSIRR_RND, GET(&event->attr, jitter));
}

static u64 to_pmsfcr(const struct perf_event_attr *attr)
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
 * @regs: gets the values
 */
void spe_format_regs(const struct perf_event *event, struct spe_regs *regs)
{
	const struct perf_event_attr *attr = &event->attr;

	regs->pmscr = to_pmscr(event);
	regs->pmsfcr = to_pmsfcr(attr);
	regs->pmsevfr = GET(attr, event_filter);
	regs->pmsnevfr = GET(attr, inv_event_filter);
	/* The format names what to leave out, the register what to let in. */
	regs->pmsdsfr = ~GET(attr, inv_data_src_filter);
	regs->pmslatfr = FIELD_PREP(PMSLATFR_MINLAT, GET(attr, min_latency));
	regs->pmsirr = spe_format_pmsirr(event);
	regs->pmblimitr = PMBLIMITR_E |
			  FIELD_PREP(PMBLIMITR_PMFZ, GET(attr, freeze));
	regs->discard = GET(attr, discard);
	regs->freeze = GET(attr, freeze);
}
