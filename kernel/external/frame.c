// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of CPUs: where they are, whether they are what they should be, and when
 * they may be accessed.
 *
 * An access to a CPU without power, or under the OS Double Lock, is an abort of which
 * the machine dies.  So:
 * - nothing is touched that neither the device tree nor the administrator names;
 * - a frame is proven by the CPU itself, which has power then, each time it comes
 *   online, while no other CPU may lose power; nothing is written before;
 * - while anybody watches a CPU, PM QoS keeps it out of idle states that lose power;
 * - CPU hotplug and CPU_PM end accesses before the power goes (@powered).
 */
#define pr_fmt(fmt) "pmscope: external: " fmt

#include "cpu.h"
#include "external/external.h"
#include "external/frame.h"
#include "external/registers.h"

#include <linux/bitfield.h>
#include <linux/clk.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cputype.h>

static char *external;
module_param(external, charp, 0444);
MODULE_PARM_DESC(external,
		 "where PMU frames of CPUs are in memory: off, CPU:ADDRESS[:DEBUG_ADDRESS],..., or v8 or v7: as far from the debug frames of the device tree as that memory map has them (a wrong address stops the machine)");

const char *const ext_layout_names[] = {
	[EXT_LIVE] = "live",
	[EXT_ARM] = "arm",
	[EXT_ARCH] = "arch",
};

const char *const ext_pc_names[] = {
	[EXT_PC_NONE] = "none",
	[EXT_PC_DEBUG] = "debug",
	[EXT_PC_READ] = "read",
	[EXT_PC_CAPTURE] = "capture",
};

/* From a debug frame to the PMU frame of the same CPU (Arm 100048, ROM tables) */
#define V8_MAP_TO_PMU	0x20000
#define V7_MAP_TO_PMU	0x1000

static DEFINE_PER_CPU(struct ext_frame, ext_frames);
static DEFINE_MUTEX(ext_watch_lock);
struct cpumask ext_proven;
static int ext_hp_state;
static int (*ext_leave)(unsigned int cpu);

/**
 * ext_frame() - the frames of a CPU
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: never NULL; .address is 0 where nobody named any
 */
struct ext_frame *ext_frame(int cpu)
{
	return per_cpu_ptr(&ext_frames, cpu);
}

/* Where they are */

static int __init ext_cpu_of(const struct device_node *node)
{
	struct device_node *cpu_node = of_parse_phandle(node, "cpu", 0);
	int cpu = cpu_node ? of_cpu_node_to_id(cpu_node) : -ENODEV;

	of_node_put(cpu_node);
	return cpu;
}

/* Debug frames first: their devices have the clock. */
static void __init ext_find_in_tree(const char *compatible, bool debug)
{
	struct device_node *node;
	struct ext_frame *frame;
	struct resource res;
	int cpu;

	for_each_compatible_node(node, NULL, compatible) {
		cpu = ext_cpu_of(node);
		if (cpu < 0 || !cpu_possible(cpu) ||
		    !of_device_is_available(node) ||
		    of_address_to_resource(node, 0, &res))
			continue;
		frame = ext_frame(cpu);
		*(debug ? &frame->debug_address : &frame->address) = res.start;
		frame->by = "device tree";
		of_node_put(frame->node);
		frame->node = of_node_get(node);
	}
}

static int __init ext_parse_one(char *word, bool apply)
{
	const char *cpu_word = strsep(&word, ":");
	const char *address_word = strsep(&word, ":");
	struct ext_frame *frame;
	u64 address, debug = 0;
	unsigned int cpu;

	if (!address_word || kstrtouint(cpu_word, 10, &cpu) ||
	    cpu >= nr_cpu_ids || !cpu_possible(cpu) ||
	    kstrtou64(address_word, 0, &address) || !address ||
	    (word && kstrtou64(word, 0, &debug)) ||
	    (address | debug) & (EXT_FRAME_SIZE - 1))
		return -EINVAL;
	if (!apply)
		return 0;
	frame = ext_frame(cpu);
	frame->address = address;
	if (debug)
		frame->debug_address = debug;
	frame->by = "external=";
	return 0;
}

