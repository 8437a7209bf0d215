/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TARGET_ARM_PMSCOPE_KINDS_STATE_H
#define TARGET_ARM_PMSCOPE_KINDS_STATE_H

/* In ARMCPU: the property, equal on all CPUs, and what it says of this one. */
typedef struct KindConfig {
    char *second;
    bool is_second;
} KindConfig;

#endif
