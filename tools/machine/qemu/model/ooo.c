/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scoreboard: operations are dispatched in order, issue when their operands are
 * ready, and leave in order.
 *
 *   window            128 operations
 *   misses            16 at a time, of loads and of the store buffer
 *   table walks       2 at a time
 *   store buffer      24 stores, which leave for the cache in order
 *   dividers          one for integers, one for floating point, not pipelined
 *   branches          a wrong guess costs its own latency and 10 cycles
 *
 * It sees the operations of precise code only, and goes on where it stopped: what
 * lies between is taken to have been alike.
 */
#include "qemu/osdep.h"
#include "ooo.h"
#include "pmscope.h"
#include "spe_sample.h"

#define FILLS 16
#define WALKERS 2
#define STORES 24
#define WIDTH 4

#define REFILL_CYCLES 10
#define FORWARD_CYCLES 5
#define WALK_CYCLES 8       /* more than a TLB takes */
#define L1_CYCLES 4
#define ATOMIC_CYCLES 2

#define DETAIL 256

#define DECODED 1024

typedef struct OOODecoded {
    uint32_t insn;
    bool valid;
    OOOInsn op;
} OOODecoded;

typedef struct OOOCore {
    uint64_t left[OOO_WINDOW];      /* when they left it */
    unsigned count;
    uint64_t dispatch;
    unsigned dispatched;        /* in that cycle */
    uint64_t leave;
    unsigned leaving;

    uint64_t ready[64];
    uint64_t memory_after;      /* barriers */
    uint64_t all_after;
    uint64_t divider[2];

    uint64_t front;             /* when the front end delivers again, and why not */
    OOOCause front_cause;
    uint64_t blamed;

    uint64_t fill_line[FILLS];
    uint64_t fill_ready[FILLS];
    uint16_t fill_source[FILLS];
    uint64_t walker[WALKERS];

    uint64_t stored[STORES];    /* address / 8 */
    uint64_t data_ready[STORES];
    uint64_t drained[STORES];
    uint16_t drain_source[STORES];
    unsigned stores;
    uint64_t last_drained;
    uint16_t draining;          /* from where the line of that one came */

    bool pending;
    OOOOperation op;
    OOOTimes times;

    OOODecoded decoded[DECODED];
    OOOTruth *truth;
} OOOCore;

static OOOCore *core_of(CPUARMState *env)
{
    SPECore *core = env_archcpu(env)->spe.core;

    return core ? core->ooo : NULL;
}

int ooo_detail(const ARMCPU *cpu)
{
    if (!cpu->spe.core || !cpu->spe.core->ooo) {
        return 0;
    }
    return cpu->spe.core->ooo->truth ? INT32_MAX : DETAIL;
}

static unsigned width(CPUARMState *env)
{
    unsigned slots = env_archcpu(env)->pmss.slots;

    return slots ? slots : WIDTH;
}

static void decode(CPUARMState *env, OOOCore *core, uint32_t insn)
{
    OOODecoded *d = &core->decoded[(insn ^ insn >> 10 ^ insn >> 20) % DECODED];

    if (!d->valid || d->insn != insn) {
        SPEOpType type = spe_decode(env, insn);

        ooo_decode(&type, insn, &d->op);
        d->insn = insn;
        d->valid = true;
    }
    core->op.insn = d->op;
}

static unsigned earliest(const uint64_t *when, unsigned count)
{
    unsigned first = 0;

    for (unsigned i = 1; i < count; i++) {
        if (when[i] < when[first]) {
            first = i;
        }
    }
    return first;
}

/* What the slots since the last dispatch were lost to, for the PMU. */
static void account(CPUARMState *env, OOOCore *core, uint64_t dispatch,
                    uint64_t front, bool flushed)
{
    OOOSums sums = { .ops = 1, .mispredicted = core->op.mispredicted };
    unsigned slots = width(env);
    uint64_t cycles = dispatch - core->dispatch;
    /* Cycles before the front end delivered; the others are the back end's. */
    uint64_t fetching = front > core->dispatch ? front - core->dispatch : 0;
    bool wrong = core->front_cause == OOO_MISPREDICTED;
    double lost;

    sums.cycles = cycles;
    if (cycles && !fetching && flushed) {
        sums.frontend = slots - core->dispatched;   /* after a taken branch */
    } else if (cycles && fetching) {
        lost = slots - core->dispatched + (fetching - 1.0) * slots;
        *(wrong ? &sums.speculated : &sums.frontend) = lost;
        sums.stall_frontend = wrong ? 0 : fetching - 1;
    }
    if (cycles > fetching + !fetching) {
        sums.stall_backend = cycles - fetching - !fetching;
    }
    ooo_account(env, &sums);
}

