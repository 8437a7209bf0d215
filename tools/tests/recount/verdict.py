# SPDX-License-Identifier: GPL-2.0-or-later
"""The sentences that `pmscope report` begins with, from the samples by SQL."""
import math
import re

from rows import KEYS
from spe import event_bit

L1D_REFILL, TLB_REFILL, MISPREDICTED, LLC_REFILL, REMOTE, SNOOPED = \
    3, 5, 7, 9, 10, 23
PEERS = ("peer core", "local cluster", "peer cluster", "remote",
         "local chip or device", "peer core HITM", "peer cluster HITM",
         "remote socket", "remote socket HITM")
MEMORY = ("DRAM", "local memory", "remote memory", "non-cacheable or device")
SHARED_CACHES = ("system cache", "L3", "L3 HITM")
BRANCH_CYCLES = 15
LEAST = 100
NAMES = {"sharing": "another core's cache", "remote": "remote memory",
         "memory": "memory", "tlb": "TLB misses", "cache": "L1 cache misses",
         "branch": "mispredicted branches", "atomic": "atomics",
         "store": "stores", "arithmetic": "dependencies"}
BEGINNINGS = {"sharing": "Threads wait for cache lines",
              "remote": "The program waits for memory of another node",
              "memory": "The program waits for memory:",
              "tlb": "The program waits for translations",
              "cache": "The program waits for caches",
              "branch": "The program loses cycles to branches",
              "atomic": "The program waits for atomic",
              "store": "The program waits for stores",
              "arithmetic": "The program waits for results",
              None: "No wait that SPE sees limits the program"}
# Of what a need is the low percentile, at most, and without any.
NEEDS = {None: (10, 256, 4), "atomic": (10, 20, 0), "store": (10, 20, 0),
         "arithmetic": (10, 4, 0), "translate": (10, 4, 1), "issue": (1, 8, 0)}


def cause_of(events, source, op, is_atomic):
    bits = {event_bit(name) for name in events.split("|")} if events else set()
    if source in PEERS or (SNOOPED in bits and source not in MEMORY):
        return "atomic" if is_atomic else "sharing"
    if REMOTE in bits and (source in MEMORY[:3] or
                           (source is None and LLC_REFILL in bits)) or \
            source == "remote memory":
        return "remote"
    if source in MEMORY or (source is None and LLC_REFILL in bits):
        return "memory"
    if TLB_REFILL in bits:
        return "tlb"
    if L1D_REFILL in bits or source in SHARED_CACHES:
        return "cache"
    if MISPREDICTED in bits:
        return "branch"
    if is_atomic:
        return "atomic"
    return {"other": "arithmetic", "store": "store"}.get(op)


def need(name, counts):
    """@counts: how often each number of cycles occurs."""
    percent, most, none = NEEDS[name]
    if not counts:
        return none
    seen = 0
    for cycles in sorted(counts):
        seen += counts[cycles]
        if 100 * seen >= percent * sum(counts.values()):
            return min(cycles, most)
    return most


class Place:
    def __init__(self):
        self.samples = dict.fromkeys((*NAMES, None), 0)
        self.own = dict.fromkeys((*NAMES, None), 0)
        self.cycles = dict.fromkeys(NAMES, 0)
        self.waits = 0

    def producers(self):
        return sum(cycles for cause, cycles in self.cycles.items()
                   if cause != "branch")

    def settle(self, waits, producers):
        if not producers:
            self.cycles["arithmetic"] += self.waits
        for cause in NAMES if producers else ():
            if cause != "branch":
                self.cycles[cause] *= 1 + waits / producers