static int __init ext_parse_list(bool apply)
{
	char *copy = kstrdup(external, GFP_KERNEL), *rest = copy, *word;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, ",\n")))
		if (*word)
			ret = ext_parse_one(word, apply);
	kfree(copy);
	return ret;
}

/**
 * ext_frames_find() - find out where frames are said to be; touches none
 *
 * Context: process, in module init.
 * Return: does the device tree or the administrator name any?
 */
bool __init ext_frames_find(void)
{
	unsigned int distance = 0;
	struct ext_frame *frame;
	bool any = false;
	int cpu;

	if (external && sysfs_streq(external, "off"))
		return false;
	ext_find_in_tree("arm,coresight-cpu-debug", true);
	ext_find_in_tree("pmscope,pmu-frame", false);
	if (external && sysfs_streq(external, "v8"))
		distance = V8_MAP_TO_PMU;
	else if (external && sysfs_streq(external, "v7"))
		distance = V7_MAP_TO_PMU;
	else if (external && (ext_parse_list(false) || ext_parse_list(true)))
		pr_err("external=%s: off, v8, v7, or CPU:ADDRESS[:DEBUG_ADDRESS],...\n",
		       external);
	for_each_possible_cpu(cpu) {
		frame = ext_frame(cpu);
		if (distance && !frame->address && frame->debug_address) {
			frame->address = frame->debug_address + distance;
			frame->by = "external=";
		}
		any |= frame->address;
	}
	return any;
}

/* Is it the PMU of this CPU? */

/* Each holds a byte of it. */
static bool ext_has_class(void __iomem *frame)
{
	u32 component = 0;
	unsigned int n;

	for (n = 0; n < 4; n++)
		component |= readl_relaxed(frame + CIDR(n)) << 8 * n;
	return component == CIDR_CORESIGHT;
}

static bool ext_is_of_this_cpu(void __iomem *frame)
{
	u64 affinity = readl_relaxed(frame + DEVAFF0);

	affinity |= (u64)readl_relaxed(frame + DEVAFF1) << 32;
	return (affinity & MPIDR_HWID_BITMASK) ==
	       (read_cpuid_mpidr() & MPIDR_HWID_BITMASK);
}

static const char *ext_why_not_debug(void __iomem *debug)
{
	u32 state;

	if (!ext_has_class(debug) ||
	    readl_relaxed(debug + DEVTYPE) != DEVTYPE_DEBUG)
		return "the debug frame is none (EDCIDR, EDDEVTYPE)";
	if (!ext_is_of_this_cpu(debug))
		return "the debug frame is of another CPU (EDDEVAFF)";
	/* It clears EDPRSR.SPD and SR, so it is read as rarely as can be. */
	state = readl_relaxed(debug + EDPRSR);
	if (!(state & EDPRSR_PU))
		return "it has no power (EDPRSR.PU)";
	if (state & EDPRSR_DLK)
		return "the OS Double Lock is locked (EDPRSR.DLK)";
	if (state & EDPRSR_EPMAD)
		return "firmware denies the access (EDPRSR.EPMAD)";
	return NULL;
}

static const char *ext_why_not_pmu(void __iomem *pmu)
{
	u32 arch, part;

	if (!ext_has_class(pmu))
		return "no CoreSight component is there (PMCIDR)";
	if (readl_relaxed(pmu + DEVTYPE) != DEVTYPE_PMU)
		return "it is no PMU (PMDEVTYPE)";
	arch = readl_relaxed(pmu + DEVARCH);
	if (FIELD_GET(DEVARCH_ARCHITECT, arch) != DEVARCH_ARM ||
	    FIELD_GET(DEVARCH_ARCHPART, arch) != DEVARCH_PMUV3)
		return "it is no PMUv3 (PMDEVARCH)";
	if (!ext_is_of_this_cpu(pmu))
		return "it is of another CPU (PMDEVAFF)";
	part = readl_relaxed(pmu + PIDR0) |
	       (readl_relaxed(pmu + PIDR1) & 0xf) << 8;
	if (part != MIDR_PARTNUM(read_cpuid_id()))
		return "it is of another kind of core (PMPIDR)";
	if (FIELD_GET(AUTHSTATUS_NSNID, readl_relaxed(pmu + AUTHSTATUS)) ==
	    AUTHSTATUS_DISABLED)
		return "Non-invasive debug is denied (PMAUTHSTATUS.NSNID)";
	return NULL;
}

