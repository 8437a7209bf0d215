#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: exported.py [--pmscope=PROGRAM] [--symfs=DIR] -i FILE

Compares what `pmscope export` writes of the recording FILE with the rows of
script, which recount.py compares with the bytes of the traces. Prints each
figure that differs; the exit status is 1 when one does.
"""
import collections
import getopt
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from printed import Checker
from processed import Processed
from protobuf import Profile

FIELDS = ("pid", "tid", "comm", "cpu", "el", "pc", "sym", "dso", "op", "events",
          "target", "previous_target", "lat_total", "lat_issue", "lat_xlat",
          "source", "source_name", "callers", "va", "object", "member")


def steers(char):
    """Does it control a terminal, end a line or change the direction?"""
    code = ord(char)
    return (code < 0x20 or 0x7f <= code < 0xa0 or
            code in (0x61c, 0x200e, 0x200f) or 0x2028 <= code <= 0x202e or
            0x2066 <= code <= 0x2069)


def shown(name):
    """A name as text: a question mark for each byte of what is none. Of bytes
    that are not UTF-8, script's JSON makes U+FFFD."""
    if name is None:
        return "[unknown]"
    return "".join("?" if char == "\ufffd" else
                   "?" * len(char.encode()) if steers(char) else char
                   for char in name)


def cleaned(name):
    """A name as folded stacks have it."""
    return shown(name).replace(";", ":")


class Gcov:
    """A profile for GCC, read as its auto-profile.cc does."""

    def __init__(self, data):
        self.data = data
        self.at = 0
        head = [self.word() for _ in range(3)]
        if head != [0x67636461, 2, 0]:
            raise ValueError(f"gcov: header {head}")
        self.names = [self.name() for _ in range(self.section(0xaa000000))]
        self.heads = []
        for _ in range(self.section(0xac000000)):
            head = self.count()
            self.heads.append((self.function(), head))
        if self.section(0xae000000) or self.at != len(data):
            raise ValueError("gcov: more than is read")

    def word(self):
        """A number of 32 bits"""
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def count(self):
        """A number of 64 bits"""
        return self.word() | self.word() << 32

    def name(self):
        """A string with its length, and a 0 at the end"""
        size = self.word()
        self.at += size
        return self.data[self.at - size:self.at - 1].decode()

    def section(self, tag):
        """How many items follow"""
        found, _, items = self.word(), self.word(), self.word()
        if found != tag:
            raise ValueError(f"gcov: section {found:x}, not {tag:x}")
        return items

    def function(self):
        """One with all that was inlined in it"""
        name, lines, inlined = self.word(), self.word(), self.word()
        for _ in range(lines):
            _, targets, _ = self.word(), self.word(), self.count()
            for _ in range(targets):
                _, target, _ = self.word(), self.count(), self.count()
                if not self.names[target]:
                    raise ValueError("gcov: a call of no function")
        for _ in range(inlined):
            self.word()
            self.function()
        return self.names[name]


