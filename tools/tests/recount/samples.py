# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows that `pmscope script` prints, as tables of SQL."""
import json
import sqlite3

TEXTS = ("comm", "sym", "dso", "op", "op_text", "source_name", "line", "file",
         "frames", "symbol_daddr", "dso_daddr", "object", "member")
NUMBERS = ("cpu", "pid", "tid", "el", "ns", "lat_total",
           "lat_issue", "lat_xlat", "lat_alt_issue", "source", "context_el1",
           "context_el2", "offset", "symoff")
ADDRESSES = ("pc", "va", "pa", "target", "previous_target", "file_offset")
FIELDS = ("type", "time", "ticks") + NUMBERS + ADDRESSES + TEXTS + ("events",)


def time_text(time):
    """SQL has signed numbers of 64 bits: times are text of so many digits."""
    return f"{time:020}"


def line_of(address):
    """The 64 bytes that an address in hexadecimal is in."""
    return address and f"0x{int(address, 16) // 64 * 64:x}"


class Samples:
    """@db has the tables samples and sample_events (one row an event)."""

    def __init__(self, lines):
        self.db = sqlite3.connect(":memory:")
        self.db.create_function("line_of", 1, line_of)
        columns = ",".join(NUMBERS + ADDRESSES + TEXTS)
        self.db.execute(f"CREATE TABLE samples(n INTEGER PRIMARY KEY, time, "
                        f"events, {columns})")
        self.db.execute("CREATE TABLE sample_events(n, event)")
        for n, line in enumerate(lines):
            self._add(n, json.loads(line))
        self.db.execute("CREATE INDEX by_n ON sample_events(n)")

    def _add(self, n, row):
        if row["type"] != "spe":
            return
        time, events = row.get("time"), row.get("events")
        values = [n, None if time is None else time_text(time),
                  None if events is None else "|".join(events)]
        row["file_offset"] = str(row.get("file_offset"))  # it has 64 bits
        values += [row.get(name) for name in NUMBERS + ADDRESSES + TEXTS]
        self.db.execute(
            f"INSERT INTO samples VALUES({','.join('?' * len(values))})",
            values)
        self.db.executemany("INSERT INTO sample_events VALUES(?,?)",
                            [(n, event) for event in events or ()])

    def all(self, query, *values):
        return self.db.execute(query, values).fetchall()

    def one(self, query, *values):
        return self.db.execute(query, values).fetchone()
