# SPDX-License-Identifier: GPL-2.0-or-later
"""The SPE records of a perf.data, decoded from its traces, and `script`'s rows
against them."""
import bisect
import struct

import perfdata as format
from spe import decode, event_names, operation

ARM_SPE = 4


class Clock:
    """Ticks of the generic timer in perf's clock (TIME_CONV)."""

    def __init__(self, file):
        self.mult = self.cycles = self.mask = 0
        info = False
        for record in file.records:
            if record.kind == format.AUXTRACE_INFO:
                info = True
            # One before AUXTRACE_INFO applies to its trace, too.
            if record.kind == format.TIME_CONV and not (info and self.mult):
                self.shift, self.mult, self.zero = struct.unpack_from(
                    "<QQQ", record.body)
                if len(record.body) >= 42 and record.body[41]:
                    self.cycles, self.mask = struct.unpack_from(
                        "<QQ", record.body, 24)

    def ns(self, ticks):
        if not self.mult:
            return None
        if self.mask:
            ticks = self.cycles + (ticks - self.cycles & self.mask)
        high, low = ticks >> self.shift, ticks & (1 << self.shift) - 1
        ns = self.zero + high * self.mult + (low * self.mult >> self.shift)
        return ns & (1 << 64) - 1


class Area:
    """The AUX area of a CPU, or of a thread: what follows without a gap is one
    trace."""

    def __init__(self, index, cpu, tid):
        self.index, self.cpu, self.tid = index, cpu, tid
        self.pieces = []  # (offset in the area, bytes, offset in the file)

    def traces(self):
        """(bytes, [(position, offset in the file)]) of each."""
        data, places, end = bytearray(), [], None
        for offset, piece, at in self.pieces:
            if offset != end and data:
                yield bytes(data), places
                data, places = bytearray(), []
            places.append((len(data), at))
            data += piece
            end = offset + len(piece)
        if data:
            yield bytes(data), places


def areas_of(file):
    areas = {}
    for record in file.records:
        if record.kind != format.AUXTRACE:
            continue
        offset = record.u64(8)
        index, tid, cpu = struct.unpack_from("<III", record.body, 24)
        area = areas.setdefault(index, Area(index, cpu, tid))
        if len(record.payload):
            area.pieces.append((offset, record.payload, record.payload_at))
    return list(areas.values())


def reason_not_to(file):
    """Why traces are not looked at; None where they are."""
    for record in file.records:
        if record.kind == format.AUXTRACE_INFO and record.u32(0) != ARM_SPE:
            return "the trace is not of Arm SPE"
        if record.kind == format.AUX and record.u64(16) & \
                (format.AUX_OVERWRITE | format.AUX_PARTIAL):
            return "records may begin or end anywhere"
        if record.kind in format.SIMPLEPERF:
            return "simpleperf's own records"
    for area in areas_of(file):
        end = 0
        for offset, piece, _ in area.pieces:
            if offset < end:
                return "a trace is there twice"
            end = offset + len(piece)
    return None


def midr_of_cpus(file):
    """MIDR_EL1 by CPU, of AUXTRACE_INFO of version 2."""
    midrs = {}
    for record in file.records:
        if record.kind != format.AUXTRACE_INFO or len(record.body) < 40:
            continue
        version, header, _, nr = struct.unpack_from("<4Q", record.body, 8)
        if version != 2:
            continue
        at = 8 + 8 * header
        for _ in range(nr):
            _, cpu, words, midr = struct.unpack_from("<4Q", record.body, at)
            midrs[cpu] = midr
            at += 8 * (3 + words)
    return midrs


class Traces:
    """All records, by their offset in the file."""

    def __init__(self, file):
        self.clock = Clock(file)
        self.records = {}
        self.losses = dict.fromkeys(
            ("damaged", "bad_bytes", "cut_bytes", "unknown"), 0)
        self.areas = areas_of(file)
        midrs = midr_of_cpus(file)
        for area in self.areas:
            midr = midrs.get(area.cpu, midrs.get(format.NO_ID, 0))
            for data, places in area.traces():
                self._decode(area, data, places, midr)
        self.losses["missing_trace"] = self._missing(file)

    def _decode(self, area, data, places, midr):
        found = decode(data, 0)
        for name in ("damaged", "bad_bytes", "cut_bytes", "unknown"):
            self.losses[name] += getattr(found, name)
        starts = [position for position, _ in places]
        for record in found.records:
            piece = bisect.bisect(starts, record["offset"]) - 1
            position, at = places[piece]
            record["offset"] += at - position
            record["area"], record["midr"] = area, midr
            self.records[record["offset"]] = record

    def _missing(self, file):
        """Gaps in an area, and what AUX records tell of behind its end."""
        missing, ends = 0, {}
        for area in self.areas:
            end = None
            for offset, piece, _ in area.pieces:
                if end is not None:
                    missing += max(offset - end, 0)
                end = offset + len(piece)
            ends[area.cpu, area.tid] = end or 0
        by_cpu = any(area.cpu != format.NO_ID for area in self.areas)
        told = {}
        for record in file.records:
            if record.kind != format.AUX or not self.areas:
                continue
            key = record.id.get("cpu" if by_cpu else "tid")
            begin, size = record.u64(0), record.u64(8)
            if key is None or not size:
                continue
            first, last = told.get(key, (begin, 0))
            told[key] = min(first, begin), max(last, begin + size)
        for key, (first, last) in told.items():
            of_area = [end for (cpu, tid), end in ends.items()
                       if key == (cpu if by_cpu else tid)]
            traced = max(of_area, default=0)
            if traced or not first:
                missing += max(last - traced, 0)
        return missing

    def expected(self, record):
        """What script prints of a record, but for who ran there."""
        area = record["area"]
        row = {"offset": record["offset"]}
        for name in ("ticks", "el", "ns", "lat_total", "lat_issue", "lat_xlat",
                     "lat_alt_issue", "source", "context_el1", "context_el2"):
            if name in record:
                row[name] = record[name]
        for name in ("pc", "va", "pa", "target", "previous_target"):
            if name in record:
                row[name] = f"{record[name]:#x}"
        if area.cpu != format.NO_ID:
            row["cpu"] = area.cpu
        if "ticks" in record and self.clock.mult:
            row["time"] = self.clock.ns(record["ticks"])
        if "op" in record:
            row["op"], row["op_text"] = operation(record)
        if "events" in record:
            row["events"] = event_names(record["events"], record["midr"])
        return row

    def check(self, checker, rows):
        """@rows: objects of script by their names."""
        checker.where = "script"
        printed = {row["offset"]: row for row in rows if row["type"] == "spe"}
        checker.equal("offsets of records", sorted(printed),
                      sorted(self.records))
        for offset, record in self.records.items():
            expected = self.expected(record)
            row = printed.get(offset, {})
            row = {name: row[name] for name in row
                   if name in expected or name in COMPARED}
            if row == expected:
                checker.figures += len(row)
            else:
                checker.equal(f"record at {offset}", row, expected)


# Parts that a record without the packet must not have.
COMPARED = ("ticks", "time", "el", "pc", "va", "pa", "target", "op",
            "previous_target", "lat_total", "lat_issue", "lat_xlat", "source",
            "lat_alt_issue", "context_el1", "context_el2", "events", "op_text")
