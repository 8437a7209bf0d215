# SPDX-License-Identifier: GPL-2.0-or-later
"""Processed profiles of Firefox Profiler, version 75."""
import collections
import json

TABLES = {
    "stackTable": ("frame", "prefixOffset"),
    "frameTable": ("flags", "address", "category", "subcategory", "func",
                   "lib", "nativeSymbol", "innerWindowID", "line", "column",
                   "originalLocation"),
    "funcTable": ("flags", "name", "resource", "source", "lineNumber",
                  "columnNumber", "originalLocation"),
    "resourceTable": ("name", "host", "type"),
    "nativeSymbols": ("libIndex", "address", "name", "functionSize"),
    "sources": ("id", "filename", "startLine", "startColumn", "sourceMapURL",
                "content"),
    "sourceLocationTable": ("source", "line", "column"),
}
SAMPLES = ("weight", "stack", "time")
MARKERS = ("data", "name", "startTime", "endTime", "phase", "category")
META = {"interval", "startTime", "processType", "categories", "product",
        "stackwalk", "version", "preprocessedProfileVersion", "markerSchema"}
THREAD = {"processType", "processStartupTime", "processShutdownTime",
          "registerTime", "unregisterTime", "pausedRanges", "name",
          "isMainThread", "pid", "tid", "samples", "markers"}

# Flags of frames and functions: the row has these columns.
INLINED, ADDRESS = 1, 2
RESOURCE, SOURCE = 4, 8


class Processed:
    """A profile."""

    def __init__(self, data):
        self.profile = json.loads(data)
        self.shared = self.profile["shared"]
        self.strings = self.shared["stringArray"]

    @staticmethod
    def _columns(name, table, columns):
        """All columns are there, and as long as the table says."""
        if set(table) - {"length", "weightType"} != set(columns):
            yield f"columns of {name}: {sorted(table)}"
        for column in columns:
            if len(table.get(column, ())) != table["length"]:
                yield f"{name}.{column} has another length"

    @staticmethod
    def _below(name, numbers, end):
        if not all(0 <= number < end for number in numbers):
            yield f"{name} is not below {end}"

    def mistakes(self):
        """Where the profile breaks the schema."""
        meta = self.profile["meta"]
        if META - set(meta):
            yield f"meta lacks {META - set(meta)}"
        if meta["preprocessedProfileVersion"] != 75 or meta["interval"] <= 0:
            yield "version or interval"
        if set(self.shared) != set(TABLES) | {"stringArray"}:
            yield f"tables: {sorted(self.shared)}"
        for name, columns in TABLES.items():
            yield from self._columns(name, self.shared[name], columns)
        yield from self._references()
        for thread in self.profile["threads"]:
            yield from self._thread(thread)

    def _references(self):
        """Each number of a row is that of one."""
        shared, libs = self.shared, len(self.profile["libs"])
        stacks, frames = shared["stackTable"], shared["frameTable"]
        functions, length = shared["funcTable"], len(self.strings)
        yield from self._below("frame", stacks["frame"], frames["length"])
        for at, offset in enumerate(stacks["prefixOffset"]):
            yield from self._below("prefix", [offset], at + 1)
        yield from self._below("func", frames["func"], functions["length"])
        yield from self._below("category", frames["category"],
                               len(self.profile["meta"]["categories"]))
        yield from self._below(
            "lib", [lib for lib, flags in zip(frames["lib"], frames["flags"])
                    if flags & ADDRESS], libs)
        yield from self._below("name", functions["name"], length)
        yield from self._below(
            "resource", [number for number, flags in zip(
                functions["resource"], functions["flags"])
                if flags & RESOURCE], shared["resourceTable"]["length"])
        yield from self._below(
            "source", [number for number, flags in zip(
                functions["source"], functions["flags"])
                if flags & SOURCE], shared["sources"]["length"])
        yield from self._below("filename", shared["sources"]["filename"],
                               length)
        yield from self._below("resource's name",
                               shared["resourceTable"]["name"], length)

    def _thread(self, thread):
        samples = thread["samples"]
        if set(thread) != THREAD or not isinstance(thread["pid"], str):
            yield f"thread: {sorted(thread)}"
        yield from self._columns("samples", samples, SAMPLES)
        yield from self._columns("markers", thread["markers"], MARKERS)
        yield from self._below("stack", samples["stack"],
                               self.shared["stackTable"]["length"])
        if samples["time"] != sorted(samples["time"]):
            yield "samples are not in the order of time"
        places = list(zip(samples["time"], samples["stack"]))
        if len(set(places)) != len(places):
            yield "a stack is twice in a slice of time"

    def _stack(self, number):
        """Names of frames, outermost first, without those of functions that
        have a resource: callers, and the file."""
        stacks, frames = self.shared["stackTable"], self.shared["frameTable"]
        functions, names = self.shared["funcTable"], []
        while True:
            function = frames["func"][stacks["frame"][number]]
            if not functions["flags"][function] & RESOURCE:
                names.append(self.strings[functions["name"][function]])
            offset = stacks["prefixOffset"][number]
            if not offset:
                return tuple(reversed(names))
            number -= offset

    def leaves(self, thread):
        """How many samples each function of a thread has itself."""
        stacks, frames = self.shared["stackTable"], self.shared["frameTable"]
        names, found = self.shared["funcTable"]["name"], collections.Counter()
        samples = thread["samples"]
        for stack, weight in zip(samples["stack"], samples["weight"]):
            function = frames["func"][stacks["frame"][stack]]
            found[self.strings[names[function]]] += weight
        return found

    def samples(self):
        """How many: by process, thread, its name, callers and file."""
        found = collections.Counter()
        for thread in self.profile["threads"]:
            samples = thread["samples"]
            for stack, weight in zip(samples["stack"], samples["weight"]):
                found[(thread["pid"], thread["tid"], thread["name"],
                       *self._stack(stack))] += weight
        return found
