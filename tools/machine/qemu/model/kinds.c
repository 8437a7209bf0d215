/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include <libfdt.h>
#include "hw/arm/bsa.h"
#include "hw/arm/fdt.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "system/device_tree.h"
#include "kinds.h"
#include "pmscope.h"

#define MIDR_NEOVERSE_E1 0x410fd4a0
#define MIDR_NEOVERSE_N2 0x410fd490
/* Implementer and part number. */
#define MIDR_MODEL 0xff00fff0
/* The others are in no cluster: UNASSIGNED_CLUSTER_INDEX. */
#define SECOND_CLUSTER 1
#define SPE_COMPATIBLE "arm,statistical-profiling-extension-v1"

/* Cells of a GICv3 interrupt; a fourth cell is the partition. */
#define IRQ_CELLS 3
/* Cells of an interrupt-map entry: device, pin, parent, address, interrupt. */
#define MAP_CELLS (3 + 1 + 1 + 2 + IRQ_CELLS)

static const PMScopeProperty kind_properties[] = {
    { DEFINE_PROP_STRING("second-kind", ARMCPU, kind.second),
      "N:PROP=VAL:PROP=VAL...: the CPUs from number N on, at least 1, are of "
      "a second kind, with these properties" },
};

void kinds_add_properties(ARMCPU *cpu)
{
    pmscope_add_property_list(cpu, kind_properties,
                              ARRAY_SIZE(kind_properties));
}

static void G_NORETURN refuse(const char *why, const char *what)
{
    error_report("second-kind: %s: '%s'", why, what);
    exit(1);
}

/* As -cpu does with PROP=VAL. */
static void set_property(ARMCPU *cpu, const char *text)
{
    g_auto(GStrv) part = g_strsplit(text, "=", 2);
    Error *err = NULL;

    if (!part[0] || !part[1]) {
        refuse("PROP=VAL is needed", text);
    }
    if (!object_property_parse(OBJECT(cpu), part[0], part[1], &err)) {
        error_prepend(&err, "second-kind: ");
        error_report_err(err);
        exit(1);
    }
}

void kinds_choose(ARMCPU *cpu, unsigned n)
{
    g_auto(GStrv) part = NULL;
    unsigned first;

    if (!cpu->kind.second) {
        return;
    }
    part = g_strsplit(cpu->kind.second, ":", -1);
    if (!part[0] || qemu_strtoui(part[0], NULL, 10, &first) || !first) {
        refuse("must begin with the number of a CPU above 0", cpu->kind.second);
    }
    cpu->kind.is_second = n >= first;
    if (!cpu->kind.is_second) {
        return;
    }
    cpu->midr = MIDR_NEOVERSE_E1;
    /* Code with other constants in it, those of ID registers. */
    CPU(cpu)->cluster_index = SECOND_CLUSTER;
    for (unsigned i = 1; part[i]; i++) {
        set_property(cpu, part[i]);
    }
}

/* Inserts a cell of 0 after each `cells` cells of a property. */
static void widen(void *fdt, int node, const char *name, unsigned cells)
{
    int size;
    const uint32_t *old = fdt_getprop(fdt, node, name, &size);
    unsigned lines = old ? size / sizeof(*old) / cells : 0;
    g_autofree uint32_t *wide = g_new0(uint32_t, lines * (cells + 1));

    for (unsigned i = 0; i < lines; i++) {
        memcpy(wide + i * (cells + 1), old + i * cells, cells * sizeof(*old));
    }
    if (lines && fdt_setprop(fdt, node, name, wide,
                             lines * (cells + 1) * sizeof(*wide))) {
        refuse("no room in the device tree", name);
    }
}

/* The GIC is the interrupt parent of all devices. */
static void widen_interrupts(void *fdt)
{
    for (int node = 0; node >= 0; node = fdt_next_node(fdt, node, NULL)) {
        widen(fdt, node, "interrupts", IRQ_CELLS);
        widen(fdt, node, "interrupt-map", MAP_CELLS);
    }
}

static bool is_second(unsigned cpu)
{
    return ARM_CPU(qemu_get_cpu(cpu))->kind.is_second;
}

/* ppi-partitions/<name>: the CPUs of one kind. */
static uint32_t add_partition(void *fdt, const char *parent, const char *name,
                              unsigned cpus, bool second)
{
    g_autofree char *path = g_strdup_printf("%s/%s", parent, name);
    g_autofree uint32_t *list = g_new(uint32_t, cpus);
    uint32_t phandle = qemu_fdt_alloc_phandle(fdt);
    unsigned n = 0;

    for (unsigned i = 0; i < cpus; i++) {
        g_autofree char *cpu = g_strdup_printf("/cpus/cpu@%u", i);

        if (is_second(i) == second) {
            list[n++] = cpu_to_be32(qemu_fdt_get_phandle(fdt, cpu));
        }
    }
    qemu_fdt_add_subnode(fdt, path);
    qemu_fdt_setprop(fdt, path, "affinity", list, n * sizeof(*list));
    qemu_fdt_setprop_cell(fdt, path, "phandle", phandle);
    return phandle;
}

