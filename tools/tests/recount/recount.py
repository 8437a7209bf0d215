#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: recount.py [--pmscope=PROGRAM] [--counters] -i FILE

Computes every figure that pmscope prints of the recording FILE a second time:
records from the bytes of the traces, and what report prints from script's rows
by SQL and from the raw groups of counters. It shares no code with pmscope, and
needs Python with its sqlite3 module only. With --counters it looks only at what
groups of counters say, and the slices. Prints each figure that differs; the
exit status is 1 when one does.
"""
import getopt
import json
import sys

import perfdata
import traces
from instructions import check_instructions
from lines import Lines
from page import Page, check_counts
from printed import Checker, objects
from rates import Rates, Sums
from rows import Rows, check_csv, check_json, check_text
from samples import FIELDS, Samples
from timeline import Timeline
from totals import Operations
from verdict import Verdict

SORTS = ("", "cpu", "tid,comm", "pid,op", "event", "source,el",
         "symbol_daddr,dso_daddr", "object,member", "line,file,frames", "pc",
         "sym,dso,symoff", "target,op", "target",
         "cacheline,comm")
HISTOGRAMS = ("", "lat", "cpu,source,comm")
LIMITS = (3, 40, 1000)
DEFAULT_LIMIT = 40


class Recording:
    """The file, as raw records and as script's rows."""

    def __init__(self, checker, path):
        self.checker, self.path = checker, path
        self.file = perfdata.PerfData(path)
        self.groups = self.file.groups()
        self.lost = self.file.losses()
        self.terms_of = {}
        # Nothing is scaled, and nothing is read once more at the end.
        self.is_whole = not self.file.totals() and not any(
            group.enabled > group.running for group in self.groups)
        text, _ = checker.run("script", "--format=jsonl",
                              "--fields=" + ",".join(FIELDS))
        lines = text.splitlines()
        self.samples = Samples(lines)
        self.why_not = traces.reason_not_to(self.file)
        if not self.why_not:
            self._check_traces(lines)

    def _check_traces(self, lines):
        decoded = traces.Traces(self.file)
        self.lost.update(decoded.losses)
        decoded.check(self.checker, map(json.loads, lines))
        self.lost.update(repeated_trace=0, doubled_trace=0, other_trace=0)

    def per_cpu(self):
        """Samples by CPU."""
        return dict(self.samples.all(
            "SELECT cpu, count(*) FROM samples GROUP BY 1"))

    def saturated(self, where):
        """Latencies that stand at the largest value of the CPU's counters:
        16 bits where one of the CPU is above 12."""
        return self.samples.one(
            f"SELECT count(*) FROM samples JOIN (SELECT cpu AS of_cpu, CASE "
            f"WHEN max(lat_total) > 4095 THEN 65535 ELSE 4095 END AS limit_ "
            f"FROM samples GROUP BY 1) ON of_cpu IS cpu "
            f"WHERE lat_total = limit_ AND {where}")[0]

    def summary(self, where, counted="1"):
        """What all views have in their summary; what the traces would tell is
        left out where they are not looked at."""
        everything = self.samples.one("SELECT count(*) FROM samples")[0]
        passed = self.samples.one(
            f"SELECT count(*) FROM samples WHERE {where}")[0]
        only = self.only()
        if where in self.terms_of:
            only = f"{only or 'operations'} that match {self.terms_of[where]}"
        only = {"only": only} if only else {}
        return {**only, "type": "summary", "file": self.path, "samples": passed,
                "lost": self.lost, "filtered": everything - passed,
                "saturated": self.saturated(f"{where} AND {counted}"),
                "call_chains": self.file.call_chains()}

    def only(self):
        """What the filters of the SPE event let pass; None: all."""
        found = {attr.only() for attr in self.file.attrs
                 if (attr.name or "").startswith("arm_spe")}
        return " or ".join(found) if found and None not in found else None

    def filters(self):
        """(TERMS, the same in SQL) of some filters that keep and drop some.
        Rows are checked with each, as JSON and a third of them as text; every
        other view with a third of them."""
        one = self.samples.one
        found = []
        cpu = one("SELECT max(cpu) FROM samples")[0]
        if cpu is not None:
            found.append((f"cpu={cpu}", f"cpu = {cpu}"))
        lat = one("SELECT avg(lat_total) FROM samples")[0]
        if lat is not None:
            found.append((f"op=load|branch,lat>={int(lat)}",
                          f"op IN ('load', 'branch') AND "
                          f"lat_total >= {int(lat)}"))
        event = one("SELECT event FROM sample_events GROUP BY 1 "
                    "ORDER BY count(*) LIMIT 1")
        if event:
            has = f"n IN (SELECT n FROM sample_events WHERE event = " \
                f"'{event[0]}')"
            found.append((f"event={event[0]}", has))
            found.append((f"event!={event[0]}",
                          f"NOT {has}"))
        found += self._filters_of_who()
        self.terms_of = {where: terms for terms, where in found}
        return found

    def _filters_of_who(self):
        found = []
        tid = self.samples.one("SELECT max(tid) FROM samples")[0]
        if tid is not None:
            found.append((f"tid!={tid}", f"tid IS NOT {tid}"))
        times = self.samples.one("SELECT min(time), max(time) FROM samples")
        if times[0] is not None:
            middle = (int(times[0]) + int(times[1])) // 2
            found.append((f"time>={middle}", f"time >= '{middle:020}'"))
        code = self.samples.one("SELECT min(source) FROM samples")[0]
        if code is not None:
            found.append((f"source={code}", f"source = {code}"))
        return found


