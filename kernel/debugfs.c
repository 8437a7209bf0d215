// SPDX-License-Identifier: GPL-2.0-only
/*
 * <debugfs>/pmscope/regs: `cpu<n> <register> <value>`, a line for each register
 * that the CPU has and that does not trap.
 */
#include "access.h"
#include "counter.h"
#include "cpu.h"
#include "debugfs.h"
#include "guard.h"
#include "spe/caps.h"
#include "sysreg.h"

#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/virt.h>

#define REG_NAME_MAX 32

/* One register as read on a CPU */
struct reg {
	char name[REG_NAME_MAX];
	u64 val;
};

/* Enough for 31 counters with type, count and snapshot, and all others */
#define REGS_MAX 192

/**
 * struct regs_dump - the registers of one CPU
 * @nr: number of used entries in @reg
 * @reg: the registers
 */
struct regs_dump {
	unsigned int nr;
	struct reg reg[REGS_MAX];
};

static struct dentry *regs_dir;

static void regs_add(struct regs_dump *dump, const char *name, u64 val)
{
	struct reg *reg = &dump->reg[dump->nr];

	if (WARN_ON_ONCE(dump->nr == REGS_MAX))
		return;
	strscpy(reg->name, name, sizeof(reg->name));
	reg->val = val;
	dump->nr++;
}

/* @format has the counter's number for a %u */
static void regs_add_of_counter(struct regs_dump *dump,
				const char *format, unsigned int n, u64 val)
{
	char name[REG_NAME_MAX];

	snprintf(name, sizeof(name), format, n);
	regs_add(dump, name, val);
}

static void regs_dump_id(struct regs_dump *dump,
			 const struct pmscope_cpu_caps *caps)
{
	regs_add(dump, "ID_AA64DFR0_EL1", caps->dfr0);
	regs_add(dump, "ID_AA64DFR1_EL1", caps->dfr1);
	regs_add(dump, "ID_AA64DFR2_EL1", caps->dfr2);
	if (is_kernel_in_hyp_mode())
		regs_add(dump, "MDCR_EL2", read_sysreg(mdcr_el2));
}

static void regs_dump_counters(struct regs_dump *dump,
			       const struct pmscope_cpu_caps *caps)
{
	unsigned int n;

	regs_add(dump, "PMCR_EL0", read_sysreg(pmcr_el0));
	regs_add(dump, "PMCNTENSET_EL0", read_sysreg(pmcntenset_el0));
	regs_add(dump, "PMINTENSET_EL1", read_sysreg(pmintenset_el1));
	regs_add(dump, "PMOVSSET_EL0", read_sysreg(pmovsset_el0));
	regs_add(dump, "PMUSERENR_EL0", read_sysreg(pmuserenr_el0));
	if (caps->features & PMSCOPE_FEAT_PMUV3P4)
		regs_add(dump, "PMMIR_EL1", caps->pmmir);
	regs_add(dump, "PMCCFILTR_EL0",
		 pmscope_counter_type(PMSCOPE_CYCLE_COUNTER));
	regs_add(dump, "PMCCNTR_EL0",
		 pmscope_counter_count(PMSCOPE_CYCLE_COUNTER));
	for (n = 0; n < caps->nr_counters; n++) {
		regs_add_of_counter(dump, "PMEVTYPER%u_EL0", n,
				    pmscope_counter_type(n));
		regs_add_of_counter(dump, "PMEVCNTR%u_EL0", n,
				    pmscope_counter_count(n));
	}
}

static void regs_dump_pm2(struct regs_dump *dump,
			  const struct pmscope_cpu_caps *caps)
{
	if (caps->features & (PMSCOPE_FEAT_SS | PMSCOPE_FEAT_EBEP))
		regs_add(dump, "PMECR_EL1", read_sysreg_s(SYS_PMECR_EL1));
	if (caps->features & PMSCOPE_FEAT_PMUV3P9)
		regs_add(dump, "PMUACR_EL1", read_sysreg_s(SYS_PMUACR_EL1));
	if (!(caps->features & PMSCOPE_FEAT_ICNTR))
		return;
	regs_add(dump, "PMICFILTR_EL0",
		 pmscope_counter_type(PMSCOPE_INSTR_COUNTER));
	regs_add(dump, "PMICNTR_EL0",
		 pmscope_counter_count(PMSCOPE_INSTR_COUNTER));
}

