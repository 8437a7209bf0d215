/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few kernel macros and functions that the tested code of the module uses.
 */
#ifndef PMSCOPE_TESTS_WORDS_H
#define PMSCOPE_TESTS_WORDS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef unsigned long u64;

#define U64_MAX			(~0UL)
#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define SZ_16			0x10
#define SZ_2K			0x800

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1UL << (n))
#define GENMASK_ULL(h, l)	((~0UL >> (63 - (h))) & (~0UL << (l)))
#define FIELD_GET(mask, reg)	(((reg) & (mask)) >> __builtin_ctzl(mask))
#define FIELD_PREP(mask, val)	(((u64)(val) << __builtin_ctzl(mask)) & (mask))

#define fallthrough		__attribute__((fallthrough))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define min(a, b)		({ typeof(a) _a = (a), _b = (b); _a < _b ? _a : _b; })
#define max(a, b)		({ typeof(a) _a = (a), _b = (b); _a > _b ? _a : _b; })
#define round_down(x, y)	((x) & -(u64)(y))
#define round_up(x, y)		({ u64 _y = (y); round_down((x) + _y - 1, _y); })

#define scnprintf		snprintf
#define dev_info(dev, ...)	((void)(dev), (void)sizeof(printf(__VA_ARGS__)))
#define dev_warn		dev_info

/* Uses the C library's allocator; pages are contiguous. */
#define GFP_KERNEL		0
#define VM_MAP			0
#define PAGE_KERNEL		0
#define kvmalloc_array(n, size, flags)	((void)(flags), calloc(n, size))
#define kzalloc_node(size, flags, node)					\
	((void)(flags), (void)(node), calloc(1, size))
#define kvfree			free
#define kfree			free
#define virt_to_page(addr)	((struct page *)(addr))
#define virt_to_phys(addr)	((u64)(addr))
#define vmap(pages, nr, flags, prot)					\
	((void)(nr), (void)(flags), (void)(prot), (void *)*(pages))
#define vunmap(addr)		((void)(addr))

/* A test pretends to run on one of these CPUs. */
#define MIDR_NEOVERSE_N1	0x410fd0c0
#define MIDR_CPU_VAR_REV(var, rev)	((var) << 20 | (rev))
#define midr_is_cpu_model_range(midr, model, first, last)		\
	(((midr) & ~0xf0000fU) == (model) &&				\
	 ((midr) & 0xf0000fU) >= (unsigned int)(first) &&		\
	 ((midr) & 0xf0000fU) <= (unsigned int)(last))

u32 read_cpuid_id(void);

/* System registers: tests provide the values. */
#define sys_reg(op0, op1, crn, crm, op2)				\
	((op0) << 19 | (op1) << 16 | (crn) << 12 | (crm) << 8 | (op2) << 5)
#define SYS_ID_AA64DFR0_EL1	sys_reg(3, 0, 0, 5, 0)
#define SYS_ID_AA64DFR1_EL1	sys_reg(3, 0, 0, 5, 1)
#define SYS_ID_AA64DFR2_EL1	sys_reg(3, 0, 0, 5, 2)
#define SYS_PMBIDR_EL1		sys_reg(3, 0, 9, 10, 7)
#define SYS_PMSIDR_EL1		sys_reg(3, 0, 9, 9, 7)
#define SYS_PMSEVFR_EL1		sys_reg(3, 0, 9, 9, 5)

u64 read_sysreg_s(u32 reg);
void write_sysreg_s(u64 value, u32 reg);

#endif /* PMSCOPE_TESTS_WORDS_H */
