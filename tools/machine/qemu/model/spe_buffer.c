/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Profiling Buffer (Arm ARM D17.7) and its management events.
 *
 * Records wait in a queue, and PMBPTR_EL1 lags behind, until the queue is
 * full or a PSB CSYNC drains it: each record is translated then, and faults
 * are found. The writes themselves wait for a DSB or for later writes. So
 * software that forgets either instruction sees old data.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "internals.h"
#include "spe.h"

#define FSC_SYNC_EXTERNAL 0x10

static ARMMMUIdx buffer_mmu_idx(CPUARMState *env)
{
    ARMSecuritySpace space;

    if (spe_owning_el(env, &space) == 2) {
        return arm_hcr_el2_eff(env) & HCR_E2H ? ARMMMUIdx_E20_2
                                              : ARMMMUIdx_E2;
    }
    /* Privileged; PSTATE.PAN is taken as 0 (Arm ARM D17.7.6). */
    return ARMMMUIdx_E10_1;
}

void spe_update_irq(CPUARMState *env)
{
    BQL_LOCK_GUARD();
    qemu_set_irq(env_archcpu(env)->spe.irq,
                 FIELD_EX64(env->spe.pmbsr, PMBSR, S) || env->spe.spurious);
}

void spe_report_collision(CPUARMState *env)
{
    env->spe.pmbsr = FIELD_DP64(env->spe.pmbsr, PMBSR, COLL, 1);
}

/* Stops profiling. COLL is kept: it tells of samples before the event. */
static void management_event(CPUARMState *env, unsigned ec, unsigned mss,
                             bool ea, bool dl)
{
    SPEState *s = &env->spe;

    if (FIELD_EX64(s->pmbsr, PMBSR, S)) {
        return;
    }
    pmu_op_start(env);
    s->pmbsr &= R_PMBSR_COLL_MASK;
    s->pmbsr = FIELD_DP64(s->pmbsr, PMBSR, EC, ec);
    s->pmbsr = FIELD_DP64(s->pmbsr, PMBSR, MSS, mss);
    s->pmbsr = FIELD_DP64(s->pmbsr, PMBSR, EA, ea);
    s->pmbsr = FIELD_DP64(s->pmbsr, PMBSR, DL, dl);
    s->pmbsr = FIELD_DP64(s->pmbsr, PMBSR, S, 1);
    pmu_op_finish(env);

    spe_changed(env);
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

    address_space_write(as, w->pa, attrs, w->data, w->size);
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
                       const uint8_t *data, uint32_t size)
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
    memcpy(w->data, data, size);
}

static bool is_memory(CPUARMState *env, const GetPhysAddrResult *res)
{
    AddressSpace *as = arm_addressspace(env_cpu(env), res->f.attrs);

    return address_space_access_valid(as, res->f.phys_addr, 1, true,
                                      res->f.attrs);
}

/* Writes part of a record inside one page; false on a management event. */
static bool write_piece(CPUARMState *env, const uint8_t *data, uint32_t size,
                        bool partial)
{
    SPEState *s = &env->spe;
    GetPhysAddrResult res = {};
    ARMMMUFaultInfo fi = {};

    if (get_phys_addr(env, s->pmbptr, MMU_DATA_STORE, 0, buffer_mmu_idx(env),
                      &res, &fi)) {
        bool external = fi.type == ARMFault_SyncExternalOnWalk;

        management_event(env, fi.stage2 ? PMBSR_EC_STAGE2 : PMBSR_EC_STAGE1,
                         arm_fi_to_lfsc(&fi) & 0x3f, external, partial);
        return false;
    }
    if (!is_memory(env, &res)) {
        management_event(env, PMBSR_EC_STAGE1, FSC_SYNC_EXTERNAL, true,
                         partial);
        return false;
    }
    post_write(env, &res, data, size);
    s->pmbptr += size;
    return true;
}

/* Faults that a CPU property asks for; true if there was one. */
static bool injected_fault(CPUARMState *env, const SPEQueuedRecord *record)
{
    const SPEConfig *cfg = &env_archcpu(env)->spe;
    uint64_t number = ++env->spe.records;
    bool abort = number == cfg->abort_at;

    if (number != cfg->fault_at && !abort) {
        return false;
    }
    if (cfg->fault_dl) {
        write_piece(env, record->data, 1, false);
    }
    management_event(env, PMBSR_EC_STAGE1,
                     abort ? FSC_SYNC_EXTERNAL : cfg->fault_fsc, abort,
                     cfg->fault_dl);
    return true;
}

static bool buffer_is_full(CPUARMState *env, uint64_t ptr)
{
    uint64_t limit = env->spe.pmblimitr & PMBLIMITR_LIMIT;

    return ptr > limit - env_archcpu(env)->spe.max_size;
}

static void write_record(CPUARMState *env, const SPEQueuedRecord *record)
{
    const SPEConfig *cfg = &env_archcpu(env)->spe;
    uint32_t done = 0;

    if (injected_fault(env, record)) {
        return;
    }
    while (done < record->size) {
        uint32_t room = TARGET_PAGE_SIZE -
                        (env->spe.pmbptr & ~TARGET_PAGE_MASK);
        uint32_t size = MIN(record->size - done, room);

        if (!write_piece(env, record->data + done, size, done > 0)) {
            return;
        }
        done += size;
    }
    if (buffer_is_full(env, env->spe.pmbptr)) {
        management_event(env, PMBSR_EC_OTHER, PMBSR_BSC_FULL, false, false);
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
        qemu_log_mask(LOG_GUEST_ERROR, "SPE: buffer disabled without PSB "
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

    /* So that the buffer is full at the record that fills it. */
    for (int i = 0; i < s->queued; i++) {
        end += s->queue[i].size;
    }
    if (s->queued == SPE_QUEUE || buffer_is_full(env, end)) {
        spe_drain_queue(env);
    }
}