static void regs_dump_snapshot(struct regs_dump *dump,
			       const struct pmscope_cpu_caps *caps)
{
	unsigned int n;

	regs_add(dump, "PMSSCR_EL1", read_sysreg_s(SYS_PMSSCR_EL1));
	regs_add(dump, "PMCCNTSVR_EL1",
		 pmscope_counter_svr(PMSCOPE_CYCLE_COUNTER));
	if (caps->features & PMSCOPE_FEAT_ICNTR)
		regs_add(dump, "PMICNTSVR_EL1",
			 pmscope_counter_svr(PMSCOPE_INSTR_COUNTER));
	for (n = 0; n < caps->nr_counters; n++)
		regs_add_of_counter(dump, "PMEVCNTSVR%u_EL1", n,
				    pmscope_counter_svr(n));
}

#define DUMP(dump, reg) \
	regs_add(dump, #reg, read_sysreg_s(SYS_##reg))

#define DUMP_GUARDED(dump, reg)						\
do {									\
	u64 val;							\
									\
	if (pmscope_guard_read(SYS_##reg, val))				\
		regs_add(dump, #reg, val);			\
} while (0)

static void regs_dump_spe_guarded(struct regs_dump *dump,
				  const struct spe_caps *caps)
{
	if (caps->features & SPE_FEAT_FILT_INV_EVENT &&
	    pmscope_access_may_dump(PMSCOPE_PMSNEVFR))
		DUMP_GUARDED(dump, PMSNEVFR_EL1);
	if (caps->features & SPE_FEAT_FILT_SOURCE &&
	    pmscope_access_may_dump(PMSCOPE_PMSDSFR))
		DUMP_GUARDED(dump, PMSDSFR_EL1);
	if (caps->features & SPE_FEAT_PHYSICAL &&
	    pmscope_access_may_dump(PMSCOPE_PMBMAR))
		DUMP_GUARDED(dump, PMBMAR_EL1);
}

/* Without those that are not there or belong to a higher Exception level */
static void regs_dump_spe(struct regs_dump *dump)
{
	struct spe_caps caps = { };
	int ret = spe_caps_identify(&caps);

	if (ret == -ENODEV)
		return;
	regs_add(dump, "PMBIDR_EL1", caps.pmbidr);
	/* -EINVAL concerns sizes, which the dump does not use. */
	if (ret && ret != -EINVAL)
		return;

	regs_add(dump, "PMSIDR_EL1", caps.pmsidr);
	/* In a VHE kernel the name PMSCR_EL1 reaches PMSCR_EL2. */
	if (is_kernel_in_hyp_mode()) {
		regs_add(dump, "PMSCR_EL2", read_sysreg_s(SYS_PMSCR_EL1));
		DUMP(dump, PMSCR_EL12);
	} else {
		DUMP(dump, PMSCR_EL1);
	}
	DUMP(dump, PMSICR_EL1);
	DUMP(dump, PMSIRR_EL1);
	DUMP(dump, PMSFCR_EL1);
	DUMP(dump, PMSEVFR_EL1);
	DUMP(dump, PMSLATFR_EL1);
	/* The pointer and the status are those of all samples so far. */
	psb_csync();
	dsb(nsh);
	isb();
	DUMP(dump, PMBLIMITR_EL1);
	DUMP(dump, PMBPTR_EL1);
	DUMP(dump, PMBSR_EL1);
	regs_dump_spe_guarded(dump, &caps);
}

/* On the CPU, by IPI */
static void regs_dump_cpu(void *info)
{
	struct regs_dump *dump = info;
	const struct pmscope_cpu_caps *caps = pmscope_caps(smp_processor_id());

	regs_dump_id(dump, caps);
	if (caps->features & PMSCOPE_FEAT_PMUV3)
		regs_dump_counters(dump, caps);
	if (pmscope_access_may_dump(PMSCOPE_PMECR))
		regs_dump_pm2(dump, caps);
	if (pmscope_access_may_dump(PMSCOPE_PMSSCR))
		regs_dump_snapshot(dump, caps);
	regs_dump_spe(dump);
}

static int regs_show(struct seq_file *s, void *unused)
{
	struct regs_dump *dump;
	unsigned int i;
	int cpu;

	dump = kmalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		dump->nr = 0;
		if (smp_call_function_single(cpu, regs_dump_cpu, dump, 1))
			continue;
		for (i = 0; i < dump->nr; i++)
			seq_printf(s, "cpu%d %s 0x%llx\n", cpu,
				   dump->reg[i].name, dump->reg[i].val);
	}
	kfree(dump);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(regs);

/**
 * pmscope_regs_init() - make <debugfs>/pmscope/regs
 *
 * Context: process, in module init.
 */
void pmscope_regs_init(void)
{
	regs_dir = debugfs_create_dir("pmscope", NULL);
	debugfs_create_file("regs", 0400, regs_dir, NULL, &regs_fops);
}

/**
 * pmscope_regs_exit() - remove it
 *
 * Context: process; nobody reads it when this returns.
 */
void pmscope_regs_exit(void)
{
	debugfs_remove_recursive(regs_dir);
}