static void dispatch(CPUARMState *env, OOOCore *core)
{
    uint64_t front = MAX(core->front, core->dispatch);
    uint64_t when = MAX(front, core->left[core->count % OOO_WINDOW]);
    unsigned slots = width(env);
    bool ended = core->dispatched > slots;  /* by a taken branch */

    if (ended) {
        core->dispatched -= slots;
    }
    when = MAX(when, core->all_after);
    if (when == core->dispatch && (ended || core->dispatched >= slots)) {
        when++;
    }
    account(env, core, when, front, ended);
    if (when > core->front) {
        core->front_cause = OOO_FRONT_END;
    }
    core->dispatched = when == core->dispatch ? core->dispatched + 1 : 1;
    core->dispatch = when;
    core->times.dispatch = when;
}

static void issue(OOOCore *core)
{
    OOOInsn *insn = &core->op.insn;
    uint64_t when = core->times.dispatch + OOO_ISSUE_CYCLES;

    for (uint64_t reads = insn->reads; reads; reads &= reads - 1) {
        when = MAX(when, core->ready[ctz64(reads)]);
    }
    if (insn->load || insn->store) {
        when = MAX(when, core->memory_after);
    }
    if (insn->divides) {
        uint64_t *unit = &core->divider[insn->float_or_vector];

        when = MAX(when, *unit);
        *unit = when + insn->cycles;
    }
    core->times.issue = when;
}

static void translate(OOOCore *core)
{
    uint64_t when = core->times.issue;

    if (core->op.access.xlat > WALK_CYCLES) {
        uint64_t *walker = &core->walker[earliest(core->walker, WALKERS)];

        when = MAX(when, *walker);
        *walker = when + core->op.access.xlat;
    }
    core->times.translated = when + core->op.access.xlat;
}

/* A line that is on its way; or, if there is none, the place for a new one. */
static bool find_fill(OOOCore *core, uint64_t line, uint64_t when, unsigned *at)
{
    for (unsigned i = 0; i < FILLS; i++) {
        if (core->fill_line[i] == line && core->fill_ready[i] > when) {
            *at = i;
            return true;
        }
    }
    *at = earliest(core->fill_ready, FILLS);
    return false;
}

/* A line that is lost again before it came has to come twice. */
static uint64_t fill(OOOCore *core, uint64_t start)
{
    uint64_t line = core->op.va >> SPE_LINE_BITS;
    SPEAccess *access = &core->op.access;
    uint64_t ready = start + access->cycles;
    unsigned i;
    bool comes = find_fill(core, line, start, &i);

    core->op.awaited = access->source;
    if (access->cycles <= L1_CYCLES) {
        if (comes && core->fill_ready[i] > ready) {
            access->events |= SPE_EV_RECENTLY_FETCHED;
            core->op.awaited = core->fill_source[i];
            ready = core->fill_ready[i];
        }
        return ready;
    }
    ready = MAX(start, core->fill_ready[i]) + access->cycles;
    core->fill_line[i] = line;
    core->fill_ready[i] = ready;
    core->fill_source[i] = access->source;
    return ready;
}

/*
 * The data of a store that has not reached the cache. Where the line is not in the L1
 * cache, another CPU took it after that store was there.
 */
static bool forward(OOOCore *core, uint64_t *ready)
{
    uint64_t start = core->times.translated;

    if (core->op.access.cycles > L1_CYCLES) {
        return false;
    }
    for (unsigned i = 1; i <= STORES && i <= core->stores; i++) {
        unsigned at = (core->stores - i) % STORES;

        if (core->stored[at] == core->op.va >> 3 && core->drained[at] > start) {
            *ready = MAX(start, core->data_ready[at]) + FORWARD_CYCLES;
            return true;
        }
    }
    return false;
}

static bool buffered(const OOOInsn *insn)
{
    return insn->store && !insn->load && !insn->writes;
}

static void execute(OOOCore *core)
{
    OOOInsn *insn = &core->op.insn;
    OOOTimes *t = &core->times;

    if (!core->op.accesses) {
        t->translated = t->issue;
        t->complete = t->issue + insn->cycles;
    } else {
        translate(core);
        if (buffered(insn)) {
            t->complete = t->translated + insn->cycles;
        } else if (!insn->load || insn->store || !forward(core, &t->complete)) {
            t->complete = fill(core, t->translated) +
                          (insn->store ? ATOMIC_CYCLES : 0);
        }
    }
    if (insn->order == OOO_WAITS_FOR_ALL) {
        t->complete = MAX(t->complete, MAX(core->leave, core->last_drained));
        core->all_after = t->complete;
    } else if (insn->order == OOO_ORDERS_MEMORY) {
        core->memory_after = MAX(core->memory_after, core->leave);
    }
    if (insn->acquires) {
        core->memory_after = MAX(core->memory_after, t->complete);
    }
    for (uint64_t writes = insn->writes; writes; writes &= writes - 1) {
        core->ready[ctz64(writes)] = t->complete;
    }
    if (insn->base) {
        core->ready[ctz64(insn->base)] = t->issue + 1;
    }
}

/* A store leaves the window when there is room for it in the store buffer. */
static void buffer_store(OOOCore *core)
{
    unsigned at = core->stores++ % STORES;
    uint64_t there = fill(core, core->times.commit);

    if (there > core->last_drained + 1) {
        core->draining = core->op.awaited;
    }
    core->last_drained = MAX(core->last_drained + 1, there);
    core->stored[at] = core->op.va >> 3;
    core->data_ready[at] = core->times.complete;
    core->drained[at] = core->last_drained;
    core->drain_source[at] = core->draining;
}

