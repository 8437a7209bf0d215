// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which registers are open: what MDCR_EL3 traps by what firmware answers to
 * SMCCC_ARCH_FEATURE_AVAILABILITY (Arm DEN0028, SMCCC 1.5), what Linux's own EL2
 * traps by what it is known to write there.
 *
 * A 1 in the answer is a promise. A 0 is not always a "no": Trusted Firmware-A
 * answers 0 for EnPMSN and EnPMS3 whatever they are, and for fields that it does
 * not know. There the register is read once, under a guard (guard.h): firmware
 * that has the call (TF-A 2.13) injects an UNDEF at a trap that it does not
 * expect (TF-A 2.11). Older firmware may stop the machine, so where it does not
 * have the call nothing is tried unless the administrator asks for it.
 */
#include "compat.h"
#include "firmware.h"
#include "guard.h"
#include "sysreg.h"

#include <linux/arm-smccc.h>
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <asm/virt.h>

static bool trust_firmware;
module_param(trust_firmware, bool, 0444);
MODULE_PARM_DESC(trust_firmware,
		 "touch registers, PMSSCR_EL1 before all, though firmware does not say that EL3 lets it, or though the kernel runs at EL1 under an EL2 of its own (where they trap, firmware before TF-A 2.11 may stop the machine, and KVM panics)");

/* DEN0028 7.8; an SMC64 call, its result is a 64-bit mask */
#define FEATURE_AVAILABILITY                                            \
	ARM_SMCCC_CALL_VAL(ARM_SMCCC_FAST_CALL, ARM_SMCCC_SMC_64,       \
			   ARM_SMCCC_OWNER_ARCH, 3)

/* The selector of a register is its encoding, as sys_reg() makes it */
#define SELECT_MDCR_EL3 sys_reg(3, 6, 1, 3, 1)

static const struct {
	const char *name;
	const char *field;
	u64 mask;
	bool zero_is_no;
} guarded[] = {
	[PMSCOPE_PMSSCR] = { "PMSSCR_EL1", "EnPMSS", PMSCOPE_MDCR_EL3_ENPMSS },
	[PMSCOPE_PMECR] = { "PMECR_EL1", "EnPM2", PMSCOPE_MDCR_EL3_ENPM2,
			    .zero_is_no = true },
	[PMSCOPE_PMSNEVFR] = { "PMSNEVFR_EL1", "EnPMSN",
			       PMSCOPE_MDCR_EL3_ENPMSN },
	[PMSCOPE_PMSDSFR] = { "PMSDSFR_EL1", "EnPMS3",
			      PMSCOPE_MDCR_EL3_ENPMS3 },
	[PMSCOPE_PMBMAR] = { "PMBMAR_EL1", "EnPMS4", PMSCOPE_MDCR_EL3_ENPMS4 },
};

/**
 * pmscope_guarded_name() - the register's name in the Arm ARM
 * @reg: the register
 */
const char *pmscope_guarded_name(enum pmscope_guarded reg)
{
	return guarded[reg].name;
}

/**
 * pmscope_guarded_field() - the field of MDCR_EL3 that guards a register
 * @reg: the register
 */
const char *pmscope_guarded_field(enum pmscope_guarded reg)
{
	return guarded[reg].field;
}

/**
 * pmscope_fw_trusted() - did the administrator say trust_firmware=1?
 */
bool pmscope_fw_trusted(void)
{
	return trust_firmware;
}

static bool ask_mdcr_el3(u64 *available)
{
	struct arm_smccc_res res;

	if (arm_smccc_1_1_get_conduit() == SMCCC_CONDUIT_NONE)
		return false;

	arm_smccc_1_1_invoke(ARM_SMCCC_ARCH_FEATURES_FUNC_ID,
			     FEATURE_AVAILABILITY, &res);
	if ((int)res.a0 < 0)
		return false;

	arm_smccc_1_1_invoke(FEATURE_AVAILABILITY, SELECT_MDCR_EL3, &res);
	if ((int)res.a0 < 0)
		return false;

	*available = res.a1;
	return true;
}

/*
 * A kernel that was started at EL2 and runs at EL1 (nVHE, pKVM) has cleared in
 * HDFGxTR2_EL2 what it does not use itself, see __init_el2_fgt2 in el2_setup.h.
 * KVM panics at such a trap, and without KVM the access comes again and again.
 *
 * Modules are not told where the kernel was started.  A hypervisor hides EL2,
 * or FGT2, from its guests; where it does not, this errs on the safe side, and
 * the administrator may know better.
 */
static u64 own_el2_traps(void)
{
	u64 pfr0 = read_sysreg_s(SYS_ID_AA64PFR0_EL1);
	u64 mmfr0 = read_sysreg_s(SYS_ID_AA64MMFR0_EL1);
	u64 traps = PMSCOPE_MDCR_EL3_ENPMSS | PMSCOPE_MDCR_EL3_ENPM2 |
		    PMSCOPE_MDCR_EL3_ENPMS4;

	if (trust_firmware || is_kernel_in_hyp_mode() ||
	    !FIELD_GET(PMSCOPE_PFR0_EL2, pfr0) ||
	    FIELD_GET(PMSCOPE_MMFR0_FGT, mmfr0) < PMSCOPE_FGT_FGT2)
		return 0;
	if (!PMSCOPE_EL2_OPENS_PMSDSFR)
		traps |= PMSCOPE_MDCR_EL3_ENPMS3;
	return traps;
}

