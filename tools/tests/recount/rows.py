# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of `pmscope report`, from the samples by SQL."""
import functools

from printed import joined, mean, objects, table, words
from spe import event_bit

UNKNOWN = "'[unknown]'"
OF_DATA = "CASE WHEN va IS NULL THEN 'none' ELSE coalesce({}, '[unknown]') END"
KEYS = {
    "sym": f"coalesce(sym, {UNKNOWN})",
    "dso": f"coalesce(dso, {UNKNOWN})",
    "line": f"coalesce(line, {UNKNOWN})",
    "file": f"coalesce(file, {UNKNOWN})",
    "frames": f"coalesce(frames, sym, {UNKNOWN})",
    "comm": f"coalesce(comm, {UNKNOWN})",
    "pid": "coalesce(pid, -1)",
    "tid": "coalesce(tid, -1)",
    "cpu": "coalesce(cpu, -1)",
    "op": f"coalesce(op_text, {UNKNOWN})",
    "event": "CASE coalesce(events, '') WHEN '' THEN 'none' ELSE events END",
    "source": "CASE WHEN source IS NULL THEN 'none' "
              "ELSE coalesce(source_name, 'code ' || source) END",
    "el": "coalesce(el, -1)",
    "lat": "coalesce(lat_total, -1)",
    "pc": "coalesce(pc, '')",
    "symoff": "coalesce(symoff, -1)",
    "target": "coalesce(target, '')",
    "cacheline": "coalesce(line_of(va), '')",
    "symbol_daddr": OF_DATA.format("symbol_daddr"),
    "dso_daddr": OF_DATA.format("dso_daddr"),
    "object": OF_DATA.format("object"),
    "member": OF_DATA.format("member"),
}
NUMBERS = ("pid", "tid", "cpu", "el", "lat", "symoff")
ADDRESSES = ("pc", "target", "cacheline")
LATENCIES = (("total", "lat_total"), ("issue", "lat_issue"),
             ("xlat", "lat_xlat"))
CSV_LATENCIES = (("lat", "total"), ("issue", "issue"), ("xlat", "xlat"))
# Columns of text, and the event whose share each shows.
SHOWN = ("L1D-REFILL", "LLC-REFILL", "TLB-REFILL", "MISPRED")
MAX_SOURCES = 64
# Of counters at their limit only the translation is known.
OWN = "CASE WHEN lat_total IN (4095, 65535) AND lat_issue = lat_total " \
    "THEN coalesce(lat_xlat, 0) " \
    "ELSE max(coalesce(lat_total, 0) - coalesce(lat_issue, 0), 0) END"


def order_of(key, value):
    if key in ADDRESSES:
        return int(value, 16) if value else -1
    return int(value) if key in NUMBERS else \
        value.encode("utf-8", "surrogateescape")


def shown(key, value):
    """As text and CSV have it."""
    absent = "-1" if key in NUMBERS else "" if key in ADDRESSES else None
    return "?" if value == absent else value


class Row:
    """One row, as numbers."""

    def __init__(self, key, samples):
        self.key = key
        self.samples = samples
        self.latency = {}  # name: (samples, sum, max, p50, p90, p99)
        self.events = {}   # bit: samples
        self.sources = []  # (samples, code, name), the most frequent first
        self.powers = {}   # 0 or a power of two: samples
        self.of_cpu = {}


