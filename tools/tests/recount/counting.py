#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: counting.py LOG OUTPUT ARGUMENT...

Computes every figure of a `pmscope stat` a second time, from what its calls of
read(2) returned. LOG is that of
	strace -X raw -xx -s 4096 -e trace=openat,read,perf_event_open,getrusage
OUTPUT what it printed, ARGUMENTs are those it was given. Times of the clock are
not checked. Prints each figure that differs; the exit status is 1 when one does.
"""
import math
import re
import struct
import sys
from fractions import Fraction

import methodology
from printed import Checker, objects, words

READ_FORMAT = 0xb  # GROUP, TOTAL_TIME_ENABLED, TOTAL_TIME_RUNNING
SOFTWARE, CLOCKS = 1, (0, 1)
HARDWARE = {0: 0x11, 1: 0x08, 2: 0x04, 3: 0x03, 4: 0x21, 5: 0x10}
FIRST_DYNAMIC = 6
# An event, its base event, and the name of the ratio.
RATIOS = (
    (0x08, 0x11, 1, "insn per cycle"),
    (0x03, 0x04, 100, "% of L1D accesses"),
    (0x01, 0x14, 100, "% of L1I accesses"),
    (0x17, 0x16, 100, "% of L2D accesses"),
    (0x10, 0x12, 100, "% of predictable branches"),
    (0x10, 0x21, 100, "% of branches"),
    (0x22, 0x21, 100, "% of branches"),
    (0x23, 0x11, 100, "% of cycles"),
    (0x24, 0x11, 100, "% of cycles"),
    (0x03, 0x08, 1000, "per 1000 insn"),
    (0x10, 0x08, 1000, "per 1000 insn"),
    (0x17, 0x08, 1000, "per 1000 insn"),
    (0x22, 0x08, 1000, "per 1000 insn"),
)
# The first level of the top-down method (Arm's telemetry formulas).
CYCLES, OP_RETIRED, OP_SPEC = 0x11, 0x3a, 0x3b
STALL_SLOT_BACKEND, STALL_SLOT_FRONTEND, STALL_SLOT = 0x3d, 0x3e, 0x3f
OPEN = re.compile(
    r"perf_event_open\(\{type=(\w+), .*?config=(\w+),.*?read_format=(\w+).*\}, "
    r"(-?\d+), (-?\d+), (-?\d+), \w+\) = (\d+)")
READ = re.compile(r'read\((\d+), "([^"]*)"(?:\.\.\.)?, \d+\) += (\d+)')
OPENAT = re.compile(r'openat\([^,]*, "([^"]*)", [^)]*\) = (\d+)')
CLOSE = re.compile(r"close\((\d+)\)")
USAGE = re.compile(r"ru_utime=\{tv_sec=(\d+), tv_usec=(\d+)\}, "
                   r"ru_stime=\{tv_sec=(\d+), tv_usec=(\d+)\}")


class Leader:
    """A group of events of a CPU, or of a task, and all reads of it."""

    def __init__(self, place, cpu):
        self.place, self.cpu = place, cpu
        self.events = []
        self.reads = []  # (enabled, running, [value])
        self.group = 0


class Log:
    """What strace saw; a run of the program has leaders of its own."""

    def __init__(self, path):
        self.runs = [[]]
        self.leaders = {}
        self.files = {}
        self.texts = {}  # path: what was read from it, each time
        self.usage = (0, 0)
        with open(path, encoding="ascii") as file:
            for line in file:
                self._take(line)
        # What is opened to see whether it fits is never read.
        self.groups = list(dict.fromkeys(
            tuple(one.events) for run in self.runs for one in run))
        self.runs = [[one for one in run if one.reads] for run in self.runs]
        for run in self.runs:
            number_groups(run)

    def _take(self, line):
        if found := OPEN.search(line):
            self._open(*(int(word, 0) for word in found.groups()))
        elif found := OPENAT.search(line):
            self.files[int(found[2])] = unescape(found[1]).decode()
        elif found := READ.search(line):
            self._read(int(found[1]), unescape(found[2]), int(found[3]))
        elif found := CLOSE.search(line):
            self.files.pop(int(found[1]), None)
        elif found := USAGE.search(line):
            user, micro, system, more = map(int, found.groups())
            self.usage = (user * 10 ** 6 + micro, system * 10 ** 6 + more)

    def _open(self, kind, config, form, pid, cpu, leader, fd):
        assert form == READ_FORMAT, f"read_format {form:#x}"
        self.files.pop(fd, None)
        if leader < 0:
            if any(one.reads for one in self.runs[-1]):
                self.runs.append([])
            self.leaders[fd] = Leader((pid, cpu), cpu)
            self.runs[-1].append(self.leaders[fd])
            leader = fd
        else:
            self.leaders.pop(fd, None)
        self.leaders[leader].events.append((kind, config))

    def _read(self, fd, data, size):
        if fd in self.files:
            if size:
                self.texts.setdefault(self.files[fd], []).append(data.decode(
                    "utf-8", "replace"))
        elif fd in self.leaders and self.leaders[fd].events:
            leader = self.leaders[fd]
            values = [0] * len(leader.events)
            enabled = running = 0
            # A read of a pinned group without counters is empty.
            if size:
                _, enabled, running, *values = struct.unpack(
                    f"<{size // 8}Q", data)
            leader.reads.append((enabled, running, values))

    def text_of(self, name):
        """What was read from files of that name."""
        return [text.strip() for path, texts in self.texts.items()
                if path.endswith(name) for text in texts]


def unescape(text):
    return bytes.fromhex(text.replace("\\x", ""))


def number_groups(run):
    """The same group is opened at one place after another."""
    number, seen = -1, set()
    members = None
    for leader in run:
        if leader.events != members or leader.place in seen:
            number, members, seen = number + 1, leader.events, set()
        seen.add(leader.place)
        leader.group = number


class Row:
    """An event at a place."""

    def __init__(self, group, event, place):
        self.group, self.event, self.place = group, event, place
        self.value = self.enabled = self.running = self.cpus = 0
        self.spread = None

    def number(self):
        """Of the event, in Arm's list."""
        kind, config = self.event
        if kind == 0:
            return HARDWARE.get(config)
        return config & 0xffff if kind >= FIRST_DYNAMIC else None

    def scale(self):
        """To the whole time"""
        if 0 < self.running < self.enabled:
            self.value = rounded(Fraction(self.value * self.enabled,
                                          self.running))

    def is_clock(self):
        return self.event[0] == SOFTWARE and self.event[1] in CLOCKS


