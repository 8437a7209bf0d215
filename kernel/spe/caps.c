// SPDX-License-Identifier: GPL-2.0-only
/* Capabilities of the Statistical Profiling Unit. */
#include "spe/caps.h"
#include "guard.h"
#include "spe/regs.h"

#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/sysfs.h>
#include <asm/cputype.h>

/*
 * Errata that change what the samples of a CPU mean.  No driver can work around
 * them, so users of the samples are warned: Documentation/reference/errata.rst.
 * CPUs of @model from revision @first to @last have the erratum.
 */
static const struct {
	unsigned int number;
	u32 model;
	u32 first;
	u32 last;
	const char *effect;
} spe_errata[] = {
	{
		.number	= 1694299,
		.model	= MIDR_NEOVERSE_N1,
		.first	= MIDR_CPU_VAR_REV(0, 0),
		.last	= MIDR_CPU_VAR_REV(4, 0),
		.effect	= "targets of branches are sampled too often",
	},
};

/* Features that ID_AA64DFR<n>_EL1 and PMBIDR report */
static unsigned long spe_caps_dfr_features(const struct spe_caps *caps)
{
	unsigned int pmuver = FIELD_GET(PMSCOPE_DFR0_PMUVER, caps->dfr0);
	unsigned long found = 0;

	if (caps->pmsver >= PMSVER_V1P2) {
		found |= SPE_FEAT_DISCARD;
		/* SPEFreezeOnEvent() */
		if (pmuver >= PMSCOPE_PMUVER_V3P7 &&
		    pmuver != PMSCOPE_PMUVER_IMPDEF)
			found |= SPE_FEAT_FREEZE;
		if (found & SPE_FEAT_FREEZE &&
		    FIELD_GET(PMSCOPE_DFR1_DPFZS, caps->dfr1))
			found |= SPE_FEAT_FREEZE_CYCLES;
	}

	/* PMBIDR.AddrMode is RES0 without FEAT_SPE_nVM. */
	switch (FIELD_GET(PMBIDR_ADDRMODE, caps->pmbidr)) {
	case PMBIDR_ADDRMODE_BOTH:
		found |= SPE_FEAT_VIRTUAL;
		fallthrough;
	case PMBIDR_ADDRMODE_PHYSICAL:
		if (FIELD_GET(PMSCOPE_DFR2_SPE_NVM, caps->dfr2))
			found |= SPE_FEAT_PHYSICAL;
		break;
	default:
		found |= SPE_FEAT_VIRTUAL;
		break;
	}
	return found;
}

static unsigned long spe_caps_pmsidr_features(u64 pmsidr)
{
	static const struct {
		u64 bit;
		unsigned long feature;
	} map[] = {
		{ PMSIDR_FE,		SPE_FEAT_FILT_EVENT },
		{ PMSIDR_FT,		SPE_FEAT_FILT_TYPE },
		{ PMSIDR_FL,		SPE_FEAT_FILT_LATENCY },
		{ PMSIDR_ARCHINST,	SPE_FEAT_ARCH_INST },
		{ PMSIDR_LDS,		SPE_FEAT_LDS },
		{ PMSIDR_ERND,		SPE_FEAT_ERND },
		{ PMSIDR_FNE,		SPE_FEAT_FILT_INV_EVENT },
		{ PMSIDR_FDS,		SPE_FEAT_FILT_SOURCE },
		{ PMSIDR_EFT,		SPE_FEAT_FILT_EXTENDED },
	};
	unsigned long found = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(map); i++)
		if (pmsidr & map[i].bit)
			found |= map[i].feature;
	return found;
}

/* PMSIDR.Interval; 0 for a value that the architecture reserves. */
static unsigned int spe_caps_min_interval(u64 pmsidr)
{
	static const u16 interval[] = {
		256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096
	};
	unsigned int fld = FIELD_GET(PMSIDR_INTERVAL, pmsidr);

	return fld < ARRAY_SIZE(interval) ? interval[fld] : 0;
}