static void leave(CPUARMState *env, OOOCore *core)
{
    bool stores = core->op.accesses && buffered(&core->op.insn);
    OOOTimes *t = &core->times;
    uint64_t before = core->leave;

    t->commit = MAX(t->complete, core->leave);
    if (stores) {
        unsigned oldest = core->stores % STORES;

        t->commit = MAX(t->commit, core->drained[oldest]);
        core->op.awaited = core->drain_source[oldest];
    }
    if (t->commit == core->leave && core->leaving >= width(env)) {
        t->commit++;
    }
    core->leaving = t->commit == core->leave ? core->leaving + 1 : 1;
    core->leave = t->commit;
    core->left[core->count++ % OOO_WINDOW] = t->commit;
    if (core->truth) {
        ooo_truth_add(core->truth, &core->op, t, before, core->front_cause,
                      core->blamed);
    }
    if (stores) {
        buffer_store(core);
    }
}

static void refetch(OOOCore *core, uint64_t when, OOOCause cause)
{
    core->front = when + REFILL_CYCLES;
    core->front_cause = cause;
    core->blamed = core->op.pc;
}

const OOOTimes *ooo_times(CPUARMState *env)
{
    OOOCore *core = core_of(env);

    return core ? &core->times : NULL;
}

void ooo_end(CPUARMState *env)
{
    OOOCore *core = core_of(env);

    if (!core || !core->pending) {
        return;
    }
    core->pending = false;
    dispatch(env, core);
    issue(core);
    execute(core);
    leave(env, core);
    if (core->op.mispredicted) {
        refetch(core, core->times.complete, OOO_MISPREDICTED);
    } else if (core->op.insn.order == OOO_FLUSHES) {
        refetch(core, core->times.commit, OOO_FRONT_END);
    } else if (core->op.taken) {
        core->dispatched += width(env);
    }
}

void ooo_begin(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    OOOCore *core = core_of(env);

    ooo_end(env);
    core->pending = true;
    core->op.pc = pc;
    core->op.el = arm_current_el(env);
    core->op.accesses = false;
    core->op.mispredicted = false;
    core->op.taken = false;
    core->op.access = (SPEAccess) {};
    core->op.awaited = 0;
    decode(env, core, insn);
}

/* The first access, with the time of the slowest. */
void ooo_access(CPUARMState *env, uint64_t va, const SPEAccess *access)
{
    OOOCore *core = core_of(env);

    if (!core || !core->pending) {
        return;
    }
    if (!core->op.accesses) {
        core->op.accesses = true;
        core->op.va = va;
        core->op.access = *access;
    } else {
        core->op.access.cycles = MAX(core->op.access.cycles, access->cycles);
        core->op.access.xlat = MAX(core->op.access.xlat, access->xlat);
    }
}

void ooo_branch(CPUARMState *env, bool taken, bool foreseen)
{
    OOOCore *core = core_of(env);

    if (core && core->pending) {
        core->op.taken = taken;
        core->op.mispredicted = !foreseen;
    }
}

void ooo_flush(CPUARMState *env)
{
    OOOCore *core = core_of(env);

    if (core) {
        ooo_end(env);
        refetch(core, core->leave, OOO_FRONT_END);
    }
}

static const PMScopeProperty ooo_properties[] = {
    { DEFINE_PROP_STRING("core", ARMCPU, spe.core_kind),
      "how operations are timed: in-order, or ooo for a core that executes them "
      "out of order" },
    { DEFINE_PROP_STRING("truth", ARMCPU, spe.truth),
      "with core=ooo, the file in which each cycle is accounted for, by "
      "instruction; %d in it is the number of the CPU. All profiled operations "
      "are followed, which is slow" },
};

void ooo_add_properties(ARMCPU *cpu)
{
    pmscope_add_property_list(cpu, ooo_properties, ARRAY_SIZE(ooo_properties));
}

bool ooo_realize(ARMCPU *cpu, Error **errp)
{
    SPEConfig *cfg = &cpu->spe;
    bool ooo = cfg->core_kind && !strcmp(cfg->core_kind, "ooo");

    if (!pmscope_check(errp, !cfg->core_kind || ooo ||
                       !strcmp(cfg->core_kind, "in-order"),
                       "core=%s: in-order or ooo", cfg->core_kind) ||
        !pmscope_check(errp, !ooo || cfg->enabled, "core=ooo needs spe=on") ||
        !pmscope_check(errp, ooo || !cfg->truth, "truth needs core=ooo")) {
        return false;
    }
    if (!ooo) {
        return true;
    }
    cfg->core->ooo = g_new0(OOOCore, 1);
    cfg->core->counts = g_new0(OOOCounts, 1);
    if (cfg->truth) {
        cfg->core->ooo->truth = ooo_truth_new(cfg->truth,
                                              CPU(cpu)->cpu_index, errp);
    }
    return !cfg->truth || cfg->core->ooo->truth;
}
