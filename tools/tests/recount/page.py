# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers in the page of `pmscope report --format=html`."""
import json
import re
from collections import Counter

from printed import Literal, objects
from rows import KEYS, OWN
from verdict import NAMES, Verdict

UNKNOWN = "[unknown]"
LINE_SIZE = 64
EVENTS = ("L1D-REFILL", "LLC-REFILL", "TLB-REFILL", "MISPRED")
MODEL = re.compile(r'<script type="application/json" id="model">(.*?)</script>',
                   re.S)


def class_of(latency, classes):
    """The number of the last class that does not begin above @latency."""
    if latency is None:
        return len(classes)
    return max(i for i, first in enumerate(classes) if first <= latency)


class Cells:
    """The cells of a page, as tuples (place, kind, slice, class, samples,
    cycles, own cycles)."""

    def __init__(self, model):
        classes = model["classes"]
        row = len(classes) + 1
        self.all = []
        for place, kind, numbers in model["cells"]:
            for i in range(0, len(numbers), 4):
                of_time, of_class = divmod(numbers[i], row)
                cycles = numbers[i + 2]
                if of_class < len(classes):
                    cycles += numbers[i + 1] * classes[of_class]
                self.all.append((place, kind & 511, of_time, of_class,
                                 numbers[i + 1], cycles, numbers[i + 3]))

    def sums(self, key):
        """(samples, cycles, own cycles) by each @key of a cell."""
        sums = {}
        for cell in self.all:
            for value in key(cell):
                sums[value] = tuple(map(sum, zip(
                    sums.get(value, (0, 0, 0)), cell[4:])))
        return sums


def check_counts(checker, model, timeline):
    """The strips of counters: counts in slices, rounded to whole ones."""
    events = list(timeline.events)
    printed = {nr: counter["slices"]
               for nr, counter in enumerate(model["counters"])
               if nr < len(events)}
    if "cycles" in model:
        events += ["cycles", "instructions"]
        printed[len(events) - 2] = model["cycles"]
        printed[len(events) - 1] = model["instructions"]
    checker.equal("counters of the page", len(printed), len(events))
    for nr, slices in printed.items():
        for i, one in enumerate(timeline.slices[:len(slices)]):
            checker.close(f"slice {i} of {events[nr]}", slices[i],
                          one.counts.get(events[nr], 0), 0)


