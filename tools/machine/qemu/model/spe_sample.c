/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sampled operation from its selection to its record.
 *
 * QEMU executes an instruction at once. The sampled one executes when the
 * next operation, exception or exception return comes; it then stays in
 * flight, and blocks further samples, for as many operations as its latency
 * has cycles.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "ooo.h"
#include "spe_sample.h"

/* Cycles from dispatch to issue when all sources are there. */
#define ISSUE_CYCLES 2

/* Without profiling, the PMU has some operations followed before each of these. */
#define PMU_INTERVAL 4096

/* Precise code continues if at most this many operations are left. */
#define PRECISE_BELOW 64

static uint64_t *event_counter(CPUARMState *env, unsigned event)
{
    return &env->spe.event_count[event - SPE_SAMPLE_POP];
}

uint64_t spe_event_count(CPUARMState *env, unsigned event)
{
    if (event == SPE_SAMPLE_POP) {
        return spe_now(env);
    }
    return *event_counter(env, event);
}

static uint16_t saturate(CPUARMState *env, uint64_t cycles)
{
    return MIN(cycles, MAKE_64BIT_MASK(0, env_archcpu(env)->spe.count_bits));
}

/* Waits for the last slow load if an operand comes from it. */
static uint64_t issue_cycles(CPUARMState *env, const SPEOpType *op)
{
    SPECore *core = env_archcpu(env)->spe.core;
    uint64_t now = spe_now(env);

    if (core->miss_ready > now && (op->sources & (1u << core->miss_register))) {
        return ISSUE_CYCLES + core->miss_ready - now;
    }
    return ISSUE_CYCLES;
}

static void collect_context(CPUARMState *env, SPESample *sample)
{
    for (int el = 1; el <= 2; el++) {
        if (spe_collects_context(env, el)) {
            sample->has_context[el - 1] = true;
            sample->context[el - 1] = env->cp15.contextidr_el[el];
        }
    }
}

static void collect_pa(CPUARMState *env, SPESample *sample, bool write,
                       int mmu_idx)
{
    GetPhysAddrResult res = {};
    ARMMMUFaultInfo fi = {};

    if (spe_collects_pa(env) &&
        !get_phys_addr(env, sample->va,
                       write ? MMU_DATA_STORE : MMU_DATA_LOAD, 0,
                       core_to_aa64_mmu_idx(mmu_idx), &res, &fi)) {
        sample->has_pa = true;
        sample->pa = res.f.phys_addr;
        sample->pa_space = res.f.attrs.space;
    }
}

void spe_sample_access(CPUARMState *env, uint64_t va, bool write,
                       int mmu_idx, const SPEAccess *access)
{
    SPESample *sample = &env->spe.sample;

    if (sample->memory) {
        return;         /* not the first access of the operation */
    }
    sample->has_va = true;
    sample->va = va;
    collect_pa(env, sample, write, mmu_idx);
    sample->events |= access->events;
    if (sample->op.store && env_archcpu(env)->spe.version >= 4) {
        sample->events &= ~SPE_EV_L1D_REFILL;   /* L1D_CACHE_LMISS_RD */
    }
    sample->xlat = saturate(env, access->xlat);
    sample->memory = access->cycles;
    sample->has_source = sample->op.load && access->cached;
    sample->source = access->source;
    if (env_archcpu(env)->spe.source_off) {
        sample->source = access->source ? (access->source + 1) & 0xf :
                                          SPE_SOURCE_L2;
    }
}

/* An access that the helpers of QEMU make, out of sight of the TB. */
static void show_access(CPUARMState *env, uint32_t insn)
{
    SPECore *core = env_archcpu(env)->spe.core;
    bool store = env->spe.sample.op.store;
    int mmu_idx = arm_env_mmu_index(env);
    SPEAccess access;
    uint64_t va;

    if (spe_address_from_registers(env, insn, !store, &va)) {
        spe_memory_access(core->memory, env, va, 1, store, mmu_idx, &access);
        ooo_access(env, va, &access);
        spe_sample_access(env, va, store, mmu_idx, &access);
    }
}

static void start_sample(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    SPESample *sample = &env->spe.sample;

    memset(sample, 0, sizeof(*sample));
    sample->phase = SPE_EXECUTING;
    sample->pc = pc;
    sample->insn = insn;
    sample->el = arm_current_el(env);
    sample->space = arm_security_space_below_el3(env);
    sample->op = spe_decode(env, insn);
    sample->issue = saturate(env, issue_cycles(env, &sample->op));
    sample->has_time = spe_collects_time(env, &sample->time);
    sample->events = spe_predicate_events(env, insn);
    collect_context(env, sample);
    if (sample->op.class == SPE_CLASS_BRANCH && env_archcpu(env)->spe.pbt) {
        sample->has_previous = env->spe.has_last_target;
        sample->previous = env->spe.last_target;
    }

    if (sample->op.load && sample->op.store) {
        bool store = spe_filter_prefers_store(env, &sample->op,
                                              spe_random(env) & 1);

        sample->op.load = !store;
        sample->op.store = store;
    }
    sample->op.subclass |= sample->op.class == SPE_CLASS_LOAD_STORE &&
                           sample->op.store;
    show_access(env, insn);
}

