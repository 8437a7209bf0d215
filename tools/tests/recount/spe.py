# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes Arm SPE records, from the Arm ARM's table of packets (D17.2)."""

EVENTS = dict(enumerate((
    "EXCEPTION-GEN", "RETIRED", "L1D-ACCESS", "L1D-REFILL", "TLB-ACCESS",
    "TLB-REFILL", "NOT-TAKEN", "MISPRED", "LLC-ACCESS", "LLC-REFILL",
    "REMOTE-ACCESS", "ALIGNMENT")))
EVENTS.update({16: "TXN", 17: "SVE-PARTIAL-PRED", 18: "SVE-EMPTY-PRED",
               19: "L2D-ACCESS", 20: "L2D-MISS", 21: "HITM", 22: "LFB",
               23: "SNOOPED", 24: "STREAMING-SVE", 25: "SMCU"})
NEOVERSE_N1 = 0x410fd0c0
MODEL = 0xff0ffff0  # MIDR_EL1 without variant and revision

ADDRESSES = ("pc", "target", "va", "pa", "previous_target")
COUNTERS = {0: "lat_total", 1: "lat_issue", 2: "lat_xlat", 4: "lat_alt_issue"}
CLASSES = ("other", "load/store", "branch", "unknown")

PAD, END, TIMESTAMP = 0x00, 0x01, 0x71


def event_names(bits, midr=0):
    """Names of an Events packet, in the order of the bits."""
    names = []
    for bit in range(64):
        if not bits >> bit & 1:
            continue
        if bit == 12 and midr & MODEL == NEOVERSE_N1 & MODEL:
            names.append("LATE-PREFETCH")
        else:
            names.append(EVENTS.get(bit, f"IMPDEF:{bit}"))
    return names


def event_bit(name):
    """The bit of a name, whichever CPU it is of."""
    if name.startswith("IMPDEF:"):
        return int(name[7:])
    if name == "LATE-PREFETCH":
        return 12
    return next(bit for bit, known in EVENTS.items() if known == name)


def packet(data, at):
    """(kind, index, bytes, payload), or None where no packet begins.

    The length is 0 where the data ends within the packet.
    """
    header = data[at]
    if header in (PAD, END):
        return ("pad" if header == PAD else "end", 0, 1, 0)
    index, begin = 0, at
    if header & 0xfc == 0x20:
        if at + 1 == len(data):
            return None
        index = (header & 3) << 3
        at += 1
        header = data[at]
        if header == 0:
            return ("align", 0, 2, 1 << ((data[begin] & 0xf) + 1))
        if header & 0xf8 not in (0xb0, 0x98):
            return None
    kind = _kind(header)
    if not kind:
        return None
    size = 1 << (header >> 4 & 3)
    end = at + 1 + size
    if end > len(data):
        return (kind, 0, 0, 0)
    index |= header & (7 if kind in ("address", "counter") else 3)
    return (kind, index, end - begin,
            int.from_bytes(data[at + 1:end], "little"))


def _kind(header):
    if header == TIMESTAMP:
        return "timestamp"
    if header & 0xcf == 0x42:
        return "events"
    if header & 0xcf == 0x43:
        return "source"
    if header & 0xfc == 0x64:
        return "context"
    if header & 0xfc == 0x48:
        return "operation"
    if header & 0xf8 == 0xb0:
        return "address"
    if header & 0xf8 == 0x98:
        return "counter"
    return None


class Decoded:
    """The records of a trace and what else its bytes are."""

    def __init__(self):
        self.records = []
        self.damaged = self.bad_bytes = self.cut_bytes = self.unknown = 0


def decode(data, offset):
    """All of a trace that begins with a record; @offset: of it in the file."""
    found = Decoded()
    at, begin, record, bad, unknown = 0, None, {}, 0, 0
    while at < len(data):
        one = packet(data, at)
        if begin is None and (not one or one[0] != "pad"):
            begin, record, bad, unknown = at, {"offset": offset + at}, 0, 0
        if not one:
            bad += 1
            at += 1
            continue
        kind, index, length, payload = one
        if not length:
            break
        at += length
        unknown += _add(record, kind, index, payload)
        if kind not in ("end", "timestamp"):
            continue
        _close(found, record, bad, unknown)
        begin = None
    if begin is not None:
        found.bad_bytes += bad
        found.damaged += bool(bad)
        found.cut_bytes += len(data) - begin - bad if not bad else 0
    return found