class Verdict:
    """@rows: {(row, place, cause): [samples, own, translate, before issue]};
    each row is beyond what is needed for itself."""

    def __init__(self, samples, keys, where):
        row = "'' || " + " || char(31) || ".join(KEYS[key] for key in keys)
        if "sym" in keys:
            keys = [key for key in keys if key in ("sym", "dso")]
        place = "'' || " + " || char(31) || ".join(KEYS[key] for key in keys)
        self.timed = self.total = self.squares = 0
        rows, counts = {}, {name: {} for name in NEEDS}
        for of_row, name, events, source, op, is_atomic, known, total, issue, \
                translate, nr in samples.all(
                    f"SELECT {row}, {place}, events, source_name, op, "
                    f"op_text LIKE '% AT%', lat_total NOTNULL, "
                    f"coalesce(lat_total, 0), coalesce(lat_issue, 0), "
                    f"coalesce(lat_xlat, 0), count(*) FROM samples "
                    f"WHERE {where} GROUP BY 1,2,3,4,5,6,7,8,9,10"):
            cause = cause_of(events, source, op, is_atomic)
            sums = rows.setdefault((of_row, name, cause), [0, 0, 0, 0])
            sums[0] += nr
            self.timed += nr * known
            if not total:
                continue
            self.total += nr * total
            self.squares += nr * total ** 2
            own = max(total - issue, 0)
            translate = min(translate, own)
            for i, value in enumerate((own - translate, translate,
                                       total - own), 1):
                sums[i] += nr * value
            for key, value in ((cause, own - translate), ("issue", total - own),
                               ("translate", translate)):
                if key in counts and (key != "translate" or
                                      (cause is None and translate)):
                    counts[key][value] = counts[key].get(value, 0) + nr
        self.needs = {name: need(name, counts[name]) for name in NEEDS}
        self.places = {}
        for (_, name, cause), sums in rows.items():
            self._add(self.places.setdefault(name, Place()), cause, *sums)
        waits = sum(of.waits for of in self.places.values())
        producers = sum(of.producers() for of in self.places.values())
        for of in self.places.values():
            if "sym" in keys:
                of.settle(of.waits, of.producers())
            else:
                of.settle(waits, producers)
        self.samples = sum(sums[0] for sums in rows.values())
        self.own = sum(sums[1] + sums[2] for sums in rows.values())
        self.cycles = self.total + self._sum("cycles", ["branch"])
        self.of = {cause: self._sum("cycles", [cause]) for cause in NAMES}
        self.largest = next(cause for cause in NAMES if self.of[cause] >=
                            max(self.of.values()) * (1 - 1e-9))
        self.cause = self._limit()

    def _add(self, of, cause, nr, own, translate, before):
        walks = max(translate - nr * self.needs["translate"], 0)
        of.samples[cause] += nr
        of.own[cause] += own + translate
        if cause == "branch":
            of.cycles[cause] += nr * BRANCH_CYCLES
        elif cause is not None:
            needed = self.needs.get(cause, self.needs[None])
            of.cycles[cause] += max(own - nr * needed, 0)
        if walks and cause != "tlb":
            of.samples["tlb"] += nr
            of.own["tlb"] += own + translate
        of.cycles["tlb"] += walks
        of.waits += max(before - nr * self.needs["issue"], 0)

    def _sum(self, what, causes):
        return sum(getattr(of, what)[cause] for of in self.places.values()
                   for cause in causes)

    def share(self, cause):
        return self.of[cause] / self.cycles if self.cycles else 0

    def _limit(self):
        if self.share(self.largest) >= 0.1:
            return self.largest
        if self.share("sharing") >= 0.03:
            self.largest = "sharing"
            return "sharing"
        return None

    def shown(self, cause):
        share = self.share(cause)
        deviation = 196 * math.sqrt(self.squares * share * (1 - share)) / \
            self.total if self.total else 0
        return 100 * share, deviation

    def evidence(self):
        nr = self._sum("samples", [self.largest])
        own = self._sum("own", [self.largest])
        part = nr / self.samples
        others = self.samples - nr
        return [100 * part,
                196 * math.sqrt(part * (1 - part) / self.samples),
                own / nr if nr else 0,
                (self.own - own) / others if others else 0]

    def most(self):
        """Share and samples of the places with the most cycles."""
        top = max(of.cycles[self.largest] for of in self.places.values())
        all_ = self.of[self.largest]
        return 100 * top / all_ if all_ else 0, [
            of.samples[self.largest] for of in self.places.values()
            if math.isclose(of.cycles[self.largest], top, rel_tol=1e-9)]

    def check(self, checker, lines):
        lines = [line.removeprefix("# ") for line in lines]
        if "".join(checker.sentences).isprintable():
            checker.equal("sentences of text", checker.sentences,
                          lines[:len(checker.sentences)])
        if not self.samples:
            return
        if self.timed < LEAST:
            checker.equal("verdict", lines[0], f"Only {self.timed} samples "
                          "have a latency: too few to tell what limits the "
                          "program: record longer, or with a smaller -c.")
            return
        checker.equal("verdict", lines[0].startswith(BEGINNINGS[self.cause]) or
                      lines[0].startswith("Only "), True)
        if not self.of[self.largest]:
            return
        share = re.search(r"has?v?e? ([\d.]+)% \+- ([\d.]+)", lines[0])
        for printed, expected in zip(share.groups(), self.shown(self.largest)):
            checker.close("share", printed, expected, 1)
        if self.cause is None:
            checker.equal("largest", NAMES[self.largest] in lines[0], True)
        where = re.search(r": ([\d.]+)%, (\d+) samples\.$", lines[1])
        share, samples = self.most()
        checker.close("where", where[1], share, 1)
        checker.equal("samples", int(where[2]) in samples, True)
        found = re.match(
            r"Evidence: (\d+) of (\d+) samples, ([\d.]+)% \+- ([\d.]+), with "
            r"([\d.]+) own cycles each,.* all others with (\d+\.\d)", lines[2])
        checker.equal("evidence", list(found.groups()[:2]),
                      [self._sum("samples", [self.largest]), self.samples])
        for printed, expected, decimals in zip(
                found.groups()[2:], self.evidence(), (2, 2, 1, 1)):
            checker.close("evidence", printed, expected, decimals)
