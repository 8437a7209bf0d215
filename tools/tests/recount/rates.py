# SPDX-License-Identifier: GPL-2.0-or-later
"""What the groups of counters say: counts, rates, instructions per cycle."""
from perfdata import ATTR_INHERIT
from printed import words

INST_RETIRED, CPU_CYCLES = 0x08, 0x11
MAX_EVENTS = 64


class Counter:
    """A counter, or a thread's part of it, as it was last read."""

    def __init__(self, value, time, enabled, running):
        self.value, self.time = value, time
        self.enabled, self.running = enabled, running


def scaled(count, enabled, running):
    """For the time @enabled, of which it counted @running; rounded."""
    return (count * enabled + running // 2) // running


class Since:
    """What was counted between readings."""

    def __init__(self):
        self.value = self.time = self.enabled = self.running = 0

    @staticmethod
    def _between(before, now):
        """The difference, or None where the counter was set back."""
        names = ("value", "time", "enabled", "running")
        delta = {name: getattr(now, name) - getattr(before, name)
                 for name in names}
        return None if min(delta.values()) < 0 else delta

    def tell(self, before, now):
        """Adds what was counted, not scaled, and returns it; or None."""
        delta = self._between(before, now)
        if delta is None:
            return None
        for name, value in delta.items():
            setattr(self, name, getattr(self, name) + value)
        return delta["value"]

    def add(self, before, now):
        """Returns the count, or None where the counter was set back."""
        delta = self._between(before, now)
        if delta is None:
            return None
        self.enabled += delta["enabled"]
        self.running += delta["running"]
        if delta["enabled"] and not delta["running"]:
            return None
        count = delta["value"]
        if delta["running"] < delta["enabled"]:
            count = scaled(count, delta["enabled"], delta["running"])
        self.value += count
        self.time += delta["time"]
        return count


def name_of(perfdata, event):
    if event is None:
        return "unknown events"
    return perfdata.attrs[event].name or f"event {event}"


def counts_since(perfdata, groups):
    """For each group, what its counters counted since they were read before:
    (group, [(count, reading before, reading now)])."""
    last = {}
    for group in groups:
        deltas = []
        for count in group.counts:
            key = (count.id, group.tid
                   if perfdata.is_of_thread(count, group) else None)
            now = Counter(count.value, group.time or 0, group.enabled,
                          group.running)
            deltas.append((count, last.get(key), now))
            last[key] = now
        yield group, deltas


def rests(perfdata, groups, totals):
    """For each group that was read at the end, what no reading before tells, in
    the form of counts_since(): from the first reading of the group on."""
    told, begin = {}, {}
    for group, deltas in counts_since(perfdata, groups):
        begin.setdefault(group.counts[0].event, group.time)
        for count, before, now in deltas:
            if before:
                told.setdefault(count.id, Since()).tell(before, now)
    for group in totals:
        begin.setdefault(group.counts[0].event, group.time)
        deltas = []
        for count in group.counts:
            before = told.setdefault(count.id, Since())
            deltas.append((count, before, Counter(
                count.value, max(group.enabled, before.time), group.enabled,
                group.running)))
        yield group, deltas, begin[group.counts[0].event]


class Pair:
    """Cycles and instructions of one group."""

    def __init__(self):
        self.of = {}
        self.begin = None

    def take(self, perfdata, count, begin, value):
        if not perfdata.is_snapshot(count.event):
            return
        number = perfdata.attrs[count.event].config & 0xffff
        if number in (INST_RETIRED, CPU_CYCLES):
            self.of.setdefault(number, value)
        self.begin = begin

    def is_whole(self):
        return len(self.of) == 2


class Rates:
    """Sums of all counters of an event."""

    def __init__(self, perfdata, groups):
        self.perfdata = perfdata
        self.read = {}   # event: how often
        self.since = {}
        self.cycles = self.instructions = 0
        for _, deltas in counts_since(perfdata, groups):
            self._add(deltas)
        self.groups = len(groups)
        self.snapshots = sum(
            any(perfdata.is_snapshot(count.event) for count in group.counts)
            for group in groups)

    def _add(self, deltas):
        pair = Pair()
        for count, before, now in deltas:
            event = count.event
            self.read[event] = self.read.get(event, 0) + 1
            since = self.since.setdefault(event, Since())
            value = since.add(before, now) if before else None
            if value is not None:
                pair.take(self.perfdata, count, before.time, value)
        if pair.is_whole():
            self.cycles += pair.of[CPU_CYCLES]
            self.instructions += pair.of[INST_RETIRED]

    def json(self):
        lines = []
        for event, since in list(self.since.items())[:MAX_EVENTS]:
            line = {"type": "counter",
                    "event": name_of(self.perfdata, event),
                    "snapshots": self.read[event], "count": since.value,
                    "ns": since.time}
            if since.enabled:
                line.update(enabled_ns=since.enabled,
                            running_ns=since.running)
            lines.append(line)
        if self.cycles:
            value = f"{self.instructions / self.cycles:.6f}"
            lines.append({"type": "ipc", "value": value})
        return lines

    def check(self, checker, json_lines, text_lines):
        """All that is printed, where each counter stands for itself."""
        checker.where = "report --format=jsonl"
        checker.equal("counters", json_lines, self.json())
        check_text(checker, json_lines, text_lines)


class Sums:
    """What all counters of an event counted, in all or between readings."""

    def __init__(self, perfdata, groups):
        self.perfdata = perfdata
        self.value, self.running = {}, {}
        self.of_threads = not of_cpus(perfdata, groups)
        self.enabled = clocks(groups, perfdata.totals())
        # Counters of CPUs are scaled one by one, at each reading.
        self.alone = Rates(perfdata, groups).since
        totals = perfdata.totals()
        for _, deltas, _ in rests(perfdata, groups, totals):
            for count, before, now in deltas:
                self.alone.setdefault(count.event, Since()).add(before, now)
        if totals:
            for group in totals:
                for count in group.counts:
                    self._add(count.event, count.value, group.running)
            return
        for _, deltas in counts_since(perfdata, groups):
            for count, before, now in deltas:
                if before and now.value >= before.value:
                    self._add(count.event, now.value - before.value,
                              now.running - before.running)

    def _add(self, event, value, running):
        self.value[event] = self.value.get(event, 0) + value
        self.running[event] = self.running.get(event, 0) + running

    def is_alone(self, event, enabled, running):
        """Is each counter scaled alone? @enabled, @running: as printed."""
        alone = self.alone.get(event)
        return bool(alone) and not self.of_threads and \
            (alone.enabled, alone.running) == (enabled, running)

    def times(self, json_lines):
        """(enabled, running) of each event as report prints them, by which all
        that threads counted is scaled; None where each counter is alone."""
        found = []
        for event, line in zip(self.alone, json_lines):
            pair = (int(line.get("enabled_ns", 0)),
                    int(line.get("running_ns", 0)))
            found.append(None if self.is_alone(event, *pair) else pair)
        return found

    def check(self, checker, json_lines, text_lines):
        """Counts of threads on several CPUs, and what was read at the end: only
        what the printed times say is missing may be scaled."""
        checker.where = "report --format=jsonl"
        events = {}
        for event in self.value:
            events.setdefault(name_of(self.perfdata, event), []).append(event)
        for line in json_lines:
            name = line.get("event")
            # Two events with the same name cannot be told apart.
            if len(events.get(name, ())) != 1:
                continue
            event = events[name][0]
            enabled = int(line.get("enabled_ns", 0))
            running = int(line.get("running_ns", 0))
            checker.equal(name + " running_ns", running, self.running[event])
            if self.of_threads and enabled > running and \
                    enabled > self.enabled.get(event, enabled):
                checker.differ(name + " enabled_ns", enabled,
                               f"{self.enabled[event]} at most")
            count = self.value[event]
            if running < enabled:
                count = scaled(count, enabled, running)
            if self.is_alone(event, enabled, running):
                count = self.alone[event].value
            checker.equal(name + " count", line["count"], count)
        check_text(checker, json_lines, text_lines)


def clocks(groups, totals):
    """For how long the threads had each event, by the one clock that all the
    counters of a thread have."""
    spans = {}
    for group in totals or groups:
        for count in group.counts:
            first, last = spans.get((count.event, group.tid),
                                    (group.enabled, group.enabled))
            spans[count.event, group.tid] = (
                0 if totals else min(first, group.enabled),
                max(last, group.enabled))
    enabled = {}
    for (event, _), (first, last) in spans.items():
        enabled[event] = enabled.get(event, 0) + last - first
    return enabled


def of_cpus(perfdata, groups):
    """Is a counter that of a CPU, whatever runs there? Or has each thread one
    only? Else a thread has one on each CPU, and these belong together."""
    seen, threads = {}, {}
    if has_clocks_of_cpus(perfdata, groups):
        return True
    for group in groups:
        for count in group.counts:
            if not group.tid or not perfdata.is_of_thread(count, group):
                seen.setdefault(count.id, set()).add(group.tid)
            threads.setdefault(count.event, set()).add(group.tid)
    return any(len(tids) > 1 or 0 in tids for tids in seen.values()) or \
        all(cpus_of(perfdata, event, len(tids)) <= 1
            for event, tids in threads.items())


def has_clocks_of_cpus(perfdata, groups):
    """A thread has one clock on all CPUs; that of a control group is another on
    each, so its time goes far back from one reading to the next."""
    clock = {}
    for group in groups:
        first = group.counts[0] if group.counts else None
        if not first or perfdata.is_of_thread(first, group):
            continue
        before, ident = clock.get((first.event, group.tid), (0, first.id))
        if ident != first.id and 2 * group.enabled < before:
            return True
        clock[first.event, group.tid] = group.enabled, first.id
    return False


def cpus_of(perfdata, event, threads):
    """On how many CPUs each of so many threads has a counter of it; those that
    inherit one have its identifiers."""
    if event is None:
        return 0
    attr = perfdata.attrs[event]
    return len(attr.ids) if ATTR_INHERIT in attr else len(attr.ids) // threads


def check_text(checker, json_lines, text_lines):
    """The text says the same as the JSON lines, and what follows from them."""
    expected = []
    for line in json_lines:
        if line["type"] == "ipc":
            expected.append(f"# {float(line['value']):.3f} "
                            "instructions per cycle")
            continue
        count, ns = int(line["count"]), int(line["ns"])
        rate = count * 1e9 / ns if ns else 0
        text = f"{line['snapshots']} {count} {rate:.0f} {line['event']}"
        enabled = int(line.get("enabled_ns", 0))
        running = int(line.get("running_ns", 0))
        if running < enabled:
            text += f" ({100 * running / enabled:.2f}% of the time, scaled)"
        expected.append(words(text))
    checker.where = "report"
    head = [i for i, line in enumerate(text_lines)
            if line.startswith("#    Groups")]
    printed = text_lines[head[0] + 2:] if head else []
    checker.equal("counters", [words(line) for line in printed], expected)
