/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include <libfdt.h>
#include "qapi/error.h"
#include "cpu.h"
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

/* Of an interrupt of the GICv3; a fourth is the partition. */
#define IRQ_CELLS 3
/* Of a line of interrupt-map: device, pin, parent, its address, interrupt. */
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
        refuse("the number of a CPU above 0 is needed", cpu->kind.second);
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

/* A cell 0 behind each `cells` cells of a property. */
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

/* All devices hang on the GIC. */
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

static void set_partition(void *fdt, const char *path, uint32_t partition)
{
    const uint32_t *irq = qemu_fdt_getprop(fdt, path, "interrupts", NULL,
                                           &error_fatal);

    qemu_fdt_setprop_cells(fdt, path, "interrupts", be32_to_cpu(irq[0]),
                           be32_to_cpu(irq[1]), be32_to_cpu(irq[2]), partition);
}

/*
 * A device for each kind. New nodes come in front, so the new one is that of the
 * first kind; without `compatible` it is the only one.
 */
static void split(void *fdt, const char *path, const char *compatible,
                  const uint32_t partition[2])
{
    g_autofree char *first = g_strdup_printf("%s-first", path);
    g_autofree char *name = NULL;
    g_autofree void *irq = NULL;
    int size;

    if (!compatible) {
        set_partition(fdt, path, partition[0]);
        return;
    }
    name = g_strdup(qemu_fdt_getprop(fdt, path, "compatible", NULL,
                                     &error_fatal));
    irq = g_memdup2(qemu_fdt_getprop(fdt, path, "interrupts", &size,
                                     &error_fatal), size);
    qemu_fdt_setprop_string(fdt, path, "compatible", compatible);
    set_partition(fdt, path, partition[1]);
    qemu_fdt_add_subnode(fdt, first);
    qemu_fdt_setprop_string(fdt, first, "compatible", name);
    qemu_fdt_setprop(fdt, first, "interrupts", irq, size);
    set_partition(fdt, first, partition[0]);
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

void kinds_describe(void *fdt, unsigned cpus, bool gicv3)
{
    g_auto(GStrv) gic = NULL;
    g_autofree char *list = NULL;
    uint32_t partition[2];
    ARMCPU *last;

    if (!has_two_kinds(cpus, gicv3)) {
        return;
    }
    widen_interrupts(fdt);
    gic = qemu_fdt_node_unit_path(fdt, "intc", &error_fatal);
    qemu_fdt_setprop_cell(fdt, gic[0], "#interrupt-cells", IRQ_CELLS + 1);

    list = g_strdup_printf("%s/ppi-partitions", gic[0]);
    qemu_fdt_add_subnode(fdt, list);
    partition[0] = add_partition(fdt, list, "first", cpus, false);
    partition[1] = add_partition(fdt, list, "second", cpus, true);

    last = ARM_CPU(qemu_get_cpu(cpus - 1));
    split(fdt, "/pmu", pmu_compatible(last), partition);
    if (ARM_CPU(first_cpu)->spe.enabled) {
        split(fdt, "/spe-pmu",
              last->spe.enabled ? SPE_COMPATIBLE : NULL, partition);
    }
}
