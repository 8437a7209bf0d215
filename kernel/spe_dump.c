// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiling registers for <debugfs>/pmscope/regs.
 */
#include "regs.h"
#include "spe.h"
#include "spe_caps.h"
#include "spe_regs.h"

#include <linux/errno.h>

#define ADD(dump, reg) \
	pmscope_regs_add(dump, #reg, read_sysreg_s(SYS_##reg))

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
}
