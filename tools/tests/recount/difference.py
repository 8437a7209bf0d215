#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: difference.py [--pmscope=PROGRAM] [--where-old=SQL] [--where-new=SQL]
                        [--options="OPTION..."] OLD NEW

Computes every figure of `pmscope diff OPTION... OLD NEW` a second time, from the
samples that script prints and from the raw groups of counters. It shares no code
with pmscope. OPTIONs may be --sort, --per, --weight, --noise and filters, whose
meaning in SQL --where-old and --where-new say; with --filter-a OLD and NEW are one
file. Prints each figure that differs; the exit status is 1 when one does.
"""
import getopt
import math
import sys
from statistics import NormalDist

import perfdata
import traces
from printed import Checker, joined, objects, table
from rows import KEYS, by_name, most_of, shown
from samples import FIELDS, Samples
from totals import Operations

CONFIDENCE = 0.95
FEW = 20
COST_OF = 1000
RATES = (("l1d_refill", "L1D-REFILL"), ("llc_refill", "LLC-REFILL"),
         ("tlb_refill", "TLB-REFILL"), ("mispred", "MISPRED"))
SHARES = {"share"} | {name for name, _ in RATES}
MEASURES = ["cost", "share", "lat_mean", "lat_p50", "lat_p90", "lat_p99",
            "issue_mean", "xlat_mean"] + [name for name, _ in RATES]


# Intervals, as pmscope-diff(1) describes them.

def gamma_limit(total, squares, z):
    """Of a sum of weights, by the cube root of Wilson and Hilferty."""
    if squares <= 0:
        return 0.0
    shape = total ** 2 / squares
    root = 1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape))
    return total * max(root, 0) ** 3


def sum_range(total, squares, most, z):
    return (gamma_limit(total, squares, -z),
            gamma_limit(total + most, squares + most ** 2, z))


def share_range(part, whole, z):
    if whole == 0:
        return 0.0, 1.0
    if 2 * part > whole and part > whole // 2:
        low, high = share_range(whole - part, whole, z)
        return 1 - high, 1 - low
    low, high = sum_range(part, part, 1, z)
    low = low / (whole - (part - 1) / 2 + low / 2) if part else 0.0
    return low, min(high / (whole - part / 2 + high / 2), 1)


def difference(old, new):
    """(value, low, high) of new - old."""
    value = new[0] - old[0]
    return (value,
            value - math.hypot(new[0] - new[1], old[2] - old[0]),
            value + math.hypot(new[2] - new[0], old[0] - old[1]))


class Measured:
    """The samples of one row of one recording."""

    def __init__(self):
        self.samples = 0
        self.of_cpu = {}
        self.lat = {"total": [], "issue": [], "xlat": []}
        self.events = {}
        self.sources = {}

    def add(self, cpu, total, issue, xlat, code, source, events):
        self.samples += 1
        self.of_cpu[cpu] = self.of_cpu.get(cpu, 0) + 1
        for name, value in zip(("total", "issue", "xlat"),
                               (total, issue, xlat)):
            if value is not None:
                self.lat[name].append(value)
        for event in (events or "").split("|"):
            self.events[event] = self.events.get(event, 0) + 1
        if code is not None:
            key = code, source
            self.sources[key] = self.sources.get(key, 0) + 1

    def finish(self):
        for latencies in self.lat.values():
            latencies.sort()
        sources = most_of([(nr, *source)
                           for source, nr in self.sources.items()])
        self.sources = {}
        for nr, code, name in by_name(sources):
            self.sources[code if name is None else name] = nr

    def sourced(self):
        return sum(self.sources.values())


class Side:
    """A recording, or the samples of it for which @where holds."""

    def __init__(self, pmscope, path, keys, where):
        checker = Checker(pmscope, path)
        text, _ = checker.run("script", "--format=jsonl",
                              "--fields=" + ",".join(FIELDS))
        samples = Samples(text.splitlines())
        file = perfdata.PerfData(path)
        per_cpu = dict(samples.all(
            "SELECT cpu, count(*) FROM samples GROUP BY 1"))
        self.operations = Operations(file, per_cpu)
        self.period = self._period(file)
        self.cpus = {midr & 0xff00fff0
                     for midr in traces.midr_of_cpus(file).values()}
        self.instructions = self._instructions(checker)
        self.selected = where != "1"
        self.own = samples.all(
            "SELECT count(*), sum(max(lat_total - lat_issue, 0)) FROM samples "
            f"WHERE {where} AND lat_total NOTNULL AND lat_issue NOTNULL")[0]
        self.rows, self.all = {}, Measured()
        key = "'' || " + " || char(31) || ".join(KEYS[k] for k in keys)
        for name, *values in samples.all(
                f"SELECT {key}, cpu, lat_total, lat_issue, lat_xlat, "
                f"source, source_name, events FROM samples WHERE {where}"):
            self.rows.setdefault(name, Measured()).add(*values)
            self.all.add(*values)
        for row in [self.all, *self.rows.values()]:
            row.finish()

    @staticmethod
    def _period(file):
        periods = {attr.period for attr in file.attrs
                   if (attr.name or "").startswith("arm_spe")}
        return periods.pop() if len(periods) == 1 else 0

    @staticmethod
    def _instructions(checker):
        """Checked by recount.py."""
        text, _ = checker.run("report", "--format=jsonl")
        for line in objects(text):
            if line["type"] == "counter" and "inst_retired" in line["event"]:
                return int(line["count"])
        return 0

    def each(self, row):
        """How many operations a sample of the row stands for."""
        if self.operations and row and row.samples:
            return self.operations.of_row(row)[0] / row.samples
        return self.operations.all.each or self.period


    def work(self):
        """What is known of the whole: {measure: value}."""
        work = {}
        if self.operations:
            work["ops"] = self.operations.of_row(self.all)[0] if self.selected \
                else self.operations.counted["population"]
        elif self.period:
            work["ops"] = self.all.samples * self.period
        if self.instructions and not self.selected:
            work["instructions"] = self.instructions
        if work.get("ops") and self.own[1]:
            work["cycles"] = work["ops"] * self.own[1] / self.own[0]
        return work


class Difference:
    def __init__(self, sides, unit, by_samples, noise):
        self.sides, self.noise = sides, noise
        self.by_samples = by_samples or not any(
            side.all.lat["total"] for side in sides)
        self.unit = unit
        self.unlike_cpus = all(side.cpus for side in sides) and \
            sides[0].cpus != sides[1].cpus
        names = list(sides[0].rows) + [name for name in sides[1].rows
                                       if name not in sides[0].rows]
        self.pairs = {name: [side.rows.get(name) for side in sides]
                      for name in names}
        self.all = [side.all for side in sides]
        self.comparisons = self._count(self.all, True) + sum(
            self._count(pair, False) for pair in self.pairs.values())
        self.z = NormalDist().inv_cdf(
            1 - (1 - CONFIDENCE) / max(self.comparisons, 1) / 2)

    def is_compared(self, pair):
        return all(side.all.samples for side in self.sides) and \
            sum(row.samples for row in pair if row) >= FEW

    def known(self, pair, is_all):
        known = ["cost"] + ([] if is_all else ["share"])
        if not all(side.all.samples for side in self.sides):
            known = []
        # All samples are a row, if there are none, too.
        if not all(pair):
            return known
        for name, prefix in (("total", "lat"), ("issue", "issue"),
                             ("xlat", "xlat")):
            if all(row.lat[name] for row in pair):
                known.append(f"{prefix}_mean")
                if name == "total":
                    known += ["lat_p50", "lat_p90", "lat_p99"]
        return known + [name for name, _ in RATES]

    def sources(self, pair):
        """Of unlike CPUs, a code without a name is not the same source."""
        if not all(row and row.sourced() for row in pair):
            return []
        return list(dict.fromkeys(
            source for row in pair for source in row.sources
            if not self.unlike_cpus or isinstance(source, str)))

    def _count(self, pair, is_all):
        if not self.is_compared(pair):
            return 0
        return len(self.known(pair, is_all)) + len(self.sources(pair))

    def _cost_of(self, side, row):
        each = side.each(row)
        if self.unit == "population":
            return each * COST_OF / side.operations.counted["population"]
        if self.unit == "instructions":
            return each * COST_OF / side.instructions
        if self.unit == "nothing":
            return each if all(s.each(None) for s in self.sides) else 1
        return COST_OF / side.all.samples if side.all.samples else 0

    def _trimmed(self, values, fast, slow):
        """(value, weight) without so many of the fastest and slowest."""
        kept = []
        for i, value in enumerate(values):
            weight = min(i + 1, len(values) - slow) - max(i, fast)
            if weight > 0:
                kept.append((value, weight))
        return kept

    def _cost(self, pair):
        most = max((row.lat["total"][-1] for row in pair
                    if row and row.lat["total"]), default=0)
        figures = []
        for side, row in zip(self.sides, pair):
            by = self._cost_of(side, row)
            samples = row.samples if row else 0
            values = row.lat["total"] if row else []
            if self.by_samples:
                low, high = sum_range(samples, samples, 1, self.z)
                low, total = low * (1 - self.noise), samples
            else:
                few = self._trimmed(values, 0, self.noise * len(values))
                low = sum_range(sum(w * v for v, w in few),
                                sum(w * v * v for v, w in few), most,
                                self.z)[0]
                total = sum(values)
                high = sum_range(total, sum(v * v for v in values), most,
                                 self.z)[1]
            figures.append((total * by, low * by,
                            high * (1 + self.noise) * by))
        return figures

    def _mean(self, lists):
        centre = sum(map(sum, lists)) / sum(map(len, lists))
        least, most = min(v[0] for v in lists), max(v[-1] for v in lists)
        figures = []
        for values in lists:
            noise = self.noise * len(values)
            ends = []
            for fast, slow in ((0, noise), (noise, 0)):
                kept = self._trimmed(values, fast, slow)
                count = sum(w for _, w in kept)
                parts = []
                for sign, far in ((-1, centre - least), (1, most - centre)):
                    side = [(sign * (v - centre), w) for v, w in kept
                            if sign * (v - centre) > 0]
                    total = sum(v * w for v, w in side)
                    low, high = sum_range(total,
                                          sum(v * v * w for v, w in side),
                                          far, self.z)
                    parts.append((total / count, low / count, high / count))
                ends.append(difference(*parts))
            figures.append((sum(values) / len(values), centre + ends[0][1],
                            centre + ends[1][2]))
        return figures

    def _percentile(self, lists, percent):
        figures = []
        for values in lists:
            nr = len(values)
            rank = next(r for r in range(nr + 1) if 100 * r >= percent * nr)
            least = max(percent / 100 - self.noise, 0)
            most = min(percent / 100 + self.noise, 1)
            # Limits grow with the rank.
            first = self._bisect(
                nr, lambda c, n=nr: share_range(c, n, self.z)[1] >= least)
            last = self._bisect(
                nr + 1, lambda c, n=nr: share_range(c, n, self.z)[0] >= most)
            figures.append((values[max(rank, 1) - 1],
                            values[first - 1] if first else 0,
                            values[last - 1] if last <= nr else math.inf))
        return figures

    @staticmethod
    def _bisect(nr, is_reached):
        """The first from 0 on that is reached; @nr if none before it is."""
        low, high = 0, nr
        while low < high:
            middle = (low + high) // 2
            if is_reached(middle):
                high = middle
            else:
                low = middle + 1
        return low

    def _share(self, pair):
        figures = []
        for side, row in zip(self.sides, pair):
            part, whole = row.samples if row else 0, side.all.samples
            low, high = share_range(part, whole, self.z)
            figures.append((part / whole, low * (1 - self.noise),
                            min(high * (1 + self.noise), 1)))
        return figures

    def _rate(self, parts, wholes):
        figures = []
        for part, whole in zip(parts, wholes):
            low, high = share_range(part, whole, self.z)
            figures.append((part / whole if whole else 0,
                            max(low - self.noise, 0),
                            min(high + self.noise, 1)))
        return figures

    def figures(self, pair, measure):
        if measure == "cost":
            return self._cost(pair)
        if measure == "share":
            return self._share(pair)
        event = dict(RATES).get(measure)
        if event:
            return self._rate([row.events.get(event, 0) for row in pair],
                              [row.samples for row in pair])
        kind, _, what = measure.partition("_")
        lists = [row.lat["total" if kind == "lat" else kind] for row in pair]
        if what == "mean":
            return self._mean(lists)
        return self._percentile(lists, int(what[1:]))

    def row(self, pair, is_all=False):
        """{measure: (old, new, change)}, {source: the same}."""
        measures = {}
        for name in self.known(pair, is_all):
            old, new = self.figures(pair, name)
            measures[name] = old, new, difference(old, new)
        sources = {}
        for source in self.sources(pair):
            old, new = self._rate([row.sources.get(source, 0) for row in pair],
                                  [row.sourced() for row in pair])
            sources[source] = old, new, difference(old, new)
        return measures, sources

    def verdict(self, pair, measures, sources):
        def changed(figures):
            return figures[2][1] > 0 or figures[2][2] < 0

        if not self.is_compared(pair):
            return "too few samples"
        if not any(map(changed, [*measures.values(), *sources.values()])):
            return "within noise"
        if not pair[0] or not pair[0].samples:
            return "new"
        if not pair[1] or not pair[1].samples:
            return "gone"
        if not changed(measures["cost"]):
            return "changed"
        return "costs more" if measures["cost"][2][0] > 0 else "costs less"


def samples_of(row):
    return str(row.samples if row else 0)


class Checks:
    """What was printed, in all three forms."""

    def __init__(self, checker, difference_, keys):
        self.checker, self.difference, self.keys = checker, difference_, keys

    def close(self, what, printed, expected, decimals):
        """A limit that is infinite is left out."""
        if math.isinf(expected):
            self.checker.equal(what, printed, "")
        else:
            # The limits of sums are of doubles, too.
            allowed = 0.51 * 10 ** -decimals + 1e-9 * abs(expected)
            same = printed != "" and \
                abs(float(printed) - expected) <= allowed
            self.checker.equal(what, printed if not same else "same",
                               "same" if same else f"{expected:.9g}")

    def figures(self, what, printed, figures, decimals, names):
        for (key, value) in zip(names, [v for f in figures for v in f]):
            self.close(f"{what} {key}", printed.get(key, ""), value, decimals)

    def json_row(self, line, pair, is_all=False):
        measures, sources = self.difference.row(pair, is_all)
        what = "total" if is_all else " ".join(
            line[key] or "" for key in self.keys)
        equal = self.checker.equal
        equal(f"{what} verdict", line["verdict"],
              self.difference.verdict(pair, measures, sources))
        equal(f"{what} old", line["samples_old"], samples_of(pair[0]))
        equal(f"{what} new", line["samples_new"], samples_of(pair[1]))
        equal(f"{what} measures", sorted(line["measures"]), sorted(measures))
        for name, figures in measures.items():
            printed = line["measures"].get(name, {})
            self.figures(f"{what} {name}", printed, figures,
                         6 if name in SHARES else 3,
                         ("old", "old_low", "old_high", "new", "new_low",
                          "new_high", "change", "low", "high"))
            self.changed(f"{what} {name}", printed["changed"], pair, figures)
        self.json_sources(what, line["sources"], pair, sources)

    def changed(self, what, printed, pair, figures):
        low, high = figures[2][1:]
        self.checker.equal(
            f"{what} changed", printed,
            self.difference.is_compared(pair) and (low > 0 or high < 0))

    def json_sources(self, what, printed, pair, sources):
        found = {source.get("name", source["code"]): source
                 for source in printed}
        for row in pair:
            for source in row.sources if row else ():
                one = found.pop(str(source), None) or found.get(str(source))
                found[str(source)] = one
        for source, one in found.items():
            for row, key in zip(pair, ("old", "new")):
                nr = {str(k): v for k, v in row.sources.items()} if row else {}
                self.checker.equal(f"{what} source {source}", one[key],
                                   str(nr.get(source, 0)))
            if self.difference.unlike_cpus and "name" not in one:
                self.checker.equal(f"{what} source {source} is compared",
                                   "change" in one, False)
        for source, figures in sources.items():
            one = found[str(source)]
            self.figures(f"{what} source {source}", one, figures[2:], 6,
                         ("change", "low", "high"))
            self.changed(f"{what} {source}", one["changed"], pair, figures)

    def name_of(self, line):
        return chr(31).join(line[key] or "" for key in self.keys)

    def json(self, text):
        lines = objects(text)
        summary, total, *rows = lines
        d = self.difference
        equal = self.checker.equal
        equal("unit", summary["per"], d.unit)
        equal("unlike CPUs", summary["unlike_cpus"], d.unlike_cpus)
        equal("comparisons", summary["comparisons"], str(d.comparisons))
        self.close("deviations", summary["deviations"], d.z, 6)
        works = [side.work() for side in d.sides]
        for name in ("ops", "instructions", "cycles"):
            equal(f"{name} is known", name in summary["work"],
                  all(work.get(name) for work in works))
            for key, work in zip(("old", "new"), works):
                if name in summary["work"]:
                    self.close(f"{name} {key}", summary["work"][name][key],
                               work[name], 3)
        equal("rows", summary["rows"], str(len(d.pairs)))
        equal("rows that are printed", len(rows), len(d.pairs))
        for key, side in zip(("old", "new"), d.sides):
            equal(f"{key} samples", summary[key]["samples"],
                  str(side.all.samples))
        self.json_row(total, d.all, True)
        for line in rows:
            self.json_row(line, d.pairs[self.name_of(line)])
        self.order(summary, rows)

    def order(self, summary, rows):
        """What changed is first, then by the size of the change of cost."""
        def place(line):
            changed = line["verdict"] not in ("within noise",
                                              "too few samples")
            cost = (0, 0), (0, 0)
            if "cost" in line["measures"]:
                cost = self.difference.figures(
                    self.difference.pairs[self.name_of(line)], "cost")
            return not changed, -round(abs(cost[1][0] - cost[0][0]), 6)

        places = [place(line) for line in rows]
        self.checker.equal("order", places, sorted(places))
        self.checker.equal("changed", summary["changed"],
                           str(sum(not place[0] for place in places)))

    def csv(self, text, expected):
        """The same figures as the JSON lines, which were checked."""
        rows = table(text)
        self.checker.equal("rows of CSV", len(rows), len(expected))
        for row, line in zip(rows, expected):
            for key in self.keys:
                self.checker.equal(f"CSV {key}", row[key],
                                   shown(key, line[key] or ""))
            for key in ("verdict", "samples_old", "samples_new"):
                self.checker.equal(f"CSV {key}", row[key], line[key])
            for name in MEASURES:
                measure = line["measures"].get(name, {})
                for key in ("old", "new", "change", "low", "high"):
                    self.checker.equal(f"CSV {name}_{key}",
                                       row[f"{name}_{key}"],
                                       measure.get(key, ""))
                self.checker.equal(f"CSV {name}_changed",
                                   row[f"{name}_changed"],
                                   str(int(measure["changed"]))
                                   if measure else "")
            self.checker.equal(
                "CSV sources", joined(row["sources"]),
                [f"{s.get('name', s['code'])}={s['old']}/{s['new']}"
                 for s in line["sources"]])

    def text(self, text, lines):
        """The first numbers of each row."""
        rows = [line for line in text.splitlines()
                if line[:1] != "#" and "(" in line[14:16]]
        self.checker.equal("rows of text", len(rows), len(lines))
        for row, line in zip(rows, lines):
            cost = line["measures"]["cost"]
            words = row.replace("(", " ").replace(")", " ").split()
            self.checker.equal("text cost", words[0],
                               self.one(row, words[0], cost["change"]))
            self.checker.equal("text low", words[1],
                               self.one(row, words[1], cost["low"]))
            self.checker.equal("text high", words[3],
                               self.one(row, words[3], cost["high"]))
            self.checker.equal("text verdict", line["verdict"] in row, True)

    @staticmethod
    def one(_, printed, exact):
        """Printed with one decimal; @exact has three."""
        return printed if abs(float(printed) - float(exact)) <= 0.0505 and \
            printed[0] in "+-" else exact


def main():
    options, files = getopt.getopt(
        sys.argv[1:], "", ["pmscope=", "where-old=", "where-new=", "options="])
    given = dict(options)
    pmscope = given.get("--pmscope", "pmscope")
    others = given.get("--options", "").split()
    named = dict(word[2:].split("=", 1) for word in others)
    keys = named.get("sort", "sym").split(",")
    sides = [Side(pmscope, path, keys, given.get(where, "1"))
             for path, where in zip(files, ("--where-old", "--where-new"))]
    of_one = "filter-a" in named or "filter-b" in named
    operands = files[:1] if of_one else files
    checker = Checker(pmscope, None)
    outputs = [checker.output("diff", *others, f"--format={form}", *more,
                              *operands)
               for form, more in (("jsonl", ()), ("csv", ()),
                                  ("text", ("--limit=1000000",)))]
    unit = objects(outputs[0])[0]["per"]
    checks = Checks(checker, Difference(
        sides, unit, named.get("weight") == "samples",
        float(named.get("noise", 2)) / 100), keys)
    checks.json(outputs[0])
    lines = objects(outputs[0])
    checks.csv(outputs[1], lines[2:])
    if all(side.all.samples for side in sides):
        checks.text(outputs[2], lines[1:])
    return checker.result()


if __name__ == "__main__":
    sys.exit(main())
