// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm_spe_<n>: what perf_event_attr means, the files in sysfs, and what perf core
 * calls.  Documentation/reference/ABI describes the files.
 *
 * Each field of perf_event_attr is declared once, for sysfs, the checks of
 * event_init and the register values.  Names and bits are those of the kernel's
 * own arm_spe_pmu.
 */
#include "spe/pmu.h"
#include "compat.h"
#include "cpu_line.h"
#include "spe/regs.h"

#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/pmscope.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sysfs.h>
#include <linux/topology.h>

static struct spe_pmu *to_spe_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct spe_pmu, pmu);
}

/* The driver data of a PMU's own device is the PMU, set by perf core. */
static struct spe_pmu *dev_to_spe_pmu(struct device *dev)
{
	return to_spe_pmu(dev_get_drvdata(dev));
}

/* event->hw.flags: records of this event may name the process (PMSCR.CX) */
#define SPE_EVENT_CX		0x1
/* hw.flags: opened with CAP_PERFMON: intervals below caps/min_interval, too */
#define SPE_EVENT_ANY_INTERVAL	0x2

/* The fields of perf_event_attr */

static ssize_t spe_format_show(struct device *dev,
			       struct device_attribute *attr, char *buf);

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
		.attr	= __ATTR(_name, 0444, spe_format_show, NULL),	\
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

static struct attribute *spe_format_attrs[] = {
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

/* The bits of a field, for its sysfs file */
static ssize_t spe_format_show(struct device *dev,
			       struct device_attribute *attr, char *page)
{
	const struct spe_field *f = to_spe_field(&attr->attr);
	unsigned int hi = spe_field_last_bit(f, &dev_to_spe_pmu(dev)->caps);
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

/*
 * Can the hardware do what an event asks for?  -EOPNOTSUPP for a filter, or a bit
 * of a filter, that the CPUs do not have; -EINVAL for a bit of no field.
 */
static int spe_format_check(const struct perf_event_attr *attr,
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

/* Does an event ask for physical addresses or physical time? */
static bool spe_format_privileged(const struct perf_event_attr *attr)
{
	return GET(attr, pa_enable) || GET(attr, pct_enable);
}

/* Does an event freeze the counters of its CPUs? */
static bool spe_format_freezes(const struct perf_event_attr *attr)
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

/*
 * The sampling interval, for the current hw.sample_period.  INTERVAL 0 gives an
 * UNKNOWN interval (Arm ARM D24.7.12), so 256 operations is the least.
 * PMSIDR.Interval only recommends a minimum; shorter intervals cost interrupts,
 * so they need CAP_PERFMON (SPE_EVENT_ANY_INTERVAL).
 */
static u64 spe_format_pmsirr(const struct perf_event *event,
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

/* The register values of an event */
static void spe_format_regs(const struct perf_event *event,
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

/* sysfs */

static ssize_t arch_inst_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	const struct spe_caps *caps = &dev_to_spe_pmu(dev)->caps;

	return sysfs_emit(buf, "%d\n", !!(caps->features & SPE_FEAT_ARCH_INST));
}
static DEVICE_ATTR_RO(arch_inst);

static ssize_t ernd_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	const struct spe_caps *caps = &dev_to_spe_pmu(dev)->caps;

	return sysfs_emit(buf, "%d\n", !!(caps->features & SPE_FEAT_ERND));
}
static DEVICE_ATTR_RO(ernd);

static ssize_t count_size_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_spe_pmu(dev)->caps.counter_bits);
}
static DEVICE_ATTR_RO(count_size);

static ssize_t min_interval_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_spe_pmu(dev)->caps.min_interval);
}
static DEVICE_ATTR_RO(min_interval);

static ssize_t event_filter_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%llx\n",
			  ~dev_to_spe_pmu(dev)->caps.pmsevfr_res0);
}
static DEVICE_ATTR_RO(event_filter);

static ssize_t access_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	char text[PMSCOPE_ACCESS_TEXT_MAX];

	spe_caps_print_access(&dev_to_spe_pmu(dev)->caps, text, sizeof(text));
	return sysfs_emit(buf, "%s\n", text);
}
static DEVICE_ATTR_RO(access);