/* Linux names the PMU by it: armv8_neoverse_e1, armv9_neoverse_n2. */
static const char *pmu_compatible(const ARMCPU *cpu)
{
    switch (cpu->midr & MIDR_MODEL) {
    case MIDR_NEOVERSE_E1 & MIDR_MODEL:
        return "arm,neoverse-e1-pmu";
    case MIDR_NEOVERSE_N2 & MIDR_MODEL:
        return "arm,neoverse-n2-pmu";
    default:
        return "arm,armv8-pmuv3";
    }
}

/* Adds a device whose interrupt is a PPI before the existing devices. */
static void add_device(void *fdt, const char *path, const char *compatible,
                       unsigned intid, uint32_t partition)
{
    qemu_fdt_add_subnode(fdt, path);
    qemu_fdt_setprop_string(fdt, path, "compatible", compatible);
    qemu_fdt_setprop_cells(fdt, path, "interrupts", GIC_FDT_IRQ_TYPE_PPI,
                           INTID_TO_PPI(intid), GIC_FDT_IRQ_FLAGS_LEVEL_HI,
                           partition);
}

/* A GICv2 interrupt specifier includes the CPUs of a PPI. */
static void add_only_spe(void *fdt, unsigned cpus, bool gicv3)
{
    uint32_t flags = GIC_FDT_IRQ_FLAGS_LEVEL_HI;

    if (!gicv3) {
        flags = deposit32(flags, GIC_FDT_IRQ_PPI_CPU_START,
                          GIC_FDT_IRQ_PPI_CPU_WIDTH, (1 << cpus) - 1);
    }
    qemu_fdt_add_subnode(fdt, "/spe-pmu");
    qemu_fdt_setprop_string(fdt, "/spe-pmu", "compatible", SPE_COMPATIBLE);
    qemu_fdt_setprop_cells(fdt, "/spe-pmu", "interrupts", GIC_FDT_IRQ_TYPE_PPI,
                           INTID_TO_PPI(SPE_PMBIRQ), flags);
}

static bool has_two_kinds(unsigned cpus, bool gicv3)
{
    const char *property = ARM_CPU(first_cpu)->kind.second;

    if (!property) {
        return false;
    }
    if (!gicv3) {
        refuse("needs gic-version=3, whose PPIs can be divided", property);
    }
    if (!is_second(cpus - 1)) {
        refuse("there are no CPUs of that number", property);
    }
    return true;
}

static void divide_interrupts(void *fdt, unsigned cpus, uint32_t partition[2])
{
    g_auto(GStrv) gic = qemu_fdt_node_unit_path(fdt, "intc", &error_fatal);
    g_autofree char *list = g_strdup_printf("%s/ppi-partitions", gic[0]);

    widen_interrupts(fdt);
    qemu_fdt_setprop_cell(fdt, gic[0], "#interrupt-cells", IRQ_CELLS + 1);
    qemu_fdt_add_subnode(fdt, list);
    partition[0] = add_partition(fdt, list, "first", cpus, false);
    partition[1] = add_partition(fdt, list, "second", cpus, true);
}

static void describe_kind(void *fdt, const ARMCPU *cpu, const char *suffix,
                          uint32_t partition)
{
    g_autofree char *pmu = g_strdup_printf("/pmu%s", suffix);
    g_autofree char *spe = g_strdup_printf("/spe-pmu%s", suffix);

    if (arm_feature(&cpu->env, ARM_FEATURE_PMU)) {
        add_device(fdt, pmu, pmu_compatible(cpu), VIRTUAL_PMU_IRQ, partition);
    }
    if (cpu->spe.enabled) {
        add_device(fdt, spe, SPE_COMPATIBLE, SPE_PMBIRQ, partition);
    }
}

void kinds_describe(void *fdt, unsigned cpus, bool gicv3)
{
    uint32_t partition[2];

    ARMCPU *first = ARM_CPU(first_cpu);

    if (!has_two_kinds(cpus, gicv3)) {
        if (first->spe.enabled) {
            add_only_spe(fdt, cpus, gicv3);
        }
        return;
    }
    divide_interrupts(fdt, cpus, partition);
    /* QEMU has described the PMU of the first CPU. */
    if (arm_feature(&first->env, ARM_FEATURE_PMU)) {
        qemu_fdt_nop_node(fdt, "/pmu");
    }
    /* The node that is added last comes first. */
    describe_kind(fdt, ARM_CPU(qemu_get_cpu(cpus - 1)), "", partition[1]);
    describe_kind(fdt, first, "-first", partition[0]);
}