def has_hoppers(groups):
    """Does a thread have counters of one event on several CPUs?"""
    counters = {}
    for group in groups:
        for count in group.counts:
            counters.setdefault((count.event, group.tid), set()).add(count.id)
    return any(len(ids) > 1 for ids in counters.values())


def check_rows(recording, options, keys, where, by_latency=False,
               histogram=False, forms=("csv", "text")):
    """`pmscope report` with @options, as JSON and in these forms."""
    checker, file = recording.checker, recording.file
    # perf script counts the samples of clocks, and gaps are compared with these: see
    # tool:counts.sh.
    if not any(option.startswith("--weight") for option in options):
        options = options + ["--weight=cost"]
    rows = Rows(recording.samples, keys, where, by_latency,
                not by_latency and "--weight=samples" not in options)
    rates = Rates(file, recording.groups)
    operations = Operations(file, recording.per_cpu())
    summary = recording.summary(where)
    summary.update(snapshots=rates.snapshots, groups=rates.groups,
                   rows=len(rows.rows), timed=rows.timed(),
                   sourced=rows.sourced())
    if operations:
        summary.update(population=operations.counted["population"],
                       sampled=f"{operations.all.part:.9f}",
                       lost_records=operations.lost)
    rest = check_json(checker, rows, operations, summary, histogram, options)
    if "csv" in forms:
        check_csv(checker, rows, operations, histogram, options)
    if "text" not in forms:
        return
    lines = check_text(checker, rows, operations, options)
    ipc = [line["value"] for line in rest if line["type"] == "ipc"]
    is_counted = ipc and not summary["filtered"] and "only" not in summary
    verdict = Verdict(recording.samples, keys, where,
                      float(ipc[0]) if is_counted else None)
    verdict.check(checker, verdict.check_lost(checker, lines, rest))
    if recording.is_whole and not has_hoppers(recording.groups):
        rates.check(checker, rest, lines)
    else:
        Sums(file, recording.groups).check(checker, rest, lines)