static struct attribute *spe_caps_attrs[] = {
	&dev_attr_access.attr,
	&dev_attr_arch_inst.attr,
	&dev_attr_ernd.attr,
	&dev_attr_count_size.attr,
	&dev_attr_min_interval.attr,
	&dev_attr_event_filter.attr,
	NULL
};

static const struct attribute_group spe_caps_group = {
	.name	= "caps",
	.attrs	= spe_caps_attrs,
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%*pbl\n",
			  cpumask_pr_args(&dev_to_spe_pmu(dev)->cpus));
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t errata_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return spe_caps_emit_errata(buf, dev_to_spe_pmu(dev)->caps.errata);
}
static DEVICE_ATTR_RO(errata);

static struct attribute *spe_cpu_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_errata.attr,
	NULL
};

static const struct attribute_group spe_cpu_group = {
	.attrs	= spe_cpu_attrs,
};

/* One loss counter */
struct spe_stat_attr {
	struct device_attribute	attr;
	enum spe_stat		stat;
};

static u64 spe_stat_read(const struct spe_pmu *spe, int cpu, enum spe_stat stat)
{
	return READ_ONCE(per_cpu_ptr(spe->cpu, cpu)->stats[stat]);
}

/* The sum first: on very large machines the page does not hold all CPUs. */
static ssize_t spe_stat_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	enum spe_stat stat = container_of(attr, struct spe_stat_attr, attr)->stat;
	const struct spe_pmu *spe = dev_to_spe_pmu(dev);
	u64 total = 0, count;
	char text[24];
	ssize_t len;
	int cpu;

	for_each_possible_cpu(cpu)
		total += spe_stat_read(spe, cpu, stat);
	len = sysfs_emit(buf, "total %llu\n", total);

	for_each_possible_cpu(cpu) {
		count = spe_stat_read(spe, cpu, stat);
		snprintf(text, sizeof(text), "%llu", count);
		if (count && !pmscope_emit_cpu(buf, &len, cpu, text))
			break;
	}
	return len;
}

#define STAT(_name, _stat)						\
	static struct spe_stat_attr stat_##_name = {			\
		.attr	= __ATTR(_name, 0400, spe_stat_show, NULL),		\
		.stat	= _stat,					\
	}

STAT(windows,		SPE_STAT_WINDOWS);
STAT(buffer_full,	SPE_STAT_BUFFER_FULL);
STAT(truncated,		SPE_STAT_TRUNCATED);
STAT(no_room,		SPE_STAT_NO_ROOM);
STAT(data_loss,		SPE_STAT_DATA_LOSS);
STAT(external_abort,	SPE_STAT_EXTERNAL_ABORT);
STAT(faults,		SPE_STAT_FAULTS);
STAT(fault_stage1,	SPE_STAT_FAULT_STAGE1);
STAT(fault_stage2,	SPE_STAT_FAULT_STAGE2);
STAT(fault_gpc,		SPE_STAT_FAULT_GPC);
STAT(fault_impdef,	SPE_STAT_FAULT_IMPDEF);
STAT(fault_too_large,	SPE_STAT_FAULT_TOO_LARGE);
STAT(fault_other,	SPE_STAT_FAULT_OTHER);
STAT(collisions,	SPE_STAT_COLLISIONS);
STAT(spurious,		SPE_STAT_SPURIOUS);

static struct attribute *spe_stat_attrs[] = {
	&stat_windows.attr.attr,
	&stat_buffer_full.attr.attr,
	&stat_truncated.attr.attr,
	&stat_no_room.attr.attr,
	&stat_data_loss.attr.attr,
	&stat_external_abort.attr.attr,
	&stat_faults.attr.attr,
	&stat_fault_stage1.attr.attr,
	&stat_fault_stage2.attr.attr,
	&stat_fault_gpc.attr.attr,
	&stat_fault_impdef.attr.attr,
	&stat_fault_too_large.attr.attr,
	&stat_fault_other.attr.attr,
	&stat_collisions.attr.attr,
	&stat_spurious.attr.attr,
	NULL
};

static const struct attribute_group spe_stat_group = {
	.name	= "stats",
	.attrs	= spe_stat_attrs,
};

static umode_t spe_format_is_visible(struct kobject *kobj,
				     struct attribute *attr, int unused)
{
	const struct spe_pmu *spe = dev_to_spe_pmu(kobj_to_dev(kobj));

