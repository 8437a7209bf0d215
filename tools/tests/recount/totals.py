# SPDX-License-Identifier: GPL-2.0-or-later
"""How many operations the samples stand for (pmscope record --totals).

SPE counts itself (Arm ARM D17.3): SAMPLE_POP are the operations that could have
been sampled, SAMPLE_FEED those that were, SAMPLE_FILTRATE the records that
passed its filters. If each operation is sampled with the same probability p, n
records stand for n/p operations with the variance n(1-p)/p^2.
"""
import math

EVENTS = {0x4000: "population", 0x4001: "sampled", 0x4002: "kept"}


class Scale:
    """From records to operations: of one CPU, or of all."""

    def __init__(self, counted, records):
        self.population = counted.get("population", 0)
        sampled = counted.get("sampled", 0)
        kept = counted.get("kept", 0)
        self.each = self.lost = self.part = 0
        if not 0 < sampled <= self.population or not records:
            return
        self.lost = max(kept - records, 0)
        self.part = sampled / self.population
        self.each = (records + self.lost) / self.part / records


class Operations:
    """@records: samples by CPU, also those that a filter keeps out."""

    def __init__(self, perfdata, records):
        self.counted, self.cpus, apart = {}, {}, True
        for cpus, event, value in _last_values(perfdata):
            self.counted[event] = self.counted.get(event, 0) + value
            if len(cpus) != 1 or None in cpus:
                apart = False
                continue
            of_cpu = self.cpus.setdefault(next(iter(cpus)), {})
            of_cpu[event] = of_cpu.get(event, 0) + value
        self.all = Scale(self.counted, sum(records.values()))
        self.of_cpu = {}
        self.lost = self.all.lost
        if apart:
            self._by_cpu(records)

    def _by_cpu(self, records):
        self.of_cpu = {cpu: Scale(self.cpus.get(cpu, {}), nr)
                       for cpu, nr in records.items()}
        self.lost = sum(
            max(counted.get("kept", 0) - records.get(cpu, 0), 0)
            for cpu, counted in self.cpus.items())

    def __bool__(self):
        return self.all.each > 0

    def of_row(self, row):
        """How many operations, and half the width of their 95 % interval."""
        operations = variance = 0
        for cpu, nr in row.of_cpu.items():
            scale = self.of_cpu.get(cpu)
            if not scale or not scale.each:
                scale = self.all
            operations += nr * scale.each
            variance += scale.each ** 2 * nr * (1 - scale.part)
        return operations, 1.96 * math.sqrt(variance)


def _last_values(perfdata):
    """(CPUs that read it, event, value) of each counter that is no thread's
    part of another."""
    last = {}
    for group in perfdata.groups():
        for count in group.counts:
            if count.event is None or not perfdata.is_snapshot(count.event):
                continue
            attr = perfdata.attrs[count.event]
            event = EVENTS.get(attr.config & 0xffff)
            if not event or perfdata.is_of_thread(count, group):
                continue
            cpus = last.setdefault(count.id, [set(), event, 0])
            cpus[0].add(group.cpu)
            cpus[2] = count.value
    return last.values()
