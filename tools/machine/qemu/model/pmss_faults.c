/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that count wrongly, for tests of software that is to notice:
 * event-fault=EVENT:FAULT+EVENT:FAULT...
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "pmss.h"

/* Operations that a wrong guess makes and throws away. */
#define WRONG_PATH 6

static const char *const names[] = {
    [PMSS_SOUND] = "",
    [PMSS_DEAD] = "dead",
    [PMSS_DOUBLED] = "doubled",
    [PMSS_HALVED] = "halved",
    [PMSS_SPECULATIVE] = "speculative",
    [PMSS_UNFILTERED] = "unfiltered",
    [PMSS_SILENT] = "silent",
};

PMSSFault pmss_fault_of(CPUARMState *env, uint16_t event)
{
    const PMSSConfig *cfg = &env_archcpu(env)->pmss;

    for (unsigned i = 0; i < cfg->nr_faults; i++) {
        if (cfg->fault[i].event == event) {
            return cfg->fault[i].kind;
        }
    }
    return PMSS_SOUND;
}

uint64_t pmss_faulty_count(CPUARMState *env, uint16_t event, uint64_t count)
{
    switch (pmss_fault_of(env, event)) {
    case PMSS_DEAD:
        return 0;
    case PMSS_DOUBLED:
        return 2 * count;
    case PMSS_HALVED:
        return count / 2;
    case PMSS_SPECULATIVE:
        return count + WRONG_PATH * env->pmss.mispredicted;
    default:
        return count;
    }
}

/* A fault makes the event happen more often, at most so much. */
uint64_t pmss_faulty_remaining(CPUARMState *env, uint16_t event,
                               uint64_t count)
{
    switch (pmss_fault_of(env, event)) {
    case PMSS_DOUBLED:
        return count / 2 + 1;
    case PMSS_SPECULATIVE:
        return count / (WRONG_PATH + 1) + 1;
    default:
        return count;
    }
}

static bool parse_fault(ARMCPU *cpu, const char *text, Error **errp)
{
    PMSSConfig *cfg = &cpu->pmss;
    uint64_t event;
    const char *end;

    if (!qemu_strtou64(text, &end, 0, &event) && *end == ':' &&
        cfg->nr_faults < ARRAY_SIZE(cfg->fault)) {
        for (int kind = PMSS_DEAD; kind < ARRAY_SIZE(names); kind++) {
            if (strcmp(end + 1, names[kind]) == 0) {
                if (event != PMSS_EVENT_INST_RETIRED &&
                    event != PMSS_EVENT_CPU_CYCLES &&
                    !pmss_event_supported(&cpu->env, event)) {
                    error_setg(errp, "event-fault=%s: the CPU has no event "
                               "0x%" PRIx64, text, event);
                    return false;
                }
                cfg->fault[cfg->nr_faults].event = event;
                cfg->fault[cfg->nr_faults++].kind = kind;
                return true;
            }
        }
    }
    error_setg(errp, "event-fault=%s: up to %zu of EVENT:FAULT, with + between, "
               "are needed; faults are dead, doubled, halved, speculative, "
               "unfiltered, silent", text, ARRAY_SIZE(cfg->fault));
    return false;
}

bool pmss_realize_faults(ARMCPU *cpu, Error **errp)
{
    g_auto(GStrv) faults = g_strsplit(cpu->pmss.event_fault ?: "", "+", 0);

    for (char **fault = faults; *fault; fault++) {
        if (!parse_fault(cpu, *fault, errp)) {
            return false;
        }
    }
    return true;
}
