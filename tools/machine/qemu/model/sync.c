/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When accesses to System registers take effect.
 *
 * With sync=late a direct write waits, until a random access to one of these
 * registers or a PSB CSYNC, but no longer than to the next context
 * synchronization event. Direct accesses to one register stay in order, those
 * to different registers do not, but an indirect write (of PMCR_EL0.P to the
 * counters) and a direct one behind it do. What the PE writes (an indirect write) is seen
 * by direct reads at a random one, and by all behind a context synchronization
 * event; what the SPU writes needs a PSB CSYNC before that.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "system/runstate.h"
#include "pmscope.h"
#include "pmss.h"
#include "spe.h"
#include "sync.h"

#define AT_RANDOM 0xff

static const PMScopeProperty sync_properties[] = {
    { DEFINE_PROP_STRING("sync", ARMCPU, sync.mode),
      "late: accesses to registers of PMU, snapshots and SPE take effect at a "
      "random moment up to the next context synchronization event; default: at "
      "once" },
    { DEFINE_PROP_UINT64("sync-seed", ARMCPU, sync.seed, 0),
      "seed of these moments and of other choices that the architecture leaves "
      "open (needs sync=late)" },
    { DEFINE_PROP_UINT8("sync-choice", ARMCPU, sync.choice, AT_RANDOM),
      "which of the permitted behaviours a CONSTRAINED UNPREDICTABLE one is, "
      "from 0 on; default: the first, with sync=late at random" },
};

void sync_add_properties(ARMCPU *cpu)
{
    pmscope_add_property_list(cpu, sync_properties,
                              ARRAY_SIZE(sync_properties));
}

bool sync_check_properties(ARMCPU *cpu, Error **errp)
{
    SyncConfig *cfg = &cpu->sync;

    cfg->late = cfg->mode;
    cfg->on = cfg->late || cpu->spe.late;
    cfg->random = (cfg->seed + 1) * 0x9e3779b97f4a7c15ull +
                  CPU(cpu)->cpu_index * 0xbf58476d1ce4e5b9ull;
    return pmscope_check(errp, !cfg->mode || !strcmp(cfg->mode, "late"),
                         "sync=%s: late is the only value", cfg->mode) &&
           pmscope_check(errp, !cfg->seed || cfg->late,
                         "sync-seed needs sync=late");
}

/* Xorshift64*; the state outlives a reset. */
static uint64_t sync_random(CPUARMState *env)
{
    uint64_t *x = &env_archcpu(env)->sync.random;

    *x ^= *x >> 12;
    *x ^= *x << 25;
    *x ^= *x >> 27;
    return (*x * 0x2545f4914f6cdd1dull) >> 32;
}

bool sync_coin(CPUARMState *env)
{
    return env_archcpu(env)->sync.late && (sync_random(env) & 1);
}

unsigned sync_choice(CPUARMState *env, unsigned n)
{
    const SyncConfig *cfg = &env_archcpu(env)->sync;

    if (cfg->choice != AT_RANDOM) {
        return cfg->choice % n;
    }
    return cfg->late ? sync_random(env) % n : 0;
}

/* Direct writes */

#define MISTAKE(...) qemu_log_mask(LOG_GUEST_ERROR, "sync: " __VA_ARGS__)

static bool is_event_type(const ARMCPRegInfo *ri)
{
    return ri->opc0 == 3 && ri->opc1 == 3 && ri->crn == 14 && ri->crm >= 12 &&
           !(ri->crm == 15 && ri->opc2 == 7);
}

/* A set and a clear register are one. */
static uint64_t key_of(const ARMCPRegInfo *ri)
{
    return is_event_type(ri) ? ri->crm << 3 | ri->opc2 : ri->fieldoffset;
}