class Rows:
    """All rows for a list of keys, of the samples for which @where holds."""

    def __init__(self, samples, keys, where, by_latency=False, by_cost=False):
        self.samples, self.keys, self.where = samples, keys, where
        self.by_latency = by_latency
        self.key = "'' || " + " || char(31) || ".join(
            KEYS[key] for key in keys)
        self.rows = {}
        for key, nr in self.grouped("count(*)"):
            self.rows[key] = Row(key.split(chr(31)), nr)
        for name, column in LATENCIES:
            self._latencies(name, column)
        # Without any latency, samples are all that there is.
        self.by_cost = by_cost and any(self.own.values())
        self._events()
        self._sources()
        self._powers()
        for key, cpu, nr in samples.all(
                f"SELECT {self.key}, cpu, count(*) FROM samples "
                f"WHERE {where} GROUP BY 1, 2"):
            self.rows[key].of_cpu[cpu] = nr

    def grouped(self, values, more="1"):
        return self.samples.all(
            f"SELECT {self.key}, {values} FROM samples "
            f"WHERE {self.where} AND {more} GROUP BY 1")

    # The p-th percentile is the smallest value that at least p percent of the
    # samples do not exceed.
    def _latencies(self, name, column):
        rank = f"row_number() OVER (PARTITION BY k ORDER BY {column})"
        percentiles = ", ".join(
            f"min(CASE WHEN 100 * rank >= {p} * nr THEN {column} END)"
            for p in (50, 90, 99))
        for key, *values in self.samples.all(
                f"SELECT k, count(*), sum({column}), max({column}), "
                f"{percentiles} FROM (SELECT k, {column}, {rank} AS rank, "
                f"count(*) OVER (PARTITION BY k) AS nr FROM "
                f"(SELECT {self.key} AS k, {column} FROM samples WHERE "
                f"{self.where} AND {column} IS NOT NULL)) GROUP BY k"):
            self.rows[key].latency[name] = values

    def _events(self):
        for key, event, nr in self.samples.all(
                f"SELECT {self.key}, event, count(*) FROM samples "
                f"JOIN sample_events USING (n) WHERE {self.where} "
                f"GROUP BY 1, 2"):
            events = self.rows[key].events
            bit = event_bit(event)
            events[bit] = events.get(bit, 0) + nr

    def _sources(self):
        for key, *source in self.samples.all(
                f"SELECT {self.key}, count(*), source, source_name "
                f"FROM samples WHERE {self.where} AND source IS NOT NULL "
                f"GROUP BY 1, 3, 4"):
            self.rows[key].sources.append(tuple(source))
        for row in self.rows.values():
            most_of(row.sources)

    # From a power of two to below twice that; 0 is alone.
    def _powers(self):
        for key, latency, nr in self.samples.all(
                f"SELECT {self.key}, lat_total, count(*) FROM samples "
                f"WHERE {self.where} AND lat_total IS NOT NULL GROUP BY 1, 2"):
            powers = self.rows[key].powers
            power = 1
            while 2 * power <= latency:
                power *= 2
            power = power if latency else 0
            powers[power] = powers.get(power, 0) + nr

    @functools.cached_property
    def own(self):
        return dict(self.samples.all(
            f"SELECT {self.key}, sum({OWN}) FROM samples "
            f"WHERE {self.where} AND lat_total NOTNULL GROUP BY 1"))

    def weight(self, row):
        if self.by_cost:
            return self.own.get(chr(31).join(row.key), 0)
        if self.by_latency:
            return row.latency["total"][1] if "total" in row.latency else 0
        return row.samples

    # Added up once: each row has a share of it, and rows no longer change.
    @functools.cached_property
    def all_weight(self):
        return sum(self.weight(row) for row in self.rows.values())

    def share(self, row):
        whole = self.all_weight
        return self.weight(row) / whole if whole else 0

    def of_operations(self, row):
        """A column of text."""
        return [f"{100 * (row.samples / self.count()):.2f}%"] \
            if self.by_cost else []

    def in_order(self):
        def order(row):
            return [-self.weight(row)] + [
                order_of(key, value) for key, value in zip(self.keys, row.key)]

        return sorted(self.rows.values(), key=order)

    def count(self):
        return sum(row.samples for row in self.rows.values())

    def timed(self):
        return sum(row.latency["total"][0] for row in self.rows.values()
                   if "total" in row.latency)

    def sourced(self):
        return sum(s[0] for row in self.rows.values() for s in row.sources)


def by_name(sources):
    """Codes of one name are one source."""
    merged = {}
    for nr, code, name in sources:
        key = name if name is not None else code
        merged.setdefault(key, [0, code, name])[0] += nr
    return sorted(merged.values(), key=lambda s: (-s[0], s[1], s[2] or ""))


def most_of(sources):
    """The most frequent (samples, code, name), and the others as one."""
    sources.sort(key=lambda s: (-s[0], s[1], s[2] or ""))
    rest = sources[MAX_SOURCES - 1:]
    if len(rest) > 1:
        sources[MAX_SOURCES - 1:] = [(sum(s[0] for s in rest), 65535, "other")]
    return sources


def bits(events):
    """Events as they were printed, by their bits."""
    return {str(event_bit(name)): nr for name, nr in events.items()}


# JSON lines.

def json_latency(values):
    nr, total, largest, p50, p90, p99 = values
    return {"samples": str(nr), "mean": mean(total, nr, 3), "p50": str(p50),
            "p90": str(p90), "p99": str(p99), "max": str(largest)}


def json_figures(row):
    """Latencies, events and sources."""
    found = {name: json_latency(values)
             for name, values in row.latency.items()}
    found["events"] = {str(bit): nr for bit, nr in row.events.items()}
    found["sources"] = [
        {"code": code, "name": name, "samples": nr} if name is not None else
        {"code": code, "samples": nr} for nr, code, name in row.sources]
    return found


def stand_for(operations, row):
    """How many operations, and the error."""
    if not operations:
        return {}
    nr, error = operations.of_row(row)
    return {"operations": f"{nr:.0f}", "error95": f"{error:.0f}"}


