/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a pointer into the Profiling Buffer to a physical address, in the
 * owning translation regime (Arm ARM D17.7.1 to D17.7.3, D17.7.5).
 *
 * Each write is translated anew, so no TLB maintenance can be missed.
 */
#include "qemu/osdep.h"
#include "spe.h"
#include "sync.h"

static ARMMMUIdx stage1_index(CPUARMState *env, int owner)
{
    if (owner == 2) {
        return arm_hcr_el2_eff(env) & HCR_E2H ? ARMMMUIdx_E20_2
                                              : ARMMMUIdx_E2;
    }
    /* Privileged; PSTATE.PAN is taken as 0 (Arm ARM D17.7.6). */
    return ARMMMUIdx_E10_1;
}

/* A Secure IPA; VSTCR_EL2 selects the PA space. */
static void set_secure_output(CPUARMState *env, GetPhysAddrResult *res)
{
    bool secure = !(env->cp15.vstcr_el2 & (VSTCR_SA | VSTCR_SW));

    if (arm_hcr_el2_eff(env) & (HCR_VM | HCR_DC)) {
        res->f.attrs.secure = secure;
        res->f.attrs.space = arm_secure_to_space(secure);
    }
}

/*
 * Without stage 1, @address is an IPA in the EL1&0 regime, and a PA where
 * there is no stage 2 (RQJNFT). PMBMAR_EL1 says no more than how QEMU's flat and
 * coherent memory is written.
 */
static bool translate_stage2(CPUARMState *env, int owner,
                             ARMSecuritySpace space, uint64_t address,
                             GetPhysAddrResult *res, ARMMMUFaultInfo *fi)
{
    ARMMMUIdx index = arm_space_to_phys(space);
    unsigned pamax = arm_pamax(env_archcpu(env));
    unsigned oa_bits = pamax > 48 ? 52 : 48;
    bool fault;

    /* RXBFCM: a fault, or the bits are ignored. */
    if (address >> oa_bits && sync_choice(env, 2)) {
        address = extract64(address, 0, oa_bits);
    }
    if (address >> pamax) {
        fi->type = ARMFault_AddressSize;
        fi->level = 0;
        return true;
    }
    if (owner == 1 && arm_is_el2_enabled_secstate(env, space)) {
        index = space == ARMSS_Secure ? ARMMMUIdx_Stage2_S : ARMMMUIdx_Stage2;
    }
    fault = get_phys_addr(env, address, MMU_DATA_STORE, 0, index, res, fi);
    if (!fault && index == ARMMMUIdx_Stage2_S) {
        set_secure_output(env, res);
    }
    return fault;
}

bool spe_translate(CPUARMState *env, uint64_t address, GetPhysAddrResult *res,
                   ARMMMUFaultInfo *fi)
{
    ARMSecuritySpace space;
    int owner = spe_owning_el(env, &space);

    if (spe_effective_nvm(env)) {
        return translate_stage2(env, owner, space, address, res, fi);
    }
    return get_phys_addr(env, address, MMU_DATA_STORE, 0,
                         stage1_index(env, owner), res, fi);
}

static bool is_device(ARMCacheAttrs attrs)
{
    return !(attrs.attrs & (attrs.is_s2_format ? 0xc : 0xf0));
}

/* May a record not lie at both, for what the translation makes of them? */
static bool conflict(const GetPhysAddrResult *a, const GetPhysAddrResult *b)
{
    return (is_device(a->cacheattrs) && is_device(b->cacheattrs)) ||
           a->cacheattrs.attrs != b->cacheattrs.attrs ||
           a->cacheattrs.shareability != b->cacheattrs.shareability;
}

/* Stage 1 gives both pages of a physical address what PMBMAR_EL1 says. */
static bool stage1_conflict(CPUARMState *env, uint64_t first, uint64_t second)
{
    ARMSecuritySpace space;
    int owner = spe_owning_el(env, &space);
    ARMMMUIdx index = owner == 2 ? stage1_index(env, owner)
                                 : ARMMMUIdx_Stage1_E1;
    GetPhysAddrResult a = {}, b = {};
    ARMMMUFaultInfo fi = {};

    if (spe_effective_nvm(env)) {
        return !(env->spe.pmbmar & 0xf0);
    }
    return !get_phys_addr(env, first, MMU_DATA_STORE, 0, index, &a, &fi) &&
           !get_phys_addr(env, second, MMU_DATA_STORE, 0, index, &b, &fi) &&
           conflict(&a, &b);
}

int spe_conflicting_stage(CPUARMState *env, uint64_t first, uint64_t second)
{
    GetPhysAddrResult a = {}, b = {};
    ARMMMUFaultInfo fi = {};

    if (stage1_conflict(env, first, second)) {
        return 1;
    }
    return !spe_translate(env, first, &a, &fi) &&
           !spe_translate(env, second, &b, &fi) && conflict(&a, &b) ? 2 : 0;
}