static SyncView view_of(const ARMCPRegInfo *ri)
{
    switch (ri->fieldoffset) {
    case offsetof(CPUARMState, spe.pmbsr[1]):
        return SYNC_PMBSR + 1;
    case offsetof(CPUARMState, spe.pmbsr[2]):
        return SYNC_PMBSR + 2;
    case offsetof(CPUARMState, spe.pmbsr[3]):
        return SYNC_PMBSR + 3;
    case offsetof(CPUARMState, spe.pmbptr):
        return SYNC_PMBPTR;
    case offsetof(CPUARMState, pmss.pmsscr_el1):
        return SYNC_PMSSCR;
    default:
        return SYNC_NO_VIEW;
    }
}

static uint64_t view_value(CPUARMState *env, SyncView view)
{
    switch (view) {
    case SYNC_PMBPTR:
        return env->spe.pmbptr;
    case SYNC_PMSSCR:
        return env->pmss.pmsscr_el1;
    default:
        return env->spe.pmbsr[view - SYNC_PMBSR];
    }
}

static void write_now(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
    if (FIELD_EX64(env->spe.pmblimitr, PMBLIMITR, E) &&
        g_str_has_prefix(ri->name, "PMB") &&
        ri->fieldoffset != offsetof(CPUARMState, spe.pmblimitr)) {
        MISTAKE("%s is written while the buffer is enabled\n", ri->name);
    }
    /* A request of a capture hides its result, and that is to be last. */
    env->sync.view[view_of(ri)].hidden = false;
    ri->sync_writefn(env, ri, value);
    switch (ri->fieldoffset) {
    case offsetof(CPUARMState, cp15.c9_pmovsr):
        env->sync.overflows_seen &= ~value;
        env->sync.overflows_seen |= env->cp15.c9_pmovsr & value;
        break;
    case offsetof(CPUARMState, spe.pmsicr):
        env->sync.pmsicr_seen = value;
        break;
    }
}

/* Of the writes to the register of number @index, the first takes effect. */
static void apply(CPUARMState *env, unsigned index)
{
    SyncState *s = &env->sync;
    unsigned first = 0;
    SyncWrite w;

    while (key_of(s->write[first].ri) != key_of(s->write[index].ri)) {
        first++;
    }
    w = s->write[first];
    s->writes--;
    memmove(&s->write[first], &s->write[first + 1],
            (s->writes - first) * sizeof(w));
    write_now(env, w.ri, w.value);
}

static void apply_to_register(CPUARMState *env, uint64_t key)
{
    SyncState *s = &env->sync;

    for (unsigned i = 0; i < s->writes;) {
        if (key_of(s->write[i].ri) == key) {
            apply(env, i);
        } else {
            i++;
        }
    }
}

/* May follow the write to PMSCR_EL1 or PMBLIMITR_EL1 that enables profiling? */
static bool is_needed_before(const ARMCPRegInfo *ri)
{
    return g_str_has_prefix(ri->name, "PMB") ||
           (g_str_has_prefix(ri->name, "PMS") &&
            !g_str_has_prefix(ri->name, "PMSCR") &&
            !g_str_has_prefix(ri->name, "PMSSCR"));
}

/* Where a part of the writes has effect, what is the state of profiling? */
static void check_profiling(CPUARMState *env)
{
    const SyncState *s = &env->sync;

    if (!spe_profiling_enabled(env, arm_current_el(env))) {
        return;
    }
    if (!spe_pointer_is_valid(env)) {
        MISTAKE("profiling is enabled against RHXSYK\n");
    }
    for (unsigned i = 0; i < s->writes; i++) {
        if (is_needed_before(s->write[i].ri)) {
            MISTAKE("profiling is enabled while a write to %s waits\n",
                    s->write[i].ri->name);
        }
    }
}

/* A moment at which some of the writes happen to take effect */
static void apply_some(CPUARMState *env)
{
    SyncState *s = &env->sync;
    bool any = false;

    while (s->writes && sync_random(env) % 4 == 0) {
        apply(env, sync_random(env) % s->writes);
        any = true;
    }
    if (any) {
        check_profiling(env);
        spe_rebuild_flags(env);
    }
}

