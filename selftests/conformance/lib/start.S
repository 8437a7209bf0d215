/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry at the highest Exception level, exception vectors of all levels, and
 * the way down to a lower level and back.
 */
#define STACK_SIZE	0x4000
#define FRAME_SIZE	0x100
#define EXIT_CALL	0x7e57

	.section .text.start, "ax"
	.globl	start
start:
	msr	daifset, #0xf
	adrp	x0, stacks
	add	x0, x0, :lo12:stacks
	mrs	x1, CurrentEL
	lsr	x1, x1, #2
	add	x1, x1, #1
	mov	x2, #STACK_SIZE
	madd	x0, x1, x2, x0
	mov	sp, x0

	adrp	x0, bss_begin
	add	x0, x0, :lo12:bss_begin
	adrp	x1, bss_end
	add	x1, x1, :lo12:bss_end
1:	cmp	x0, x1
	b.hs	2f
	stp	xzr, xzr, [x0], #16
	b	1b
2:	bl	conf_main
3:	wfi
	b	3b

	/* Those of the caller, for run_at_done to restore. */
	.macro	save_registers
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	.endm

	.text
	/* u64 run_below(unsigned el, u64 (*fn)(u64), u64 arg) */
	.globl	run_below
run_below:
	save_registers
	mov	x19, x1
	mov	x20, x2
	mov	x22, x0

	/* The stack of the target level grows down from its upper end. */
	adrp	x3, stacks
	add	x3, x3, :lo12:stacks
	add	x4, x0, #1
	mov	x5, #STACK_SIZE
	madd	x3, x4, x5, x3
	mrs	x6, CurrentEL
	cmp	x0, #1
	b.lo	1f
	b.hi	2f
	msr	sp_el1, x3
	b	3f
1:	msr	sp_el0, x3
	b	3f
2:	msr	sp_el2, x3
3:
	/* SPSR: the target level with its own stack, DAIF masked. */
	lsl	x7, x0, #2
	cmp	x0, #0
	cset	x8, ne
	orr	x7, x7, x8
	orr	x7, x7, #0x3c0
	adr	x8, in_lower_level
	lsr	x21, x6, #2
	cmp	x21, #2
	b.hi	5f
	b.eq	4f
	msr	spsr_el1, x7
	msr	elr_el1, x8
	b	6f
4:	msr	spsr_el2, x7
	msr	elr_el2, x8
	b	6f
5:	msr	spsr_el3, x7
	msr	elr_el3, x8
6:	isb
	eret

in_lower_level:
	mov	x0, x20
	blr	x19
	cbz	x22, 3f
	cmp	x21, #2
	b.hi	2f
	b.eq	1f
3:	svc	#EXIT_CALL
1:	hvc	#EXIT_CALL
2:	smc	#EXIT_CALL

	/* u64 run_at_aarch32(const u32 *code, u64 arg): EL0 below this EL1 */
	.globl	run_at_aarch32
run_at_aarch32:
	save_registers
	/* SPSR: A32, User mode, AIF masked. */
	mov	x7, #0x1d0
	msr	spsr_el1, x7
	msr	elr_el1, x0
	mov	x0, x1
	isb
	eret

	/* u64 run_below_aarch32(const u32 *code, u64 arg, u64 spsr): from EL3 */
	.globl	run_below_aarch32
run_below_aarch32:
	save_registers
	msr	spsr_el3, x2
	msr	elr_el3, x0
	mov	x0, x1
	isb
	eret

	/* int suspend(u64 function, u64 state, bool hvc): the stack is kept */
	.globl	suspend
suspend:
	save_registers
	mov	x4, x2
	adr	x2, 2f
	mov	x3, sp
	cbz	x4, 1f
	hvc	#0
	b	run_at_done
1:	smc	#0
	b	run_at_done
2:	mov	sp, x0
	mov	x0, #0
	b	run_at_done

	/* The exit call comes back here, on the caller's level and stack. */
	.globl	run_at_done
run_at_done:
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	ret

	.macro	vector index
	.balign	0x80
	sub	sp, sp, #FRAME_SIZE
	stp	x0, x1, [sp]
	mov	x0, #\index
	b	save_frame
	.endm

	.balign	0x800
	.globl	vectors
vectors:
	.irp	index, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vector	\index
	.endr

save_frame:
	stp	x2, x3, [sp, #0x10]
	stp	x4, x5, [sp, #0x20]
	stp	x6, x7, [sp, #0x30]
	stp	x8, x9, [sp, #0x40]
	stp	x10, x11, [sp, #0x50]
	stp	x12, x13, [sp, #0x60]
	stp	x14, x15, [sp, #0x70]
	stp	x16, x17, [sp, #0x80]
	stp	x18, x19, [sp, #0x90]
	stp	x20, x21, [sp, #0xa0]
	stp	x22, x23, [sp, #0xb0]
	stp	x24, x25, [sp, #0xc0]
	stp	x26, x27, [sp, #0xd0]
	stp	x28, x29, [sp, #0xe0]
	str	x30, [sp, #0xf0]
	mov	x1, sp
	bl	exception_taken
	ldp	x2, x3, [sp, #0x10]
	ldp	x4, x5, [sp, #0x20]
	ldp	x6, x7, [sp, #0x30]
	ldp	x8, x9, [sp, #0x40]
	ldp	x10, x11, [sp, #0x50]
	ldp	x12, x13, [sp, #0x60]
	ldp	x14, x15, [sp, #0x70]
	ldp	x16, x17, [sp, #0x80]
	ldp	x18, x19, [sp, #0x90]
	ldp	x20, x21, [sp, #0xa0]
	ldp	x22, x23, [sp, #0xb0]
	ldp	x24, x25, [sp, #0xc0]
	ldp	x26, x27, [sp, #0xd0]
	ldp	x28, x29, [sp, #0xe0]
	ldr	x30, [sp, #0xf0]
	ldp	x0, x1, [sp]
	add	sp, sp, #FRAME_SIZE
	eret

	.bss
	.balign	16
	.globl	stacks
stacks:
	.space	4 * STACK_SIZE