/* PMSIDR.CountSize; 0 for a value that the architecture reserves. */
static unsigned int spe_caps_counter_bits(u64 pmsidr)
{
	switch (FIELD_GET(PMSIDR_COUNTSIZE, pmsidr)) {
	case 2:
		return 12;
	case 3:
		return 16;
	default:
		return 0;
	}
}

/*
 * PMBIDR.MaxBuffSize: a floating point number that only hypervisors fill in.
 * Zero means that nobody limits the buffer.
 */
static u64 spe_caps_max_buffer(u64 pmbidr)
{
	u64 m = FIELD_GET(PMBIDR_MAXBUFF_M, pmbidr);
	u64 e = FIELD_GET(PMBIDR_MAXBUFF_E, pmbidr);

	if (!e)
		return m ? m << 12 : U64_MAX;
	return (0x200 | m) << (e + 11);
}

/*
 * Read the profiling ID registers of this CPU.  PMBIDR_EL1.P says whether this
 * Exception level owns the buffer, so it is read first.  With MDCR_EL3.NSPB 0b10
 * P is 0 although the other registers trap.
 */
static int spe_caps_read(struct spe_caps *caps)
{
	caps->dfr0 = read_sysreg_s(SYS_ID_AA64DFR0_EL1);
	caps->dfr1 = read_sysreg_s(SYS_ID_AA64DFR1_EL1);
	caps->dfr2 = read_sysreg_s(SYS_ID_AA64DFR2_EL1);
	caps->pmsver = FIELD_GET(PMSCOPE_DFR0_PMSVER, caps->dfr0);
	if (!caps->pmsver)
		return -ENODEV;

	caps->pmbidr = read_sysreg_s(SYS_PMBIDR_EL1);
	if (caps->pmbidr & PMBIDR_P)
		return -EPERM;

	return pmscope_guard_read(SYS_PMSIDR_EL1, caps->pmsidr) ? 0 : -EACCES;
}

/*
 * Which events can this CPU filter by?  Bits of PMSEVFR_EL1 that a CPU does not
 * implement are RAZ/WI (Arm ARM D24.7), so they would let more records through.
 */
static void spe_caps_read_filter(struct spe_caps *caps)
{
	write_sysreg_s(U64_MAX, SYS_PMSEVFR_EL1);
	caps->pmsevfr_res0 = ~read_sysreg_s(SYS_PMSEVFR_EL1);
	write_sysreg_s(0, SYS_PMSEVFR_EL1);
}

/*
 * Reserved values of Interval and CountSize do no harm: 4096 and 12 bits are used.
 * With a reserved record size or alignment (-EINVAL) no buffer could be laid out
 * safely.
 */
static int spe_caps_decode(struct spe_caps *caps)
{
	caps->features = spe_caps_pmsidr_features(caps->pmsidr) |
			 spe_caps_dfr_features(caps);
	caps->min_interval = spe_caps_min_interval(caps->pmsidr) ?: 4096;
	caps->counter_bits = spe_caps_counter_bits(caps->pmsidr) ?: 12;
	caps->max_record = BIT(FIELD_GET(PMSIDR_MAXSIZE, caps->pmsidr));
	caps->align = BIT(FIELD_GET(PMBIDR_ALIGN, caps->pmbidr));
	caps->max_buffer = spe_caps_max_buffer(caps->pmbidr);

	if (caps->max_record < SZ_16 || caps->max_record > SZ_2K ||
	    caps->align > SZ_2K)
		return -EINVAL;
	return 0;
}

/**
 * spe_caps_identify() - what the ID registers of this CPU say
 * @caps: gets the registers and the features that they report
 *
 * Context: on the CPU, preemption off.
 * Return: 0; -ENODEV without FEAT_SPE; -EPERM when a higher Exception level or
 * another Security state owns the Profiling Buffer; -EACCES when PMSIDR_EL1
 * traps; -EINVAL for a record size or an alignment that the architecture does not
 * have.
 */
int spe_caps_identify(struct spe_caps *caps)
{
	return spe_caps_read(caps) ?: spe_caps_decode(caps);
}