static void apply_all(CPUARMState *env)
{
    SyncState *s = &env->sync;

    if (!s->writes) {
        return;
    }
    while (s->writes) {
        apply(env, sync_random(env) % s->writes);
    }
    check_profiling(env);
    spe_rebuild_flags(env);
}

static void late_write(CPUARMState *env, const ARMCPRegInfo *ri,
                       uint64_t value)
{
    SyncState *s = &env->sync;

    apply_some(env);
    if (s->writes == SYNC_WRITES) {
        apply(env, 0);
    }
    s->write[s->writes++] = (SyncWrite) { .ri = ri, .value = value };
    apply_some(env);
}

/* PMCR_EL0.P and C zero counters: a direct write comes behind those before it. */
static void counter_write(CPUARMState *env, const ARMCPRegInfo *ri,
                          uint64_t value)
{
    apply_to_register(env, offsetof(CPUARMState, cp15.c9_pmcr));
    ri->sync_writefn(env, ri, value);
}

/* Indirect writes */

void sync_hide(CPUARMState *env, SyncView view)
{
    const ARMCPU *cpu = env_archcpu(env);
    SyncHidden *v = &env->sync.view[view];

    if (!(cpu->sync.late || (cpu->spe.late && view == SYNC_PMBSR + 1)) ||
        v->hidden) {
        return;
    }
    v->hidden = true;
    v->drained = false;
    v->before = view_value(env, view);
}

static uint64_t saved_value(const PMSSState *pmss, unsigned counter)
{
    switch (counter) {
    case PMSS_CYCLE_COUNTER:
        return pmss->pmccntsvr_el1;
    case PMSS_INSN_COUNTER:
        return pmss->pmicntsvr_el1;
    default:
        return pmss->pmevcntsvr_el1[counter];
    }
}

void sync_hide_saved(CPUARMState *env)
{
    SyncState *s = &env->sync;

    if (!env_archcpu(env)->sync.late) {
        return;
    }
    s->captured_seen = false;
    for (unsigned i = 0; i < SYNC_SAVED; i++) {
        if (!extract64(s->saved_hidden, i, 1)) {
            s->saved[i] = saved_value(&env->pmss, i);
        }
    }
    s->saved_hidden = UINT64_MAX;
}

static uint64_t read_view(CPUARMState *env, SyncView view, uint64_t value)
{
    SyncHidden *v = &env->sync.view[view];

    if (v->hidden && view != SYNC_PMSSCR) {
        MISTAKE("read before a context synchronization event, of %s\n",
                view == SYNC_PMBPTR ? "PMBPTR_EL1" : "PMBSR_ELx");
    } else if (view == SYNC_PMBPTR && env->spe.writes) {
        MISTAKE("PMBPTR_EL1 is read while records wait for a DSB\n");
    }
    if (v->hidden && !(env_archcpu(env)->sync.late && sync_coin(env))) {
        return v->before;
    }
    v->hidden = false;
    if (view == SYNC_PMSSCR) {
        env->sync.captured_seen = true;
    }
    return value;
}

/* PMEVCNTSVR<n>_EL1, PMCCNTSVR_EL1 and PMICNTSVR_EL1, or -1 */
static int saved_counter(const ARMCPRegInfo *ri)
{
    if (ri->opc0 != 2 || ri->opc1 != 0 || ri->crn != 14 || ri->crm < 8) {
        return -1;
    }
    return (ri->crm - 8) << 3 | ri->opc2;
}

static uint64_t read_saved(CPUARMState *env, unsigned counter, uint64_t value)
{
    SyncState *s = &env->sync;

    if (extract64(s->saved_hidden, counter, 1)) {
        MISTAKE("saved value %u is read against IYSWSD\n", counter);
        if (sync_coin(env)) {
            return s->saved[counter];
        }
    }
    s->saved_hidden &= ~(1ULL << counter);
    return value;
}

