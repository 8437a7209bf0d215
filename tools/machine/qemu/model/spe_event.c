/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiling Buffer management events: which PMBSR_ELx tells of one, and what
 * it stops.
 *
 * With FEAT_SPE_EXC, MDCR_EL3.PMSEE and PMSCR_EL2.EE send events to
 * PMBSR_EL3 and PMBSR_EL2 (RHJXHT). The Profiling exception itself is not
 * modelled: software sees the registers, and no PMBIRQ where EL1 has the
 * exception enabled.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/irq.h"
#include "pmss_firmware.h"
#include "spe.h"
#include "sync.h"

#define EE_DISABLED 0
#define EE_DELEGATED 1
#define EE_OWN 2        /* events that target this Exception level */
#define EE_ALL 3

uint64_t spe_firmware_mdcr_el3(const ARMCPU *cpu)
{
    return FIELD_DP64(0, SPE_MDCR_EL3, PMSEE,
                      cpu->spe.exc ? EE_DELEGATED : EE_DISABLED);
}

static unsigned el3_ee(CPUARMState *env)
{
    if (!env_archcpu(env)->spe.exc) {
        return EE_DISABLED;
    }
    return FIELD_EX64(pmscope_mdcr_el3(env), SPE_MDCR_EL3, PMSEE);
}

/* Effective value of PMSCR_EL2.EE. */
static unsigned el2_ee(CPUARMState *env)
{
    if (el3_ee(env) == EE_DISABLED) {
        return EE_DISABLED;
    }
    return arm_is_el2_enabled(env) ? FIELD_EX64(env->spe.pmscr_el2, PMSCR, EE)
                                   : EE_DELEGATED;
}

/* PMSCR_EL1.EE is 0b00 or 0b11; other values behave as the upper bit says. */
static bool el1_exception_enabled(CPUARMState *env)
{
    return el2_ee(env) != EE_DISABLED &&
           FIELD_EX64(env->spe.pmscr_el1, PMSCR, EE) >= EE_OWN;
}

/* The level whose PMBSR_ELx reports events that are not access faults. */
static int other_event_el(CPUARMState *env)
{
    if (el3_ee(env) == EE_ALL) {
        return 3;
    }
    return el2_ee(env) == EE_ALL ? 2 : 1;
}

static bool targets_el3(CPUARMState *env, const SPEEvent *event)
{
    return event->ec == PMBSR_EC_GPC ||
           (event->gpf && (env->cp15.scr_el3 & SCR_GPF)) ||
           (event->ea && (env->cp15.scr_el3 & SCR_EA));
}

static bool targets_el2(CPUARMState *env, const SPEEvent *event)
{
    ARMSecuritySpace space;
    uint64_t hcr = arm_hcr_el2_eff(env);

    return (event->ec == PMBSR_EC_STAGE1 &&
            spe_owning_el(env, &space) == 2) ||
           event->ec == PMBSR_EC_STAGE2 || event->ec == PMBSR_EC_GPC ||
           (event->ea && (hcr & HCR_TEA));
}

static int event_el(CPUARMState *env, const SPEEvent *event)
{
    unsigned el3 = el3_ee(env), el2 = el2_ee(env);

    if (event->ec == PMBSR_EC_OTHER) {
        return other_event_el(env);
    }
    if (el3 == EE_ALL || (el3 == EE_OWN && targets_el3(env, event))) {
        return 3;
    }
    if (el2 == EE_ALL || (el2 == EE_OWN && targets_el2(env, event))) {
        return 2;
    }
    return 1;
}

bool spe_stopped(CPUARMState *env)
{
    const uint64_t *pmbsr = env->spe.pmbsr;

    return FIELD_EX64(pmbsr[1], PMBSR, S) ||
           (FIELD_EX64(pmbsr[2], PMBSR, S) && el2_ee(env) >= EE_OWN) ||
           (FIELD_EX64(pmbsr[3], PMBSR, S) && el3_ee(env) >= EE_OWN);
}

/* PMSCR_EL2.EE of 0 makes accesses at EL2 to PMBSR_EL1 ignore HCR_EL2.E2H. */
bool spe_redirects(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return ri->fieldoffset != offsetof(CPUARMState, spe.pmbsr[1]) ||
           el2_ee(env) != EE_DISABLED;
}

void spe_update_irq(CPUARMState *env)
{
    bool event = FIELD_EX64(env->spe.pmbsr[1], PMBSR, S) &&
                 !el1_exception_enabled(env);

    BQL_LOCK_GUARD();
    qemu_set_irq(env_archcpu(env)->spe.irq, event || env->spe.spurious);
}

void spe_report_collision(CPUARMState *env)
{
    int el = other_event_el(env);
    uint64_t *pmbsr = &env->spe.pmbsr[el];

    sync_hide(env, SYNC_PMBSR + el);
    *pmbsr = FIELD_DP64(*pmbsr, PMBSR, COLL, 1);
}

/* D17.7.4 tells EA without S apart. Profiling goes on, without a record. */
void spe_report_quiet_abort(CPUARMState *env)
{
    int el = other_event_el(env);
    uint64_t *pmbsr = &env->spe.pmbsr[el];

    sync_hide(env, SYNC_PMBSR + el);
    *pmbsr = FIELD_DP64(*pmbsr, PMBSR, EA, 1);
}

/* Stops profiling. COLL is kept, as it is about samples before the event. */
void spe_report_event(CPUARMState *env, const SPEEvent *event)
{
    const ARMCPU *cpu = env_archcpu(env);
    int el = event_el(env, event);
    uint64_t *pmbsr = &env->spe.pmbsr[el];
    uint64_t value = *pmbsr & R_PMBSR_COLL_MASK;

    if (FIELD_EX64(*pmbsr, PMBSR, S)) {
        return;
    }
    value = FIELD_DP64(value, PMBSR, EC, event->ec);
    value = FIELD_DP64(value, PMBSR, MSS, event->mss);
    value = FIELD_DP64(value, PMBSR, EA,
                       event->ea || ((cpu->spe.abort_quiet || cpu->sync.late) &&
                                     FIELD_EX64(*pmbsr, PMBSR, EA)));
    value = FIELD_DP64(value, PMBSR, DL, event->dl);
    value = FIELD_DP64(value, PMBSR, S, 1);
    /* PMUIRQ changes when a counter is found overflowed. */
    BQL_LOCK_GUARD();
    pmu_op_start(env);
    sync_hide(env, SYNC_PMBSR + el);
    *pmbsr = value;
    pmu_op_finish(env);

    spe_changed(env);
}