def json_row(rows, row, operations, histogram):
    expected = {key: None if key in ADDRESSES and not value else value
                for key, value in zip(rows.keys, row.key)}
    expected.update(type="row", samples=row.samples,
                    share=f"{rows.share(row):.6f}")
    expected.update(json_figures(row))
    if histogram:
        expected["histogram"] = [[power, row.powers[power]]
                                 for power in sorted(row.powers)]
    expected.update(stand_for(operations, row))
    return expected


def check_json(checker, rows, operations, summary, histogram, options):
    text, _ = checker.run("report", "--format=jsonl", *options)
    lines = objects(text)
    checker.sentences = lines[0].pop("judgement")
    checker.equal("summary", lines[0], summary)
    printed = [line for line in lines if line["type"] == "row"]
    expected = rows.in_order()
    checker.equal("number of rows", len(printed), len(expected))
    for i, (one, row) in enumerate(zip(printed, expected)):
        one["events"] = bits(one["events"])
        checker.equal(f"row {i} ({' '.join(row.key)})", one,
                      json_row(rows, row, operations, histogram))
    return [line for line in lines if line["type"] not in ("row", "summary")]


# CSV.

def csv_mean(values):
    return [str(values[0]), mean(values[1], values[0], 3)] if values else \
        ["0", ""]


def csv_figures(row, with_percentiles):
    """Latencies, events and sources."""
    found = {}
    for column, name in CSV_LATENCIES:
        values = row.latency.get(name)
        found[column + "_samples"], found[column + "_mean"] = csv_mean(values)
        if column in with_percentiles:
            for at, what in ((3, "p50"), (4, "p90"), (5, "p99"), (2, "max")):
                found[f"{column}_{what}"] = values[at] if values else ""
    found["events"] = {str(bit): nr for bit, nr in row.events.items()}
    found["sources"] = [f"{code if name is None else name}={nr}"
                        for nr, code, name in by_name(row.sources)]
    return found


def csv_row(rows, row, operations, histogram):
    expected = {key: shown(key, value)
                for key, value in zip(rows.keys, row.key)}
    expected.update(samples=row.samples, share=f"{rows.share(row):.6f}",
                    **csv_figures(row, ("lat",)))
    if histogram:
        expected["histogram"] = [f"{power}={row.powers[power]}"
                                 for power in sorted(row.powers)]
    expected.update(stand_for(operations, row))
    return expected


def check_csv(checker, rows, operations, histogram, options):
    text, _ = checker.run("report", "--format=csv", *options)
    printed = table(text)
    expected = rows.in_order()
    checker.equal("number of rows", len(printed), len(expected))
    for i, (one, row) in enumerate(zip(printed, expected)):
        one["events"] = bits(dict(event.split("=")
                                  for event in joined(one["events"])))
        for cell in ("sources", "histogram"):
            if cell in one:
                one[cell] = joined(one[cell])
        checker.equal(f"row {i} ({' '.join(row.key)})", one,
                      csv_row(rows, row, operations, histogram))


# Text.

def percent(part, whole):
    return f"{100 * part / whole if whole else 0:.1f}%"


def most_text(row):
    """The most frequent source."""
    sources = by_name(row.sources)
    if not sources:
        return "-"
    nr, code, name = sources[0]
    return f"{100 * nr / sum(source[0] for source in sources):.0f}% " \
        f"{f'code {code}' if name is None else name}"


def text_row(rows, row, operations):
    cells = [f"{100 * rows.share(row):.2f}%", str(row.samples)]
    cells += rows.of_operations(row)
    if operations:
        nr, error = operations.of_row(row)
        cells += [f"{nr:.0f}", f"{100 * error / nr:.1f}%"]
    if "total" in row.latency:
        nr, total, largest, p50, p90, p99 = row.latency["total"]
        cells += [str(nr), mean(total, nr, 1), str(p50), str(p90), str(p99),
                  str(largest)]
    else:
        cells += ["0"] + ["-"] * 5
    cells += [percent(row.events.get(event_bit(event), 0), row.samples)
              for event in SHOWN]
    cells += [str(sum(source[0] for source in row.sources)), most_text(row)]
    return words(" ".join(cells + [
        shown(key, value) for key, value in zip(rows.keys, row.key)]))


def check_text(checker, rows, operations, options):
    text, _ = checker.run("report", *options)
    lines = text.splitlines()
    printed = [line for line in lines if line[:1] != "#" and "%" in line[:7]]
    expected = rows.in_order()
    checker.equal("number of rows", len(printed), len(expected))
    for i, (line, row) in enumerate(zip(printed, expected)):
        if all(part.isascii() and part.isprintable() for part in row.key):
            checker.equal(f"row {i}", words(line),
                          text_row(rows, row, operations))
    return lines
