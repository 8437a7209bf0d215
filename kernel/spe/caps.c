// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capabilities of the Statistical Profiling Unit.
 */
#include "spe/caps.h"
#include "spe/regs.h"

#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

/* Features that PMSIDR says nothing of */
static unsigned long other_features(const struct spe_caps *caps)
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

	/* PMBIDR.AddrMode is RES0 where there is no FEAT_SPE_nVM. */
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

static unsigned long features(u64 pmsidr)
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
static unsigned int min_interval(u64 pmsidr)
{
	static const u16 interval[] = {
		256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096
	};
	unsigned int fld = FIELD_GET(PMSIDR_INTERVAL, pmsidr);

	return fld < ARRAY_SIZE(interval) ? interval[fld] : 0;
}

/* PMSIDR.CountSize; 0 for a value that the architecture reserves. */
static unsigned int counter_bits(u64 pmsidr)
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
static u64 max_buffer(u64 pmbidr)
{
	u64 m = FIELD_GET(PMBIDR_MAXBUFF_M, pmbidr);
	u64 e = FIELD_GET(PMBIDR_MAXBUFF_E, pmbidr);

	if (!e)
		return m ? m << 12 : U64_MAX;
	return (0x200 | m) << (e + 11);
}

/**
 * spe_caps_read() - read the profiling ID registers of this CPU
 * @caps: gets the registers and pmsver; see spe_caps_decode() for the rest
 *
 * PMBIDR_EL1.P says whether this Exception level owns the buffer, so nothing else
 * is read before it.  With MDCR_EL3.NSPB 0b10 it does, and the other registers
 * trap all the same.  Call it on the CPU in question
 * with preemption off; it cannot sleep.
 *
 * Return: 0, -ENODEV without FEAT_SPE, -EPERM when a higher Exception level or
 * another Security state owns the Profiling Buffer, -EACCES when PMSIDR_EL1
 * traps.
 */
int spe_caps_read(struct spe_caps *caps)
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

	return pmscope_access_read_pmsidr(&caps->pmsidr) ? 0 : -EACCES;
}

/*
 * Which events can this CPU filter by?  Its designer chooses among the bits that
 * its version of the architecture has.  The others are RAZ/WI, so that a record
 * would be filtered by less than was asked for (Arm ARM D24.7 "PMSEVFR_EL1").
 */
static void read_filter(struct spe_caps *caps)
{
	write_sysreg_s(U64_MAX, SYS_PMSEVFR_EL1);
	caps->pmsevfr_res0 = ~read_sysreg_s(SYS_PMSEVFR_EL1);
	write_sysreg_s(0, SYS_PMSEVFR_EL1);
}

/**
 * spe_caps_decode() - fill in what the ID registers say
 * @caps: from spe_caps_read()
 *
 * Values reserved for later that do no harm get the default that asks least:
 * @min_interval 4096, @counter_bits 12.
 *
 * Return: 0, or -EINVAL for a record size or an alignment that the architecture
 * does not have: buffers could not be laid out safely.
 */
int spe_caps_decode(struct spe_caps *caps)
{
	caps->features = features(caps->pmsidr) | other_features(caps);
	caps->min_interval = min_interval(caps->pmsidr) ?: 4096;
	caps->counter_bits = counter_bits(caps->pmsidr) ?: 12;
	caps->max_record = BIT(FIELD_GET(PMSIDR_MAXSIZE, caps->pmsidr));
	caps->align = BIT(FIELD_GET(PMBIDR_ALIGN, caps->pmbidr));
	caps->max_buffer = max_buffer(caps->pmbidr);

	if (caps->max_record < SZ_16 || caps->max_record > SZ_2K ||
	    caps->align > SZ_2K)
		return -EINVAL;
	return 0;
}

/**
 * spe_caps_probe() - all that this CPU can do
 * @caps: filled in as far as possible
 *
 * As spe_caps_read(), and nothing may profile on this CPU.
 *
 * Return: 0, or an error of spe_caps_read() or spe_caps_decode().
 */
int spe_caps_probe(struct spe_caps *caps)
{
	int ret = spe_caps_read(caps) ?: spe_caps_decode(caps);

	if (!ret)
		read_filter(caps);
	return ret;
}

/**
 * spe_caps_guard() - note whether a register is open; do without it if not
 * @caps: from spe_caps_probe(), with @feature
 * @feature: the SPE_FEAT_* bit that needs the register
 * @reg: the register
 * @access: of pmscope_access_find()
 */
void spe_caps_guard(struct spe_caps *caps, unsigned long feature,
		    enum pmscope_guarded reg, struct pmscope_access access)
{
	caps->access[reg] = access;
	if (access.state != PMSCOPE_ACCESS_OPEN)
		caps->features &= ~feature;
}

/**
 * spe_caps_merge() - what two CPUs have in common
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
 * spe_caps_join() - a CPU that came online later joins a PMU
 * @pmu: what the PMU promised
 * @cpu: what the CPU has, which covers that
 *
 * Return: the errata that no CPU before it had.
 */
unsigned long spe_caps_join(struct spe_caps *pmu, const struct spe_caps *cpu)
{
	unsigned long found = cpu->errata & ~pmu->errata;

	pmu->errata |= found;
	return found;
}

/**
 * spe_caps_cover() - may a CPU that came online later join a PMU?
 * @cpu: what the CPU has
 * @pmu: what the PMU promised to its users and laid buffers out for
 *
 * Return: true when the CPU has all of it.
 */
bool spe_caps_cover(const struct spe_caps *cpu, const struct spe_caps *pmu)
{
	return !(pmu->features & ~cpu->features) &&
	       !(cpu->pmsevfr_res0 & ~pmu->pmsevfr_res0) &&
	       cpu->counter_bits >= pmu->counter_bits &&
	       cpu->max_record <= pmu->max_record && cpu->align <= pmu->align &&
	       cpu->max_buffer >= pmu->max_buffer;
}
