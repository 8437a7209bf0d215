# SPDX-License-Identifier: GPL-2.0-or-later
"""Top-down metrics of Arm's CPUs a second time, for counting.py: as fractions, in
the form in which the CPUs' manuals have them, and the errors of metrics whose
groups counted by turns."""
import math
from fractions import Fraction

NUMBERS = {
    "L1I_CACHE_REFILL": 0x01, "L1I_TLB_REFILL": 0x02, "L1D_CACHE_REFILL": 0x03,
    "L1D_CACHE": 0x04, "L1D_TLB_REFILL": 0x05, "INST_RETIRED": 0x08,
    "BR_MIS_PRED": 0x10, "CPU_CYCLES": 0x11, "L1I_CACHE": 0x14,
    "L2D_CACHE": 0x16, "L2D_CACHE_REFILL": 0x17, "INST_SPEC": 0x1b,
    "BR_RETIRED": 0x21, "BR_MIS_PRED_RETIRED": 0x22, "STALL_FRONTEND": 0x23,
    "STALL_BACKEND": 0x24, "L1D_TLB": 0x25, "L1I_TLB": 0x26,
    "L2D_TLB_REFILL": 0x2d, "L2D_TLB": 0x2f, "DTLB_WALK": 0x34,
    "ITLB_WALK": 0x35, "LL_CACHE_RD": 0x36, "LL_CACHE_MISS_RD": 0x37,
    "OP_RETIRED": 0x3a, "OP_SPEC": 0x3b, "STALL_SLOT_BACKEND": 0x3d,
    "STALL_SLOT_FRONTEND": 0x3e, "STALL_SLOT": 0x3f,
    "STALL_FRONTEND_FLUSH": 0x8162,
}
PARTS = {0x41d0c: "N1", 0x41d49: "N2", 0x6dd49: "N2", 0x41d8e: "N3",
         0x41d40: "V1", 0x41d4f: "V2", 0x41d84: "V3", 0x41d83: "V3"}
SLOTS = {"N1": 0, "N2old": 5, "N2": 5, "N3": 5, "V1": 8, "V2": 8, "V3": 10}


class Counts:
    """The counts of one group by the names of events."""

    def __init__(self, by_number, slots):
        self.by_number, self.slots = by_number, slots

    def __getattr__(self, name):
        return Fraction(self.by_number[NUMBERS[name]])

    def lost(self):
        """Cycles in which mispredicted branches take slots of others."""
        return self.BR_MIS_PRED / self.CPU_CYCLES

    def flush(self):
        return self.STALL_FRONTEND_FLUSH / self.CPU_CYCLES

    def all_slots(self):
        return self.CPU_CYCLES * self.slots

    def retired(self):
        return self.OP_RETIRED / self.OP_SPEC

    def used(self):
        return 1 - self.STALL_SLOT / self.all_slots()

    def used_old(self):
        return 1 - (self.STALL_SLOT - self.CPU_CYCLES) / self.all_slots()


def frontend(c, cpu):
    stalled = c.STALL_SLOT_FRONTEND
    if cpu == "N2old":
        return (stalled - c.CPU_CYCLES) / c.all_slots() - c.lost()
    stalled /= c.all_slots()
    if cpu in ("N2", "V2"):
        return stalled - c.lost()
    if cpu == "V1":
        return stalled - c.lost() * 4
    return stalled - c.flush() if cpu in ("N3", "V3") else stalled


def backend(c, cpu):
    stalled = c.STALL_SLOT_BACKEND / c.all_slots()
    return stalled - c.lost() * 3 if cpu in ("N2old", "N2", "V2") else stalled


def retiring(c, cpu):
    return c.retired() * (c.used_old() if cpu == "N2old" else c.used())


def bad_speculation(c, cpu):
    wasted = (1 - c.retired()) * (c.used_old() if cpu == "N2old" else c.used())
    if cpu in ("N2old", "N2", "V1", "V2"):
        return wasted + c.lost() * 4
    return wasted + c.flush() if cpu in ("N3", "V3") else wasted


def per(factor, name, base):
    return lambda c, cpu: factor * getattr(c, name) / getattr(c, base)