def check_report(recording):
    # CSV and text of a row by turns; which begins, differs among recordings.
    turn = recording.samples.one("SELECT count(*) FROM samples")[0]
    for i, sort in enumerate(SORTS):
        options = [f"--sort={sort}"] if sort else []
        keys = sort.split(",") if sort else ["sym", "dso"]
        forms = (("csv",), ("text",))[(turn + i) % 2] if sort else \
            ("csv", "text")
        check_rows(recording, options, keys, "1", forms=forms)
    for sort in HISTOGRAMS:
        options = [f"--sort={sort}"] if sort else []
        keys = sort.split(",") if sort else ["sym", "dso"]
        check_rows(recording, options + ["--weight=latency", "--histogram"],
                   keys, "1", True, True)
    check_rows(recording, ["--sort=op,sym", "--weight=samples"], ["op", "sym"],
               "1")
    for i, (terms, where) in enumerate(recording.filters()):
        check_rows(recording, ["--sort=comm,op", f"--filter={terms}"],
                   ["comm", "op"], where, forms=() if i % 3 else ("text",))


def times_of_events(recording):
    """By which slices are scaled: see Sums.times()."""
    if recording.is_whole and not has_hoppers(recording.groups):
        return []
    text, _ = recording.checker.run("report", "--format=jsonl")
    counters = [line for line in objects(text) if line["type"] == "counter"]
    return Sums(recording.file, recording.groups).times(counters)


def check_timeline(recording):
    times = times_of_events(recording)
    for limit in LIMITS:
        check_slices(recording, limit, [f"--limit={limit}"], "1", times)
    for terms, where in recording.filters()[0::3]:
        check_slices(recording, DEFAULT_LIMIT, [f"--filter={terms}"], where,
                     times)


def check_slices(recording, limit, options, where, times):
    view = Timeline(recording.file, recording.groups, recording.samples,
                    where, limit, times)
    view.check(recording.checker, options, recording.summary(where))


def check_lines(recording):
    for size, by_latency in ((64, False), (8, True), (4096, False)):
        options = [f"--line-size={size}"] + ["--weight=latency"] * by_latency
        check_size(recording, size, options, "1", by_latency)
    for terms, where in recording.filters()[1::3]:
        check_size(recording, 64, [f"--filter={terms}"], where)


def check_size(recording, size, options, where, by_latency=False):
    view = Lines(recording.file, recording.samples, where, size, by_latency)
    view.check(recording.checker, options, recording.summary(
        where, "(va IS NOT NULL OR pa IS NOT NULL)"))


def check_page(recording):
    """Names of events differ between CPUs of several kinds."""
    one = recording.samples.one
    known = not one("SELECT 1 FROM sample_events WHERE event LIKE 'IMPDEF%'")
    model = Page(recording.samples, "1").check(recording.checker, [], known)
    if model and model["time"]["slices"]:
        axis = model["time"]["begin"], model["time"]["width"]
        check_counts(recording.checker, model, Timeline(
            recording.file, recording.groups, recording.samples, "1", None,
            times_of_events(recording), axis))
    for terms, where in recording.filters()[2::3]:
        Page(recording.samples, where).check(
            recording.checker, [f"--filter={terms}"], known)


def check_annotate(recording):
    check_instructions(recording, ["--weight=cost"], "1")
    check_instructions(recording, ["--weight=samples", "--sort=weight"], "1")
    check_instructions(recording, ["--weight=latency", "--sort=weight"], "1",
                       True)
    for terms, where in recording.filters()[:2]:
        check_instructions(recording,
                           ["--weight=cost", f"--filter={terms}"], where)


def main():
    options, _ = getopt.getopt(sys.argv[1:], "i:", ["pmscope=", "counters"])
    given = dict(options)
    checker = Checker(given.get("--pmscope", "pmscope"), given["-i"])
    try:
        recording = Recording(checker, given["-i"])
    except perfdata.Unreadable as error:
        print(f"not looked at: {error}")
        return 2
    check_timeline(recording)
    if "--counters" in given:
        check_rows(recording, [], ["sym", "dso"], "1")
    else:
        check_report(recording)
        check_annotate(recording)
        check_lines(recording)
        check_page(recording)
    status = checker.result()
    if recording.why_not:
        print(f"traces were not decoded again: {recording.why_not}")
    return status


if __name__ == "__main__":
    sys.exit(main())