class Viewer:
    """Firefox Profiler without a browser. Its own command `load` waits only
    half a second for the daemon, which is too short on a busy machine."""

    def __init__(self, script, data):
        self.command = ["node", script]
        self.place = tempfile.TemporaryDirectory()
        self.env = {**os.environ, "PROFILER_CLI_SESSION_DIR": self.place.name}
        self.path = os.path.join(self.place.name, "profile.json")
        with open(self.path, "wb") as file:
            file.write(data)
        self.daemon = None

    def _run(self, *arguments):
        return subprocess.run(
            [*self.command, *arguments, "--session", "test"], text=True,
            env=self.env, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)

    def __enter__(self):
        self.daemon = subprocess.Popen(
            [*self.command, "--daemon", self.path, "--session", "test"],
            env=self.env, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        socket = os.path.join(self.place.name, "test.sock")
        for _ in range(600):
            # A client that comes before the socket removes the session.
            if os.path.exists(socket) and not self._run("status").returncode:
                break
            if self.daemon.poll() is not None:
                break
            time.sleep(0.1)
        return self

    def __exit__(self, *error):
        self.daemon.kill()
        self.daemon.wait()
        self.place.cleanup()

    def functions(self, thread):
        """How many samples each function of a thread has itself."""
        text = self._run("thread", "functions", "--thread", f"t-{thread}",
                         "--limit", "100000", "--json").stdout
        found = collections.Counter()
        for function in json.loads(text)["functions"] if text else ():
            found[function["name"]] += function["selfSamples"]
        return +found


class Exports:
    """The exports of one recording, and script's rows."""

    def __init__(self, checker, options):
        self.checker, self.options = checker, options
        text, _ = checker.run("script", "--format=jsonl", *options,
                              "--fields=type," + ",".join(FIELDS))
        rows = (json.loads(line) for line in text.splitlines())
        self.rows = [row for row in rows if row["type"] == "spe"]

    def export(self, name, *options):
        """The bytes of an export, and where it comes from, or None."""
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "out")
            self.checker.where = f"export --format={name}"
            done = subprocess.run(
                [self.checker.pmscope, "export", f"--format={name}", "-o",
                 path, *self.options, *options, self.checker.path],
                stderr=subprocess.PIPE, check=False)
            if done.returncode not in (0, 1) or not os.path.exists(path):
                raise RuntimeError(f"pmscope {self.checker.where}: "
                                   f"{done.stderr[:200]}")
            with open(path, "rb") as file:
                data = file.read()
            beside = path + ".provenance.json"
            note = None
            if os.path.exists(beside):
                with open(beside, encoding="utf-8") as file:
                    note = json.load(file)
            files = sorted(os.listdir(place))
            self.checker.equal(f"files of {name}", files,
                               ["out"] + ["out.provenance.json"] * bool(note))
        return data, note

    def check_note(self, name, note):
        """Where it comes from."""
        self.checker.equal(f"{name}: samples", note["samples"],
                           len(self.rows))
        self.checker.equal(f"{name}: format", note["format"], name)

    @staticmethod
    def _callers(row):
        """The functions around the sampled one, outermost first."""
        return [shown(name) for name in row.get("callers", "").split(";")
                if name]

    def _folded_callers(self, row):
        """One caller alone that has no name is left out."""
        callers = self._callers(row)
        return [] if callers == ["[unknown]"] else callers

    def check_folded(self):
        """All samples by the frames down to the function."""
        data, note = self.export("folded")
        printed = collections.Counter()
        expected = collections.Counter(
            (cleaned(row.get("comm")), *self._folded_callers(row),
             *(cleaned(row.get(name)) for name in ("dso", "sym")))
            for row in self.rows)
        for line in data.decode("utf-8").splitlines():
            stack, count = line.rsplit(" ", 1)
            frames = tuple(stack.split(";"))
            known = [size for size in range(3, len(frames) + 1)
                     if frames[:size] in expected]
            printed[frames[:max(known, default=3)]] += int(count)
        self.checker.equal("folded", sorted(printed.items()),
                           sorted(expected.items()))
        self.check_note("folded", note)

    @staticmethod
    def _values(row):
        events = row.get("events", ())
        return {"samples": 1, "latency": row.get("lat_total", 0),
                "l1d_misses": int("L1D-REFILL" in events),
                "llc_misses": int("LLC-REFILL" in events),
                "mispredictions": int("MISPRED" in events)}

    @staticmethod
    def _labels(row):
        names = {"pid": "pid", "tid": "tid", "comm": "comm", "cpu": "cpu",
                 "total_latency": "lat_total", "issue_latency": "lat_issue",
                 "translation_latency": "lat_xlat"}
        labels = {label: row[name] for label, name in names.items()
                  if name in row}
        if "comm" in labels:
            labels["comm"] = shown(labels["comm"])
        if "va" in row:
            labels.update({name: shown(row.get(name))
                           for name in ("object", "member")})
        if "source" in row:
            labels["data_src"] = row.get("source_name",
                                         f"source {row['source']}")
        return tuple(sorted(labels.items()))

    def check_pprof(self):
        """Each value, by the frames around the code, and all labels; and
        without labels where a profile may not tell samples apart."""
        profile = self._compare_pprof(self._labels, tuple)
        files = collections.Counter(row["dso"] for row in self.rows
                                    if "pc" in row and self.is_file(row)
                                    and row.get("el") == 0)
        if files:
            self.checker.equal(
                "pprof: samples of the program, the first mapping",
                max(files.values()), max(
                    (count for name, count in files.items()
                     if shown(name) == profile.files[0]), default=0))
        self.checker.equal("pprof: samples in comments", True,
                           f"samples : {len(self.rows)}" in profile.comments)
        self._compare_pprof(lambda row: (), lambda labels: (), "--most=1")
        if shutil.which("go"):
            self._check_go()

    def _check_go(self):
        """Samples by object and member, as pprof itself reads them."""
        data, _ = self.export("pprof")
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            text = subprocess.run(["go", "tool", "pprof", "-raw", file.name],
                                  check=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True).stdout
        read, samples = collections.Counter(), 0
        for line in text.splitlines():
            words = line.split()
            if len(words) > 5 and words[0].isdigit() and ":" in words[4]:
                samples = int(words[0])
            for name, value in re.findall(
                    r" (object|member):\[(.*?)\](?= \w+:\[|$)", line):
                read[name, value] += samples
        self.checker.equal("pprof -raw", read, collections.Counter(
            (name, json.dumps(shown(row.get(name)), ensure_ascii=False)[1:-1])
            for row in self.rows if "va" in row
            for name in ("object", "member")))

    def _compare_pprof(self, labels_of, kept, *options):
        data, _ = self.export("pprof", *options)
        profile = Profile(data)
        printed, expected = (collections.defaultdict(collections.Counter)
                             for _ in range(2))
        for stack, values, labels in profile.samples():
            key = tuple(stack), kept(sorted(labels.items()))
            printed[key].update(values)
        for row in self.rows:
            key = ((shown(row.get("comm")), *self._callers(row),
                    shown(row.get("dso"))), labels_of(row))
            expected[key].update(self._values(row))
        for key in set(printed) | set(expected):
            self.checker.equal(f"pprof: {key}", dict(+printed[key]),
                               dict(+expected[key]))
        return profile

    def check_firefox(self):
        """The invariants of the schema, and the samples of each stack."""
        data, _ = self.export("firefox")
        profile = Processed(data)
        for mistake in profile.mistakes():
            self.checker.equal(f"firefox: {mistake}", False, True)
        expected = collections.Counter(
            (*(str(row.get(name, "?")) for name in ("pid", "tid")),
             self._text(row.get("comm")),
             *(name for name in row.get("callers", "").split(";") if name),
             self._text(row.get("dso")))
            for row in self.rows)
        self.checker.equal("firefox", sorted(profile.samples().items()),
                           sorted(expected.items()))
        self._check_viewer(data, profile)

    def _check_viewer(self, data, profile):
        """Firefox Profiler itself, where it is installed: the samples of each
        function of some threads."""
        script = os.path.join(os.environ.get("PMSCOPE_CONSUMERS", ""),
                              "@firefox-devtools/profiler-cli/dist",
                              "profiler-cli.js")
        if not os.path.exists(script):
            return
        with Viewer(script, data) as viewer:
            for at, thread in enumerate(profile.profile["threads"][:3]):
                self.checker.equal(f"firefox: functions of thread {at}",
                                   sorted(viewer.functions(at).items()),
                                   sorted(profile.leaves(thread).items()))

    @staticmethod
    def _text(name):
        return "[unknown]" if name is None else name

    def check_autofdo(self):
        """LLVM itself reads it, where it is installed."""
        data, _ = self.export("autofdo")
        tool = shutil.which("llvm-profdata-19")
        functions = [line for line in data.decode("ascii").splitlines()
                     if line[0] not in "# "]
        if not tool or not functions:
            return
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            shown = subprocess.run(
                [tool, "show", "--sample", file.name], text=True, check=True,
                stdout=subprocess.PIPE).stdout
        totals = re.findall(r"^Function: (.*): (\d+), (\d+), ", shown,
                            re.MULTILINE)
        self.checker.equal("autofdo", sorted(map(":".join, totals)),
                           sorted(functions))

    def check_gcov(self):
        """GCC's form has the functions of LLVM's, called as often."""
        data, _ = self.export("gcov")
        text, _ = self.export("autofdo")
        functions = [line.rsplit(":", 2)
                     for line in text.decode("ascii").splitlines()
                     if line[0] not in "# "]
        self.checker.equal("gcov", sorted(Gcov(data).heads),
                           sorted((name.split(".")[0], int(head))
                                  for name, _, head in functions))

    def retired(self):
        """Rows of operations that were executed."""
        for row in self.rows:
            if "pc" in row and "RETIRED" in row.get("events", ["RETIRED"]):
                yield row

    @staticmethod
    def is_taken(row):
        """Is it a branch that went to its target?"""
        return (row.get("op") == "branch" and "target" in row and
                "NOT-TAKEN" not in row.get("events", ()))

    @staticmethod
    def is_file(row):
        """Is its code of a file that a program mapped?"""
        dso = row.get("dso", "")
        return dso.startswith("/") and not dso.startswith("//")

    def check_bolt(self):
        """The branches of each file: how many, and how many mispredicted.
        Names that are not UTF-8 cannot be asked for."""
        rows = [row for row in self.retired() if self.is_file(row)]
        for dso in sorted({row["dso"] for row in rows
                           if "\ufffd" not in row["dso"]}):
            self._check_bolt(dso, [row for row in rows if row["dso"] == dso])

    def _check_bolt(self, dso, rows):
        data, note = self.export("bolt", f"--binary={dso}")
        lines = [line.split() for line in data.decode("ascii").splitlines()]
        branches = [line for line in lines
                    if line[0] == "B" and line[1] != "X:0"]
        taken = [row for row in rows if self.is_taken(row)]
        self.checker.equal(
            f"bolt: branches of {dso}",
            [sum(int(line[at]) for line in branches) for at in (3, 4)],
            [len(taken),
             sum("MISPRED" in row.get("events", ()) for row in taken)])
        paths = any("previous_target" in row for row in self.retired()
                    if self.is_taken(row))
        falls = sum(int(line[3]) for line in lines if line[0] == "F")
        if not paths:
            self.checker.equal(f"bolt: falls of {dso}", falls,
                               sum(not self.is_taken(row) for row in rows))
        self._check_places(dso, branches, taken)
        self.check_note("bolt", note)

    def _check_places(self, dso, branches, taken):
        """As many different branches as there are, each with its samples: the
        addresses are others, but not how they differ."""
        printed = sorted(int(line[3]) for line in branches
                         if line[2] != "X:0")
        inside = collections.Counter()
        starts = {row["pc"] for row in self.rows if row.get("dso") == dso}
        if len({row["pid"] for row in taken}) > 1:
            return
        for row in taken:
            inside[row["pc"], row["target"]] += 1
        known = [count for (_, to), count in inside.items() if to in starts]
        self.checker.equal(f"bolt: counts of {dso}",
                           all(count in printed for count in known), True)


def main():
    """The command."""
    options, _ = getopt.getopt(sys.argv[1:], "i:",
                               ["pmscope=", "symfs=", "format="])
    given = dict(options)
    checker = Checker(given.get("--pmscope", "pmscope"), given["-i"])
    symfs = [f"--symfs={given['--symfs']}"] if "--symfs" in given else []
    exports = Exports(checker, symfs)
    for check in (exports.check_folded, exports.check_bolt,
                  exports.check_pprof, exports.check_firefox,
                  exports.check_autofdo, exports.check_gcov):
        check()
    sys.exit(checker.result())


if __name__ == "__main__":
    main()
