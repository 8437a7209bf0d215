# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a perf.data: its events, its records and its traces.

Written from the kernel's include/uapi/linux/perf_event.h and perf's
perf.data-file-format.txt; it shares nothing with libpmscope.
"""
import struct

SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME, SAMPLE_ADDR, SAMPLE_READ = 1, 2, 4, 8, 16
SAMPLE_ID, SAMPLE_CPU, SAMPLE_PERIOD, SAMPLE_STREAM_ID = 64, 128, 256, 512
SAMPLE_CALLCHAIN, SAMPLE_IDENTIFIER = 32, 1 << 16
READ_ENABLED, READ_RUNNING, READ_ID, READ_GROUP, READ_LOST = 1, 2, 4, 8, 16

ATTR_INHERIT, ATTR_SAMPLE_ID_ALL, ATTR_CLOCKID = 1 << 1, 1 << 18, 1 << 25

(MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, READ, SAMPLE, MMAP2, AUX,
 ITRACE_START, LOST_SAMPLES) = range(1, 14)
AUX_OUTPUT_HW_ID = 21
ALLOCATIONS = 0x7061656865706F63  # in place of its hw_id
HEADER_ATTR, HEADER_TRACING_DATA = 64, 66
AUXTRACE_INFO, AUXTRACE, AUXTRACE_ERROR = 70, 71, 72
EVENT_UPDATE, TIME_CONV, FEATURE, COMPRESSED, COMPRESSED2 = 78, 79, 80, 81, 83
LAST_OF_KERNEL, LAST_OF_PERF = 22, 86
SIMPLEPERF = range(32768, 32788)

FEATURE_EVENT_DESC, FEATURE_PMU_MAPPINGS = 12, 16

AUX_TRUNCATED, AUX_OVERWRITE, AUX_PARTIAL, AUX_COLLISION = 1, 2, 4, 8

NO_ID = 0xffffffff
SNAPSHOT_PMU = "pmu_snapshot"


class Unreadable(Exception):
    """What this reader does not know; the reason is for people."""


class Attr:
    """A perf_event_attr, with its sample identifiers and its name."""

    def __init__(self, data):
        (self.type, self.size, self.config, self.period, self.sample_type,
         self.read_format, self.flags) = struct.unpack_from("<IIQQQQQ", data)
        self.config1, self.config2 = struct.unpack_from("<QQ", data, 56)
        self.ids = []
        self.name = None

    def only(self):
        """What filters by type and latency let pass, as pmscope says it."""
        types = [what for bit, what in ((33, "loads"), (34, "stores"),
                                        (32, "branches"))
                 if self.config >> bit & 1]
        latency = self.config2 & 0xffff
        if not types and not latency:
            return None
        return (" and ".join(types) or "operations") + \
            (f" of {latency} cycles or more" if latency else "")

    def __contains__(self, flag):
        return bool(self.flags & flag)


class Record:
    """One record; @payload is what follows an AUXTRACE."""

    def __init__(self, kind, misc, body, offset):
        self.kind, self.misc, self.body = kind, misc, body
        self.offset = offset
        self.payload = None
        self.payload_at = 0
        self.attr = None
        self.id = {}

    def u64(self, at):
        return struct.unpack_from("<Q", self.body, at)[0]

    def u32(self, at):
        return struct.unpack_from("<I", self.body, at)[0]


class Count:
    """What one event of a group counted."""

    def __init__(self, event, ident, value):
        self.event, self.id, self.value = event, ident, value


class Group:
    """Counters that were read together."""

    def __init__(self, record):
        self.time = record.id.get("time")
        self.cpu = record.id.get("cpu")
        self.tid = record.id.get("tid")
        # The sum of all threads has no thread.
        if self.tid == NO_ID:
            self.tid = None
        self.enabled = self.running = 0
        self.counts = []


def _text(data, at=0):
    return bytes(data[at:]).split(b"\0")[0].decode("utf-8", "surrogateescape")


class PerfData:
    """All of a file that was made by one `perf record` or pmscope."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = memoryview(file.read())
        self.attrs = []
        self.attr_of_id = {}
        self.records = []
        self.features = {}
        self.pmus = {}
        if bytes(self.data[:8]) != b"PERFILE2" or len(self.data) < 16:
            raise Unreadable("no perf.data of this byte order")
        size = struct.unpack_from("<Q", self.data, 8)[0]
        if size == 16:
            self._read_records(16, len(self.data))
        else:
            self._read_file(size)
        self._name_events()

    def _read_file(self, size):
        (_, attrs, attrs_size, at, nr) = struct.unpack_from(
            "<QQQQQ", self.data, 16)
        entry = struct.unpack_from("<Q", self.data, 16)[0]
        for place in range(attrs, attrs + attrs_size, entry):
            attr = Attr(self.data[place:])
            ids, ids_size = struct.unpack_from(
                "<QQ", self.data, place + entry - 16)
            self._add_attr(attr, struct.unpack_from(
                f"<{ids_size // 8}Q", self.data, ids))
        self._read_features(at + nr, struct.unpack_from(
            "<4Q", self.data, size - 32))
        self._read_records(at, min(at + nr, len(self.data)))

    def _read_features(self, at, flags):
        for bit in range(256):
            if not flags[bit // 64] >> bit % 64 & 1:
                continue
            if at + 16 > len(self.data):
                return
            where, size = struct.unpack_from("<QQ", self.data, at)
            self.features[bit] = self.data[where:where + size]
            at += 16

    def _add_attr(self, attr, ids):
        attr.ids = list(ids)
        for ident in ids:
            self.attr_of_id.setdefault(ident, len(self.attrs))
        self.attrs.append(attr)

    def _read_records(self, at, end):
        while at + 8 <= end:
            kind, misc, size = struct.unpack_from("<IHH", self.data, at)
            if size < 8 or at + size > end:
                raise Unreadable(f"a record of {size} bytes at {at}")
            if kind in (COMPRESSED, COMPRESSED2):
                raise Unreadable("records are compressed")
            record = Record(kind, misc, self.data[at + 8:at + size], at)
            at += size
            at += self._take(record, at, end)

    def _take(self, record, at, end):
        """Returns how many bytes follow the record that belong to it."""
        self.records.append(record)
        if record.kind == AUXTRACE:
            size = record.u64(0)
            record.payload = self.data[at:min(at + size, end)]
            record.payload_at = at
            return size
        if record.kind == HEADER_TRACING_DATA:
            return (record.u32(0) + 7) & ~7
        if record.kind == HEADER_ATTR:
            attr = Attr(record.body)
            ids = record.body[attr.size:]
            self._add_attr(attr, struct.unpack(f"<{len(ids) // 8}Q", ids))
        elif record.kind == EVENT_UPDATE and record.u64(0) == 2:
            index = self.attr_of_id.get(record.u64(8))
            if index is not None:
                self.attrs[index].name = _text(record.body, 16)
        elif record.kind == FEATURE:
            self.features[record.u64(0)] = record.body[8:]
        elif record.kind not in SIMPLEPERF:
            self._set_id(record)
        return 0

    # The event of a record, by its identity.

    def _attr_of(self, record):
        first = self.attrs[0] if self.attrs else None
        if not first or record.kind >= HEADER_ATTR:
            return None
        kinds = {attr.sample_type for attr in self.attrs}
        body = record.body
        if all(kind & SAMPLE_IDENTIFIER for kind in kinds):
            at = 0 if record.kind == SAMPLE else len(body) - 8
        elif len(kinds) == 1 and first.sample_type & SAMPLE_ID:
            at = self._id_at(record, first.sample_type)
        else:
            return first
        if at < 0 or at + 8 > len(body):
            return None
        ident = struct.unpack_from("<Q", body, at)[0]
        index = self.attr_of_id.get(ident)
        # perf's own records, and those of kernels before 3.12, have 0.
        if index is None:
            return first if not ident or len(self.attrs) == 1 else None
        return self.attrs[index]

    @staticmethod
    def _id_at(record, kind):
        if record.kind == SAMPLE:
            before = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR
            return 8 * bin(kind & before).count("1")
        behind = SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER
        return len(record.body) - 8 * bin(kind & behind).count("1")

    def _set_id(self, record):
        attr = record.attr = self._attr_of(record)
        if not attr:
            return
        kind = attr.sample_type
        if record.kind == SAMPLE:
            order = (SAMPLE_IDENTIFIER, SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME,
                     SAMPLE_ADDR, SAMPLE_ID, SAMPLE_STREAM_ID, SAMPLE_CPU,
                     SAMPLE_PERIOD)
            at = 0
        elif ATTR_SAMPLE_ID_ALL in attr:
            order = (SAMPLE_TID, SAMPLE_TIME, SAMPLE_ID, SAMPLE_STREAM_ID,
                     SAMPLE_CPU, SAMPLE_IDENTIFIER)
            at = len(record.body) - 8 * sum(bool(kind & o) for o in order)
        else:
            return
        if at < 0:
            return
        for field in order:
            if kind & field:
                self._set_field(record, field, at)
                at += 8
        record.read_at = at

    @staticmethod
    def _set_field(record, field, at):
        if at + 8 > len(record.body):
            return
        if field == SAMPLE_TID:
            record.id["pid"], record.id["tid"] = struct.unpack_from(
                "<II", record.body, at)
        elif field == SAMPLE_TIME:
            record.id["time"] = record.u64(at)
        elif field == SAMPLE_CPU:
            record.id["cpu"] = record.u32(at)

    # Names.

    def _name_events(self):
        if FEATURE_EVENT_DESC in self.features:
            self._read_event_desc(self.features[FEATURE_EVENT_DESC])
        if FEATURE_PMU_MAPPINGS in self.features:
            self._read_pmus(self.features[FEATURE_PMU_MAPPINGS])

    def _read_event_desc(self, data):
        nr, attr_size = struct.unpack_from("<II", data)
        at = 8
        for _ in range(nr):
            at += attr_size
            nr_ids, length = struct.unpack_from("<II", data, at)
            name = _text(data[at + 8:at + 8 + length])
            at += 8 + length
            for ident in struct.unpack_from(f"<{nr_ids}Q", data, at):
                index = self.attr_of_id.get(ident)
                if index is not None and not self.attrs[index].name:
                    self.attrs[index].name = name
            at += 8 * nr_ids

    def _read_pmus(self, data):
        at = 4
        for _ in range(struct.unpack_from("<I", data)[0]):
            kind, length = struct.unpack_from("<II", data, at)
            self.pmus[_text(data[at + 8:at + 8 + length])] = kind
            at += 8 + length

    def is_snapshot(self, index):
        """Is the event one of pmu_snapshot?"""
        if index is None:
            return False
        attr = self.attrs[index]
        return attr.type == self.pmus.get(SNAPSHOT_PMU, -1) or \
            (attr.name or "").startswith(SNAPSHOT_PMU + "/")

    def is_of_thread(self, count, group):
        """Is it one thread's part of an event that threads inherit?"""
        return count.event is not None and group.tid is not None and \
            ATTR_INHERIT in self.attrs[count.event]

    # Groups of counters.

    def groups(self):
        """All groups that were read, in the order of their time."""
        found = [group for group in map(self._group, self.records) if group]
        return sorted(found, key=lambda group: group.time or 0)

    def totals(self):
        """What groups had counted at the end, as pmscope record writes it: a
        PERF_RECORD_READ of no process."""
        found = []
        for record in self.records:
            if record.kind == READ and record.u32(0) == NO_ID and \
                    record.attr is not None:
                record.read_at = 8
                found.append(self._read_group(record))
        return found

    def is_group(self, record):
        return record.kind == SAMPLE and record.attr is not None and \
            record.attr.sample_type & SAMPLE_READ and \
            record.attr.read_format & READ_GROUP

    def is_chain(self, record):
        return record.kind == SAMPLE and record.attr is not None and \
            bool(record.attr.sample_type & SAMPLE_CALLCHAIN) and \
            not self.is_group(record)

    def call_chains(self):
        """Samples of other events that have a call chain."""
        return sum(self.is_chain(r) for r in self.records)

    def _group(self, record):
        return self._read_group(record) if self.is_group(record) else None

    def _read_group(self, record):
        group = Group(record)
        form = record.attr.read_format
        words = record.body[record.read_at:]
        words = list(struct.unpack_from(f"<{len(words) // 8}Q", words))
        nr = words.pop(0)
        if form & READ_ENABLED:
            group.enabled = words.pop(0)
        if form & READ_RUNNING:
            group.running = words.pop(0)
        width = 1 + bool(form & READ_ID) + bool(form & READ_LOST)
        for i in range(nr):
            ident = words[i * width + 1] if form & READ_ID else 0
            group.counts.append(Count(self.attr_of_id.get(ident), ident,
                                      words[i * width]))
        return group

    def losses(self):
        """What the file says was lost, by report's names in JSON."""
        lost = dict.fromkeys((
            "records", "samples", "truncated", "collisions", "partial",
            "trace_errors", "unknown_records", "unread_mappings", "blocks",
            "other_samples"), 0)
        for r in self.records:
            if r.kind == LOST:
                lost["records"] += r.u64(8)
            elif r.kind == LOST_SAMPLES and not r.misc & 1 << 15:
                lost["samples"] += r.u64(0)
            elif r.kind == AUX:
                flags = r.u64(16)
                lost["truncated"] += bool(flags & AUX_TRUNCATED)
                lost["partial"] += bool(flags & AUX_PARTIAL)
                lost["collisions"] += bool(flags & AUX_COLLISION)
            elif r.kind == AUXTRACE_ERROR:
                lost["trace_errors"] += 1
            elif r.kind == AUX_OUTPUT_HW_ID and r.u64(0) == ALLOCATIONS:
                lost["blocks"] += r.u64(24)
            elif r.kind in (MMAP, MMAP2):
                lost["unread_mappings"] += bool(r.misc & 1 << 12)
            elif r.kind == SAMPLE:
                lost["other_samples"] += not self.is_group(r) and \
                    not self.is_chain(r)
            lost["unknown_records"] += not self._is_known(r.kind)
        return lost

    @staticmethod
    def _is_known(kind):
        return 1 <= kind <= LAST_OF_KERNEL or \
            HEADER_ATTR <= kind <= LAST_OF_PERF or kind in SIMPLEPERF
