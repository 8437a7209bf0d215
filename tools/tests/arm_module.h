/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel module for arm64 with two functions that call others, behind what
 * the kernel makes room for: stubs, which are as many as the calls take, and a
 * trampoline.
 */
#ifndef PMSCOPE_TESTS_ARM_MODULE_H
#define PMSCOPE_TESTS_ARM_MODULE_H

#include "bytes.h"

/* The functions: they are one behind the other, and something before them. */
#define ARM_MODULE_FIRST  "first"
#define ARM_MODULE_SECOND "second"
#define ARM_MODULE_START  4
#define ARM_MODULE_SIZE	  0x40 /* of each */
#define ARM_MODULE_CODE	  (ARM_MODULE_START + 2 * ARM_MODULE_SIZE)

/* It calls two functions elsewhere, and jumps to one: three stubs, and a spare.
 */
#define ARM_MODULE_TEXT (12 * (3 + 1) + 12)

/* With @debug it is a debug file, which has no more of the code than names. */
void put_arm_module(struct bytes *b, int debug);

/*
 * All it has of relocations are calls. The kernel then leaves the last where it
 * is, and makes a stub for it that another call already has.
 */
#define ARM_MODULE_OF_CALLS_TEXT (ARM_MODULE_TEXT + 12)
void put_arm_module_of_calls(struct bytes *b);

#endif /* PMSCOPE_TESTS_ARM_MODULE_H */
