/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMU snapshots: Arm ARM D13.9 and PMUCaptureEvent() of its pseudocode. */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hw/core/cpu.h"
#include "frame.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "sync.h"

FIELD(PMSSCR_EL1, SS, 0, 1)
FIELD(PMSSCR_EL1, NC, 32, 1)

/* Bits of HDFGRTR2_EL2 and HDFGWTR2_EL2. */
#define FGT2_PMECR 0
#define FGT2_PMSSDATA 6
#define FGT2_PMSSCR 7

/* Values of the three PMSSE and SSE fields. */
enum {
    SSE_DISABLED = 0,
    SSE_DELEGATED = 1,      /* reserved in PMECR_EL1 */
    SSE_PROHIBITED = 2,
    SSE_ALLOWED = 3,
};

static unsigned el1_sse(CPUARMState *env)
{
    unsigned sse = FIELD_EX64(env->pmss.pmecr_el1, PMECR_EL1, SSE);

    if (!arm_el_is_aa64(env, 1) || sse == SSE_DELEGATED) {
        return SSE_DISABLED;
    }
    return sse;
}

/* Table D13-10: the first Exception level that does not delegate decides. */
static unsigned deciding_sse(CPUARMState *env)
{
    unsigned sse = FIELD_EX64(pmscope_mdcr_el3(env), PMSS_MDCR_EL3, PMSSE);

    if (sse != SSE_DELEGATED) {
        return sse;
    }
    if (pmscope_mdcr_el2_pmsse(env, &sse) && sse != SSE_DELEGATED) {
        return sse;
    }
    return el1_sse(env);
}

/* Firmware that switches captures off for a time, for all levels. */
static bool in_lapse(CPUARMState *env)
{
    const PMSSConfig *cfg = &env_archcpu(env)->pmss;

    return cfg->lapse && (cfg->allowed_requests / cfg->lapse) % 2;
}

static bool capture_enabled(CPUARMState *env)
{
    return deciding_sse(env) != SSE_DISABLED && !in_lapse(env);
}

static bool os_locked(CPUARMState *env)
{
    return extract64(env->cp15.oslsr_el1, 1, 1);
}

/* QEMU has no Debug state. */
static bool capture_allowed(CPUARMState *env)
{
    return deciding_sse(env) == SSE_ALLOWED && !os_locked(env);
}

static void set_status(CPUARMState *env, bool nc, bool ss)
{
    env->pmss.pmsscr_el1 = FIELD_DP64(0, PMSSCR_EL1, NC, nc);
    env->pmss.pmsscr_el1 = FIELD_DP64(env->pmss.pmsscr_el1, PMSSCR_EL1, SS, ss);
}

static bool in_progress(CPUARMState *env)
{
    return FIELD_EX64(env->pmss.pmsscr_el1, PMSSCR_EL1, SS);
}

/*
 * All counters stand still between start and finish, so what is saved is
 * their state at one instant.
 */
static void save_counters(CPUARMState *env)
{
    pmu_op_start(env);
    sync_hide_saved(env);
    memcpy(env->pmss.pmevcntsvr_el1, env->cp15.c14_pmevcntr,
           sizeof(uint64_t) * pmu_num_counters(env));
    env->pmss.pmccntsvr_el1 = env->cp15.c15_ccnt;
    env->pmss.pmicntsvr_el1 = env->pmss.pmicntr_el0;
    pmu_op_finish(env);
}

/* After the counters are saved: they do not see this event (RPLPCY). */
static void signal_pmu_snapshot(CPUARMState *env)
{
    pmu_op_start(env);
    env->pmss.snapshot_events++;
    pmu_op_finish(env);
    pmu_op_start(env);
    pmu_op_finish(env);
}

static void capture_event(CPUARMState *env)
{
    sync_hide(env, SYNC_PMSSCR);
    if (!capture_allowed(env)) {
        set_status(env, true, false);
        return;
    }
    save_counters(env);
    frame_pc_at_capture(env_archcpu(env));
    set_status(env, false, false);
    signal_pmu_snapshot(env);
}

static void complete_capture(CPUState *cs, run_on_cpu_data data)
{
    CPUARMState *env = cpu_env(cs);

    /* A reset may have ended the capture. */
    if (in_progress(env)) {
        capture_event(env);
    }
}

static void capture_timer_expired(void *opaque)
{
    async_run_on_cpu(opaque, complete_capture, RUN_ON_CPU_NULL);
}

static bool is_stuck(CPUARMState *env)
{
    const PMSSConfig *cfg = &env_archcpu(env)->pmss;

    return cfg->stuck ||
           (cfg->stuck_after && env->pmss.snapshot_events >= cfg->stuck_after);
}

static void request_capture(CPUARMState *env)
{
    PMSSConfig *cfg = &env_archcpu(env)->pmss;
    bool stuck = is_stuck(env);

    set_status(env, FIELD_EX64(env->pmss.pmsscr_el1, PMSSCR_EL1, NC), true);
    if (!stuck && !cfg->latency_ns) {
        capture_event(env);
    } else if (!stuck) {
        timer_mod(cfg->capture_timer,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + cfg->latency_ns);
    }
}

/*
 * SS ignores a write of 0, any write while Capture events are disabled
 * (RMFJWS), and here a second request before the first has completed. NC takes
 * what is written in any case: its field has no rule of access. (pmss-nc-ro: a PE
 * that read the page otherwise.)
 */
