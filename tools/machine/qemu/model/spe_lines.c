/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPU has a cache line. One CPU may have written it last and owns it, or
 * several have clean copies. A write takes it from all others, and gives it a new
 * version: copies of an older one are no longer found in the caches.
 *
 * QEMU may run CPUs in turn, each for a long time (thread=single), or have fewer
 * threads of the host than CPUs, so that a line moves far less often than between
 * CPUs that run at once. With core=ooo a line that has moved is watched: how many
 * operations lie between two accesses of each CPU. If the other CPU was using it
 * when its turn ended, it is taken to go on, so that it has had the line again
 * after as many operations as lie between its accesses.
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "ooo.h"
#include "spe_lines.h"
#include "spe_sample.h"

#define LINES 65536
#define MAX_CPUS 512
#define PAGE_BITS 12

/* A CPU that did not access the line for so many times its habit is done. */
#define LIVELY 16
#define LIVELY_OPERATIONS 64

typedef struct Habit {
    uint64_t last;      /* access, in operations of the CPU */
    uint64_t arrived;   /* the line, the last time */
    uint32_t period;    /* 0: not known */
    uint16_t cpu;
    uint8_t el;
    bool writes;
} Habit;

typedef struct Line {
    uint32_t tag;
    uint16_t writer;    /* 0: no copy is dirty */
    uint16_t version;
    uint64_t sharers;   /* CPUs, by number modulo 64 */
} Line;

/* Apart, as few lines have any: the others take less of the host's cache. */
typedef struct Habits {
    uint32_t tag;
    bool moved;
    Habit habit[2];
} Habits;

/* CPUs run in threads of their own: a lost update costs a wrong guess. */
static struct {
    Line line[LINES];
    Habits habits[LINES];
    unsigned count;
    CPUARMState *cpu[MAX_CPUS];
} *shared;

uint16_t spe_lines_add_cpu(CPUARMState *env)
{
    if (!shared) {
        shared = g_malloc0(sizeof(*shared));
    }
    g_assert(shared->count < MAX_CPUS);
    shared->cpu[shared->count++] = env;
    return shared->count;
}

/* The TBs of the other CPUs forget the line, whatever its VA is there. */
static void recall(uint16_t cpu, uint64_t va)
{
    unsigned step = 1u << (PAGE_BITS - SPE_LINE_BITS);

    for (unsigned i = 0; i < shared->count; i++) {
        SPEState *s = &shared->cpu[i]->spe;

        for (unsigned set = (va >> SPE_LINE_BITS) % step;
             i + 1 != cpu && set < SPE_LINE_SETS; set += step) {
            qatomic_set(&s->read_line[set], UINT64_MAX);
            qatomic_set(&s->written_line[set], UINT64_MAX);
        }
    }
}

static uint64_t bit_of(uint16_t cpu)
{
    return 1ull << (cpu % 64);
}

static SPELineState move(Line *line, uint16_t cpu, uint64_t va, bool write)
{
    bool others = line->sharers & ~bit_of(cpu), peer;

    if (line->writer == cpu) {
        return SPE_LINE_HELD;
    }
    peer = line->writer;
    line->sharers |= bit_of(cpu);
    if (write) {
        line->version += others || peer;
        line->sharers = bit_of(cpu);
    }
    line->writer = write ? cpu : 0;
    if (write || peer) {
        recall(cpu, va);
    }
    if (peer) {
        return SPE_LINE_AT_PEER;
    }
    return write && others ? SPE_LINE_SHARED : SPE_LINE_HELD;
}

static Habit *habit_of(Habits *habits, uint16_t cpu)
{
    for (int i = 0; i < 2; i++) {
        if (habits->habit[i].cpu == cpu || !habits->habit[i].cpu) {
            habits->habit[i].cpu = cpu;
            return &habits->habit[i];
        }
    }
    habits->habit[0] = (Habit) { .cpu = cpu };
    return &habits->habit[0];
}

static bool goes_on(const Habit *other)
{
    CPUARMState *env = other->cpu ? shared->cpu[other->cpu - 1] : NULL;

    return env && !env_cpu(env)->halted &&
           arm_current_el(env) == other->el &&
           (!other->period || spe_now(env) - other->last <=
            other->period * LIVELY + LIVELY_OPERATIONS);
}

/* Has the other CPU had the line since it came here? */
static void contend(Line *line, Habits *habits, CPUARMState *env, uint16_t cpu,
                    bool write, SPELine *access)
{
    Habit *mine = habit_of(habits, cpu);
    Habit *other = &habits->habit[mine == habits->habit];
    uint64_t now = spe_now(env), since = now - mine->last;

    if (access->state != SPE_LINE_HELD) {
        habits->moved = true;
        mine->arrived = now;
    } else if (mine->last) {
        mine->period = mine->period ? (mine->period * 3 + since) / 4 : since;
    }
    mine->last = now;
    mine->el = arm_current_el(env);
    mine->writes |= write;
    habits->moved = habits->moved && goes_on(other);
    if (!habits->moved || access->state != SPE_LINE_HELD || !other->period ||
        now - mine->arrived < other->period) {
        return;
    }
    mine->arrived = now;
    if (other->writes) {
        line->version++;
        access->state = SPE_LINE_AT_PEER;
        access->peer = other->cpu;
    } else if (write) {
        access->state = SPE_LINE_SHARED;
    }
}

SPELine spe_lines_access(CPUARMState *env, uint16_t cpu, uint64_t number,
                         uint64_t va, bool write)
{
    Line *line = &shared->line[number % LINES];
    Habits *habits = &shared->habits[number % LINES];
    uint32_t tag = number / LINES;
    SPELine access;

    if (line->tag != tag) {
        *line = (Line) { .tag = tag };
    }
    access = (SPELine) { .peer = line->writer };
    access.state = move(line, cpu, va, write);
    if (shared->count > 1 && ooo_counts(env)) {
        if (habits->tag != tag) {
            *habits = (Habits) { .tag = tag };
        }
        contend(line, habits, env, cpu, write, &access);
        access.watched = habits->moved;
    }
    access.version = line->version;
    return access;
}
