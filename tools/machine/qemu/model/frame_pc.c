/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PC Sample-based Profiling Extension (Arm ARM H7): FEAT_PCSRv8 in the debug
 * frame, FEAT_PCSRv8p2 and v8p9 in the PMU frame. What is sampled is the target of
 * the last branch, or an instruction behind it.
 *
 * Sampling is active at reset, but for v8p9, where PMPCSCTL.EN is implemented. The
 * first sample after it was suspended is none.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "internals.h"
#include "hw/registerfields.h"
#include "frame.h"

enum {
    A_EDPCSR_LO = 0x0a0,
    A_EDCIDSR = 0x0a4,
    A_EDVIDSR = 0x0a8,
    A_EDPCSR_HI = 0x0ac,
    A_PMPCSR = 0x200,
    A_PMCID1SR = 0x208,     /* PMVCIDSR, with PMVIDSR as its upper half */
    A_PMVIDSR = 0x20c,
    A_PMCCIDSR = 0x228,     /* PMCID1SR, with PMCID2SR as its upper half */
    A_PMCID2SR = 0x22c,
    ALIAS = 0x020,
};

FIELD(PMPCSR, EL, 61, 2)
FIELD(PMPCSR, NS, 63, 1)
FIELD(PMPCSCTL, EN, 0, 1)
FIELD(PMPCSCTL, IMP, 1, 1)
FIELD(PMPCSCTL, SS, 4, 1)
FIELD(EDVIDSR, E3, 29, 1)
FIELD(EDVIDSR, E2, 30, 1)
FIELD(EDVIDSR, NS, 31, 1)

/* Secure state has an authentication of its own, which is off. */
static bool is_allowed(ARMCPU *cpu)
{
    return cpu->pmss.nid && (!arm_feature(&cpu->env, ARM_FEATURE_EL3) ||
                             !arm_is_secure(&cpu->env));
}

void frame_pc_sample(ARMCPU *cpu, FramePC *to)
{
    CPUARMState *env = &cpu->env;

    if (!is_allowed(cpu)) {
        to->pc |= UINT32_MAX;
        return;
    }
    to->pc = deposit64(0, 0, 56, env->pc);
    to->pc = FIELD_DP64(to->pc, PMPCSR, EL, arm_current_el(env));
    to->pc = FIELD_DP64(to->pc, PMPCSR, NS, !arm_is_secure(env));
    to->context = env->cp15.contextidr_el[1];
    to->context2 = env->cp15.contextidr_el[2];
    to->vmid = extract64(env->cp15.vttbr_el2, 48, 16);
}

void frame_pc_at_capture(ARMCPU *cpu)
{
    if (FIELD_EX64(cpu->pmss.pmpcsctl, PMPCSCTL, SS)) {
        frame_pc_sample(cpu, &cpu->pmss.frame_pc);
    }
}

static void sample_at_read(ARMCPU *cpu)
{
    uint64_t control = cpu->pmss.pmpcsctl;

    if (FIELD_EX64(control, PMPCSCTL, SS)) {
        return;
    }
    if (cpu->pmss.pcsr_kind == PCSR_V8P9 && !FIELD_EX64(control, PMPCSCTL, EN)) {
        cpu->pmss.pmpcsctl = FIELD_DP64(control, PMPCSCTL, EN, is_allowed(cpu));
        cpu->pmss.frame_pc.pc |= UINT32_MAX;
        return;
    }
    frame_pc_sample(cpu, &cpu->pmss.frame_pc);
}

uint64_t frame_pc_control(ARMCPU *cpu)
{
    return cpu->pmss.pcsr_kind < PCSR_V8P9 ? 0 :
           FIELD_DP64(cpu->pmss.pmpcsctl, PMPCSCTL, IMP, 1);
}

void frame_pc_set_control(ARMCPU *cpu, uint64_t value)
{
    if (cpu->pmss.pcsr_kind == PCSR_V8P9) {
        cpu->pmss.pmpcsctl = value & (R_PMPCSCTL_EN_MASK | R_PMPCSCTL_SS_MASK);
    }
}