class Options:
    """Of `pmscope stat`, as far as figures depend on them."""

    def __init__(self, arguments):
        arguments = arguments[:arguments.index("--")] \
            if "--" in arguments else arguments
        self.interval = "-I" in arguments
        self.by = "cpu" if "-A" in arguments else \
            "core" if "--per-core" in arguments else None
        self.compare = "--compare" in arguments
        self.repeat = "-r" in arguments
        self.json = "-j" in arguments
        self.separator = arguments[arguments.index("-x") + 1] \
            if "-x" in arguments else None
        self.midr = int(arguments[arguments.index("--midr") + 1], 0) \
            if "--midr" in arguments else None
        self.metrics = "--topdown" in arguments or "--metrics" in arguments
        self.metrics_only = "--td-level" in arguments or \
            "--metrics" in arguments


class Stat:
    """All rows that are to be printed, in their order."""

    def __init__(self, log, options):
        self.log, self.options = log, options
        self.slots = max((int(text, 0) for text in log.text_of("/caps/slots")),
                         default=0)
        self.cpu, self.width = self._methodology()
        # A methodology's own shares are not those of the slots.
        if options.metrics and self.cpu:
            self.slots = 0
        self.turns = options.metrics and not options.repeat and \
            len(log.groups) > 1
        self.repeats = 1 if self.turns else len(log.runs)
        self.tables = []
        if options.interval:
            rounds = len(log.runs[0][0].reads)
            self.tables = [self._table(log.runs[0], i) for i in range(rounds)]
        elif self.turns:
            self.tables = [self._all_turns()]
        else:
            self.tables = [self._all_runs()]

    def _methodology(self):
        midr = self.options.midr
        if midr is None:
            midr = max((int(text, 0) for text in
                        self.log.text_of("identification/midr_el1")), default=0)
        return methodology.cpu_of(midr, self.slots)

    def _turns_of(self):
        """Events: {place: [(enabled, running, values)]}, in order"""
        places = dict.fromkeys(self.place_of(leader)
                               for run in self.log.runs for leader in run)
        turns = {events: {place: [] for place in places}
                 for events in self.log.groups}
        for run in self.log.runs:
            for leader in run:
                turns[tuple(leader.events)][self.place_of(leader)].append(
                    leader.reads[-1])
        return turns

    def _all_turns(self):
        """A group's time is that of all groups at its place."""
        turns = self._turns_of()
        enabled = {}
        for places in turns.values():
            for place, reads in places.items():
                enabled[place] = enabled.get(place, 0) + sum(
                    read[0] for read in reads)
        rows = []
        for group, (events, places) in enumerate(turns.items()):
            for place, reads in places.items():
                for i, event in enumerate(events):
                    row = Row(group, event, place)
                    row.running = sum(read[1] for read in reads)
                    row.enabled = enabled[place]
                    row.value = sum(read[2][i] for read in reads)
                    row.scale()
                    row.cpus = 1
                    rows.append(row)
        return rows

    def _counted(self, at):
        """Of table @at: {(group, place): [{number: count}]}, by turns or runs"""
        counted = {}
        if self.turns:
            for group, (events, places) in enumerate(self._turns_of().items()):
                for place, reads in places.items():
                    if not any(read[1] for read in reads):
                        continue
                    counted[group, place] = [
                        {event[1] & 0xffff: count for event, count
                         in zip(events, read[2])} for read in reads]
            return counted
        runs = self.log.runs[:1] if self.options.interval else self.log.runs
        for run in runs:
            once = {}
            for row in self._table(run, at if self.options.interval else -1):
                once.setdefault((row.group, row.place), {})[row.number()] = \
                    row.value
            for key, counts in once.items():
                counted.setdefault(key, []).append(counts)
        return counted

    def metric_of(self, at, name, place):
        """(value, error) of a metric; None: not counted"""
        for (_, where), counts in self._counted(at).items():
            total = methodology.value(name, methodology.add(counts), self.cpu,
                                      self.width)
            if where != place or total is None:
                continue
            if not self.turns and len(counts) == 1:
                return total, 0
            return total, methodology.error(name, counts, self.cpu, self.width)
        return None

    def place_of(self, leader):
        if not self.options.by:
            return None
        if self.options.by == "cpu":
            return f"CPU{leader.cpu}"
        name = "S{}-D{}-C{}"
        numbers = []
        for file in ("physical_package_id", "die_id", "core_id"):
            found = self.log.text_of(f"cpu{leader.cpu}/topology/{file}")
            numbers.append(max(int(found[0]), 0) if found else 0)
        return name.format(*numbers)

    def _table(self, run, at):
        """The @at-th reads, since those before; the last reads for -1."""
        rows = {}
        for leader in run:
            enabled, running, values = leader.reads[at]
            before = leader.reads[at - 1] if at > 0 else \
                (0, 0, [0] * len(values))
            place = self.place_of(leader)
            for i, event in enumerate(leader.events):
                row = rows.setdefault((leader.group, i, place),
                                      Row(leader.group, event, place))
                row.value += values[i] - before[2][i]
                row.enabled += enabled - before[0]
                row.running += running - before[1]
                row.cpus += 1
        for row in rows.values():
            row.scale()
        return list(rows.values())

    def _all_runs(self):
        runs = [self._table(run, -1) for run in self.log.runs]
        if len(runs) == 1:
            return runs[0]
        for i, row in enumerate(runs[0]):
            average(row, [run[i] for run in runs])
        return runs[0]

    def visible(self, table):
        """Of a comparison the first event, repeated at the end, is not."""
        last = {row.group: row for row in table}
        return [row for row in table
                if not self.options.compare or last[row.group] is not row]


