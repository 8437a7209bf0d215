/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The exception vectors of pmscope_guard_read(): x15 holds the kernel's own, x17
 * becomes 0 where the guarded instruction was UNDEFINED, x16 is free.
 */
#include <linux/linkage.h>

/* Not ours: as if the kernel's vectors had been there. */
	.macro	to_kernel, offset
	msr	vbar_el1, x15
	isb
	add	x16, x15, #\offset
	/* Not br, for which the kernel's vectors would need a landing pad. */
	ret	x16
	.endm

	.macro	entry, offset
	.balign	0x80
	to_kernel \offset
	.endm

	.text
	.balign	0x800
SYM_CODE_START(pmscope_guard_vectors)
	entry	0x000
	entry	0x080
	entry	0x100
	entry	0x180

	/* Synchronous, from this level with its own stack pointer */
	.balign	0x80
	mrs	x16, esr_el1
	lsr	x16, x16, #26		/* EC, 0 for an UNDEFINED instruction */
	cbnz	x16, 1f
	mrs	x16, elr_el1
	add	x16, x16, #4
	msr	elr_el1, x16
	mov	x17, #0
	eret
1:	to_kernel 0x200

	entry	0x280
	entry	0x300
	entry	0x380
	entry	0x400
	entry	0x480
	entry	0x500
	entry	0x580
	entry	0x600
	entry	0x680
	entry	0x700
	entry	0x780
SYM_CODE_END(pmscope_guard_vectors)
