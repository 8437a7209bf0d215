/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The external view of the PMU, where an external agent has its counters: the
 * memory map of FEAT_PMUv3_EXT64 (Arm ARM table I5-1). All registers but those that
 * identify it are accessed with 64 bits.
 *
 * PMCCR is at 0xE58. With EL3, Secure accesses are the most secure ones, else
 * all are; others see no counter of the third range (ILNLLM).
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "exec/memory.h"
#include "hw/core/cpu.h"
#include "frame.h"
#include "pmss.h"

enum {
    A_PMEVCNTR = 0x000,
    A_PMCCNTR = 0x0f8,
    A_PMICNTR = 0x100,
    A_PMEVTYPER = 0x400,
    A_PMCCFILTR = 0x4f8,
    A_PMICFILTR = 0x500,
    A_PMEVCNTSVR = 0x600,
    A_PMCCNTSVR = 0x6f8,
    A_PMICNTSVR = 0x700,
    A_PMCNTENSET = 0xc00,
    A_PMCNTENCLR = 0xc20,
    A_PMINTENSET = 0xc40,
    A_PMINTENCLR = 0xc60,
    A_PMOVSCLR = 0xc80,
    A_PMZR = 0xca0,
    A_PMOVSSET = 0xcc0,
    A_PMCGCR0 = 0xce0,
    A_PMCR = 0xe10,
    A_PMSSCR = 0xe30,
    A_PMPCSCTL = 0xe50,
    A_PMCCR = 0xe58,
};

/* IsMostSecureAccess() */
static bool most_secure(CPUARMState *env, MemTxAttrs attrs)
{
    return !arm_feature(env, ARM_FEATURE_EL3) || attrs.secure;
}

static unsigned visible_event_counters(CPUARMState *env, MemTxAttrs attrs)
{
    return most_secure(env, attrs) ? pmu_num_counters(env)
                                   : pmss_effective_epmn(env);
}

/* MDCR_EL2.HPMN hides nothing here. */
static uint64_t visible_counters(CPUARMState *env, MemTxAttrs attrs)
{
    unsigned counters = visible_event_counters(env, attrs);

    return pmss_implemented_counters(env) &
           (pmss_counters_below(counters) |
            ~pmss_counters_below(PMSS_EVENT_COUNTERS));
}

/* The snapshot registers of all counters are contiguous. */
static uint64_t *saved_value(CPUARMState *env, unsigned counter)
{
    switch (counter) {
    case PMSS_CYCLE_COUNTER:
        return &env->pmss.pmccntsvr_el1;
    case PMSS_INSN_COUNTER:
        return &env->pmss.pmicntsvr_el1;
    default:
        return &env->pmss.pmevcntsvr_el1[counter];
    }
}

static uint64_t *count_of(CPUARMState *env, unsigned counter)
{
    switch (counter) {
    case PMSS_CYCLE_COUNTER:
        return &env->cp15.c15_ccnt;
    case PMSS_INSN_COUNTER:
        return &env->pmss.pmicntr_el0;
    default:
        return &env->cp15.c14_pmevcntr[counter];
    }
}

static uint64_t *filter_of(CPUARMState *env, unsigned counter)
{
    switch (counter) {
    case PMSS_CYCLE_COUNTER:
        return &env->cp15.pmccfiltr_el0;
    case PMSS_INSN_COUNTER:
        return &env->pmss.pmicfiltr_el0;
    default:
        return &env->cp15.c14_pmevtyper[counter];
    }
}

/* The register of an array of 33, or NULL where none is visible. */
static uint64_t *counter_register(CPUARMState *env, hwaddr offset,
                                  uint64_t visible)
{
    unsigned counter = (offset & 0x1ff) / 8;

    if (counter > PMSS_INSN_COUNTER || !extract64(visible, counter, 1)) {
        return NULL;
    }
    switch (offset & ~0x1ff) {
    case A_PMEVCNTR:
        return count_of(env, counter);
    case A_PMEVTYPER:
        return filter_of(env, counter);
    case A_PMEVCNTSVR:
        return saved_value(env, counter);
    default:
        return NULL;
    }
}

/* The OS Lock: not for the snapshot registers (IKGJMV). */
static bool is_locked(CPUARMState *env, hwaddr offset, MemTxAttrs attrs)
{
    bool secure = most_secure(env, attrs);

    if ((offset & ~0x1ff) == A_PMEVCNTSVR || offset == A_PMSSCR ||
        (offset == A_PMCCR && secure)) {
        return false;
    }
    return extract64(env->cp15.oslsr_el1, 1, 1) &&
           !(secure && FIELD_EX32(env_archcpu(env)->pmss.pmccr, PMCCR, OSLO));
}

static bool answers(CPUARMState *env, hwaddr offset, MemTxAttrs attrs)
{
    return frame_has_power(env_archcpu(env)) && !is_locked(env, offset, attrs);
}

static uint64_t read_control(CPUARMState *env, hwaddr offset,
                             MemTxAttrs attrs)
{
    uint64_t visible = visible_counters(env, attrs);
    unsigned counters = visible_event_counters(env, attrs);

    switch (offset) {
    case A_PMCNTENSET:
    case A_PMCNTENCLR:
        return env->cp15.c9_pmcnten & visible;
    case A_PMINTENSET:
    case A_PMINTENCLR:
        return env->cp15.c9_pminten & visible;
    case A_PMOVSSET:
    case A_PMOVSCLR:
        return env->cp15.c9_pmovsr & visible;
    case A_PMCGCR0:
        return pmss_has_icntr(env) << 8 | (counters + 1);
    case A_PMCR:
        return deposit64(env->cp15.c9_pmcr, PMCRN_SHIFT, 5, counters);
    case A_PMSSCR:
        return env->pmss.pmsscr_el1;
    case A_PMPCSCTL:
        return frame_pc_control(env_archcpu(env));
    case A_PMCCR:
        return most_secure(env, attrs) ? env_archcpu(env)->pmss.pmccr : 0;
    default:
        return 0;
    }
}

