// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errata of CPUs that change what their samples mean.  No driver can work
 * around these, so sysfs and the log name them
 * (Documentation/reference/errata.rst).
 */
#include "spe/errata.h"

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>
#include <asm/cputype.h>

/* The CPUs of @model from revision @first to @last have it. */
static const struct {
	unsigned int number;
	u32 model;
	u32 first;
	u32 last;
	const char *effect;
} errata[] = {
	{
		.number	= 1694299,
		.model	= MIDR_NEOVERSE_N1,
		.first	= MIDR_CPU_VAR_REV(0, 0),
		.last	= MIDR_CPU_VAR_REV(4, 0),
		.effect	= "targets of branches are sampled too often",
	},
};

/**
 * spe_errata_of() - which errata does a CPU have?
 * @midr: its MIDR_EL1
 *
 * Return: a bit for each, for the other functions here.
 */
unsigned long spe_errata_of(u32 midr)
{
	unsigned long found = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errata); i++)
		if (midr_is_cpu_model_range(midr, errata[i].model,
					    errata[i].first, errata[i].last))
			found |= BIT(i);
	return found;
}

/**
 * spe_errata_report() - say in the kernel log what they do
 * @dev: the profiling device
 * @found: from spe_errata_of()
 */
void spe_errata_report(struct device *dev, unsigned long found)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errata); i++)
		if (found & BIT(i))
			dev_warn(dev, "erratum %u: %s\n", errata[i].number,
				 errata[i].effect);
}

/**
 * spe_errata_emit() - a line for each, for a sysfs file
 * @page: the file's page
 * @found: from spe_errata_of()
 *
 * Return: how many bytes.
 */
int spe_errata_emit(char *page, unsigned long found)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(errata); i++)
		if (found & BIT(i))
			len += sysfs_emit_at(page, len, "%u %s\n",
					     errata[i].number,
					     errata[i].effect);
	return len;
}