	return spe_field_usable(to_spe_field(attr), &spe->caps) ?
	       attr->mode : 0;
}

static const struct attribute_group spe_format_group = {
	.name		= "format",
	.is_visible	= spe_format_is_visible,
	.attrs		= spe_format_attrs,
};

static const struct attribute_group *spe_attr_groups[] = {
	&spe_cpu_group,
	&spe_caps_group,
	&spe_format_group,
	&spe_stat_group,
	NULL
};

/* What perf core calls */

/* Refuse what this PMU never does. */
static int spe_check_mode(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Guests are never sampled: spe_hw_exclude_guests(); without VHE by KVM. */
	if (attr->exclude_idle || attr->exclude_host)
		return -EOPNOTSUPP;
	/* perf core ignores the first here, and a window raises no signal. */
	if (attr->exclusive || attr->sigtrap)
		return -EOPNOTSUPP;
	/* A buffer of samples comes too late to steer a frequency with. */
	if (attr->freq)
		return -EINVAL;
	return 0;
}

/* The rights of the task that opens the event count. */
static int spe_check_permission(struct perf_event *event)
{
	int refused = pmscope_allow_kernel(&event->attr);

	if (IS_ENABLED(CONFIG_PID_IN_CONTEXTIDR) && !refused)
		event->hw.flags |= SPE_EVENT_CX;
	if (perfmon_capable())
		event->hw.flags |= SPE_EVENT_ANY_INTERVAL;
	/* Freezing affects the counts of other users. */
	if (spe_format_freezes(&event->attr) && !perfmon_capable())
		return -EACCES;
	return spe_format_privileged(&event->attr) ? refused : 0;
}

/*
 * The first interval is what period_left says, which perf core has set to the
 * period.  It ends up in PMSICR.COUNT and must not spill into ECOUNT.
 */
static void spe_limit_first_interval(struct perf_event *event)
{
	const struct spe_caps *caps = &to_spe_pmu(event->pmu)->caps;
	u64 interval = spe_format_pmsirr(event, caps) & PMSIRR_INTERVAL;
	u64 period = event->hw.sample_period;

	if (period > PMSICR_COUNT || period < interval)
		local64_set(&event->hw.period_left, interval);
}

static void spe_event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static int spe_check_event(struct perf_event *event)
{
	struct spe_pmu *spe = to_spe_pmu(event->pmu);

	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &spe->cpus))
		return -ENOENT;

	return spe_format_check(&event->attr, &spe->caps) ?:
	       spe_check_mode(event) ?: spe_check_permission(event);
}

static kuid_t spe_event_owner(const struct perf_event *event)
{
	const struct spe_regs *regs = event->pmu_private;

	return regs->owner;
}

static int spe_event_init(struct perf_event *event)
{
	struct spe_regs *regs;
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;

	/*
	 * A child's event is made in fork(), with the rights of the task that
	 * forks.  It inherits the rights of the parent event's opener instead.
	 */
	if (event->parent) {
		event->hw.flags |= event->parent->hw.flags &
				   (SPE_EVENT_CX | SPE_EVENT_ANY_INTERVAL);
	} else {
		ret = spe_check_event(event);
		if (ret)
			return ret;
	}

	regs = kmalloc(sizeof(*regs), GFP_KERNEL);
	if (!regs)
		return -ENOMEM;
	spe_format_regs(event, &to_spe_pmu(event->pmu)->caps, regs);
	/* fork() must not insert probes; the parent event has done it. */
	ret = regs->freeze && !event->parent ? spe_freeze_get() : 0;
	if (ret) {
		kfree(regs);
		return ret;
	}
	spe_limit_first_interval(event);
	regs->owner = event->parent ? spe_event_owner(event->parent) :
				      current_euid();
	regs->sees_all = event->hw.flags & SPE_EVENT_ANY_INTERVAL;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	event->pmu_private = regs;
	/* No handler: PERF_EVENT_IOC_SET_BPF fails, as nothing would call it. */
	event->overflow_handler_context = event;
	event->destroy = spe_event_destroy;
	return 0;
}

static struct spe_cpu *this_spe_cpu(struct perf_event *event)
{
	return this_cpu_ptr(to_spe_pmu(event->pmu)->cpu);
}

/*
 * Without room in the AUX area the event is disabled, until the reader enables
 * it.  Failing is no use: after add() perf core would try again at each context
 * switch, and it ignores a failure of start().
 */
