# SPDX-License-Identifier: GPL-2.0-or-later
"""The slices of `pmscope report --timeline`."""
from fractions import Fraction

from printed import is_filtered, objects, table, words
from rates import (CPU_CYCLES, INST_RETIRED, Pair, Since, counts_since,
                   name_of, rests)

FIRST_WIDTH = 1000
MAX_EVENTS = 16
COLUMNS = ("phase", "time", "duration", "samples", "lat_samples", "lat_mean",
           "ipc")
MIN_OF_PHASE = 16


class Slice:
    """A part of the time; counts are exact fractions."""

    def __init__(self):
        self.samples = self.timed = self.latency = 0
        self.counts = {}
        self.phase = 0

    def add(self, other):
        self.samples += other.samples
        self.timed += other.timed
        self.latency += other.latency
        for key, value in other.counts.items():
            self.counts[key] = self.counts.get(key, 0) + value

    def ipc(self):
        cycles = self.counts.get("cycles", 0)
        return self.counts["instructions"] / cycles if cycles >= 1 else None


class Timeline:
    """@limit slices at most, each of 1000 ns times a power of two. @times: of
    each event that is scaled as a whole, how long it was enabled and ran.
    @axis: instead of the limit, where slices begin and how long they are."""

    def __init__(self, perfdata, groups, samples, where, limit, times,
                 axis=None):
        self.perfdata, self.limit, self.times = perfdata, limit, times
        totals = perfdata.totals()
        self.begin, self.end = _span(samples, groups + totals, where)
        self.width = FIRST_WIDTH
        while self.begin is not None and \
                not axis and (self.end - self.begin) // self.width >= limit:
            self.width *= 2
        if axis and self.begin is not None:
            self.begin, self.width = axis
        nr = 0 if self.begin is None else self.index(self.end) + 1
        self.slices = [Slice() for _ in range(nr)]
        self.samples, self.untimed = 0, 0
        self._add_samples(samples, where)
        self.events = {}
        self.names = []
        self.groups = len(groups)
        self.snapshots = sum(
            any(perfdata.is_snapshot(c.event) for c in group.counts)
            for group in groups)
        self.untimed += sum(group.time is None for group in groups + totals)
        self._add_groups([g for g in groups if g.time is not None],
                         [g for g in totals if g.time is not None])
        self._scale()
        self._find_phases()

    def index(self, time):
        return max(time - self.begin, 0) // self.width

    def _add_samples(self, samples, where):
        for time, latency in samples.all(
                f"SELECT time, lat_total FROM samples WHERE {where}"):
            self.samples += 1
            if time is None:
                self.untimed += 1
                continue
            one = self.slices[self.index(int(time))]
            one.samples += 1
            if latency is not None:
                one.timed += 1
                one.latency += latency

    def _event(self, event):
        """Its number among the columns, or None behind the last."""
        if event not in self.events and len(self.names) < MAX_EVENTS:
            plain = name = name_of(self.perfdata, event)
            nr = 2
            while name in self.names or name in COLUMNS:
                name = f"{plain} #{nr}"
                nr += 1
            self.events[event] = Since()
            self.names.append(name)
        return self.events.get(event)

    def _add_groups(self, groups, totals):
        for group, deltas in counts_since(self.perfdata, groups):
            self._add_group(group, deltas)
        for group, deltas, begin in rests(self.perfdata, groups, totals):
            self._add_group(group, deltas, begin)

    def _time_of(self, event):
        """How long all its counters were enabled and ran; None where each is
        scaled alone."""
        nr = list(self.events).index(event) if event in self.events else -1
        return self.times[nr] if 0 <= nr < len(self.times) else None

    def _add_group(self, group, deltas, begin=None):
        """@begin: of all counts, or each from its reading before on."""
        pair = Pair()
        for count, before, now in deltas:
            since = self._event(count.event) or Since()
            whole = self._time_of(count.event)
            add = since.tell if whole else since.add
            value = add(before, now) if before else None
            if value is None:
                continue
            start = before.time if begin is None else begin
            if count.event in self.events:
                self._spread(count.event, start, group.time, value)
            pair.take(self.perfdata, count, start, value)
        if pair.is_whole():
            self._spread("cycles", pair.begin, group.time,
                         pair.of[CPU_CYCLES])
            self._spread("instructions", pair.begin, group.time,
                         pair.of[INST_RETIRED])

    def _scale(self):
        """What readings of threads missed is known when all are read."""
        for event, since in self.events.items():
            whole = self._time_of(event)
            if not whole:
                continue
            since.enabled, since.running = whole
            for one in self.slices:
                if event in one.counts and since.running:
                    one.counts[event] *= Fraction(*whole)

    def _spread(self, key, begin, end, count):
        """A count is shared evenly among the slices between two reads."""
        for i in range(self.index(begin), self.index(end) + 1):
            start = self.begin + i * self.width
            part = min(start + self.width, end) - max(start, begin)
            share = Fraction(count * part, end - begin) if end > begin \
                else Fraction(count)
            counts = self.slices[i].counts
            counts[key] = counts.get(key, 0) + share

    # A phase ends if the next slice exceeds one and a half times the mean of
    # its slices, or the mean exceeds one and a half times the slice.

    def _find_phases(self):
        phase, sums, nr = 1, Slice(), 0
        for i, one in enumerate(self.slices):
            last = i + 1 == len(self.slices)
            if nr and not last and self._differs(sums, nr, one):
                phase, sums, nr = phase + 1, Slice(), 0
            one.phase = phase
            sums.add(one)
            nr += 1

    def _differs(self, sums, nr, one):
        pairs = [(Fraction(sums.samples, nr), one.samples)]
        for event in self.events:
            pairs.append((Fraction(sums.counts.get(event, 0)) / nr,
                          one.counts.get(event, 0)))
        if min(sums.timed, one.timed) >= MIN_OF_PHASE:
            pairs.append((Fraction(sums.latency, sums.timed),
                          Fraction(one.latency, one.timed)))
        return any(max(pair) >= MIN_OF_PHASE and
                   2 * max(pair) > 3 * min(pair) for pair in pairs)

    def duration(self, i):
        start = self.begin + i * self.width
        return self.width if i + 1 < len(self.slices) else self.end - start

    # What is printed.

    def check(self, checker, options, summary):
        self._check_json(checker, options, summary)
        if is_filtered(options):
            return
        self._check_csv(checker, options)
        self._check_text(checker, options)

    def _check_json(self, checker, options, summary):
        text, _ = checker.run("report", "--timeline", "--format=jsonl",
                              *options)
        lines = objects(text)
        expected = dict(summary, samples=self.samples, groups=self.groups,
                        snapshots=self.snapshots, slices=len(self.slices),
                        duration=self.width, untimed=self.untimed)
        checker.equal("summary", lines[0], expected)
        checker.equal("number of slices", len(lines) - 1, len(self.slices))
        for i, (line, one) in enumerate(zip(lines[1:], self.slices)):
            counts = line.pop("counts")
            ipc = line.pop("ipc", None)
            expected = {"type": "slice", "phase": one.phase,
                        "time": self.begin + i * self.width,
                        "duration": self.duration(i),
                        "samples": one.samples, "timed": one.timed}
            if one.timed:
                expected["mean"] = f"{one.latency / one.timed:.3f}"
            checker.equal(f"slice {i}", line, expected)
            checker.equal("events", list(counts), self.names)
            self._check_counts(checker, f"slice {i}", one,
                               list(counts.values()), 6)
            self._check_ipc(checker, f"slice {i} ipc", one, ipc, 6)

    def _check_counts(self, checker, what, one, printed, decimals):
        for event, name, value in zip(self.events, self.names, printed):
            checker.close(f"{what} {name}", value, one.counts.get(event, 0),
                          decimals)

    @staticmethod
    def _check_ipc(checker, what, one, printed, decimals):
        ipc = one.ipc()
        if ipc is None or printed in (None, "", "-"):
            checker.equal(what, printed or "-", "-" if ipc is None else
                          f"{float(ipc):.{decimals}f}")
        else:
            checker.close(what, printed, ipc, decimals)

    def _check_csv(self, checker, options):
        text, _ = checker.run("report", "--timeline", "--format=csv",
                              *options)
        rows = table(text)
        checker.equal("number of slices", len(rows), len(self.slices))
        for i, (row, one) in enumerate(zip(rows, self.slices)):
            values = list(row.values())
            lat = f"{one.latency / one.timed:.3f}" if one.timed else ""
            expected = [one.phase, self.begin + i * self.width,
                        self.duration(i), one.samples, one.timed, lat]
            checker.equal(f"slice {i}", list(row),
                          list(COLUMNS) + self.names)
            checker.equal(f"slice {i}", values[:6], expected)
            self._check_ipc(checker, f"slice {i} ipc", one, values[6], 6)
            self._check_counts(checker, f"slice {i}", one, values[7:], 6)

    def _check_text(self, checker, options):
        text, _ = checker.run("report", "--timeline", *options)
        lines = text.splitlines()
        rows = [line.split() for line in lines if line[:1] != "#"]
        checker.equal("number of slices", len(rows), len(self.slices))
        for i, (row, one) in enumerate(zip(rows, self.slices)):
            lat = f"{one.latency / one.timed:.1f}" if one.timed else "-"
            checker.equal(f"slice {i}", row[:5], [
                one.phase, f"{i * self.width / 1e6:.3f}", one.samples,
                one.timed, lat])
            self._check_ipc(checker, f"slice {i} ipc", one, row[5], 2)
            self._check_counts(checker, f"slice {i}", one, row[6:], 0)
        self._check_shares(checker, lines)

    def _check_shares(self, checker, lines):
        """Which part of the time an event counted, in the head."""
        for nr, (name, since) in enumerate(zip(self.names,
                                               self.events.values())):
            expected = f"# {nr + 1}: {name}"
            if since.running < since.enabled:
                share = 100 * since.running / since.enabled
                expected += f" ({share:.2f}% of the time, scaled)"
            printed = [words(line) for line in lines
                       if line.startswith(f"# {nr + 1}: ")]
            checker.equal("event", printed[:1], [expected])


def _span(samples, groups, where):
    """The first and the last time."""
    times = [group.time for group in groups if group.time is not None]
    first, last = samples.one(
        f"SELECT (SELECT time FROM samples WHERE {where} AND time IS NOT NULL "
        f"ORDER BY n LIMIT 1), max(time) FROM samples WHERE {where}")
    if first is not None:
        times += [int(first), int(last)]
    return (min(times), max(times)) if times else (None, None)