def _close(found, record, bad, unknown):
    found.bad_bytes += bad
    found.damaged += bool(bad)
    found.unknown += unknown
    if not bad:
        found.records.append(record)


def _add(record, kind, index, payload):
    """Returns 1 for a packet that has no meaning yet."""
    if kind == "timestamp":
        record["ticks"] = payload
    elif kind == "events":
        record["events"] = payload
    elif kind == "source":
        record["source"] = payload & 0xffff
    elif kind == "operation":
        record["op_class"], record["op"] = CLASSES[index], payload
    elif kind == "context" and index < 2:
        record[f"context_el{index + 1}"] = payload
    elif kind == "address" and index < len(ADDRESSES):
        _add_address(record, ADDRESSES[index], payload)
    elif kind == "counter" and index in COUNTERS:
        record[COUNTERS[index]] = payload
    else:
        return kind in ("context", "address", "counter")
    return 0


def _add_address(record, name, payload):
    address = payload & (1 << 56) - 1
    if name == "pa":
        record[name] = address
        return
    if name == "va":
        high = address >> 52 == 0xf
    else:
        # Linux runs at EL1 or EL2, Non-secure or in a Realm.
        high = payload >> 63 and payload >> 61 & 3 in (1, 2)
    record[name] = address | (0xff << 56 if high else 0)
    if name == "pc":
        record["el"], record["ns"] = payload >> 61 & 3, payload >> 63


def _loads_and_stores(v):
    """What follows LD or ST, in perf's words."""
    if v & 0xe2 == 0x02:
        return [word for bit, word in ((4, "AT"), (8, "EXCL"), (16, "AR"))
                if v & bit]
    plain = {0x04: "SIMD-FP", 0x00: "GP-REG", 0x10: "UNSPEC-REG",
             0x14: "MTE-TAG", 0x20: "MEMCPY", 0x30: "NV-SYSREG"}
    if v & 0xfe in plain:
        return [plain[v & 0xfe]]
    if v == 0x25:
        return ["MEMSET"]
    if v & 0x0a == 0x08:
        return [f"SVE-SME-REG EVLEN {32 << (v >> 4 & 7)}"] + [
            word for bit, word in ((4, "PRED"), (0x80, "SG")) if v & bit]
    if v & 0xfa == 0x40:
        return ["GCS"] + ["COMM"] * bool(v & 4)
    return []


def _other(v):
    if v & 0xf8 == 0:
        return ["OTHER"] + ["ASE"] * bool(v & 4) + ["FP"] * bool(v & 2) + \
            ["COND-SELECT" if v & 1 else "INSN-OTHER"]
    if v & 0x89 == 0x08:
        return [f"SVE-OTHER EVLEN {32 << (v >> 4 & 7)}"] + \
            ["FP"] * bool(v & 2) + ["PRED"] * bool(v & 4)
    if v & 0x89 == 0x88:
        size = (v >> 4 & 7) << 1 | v >> 2 & 1
        return [f"SME-OTHER ETS {128 << size}"] + ["FP"] * bool(v & 2)
    return [f"OP-TYPE {v:#x} (0)"]


def _branch(v):
    calls = ([], ["CR-BL"], ["CR-RET"], ["CR-NON-BL-RET"])
    return ["B"] + [word for bit, word in ((1, "COND"), (2, "IND"), (4, "GCS"))
                    if v & bit] + calls[v >> 3 & 3]


def operation(record):
    """(class, perf's words) of a record that has an Operation Type packet."""
    kind, v = record["op_class"], record["op"]
    if kind == "load/store":
        words = ["ST" if v & 1 else "LD"] + _loads_and_stores(v)
        return ("store" if v & 1 else "load", " ".join(words))
    if kind == "branch":
        return (kind, " ".join(_branch(v)))
    if kind == "other":
        return (kind, " ".join(_other(v)))
    return (kind, f"OP-TYPE {v:#x} (3)")
