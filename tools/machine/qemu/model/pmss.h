/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_PMUv3_SS, with what it implies: FEAT_PMUv3p9, FEAT_PMUv3_ICNTR,
 * FEAT_FGT2 (Arm ARM D13.5, D13.9, D24.5).
 * The CPU properties are in pmss.c and pmss_firmware.c.
 */
#ifndef TARGET_ARM_PMSCOPE_PMSS_H
#define TARGET_ARM_PMSCOPE_PMSS_H

#include "cpu.h"
#include "cpregs.h"
#include "internals.h"

#define PMSS_CYCLE_COUNTER 31
#define PMSS_INSN_COUNTER 32

/* PMCR_EL0, beside what internals.h has. */
#define PMCR_FZO (1ULL << 9)
#define PMCR_FZS (1ULL << 32)

/* The external agent's: the third range of counters. */
FIELD(PMCCR, EPMN, 0, 5)
FIELD(PMCCR, EPME, 7, 1)
FIELD(PMCCR, OSLO, 8, 1)

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

FIELD(PMECR_EL1, SSE, 3, 2)

/* pmss_capture.c: capture events. */
void pmss_define_capture_regs(ARMCPU *cpu);
void pmss_init_capture(ARMCPU *cpu);

/* pmss_external.c: requests by an external agent. */
void pmss_add_request_property(ARMCPU *cpu);
void pmss_init_external(ARMCPU *cpu);

/* A write to PMSSCR_EL1, and an external request. */
void pmss_pmsscr_write(CPUARMState *env, uint64_t value);
void pmss_request_capture(CPUARMState *env);

/* pmss_reset.c: UNKNOWN reset values, and migration. */
void pmss_reset(ARMCPU *cpu);
void pmss_register_vmstate(ARMCPU *cpu);

/* pmss_count.c: which counter counts, and the instruction counter. */
bool pmss_counter_enabled(CPUARMState *env, unsigned counter);
bool pmss_prohibited_in_secure(CPUARMState *env, unsigned counter);
bool pmss_counter_is_64_bit(CPUARMState *env, unsigned counter);
bool pmss_freezes_on_overflow(CPUARMState *env, unsigned counter);
unsigned pmss_effective_hpmn(CPUARMState *env);
unsigned pmss_effective_epmn(CPUARMState *env);
uint64_t pmss_counters_below(unsigned counter);
uint64_t pmss_filter_mask(CPUARMState *env);
uint64_t pmss_implemented_counters(CPUARMState *env);
bool pmss_has_icntr(CPUARMState *env);
void pmss_icntr_op_start(CPUARMState *env);
void pmss_icntr_op_finish(CPUARMState *env);

/* pmss_insns.c: instructions retired, and the time the next ones take. */
bool pmss_clock_counts_instructions(void);
uint64_t pmss_instructions(CPUARMState *env);
int64_t pmss_instructions_ns(uint64_t instructions);

/* At entry to an exception: an instruction that faults does not retire. */
void pmss_uncount_faulting(ARMCPU *cpu);

/* pmss_regs.c: FEAT_PMUv3p9 registers. */
void pmss_define_pmu_regs(ARMCPU *cpu);
uint64_t pmss_pmcr_writable(CPUARMState *env);

/*
 * pmss_access.c: access check of the registers that MDCR_EL3.EnPM2 and TPM
 * guard.
 */
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

/* pmss_count.c: level of PMUIRQ. */
bool pmss_irq_level(CPUARMState *env);

/* pmss_events.c: events beyond QEMU's own, and some in their place. */
#define PMSS_EVENT_INST_RETIRED 0x0008
#define PMSS_EVENT_CPU_CYCLES 0x0011
#define PMSS_EVENT_BR_MIS_PRED 0x0010
#define PMSS_EVENT_BR_PRED 0x0012
#define PMSS_EVENT_CHAIN 0x001e
#define PMSS_EVENT_BR_RETIRED 0x0021
#define PMSS_EVENT_BR_MIS_PRED_RETIRED 0x0022
#define PMSS_EVENT_STALL_FRONTEND 0x0023
#define PMSS_EVENT_STALL_BACKEND 0x0024
#define PMSS_EVENT_OP_RETIRED 0x003a
#define PMSS_EVENT_OP_SPEC 0x003b
#define PMSS_EVENT_STALL 0x003c
#define PMSS_EVENT_STALL_SLOT_BACKEND 0x003d
#define PMSS_EVENT_STALL_SLOT_FRONTEND 0x003e
#define PMSS_EVENT_STALL_SLOT 0x003f
#define PMSS_EVENT_PMU_SNAPSHOT 0x8127

bool pmss_event_supported(CPUARMState *env, uint16_t number);
uint64_t pmss_event_count(CPUARMState *env, uint16_t number, unsigned counter);

/* pmss_slots.c: events of slots and of branches, with the property slots. */
uint64_t pmss_slots_count(CPUARMState *env, uint16_t number, unsigned counter);

/* It takes instructions and branches that translated code counts. */
bool pmss_event_needs_branches(CPUARMState *env, uint16_t number);

/* An event counter has overflowed: CHAIN for the next one. */
void pmss_chain(CPUARMState *env, unsigned counter);
uint64_t pmss_overflowed(CPUARMState *env, unsigned counter, uint64_t value);
void pmss_announce_events(ARMCPU *cpu);

/* In helper.c: wakes the PMU when a counter of the event may overflow. */
void pmss_expect_overflow(CPUARMState *env, uint16_t event,
                          uint64_t remaining);

/* At most how long the event takes for @count, in ns. */
int64_t pmss_event_ns(CPUARMState *env, uint64_t count);

/* pmss_events.c: an access or exception that happens, for more-events. */
struct SPEAccess;
void pmss_count_access(CPUARMState *env, bool write, bool unaligned,
                       const struct SPEAccess *access);
void pmss_count_exception(ARMCPU *cpu);
bool pmss_event_needs_accesses(CPUARMState *env, uint16_t number);

/* pmss_faults.c: the property event-fault. */
bool pmss_realize_faults(ARMCPU *cpu, Error **errp);
PMSSFault pmss_fault_of(CPUARMState *env, uint16_t event);
uint64_t pmss_faulty_count(CPUARMState *env, uint16_t event, uint64_t count);
uint64_t pmss_faulty_remaining(CPUARMState *env, uint16_t event,
                               uint64_t count);

#endif