/* Cores whose manuals have the snapshot: Arm 100095, 100442, 100798, 101111, ... */
static bool ext_is_arm_core(void)
{
	/* Cortex-A55, A72, A76, A77, A78AE, Neoverse N2 */
	static const u16 parts[] = {
		0xd05, 0xd08, 0xd0b, 0xd0d, 0xd42, 0xd49,
	};
	u32 midr = read_cpuid_id();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (MIDR_PARTNUM(midr) == parts[i])
			return MIDR_IMPLEMENTOR(midr) == ARM_CPU_IMP_ARM;
	return false;
}

static void ext_unlock(void __iomem *component)
{
	u32 lock = readl_relaxed(component + LSR);

	if (lock & LSR_SLI && lock & LSR_SLK)
		writel_relaxed(LAR_KEY, component + LAR);
}

/*
 * The first writes to a frame.  A CPU that lost power is locked again, and samples no PC
 * at captures.
 */
static void ext_prepare(struct ext_frame *frame)
{
	u64 control;

	ext_unlock(frame->pmu);
	/* A locked EDPCSR takes no samples. */
	if (frame->pc == EXT_PC_DEBUG)
		ext_unlock(frame->debug);
	if (frame->layout != EXT_ARCH || frame->pc != EXT_PC_CAPTURE)
		return;
	control = readq_relaxed(frame->pmu + PMPCSCTL);
	if (control & PMPCSCTL_SS)
		return;
	frame->sets_ss = true;
	writeq_relaxed(control | PMPCSCTL_SS, frame->pmu + PMPCSCTL);
}

/* The debugger, if there is one, finds it as it was. */
static void ext_give_back(struct ext_frame *frame)
{
	u64 control;

	if (!frame->sets_ss)
		return;
	frame->sets_ss = false;
	control = readq_relaxed(frame->pmu + PMPCSCTL);
	writeq_relaxed(control & ~PMPCSCTL_SS, frame->pmu + PMPCSCTL);
}

static enum ext_pc ext_find_pc(const struct ext_frame *frame)
{
	u32 id = FIELD_GET(DEVID_PCSAMPLE, readl_relaxed(frame->pmu + DEVID));

	/* Whether Cortex-A72 (Arm 100095) has PMPCSSR, too, is not known. */
	if (frame->layout == EXT_ARM &&
	    MIDR_PARTNUM(read_cpuid_id()) != ARM_CPU_PART_CORTEX_A72)
		return EXT_PC_CAPTURE;
	/* FEAT_PCSRv8p9 */
	if (frame->layout == EXT_ARCH && id > 1)
		return EXT_PC_CAPTURE;
	if (id)
		return EXT_PC_READ;
	/* From 2 on there is EDCIDSR, and from 3 on EDVIDSR. */
	if (frame->debug && FIELD_GET(DEVID_PCSAMPLE,
				      readl_relaxed(frame->debug + DEVID)) > 2)
		return EXT_PC_DEBUG;
	return EXT_PC_NONE;
}

/* Only the CPU itself: preemption stays on it, and it has power here. */
static const char *ext_prove(struct ext_frame *frame)
{
	const char *why = NULL;
	u32 size;

	frame->pc = EXT_PC_NONE;
	if (frame->node && of_find_property(frame->node, "power-domains", NULL))
		return "no driver manages its power domain (power-domains)";
	if (clk_prepare_enable(frame->clock))
		return "its clock does not start (apb_pclk)";
	if (frame->debug)
		why = ext_why_not_debug(frame->debug);
	if (!why)
		why = ext_why_not_pmu(frame->pmu);
	if (!why) {
		frame->layout = ext_is_arm_core() ? EXT_ARM : EXT_LIVE;
		if (pmscope_caps(frame->cpu)->features & PMSCOPE_FEAT_SS)
			frame->layout = EXT_ARCH;
		frame->pc = ext_find_pc(frame);
		size = readl_relaxed(frame->pmu + PMCFGR);
		frame->wide = FIELD_GET(PMCFGR_SIZE, size) == 63;
	}
	clk_disable_unprepare(frame->clock);
	return why;
}