/* A bit for each erratum of spe_errata[] that a CPU has; @midr: its MIDR_EL1 */
static unsigned long spe_caps_errata(u32 midr)
{
	unsigned long found = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spe_errata); i++)
		if (midr_is_cpu_model_range(midr, spe_errata[i].model,
					    spe_errata[i].first,
					    spe_errata[i].last))
			found |= BIT(i);
	return found;
}

/* Features whose registers EL3 and EL2 open one by one */
static const struct spe_guarded {
	enum pmscope_guarded	reg;
	unsigned long		feature;
	const char		*name;
} spe_guarded[] = {
	{ PMSCOPE_PMSNEVFR, SPE_FEAT_FILT_INV_EVENT, "inverse event filter" },
	{ PMSCOPE_PMSDSFR, SPE_FEAT_FILT_SOURCE, "data source filter" },
	{ PMSCOPE_PMBMAR, SPE_FEAT_PHYSICAL, "physical buffers" },
};

/* Give up a feature unless its register is open. */
static void spe_caps_guard(struct spe_caps *caps, unsigned long feature,
			   enum pmscope_guarded reg, struct pmscope_access access)
{
	caps->access[reg] = access;
	if (access.state != PMSCOPE_ACCESS_OPEN)
		caps->features &= ~feature;
}

/* Give up the features of this CPU whose registers trap, or may trap. */
static void spe_caps_close(struct spe_caps *caps, bool physical)
{
	bool trusted;

	for (size_t i = 0; i < ARRAY_SIZE(spe_guarded); i++) {
		if (!(caps->features & spe_guarded[i].feature))
			continue;
		trusted = physical && spe_guarded[i].reg == PMSCOPE_PMBMAR;
		spe_caps_guard(caps, spe_guarded[i].feature, spe_guarded[i].reg,
			       pmscope_access_find(spe_guarded[i].reg, trusted));
	}
}

/**
 * spe_caps_probe() - all that this CPU can do, and firmware and EL2 permit
 * @caps: filled in as far as possible
 * @physical: take PMBMAR_EL1 for open, as with physical_buffers=1
 *
 * Context: on the CPU, preemption off; nothing may profile there.
 * Return: 0, or an error of spe_caps_identify().
 */
int spe_caps_probe(struct spe_caps *caps, bool physical)
{
	int ret = spe_caps_identify(caps);

	if (ret)
		return ret;
	spe_caps_read_filter(caps);
	caps->errata = spe_caps_errata(read_cpuid_id());
	spe_caps_close(caps, physical);
	return 0;
}

/**
 * spe_caps_merge() - reduce capabilities to what two CPUs have in common
 * @caps: capabilities so far, gets the common ones
 * @other: another CPU of the same PMU
 */
void spe_caps_merge(struct spe_caps *caps, const struct spe_caps *other)
{
	unsigned int reg;

	caps->pmsver = min(caps->pmsver, other->pmsver);
	caps->features &= other->features;
	caps->pmsevfr_res0 |= other->pmsevfr_res0;
	caps->min_interval = max(caps->min_interval, other->min_interval);
	caps->counter_bits = min(caps->counter_bits, other->counter_bits);
	caps->max_record = max(caps->max_record, other->max_record);
	caps->align = max(caps->align, other->align);
	caps->max_buffer = min(caps->max_buffer, other->max_buffer);
	caps->errata |= other->errata;
	for (reg = 0; reg < PMSCOPE_NR_GUARDED; reg++)
		if (other->access[reg].state < caps->access[reg].state)
			caps->access[reg] = other->access[reg];
}

/**
 * spe_caps_report_errata() - say in the kernel log what errata do
 * @dev: the profiling device
 * @found: as in struct spe_caps
 */
void spe_caps_report_errata(struct device *dev, unsigned long found)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spe_errata); i++)
		if (found & BIT(i))
			dev_warn(dev, "erratum %u: %s\n", spe_errata[i].number,
				 spe_errata[i].effect);
}

/* Add the errata of a CPU to those of the PMU; returns those that are new. */
static unsigned long spe_caps_add_errata(struct spe_caps *pmu,
					 const struct spe_caps *cpu)
{
	unsigned long found = cpu->errata & ~pmu->errata;

	pmu->errata |= found;
	return found;
}

