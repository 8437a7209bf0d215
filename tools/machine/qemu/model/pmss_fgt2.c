/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FEAT_FGT2: fine-grained traps to EL2 on the registers of this model. */
#include "qemu/osdep.h"
#include "pmss_firmware.h"

static bool fgt2_implemented(CPUARMState *env)
{
    uint64_t mmfr0 = env_archcpu(env)->isar.id_aa64mmfr0;

    return FIELD_EX64(mmfr0, ID_AA64MMFR0, FGT) >= 2;
}

static bool fgt2_applies(CPUARMState *env)
{
    uint64_t in_host = HCR_E2H | HCR_TGE;

    return fgt2_implemented(env) && arm_current_el(env) < 2 &&
           arm_is_el2_enabled(env) && arm_el_is_aa64(env, 1) &&
           (arm_hcr_el2_eff(env) & in_host) != in_host;
}

bool pmscope_fgt2_trap(CPUARMState *env, bool isread, unsigned bit)
{
    uint64_t permitted = isread ? env->pmss.hdfgrtr2_el2
                                : env->pmss.hdfgwtr2_el2;

    if (!fgt2_applies(env)) {
        return false;
    }
    return !(pmscope_scr_el3(env) & SCR_FGTEN2) ||
           !extract64(permitted, bit, 1);
}

static CPAccessResult access_fgt2(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    if (arm_current_el(env) < 3 && !(pmscope_scr_el3(env) & SCR_FGTEN2)) {
        return pmscope_trap_el3(env);
    }
    return CP_ACCESS_OK;
}

/* Bits that control a register this CPU has; the others are RES0. */
#define HDFGXTR2_VALID (MAKE_64BIT_MASK(0, 1) | MAKE_64BIT_MASK(2, 3) | \
                        MAKE_64BIT_MASK(7, 1) | MAKE_64BIT_MASK(19, 1) | \
                        MAKE_64BIT_MASK(24, 1))
#define HDFGRTR2_VALID (HDFGXTR2_VALID | MAKE_64BIT_MASK(6, 1))
#define HDFGWTR2_VALID (HDFGXTR2_VALID | MAKE_64BIT_MASK(21, 1))

static void hdfgxtr2_write(CPUARMState *env, const ARMCPRegInfo *ri,
                           uint64_t value)
{
    CPREG_FIELD64(env, ri) = value & (ri->opc2 ? HDFGWTR2_VALID
                                               : HDFGRTR2_VALID);
}

#define FGT2_REG(NAME, OP2, FIELD) \
    .name = NAME, .state = ARM_CP_STATE_AA64, \
    .opc0 = 3, .opc1 = 4, .crn = 3, .crm = 1, .opc2 = OP2, \
    .access = PL2_RW, .accessfn = access_fgt2, \
    .fieldoffset = offsetof(CPUARMState, pmss.FIELD)

static const ARMCPRegInfo fgt2_reginfo[] = {
    { FGT2_REG("HDFGRTR2_EL2", 0, hdfgrtr2_el2),
      .writefn = hdfgxtr2_write, .raw_writefn = raw_write },
    { FGT2_REG("HDFGWTR2_EL2", 1, hdfgwtr2_el2),
      .writefn = hdfgxtr2_write, .raw_writefn = raw_write },
    /* QEMU implements no register that these three control. */
    { FGT2_REG("HFGRTR2_EL2", 2, hfgrtr2_el2) },
    { FGT2_REG("HFGWTR2_EL2", 3, hfgwtr2_el2) },
    { FGT2_REG("HFGITR2_EL2", 7, hfgitr2_el2) },
};

void pmscope_define_fgt2_regs(ARMCPU *cpu)
{
    if (fgt2_implemented(&cpu->env)) {
        define_arm_cp_regs(cpu, fgt2_reginfo);
    }
}
