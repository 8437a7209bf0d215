# SPDX-License-Identifier: GPL-2.0-or-later
"""The instructions of `pmscope annotate`, from the samples by SQL; and their
sums, which are the rows of `pmscope report`."""
from printed import is_filtered, joined, objects, table, words
from rows import (OWN, Rows, bits, csv_figures, json_figures, most_text,
                  percent)
from spe import event_bit

KEYS = ["sym", "dso", "symoff"]
# Columns of text, in their order, for functions with such an event.
TITLES = (("L1miss", "L1D-REFILL"), ("L2miss", "L2D-MISS"),
          ("LLmiss", "LLC-REFILL"), ("TLBmiss", "TLB-REFILL"),
          ("Remote", "REMOTE-ACCESS"), ("HitM", "HITM"),
          ("Unalign", "ALIGNMENT"), ("Mispred", "MISPRED"),
          ("NotTakn", "NOT-TAKEN"), ("Partial", "SVE-PARTIAL-PRED"),
          ("EmptyPr", "SVE-EMPTY-PRED"), ("Except", "EXCEPTION-GEN"))


class Instructions:
    """By (sym, dso, symoff). Functions of one name and file are one here, and
    several in the view: of these only the sums are compared."""

    def __init__(self, samples, where, by_latency=False, by_cost=False):
        self.rows = Rows(samples, KEYS, where, by_latency, by_cost)
        self.of_key = {tuple(row.key): row for row in self.rows.rows.values()}

    @staticmethod
    def key(one):
        offset = one["symoff"]
        return (one["sym"], one["dso"],
                "-1" if offset is None or offset == "" else str(offset))

    def compare(self, checker, form, printed, check_one):
        """@check_one compares one row that is alone with its key."""
        groups = {}
        for one in printed:
            groups.setdefault(self.key(one), []).append(one)
        for key, ones in groups.items():
            row = self.of_key.get(key)
            where = f"{form}: {' '.join(key)}"
            checker.equal(f"{where} samples",
                          sum(int(one["samples"]) for one in ones),
                          row.samples if row else 0)
            if row and len(ones) == 1:
                check_one(where, ones[0], row)
        checker.equal(f"{form}: instructions with samples",
                      sum(key in groups for key in self.of_key),
                      len(self.of_key))

    def json_one(self, checker):
        def check(where, one, row):
            expected = {"samples": row.samples,
                        "share": f"{self.rows.share(row):.6f}"}
            expected.update(json_figures(row))
            shown = {key: value for key, value in one.items() if key in (
                "samples", "share", "total", "issue", "xlat", "events",
                "sources")}
            shown["events"] = bits(shown["events"])
            checker.equal(where, shown, expected)
        return check

    def csv_one(self, checker):
        def check(where, one, row):
            expected = {"samples": row.samples,
                        "share": f"{self.rows.share(row):.6f}"}
            expected.update(csv_figures(row, ("lat", "issue", "xlat")))
            shown = {key: one[key] for key in expected}
            shown["events"] = bits(dict(event.split("=")
                                        for event in joined(one["events"])))
            shown["sources"] = joined(one["sources"])
            checker.equal(where, shown, expected)
        return check

    def text_cells(self, row, titles):
        """The cells of a line before the offset."""
        def mean(name):
            values = row.latency.get(name)
            return f"{values[1] / values[0]:.1f}" if values else "-"

        total = row.latency.get("total")
        cells = [f"{100 * self.rows.share(row):.2f}%", str(row.samples)]
        cells += self.rows.of_operations(row) + [mean("total")]
        cells += [str(total[at]) for at in (3, 4, 5)] if total else ["-"] * 3
        cells += [mean(name) for title, name in (("Issue", "issue"),
                                                 ("Xlat", "xlat"))
                  if title in titles]
        cells += [percent(row.events.get(event_bit(event), 0), row.samples)
                  for title, event in TITLES if title in titles]
        if "Data source" in titles:
            cells.append(most_text(row))
        return words(" ".join(cells))


def sums(checker, form, functions, samples, where, by_latency):
    """Functions add up to report's rows by symbol and file."""
    rows = Rows(samples, ["sym", "dso"], where, by_latency)
    printed = {}
    for one in functions:
        key = (one["sym"], one["dso"])
        printed[key] = printed.get(key, 0) + int(one["samples"])
    checker.equal(f"{form}: functions", printed,
                  {tuple(row.key): row.samples for row in rows.rows.values()})


