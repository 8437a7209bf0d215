/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the hooks in target/arm/cpu.c call. */
#pragma once

#include "cpu.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"

/* A property of the CPU; the meaning and range are for --cpu help. */
typedef struct PMScopeProperty {
    Property property;
    const char *meaning;
} PMScopeProperty;

void pmscope_add_property_list(ARMCPU *cpu, const PMScopeProperty *list,
                               unsigned count);

/* Properties are refused, with the reason, unless @condition holds. */
#define pmscope_check(errp, condition, ...) \
    ((condition) || (error_setg(errp, __VA_ARGS__), false))

/* At object creation, before the properties of -cpu are set. */
void pmscope_add_properties(ARMCPU *cpu);

/*
 * At realize, after QEMU cleared the ID fields it does not implement and
 * before it makes the list of system registers.
 */
bool pmscope_realize(ARMCPU *cpu, Error **errp);

/* At the end of a CPU reset. */
void pmscope_reset(ARMCPU *cpu);