static void ext_log(const struct ext_frame *frame)
{
	if (frame->why)
		pr_warn("CPU %d: the frame at %pa (%s) is refused: %s\n",
			frame->cpu, &frame->address, frame->by, frame->why);
	else
		pr_info("CPU %d: a frame at %pa (%s), layout %s, PC %s%s%s\n",
			frame->cpu, &frame->address, frame->by,
			ext_layout_names[frame->layout],
			ext_pc_names[frame->pc],
			frame->layout == EXT_LIVE ? ": groups are skewed" : "",
			frame->debug ? "" : "; no debug frame tells of its power");
}

/* Power */

static void ext_set_powered(struct ext_frame *frame, bool powered)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&frame->lock, flags);
	if (powered && frame->watchers)
		ext_prepare(frame);
	frame->powered = powered;
	raw_spin_unlock_irqrestore(&frame->lock, flags);
}

/* On @cpu, from the cpuhp core, which lets it go nowhere */
static int ext_cpu_online(unsigned int cpu)
{
	struct ext_frame *frame = ext_frame(cpu);
	struct pm_qos_request awake = {};

	if (!frame->pmu)
		return 0;
	/* A wrong address may be another CPU's, which has to have power, too. */
	cpu_latency_qos_add_request(&awake, 0);
	kick_all_cpus_sync();
	frame->why = ext_prove(frame);
	cpu_latency_qos_remove_request(&awake);
	ext_log(frame);
	if (!frame->why) {
		cpumask_set_cpu(cpu, &ext_proven);
		ext_set_powered(frame, true);
	}
	return 0;
}

static int ext_cpu_offline(unsigned int cpu)
{
	cpumask_clear_cpu(cpu, &ext_proven);
	ext_set_powered(ext_frame(cpu), false);
	return ext_leave(cpu);
}

/* Idle states that lose power, and suspend: on the CPU, interrupts off */
static int ext_cpu_pm(struct notifier_block *nb, unsigned long action,
		      void *data)
{
	struct ext_frame *frame = this_cpu_ptr(&ext_frames);

	if (!frame->pmu || frame->why)
		return NOTIFY_OK;
	if (action == CPU_PM_ENTER)
		ext_set_powered(frame, false);
	else if (action == CPU_PM_EXIT || action == CPU_PM_ENTER_FAILED)
		ext_set_powered(frame, true);
	return NOTIFY_OK;
}

static struct notifier_block ext_cpu_pm_nb = {
	.notifier_call = ext_cpu_pm,
};

/*
 * On the CPU, which has left the idle state that it was in.  While nobody watched, an
 * idle state may have locked the frame again.
 */
static void ext_wake_up(void *info)
{
	struct ext_frame *frame = info;

	raw_spin_lock(&frame->lock);
	if (frame->powered)
		ext_prepare(frame);
	raw_spin_unlock(&frame->lock);
}

/*
 * Under the lock: the end of an idle state touches the frame of a CPU that is watched,
 * so the clock runs before the first watcher counts, and until the last one does not.
 */
static unsigned int ext_count_watcher(struct ext_frame *frame, int more)
{
	unsigned int watchers;

	raw_spin_lock_irq(&frame->lock);
	watchers = frame->watchers += more;
	if (!watchers && frame->powered)
		ext_give_back(frame);
	raw_spin_unlock_irq(&frame->lock);
	return watchers;
}

/**
 * ext_frame_watch() - keep the frame of a CPU accessible
 * @cpu: a possible CPU
 *
 * Until ext_frame_unwatch() the CPU has power unless it goes offline.  It gets one
 * interrupt, so that it leaves an idle state that it may be in, and unlocks its frame.
 *
 * Context: process.
 * Return: 0; -ENODEV for a CPU without proven frame, or offline; or an errno of
 * its clock or of PM QoS.
 */