def check_text(checker, view, options):
    """Lines of functions whose names are plain and alone."""
    text, _ = checker.run("annotate", "--limit=100000000", *options)
    key, titles = None, ""
    names = {}
    for sym, dso, offset in view.of_key:
        names.setdefault(f"# {sym}  {dso}: ", set()).add((sym, dso))
    for line in text.splitlines():
        if line.startswith("# Share"):
            titles = line
        elif line.startswith("# "):
            start = line[:line.rfind(": ") + 2]
            found = names.get(start) if "% of all, " in line else None
            if found and text.count("\n" + start) == 1:
                key = next(iter(found))
            elif "% of all, " in line:
                key = None
        elif key and "%" in line[:8]:
            check_line(checker, view, line, key, titles)


def check_line(checker, view, line, key, titles):
    cells = words(line).split(" ")
    at = next((i for i, cell in enumerate(cells)
               if cell.startswith("+0x") or cell == "?"), None)
    if at is None:
        checker.differ("text", line, "an offset")
        return
    offset = "-1" if cells[at] == "?" else str(int(cells[at], 16))
    row = view.of_key.get(key + (offset,))
    if not row:
        checker.differ("text", line, "no such instruction")
        return
    checker.equal(f"text: {key} {offset}", " ".join(cells[:at]),
                  view.text_cells(row, titles))


DATA_MAX = 64  # of an instruction


def plain(name):
    """A function's own stack needs no name in its code."""
    return "[unknown]" if name is None else \
        "[stack]" if name.startswith("[stack] ") else name


def costliest(sums):
    """Of [samples, own cycles] by name the one with most, and its share."""
    at = int(any(own for _, own in sums.values()))
    name = min(sums, key=lambda name: (-sums[name][at], -sums[name][0],
                                       name.encode()))
    return name, sums[name][at] / sum(of[at] for of in sums.values())


def check_data(recording, view, options, where):
    """The data that costs an instruction most: sums of script's rows."""
    checker, of_key = recording.checker, {}
    for key, name, member, nr, own in recording.samples.all(
            f"SELECT {view.rows.key}, object, member, count(*), sum({OWN}) "
            f"FROM samples WHERE {where} AND va IS NOT NULL GROUP BY 1, 2, 3"):
        sums = of_key.setdefault(tuple(key.split(chr(31))), {})
        sums[plain(name), plain(member)] = [nr, own]
    text, _ = checker.run("annotate", "--members", "--format=jsonl", *options)
    printed = {}
    for line in objects(text):
        if line["type"] == "instruction":
            printed.setdefault(view.key(line), []).append(line)
    for key, sums in of_key.items():
        if len(printed[key]) > 1 or len(sums) > DATA_MAX:
            continue
        by_object = {}
        for (name, _), of in sums.items():
            by_object[name] = [a + b for a, b in zip(
                by_object.get(name, (0, 0)), of)]
        name, share = costliest(by_object)
        by_member = {member: of for (of_object, member), of in sums.items()
                     if of_object == name}
        one = printed[key][0]
        checker.equal(f"data of {key}", [one.get(what) for what in (
            "object", "object_share", "member", "other_members")], [
            name, f"{share:.6f}", costliest(by_member)[0], len(sums) > 1])


def check_instructions(recording, options, where, by_latency=False):
    """`pmscope annotate` with @options, in its forms."""
    checker = recording.checker
    view = Instructions(recording.samples, where, by_latency,
                        not by_latency and "--weight=samples" not in options)
    text, _ = checker.run("annotate", "--format=jsonl", *options)
    lines = objects(text)
    functions = [line for line in lines if line["type"] == "function"]
    summary = recording.summary(where)
    for name in ("samples", "lost", "filtered", "saturated", "file"):
        checker.equal(f"summary {name}", lines[0][name], summary[name])
    checker.equal("summary functions", lines[0]["functions"], len(functions))
    view.compare(checker, "jsonl",
                 [line for line in lines if line["type"] == "instruction"],
                 view.json_one(checker))
    sums(checker, "jsonl", functions, recording.samples, where, by_latency)
    check_data(recording, view, options, where)
    if is_filtered(options):
        return
    text, _ = checker.run("annotate", "--format=csv", *options)
    view.compare(checker, "csv", table(text), view.csv_one(checker))
    check_text(checker, view, options)
