/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hooks in target/arm/cpu.c call.
 */
#ifndef TARGET_ARM_PMSCOPE_PMSCOPE_H
#define TARGET_ARM_PMSCOPE_PMSCOPE_H

/* At object creation, before the properties of -cpu are set. */
void pmscope_add_properties(ARMCPU *cpu);

/*
 * At realize, after QEMU cleared the ID fields it does not implement and
 * before it makes the list of system registers.
 */
bool pmscope_realize(ARMCPU *cpu, Error **errp);

#endif
