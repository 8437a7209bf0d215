# SPDX-License-Identifier: GPL-2.0-or-later
"""The sentences that `pmscope report` begins with, from the samples by SQL."""
import math
import re

from rows import KEYS
from spe import event_bit

L1D_REFILL, TLB_REFILL, MISPREDICTED, LLC_REFILL, SNOOPED = 3, 5, 7, 9, 23
PEERS = ("peer core", "local cluster", "peer cluster", "remote",
         "local chip or device", "peer core HITM", "peer cluster HITM",
         "remote socket", "remote socket HITM")
MEMORY = ("DRAM", "local memory", "remote memory", "non-cacheable or device")
SHARED_CACHES = ("system cache", "L3", "L3 HITM")
BRANCH_CYCLES = 15
LEAST = 100
NAMES = {"sharing": "another core's cache", "memory": "memory",
         "tlb": "TLB misses", "cache": "L1 cache misses",
         "branch": "mispredicted branches"}
BEGINNINGS = {"sharing": "Threads wait for cache lines",
              "memory": "The program waits for memory",
              "tlb": "The program waits for translations",
              "cache": "The program waits for caches",
              "branch": "The program loses cycles to branches",
              None: "No wait that SPE sees limits the program"}


def cause_of(events, source):
    bits = {event_bit(name) for name in events.split("|")} if events else set()
    if source in PEERS or (SNOOPED in bits and source not in MEMORY):
        return "sharing"
    if source in MEMORY or (source is None and LLC_REFILL in bits):
        return "memory"
    if TLB_REFILL in bits:
        return "tlb"
    if L1D_REFILL in bits or source in SHARED_CACHES:
        return "cache"
    return "branch" if MISPREDICTED in bits else None


class Verdict:
    """@waits: {cause: [samples, cycles]}; @places the same by place."""

    def __init__(self, samples, keys, where):
        if "sym" in keys:
            keys = [key for key in keys if key in ("sym", "dso")]
        place = "'' || " + " || char(31) || ".join(KEYS[key] for key in keys)
        self.waits = {cause: [0, 0] for cause in NAMES}
        self.waits[None] = [0, 0]
        self.places = {}
        self.timed = 0
        for name, events, source, nr, timed, cycles in samples.all(
                f"SELECT {place}, events, source_name, count(*), "
                f"count(lat_total), coalesce(sum(lat_total), 0) FROM samples "
                f"WHERE {where} GROUP BY 1, 2, 3"):
            cause = cause_of(events, source)
            self.timed += timed
            if cause == "branch":
                cycles += nr * BRANCH_CYCLES
            of_place = self.places.setdefault((cause, name), [0, 0])
            for wait in (self.waits[cause], of_place):
                wait[0] += nr
                wait[1] += cycles
        self.samples = sum(wait[0] for wait in self.waits.values())
        self.cycles = sum(wait[1] for wait in self.waits.values())
        self.largest = max(NAMES, key=lambda cause: self.waits[cause][1])
        self.cause = self._limit()

    def share(self, cause):
        return self.waits[cause][1] / self.cycles if self.cycles else 0

    def _limit(self):
        if self.share(self.largest) >= 0.1:
            return self.largest
        if self.share("sharing") >= 0.03:
            self.largest = "sharing"
            return "sharing"
        return None

    def evidence(self):
        nr, cycles = self.waits[self.largest]
        part = nr / self.samples
        others = self.samples - nr
        return [nr, self.samples, f"{100 * part:.2f}",
                f"{196 * math.sqrt(part * (1 - part) / self.samples):.2f}",
                f"{cycles / nr if nr else 0:.1f}",
                f"{(self.cycles - cycles) / others if others else 0:.1f}"]

    def most(self):
        """Share and samples of the places with the most cycles."""
        waits = [wait for (cause, _), wait in self.places.items()
                 if cause == self.largest]
        top = max(wait[1] for wait in waits)
        all_ = self.waits[self.largest][1]
        return [f"{100 * top / all_ if all_ else 0:.1f} {wait[0]}"
                for wait in waits if wait[1] == top]

    def check(self, checker, lines):
        lines = [line.removeprefix("# ") for line in lines[:3]]
        if not self.samples:
            return
        if self.timed < LEAST:
            checker.equal("verdict", lines[0], f"Only {self.timed} samples "
                          "have a latency: too few to tell what limits the "
                          "program.")
            return
        checker.equal("verdict", lines[0].startswith(BEGINNINGS[self.cause]),
                      True)
        if not self.waits[self.largest][0]:
            return
        checker.equal("share", re.findall(r"has?v?e? ([\d.]+)% of all",
                                          lines[0]),
                      [f"{100 * self.share(self.largest):.1f}"])
        if self.cause is None:
            checker.equal("largest", NAMES[self.largest] in lines[0], True)
        where = re.search(r": ([\d.]+)%, (\d+) samples\.$", lines[1])
        checker.equal("where", " ".join(where.groups()) in self.most(), True)
        checker.equal("evidence", list(re.match(
            r"Evidence: (\d+) of (\d+) samples, ([\d.]+)% \+- ([\d.]+), with "
            r"([\d.]+) cycles each, all others with (\d+\.\d)",
            lines[2]).groups()), self.evidence())
