/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The external agent that requests captures (RSCLCQ): at every so many
 * nanoseconds, at random instants, at one instant, or when something outside
 * the machine sets the property pmss-request of the CPU to true, as
 *
 *   {"execute": "qom-set", "arguments": {
 *    "path": "/machine/unattached/device[0]",
 *    "property": "pmss-request", "value": true}}
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/timer.h"
#include "hw/core/cpu.h"
#include "pmss.h"
#include "power.h"

/* An external request writes 1 to SS, indirectly, while there is power. */
static void external_request(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);

    if (power_is_on(cpu)) {
        pmss_request_capture(&cpu->env);
    }
}

static void request(ARMCPU *cpu)
{
    async_run_on_cpu(CPU(cpu), external_request, RUN_ON_CPU_NULL);
}

static uint64_t xorshift(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void arm_external_timer(PMSSConfig *cfg)
{
    uint64_t delay = cfg->external_ns;

    if (cfg->external_seed) {
        delay = 1 + xorshift(&cfg->random) % (2 * cfg->external_ns);
    }
    timer_mod(cfg->external_timer,
              qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + delay);
}

static void external_timer_expired(void *opaque)
{
    request(opaque);
    arm_external_timer(&ARM_CPU(opaque)->pmss);
}

static void external_at_timer_expired(void *opaque)
{
    request(opaque);
}

static void init_random(ARMCPU *cpu)
{
    PMSSConfig *cfg = &cpu->pmss;

    /* Each CPU has its own sequence; xorshift cannot leave 0. */
    cfg->random = cfg->external_seed * 2654435761u + CPU(cpu)->cpu_index;
    cfg->random |= 1ULL << 63;
}

void pmss_init_external(ARMCPU *cpu)
{
    PMSSConfig *cfg = &cpu->pmss;

    cfg->external_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL,
                                       external_timer_expired, cpu);
    cfg->external_at_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL,
                                          external_at_timer_expired, cpu);
    init_random(cpu);
    if (cfg->external_ns) {
        arm_external_timer(cfg);
    }
    if (cfg->external_at) {
        timer_mod(cfg->external_at_timer,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + cfg->external_at);
    }
}

static bool get_request(Object *obj, Error **errp)
{
    return false;
}

static void set_request(Object *obj, bool value, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);

    if (!DEVICE(obj)->realized || !cpu->pmss.enabled) {
        error_setg(errp, "pmss-request is for a running machine with pmss=on");
    } else if (value) {
        request(cpu);
    }
}

void pmss_add_request_property(ARMCPU *cpu)
{
    object_property_add_bool(OBJECT(cpu), "pmss-request", get_request,
                             set_request);
    object_property_set_description(OBJECT(cpu), "pmss-request",
        "set by qom-set while the machine runs: an external agent requests "
        "one capture");
}
