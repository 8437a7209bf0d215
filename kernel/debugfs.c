// SPDX-License-Identifier: GPL-2.0-only
/*
 * <debugfs>/pmscope/regs: `cpu<n> <register> <value>`, a line for each register
 * that the CPU has and that does not trap.
 */
#include "access.h"
#include "counter.h"
#include "cpu.h"
#include "debugfs.h"
#include "sysreg.h"

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/virt.h>

static struct dentry *regs_dir;
static pmscope_regs_fn regs_dump_more;

/**
 * pmscope_regs_add() - add a register to a dump
 * @dump: the dump of this CPU
 * @name: Arm ARM name
 * @val: its value
 *
 * Context: any.
 */
void pmscope_regs_add(struct pmscope_reg_dump *dump, const char *name, u64 val)
{
	struct pmscope_reg *reg = &dump->reg[dump->nr];

	if (WARN_ON_ONCE(dump->nr == PMSCOPE_REGS_MAX))
		return;
	strscpy(reg->name, name, sizeof(reg->name));
	reg->val = val;
	dump->nr++;
}

/* @format has the counter's number for a %u */
static void regs_add_of_counter(struct pmscope_reg_dump *dump,
				const char *format, unsigned int n, u64 val)
{
	char name[PMSCOPE_REG_NAME_MAX];

	snprintf(name, sizeof(name), format, n);
	pmscope_regs_add(dump, name, val);
}

static void regs_dump_id(struct pmscope_reg_dump *dump,
			 const struct pmscope_cpu_caps *caps)
{
	pmscope_regs_add(dump, "ID_AA64DFR0_EL1", caps->dfr0);
	pmscope_regs_add(dump, "ID_AA64DFR1_EL1", caps->dfr1);
	pmscope_regs_add(dump, "ID_AA64DFR2_EL1", caps->dfr2);
	if (is_kernel_in_hyp_mode())
		pmscope_regs_add(dump, "MDCR_EL2", read_sysreg(mdcr_el2));
}

static void regs_dump_counters(struct pmscope_reg_dump *dump,
			       const struct pmscope_cpu_caps *caps)
{
	unsigned int n;

	pmscope_regs_add(dump, "PMCR_EL0", read_sysreg(pmcr_el0));
	pmscope_regs_add(dump, "PMCNTENSET_EL0", read_sysreg(pmcntenset_el0));
	pmscope_regs_add(dump, "PMINTENSET_EL1", read_sysreg(pmintenset_el1));
	pmscope_regs_add(dump, "PMOVSSET_EL0", read_sysreg(pmovsset_el0));
	pmscope_regs_add(dump, "PMUSERENR_EL0", read_sysreg(pmuserenr_el0));
	if (caps->features & PMSCOPE_FEAT_PMUV3P4)
		pmscope_regs_add(dump, "PMMIR_EL1", caps->pmmir);
	pmscope_regs_add(dump, "PMCCFILTR_EL0",
			 pmscope_counter_type(PMSCOPE_CYCLE_COUNTER));
	pmscope_regs_add(dump, "PMCCNTR_EL0",
			 pmscope_counter_count(PMSCOPE_CYCLE_COUNTER));
	for (n = 0; n < caps->nr_counters; n++) {
		regs_add_of_counter(dump, "PMEVTYPER%u_EL0", n,
				    pmscope_counter_type(n));
		regs_add_of_counter(dump, "PMEVCNTR%u_EL0", n,
				    pmscope_counter_count(n));
	}
}

static void regs_dump_pm2(struct pmscope_reg_dump *dump,
			  const struct pmscope_cpu_caps *caps)
{
	if (caps->features & (PMSCOPE_FEAT_SS | PMSCOPE_FEAT_EBEP))
		pmscope_regs_add(dump, "PMECR_EL1",
				 read_sysreg_s(SYS_PMECR_EL1));
	if (caps->features & PMSCOPE_FEAT_PMUV3P9)
		pmscope_regs_add(dump, "PMUACR_EL1",
				 read_sysreg_s(SYS_PMUACR_EL1));
	if (!(caps->features & PMSCOPE_FEAT_ICNTR))
		return;
	pmscope_regs_add(dump, "PMICFILTR_EL0",
			 pmscope_counter_type(PMSCOPE_INSTR_COUNTER));
	pmscope_regs_add(dump, "PMICNTR_EL0",
			 pmscope_counter_count(PMSCOPE_INSTR_COUNTER));
}

static void regs_dump_snapshot(struct pmscope_reg_dump *dump,
			       const struct pmscope_cpu_caps *caps)
{
	unsigned int n;

	pmscope_regs_add(dump, "PMSSCR_EL1", read_sysreg_s(SYS_PMSSCR_EL1));
	pmscope_regs_add(dump, "PMCCNTSVR_EL1",
			 pmscope_counter_svr(PMSCOPE_CYCLE_COUNTER));
	if (caps->features & PMSCOPE_FEAT_ICNTR)
		pmscope_regs_add(dump, "PMICNTSVR_EL1",
				 pmscope_counter_svr(PMSCOPE_INSTR_COUNTER));
	for (n = 0; n < caps->nr_counters; n++)
		regs_add_of_counter(dump, "PMEVCNTSVR%u_EL1", n,
				    pmscope_counter_svr(n));
}

/* On the CPU, by IPI */
static void regs_dump_cpu(void *info)
{
	struct pmscope_reg_dump *dump = info;
	int cpu = smp_processor_id();
	const struct pmscope_cpu_caps *caps = pmscope_caps(cpu);

	regs_dump_id(dump, caps);
	if (caps->features & PMSCOPE_FEAT_PMUV3)
		regs_dump_counters(dump, caps);
	if (pmscope_access_has_pmecr(cpu))
		regs_dump_pm2(dump, caps);
	if (pmscope_access_has_pmsscr(cpu))
		regs_dump_snapshot(dump, caps);
	regs_dump_more(dump);
}

static int regs_show(struct seq_file *s, void *unused)
{
	struct pmscope_reg_dump *dump;
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
 * @dump_more: adds registers of other parts of the module, on each CPU, with
 *	interrupts off
 *
 * Context: process, in module init.
 */
void pmscope_regs_init(pmscope_regs_fn dump_more)
{
	regs_dump_more = dump_more;
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
