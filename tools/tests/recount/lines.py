# SPDX-License-Identifier: GPL-2.0-or-later
"""The lines of memory of `pmscope report --cachelines`, as its manual says."""
import struct

from printed import is_filtered, joined, objects, table, words

# The origin of a load's data, by the name of its data source.
PEERS = ("peer core", "peer core HITM", "local cluster", "peer cluster",
         "peer cluster HITM", "remote", "remote socket", "remote socket HITM",
         "local chip or device")
MEMORY = ("DRAM", "local memory", "remote memory")
FAR_MEMORY = ("remote memory",)
DEVICES = ("non-cacheable or device",)
SHARED = ("true sharing", "false sharing")
LINES_IN_TEXT, PARTS_IN_TEXT, THREADS_IN_TEXT, CODES_IN_TEXT = 50, 32, 8, 8
VARIABLES_IN_TEXT, VARIABLE_WIDTH = 2, 24
FIELDS = ("va", "pa", "pid", "tid", "comm", "cpu", "op", "op_text", "events",
          "source", "source_name", "lat_total", "sym", "line", "symbol_daddr",
          "member")
FEATURE_NUMA_TOPOLOGY = 14
FEATURE_MEM_TOPOLOGY = 22


class Access:
    """One sample with a data address."""

    def __init__(self, values, size):
        for name, value in zip(FIELDS, values):
            setattr(self, name, value)
        self.physical = self.pa is not None
        address = int(self.pa if self.physical else self.va, 16)
        self.address, self.offset = address - address % size, address % size
        of_kernel = address >> 63
        owner = None if self.physical or of_kernel else self.pid
        self.line_key = (self.address, self.physical, owner)
        atomic = "AT" in (self.op_text or "").split()
        self.load, self.store = self.op == "load", self.op == "store"
        self.atomic = atomic and (self.load or self.store)
        self.reads = self.load or self.atomic
        self.writes = self.store or self.atomic
        # A thread without a number, and an idle one, counts as that of its CPU.
        self.agent = (0, self.tid) if self.tid else \
            (1 if self.tid == 0 else 2, -1 if self.cpu is None else self.cpu)

    def has(self, event):
        return event in (self.events or "").split("|")

    def is_peer(self):
        if not self.load or self.source_name in MEMORY + DEVICES:
            return False
        return self.source_name in PEERS or self.has("SNOOPED")

    def is_far(self):
        if not self.load:
            return False
        if self.source_name is not None:
            return self.source_name in FAR_MEMORY or \
                self.source_name in MEMORY and self.has("REMOTE-ACCESS")
        return self.has("LLC-REFILL") and self.has("REMOTE-ACCESS") and \
            not self.has("SNOOPED")


class Sums:
    """Of some accesses."""

    def __init__(self, accesses):
        self.samples = len(accesses)
        self.loads = sum(a.load for a in accesses)
        self.stores = sum(a.store for a in accesses)
        self.atomics = sum(a.atomic for a in accesses)
        self.peer = sum(a.is_peer() for a in accesses)
        self.far = sum(a.is_far() for a in accesses)
        timed = [a.lat_total for a in accesses if a.lat_total is not None]
        self.timed, self.latency = len(timed), sum(timed)

    def json(self):
        found = {"loads": self.loads, "stores": self.stores,
                 "atomics": self.atomics, "peer": self.peer,
                 "remote_memory": self.far, "timed": self.timed}
        if self.timed:
            found["mean"] = f"{self.latency / self.timed:.3f}"
        return found

    def text(self):
        mean = f"{self.latency / self.timed:.1f}" if self.timed else "-"
        return [self.loads, self.stores, self.peer, self.timed, mean]


def cpu_list(cpus):
    """As 0-3,7"""
    ranges = []
    for cpu in sorted(cpus):
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(f"{a}" if a == b else f"{a}-{b}"
                    for a, b in ranges) or "-"


def codes(accesses, with_lines):
    """(name, source line, loads, stores), the busiest first."""
    found = {}
    for a in accesses:
        key = a.sym or "[unknown]", a.line if with_lines else None
        nr = found.setdefault(key, [0, 0])
        nr[0] += a.load
        nr[1] += a.store

    def order(item):
        (name, line), (loads, stores) = item
        file, _, number = (line or "").rpartition(":")
        return (-loads - stores, name.encode(), file.encode(),
                int(number) if number.isdigit() else 0)

    return [(name, line, *nr) for (name, line), nr in
            sorted(found.items(), key=order)]


