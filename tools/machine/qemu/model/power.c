/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu-common.h"
#include "exec/exec-all.h"
#include "internals.h"
#include "migration/vmstate.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "system/device_tree.h"
#include "system/runstate.h"
#include "pmscope.h"
#include "power.h"

/* StateType of power_state in its original format. */
#define POWER_STATE_POWERDOWN (1 << 16)

static const PMScopeProperty power_properties[] = {
    { DEFINE_PROP_BOOL("idle-state", ARMCPU, power.idle_state, false),
      "firmware offers an idle state in which the CPU loses all its registers" },
};

void power_add_properties(ARMCPU *cpu)
{
    pmscope_add_property_list(cpu, power_properties,
                              ARRAY_SIZE(power_properties));
}

void power_reset(ARMCPU *cpu)
{
    cpu->power.phase = POWER_UP;
}

static uint32_t add_state(void *fdt)
{
    const char *list = "/cpus/idle-states";
    const char *state = "/cpus/idle-states/powerdown";
    uint32_t phandle = qemu_fdt_alloc_phandle(fdt);

    qemu_fdt_add_subnode(fdt, list);
    qemu_fdt_setprop_string(fdt, list, "entry-method", "psci");
    qemu_fdt_add_subnode(fdt, state);
    qemu_fdt_setprop_string(fdt, state, "compatible", "arm,idle-state");
    qemu_fdt_setprop_cell(fdt, state, "arm,psci-suspend-param",
                          POWER_STATE_POWERDOWN);
    qemu_fdt_setprop_cell(fdt, state, "entry-latency-us", 20);
    qemu_fdt_setprop_cell(fdt, state, "exit-latency-us", 30);
    qemu_fdt_setprop_cell(fdt, state, "min-residency-us", 100);
    qemu_fdt_setprop_cell(fdt, state, "phandle", phandle);
    return phandle;
}

static bool has_idle_state(unsigned cpu)
{
    return ARM_CPU(qemu_get_cpu(cpu))->power.idle_state;
}

void power_add_idle_state(void *fdt, unsigned cpus, bool gicv3)
{
    uint32_t phandle = 0;

    for (unsigned i = 0; i < cpus; i++) {
        g_autofree char *node = g_strdup_printf("/cpus/cpu@%u", i);

        if (!has_idle_state(i)) {
            continue;
        }
        if (!gicv3) {
            error_report("idle-state=on needs gic-version=3: what wakes the "
                         "CPU is its Redistributor");
            exit(1);
        }
        phandle = phandle ?: add_state(fdt);
        qemu_fdt_setprop_cell(fdt, node, "cpu-idle-states", phandle);
        /* QEMU says so for several CPUs only. */
        qemu_fdt_setprop_string(fdt, node, "enable-method", "psci");
    }
}

static void recalculate_timers(ARMCPU *cpu)
{
    arm_gt_ptimer_cb(cpu);
    arm_gt_vtimer_cb(cpu);
    arm_gt_htimer_cb(cpu);
    arm_gt_stimer_cb(cpu);
    arm_gt_hvtimer_cb(cpu);
}

/* A Cold reset of all but the Generic Timer. */
static void lose_context(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    ARMGenericTimer timer[NUM_GTIMERS];

    memcpy(timer, env->cp15.c14_timer, sizeof(timer));
    cpu_reset(CPU(cpu));
    memcpy(env->cp15.c14_timer, timer, sizeof(timer));
    recalculate_timers(cpu);
}

/* PSCI goes on at the highest Non-secure Exception level, as CPU_ON does. */
static void power_up(CPUState *cs, run_on_cpu_data unused)
{
    ARMCPU *cpu = ARM_CPU(cs);
    CPUARMState *env = &cpu->env;

    if (cpu->power.phase != POWER_WAKING) {
        return;
    }
    lose_context(cpu);
    arm_emulate_firmware_reset(cs, arm_feature(env, ARM_FEATURE_EL2) ? 2 : 1);
    env->xregs[0] = cpu->power.context;
    arm_rebuild_hflags(env);
    cpu_set_pc(cs, cpu->power.entry);
    cs->halted = 0;
    cpu->power_state = PSCI_ON;
}

void power_wake_request(ARMCPU *cpu, bool pending)
{
    cpu->power.wake_request = pending;
    if (pending && cpu->power.phase == POWER_DOWN) {
        cpu->power.phase = POWER_WAKING;
        async_run_on_cpu(CPU(cpu), power_up, RUN_ON_CPU_NULL);
    }
}

bool power_suspend(ARMCPU *cpu, const uint64_t param[4])
{
    CPUState *cs = CPU(cpu);

    if (!cpu->power.idle_state || !(param[1] & POWER_STATE_POWERDOWN) ||
        !is_a64(&cpu->env)) {
        return false;
    }
    cpu->power.entry = param[2];
    cpu->power.context = param[3];
    cpu->power.phase = POWER_DOWN;
    power_wake_request(cpu, cpu->power.wake_request);

    cs->halted = 1;
    cs->exception_index = EXCP_HLT;
    cpu_loop_exit(cs);
}

/* Nothing may happen to the CPU while its state is loaded. */
static int power_post_load(void *opaque, int version_id)
{
    ARMCPU *cpu = opaque;

    if (cpu->power.phase == POWER_WAKING) {
        cpu->power.phase = POWER_DOWN;
    }
    return 0;
}

static void vm_state_changed(void *opaque, bool running, RunState state)
{
    ARMCPU *cpu = opaque;

    if (running) {
        power_wake_request(cpu, cpu->power.wake_request);
    }
}

static const VMStateDescription vmstate_power = {
    .name = "cpu/power",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = power_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(power.phase, ARMCPU),
        VMSTATE_BOOL(power.wake_request, ARMCPU),
        VMSTATE_UINT64(power.entry, ARMCPU),
        VMSTATE_UINT64(power.context, ARMCPU),
        VMSTATE_END_OF_LIST()
    }
};

bool power_realize(ARMCPU *cpu, Error **errp)
{
    if (cpu->power.idle_state) {
        qemu_add_vm_change_state_handler(vm_state_changed, cpu);
        vmstate_register(NULL, CPU(cpu)->cpu_index, &vmstate_power, cpu);
    }
    return pmscope_check(errp, !cpu->power.idle_state ||
                         !arm_feature(&cpu->env, ARM_FEATURE_EL3),
                         "idle-state=on cannot be combined with firmware "
                         "in the guest (EL3)");
}
