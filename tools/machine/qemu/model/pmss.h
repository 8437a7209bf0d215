/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_PMUv3_SS, with what it implies: FEAT_PMUv3p9, FEAT_PMUv3_ICNTR,
 * FEAT_FGT2 (Arm ARM D13.5, D13.9, D24.5).
 *
 * CPU properties:
 *   pmss=on|off          FEAT_PMUv3_SS and FEAT_PMUv3p9
 *   icntr=on|off         FEAT_PMUv3_ICNTR (needs pmss=on)
 *   pmss-latency=N       a capture completes N ns after its request
 *   pmss-stuck=on|off    a capture never completes
 *   pmss-external=N      an external agent requests a capture every N ns
 *   pmss-external-seed=S ... at random instants, N ns apart on average
 * and those of pmss_firmware.h.
 */
#ifndef TARGET_ARM_PMSCOPE_PMSS_H
#define TARGET_ARM_PMSCOPE_PMSS_H

#include "cpu.h"
#include "cpregs.h"

#define PMSS_CYCLE_COUNTER 31
#define PMSS_INSN_COUNTER 32

void pmss_add_properties(ARMCPU *cpu);
bool pmss_realize(ARMCPU *cpu, Error **errp);

/* Called when QEMU has made its own list of system registers. */
void pmss_define_regs(ARMCPU *cpu);

static inline bool pmss_pmuv3p9(CPUARMState *env)
{
    uint64_t dfr0 = env_archcpu(env)->isar.id_aa64dfr0;
    unsigned pmuver = FIELD_EX64(dfr0, ID_AA64DFR0, PMUVER);

    return pmuver >= 9 && pmuver != 0xf;
}

/* No counter is enabled: a change of Exception level changes nothing. */
static inline bool pmss_idle(CPUARMState *env)
{
    return !env->pmss.counting && !env->cp15.c9_pmcnten;
}

/* pmss_capture.c: capture events. */
void pmss_define_capture_regs(ARMCPU *cpu);
void pmss_init_capture(ARMCPU *cpu);

/* pmss_count.c: which counter counts, and the instruction counter. */
bool pmss_counter_enabled(CPUARMState *env, unsigned counter);
unsigned pmss_effective_hpmn(CPUARMState *env);
uint64_t pmss_implemented_counters(CPUARMState *env);
bool pmss_has_icntr(CPUARMState *env);
void pmss_icntr_op_start(CPUARMState *env);
void pmss_icntr_op_finish(CPUARMState *env);

/* pmss_insns.c: instructions retired, and the time the next ones take. */
uint64_t pmss_instructions(CPUARMState *env);
int64_t pmss_instructions_ns(uint64_t instructions);

/* At entry to an exception: an instruction that faults does not retire. */
void pmss_uncount_faulting(ARMCPU *cpu);

/* pmss_regs.c: FEAT_PMUv3p9 registers. */
void pmss_define_pmu_regs(ARMCPU *cpu);

/* Access check of the registers that MDCR_EL3.EnPM2 and TPM guard. */
CPAccessResult pmss_access_pm2(CPUARMState *env, bool isread,
                               unsigned fgt2_bit);

/* True when PMUSERENR_EL0.{EN,UEN} let EL0 use the PMU, apart from PMCR. */
bool pmss_el0_enabled(CPUARMState *env);

/* False when a permitted access of EL0 to the counter is RAZ, or WI. */
bool pmss_reads_counter(CPUARMState *env, unsigned counter);
bool pmss_writes_counter(CPUARMState *env, unsigned counter);

/*
 * Access to the registers of event counter n: UNDEFINED when there is no such
 * counter, and a trap when MDCR_EL2.HPMN keeps it from EL1 and EL0.
 */
CPAccessResult pmss_access_counter(CPUARMState *env, unsigned counter);

/* Counters that a write to PMSWINC_EL0 reaches. */
uint64_t pmss_swinc_mask(CPUARMState *env);

/* Level of PMUIRQ. */
bool pmss_irq_level(CPUARMState *env);

/* pmss_events.c: events beyond QEMU's own. */
#define PMSS_EVENT_INST_RETIRED 0x0008
#define PMSS_EVENT_PMU_SNAPSHOT 0x8127

bool pmss_event_supported(uint16_t number);
uint64_t pmss_event_count(CPUARMState *env, uint16_t number);
void pmss_announce_events(ARMCPU *cpu);

/* In helper.c: wakes the PMU when a counter of the event may overflow. */
void pmss_expect_overflow(CPUARMState *env, uint16_t event,
                          uint64_t remaining);

#endif
