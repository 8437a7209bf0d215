/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to the Profiling Buffer (Arm ARM D17.7).
 *
 * Records wait in a queue, and PMBPTR_EL1 lags behind, until the queue is
 * full or a PSB CSYNC drains it: each record is translated then, and faults
 * are found. The writes themselves wait for a DSB or for later writes. So
 * software that forgets either instruction sees old data.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "spe.h"
#include "sync.h"

#define FSC_SYNC_EXTERNAL 0x10
#define FSC_ALIGNMENT 0x21

/* Faults of an address, as PMBSR_EL1 reports them. */
static SPEEvent mmu_fault(ARMMMUFaultInfo *fi, bool partial)
{
    bool gpc = fi->type == ARMFault_GPCFOnWalk ||
               fi->type == ARMFault_GPCFOnOutput;
    SPEEvent event = {
        .ec = fi->stage2 ? PMBSR_EC_STAGE2 : PMBSR_EC_STAGE1,
        .mss = arm_fi_to_lfsc(fi) & 0x3f,
        .ea = fi->type == ARMFault_SyncExternalOnWalk,
        .gpf = gpc && fi->gpcf == GPCF_Fail,
        .dl = partial,
    };

    if (gpc && !event.gpf) {
        event.ec = PMBSR_EC_GPC;
        event.mss = 0;
    }
    return event;
}

static void report_external_abort(CPUARMState *env, bool partial)
{
    spe_report_event(env, &(SPEEvent) {
        .ec = PMBSR_EC_STAGE1, .mss = FSC_SYNC_EXTERNAL, .ea = true,
        .dl = partial,
    });
}

static void report_full(CPUARMState *env)
{
    spe_report_event(env, &(SPEEvent) {
        .ec = PMBSR_EC_OTHER, .mss = PMBSR_BSC_FULL,
    });
}

static void raise_spurious_irq(CPUARMState *env)
{
    env->spe.spurious = true;
    spe_update_irq(env);
}

static void complete_write(CPUARMState *env, const SPEPendingWrite *w)
{
    MemTxAttrs attrs = { .secure = w->secure, .space = w->space };
    AddressSpace *as = arm_addressspace(env_cpu(env), attrs);

    address_space_write(as, w->pa, attrs, w->data, w->used);
    if (w->size > w->used) {
        address_space_set(as, w->pa + w->used, 0, w->size - w->used, attrs);
    }
}

void spe_complete_writes(CPUARMState *env)
{
    SPEState *s = &env->spe;

    for (int i = 0; i < s->writes; i++) {
        complete_write(env, &s->write[i]);
    }
    s->writes = 0;
}

static void post_write(CPUARMState *env, const GetPhysAddrResult *res,
                       const SPEQueuedRecord *record, uint32_t done,
                       uint32_t size)
{
    SPEState *s = &env->spe;
    SPEPendingWrite *w;

    if (s->writes == SPE_QUEUE) {
        complete_write(env, &s->write[0]);
        memmove(&s->write[0], &s->write[1],
                --s->writes * sizeof(s->write[0]));
    }
    w = &s->write[s->writes++];
    w->pa = res->f.phys_addr;
    w->secure = res->f.attrs.secure;
    w->space = res->f.attrs.space;
    w->size = size;
    w->used = 0;
    if (done < SPE_RECORD_MAX) {
        w->used = MIN(size, SPE_RECORD_MAX - done);
        memcpy(w->data, record->data + done, w->used);
    }
}

static bool is_memory(CPUARMState *env, const GetPhysAddrResult *res,
                      uint32_t size)
{
    AddressSpace *as = arm_addressspace(env_cpu(env), res->f.attrs);

    return address_space_access_valid(as, res->f.phys_addr, size, true,
                                      res->f.attrs);
}

/*
 * Writes @size bytes of a record, from byte @done on, inside one page; false on
 * a management event.
 */
static bool write_piece(CPUARMState *env, const SPEQueuedRecord *record,
                        uint32_t done, uint32_t size)
{
    SPEState *s = &env->spe;
    GetPhysAddrResult res = {};
    ARMMMUFaultInfo fi = {};

    if (spe_translate(env, s->pmbptr, &res, &fi)) {
        SPEEvent event = mmu_fault(&fi, done > 0);

        spe_report_event(env, &event);
        return false;
    }
    if (!is_memory(env, &res, size)) {
        report_external_abort(env, done > 0);
        return false;
    }
    post_write(env, &res, record, done, size);
    sync_hide(env, SYNC_PMBPTR);
    s->pmbptr += size;
    return true;
}

static bool is_due(uint64_t number, uint64_t at, uint64_t every)
{
    return number == at || (every && number % every == 0);
}

static bool is_quiet(CPUARMState *env)
{
    const SPEConfig *cfg = &env_archcpu(env)->spe;

    return cfg->abort_quiet || (!cfg->fault_dl && sync_coin(env));
}