static uint64_t read_overflows(CPUARMState *env, uint64_t value)
{
    uint64_t seen = env->sync.overflows_seen;

    if (sync_coin(env)) {
        return value & seen;
    }
    env->sync.overflows_seen = seen | value;
    return value;
}

static uint64_t late_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    int counter = saved_counter(ri);
    uint64_t value;

    apply_some(env);
    apply_to_register(env, key_of(ri));
    value = ri->sync_readfn ? ri->sync_readfn(env, ri)
                            : CPREG_FIELD64(env, ri);
    if (counter >= 0) {
        return read_saved(env, counter, value);
    }
    switch (ri->fieldoffset) {
    case offsetof(CPUARMState, cp15.c9_pmovsr):
        return read_overflows(env, value);
    case offsetof(CPUARMState, spe.pmsicr):
        return sync_coin(env) ? env->sync.pmsicr_seen : value;
    }
    return view_of(ri) == SYNC_NO_VIEW ? value
                                       : read_view(env, view_of(ri), value);
}

/* Synchronization */

void sync_drained(CPUARMState *env)
{
    for (SyncView view = SYNC_PMBSR + 1; view <= SYNC_PMBPTR; view++) {
        SyncHidden *v = &env->sync.view[view];

        v->drained = v->hidden;
        v->at_psb = view_value(env, view);
    }
    if (env->sync.writes) {
        BQL_LOCK_GUARD();
        if (spe_profiling_enabled(env, arm_current_el(env))) {
            MISTAKE("PSB CSYNC while a write waits and profiling is enabled\n");
        }
        apply_some(env);
    }
}

/* COLL needs no PSB CSYNC (RLTMKQ). */
static void show_views(CPUARMState *env)
{
    SyncHidden *v = env->sync.view;

    for (SyncView view = SYNC_PMBSR + 1; view <= SYNC_PMBPTR; view++) {
        if (!v[view].hidden) {
            continue;
        }
        if (v[view].drained) {
            v[view].before = v[view].at_psb;
            v[view].drained = false;
        } else if (view != SYNC_PMBPTR) {
            v[view].before |= view_value(env, view) & R_PMBSR_COLL_MASK;
        }
        v[view].hidden = v[view].before != view_value(env, view);
    }
    v[SYNC_PMSSCR].hidden = false;
}

/*
 * Behind a direct read that told of the capture (IYSWSD); no rule says when
 * without one.
 */
static void show_saved(CPUARMState *env)
{
    SyncState *s = &env->sync;

    if (s->captured_seen || sync_coin(env)) {
        s->saved_hidden = 0;
    }
}

static void show_counts(CPUARMState *env)
{
    if (!pmss_idle(env) && !env->pmss.stopped) {
        pmu_op_start(env);
        pmu_op_finish(env);
    }
    env->sync.overflows_seen = env->cp15.c9_pmovsr;
    if (env_archcpu(env)->spe.enabled) {
        spe_sync(env);
        env->sync.pmsicr_seen = spe_counter_read(env, 0);
    }
}

void sync_context(CPUARMState *env)
{
    BQL_LOCK_GUARD();
    apply_all(env);
    show_views(env);
    if (env_archcpu(env)->sync.late) {
        show_saved(env);
        show_counts(env);
    }
}

/* Entry to and return from an exception are such events. */
static void before_el_change(ARMCPU *cpu, void *opaque)
{
    apply_all(&cpu->env);
}

static void after_el_change(ARMCPU *cpu, void *opaque)
{
    sync_context(&cpu->env);
}

/* The state that is saved has no writes that wait, and all of it has been seen. */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    CPUARMState *env = &ARM_CPU(opaque)->env;

    if (!running) {
        apply_all(env);
        memset(&env->sync, 0, sizeof(env->sync));
    }
    show_counts(env);
}

