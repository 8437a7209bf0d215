// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiling registers for <debugfs>/pmscope/regs.
 */
#include "access.h"
#include "guard.h"
#include "debugfs.h"
#include "spe/spe.h"
#include "spe/caps.h"
#include "spe/regs.h"

#include <linux/errno.h>

#include <asm/virt.h>

#define ADD(dump, reg) \
	pmscope_regs_add(dump, #reg, read_sysreg_s(SYS_##reg))

#define ADD_GUARDED(dump, reg)						\
do {									\
	u64 val;							\
									\
	if (pmscope_guard_read(SYS_##reg, val))				\
		pmscope_regs_add(dump, #reg, val);			\
} while (0)

/*
 * Is the register open?  What follows from something else is good enough for an
 * event that asks for it, and for a look only where firmware survives a trap.
 */
static bool is_open(enum pmscope_guarded reg)
{
	struct pmscope_access access;

	access = pmscope_access_find(reg, pmscope_access_is_trusted());
	return access.state == PMSCOPE_ACCESS_OPEN &&
	       (access.known_by != PMSCOPE_INFERRED ||
		pmscope_access_firmware_answers());
}

static void add_guarded(struct pmscope_reg_dump *dump,
			const struct spe_caps *caps)
{
	if (caps->features & SPE_FEAT_FILT_INV_EVENT &&
	    is_open(PMSCOPE_PMSNEVFR))
		ADD_GUARDED(dump, PMSNEVFR_EL1);
	if (caps->features & SPE_FEAT_FILT_SOURCE && is_open(PMSCOPE_PMSDSFR))
		ADD_GUARDED(dump, PMSDSFR_EL1);
	if (caps->features & SPE_FEAT_PHYSICAL && is_open(PMSCOPE_PMBMAR))
		ADD_GUARDED(dump, PMBMAR_EL1);
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
	/* In a VHE kernel the name PMSCR_EL1 reaches PMSCR_EL2. */
	if (is_kernel_in_hyp_mode()) {
		pmscope_regs_add(dump, "PMSCR_EL2",
				 read_sysreg_s(SYS_PMSCR_EL1));
		ADD(dump, PMSCR_EL12);
	} else {
		ADD(dump, PMSCR_EL1);
	}
	ADD(dump, PMSICR_EL1);
	ADD(dump, PMSIRR_EL1);
	ADD(dump, PMSFCR_EL1);
	ADD(dump, PMSEVFR_EL1);
	ADD(dump, PMSLATFR_EL1);
	ADD(dump, PMBLIMITR_EL1);
	ADD(dump, PMBPTR_EL1);
	ADD(dump, PMBSR_EL1);
	/* The sizes in it are not used here. */
	spe_caps_decode(&caps);
	add_guarded(dump, &caps);
}