def rounded(value):
    return math.floor(value + Fraction(1, 2))


def average(row, rows):
    """Means, and the standard error of the mean in percent."""
    values = [one.value for one in rows]
    mean = Fraction(sum(values), len(values))
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    row.spread = 100 * math.sqrt(variance / len(values)) / float(mean) \
        if mean else 0
    row.value = rounded(mean)
    row.enabled = rounded(Fraction(sum(one.enabled for one in rows),
                                   len(rows)))
    row.running = rounded(Fraction(sum(one.running for one in rows),
                                   len(rows)))


def level_one(counts, slots):
    """Event: (percent of all slots, name), of the @counts of a group."""
    total = slots * counts.get(CYCLES, 0)
    if not total:
        return {}
    shares = {}
    for event, name in ((STALL_SLOT_FRONTEND, "frontend bound"),
                        (STALL_SLOT_BACKEND, "backend bound")):
        if event in counts:
            shares[event] = counts[event], name
    if counts.get(OP_SPEC) and {OP_RETIRED, STALL_SLOT} <= counts.keys():
        used = Fraction(total - counts[STALL_SLOT], counts[OP_SPEC])
        retired = used * counts[OP_RETIRED]
        shares[OP_RETIRED] = retired, "retiring"
        shares[OP_SPEC] = (used * counts[OP_SPEC] - retired,
                           "bad speculation")
    return {event: (Fraction(100 * share) / total, f"% of slots, {name}")
            for event, (share, name) in shares.items()}