/**
 * pmscope_fw_ask() - what this CPU's firmware, and our own EL2, let through
 * @fw: filled in
 *
 * Any context, pinned to the CPU: fast calls do not sleep.
 */
void pmscope_fw_ask(struct pmscope_fw *fw)
{
	fw->available = 0;
	fw->answers = ask_mdcr_el3(&fw->available);
	fw->el2_traps = own_el2_traps();
}

static bool try_read(enum pmscope_guarded reg, u64 *val)
{
	switch (reg) {
	case PMSCOPE_PMSSCR:
		return pmscope_guard_read(SYS_PMSSCR_EL1, *val);
	case PMSCOPE_PMECR:
		return pmscope_guard_read(SYS_PMECR_EL1, *val);
	case PMSCOPE_PMSNEVFR:
		return pmscope_guard_read(SYS_PMSNEVFR_EL1, *val);
	case PMSCOPE_PMSDSFR:
		return pmscope_guard_read(SYS_PMSDSFR_EL1, *val);
	case PMSCOPE_PMBMAR:
		return pmscope_guard_read(SYS_PMBMAR_EL1, *val);
	default:
		return false;
	}
}

/* Also on the administrator's word: better a refusal than an oops later. */
static struct pmscope_access tried(enum pmscope_guarded reg, bool trusted)
{
	struct pmscope_access access = { PMSCOPE_ACCESS_TRAPPED, PMSCOPE_TRIED };
	u64 val;

	if (try_read(reg, &val)) {
		access.state = PMSCOPE_ACCESS_OPEN;
		if (trusted)
			access.ground = PMSCOPE_TRUSTED;
	}
	return access;
}

/**
 * pmscope_fw_access() - may a register be touched, and how is that known?
 * @fw: from pmscope_fw_ask() on this CPU
 * @reg: one that the CPU has; for those of SPE, PMSIDR_EL1 could be read
 * @trusted: the administrator said that it is open
 *
 * Pinned to the CPU.
 *
 * Return: never PMSCOPE_ACCESS_NONE
 */
struct pmscope_access pmscope_fw_access(const struct pmscope_fw *fw,
					enum pmscope_guarded reg, bool trusted)
{
	u64 mask = guarded[reg].mask;

	if (fw->el2_traps & mask)
		return (struct pmscope_access){ PMSCOPE_ACCESS_TRAPPED,
						PMSCOPE_INFERRED };
	if (fw->available & mask)
		return (struct pmscope_access){ PMSCOPE_ACCESS_OPEN,
						PMSCOPE_REPORTED };
	if (fw->answers && guarded[reg].zero_is_no)
		return (struct pmscope_access){ PMSCOPE_ACCESS_TRAPPED,
						PMSCOPE_REPORTED };
	/* Firmware sets EnPMSN with NSPB, without which SPE is out of reach. */
	if (reg == PMSCOPE_PMSNEVFR)
		return (struct pmscope_access){ PMSCOPE_ACCESS_OPEN,
						PMSCOPE_INFERRED };
	if (fw->answers || trusted)
		return tried(reg, trusted);
	return (struct pmscope_access){ PMSCOPE_ACCESS_UNKNOWN,
					PMSCOPE_NOT_REPORTED };
}

/**
 * pmscope_fw_read_pmsidr() - read PMSIDR_EL1, if this CPU lets us
 * @val: gets it
 *
 * Return: false where it traps
 */
bool pmscope_fw_read_pmsidr(u64 *val)
{
	return pmscope_guard_read(SYS_PMSIDR_EL1, *val);
}

/**
 * pmscope_access_print() - an access in words: "PMSSCR_EL1 open (tried)"
 * @text: where to
 * @size: of it
 * @reg: the register
 * @access: of pmscope_fw_access()
 *
 * Return: as scnprintf(); 0 for a register that the CPU does not have
 */
int pmscope_access_print(char *text, size_t size, enum pmscope_guarded reg,
			 struct pmscope_access access)
{
	static const char *const states[] = {
		[PMSCOPE_ACCESS_UNKNOWN] = "unknown",
		[PMSCOPE_ACCESS_TRAPPED] = "trapped",
		[PMSCOPE_ACCESS_OPEN] = "open",
	};
	static const char *const grounds[] = {
		[PMSCOPE_NOT_REPORTED] = "not reported",
		[PMSCOPE_REPORTED] = "reported",
		[PMSCOPE_INFERRED] = "inferred",
		[PMSCOPE_TRIED] = "tried",
		[PMSCOPE_TRUSTED] = "trusted",
	};

	if (access.state == PMSCOPE_ACCESS_NONE)
		return 0;
	return scnprintf(text, size, "%s %s (%s)", guarded[reg].name,
			 states[access.state], grounds[access.ground]);
}