METRICS = {
    "frontend_bound": lambda c, cpu: 100 * frontend(c, cpu),
    "backend_bound": lambda c, cpu: 100 * backend(c, cpu),
    "retiring": lambda c, cpu: 100 * retiring(c, cpu),
    "bad_speculation": lambda c, cpu: 100 * bad_speculation(c, cpu),
    "frontend_stalled_cycles": per(100, "STALL_FRONTEND", "CPU_CYCLES"),
    "backend_stalled_cycles": per(100, "STALL_BACKEND", "CPU_CYCLES"),
    "ipc": per(1, "INST_RETIRED", "CPU_CYCLES"),
    "branch_mpki": per(1000, "BR_MIS_PRED_RETIRED", "INST_RETIRED"),
    "branch_misprediction_ratio": per(1, "BR_MIS_PRED_RETIRED", "BR_RETIRED"),
    "itlb_mpki": per(1000, "ITLB_WALK", "INST_RETIRED"),
    "itlb_walk_ratio": per(1, "ITLB_WALK", "L1I_TLB"),
    "dtlb_mpki": per(1000, "DTLB_WALK", "INST_RETIRED"),
    "dtlb_walk_ratio": per(1, "DTLB_WALK", "L1D_TLB"),
    "l1i_tlb_mpki": per(1000, "L1I_TLB_REFILL", "INST_RETIRED"),
    "l1i_tlb_miss_ratio": per(1, "L1I_TLB_REFILL", "L1I_TLB"),
    "l1d_tlb_mpki": per(1000, "L1D_TLB_REFILL", "INST_RETIRED"),
    "l1d_tlb_miss_ratio": per(1, "L1D_TLB_REFILL", "L1D_TLB"),
    "l2_tlb_mpki": per(1000, "L2D_TLB_REFILL", "INST_RETIRED"),
    "l2_tlb_miss_ratio": per(1, "L2D_TLB_REFILL", "L2D_TLB"),
    "l1i_cache_mpki": per(1000, "L1I_CACHE_REFILL", "INST_RETIRED"),
    "l1i_cache_miss_ratio": per(1, "L1I_CACHE_REFILL", "L1I_CACHE"),
    "l1d_cache_mpki": per(1000, "L1D_CACHE_REFILL", "INST_RETIRED"),
    "l1d_cache_miss_ratio": per(1, "L1D_CACHE_REFILL", "L1D_CACHE"),
    "l2_cache_mpki": per(1000, "L2D_CACHE_REFILL", "INST_RETIRED"),
    "l2_cache_miss_ratio": per(1, "L2D_CACHE_REFILL", "L2D_CACHE"),
    "ll_cache_read_mpki": per(1000, "LL_CACHE_MISS_RD", "INST_RETIRED"),
    "ll_cache_read_miss_ratio": per(1, "LL_CACHE_MISS_RD", "LL_CACHE_RD"),
    "ll_cache_read_hit_ratio": lambda c, cpu:
        1 - c.LL_CACHE_MISS_RD / c.LL_CACHE_RD,
}


def cpu_of(midr, slots):
    """(methodology, slots of a cycle)"""
    cpu = PARTS.get((midr >> 24) << 12 | (midr >> 4 & 0xfff))
    if cpu == "N2" and (midr >> 20 & 15, midr & 15) < (0, 3):
        cpu = "N2old"
    if slots and not SLOTS.get(cpu):
        cpu = None
    return cpu, slots or SLOTS.get(cpu, 0)


def value(name, counts, cpu, slots):
    """The metric, or None if a count is missing or a divisor is 0."""
    try:
        return METRICS[name](Counts(counts, slots), cpu)
    except (KeyError, ZeroDivisionError):
        return None


BLOCKS = 64
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
           2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101,
           2.093, 2.086)


def blocks_of(turns):
    """At most 64 sums of as many neighbours; the last may have fewer."""
    each = 1
    while len(turns) > each * BLOCKS:
        each *= 2
    return [add(turns[i:i + each]) for i in range(0, len(turns), each)]


def add(counts):
    return {number: sum(one[number] for one in counts) for number in counts[0]}


def error(name, turns, cpu, slots):
    """Half the 95 % range by the jackknife; None of too few turns."""
    blocks = blocks_of(turns)
    if len(blocks) < 2:
        return None
    total = add(blocks)
    without = [value(name, {n: total[n] - one[n] for n in total}, cpu, slots)
               for one in blocks]
    if None in without:
        return None
    mean = sum(without) / len(without)
    spread = sum((one - mean) ** 2 for one in without)
    freedom = len(blocks) - 1
    student = STUDENT[freedom - 1] if freedom <= len(STUDENT) \
        else 1.96 + 2.4 / freedom
    return student * math.sqrt(spread * freedom / len(blocks))