void spe_sample_branch(CPUARMState *env, uint64_t target, bool taken,
                       bool foreseen)
{
    SPESample *sample = &env->spe.sample;

    sample->has_target = taken;
    sample->target = target;
    if (!foreseen) {
        sample->events |= SPE_EV_MISPRED;
    }
}

/* The operation ended; the next one is at @next. */
static void end_execution(CPUARMState *env, uint64_t next, uint64_t events)
{
    SPESample *sample = &env->spe.sample;
    SPEOpType *op = &sample->op;
    const OOOTimes *times = ooo_times(env);
    uint64_t total = sample->issue + op->latency;

    if (op->class == SPE_CLASS_BRANCH && (events & SPE_EV_RETIRED)) {
        if (!sample->has_target && next != sample->pc + 4) {
            sample->has_target = true;
            sample->target = next;
        }
        if (op->conditional && !sample->has_target) {
            events |= SPE_EV_NOT_TAKEN;
        }
    }
    sample->events |= events;
    total += sample->xlat + (op->load ? sample->memory : 0);
    if (times) {
        total = times->complete - times->dispatch;
        sample->issue = saturate(env, times->issue - times->dispatch);
        sample->xlat = saturate(env, times->translated - times->issue);
    }
    sample->total = saturate(env, total);
    sample->phase = SPE_IN_FLIGHT;
    sample->due = spe_now(env) + (times ? MIN(total, OOO_WINDOW) : total);
}

static void write_sample(CPUARMState *env)
{
    SPEState *s = &env->spe;
    uint8_t data[SPE_RECORD_MAX];
    uint32_t size;

    s->sample.phase = SPE_IDLE;
    s->sample.events = spe_version_events(env, s->sample.events);
    (*event_counter(env, SPE_SAMPLE_FEED))++;
    if (!spe_filter_passes(env, &s->sample)) {
        return;
    }
    (*event_counter(env, SPE_SAMPLE_FILTRATE))++;
    if (FIELD_EX64(s->pmblimitr, PMBLIMITR, FM) == PMBLIMITR_FM_DISCARD) {
        return;
    }
    size = spe_build_record(env, &s->sample, data);
    spe_queue_record(env, data, size);
}

void spe_finish_sample(CPUARMState *env)
{
    SPESample *sample = &env->spe.sample;

    ooo_end(env);
    if (sample->phase == SPE_EXECUTING) {
        end_execution(env, sample->pc + 4, SPE_EV_RETIRED);
    }
    if (sample->phase == SPE_IN_FLIGHT) {
        write_sample(env);
    }
}

static void select_operation(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    SPEState *s = &env->spe;
    uint64_t every = env_archcpu(env)->spe.collide_every;
    bool forced;

    s->samples++;
    forced = every && s->samples % every == 0;
    if (s->sample.phase != SPE_IDLE || forced) {
        (*event_counter(env, SPE_SAMPLE_COLLISION))++;
        spe_report_collision(env);
        return;
    }
    start_sample(env, pc, insn);
}

/*
 * Counts what ran since the last call. When an event stops profiling inside a
 * TB, the code of that TB goes on counting: nothing of it is population.
 */
static bool count_operations(CPUARMState *env)
{
    SPEState *s = &env->spe;
    uint32_t ops = s->loaded - s->countdown;

    s->loaded = s->countdown;
    env_archcpu(env)->spe.core->executed += ops;
    if (s->parked) {
        return false;
    }
    s->operations += ops;
    return spe_counter_advance(env, ops);
}

void spe_sync(CPUARMState *env)
{
    count_operations(env);
}

/* The PMU counts slots of core=ooo, which takes operations that are followed. */
static bool pmu_follows(CPUARMState *env)
{
    return ooo_counts(env) && env->pmss.count_branches;
}

static bool pmu_alone(CPUARMState *env)
{
    return pmu_follows(env) &&
           !spe_profiling_enabled(env, arm_current_el(env));
}

void spe_schedule(CPUARMState *env)
{
    SPEState *s = &env->spe;
    uint64_t distance = spe_counter_distance(env);

    s->parked = spe_stopped(env) || pmu_alone(env);
    if (s->parked) {
        distance = pmu_follows(env) ? PMU_INTERVAL : INT32_MAX;
    }
    switch (s->sample.phase) {
    case SPE_EXECUTING:
        distance = 1;
        break;
    case SPE_IN_FLIGHT:
        if (s->sample.due > s->operations) {
            distance = MIN(distance, s->sample.due - s->operations);
        } else {
            distance = 1;
        }
        break;
    case SPE_IDLE:
        distance = s->moved ? 1 : distance;
        break;
    }
    s->loaded = distance;
    s->countdown = distance;
    s->tb = 0;
}