class Line:
    """All samples of one line."""

    def __init__(self, key, accesses, size):
        self.address, self.physical, self.pid = key
        self.all, self.sums = accesses, Sums(accesses)
        self.used = [a for a in accesses if a.load or a.store]
        self.threads = len({a.agent for a in self.used})
        self.verdict = self._verdict()
        self.parts = {}
        for a in sorted(self.used, key=lambda a: a.offset):
            self.parts.setdefault(a.offset, []).append(a)
        self.readers = cpu_list({a.cpu for a in self.used
                                 if a.reads and a.cpu is not None})
        self.writers = cpu_list({a.cpu for a in self.used
                                 if a.writes and a.cpu is not None})
        self.eighths = "".join(self._eighth(i, size) for i in range(8))
        self.variables = sorted({a.symbol_daddr for a in self.used
                                 if a.symbol_daddr is not None})

    def _verdict(self):
        if self.threads < 2:
            return "one thread"
        if not any(a.writes for a in self.used):
            return "read only"
        writers, users = {}, {}
        for a in self.used:
            users.setdefault(a.offset, set()).add(a.agent)
            if a.writes:
                writers.setdefault(a.offset, set()).add(a.agent)
        for offset in writers:
            if len(users[offset]) > 1:
                return "true sharing"
        return "false sharing"

    def _eighth(self, i, size):
        used = [a for a in self.used if a.offset // (size // 8) == i]
        read = any(a.reads for a in used)
        written = any(a.writes for a in used)
        return "B" if read and written else \
            "R" if read else "W" if written else "."

    def order(self):
        return (self.verdict not in SHARED, -self.sums.peer,
                -self.sums.samples, self.address, not self.physical,
                1 << 32 if self.pid is None else self.pid)


def threads_of(accesses):
    """Accesses of each thread, in the order of their numbers."""
    found = {}
    for a in accesses:
        found.setdefault(a.agent, []).append(a)
    return [found[agent] for agent in sorted(found)]


def cpus_of(text):
    """CPUs of a list as the kernel writes it, "0-3,7"."""
    found = set()
    for item in text.split(",") if text else []:
        first, _, last = item.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


class Nodes:
    """Blocks of physical memory and CPUs of each NUMA node, as MEM_TOPOLOGY
    and NUMA_TOPOLOGY have them."""

    def __init__(self, file):
        self.block, self.nodes, self.cpus = 0, {}, {}
        self._read_cpus(file.features.get(FEATURE_NUMA_TOPOLOGY))
        data = file.features.get(FEATURE_MEM_TOPOLOGY)
        if data is None:
            return
        _, self.block, nr = struct.unpack_from("<3Q", data)
        at = 24
        for _ in range(nr):
            node, _, bits = struct.unpack_from("<3Q", data, at)
            size = (bits + 63) // 64 * 8
            self.nodes[node] = int.from_bytes(
                data[at + 24:at + 24 + size], "little")
            at += 24 + size

    def _read_cpus(self, data):
        at = 4
        for _ in range(struct.unpack_from("<I", data)[0] if data else 0):
            node, _, _, size = struct.unpack_from("<IQQI", data, at)
            at += 24
            text = bytes(data[at:at + size]).split(b"\0")[0].decode()
            for cpu in cpus_of(text):
                self.cpus.setdefault(cpu, node)
            at += size

    def of_cpus(self, line):
        """Nodes of the CPUs that load or store, as a list of CPUs is."""
        return cpu_list({self.cpus[a.cpu] for a in line.used
                         if a.cpu in self.cpus})

    def of(self, line):
        if line.physical and self.block:
            for node, blocks in self.nodes.items():
                if blocks >> line.address // self.block & 1:
                    return node
        return None


class Lines:
    """All lines of @size bytes, of the samples for which @where holds."""

    def __init__(self, file, samples, where, size, by_latency):
        self.size, self.by_latency = size, by_latency
        self.nodes = Nodes(file)
        accesses, self.without = {}, 0
        self.samples = 0
        for values in samples.all(
                f"SELECT {','.join(FIELDS)} FROM samples WHERE {where}"):
            if values[0] is None and values[1] is None:
                self.without += 1
                continue
            self.samples += 1
            access = Access(values, size)
            accesses.setdefault(access.line_key, []).append(access)
        self.lines = [Line(key, found, size)
                      for key, found in accesses.items()]
        self.lines.sort(key=self._order)
        self.latency = sum(line.sums.latency for line in self.lines)

    def _order(self, line):
        weight = (-line.sums.latency,) if self.by_latency else ()
        return weight + line.order()

    def share(self, line):
        if not self.by_latency:
            return line.sums.samples / self.samples
        return line.sums.latency / self.latency if self.latency else 0

    # What is printed.

    def check(self, checker, options, summary):
        options = ["--cachelines"] + options
        self._check_json(checker, options, summary)
        if is_filtered(options):
            return
        self._check_csv(checker, options)
        self._check_text(checker, options)

    def _check_json(self, checker, options, summary):
        text, _ = checker.run("report", "--format=jsonl", *options)
        printed = objects(text)
        checker.equal("summary", printed[0], dict(
            summary, samples=self.samples, without_address=self.without,
            lines=len(self.lines), line_size=self.size))
        checker.equal("number of lines", len(printed) - 1, len(self.lines))
        for one, line in zip(printed[1:], self.lines):
            what = f"line {line.address:#x}"
            parts = one.pop("offsets")
            check_layout(checker, what, one.pop("layout", []), parts)
            checker.equal(what, one, self._json(line))
            checker.equal(what + " offsets", [
                self._without_names(part) for part in parts], [
                self._json_part(*part) for part in line.parts.items()])
            for part, accesses in zip(parts, line.parts.values()):
                self._check_names(checker, what, part, accesses)

    def _json(self, line):
        found = dict(line.sums.json(), type="line",
                     address=f"{line.address:#x}", physical=line.physical,
                     verdict=line.verdict, threads=line.threads,
                     samples=line.sums.samples, latency=line.sums.latency,
                     share=f"{self.share(line):.6f}", readers=line.readers,
                     writers=line.writers, parts=line.eighths,
                     variables=line.variables)
        if line.pid is not None:
            found["pid"] = line.pid
        node = self.nodes.of(line)
        if node is not None:
            found["node"] = node
        cpus = self.nodes.of_cpus(line)
        if cpus != "-":
            found["cpu_nodes"] = cpus
        found["code"] = [
            {"sym": name, "loads": loads, "stores": stores}
            for name, _, loads, stores in codes(line.used, False)]
        return found

    @staticmethod
    def _json_part(offset, accesses):
        found = dict(Sums(accesses).json(), offset=offset, threads=[])
        for of_thread in threads_of(accesses):
            tid = of_thread[0].tid
            found["threads"].append(dict(
                Sums(of_thread).json(), tid=-1 if tid is None else tid,
                cpus=cpu_list({a.cpu for a in of_thread
                               if a.cpu is not None})))
        found["code"] = [
            {"sym": name, "loads": loads, "stores": stores, "line": line}
            if line is not None else
            {"sym": name, "loads": loads, "stores": stores}
            for name, line, loads, stores in codes(accesses, True)]
        return found

    # At one address there may be several variables, of several processes, and
    # a thread may have had several names.

    @staticmethod
    def _without_names(part):
        part = {key: value for key, value in part.items()
                if key not in ("variable", "member")}
        part["threads"] = [
            {key: value for key, value in thread.items()
             if key not in ("comm", "pid")} for thread in part["threads"]]
        return part

    @staticmethod
    def _check_names(checker, what, part, accesses):
        names = {a.symbol_daddr for a in accesses}
        if part.get("variable") not in names:
            checker.differ(what + " variable", part.get("variable"), names)
        names = members(accesses)
        if part.get("member") not in names:
            checker.differ(what + " member", part.get("member"), names)
        for thread, of_thread in zip(part["threads"], threads_of(accesses)):
            names = {(str(-1 if a.pid is None else a.pid), a.comm)
                     for a in of_thread}
            name = str(thread["pid"]), thread.get("comm")
            if name not in names:
                checker.differ(what + " thread", name, names)

    def _check_csv(self, checker, options):
        text, _ = checker.run("report", "--format=csv", *options)
        printed = table(text)
        checker.equal("number of lines", len(printed), len(self.lines))
        for one, line in zip(printed, self.lines):
            for cell in ("code", "variables"):
                one[cell] = joined(one[cell])
            checker.equal(f"line {line.address:#x}", one, self._csv(line))

    def _csv(self, line):
        sums, node = line.sums, self.nodes.of(line)
        cpus = self.nodes.of_cpus(line)
        return {
            "address": f"{line.address:#x}", "physical": int(line.physical),
            "pid": "" if line.pid is None else line.pid,
            "samples": sums.samples, "loads": sums.loads,
            "stores": sums.stores, "peer": sums.peer, "timed": sums.timed,
            "mean": sums.json().get("mean", ""), "readers": line.readers,
            "writers": line.writers, "parts": line.eighths,
            "code": [code[0] for code in codes(line.used, False)],
            "verdict": line.verdict, "threads": line.threads,
            "atomics": sums.atomics, "latency": sums.latency,
            "remote_memory": sums.far, "share": f"{self.share(line):.6f}",
            "node": "" if node is None else node,
            "cpu_nodes": "" if cpus == "-" else cpus,
            "variables": line.variables, "offsets": "|".join(
                self._csv_part(*part) for part in line.parts.items())}

    @staticmethod
    def _csv_part(offset, accesses):
        sums = Sums(accesses)
        numbers = ["?" if found[0].tid is None else str(found[0].tid)
                   for found in threads_of(accesses)]
        return f"{offset}={sums.loads}/{sums.stores}@{'+'.join(numbers)}"

    # In text only names of printable characters are compared.

    def _check_text(self, checker, options):
        text, _ = checker.run("report", *options)
        lines = text.splitlines()
        heads = [i for i, line in enumerate(lines)
                 if line.startswith(("#  Samples", "# Samples", "# Share",
                                     "#  Share"))]
        rows = lines[heads[0] + 1:] if heads else []
        shown = self.lines[:LINES_IN_TEXT]
        checker.equal("number of lines",
                      len([row for row in rows[:len(shown)]
                           if row[:1] != "#"]), len(shown))
        for row, line in zip(rows, shown):
            self._compare(checker, row, self._text(line))
        self._check_parts(checker, lines, [
            line for line in shown if line.verdict in SHARED])

    @staticmethod
    def _compare(checker, printed, cells):
        expected = words(" ".join(str(cell) for cell in cells))
        if expected.isascii() and expected.isprintable():
            checker.equal("line", words(printed), expected)

    def _text(self, line):
        node = self.nodes.of(line)
        owner = "physical" if line.physical else \
            "kernel" if line.address >> 63 else \
            "?" if line.pid is None else line.pid
        share = [f"{100 * self.share(line):.2f}%"] if self.by_latency else []
        return share + [line.sums.samples] + line.sums.text() + [
            line.eighths, f"{line.address:#x}", owner, line.readers, "/",
            line.writers, line.threads, line.sums.far,
            "-" if node is None else node, "/", self.nodes.of_cpus(line),
            line.verdict,
            text_variables(line.variables),
            text_codes(codes(line.used, False))]

    def _check_parts(self, checker, lines, shared):
        at = 0
        for line in shared:
            head = f"# {line.address:#x}: {line.verdict}"
            if head not in lines[at:]:
                checker.differ("second table", "nothing", head)
                return
            at = lines.index(head, at) + 1
            parts = sorted(line.parts.items(),
                           key=lambda part: (-len(part[1]), part[0]))
            for offset, accesses in sorted(parts[:PARTS_IN_TEXT]):
                self._check_part(checker, lines[at], offset, accesses)
                at += 1

    def _check_part(self, checker, printed, offset, accesses):
        threads = []
        for i, found in enumerate(threads_of(accesses)):
            if i == THREADS_IN_TEXT:
                threads.append("...")
                break
            tid = "?" if found[0].tid is None else found[0].tid
            cpus = cpu_list({a.cpu for a in found if a.cpu is not None})
            threads.append(f"{tid} ({cpus})")
        names = members(accesses)
        if len(names) > 1:
            return
        self._compare(checker, printed, [f"{offset:#x}"] +
                      Sums(accesses).text() + [
                          names.pop() or "-", ", ".join(threads),
                          text_codes(codes(accesses, True))])


def check_layout(checker, what, layout, parts):
    """What is used is in the layout, whose members do not overlap."""
    at = {}
    for item in layout:
        begin, size = int(item["offset"]), int(item["size"])
        at |= dict.fromkeys(range(begin, begin + size), item["member"])
    checker.equal(what + " bytes", len(at),
                  sum(int(item["size"]) for item in layout))
    for part in parts if layout else []:
        if "member" in part:
            checker.equal(what + f" at {part['offset']}",
                          at.get(int(part["offset"])), part["member"])


def members(accesses):
    return {a.member if a.symbol_daddr is not None else None
            for a in accesses}


def text_variables(names):
    text = ",".join(name[:VARIABLE_WIDTH]
                    for name in names[:VARIABLES_IN_TEXT]) or "-"
    more = len(names) - VARIABLES_IN_TEXT
    return text + (f",+{more}" if more > 0 else "")


def text_codes(found):
    shown = [f"{name} {line} {loads}/{stores}" if line is not None else
             f"{name} {loads}/{stores}"
             for name, line, loads, stores in found[:CODES_IN_TEXT]]
    rest = found[CODES_IN_TEXT:]
    if rest:
        shown.append(f"{len(rest)} more {sum(code[2] for code in rest)}/"
                     f"{sum(code[3] for code in rest)}")
    return ", ".join(shown)