/*
 * Does a CPU have all that the PMU promised to its users and laid out buffers for?
 */
static bool spe_caps_cover(const struct spe_caps *cpu, const struct spe_caps *pmu)
{
	return !(pmu->features & ~cpu->features) &&
	       !(cpu->pmsevfr_res0 & ~pmu->pmsevfr_res0) &&
	       cpu->counter_bits >= pmu->counter_bits &&
	       cpu->max_record <= pmu->max_record && cpu->align <= pmu->align &&
	       cpu->max_buffer >= pmu->max_buffer;
}

/**
 * spe_caps_join() - let a CPU that came online later join a PMU
 * @dev: the profiling device, for messages
 * @pmu: capabilities of the PMU; gets the errata of the CPU
 * @cpu: those of the CPU
 *
 * Return: false when the CPU lacks what the PMU promised; it must not join.
 */
bool spe_caps_join(struct device *dev, struct spe_caps *pmu,
		   const struct spe_caps *cpu)
{
	if (!spe_caps_cover(cpu, pmu))
		return false;
	spe_caps_report_errata(dev, spe_caps_add_errata(pmu, cpu));
	return true;
}

/**
 * spe_caps_emit_errata() - a line for each erratum, for a sysfs file
 * @page: the file's page
 * @found: as in struct spe_caps
 *
 * Return: the number of bytes written.
 */
int spe_caps_emit_errata(char *page, unsigned long found)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(spe_errata); i++)
		if (found & BIT(i))
			len += sysfs_emit_at(page, len, "%u %s\n",
					     spe_errata[i].number,
					     spe_errata[i].effect);
	return len;
}

/**
 * spe_caps_print_access() - say which registers firmware opened
 * @caps: of one CPU, or merged
 * @text: the buffer
 * @size: its size
 *
 * Return: the length, as scnprintf(); 0 if the CPUs have none of the registers.
 */
int spe_caps_print_access(const struct spe_caps *caps, char *text, size_t size)
{
	unsigned int reg;
	int len = 0;

	*text = '\0';
	for (reg = 0; reg < PMSCOPE_NR_GUARDED; reg++) {
		if (caps->access[reg].state == PMSCOPE_ACCESS_NONE)
			continue;
		if (len)
			len += scnprintf(text + len, size - len, ", ");
		len += pmscope_access_print(text + len, size - len, reg,
					    caps->access[reg]);
	}
	return len;
}

static void spe_caps_report_guarded(struct device *dev, const struct spe_guarded *g,
				    struct pmscope_access access)
{
	const char *reg = pmscope_registers[g->reg].name;
	const char *field = pmscope_registers[g->reg].field;

	if (access.state == PMSCOPE_ACCESS_TRAPPED &&
	    access.known_by == PMSCOPE_INFERRED)
		dev_warn(dev, "no %s: the kernel's own EL2 (nVHE) traps %s (HDFGRTR2_EL2.n%s is 0); trust_firmware=1 takes it for open\n",
			 g->name, reg, reg);
	else if (access.state == PMSCOPE_ACCESS_TRAPPED)
		dev_warn(dev, "no %s: %s was tried and traps (MDCR_EL3.%s is 0, or a hypervisor traps it)\n",
			 g->name, reg, field);
	else if (access.state == PMSCOPE_ACCESS_UNKNOWN &&
		 g->reg == PMSCOPE_PMSDSFR)
		dev_warn(dev, "no %s: firmware does not say whether it traps %s (MDCR_EL3.%s is not reported); trust_firmware=1 takes it for open\n",
			 g->name, reg, field);
}

/**
 * spe_caps_report_access() - log which registers firmware and EL2 opened
 * @dev: the profiling device
 * @caps: merged; a feature that one CPU cannot use is missing
 */
void spe_caps_report_access(struct device *dev, const struct spe_caps *caps)
{
	char text[PMSCOPE_ACCESS_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(spe_guarded); i++)
		spe_caps_report_guarded(dev, &spe_guarded[i],
					caps->access[spe_guarded[i].reg]);
	if (spe_caps_print_access(caps, text, sizeof(text)))
		dev_info(dev, "%s\n", text);
}