int ext_frame_watch(int cpu)
{
	struct ext_frame *frame = ext_frame(cpu);
	int ret = cpumask_test_cpu(cpu, &ext_proven) ? 0 : -ENODEV;

	mutex_lock(&ext_watch_lock);
	if (!ret && !frame->watchers) {
		ret = dev_pm_qos_add_request(get_cpu_device(cpu), &frame->qos,
					     DEV_PM_QOS_RESUME_LATENCY, 0);
		if (ret >= 0)
			ret = clk_prepare_enable(frame->clock);
		if (ret && dev_pm_qos_request_active(&frame->qos))
			dev_pm_qos_remove_request(&frame->qos);
	}
	if (!ret)
		ext_count_watcher(frame, 1);
	mutex_unlock(&ext_watch_lock);
	if (ret)
		return ret;

	if (smp_call_function_single(cpu, ext_wake_up, frame, true)) {
		ext_frame_unwatch(cpu);
		return -ENODEV;
	}
	return 0;
}

/**
 * ext_frame_unwatch() - undo ext_frame_watch()
 * @cpu: the same
 *
 * Context: process.
 */
void ext_frame_unwatch(int cpu)
{
	struct ext_frame *frame = ext_frame(cpu);

	mutex_lock(&ext_watch_lock);
	if (!ext_count_watcher(frame, -1)) {
		dev_pm_qos_remove_request(&frame->qos);
		clk_disable_unprepare(frame->clock);
	}
	mutex_unlock(&ext_watch_lock);
}

/* Init and exit */

static void ext_unmap(struct ext_frame *frame)
{
	if (frame->pmu)
		iounmap(frame->pmu);
	if (frame->debug)
		iounmap(frame->debug);
	clk_put(frame->clock);
	of_node_put(frame->node);
}

static int __init ext_map(struct ext_frame *frame)
{
	if (!frame->address)
		return 0;
	frame->why = "the CPU was never online";
	/* Device-nGnRE: each access is one, and they stay in order. */
	frame->pmu = ioremap(frame->address, EXT_FRAME_SIZE);
	if (frame->debug_address)
		frame->debug = ioremap(frame->debug_address, EXT_FRAME_SIZE);
	if (!frame->pmu || (frame->debug_address && !frame->debug))
		return -ENOMEM;
	if (!frame->node)
		return 0;
	frame->clock = of_clk_get_by_name(frame->node, "apb_pclk");
	/* It is optional. */
	if (IS_ERR(frame->clock))
		frame->clock = NULL;
	return 0;
}

static void ext_unmap_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		ext_unmap(ext_frame(cpu));
}

/**
 * ext_frames_init() - prove the frames as their CPUs come online
 * @leave: called on a CPU that goes offline
 *
 * Context: process, in module init; ext_frames_find() found some.
 * Return: 0, also if all were refused, or an errno.
 */
int __init ext_frames_init(int (*leave)(unsigned int cpu))
{
	int cpu, ret;

	ext_leave = leave;
	for_each_possible_cpu(cpu) {
		ext_frame(cpu)->cpu = cpu;
		raw_spin_lock_init(&ext_frame(cpu)->lock);
		ret = ext_map(ext_frame(cpu));
		if (ret)
			goto out_unmap;
	}
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmscope/external:online",
				ext_cpu_online, ext_cpu_offline);
	if (ret < 0)
		goto out_unmap;
	ext_hp_state = ret;
	cpu_pm_register_notifier(&ext_cpu_pm_nb);
	return 0;

out_unmap:
	ext_unmap_all();
	return ret;
}

/**
 * ext_frames_exit() - undo ext_frames_init()
 *
 * Context: process; nobody watches any more.
 */
void ext_frames_exit(void)
{
	cpu_pm_unregister_notifier(&ext_cpu_pm_nb);
	cpuhp_remove_state_nocalls(ext_hp_state);
	ext_unmap_all();
}