/* Faults that a CPU property asks for; true if there was one. */
static bool injected_fault(CPUARMState *env, const SPEQueuedRecord *record)
{
    const SPEConfig *cfg = &env_archcpu(env)->spe;
    uint64_t number = ++env->spe.records;
    bool abort = is_due(number, cfg->abort_at, cfg->abort_every);

    if (!abort && !is_due(number, cfg->fault_at, cfg->fault_every)) {
        return false;
    }
    if (cfg->fault_dl) {
        write_piece(env, record, 0, 1);
    }
    if (abort && is_quiet(env)) {
        spe_report_quiet_abort(env);
    } else if (abort) {
        report_external_abort(env, cfg->fault_dl);
    } else {
        spe_report_event(env, &(SPEEvent) {
            .ec = PMBSR_EC_STAGE1, .mss = cfg->fault_fsc,
            .dl = cfg->fault_dl,
        });
    }
    return true;
}

/* True too for a pointer that software may not set (RHXSYK). */
static bool buffer_is_full(CPUARMState *env, uint64_t ptr)
{
    uint64_t limit = env->spe.pmblimitr & PMBLIMITR_LIMIT;
    uint64_t size = env_archcpu(env)->spe.max_size;

    return limit < size || ptr > limit - size || (ptr ^ (limit - 1)) >> 56;
}

bool spe_pointer_is_valid(CPUARMState *env)
{
    return FIELD_EX64(env->spe.pmblimitr, PMBLIMITR, FM) ==
               PMBLIMITR_FM_DISCARD ||
           !buffer_is_full(env, env->spe.pmbptr);
}

/* Of what RPGGHS permits, that which writes to no memory */
static void violates_rhxsyk(CPUARMState *env)
{
    const SPEConfig *cfg = &env_archcpu(env)->spe;

    switch (sync_choice(env, 4)) {
    case 0:
        report_full(env);
        break;
    case 1:
        spe_report_event(env, &(SPEEvent) {
            .ec = PMBSR_EC_OTHER, .mss = PMBSR_BSC_NOT_ALLOWED,
        });
        break;
    case 2:
        break;
    case 3:
        env->spe.pmbptr = spe_random(env) & -(uint64_t)cfg->align;
        break;
    }
}

/*
 * Of what D17.7.7 permits where a record crosses to another memory type or
 * Shareability, or between pages of Device memory. True if it is not written.
 */
static bool refused_to_cross(CPUARMState *env, const SPEQueuedRecord *record)
{
    uint64_t ptr = env->spe.pmbptr;
    uint64_t next = (ptr & TARGET_PAGE_MASK) + TARGET_PAGE_SIZE;
    int stage = next - ptr < record->size ?
        spe_conflicting_stage(env, ptr, next) : 0;
    unsigned choice = stage ? sync_choice(env, 4) : 0;

    if (choice == 1) {
        spe_report_event(env, &(SPEEvent) {
            .ec = stage == 1 ? PMBSR_EC_STAGE1 : PMBSR_EC_STAGE2,
            .mss = FSC_ALIGNMENT,
        });
    } else if (choice == 3) {
        /* Discarded, as 2, but the pointer moves on. */
        sync_hide(env, SYNC_PMBPTR);
        env->spe.pmbptr += record->size;
    }
    return choice;
}

static void write_record(CPUARMState *env, const SPEQueuedRecord *record)
{
    const SPEConfig *cfg = &env_archcpu(env)->spe;
    uint32_t done = 0;

    if (buffer_is_full(env, env->spe.pmbptr)) {
        violates_rhxsyk(env);
        return;
    }
    if (injected_fault(env, record)) {
        return;
    }
    if (refused_to_cross(env, record)) {
        done = record->size;
    }
    while (done < record->size) {
        uint32_t room = TARGET_PAGE_SIZE -
                        (env->spe.pmbptr & ~TARGET_PAGE_MASK);
        uint32_t size = MIN(record->size - done, room);

        if (!write_piece(env, record, done, size)) {
            return;
        }
        done += size;
    }
    if (buffer_is_full(env, env->spe.pmbptr)) {
        report_full(env);
    }
    if (cfg->spurious_every && env->spe.records % cfg->spurious_every == 0) {
        raise_spurious_irq(env);
    }
}

void spe_drain_queue(CPUARMState *env)
{
    SPEState *s = &env->spe;
    uint32_t queued = s->queued;

    s->queued = 0;
    for (int i = 0; i < queued && spe_buffer_enabled(env); i++) {
        write_record(env, &s->queue[i]);
    }
}

void spe_drop_queue(CPUARMState *env)
{
    if (env->spe.queued) {
        qemu_log_mask(LOG_GUEST_ERROR, "sync: buffer disabled without PSB "
                      "CSYNC: %u records lost\n", env->spe.queued);
    }
    env->spe.queued = 0;
}

void spe_queue_record(CPUARMState *env, const uint8_t *data, uint32_t size)
{
    SPEState *s = &env->spe;
    SPEQueuedRecord *record = &s->queue[s->queued];
    uint64_t end = s->pmbptr;

    if (!spe_buffer_enabled(env)) {
        return;
    }
    memset(record->data, 0, sizeof(record->data));
    memcpy(record->data, data, size);
    record->size = ROUND_UP(size, env_archcpu(env)->spe.align);
    s->queued++;

    /* Reports the buffer as full with the record that fills it. */
    for (int i = 0; i < s->queued; i++) {
        end += s->queue[i].size;
    }
    if (s->queued == SPE_QUEUE || buffer_is_full(env, end)) {
        spe_drain_queue(env);
    }
}
