/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a register that may be UNDEFINED on this CPU.
 *
 * The kernel's exception table handles only memory faults: an Undefined
 * Instruction exception in the kernel ends in die(), and a die notifier cannot
 * avoid the taint, kdump, or panic_on_oops. So the MRS runs with our own
 * exception vectors (guard_vectors.S), and with all interrupts masked.
 *
 * This survives an UNDEF, even one injected by EL3, but not EL3 firmware that
 * stops the machine at a trap
 * (Documentation/reference/firmware.rst).
 */
#ifndef PMSCOPE_GUARD_H
#define PMSCOPE_GUARD_H

#include <linux/types.h>
#include <asm/sysreg.h>

extern const char pmscope_guard_vectors[];

/**
 * pmscope_guard_read() - read a system register, if it is not UNDEFINED
 * @reg: its encoding, a constant (SYS_PMSSCR_EL1)
 * @val: a u64, unchanged on failure
 *
 * Any context; the exception vectors in guard_vectors.S rely on x14 to x17.
 *
 * Return: bool, false if the access is UNDEFINED
 */
#define pmscope_guard_read(reg, val)					\
({									\
	u64 _val = 0;							\
	unsigned long _done;						\
									\
	asm volatile("mrs	x14, daif\n"				\
		     "msr	daifset, #15\n"				\
		     "mrs	x15, vbar_el1\n"			\
		     "msr	vbar_el1, %[vectors]\n"			\
		     "isb\n"						\
		     "mov	x17, #1\n"				\
		     __mrs_s("%x[read]", reg)				\
		     "msr	vbar_el1, x15\n"			\
		     "isb\n"						\
		     "msr	daif, x14\n"				\
		     "mov	%x[done], x17\n"			\
		     : [read] "+&r" (_val), [done] "=r" (_done)		\
		     : [vectors] "r" (pmscope_guard_vectors)		\
		     : "x14", "x15", "x16", "x17", "memory");		\
	if (_done)							\
		(val) = _val;						\
	_done != 0;							\
})

#endif /* PMSCOPE_GUARD_H */