static void pmsscr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    if (!env_archcpu(env)->pmss.nc_ro) {
        set_status(env, FIELD_EX64(value, PMSSCR_EL1, NC), in_progress(env));
    }
    if (FIELD_EX64(value, PMSSCR_EL1, SS) && capture_enabled(env) &&
        !in_progress(env)) {
        request_capture(env);
    }
    /* pmss-lapse counts requests of the PE. */
    if (ri && FIELD_EX64(value, PMSSCR_EL1, SS) && capture_allowed(env)) {
        env_archcpu(env)->pmss.allowed_requests++;
    }
}

void pmss_pmsscr_write(CPUARMState *env, uint64_t value)
{
    pmsscr_write(env, NULL, value);
}

/* An external request writes only SS, and that indirectly (RSCLCQ). */
void pmss_request_capture(CPUARMState *env)
{
    sync_hide(env, SYNC_PMSSCR);
    pmsscr_write(env, NULL, env->pmss.pmsscr_el1 | R_PMSSCR_EL1_SS_MASK);
}

static void pmecr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    env->pmss.pmecr_el1 = value & R_PMECR_EL1_SSE_MASK;
}

static CPAccessResult access_pmss(CPUARMState *env, bool isread,
                                  unsigned fgt2_bit)
{
    uint64_t mdcr_el3 = pmscope_mdcr_el3(env);

    if (pmscope_fgt2_trap(env, isread, fgt2_bit)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (arm_current_el(env) < 3 &&
        !FIELD_EX64(mdcr_el3, PMSS_MDCR_EL3, EnPMSS)) {
        return pmscope_trap_el3(env);
    }
    return CP_ACCESS_OK;
}

static CPAccessResult access_pmsscr(CPUARMState *env, const ARMCPRegInfo *ri,
                                    bool isread)
{
    return access_pmss(env, isread, FGT2_PMSSCR);
}

static CPAccessResult access_pmssdata(CPUARMState *env,
                                      const ARMCPRegInfo *ri, bool isread)
{
    return access_pmss(env, isread, FGT2_PMSSDATA);
}

static CPAccessResult access_pmevcntsvr(CPUARMState *env,
                                        const ARMCPRegInfo *ri, bool isread)
{
    unsigned counter = ((ri->crm & 3) << 3) | ri->opc2;
    CPAccessResult res = pmss_access_counter(env, counter);

    return res == CP_ACCESS_OK ? access_pmssdata(env, ri, isread) : res;
}

static CPAccessResult access_pmecr(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    return pmss_access_pm2(env, isread, FGT2_PMECR);
}

#define REG(NAME, OP0, CRN, CRM, OP2, CHECK) \
    .name = NAME, .state = ARM_CP_STATE_AA64, .opc0 = OP0, .opc1 = 0, \
    .crn = CRN, .crm = CRM, .opc2 = OP2, .accessfn = CHECK

static const ARMCPRegInfo capture_reginfo[] = {
    { REG("PMSSCR_EL1", 3, 9, 13, 3, access_pmsscr), .access = PL1_RW,
      .type = ARM_CP_IO, .resetvalue = R_PMSSCR_EL1_NC_MASK,
      .fieldoffset = offsetof(CPUARMState, pmss.pmsscr_el1),
      .writefn = pmsscr_write, .raw_writefn = raw_write },
    { REG("PMECR_EL1", 3, 9, 14, 5, access_pmecr), .access = PL1_RW,
      .fieldoffset = offsetof(CPUARMState, pmss.pmecr_el1),
      .writefn = pmecr_write, .raw_writefn = raw_write },
    { REG("PMCCNTSVR_EL1", 2, 14, 11, 7, access_pmssdata), .access = PL1_R,
      .fieldoffset = offsetof(CPUARMState, pmss.pmccntsvr_el1) },
};

static const ARMCPRegInfo pmicntsvr_reginfo = {
    REG("PMICNTSVR_EL1", 2, 14, 12, 0, access_pmssdata), .access = PL1_R,
    .fieldoffset = offsetof(CPUARMState, pmss.pmicntsvr_el1),
};

static void define_pmevcntsvr(ARMCPU *cpu, unsigned counter)
{
    g_autofree char *name = g_strdup_printf("PMEVCNTSVR%u_EL1", counter);
    ARMCPRegInfo ri = {
        REG(name, 2, 14, 8 | (counter >> 3), counter & 7, access_pmevcntsvr),
        .access = PL1_R,
        .fieldoffset = offsetof(CPUARMState, pmss.pmevcntsvr_el1) +
                       counter * sizeof(uint64_t),
    };

    define_one_arm_cp_reg(cpu, &ri);
}

void pmss_define_capture_regs(ARMCPU *cpu)
{
    define_arm_cp_regs(cpu, capture_reginfo);
    for (unsigned i = 0; i < pmu_num_counters(&cpu->env); i++) {
        define_pmevcntsvr(cpu, i);
    }
    if (pmss_has_icntr(&cpu->env)) {
        define_one_arm_cp_reg(cpu, &pmicntsvr_reginfo);
    }
}

void pmss_init_capture(ARMCPU *cpu)
{
    cpu->pmss.capture_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL,
                                           capture_timer_expired, cpu);
    pmss_init_external(cpu);
}