def metric(table, row, slots):
    """(value, name) of the ratio to other events of the group, or None."""
    counts = {}
    for other in table:
        if (other.group, other.place) == (row.group, row.place) and \
                other.running:
            counts.setdefault(other.number(), other.value)
    if not row.running:
        return None
    shares = level_one(counts, slots)
    if row.number() in shares:
        return shares[row.number()]
    for number, base, factor, name in RATIOS:
        if number == row.number() and counts.get(base):
            return Fraction(factor * row.value, counts[base]), name
    return None


# What is printed.

class Printed:
    """@names: of events, which all tables have alike."""

    def __init__(self, checker, stat, text):
        self.checker, self.stat = checker, stat
        self.options = stat.options
        self.lines = text.splitlines()
        self.names = {}
        self.metrics = []

    def _split(self):
        """Takes the lines of metrics away: (place, name, value, error)."""
        separator, rest = self.options.separator, []
        for line in self.lines:
            if self.options.json:
                one = json_metric(line)
            elif separator:
                one = csv_metric(line.split(separator))
            else:
                one = text_metric(line)
            if one:
                self.metrics.append(one)
            else:
                rest.append(line)
        self.lines = rest

    def _check_metrics(self):
        tables = len(self.stat.tables)
        if not self.options.metrics:
            self.checker.equal("metrics", self.metrics, [])
            return
        each = len(self.metrics) // tables
        self.checker.equal("metrics of a table", each > 1, True)
        decimals = 6 if self.options.json or self.options.separator else 4
        for i, (place, name, value, error) in enumerate(self.metrics):
            found = self.stat.metric_of(i // each, name, place)
            if found is None:
                self.checker.equal(name, value, None)
                continue
            self.checker.close(name, value, found[0], decimals)
            # Text shows no error of 0.
            if found[1] is None or error is None:
                self.checker.equal(f"{name} error", error, found[1] or None)
            else:
                self.checker.close(f"{name} error", error, found[1], decimals)

    def check(self):
        self._split()
        self._check_metrics()
        if self.options.json:
            self._check(self._json, [
                line for line in objects("\n".join(self.lines))
                if "event" in line])
            self._check_json_rest()
        elif self.options.separator:
            separator = self.options.separator
            self._check(self._csv, [
                line for line in self.lines
                if not line.startswith("skew" + separator)])
            self._check_skew([line.split(separator)[1:] for line in self.lines
                              if line.startswith("skew" + separator)])
        else:
            if not self.options.metrics_only:
                self._check(self._text, self._rows_of_text())
            self._check_text_rest()

    def _rows_of_text(self):
        """From the heading to the next empty line."""
        heading = next(i for i, line in enumerate(self.lines)
                       if line.startswith("#" if self.options.interval
                                          else " Counts for"))
        lines = self.lines[heading + (1 if self.options.interval else 2):]
        return lines[:lines.index("")]

    def _check(self, one, lines):
        rows = [(table, row) for table in self.stat.tables
                for row in self.stat.visible(table)]
        self.checker.equal("number of rows", len(lines), len(rows))
        for line, (table, row) in zip(lines, rows):
            one(line, table, row)

    def _name(self, row, table, name):
        """An event has one name everywhere."""
        rows = [other for other in table if other.group == row.group and
                other.place == row.place]
        key = row.group, rows.index(row)
        self.checker.equal("name", name, self.names.setdefault(key, name))

    def _json(self, line, table, row):
        self._name(row, table, line["event"])
        what = line["event"]
        expected = {"event": line["event"], "group": row.group,
                    "value": row.value if row.running else None,
                    "enabled_ns": row.enabled, "running_ns": row.running}
        if self.options.by == "cpu":
            expected["cpu"] = row.place[3:]
        elif self.options.by:
            expected.update(core=row.place, cpus=row.cpus)
        if self.options.interval:
            expected["time"] = line.get("time")
        ratio = metric(table, row, self.stat.slots)
        if ratio:
            expected["metric_unit"] = ratio[1]
            self.checker.close(f"{what} metric", line.pop("metric", "nothing"),
                               ratio[0], 6)
        if row.spread is not None:
            self.checker.close(f"{what} spread",
                               line.pop("spread_percent", "nothing"),
                               row.spread, 4)
        self.checker.equal(what, line, expected)

    def _csv(self, line, table, row):
        cells = line.split(self.options.separator)
        if self.options.interval:
            cells.pop(0)
        expected = []
        if row.place:
            expected.append(row.place)
            if self.options.by == "core":
                expected.append(row.cpus)
        if not row.running:
            expected.append("<not counted>")
        elif row.is_clock():
            expected.append(f"{row.value / 1e6:.6f}")
        else:
            expected.append(row.value)
        expected.append("msec" if row.is_clock() else "")
        name = cells[len(expected)]
        self._name(row, table, name)
        expected.append(name)
        if row.spread is not None:
            expected.append(f"{row.spread:.2f}%")
        expected += [row.running, f"{percent_running(row):.2f}"]
        ratio = metric(table, row, self.stat.slots)
        expected += [f"{float(ratio[0]):.4f}", ratio[1]] if ratio else ["", ""]
        self.checker.equal(name, cells, expected)

    def _text(self, line, table, row):
        cells = line.split()
        expected = []
        if self.options.interval:
            expected.append(cells[0])
        if row.place:
            expected.append(row.place)
            if self.options.by == "core":
                expected.append(str(row.cpus))
        if not row.running:
            expected += ["<not", "counted>"]
        elif row.is_clock():
            expected += [f"{row.value / 1e6:.2f}", "msec"]
        else:
            expected.append(f"{row.value:,}")
        name = cells[len(expected)] if len(cells) > len(expected) else ""
        self._name(row, table, name)
        expected.append(name)
        ratio = metric(table, row, self.stat.slots)
        if ratio:
            expected.append(f"# {float(ratio[0]):.2f} {ratio[1]}")
        if row.spread is not None:
            expected.append(f"( +- {row.spread:.2f}% )")
        if not row.running and row.enabled:
            expected.append("(run longer)")
        elif row.running < row.enabled:
            expected.append(f"({percent_running(row):.2f}%)")
        self.checker.equal(name, words(line), words(" ".join(expected)))

    # The text after the rows.

    def _captures(self):
        """Of the whole machine meanwhile, by the files in stats/."""
        since = {}
        for name in ("captured", "frozen", "prohibited", "disabled",
                     "timed_out", "raced"):
            found = self.stat.log.text_of(f"pmu_snapshot/stats/{name}")
            since[name] = int(found[-1]) - int(found[0]) if found else 0
        return (since["captured"] + since["frozen"], since["frozen"],
                since["prohibited"] + since["disabled"] + since["timed_out"],
                since["raced"])

    def _skew(self):
        """(reads, sum, largest) of the differences of the two events that
        are one, in each group."""
        for leader in self.stat.log.runs[0]:
            differences = [abs(values[-1] - values[0])
                           for _, running, values in leader.reads if running]
            yield len(differences), sum(differences), max(differences)

    def _check_skew(self, printed):
        """@printed: (event, reads, mean, largest)"""
        if not self.options.compare:
            return
        for one, (reads, total, largest) in zip(printed, self._skew()):
            self.checker.equal("skew", list(one[1:]), [
                reads, f"{total / reads:.2f}", largest])

    def _check_json_rest(self):
        rest = [line for line in objects("\n".join(self.lines))
                if "event" not in line]
        self._check_skew([(line["skew_of"], line["reads"], line["mean"],
                           line["max"]) for line in rest[:-1]])
        last, log = rest[-1], self.stat.log
        names = ("captures", "captures_frozen", "captures_failed",
                 "captures_raced")
        expected = {"elapsed_s": last["elapsed_s"]}
        if "captures" in last:
            expected.update(zip(names, self._captures()))
        if "user_s" in last:
            runs = self.stat.repeats * 10 ** 6
            expected.update(user_s=f"{log.usage[0] / runs:.6f}",
                            system_s=f"{log.usage[1] / runs:.6f}")
        self.checker.equal("the end", last, expected)

    def _check_text_rest(self):
        captures, _, failed, raced = self._captures()
        tried = captures + failed
        rest = [words(line) for line in self.lines]
        line = [one for one in rest if "captures," in one]
        if line:
            share = 100 * failed / tried if tried else 0
            self.checker.equal(
                "captures", line[0].split(" (")[0],
                f"{captures:,} captures, {share:.2f}% failed, {raced} repeated")
        runs = self.stat.repeats * 10 ** 6
        for name, value in zip(("user", "system"), self.stat.log.usage):
            found = [one for one in rest if one.endswith(f"seconds {name}")]
            if found:
                self.checker.equal(name, found[0],
                                   f"{value / runs:.6f} seconds {name}")
        if self.options.compare:
            found = [one.split() for one in rest if "largest" in one]
            for one, (reads, total, largest) in zip(found, self._skew()):
                self.checker.equal("skew", one[:3], [
                    f"{total / reads:.1f}", "mean", largest])


def json_metric(line):
    one = objects(line)[0]
    if "metric_name" not in one:
        return None
    place = f"CPU{one['cpu']}" if "cpu" in one else one.get("core")
    return place, one["metric_name"], one["value"], one["error"]


def csv_metric(cells):
    if "metric" not in cells:
        return None
    at = cells.index("metric")
    place = next((cell for cell in cells[:at]
                  if re.match("CPU|S[0-9]", cell)), None)
    name, _, value, _, error = cells[at + 1:at + 6]
    return (place, name, None if value == "<not counted>" else value,
            error or None)


def text_metric(line):
    found = re.match(r"(?:\s*[\d.]+\s)?((?:CPU|S)\S+)?\s*(<not counted>|-?[\d.]+)"
                     r"\s+(\w+)(.*)", line)
    if not found or found[3] not in methodology.METRICS:
        return None
    error = re.search(r"\+- ([\d.]+)", found[4])
    return (found[1], found[3],
            None if found[2] == "<not counted>" else found[2],
            error[1] if error else None)


def percent_running(row):
    return 100 * row.running / row.enabled if row.enabled else 0


def main():
    log, output, *arguments = sys.argv[1:]
    checker = Checker("pmscope", output)
    checker.where = "stat " + " ".join(arguments)
    stat = Stat(Log(log), Options(arguments))
    with open(output, encoding="utf-8") as file:
        Printed(checker, stat, file.read()).check()
    return checker.result()


if __name__ == "__main__":
    sys.exit(main())