static MemTxResult frame_read(void *opaque, hwaddr offset, uint64_t *data,
                              unsigned size, MemTxAttrs attrs)
{
    CPUARMState *env = &ARM_CPU(opaque)->env;
    uint64_t *reg;

    if (frame_is_id(offset)) {
        return frame_read_id(opaque, FRAME_PMU, offset, data);
    }
    if (!answers(env, offset, attrs) || size != 8) {
        return MEMTX_ERROR;
    }
    if (frame_pc_is_register(offset)) {
        *data = frame_pc_read64(opaque, offset);
        return MEMTX_OK;
    }
    reg = counter_register(env, offset, visible_counters(env, attrs));
    pmu_op_start(env);
    *data = reg ? *reg : read_control(env, offset, attrs);
    pmu_op_finish(env);
    return MEMTX_OK;
}

/* ZeroPMUCounters(): a counter of the third range is never zeroed. */
static void zero_counters(CPUARMState *env, uint64_t counters)
{
    counters &= pmss_implemented_counters(env) &
                (pmss_counters_below(pmss_effective_epmn(env)) |
                 ~pmss_counters_below(PMSS_EVENT_COUNTERS));
    for (unsigned i = 0; i <= PMSS_INSN_COUNTER; i++) {
        if (extract64(counters, i, 1)) {
            *count_of(env, i) = 0;
        }
    }
}

static void write_pmcr(CPUARMState *env, uint64_t value)
{
    uint64_t writable = pmss_pmcr_writable(env);

    if (value & PMCRP) {
        zero_counters(env, pmss_counters_below(PMSS_EVENT_COUNTERS));
    }
    if (value & PMCRC) {
        zero_counters(env, 1ULL << PMSS_CYCLE_COUNTER);
    }
    env->cp15.c9_pmcr = (env->cp15.c9_pmcr & ~writable) | (value & writable);
}

static void write_pmccr(CPUARMState *env, uint64_t value)
{
    unsigned epmn = FIELD_EX32(value, PMCCR, EPMN);

    /* A larger EPMN reads as an UNKNOWN value, here the largest possible. */
    value &= R_PMCCR_EPMN_MASK | R_PMCCR_EPME_MASK | R_PMCCR_OSLO_MASK;
    value = FIELD_DP32(value, PMCCR, EPMN, MIN(epmn, pmu_num_counters(env)));
    env_archcpu(env)->pmss.pmccr = value;
}

static void write_control(CPUARMState *env, hwaddr offset, uint64_t value,
                          MemTxAttrs attrs)
{
    uint64_t bits = value & visible_counters(env, attrs);

    switch (offset) {
    case A_PMCNTENSET:
        env->cp15.c9_pmcnten |= bits;
        break;
    case A_PMCNTENCLR:
        env->cp15.c9_pmcnten &= ~bits;
        break;
    case A_PMINTENSET:
        env->cp15.c9_pminten |= bits;
        break;
    case A_PMINTENCLR:
        env->cp15.c9_pminten &= ~bits;
        break;
    case A_PMOVSSET:
        env->cp15.c9_pmovsr |= bits;
        break;
    case A_PMOVSCLR:
        env->cp15.c9_pmovsr &= ~bits;
        break;
    case A_PMZR:
        zero_counters(env, bits);
        break;
    case A_PMCR:
        write_pmcr(env, value);
        break;
    case A_PMPCSCTL:
        frame_pc_set_control(env_archcpu(env), value);
        break;
    case A_PMCCR:
        if (most_secure(env, attrs)) {
            write_pmccr(env, value);
        }
        break;
    }
}

static void write_counter_register(CPUARMState *env, hwaddr offset,
                                   uint64_t *reg, uint64_t value)
{
    uint64_t mask = pmss_filter_mask(env);

    switch (offset & ~0x1ff) {
    case A_PMEVCNTR:
        *reg = value;
        break;
    case A_PMEVTYPER:
        if (offset < A_PMCCFILTR) {
            mask |= PMXEVTYPER_EVTCOUNT;
        }
        *reg = value & mask;
        break;
    }
}

/* The CPU needs translated code that does or does not count instructions. */
static void look_anew(CPUState *cs, run_on_cpu_data data)
{
    arm_rebuild_hflags(cpu_env(cs));
}

static MemTxResult frame_write(void *opaque, hwaddr offset, uint64_t value,
                               unsigned size, MemTxAttrs attrs)
{
    CPUARMState *env = &ARM_CPU(opaque)->env;
    uint64_t *reg = counter_register(env, offset,
                                     visible_counters(env, attrs));

    if (!answers(env, offset, attrs) || (size != 8 && !frame_is_id(offset))) {
        return MEMTX_ERROR;
    }
    if (offset == A_PMSSCR) {
        pmss_pmsscr_write(env, value);
        return MEMTX_OK;
    }
    pmu_op_start(env);
    if (reg) {
        write_counter_register(env, offset, reg, value);
    } else {
        write_control(env, offset, value, attrs);
    }
    /* Again, because a counter may have a different event now. */
    pmu_op_start(env);
    pmu_op_finish(env);
    async_run_on_cpu(env_cpu(env), look_anew, RUN_ON_CPU_NULL);
    return MEMTX_OK;
}

const MemoryRegionOps frame_arch_ops = {
    .read_with_attrs = frame_read,
    .write_with_attrs = frame_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid.min_access_size = 4,
    .valid.max_access_size = 8,
    .impl.min_access_size = 4,
    .impl.max_access_size = 8,
};