uint32_t spe_ops_ahead(CPUARMState *env)
{
    SPEState *s = &env->spe;
    uint32_t index = spe_index_in_page(env->pc) - (s->tb >> 16);
    uint32_t ops = extract32(s->tb, 0, 16);

    return index < ops ? ops - index - 1 : 0;
}

void spe_leave_tb(CPUARMState *env)
{
    SPEState *s = &env->spe;

    s->countdown += spe_ops_ahead(env);
    s->tb = 0;
}

SPEMode spe_mode(CPUARMState *env, int el)
{
    if (!spe_profiling_enabled(env, el) && !pmu_follows(env)) {
        return SPE_OFF;
    }
    return env->spe.precise ? SPE_PRECISE : SPE_FAST;
}

void spe_rebuild_flags(CPUARMState *env)
{
    arm_rebuild_hflags(env);
    /*
     * The TB in progress jumps to its successors without looking; and where
     * it has none yet, one of the new mode must not become its successor.
     */
    BQL_LOCK_GUARD();
    cpu_interrupt(env_cpu(env), CPU_INTERRUPT_EXITTB);
}

/* With spe-bias the sampling unit does not see some instructions. */
static bool is_passed_over(CPUARMState *env, uint64_t pc)
{
    unsigned bias = env_archcpu(env)->spe.bias;

    return bias && (pc >> 2) % bias == 0;
}

void spe_operation(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    SPEState *s = &env->spe;
    bool selected;

    if (s->sample.phase == SPE_EXECUTING) {
        end_execution(env, pc, SPE_EV_RETIRED);
    }
    selected = count_operations(env) || s->moved;
    if (s->sample.phase == SPE_IN_FLIGHT && s->operations >= s->sample.due) {
        write_sample(env);
    }
    s->moved = selected && spe_buffer_enabled(env) && is_passed_over(env, pc);
    if (selected && spe_buffer_enabled(env) && !s->moved) {
        select_operation(env, pc, insn);
    }
    spe_schedule(env);
    if (s->countdown > MAX(PRECISE_BELOW, ooo_detail(env_archcpu(env)))) {
        s->precise = false;
        spe_rebuild_flags(env);
    }
}

static bool exception_is_asynchronous(int index)
{
    switch (index) {
    case EXCP_IRQ:
    case EXCP_FIQ:
    case EXCP_VIRQ:
    case EXCP_VFIQ:
    case EXCP_VSERR:
    case EXCP_NMI:
    case EXCP_VINMI:
    case EXCP_VFNMI:
        return true;
    default:
        return false;
    }
}

/* An exception is taken; env->pc is its preferred return address. */
static void take_exception(CPUARMState *env, int index)
{
    SPESample *sample = &env->spe.sample;
    bool generated;

    switch (index) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        if (env->pc == sample->pc + 4) {
            end_execution(env, env->pc, SPE_EV_EXCEPTION | SPE_EV_RETIRED);
            return;
        }
        break;
    }
    /* A prefetch abort belongs to the instruction at env->pc. */
    generated = !exception_is_asynchronous(index) &&
                index != EXCP_PREFETCH_ABORT && env->pc == sample->pc;
    end_execution(env, env->pc,
                  generated ? SPE_EV_EXCEPTION : SPE_EV_RETIRED);
}

static void before_el_change(ARMCPU *cpu, void *opaque)
{
    CPUARMState *env = &cpu->env;
    int index = CPU(cpu)->exception_index;

    /*
     * Interrupts come between TBs, prefetch aborts before a TB, and an
     * exception return, which has no index, ends its TB.
     */
    if (index >= 0 && !exception_is_asynchronous(index) &&
        index != EXCP_PREFETCH_ABORT) {
        spe_leave_tb(env);
    }
    env->spe.tb = 0;
    env->spe.has_last_target = false;
    ooo_flush(env);
    if (env->spe.sample.phase == SPE_EXECUTING && index >= 0) {
        take_exception(env, index);
    }
}

static void after_el_change(ARMCPU *cpu, void *opaque)
{
    CPUARMState *env = &cpu->env;

    if (spe_mode(env, arm_current_el(env)) != SPE_OFF) {
        spe_memory_switch(env);
    }
    if (env_archcpu(env)->spe.exc) {
        /* SCR_EL3 may have enabled EL2, and PMSCR_EL2.EE with it. */
        spe_update_irq(env);
    }
    if (env->spe.sample.phase == SPE_IDLE && !pmu_follows(env)) {
        return;
    }
    if (env->spe.sample.phase == SPE_EXECUTING) {
        end_execution(env, env->pc, SPE_EV_RETIRED);
    }
    spe_sync(env);
    if (!spe_profiling_enabled(env, arm_current_el(env))) {
        spe_finish_sample(env);
    }
    spe_schedule(env);
}

void spe_init_sample(ARMCPU *cpu)
{
    arm_register_pre_el_change_hook(cpu, before_el_change, NULL);
    arm_register_el_change_hook(cpu, after_el_change, NULL);
}