void sync_realize(ARMCPU *cpu)
{
    if (cpu->sync.late && !cpu->pmss.unknown_seed) {
        cpu->pmss.unknown_seed = cpu->sync.seed + 1;
    }
    if (cpu->sync.on) {
        qemu_add_vm_change_state_handler(vm_state_changed, cpu);
        arm_register_pre_el_change_hook(cpu, before_el_change, NULL);
        arm_register_el_change_hook(cpu, after_el_change, NULL);
    }
}

/* Registers */

static bool delays_writes(const ARMCPRegInfo *ri)
{
    switch (ri->fieldoffset) {
    case offsetof(CPUARMState, spe.pmscr_el1):
    case offsetof(CPUARMState, spe.pmscr_el2):
    case offsetof(CPUARMState, spe.pmsicr):
    case offsetof(CPUARMState, spe.pmsirr):
    case offsetof(CPUARMState, spe.pmsfcr):
    case offsetof(CPUARMState, spe.pmsevfr):
    case offsetof(CPUARMState, spe.pmsnevfr):
    case offsetof(CPUARMState, spe.pmslatfr):
    case offsetof(CPUARMState, spe.pmsdsfr):
    case offsetof(CPUARMState, spe.pmblimitr):
    case offsetof(CPUARMState, spe.pmbmar):
    case offsetof(CPUARMState, cp15.c9_pmcr):
    case offsetof(CPUARMState, cp15.c9_pmcnten):
    case offsetof(CPUARMState, cp15.c9_pmovsr):
    case offsetof(CPUARMState, cp15.mdcr_el2):
    case offsetof(CPUARMState, pmss.pmecr_el1):
        return true;
    default:
        return is_event_type(ri) || view_of(ri) != SYNC_NO_VIEW;
    }
}

/* PMEVCNTR<n>_EL0, PMCCNTR_EL0, PMXEVCNTR_EL0, PMZR_EL0 and PMICNTR_EL0 */
static bool is_counter(const ARMCPRegInfo *ri)
{
    if (ri->opc0 != 3 || ri->opc1 != 3) {
        return false;
    }
    return (ri->crn == 14 && ri->crm >= 8 && ri->crm < 12) ||
           (ri->crn == 9 && ri->crm == 13 && ri->opc2 != 1) ||
           (ri->crn == 9 && ri->crm == 4 && ri->opc2 == 0);
}

static void wrap_counter(ARMCPRegInfo *ri)
{
    ri->sync_writefn = ri->writefn ?: raw_write;
    ri->raw_writefn = ri->raw_writefn ?: ri->sync_writefn;
    ri->writefn = counter_write;
}

static void wrap_register(gpointer key, gpointer value, gpointer opaque)
{
    const ARMCPU *cpu = opaque;
    ARMCPRegInfo *ri = value;
    bool writes = cpu->sync.late && delays_writes(ri);
    bool reads = writes || (cpu->sync.late && saved_counter(ri) >= 0) ||
                 view_of(ri) == SYNC_PMBSR + 1;

    if (ri->state != ARM_CP_STATE_AA64 || ri->readfn == late_read ||
        ri->writefn == counter_write || ri->orig_readfn) {
        return;
    }
    if (cpu->sync.late && is_counter(ri)) {
        wrap_counter(ri);
    }
    if (!reads) {
        return;
    }
    ri->type |= ARM_CP_IO;
    ri->sync_readfn = ri->readfn;
    ri->raw_readfn = ri->raw_readfn ?: ri->readfn;
    ri->readfn = late_read;
    if (writes) {
        ri->sync_writefn = ri->writefn ?: raw_write;
        ri->raw_writefn = ri->raw_writefn ?: ri->sync_writefn;
        ri->writefn = late_write;
    }
}

void sync_wrap_registers(ARMCPU *cpu)
{
    if (cpu->sync.on) {
        g_hash_table_foreach(cpu->cp_regs, wrap_register, cpu);
    }
}