static int spe_start(struct spe_cpu *cpu, struct perf_event *event, int flags)
{
	int ret;

	/*
	 * perf core also starts events after throttling, without add(); before
	 * 6.17 with the members of the group that are off.
	 */
	if (!(event->hw.state & PERF_HES_STOPPED) ||
	    event->state != PERF_EVENT_STATE_ACTIVE)
		return 0;
	if (!cpu->ready || cpu->event)
		return -EINVAL;

	if (flags & PERF_EF_RELOAD) {
		struct spe_regs *regs = event->pmu_private;

		regs->pmsirr = spe_format_pmsirr(event, cpu->caps);
	}
	ret = spe_run_start(cpu, event);
	if (ret != -ENOSPC)
		return ret;
	pmscope_disable_event_soon(event);
	return 0;
}

/* An event that cannot start stays stopped, its state says so. */
static void spe_event_start(struct perf_event *event, int flags)
{
	if (flags & PMSCOPE_EF_RESUME)
		spe_run_pause(this_spe_cpu(event), event);
	else
		spe_start(this_spe_cpu(event), event, flags);
}

static void spe_event_stop(struct perf_event *event, int flags)
{
	struct spe_cpu *cpu = this_spe_cpu(event);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (flags & PMSCOPE_EF_PAUSE)
		spe_run_pause(cpu, event);
	else if (cpu->event == event && !pmscope_throttled_in_nmi())
		spe_run_stop(cpu);
}

static int spe_event_add(struct perf_event *event, int flags)
{
	struct spe_cpu *cpu = this_spe_cpu(event);

	if (!cpu->ready)
		return -ENOENT;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	return flags & PERF_EF_START ? spe_start(cpu, event, PERF_EF_RELOAD) : 0;
}

/*
 * On CPUs of another PMU the events of tasks are not scheduled.  If add()
 * refused them instead, perf core would try again and again, and before 6.2
 * would not schedule the task's later events.
 */
static bool spe_skips_cpu(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &to_spe_pmu(pmu)->cpus);
}

static int spe_matches_cpu(struct perf_event *event)
{
	return !spe_skips_cpu(event->pmu, smp_processor_id());
}

static void spe_event_del(struct perf_event *event, int flags)
{
	spe_event_stop(event, PERF_EF_UPDATE);
}

/* There is no count: the data is in the AUX area. */
static void spe_event_read(struct perf_event *event)
{
}

/*
 * Windows end on a page boundary and must not cover unread data, so one page is
 * never enough.  In snapshot mode the area is used as two halves.
 */
static void *spe_setup_aux(struct perf_event *event, void **pages,
			   int nr_pages, bool snapshot)
{
	struct spe_pmu *spe = to_spe_pmu(event->pmu);
	int node = event->cpu < 0 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	struct spe_buffer *buf;

	if (nr_pages < 2)
		return NULL;

	buf = spe_buffer_alloc(pages, nr_pages, node, spe->physical);
	if (buf)
		buf->snapshot = snapshot;
	return buf;
}

/**
 * spe_pmu_register() - register arm_spe_<n> with perf core
 * @spe: complete, except for its pmu member
 *
 * From here on events may be opened; each holds a reference to the module.
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int spe_pmu_register(struct spe_pmu *spe)
{
	spe->pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.capabilities	= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE |
				  PMSCOPE_CAP_AUX_PAUSE |
				  (spe->physical ? PMSCOPE_CAP_AUX_LARGE : 0),
		.attr_groups	= spe_attr_groups,
		/*
		 * Events of the software context can be in a group with
		 * counters of any PMU.
		 */
		.task_ctx_nr	= perf_sw_context,
		.event_init	= spe_event_init,
		.add		= spe_event_add,
		.del		= spe_event_del,
		.start		= spe_event_start,
		.stop		= spe_event_stop,
		.read		= spe_event_read,
		.setup_aux	= spe_setup_aux,
		.free_aux	= spe_buffer_free,
	};
	pmscope_pmu_set_parent(&spe->pmu, &spe->pdev->dev);
	pmscope_pmu_set_filter(&spe->pmu, spe_skips_cpu, spe_matches_cpu);

	return perf_pmu_register(&spe->pmu, spe->name, -1);
}