bool frame_pc_is_register(hwaddr offset)
{
    return (offset & ~ALIAS) >= A_PMPCSR && (offset & ~ALIAS) <= A_PMVIDSR;
}

uint32_t frame_pc_read(ARMCPU *cpu, hwaddr offset)
{
    const FramePC *sample = &cpu->pmss.frame_pc;

    if (cpu->pmss.pcsr_kind < PCSR_V8P2) {
        return 0;
    }
    switch (offset) {
    case A_PMPCSR:
    case A_PMPCSR + ALIAS:
        sample_at_read(cpu);
        return sample->pc;
    case A_PMPCSR + 4:
    case A_PMPCSR + 4 + ALIAS:
        return sample->pc >> 32;
    case A_PMVIDSR:
        return sample->vmid;
    case A_PMCID2SR:
        return sample->context2;
    default:
        return sample->context;
    }
}

uint64_t frame_pc_read64(ARMCPU *cpu, hwaddr offset)
{
    uint64_t low = frame_pc_read(cpu, offset);

    return low | (uint64_t)frame_pc_read(cpu, offset + 4) << 32;
}

static uint32_t edvidsr(const FramePC *sample)
{
    unsigned el = FIELD_EX64(sample->pc, PMPCSR, EL);
    uint32_t value = FIELD_DP32(sample->vmid, EDVIDSR, E3, el == 3);

    value = FIELD_DP32(value, EDVIDSR, E2, el == 2);
    return FIELD_DP32(value, EDVIDSR, NS, FIELD_EX64(sample->pc, PMPCSR, NS));
}

/* In the Core power domain, unlike what else is in the debug frame */
bool frame_pc_debug_read(ARMCPU *cpu, hwaddr offset, uint64_t *data,
                         MemTxResult *result)
{
    FramePC *sample = &cpu->pmss.frame_pc;

    if (cpu->pmss.pcsr_kind != PCSR_V8 || offset < A_EDPCSR_LO ||
        offset > A_EDPCSR_HI) {
        return false;
    }
    *result = frame_has_power(cpu) ? MEMTX_OK : MEMTX_ERROR;
    if (*result == MEMTX_OK && offset == A_EDPCSR_LO) {
        frame_pc_sample(cpu, sample);
    }
    *data = offset == A_EDPCSR_LO ? (uint32_t)sample->pc :
            offset == A_EDPCSR_HI ? extract64(sample->pc, 32, 24) :
            offset == A_EDVIDSR ? edvidsr(sample) : sample->context;
    return true;
}

/* PMDEVID.PCSample, or EDDEVID.PCSample: with EDCIDSR and EDVIDSR */
uint32_t frame_pc_id(const ARMCPU *cpu, FrameKind kind)
{
    if (kind == FRAME_DEBUG) {
        return cpu->pmss.pcsr_kind == PCSR_V8 ? 3 : 0;
    }
    return cpu->pmss.pcsr_kind == PCSR_V8P9 ? 2 : cpu->pmss.pcsr_kind == PCSR_V8P2;
}

bool frame_pc_realize(ARMCPU *cpu, bool arm_layout, Error **errp)
{
    static const char *const names[] = { "off", "v8", "v8p2", "v8p9", NULL };
    const char *name = cpu->pmss.pcsr ?: arm_layout ? "v8p2" : "v8p9";
    const char *unfit = arm_layout ? "v8p9" : "v8";

    if (!g_strv_contains(names, name)) {
        error_setg(errp, "pcsr=%s: off, v8, v8p2 or v8p9", name);
    } else if (!strcmp(name, unfit)) {
        error_setg(errp, "pcsr=%s: not with pmu-frame=%s", name,
                   cpu->pmss.frame);
    } else {
        while (strcmp(names[cpu->pmss.pcsr_kind], name)) {
            cpu->pmss.pcsr_kind++;
        }
        return true;
    }
    return false;
}