class Page:
    """What the page of the samples for which @where holds has to have."""

    def __init__(self, samples, where):
        self.samples, self.where = samples, where

    def _sums(self, columns, key, where="1", table="samples"):
        """(samples, cycles, own cycles) by the key of @columns."""
        sums = {}
        for *values, latency, own in self.samples.all(
                f"SELECT {columns}, coalesce(lat_total, 0), "
                f"{OWN} FROM {table} WHERE {self.where} AND {where}"):
            of = key(*values)
            nr, cycles, all_own = sums.get(of, (0, 0, 0))
            sums[of] = nr + 1, cycles + latency, all_own + own
        return sums

    def _by_region(self, time, classes):
        first = time["begin"] // time["width"]
        return self._sums("time, lat_total", lambda at, latency: (
            time["slices"] if at is None
            else int(at) // time["width"] - first,
            class_of(latency, classes)))

    def _by_function(self):
        return self._sums("sym, dso", lambda sym, dso:
                          (sym or UNKNOWN, dso or UNKNOWN))

    def _by_event(self):
        return self._sums("event", lambda event: event, table="sample_events "
                          "JOIN samples USING (n)")

    def _by_source(self):
        return self._sums("source, source_name", lambda *source: source,
                          "source IS NOT NULL")

    def _by_place(self):
        return self._sums("comm, sym, dso, pc", lambda *place: place)

    def check(self, checker, options, events_known):
        """Returns the model of the page, or None."""
        text, _ = checker.run("report", "--format=html", *options)
        found = MODEL.search(text)
        checker.equal("pages with a model", bool(found), True)
        if not found:
            return None
        model = json.loads(found[1])
        functions = json.loads(found[1], parse_int=Literal,
                               parse_float=Literal)["functions"]
        cells = Cells(model)
        self._check_summary(checker, model)
        self._check_functions(checker, model, functions, options)
        checker.equal("cells by time and latency",
                      cells.sums(lambda c: [(c[2], c[3])]),
                      self._by_region(model["time"], model["classes"]))
        self._check_kinds(checker, model, cells, events_known)
        if model["causes"]:
            self._check_causes(checker, model)
        self._check_places(checker, model, cells)
        self._check_objects(checker, model, json.loads(
            found[1], parse_int=Literal, parse_float=Literal)["objects"],
            options)
        self._check_lines(checker, model, options)
        self._check_code(checker, model, options)
        return model

    def _check_code(self, checker, model, options):
        """It is that of annotate, which is computed again elsewhere."""
        weight = "time" if model["by_time"] else "cost"
        text, _ = checker.run("annotate", "--format=jsonl",
                              f"--weight={weight}", *options)
        functions = {}
        for line in objects(text):
            if line["type"] == "function":
                insns = []
                functions.setdefault((line["sym"], line["dso"]), []).append(
                    (line, insns))
            elif line["type"] == "instruction":
                insns.append(line)
        code = model["code"]
        checker.equal("functions with code", len(code["functions"]) +
                      code["left_out"], sum(map(len, functions.values())))
        names = model["names"]
        for printed in code["functions"]:
            found = functions.get((names[printed["sym"]],
                                   names[printed["dso"]]), [])
            if len(found) == 1:
                self._check_function(checker, model, printed, *found[0])

    def _check_function(self, checker, model, printed, line, insns):
        where = f"code of {line['sym']}"
        checker.equal(f"{where}: samples", printed["samples"],
                      int(line["samples"]))
        checker.equal(f"{where}: missing", printed.get("missing"),
                      line.get("missing"))
        at = hidden = 0
        for ours in printed["insns"]:
            if isinstance(ours, int):
                hidden += sum(int(insn["samples"])
                              for insn in insns[at:at + ours])
                at += ours
                continue
            self._check_insn(checker, model, where, ours, insns[at])
            at += 1
        checker.equal(f"{where}: instructions", at, len(insns))
        checker.equal(f"{where}: hidden samples", printed["hidden_samples"],
                      hidden)

    def _check_insn(self, checker, model, where, ours, insn):
        """Instructions without samples have no numbers."""
        total = insn.get("total") or {"samples": 0, "p90": 0}
        samples = int(insn["samples"])
        expected = [insn["symoff"] and int(insn["symoff"])]
        if samples:
            expected += [samples, int(total["samples"]), int(total["p90"])]
            expected += [int(insn["events"].get(event, 0))
                         for event in EVENTS]
        checker.equal(where, ours[:1] + ours[4:6] + ours[7:8] + ours[9:],
                      expected)
        if samples and model["by_cost"]:
            checker.equal(f"{where}: cost", f"{ours[8] / model['own']:.6f}",
                          str(insn["share"]))
        if samples and ours[5]:
            checker.equal(f"{where}: mean", f"{ours[6] / ours[5]:.3f}",
                          str(total["mean"]))

    def _check_objects(self, checker, model, objects_, options):
        """They are rows of report, but for what is of no data; with the
        threads that use each, and the source with the most own cycles."""
        text, _ = checker.run("report", "--sort=object,member",
                              "--format=jsonl", "--weight=cost", *options)
        rows = [line for line in objects(text) if line["type"] == "row"
                and line["object"] != "none"]
        columns = f"{KEYS['object']}, {KEYS['member']}"
        one = f"{columns}, {KEYS['source']}"
        by_object = self._sums(columns, lambda *of: of)
        by_source = self._sums(one, lambda *of: of)
        threads = {(name, member): nr for name, member, nr in self.samples.all(
            f"SELECT {columns}, count(DISTINCT coalesce(tid, -1)) "
            f"FROM samples WHERE {self.where} GROUP BY 1, 2")}
        checker.equal("objects", model["objects_total"], len(rows))
        for ours, row in zip(objects_, rows):
            key = ours["object"], ours["member"]
            for kind in ("type", "issue", "xlat", "operations", "error95"):
                row.pop(kind, None)
            checker.equal(f"threads of {key}", int(ours.pop("threads")),
                          threads[key])
            checker.equal(f"cycles of {key}", (int(ours.pop("cycles")),
                                               int(ours.pop("own"))),
                          by_object[key][1:])
            costs = {of[2]: sums[2] for of, sums in by_source.items()
                     if of[:2] == key and of[2] != "none" and sums[2]}
            name = ours.pop("costliest", None)
            checker.equal(f"costliest source of {key}", (
                name is not None, costs.get(name), int(ours.pop("costs", 0))),
                (bool(costs), max(costs.values(), default=None),
                 max(costs.values(), default=0)))
            checker.equal(f"object {key}", ours, row)

    def _check_lines(self, checker, model, options):
        """They are lines of report, which are computed again elsewhere."""
        text, _ = checker.run("report", "--cachelines", "--format=jsonl",
                              *options)
        lines = [line for line in objects(text) if line["type"] == "line"]
        checker.equal("lines of memory", model["lines_total"], len(lines))
        keys = ("address", "verdict", "threads", "samples", "loads", "stores",
                "atomics", "peer", "timed")
        for printed, line in zip(model["lines"], lines):
            for key in keys:
                checker.equal(f"{key} of a line", printed[key], line[key])
            checker.equal("cycles of a line", printed["cycles"],
                          line["latency"])
            self._check_offsets(checker, printed, line)
        self._check_moments(checker, model)

    def _check_moments(self, checker, model):
        """When the lines were used, and with which latencies."""
        size, row = LINE_SIZE, len(model["classes"]) + 1
        used = {}
        for pid, va, pa, time, latency in self.samples.all(
                f"SELECT pid, va, pa, time, lat_total FROM samples "
                f"WHERE (va IS NOT NULL OR pa IS NOT NULL) AND {self.where}"):
            address = int(pa or va, 16)
            owner = None if pa or address >> 63 else pid
            key = address - address % size, bool(pa), owner
            used.setdefault(key, []).append((time, latency))
        time, classes = model["time"], model["classes"]
        first = time["begin"] // time["width"]
        for line in model["lines"]:
            users = [t for part in line["offsets"] for t in part["threads"]]
            if any("moments" not in user for user in users):
                continue
            cells = Counter()
            for list_ in [user["moments"] for user in users] + [
                    line.get("others", [])]:
                for i in range(0, len(list_), 4):
                    at, _, samples, above = list_[i:i + 4]
                    cycles = above + (samples * classes[at % row]
                                      if at % row < len(classes) else 0)
                    cells[divmod(at, row), "samples"] += samples
                    cells[divmod(at, row), "cycles"] += cycles
            wanted = Counter()
            for at, latency in used.get((int(line["address"], 16),
                                         line["physical"],
                                         line.get("pid")), []):
                place = (time["slices"] if at is None
                         else int(at) // time["width"] - first,
                         class_of(latency, classes))
                wanted[place, "samples"] += 1
                wanted[place, "cycles"] += latency or 0
            checker.equal(f"line {line['address']} by time and latency",
                          +cells, +wanted)

    def _check_offsets(self, checker, printed, line):
        for ours, theirs in zip(printed["offsets"], line["offsets"]):
            checker.equal("offset", *(
                [part.get(key) for key in ("offset", "variable", "member")]
                for part in (ours, theirs)))
            checker.equal(
                "loads and stores of threads",
                [(t["loads"], t["stores"]) for t in ours["threads"]],
                [(int(t["loads"]), int(t["stores"]))
                 for t in theirs["threads"]])

    def _check_summary(self, checker, model):
        samples, timed, latency, sourced = self.samples.one(
            f"SELECT count(*), count(lat_total), coalesce(sum(lat_total), 0),"
            f"count(source) FROM samples WHERE {self.where}")
        checker.equal("summary of the page",
                      [model[key] for key in ("samples", "timed", "latency",
                                              "sourced")],
                      [samples, timed, latency, sourced])

    def _check_functions(self, checker, model, functions, options):
        """They are rows of report, which are computed again elsewhere."""
        weight = "time" if model["by_time"] else "cost"
        text, _ = checker.run("report", "--format=jsonl",
                              f"--weight={weight}", *options)
        rows = {(line["sym"], line["dso"]): line for line in objects(text)
                if line["type"] == "row"}
        for line in rows.values():
            line.pop("issue", None), line.pop("xlat", None)
        by_function = self._by_function()
        checker.equal("rows", model["rows"], len(rows))
        for function in functions:
            key = function["sym"], function["dso"]
            function["type"] = "row"
            cycles = function.pop("cycles"), function.pop("own")
            checker.equal(f"function {key}", function, rows.get(key))
            checker.equal(f"cycles of {key}", tuple(map(int, cycles)),
                          by_function.get(key, (0, 0, 0))[1:])

    def _check_causes(self, checker, model):
        counted = {}
        for _, kind, numbers in model["cells"]:
            name = model["causes"][kind >> 9]["name"]
            counted[name] = counted.get(name, 0) + sum(numbers[1::4])
        wanted = {}
        for place in Verdict(self.samples, ["comm"], self.where).places.values():
            for cause, sums in place.of.items():
                name = NAMES.get(cause, "none")
                wanted[name] = wanted.get(name, 0) + sums.nr
        checker.equal("samples by cause", counted,
                      {name: nr for name, nr in wanted.items() if nr})

    def _check_kinds(self, checker, model, cells, events_known):
        kinds = model["kinds"]
        if any(cell[1] >= len(kinds) for cell in cells.all):
            return
        if events_known:
            checker.equal("cells by event",
                          cells.sums(lambda c: kinds[c[1]]["events"]),
                          self._by_event())
        sources = [[(kind["source"]["code"], kind["source"].get("name"))]
                   if "source" in kind else [] for kind in kinds]
        checker.equal("cells by source",
                      cells.sums(lambda c: sources[c[1]]), self._by_source())

    def _check_places(self, checker, model, cells):
        places, names = model["places"], model["names"]

        def name(place, key):
            return names[place[key]] if key in place else None

        checker.equal("cells by place",
                      cells.sums(lambda c: [c[0]]),
                      {i: (p["samples"], p["cycles"], p["own"])
                       for i, p in enumerate(places) if p["samples"]})
        if model["reduced"]:
            return
        by_place = self._by_place()
        for i, place in enumerate(places):
            key = (name(place, "comm"), name(place, "sym"), name(place, "dso"),
                   place.get("pc"))
            if "pc" in place and "sym" not in place:
                checker.equal(f"place {i}",
                              (place["samples"], place["cycles"],
                               place["own"]), by_place.get(key, (0, 0, 0)))
