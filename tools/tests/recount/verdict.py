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
BRANCH_CYCLES, BRANCH_TIME = 15, 11
SLOW_CYCLES, SLOW_CAPPED = 4, 200
LEAST = 100
LIMITS = (4095, 65535)
# Cycles: before the issue of what waits for others, of the quickest, of late loads
WAITED, QUICK, LATE = 8, 2, 32
# Own cycles where the counters of all are at their limit
CAPPED = {"sharing": 100, "remote": 400, "memory": 200, "cache": 20}
FETCHING = ("sharing", "remote", "memory", "cache")
NAMES = {"sharing": "another core's cache", "remote": "remote memory",
         "memory": "memory", "cache": "L1 cache misses", "tlb": "TLB misses",
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
NEEDS = {None: (10, 255, 4), "atomic": (10, 8, 0), "store": (10, 20, 0),
         "arithmetic": (10, 4, 0), "translate": (10, 4, 1), "issue": (1, 8, 0)}


def cause_of(events, source, op, is_atomic, is_translation):
    bits = {event_bit(name) for name in events.split("|")} if events else set()
    if source in PEERS or (SNOOPED in bits and source not in MEMORY):
        return "atomic" if is_atomic else "sharing"
    if REMOTE in bits and (source in MEMORY[:3] or
                           (source is None and LLC_REFILL in bits)) or \
            source == "remote memory":
        return "remote"
    if source in MEMORY or (source is None and LLC_REFILL in bits):
        return "memory"
    if L1D_REFILL in bits or source in SHARED_CACHES:
        return "atomic" if is_atomic else "cache"
    if TLB_REFILL in bits and is_translation:
        return "tlb"
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


class Sums:
    """Cycles of the samples of a cause in a place: own ones without and with the
    translation, those that others wait for, those of links of chains (or of late
    loads), before the issue; @capped have counters at their limits."""

    def __init__(self):
        self.nr = self.own = self.walks = self.total = self.capped = 0
        self.awaited = self.links = self.nr_links = 0

    def add(self, cause, nr, total, issue, walks):
        self.nr += nr
        if not total:
            return
        capped = total == issue and total in LIMITS
        own = walks if capped else max(total - issue, 0)
        walks = min(walks, own)
        self.total += nr * total
        self.own += nr * (own - walks)
        self.walks += nr * walks
        self.capped += nr * capped
        if own >= LATE if cause is None else issue > WAITED:
            self.links += nr * own
            self.nr_links += nr
        if not capped and (issue > WAITED and own > QUICK or
                           cause not in (None, "branch", "store",
                                         "arithmetic")):
            self.awaited += nr * own


class Place:
    """@needs of the names of NEEDS, @capped cycles of causes"""

    def __init__(self):
        self.of = {cause: Sums() for cause in (*NAMES, None)}
        self.slow = {cause: {} for cause in NAMES}  # by instruction

    def add_slow(self, code, cause, nr, total, issue, walks):
        capped = total == issue and total in LIMITS
        own = walks if capped else max(total - issue, 0)
        walks = min(walks, own)
        cycles = own - walks if own - walks > SLOW_CYCLES else 0
        if capped:
            cycles = SLOW_CAPPED if cause in (*FETCHING, "tlb") else 0
        if cause == "branch":
            cycles = 1
        for name, each in ((cause, cycles),
                           ("tlb", walks if walks > SLOW_CYCLES else 0)):
            if name and each and code[1] is not None:
                of = self.slow[name]
                of[code] = of.get(code, 0) + nr * each

    def slowest(self, cause):
        """All instructions with the most cycles, as sentences end."""
        most = max(self.slow[cause].values(), default=0)
        return {f"at +0x{symoff:x}" + (f", {line}" if line else "")
                for (_, symoff, line), cycles in self.slow[cause].items()
                if cycles == most}

    def weigh(self, needs, capped):
        """Sets what is beyond the needs, for each cause and in all."""
        self.excess, self.walks, self.part = {}, {}, {}
        self.awaited = dict.fromkeys(self.of, 0)
        self.waits = 0
        self.own = {}
        for cause, sums in self.of.items():
            guess = sums.capped * capped[cause]
            self.own[cause] = sums.own + sums.walks + guess
            self.waits += max(sums.total - self.own[cause] -
                              sums.nr * needs["issue"], 0)
            self.awaited[cause] = sums.awaited
            if sums.capped and (capped[cause] > QUICK or
                                cause not in (None, "branch", "store",
                                              "arithmetic")):
                self.awaited[cause] += \
                    guess + sums.walks * sums.capped / sums.nr
            of, nr = sums.own, sums.nr
            if cause in (None, "arithmetic"):
                of, nr = sums.links, sums.nr_links
            if cause is not None:
                of += guess
            self.excess[cause] = 0 if cause == "branch" else \
                max(of - nr * needs.get(cause, needs[None]), 0)
            self.walks[cause] = max(
                sums.walks - sums.nr * needs["translate"], 0)
            self.part[cause] = sums.links + guess \
                if cause == "arithmetic" else self.own[cause]

    def settle(self, waits, awaited, branch_cost):
        self.cycles = dict.fromkeys((*NAMES, None), 0)
        for cause, sums in self.of.items():
            more = 1
            if awaited and self.part[cause]:
                more += waits * self.awaited[cause] / awaited / \
                    self.part[cause]
            self.cycles[cause] += self.excess[cause] * more
            self.cycles["tlb"] += self.walks[cause] * more
        self.cycles["branch"] = self.of["branch"].nr * branch_cost
        late = self.cycles.pop(None)
        fetched = sum(self.cycles[cause] for cause in FETCHING)
        for cause in FETCHING if fetched else ():
            self.cycles[cause] *= 1 + late / fetched
        self.samples = {cause: sums.nr for cause, sums in self.of.items()}
        self.own = {cause: int(own) for cause, own in self.own.items()}
        self.all_own = sum(self.own.values())
        for cause, walks in self.walks.items():
            if walks and cause != "tlb":
                self.samples["tlb"] += self.samples[cause]
                self.own["tlb"] += self.own[cause]


class Verdict:
    """What all samples, or those of each function, say"""

    def __init__(self, samples, keys, where, ipc=None):
        """@ipc: of what all samples stand for"""
        self.by_function = "sym" in keys
        if self.by_function:
            keys = [key for key in keys if key in ("sym", "dso")]
        place = "'' || " + " || char(31) || ".join(KEYS[key] for key in keys)
        self.timed = self.total = self.squares = self.samples = 0
        counts = {name: {} for name in NEEDS}
        self.places = {}
        for name, at, symoff, line, events, source, op, is_atomic, known, \
                total, issue, xlat, nr in samples.all(
                    f"SELECT {place}, file_offset, symoff, line, events, "
                    f"source_name, op, "
                    f"op_text LIKE '% AT%', lat_total NOTNULL, "
                    f"coalesce(lat_total, 0), coalesce(lat_issue, 0), "
                    f"lat_xlat, count(*) FROM samples "
                    f"WHERE {where} GROUP BY 1,2,3,4,5,6,7,8,9,10,11,12"):
            walks = xlat or 0
            cause = cause_of(events, source, op, is_atomic, xlat is None or (
                walks > SLOW_CYCLES and 2 * walks + issue >= total))
            of = self.places.setdefault(name, Place())
            of.of[cause].add(cause, nr, total, issue, walks)
            of.add_slow((at, symoff, line), cause, nr, total, issue, walks)
            self.samples += nr
            self.timed += nr * known
            self.total += nr * total
            self.squares += nr * total ** 2
            if total:
                self._count(counts, cause, nr, total, issue, walks)
        needs = {name: need(name, counts[name]) for name in NEEDS}
        capped = {cause: self._capped(cause, needs)
                  for cause in (*NAMES, None)}
        for of in self.places.values():
            of.weigh(needs, capped)
        cost = self._branch_cost(ipc)
        waits = sum(of.waits for of in self.places.values())
        awaited = sum(sum(of.awaited.values()) for of in self.places.values())
        for of in self.places.values():
            if "sym" in keys:
                of.settle(of.waits, sum(of.awaited.values()), cost)
            else:
                of.settle(waits, awaited, cost)
        self.own = sum(of.all_own for of in self.places.values())
        self.cycles = self.total + self._sum("cycles", ["branch"])
        self.of = {cause: self._sum("cycles", [cause]) for cause in NAMES}
        self.largest = next(cause for cause in NAMES if self.of[cause] >=
                            max(self.of.values()) * (1 - 1e-9))
        self.cause = self._limit()

    def _branch_cost(self, ipc):
        wrong = sum(of.of["branch"].nr for of in self.places.values())
        if not wrong or not ipc:
            return BRANCH_CYCLES
        part = min(BRANCH_TIME * ipc * wrong / self.samples, 0.9)
        return self.total * part / (1 - part) / wrong

    @staticmethod
    def _count(counts, cause, nr, total, issue, walks):
        capped = total == issue and total in LIMITS
        own = walks if capped else max(total - issue, 0)
        walks = min(walks, own)
        for key, value in ((cause, own - walks), ("issue", total - own),
                           ("translate", walks)):
            if key in counts and (key != "translate" or
                                  (cause is None and walks)) and \
                    not (capped and key == cause):
                counts[key][value] = counts[key].get(value, 0) + nr

    def _capped(self, cause, needs):
        all_ = [of.of[cause] for of in self.places.values()]
        nr = sum(sums.nr - sums.capped for sums in all_)
        if nr:
            return sum(sums.own for sums in all_) / nr
        return max(CAPPED.get(cause, 0), needs.get(cause, needs[None]))

    def _sum(self, what, causes):
        return sum(getattr(of, what)[cause] for of in self.places.values()
                   for cause in causes)

    def share(self, cause):
        return self.of[cause] / self.cycles if self.cycles else 0

    def _limit(self):
        limits = [cause for cause in NAMES if self.share(cause) >=
                  (0.1 if cause in ("sharing", "branch") else 0.2)]
        if not limits:
            return None
        most = max(self.of[cause] for cause in limits)
        self.largest = next(cause for cause in limits
                            if self.of[cause] >= most * (1 - 1e-9))
        return self.largest

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
        """Share, samples and slowest instructions of the places with the
        most cycles."""
        top = max(of.cycles[self.largest] for of in self.places.values())
        all_ = self.of[self.largest]
        return 100 * top / all_ if all_ else 0, [
            (of.samples[self.largest], of.slowest(self.largest))
            for of in self.places.values()
            if math.isclose(of.cycles[self.largest], top, rel_tol=1e-9)]

    @staticmethod
    def check_lost(checker, lines, rest):
        """@rest: with counters. Returns the @lines that follow."""
        counts = {line["event"]: int(line["count"]) for line in rest
                  if line["type"] == "counter"}
        cycles, front, back = (counts.get(f"pmu_snapshot/{name}/", 0) for name
                               in ("cpu_cycles", "stall_frontend",
                                   "stall_backend"))
        if not lines or not re.match(r"# Of [\d.]+ M cycles", lines[0]):
            return lines
        shown = re.search(r"([\d.]+)% were lost.*: in ([\d.]+)% the back.* in "
                          r"([\d.]+)% the front", lines[0])
        for printed, lost in zip(shown.groups(), (front + back, back, front)):
            checker.close("lost cycles", printed, 100 * lost / cycles, 1)
        checker.sentences = checker.sentences[1:]
        return lines[1:]

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
        where = re.search(
            r": ([\d.]+)%, (\d+) samples\.(?: Its costliest instruction is "
            r"(?:'.*' )?(at .*)\.)?$", lines[1])
        share, most = self.most()
        checker.close("where", where[1], share, 1)
        slow = [codes for nr, codes in most if nr == int(where[2])]
        checker.equal("samples", bool(slow), True)
        if self.by_function:
            checker.equal("instruction", any(
                where[3] in codes or (not where[3] and not codes)
                for codes in slow), True)
        samples = self._sum("samples", [self.largest])
        percent, error, own, others = self.evidence()
        if samples == self.samples:
            found = re.match(r"Evidence: all (\d+) samples, with ([\d.]+) own "
                             r"cycles each(?!.* others)", lines[2])
            checker.equal("evidence", found[1], samples)
            checker.close("evidence", found[2], own, 1)
            return
        found = re.match(
            r"Evidence: (\d+) of (\d+) samples, ([\d.]+)% \+- ([\d.]+), with "
            r"([\d.]+) own cycles each,.* all others with (\d+\.\d)", lines[2])
        checker.equal("evidence", list(found.groups()[:2]),
                      [samples, self.samples])
        for printed, expected, decimals in zip(
                found.groups()[2:], (percent, error, own, others),
                (2, 2, 1, 1)):
            checker.close("evidence", printed, expected, decimals)
