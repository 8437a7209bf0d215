// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiling registers for <debugfs>/pmscope/regs.
 */
#include "gate.h"
#include "regs.h"
#include "spe.h"
#include "spe_caps.h"
#include "spe_regs.h"

#include <linux/errno.h>
#include <linux/smp.h>

#define ADD(dump, reg) \
	pmscope_regs_add(dump, #reg, read_sysreg_s(SYS_##reg))

/* Does this CPU have a feature whose register is open? */
static bool has(const struct spe_caps *caps, unsigned long feature, u64 field)
{
	return caps->features & feature &&
	       pmscope_gate_opened(smp_processor_id(), field);
}

static void add_guarded(struct pmscope_reg_dump *dump,
			const struct spe_caps *caps)
{
	if (has(caps, SPE_FEAT_FILT_INV_EVENT, PMSCOPE_MDCR_EL3_ENPMSN))
		ADD(dump, PMSNEVFR_EL1);
	if (has(caps, SPE_FEAT_FILT_SOURCE, PMSCOPE_MDCR_EL3_ENPMS3))
		ADD(dump, PMSDSFR_EL1);
	if (has(caps, SPE_FEAT_PHYSICAL, PMSCOPE_MDCR_EL3_ENPMS4))
		ADD(dump, PMBMAR_EL1);
}

/**
 * pmscope_spe_dump_regs() - add this CPU's profiling registers to a dump
 * @dump: where to
 *
 * Runs on the CPU with interrupts off.  Registers that are not there or belong
 * to a higher Exception level are left out.
 */
void pmscope_spe_dump_regs(struct pmscope_reg_dump *dump)
{
	struct spe_caps caps = { };
	int ret = spe_caps_read(&caps);

	if (ret == -ENODEV)
		return;
	pmscope_regs_add(dump, "PMBIDR_EL1", caps.pmbidr);
	if (ret)
		return;

	pmscope_regs_add(dump, "PMSIDR_EL1", caps.pmsidr);
	ADD(dump, PMSCR_EL1);
	ADD(dump, PMSICR_EL1);
	ADD(dump, PMSIRR_EL1);
	ADD(dump, PMSFCR_EL1);
	ADD(dump, PMSEVFR_EL1);
	ADD(dump, PMSLATFR_EL1);
	ADD(dump, PMBLIMITR_EL1);
	ADD(dump, PMBPTR_EL1);
	ADD(dump, PMBSR_EL1);
	/* What it says of sizes does not matter here. */
	spe_caps_decode(&caps);
	add_guarded(dump, &caps);
}
