# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of Protocol Buffers, and pprof's profiles."""
import collections
import gzip


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def message(data):
    """Field numbers, each with a list of its values: numbers and bytes."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
        elif key & 7 == 2:
            size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("cut short")
        else:
            raise ValueError(f"wire type {key & 7}")
        fields[key >> 3].append(value)
    return fields


def numbers(values):
    """Of a packed repeated field."""
    found = []
    for data in values:
        at = 0
        while at < len(data):
            value, at = _varint(data, at)
            found.append(value)
    return found


class Profile:
    """A profile of pprof."""

    def __init__(self, data):
        self.fields = message(gzip.decompress(data))
        self.strings = [text.decode("utf-8") for text in self.fields[6]]
        self.types = [self.strings[message(data)[1][0]]
                      for data in self.fields[1]]
        self.comments = [self.strings[at] for at in self.fields[13]]
        self.files = [self._text(message(data), 5)
                      for data in self.fields[3]]
        self.functions = {}
        for data in self.fields[5]:
            function = message(data)
            self.functions[function[1][0]] = self._text(function, 2)
        self.locations = {}
        for data in self.fields[4]:
            location = message(data)
            self.locations[location[1][0]] = [
                self.functions[message(line)[1][0]] for line in location[4]]

    def _text(self, fields, number):
        return self.strings[fields[number][0]] if fields[number] else ""

    def samples(self):
        """Frames around the code, outermost first, with values by type and
        labels."""
        for data in self.fields[2]:
            fields = message(data)
            stack = [name for at in reversed(numbers(fields[1])[1:])
                     for name in reversed(self.locations[at])]
            values = dict(zip(self.types, numbers(fields[2])))
            labels = {}
            for label in map(message, fields[3]):
                labels[self._text(label, 1)] = (
                    self._text(label, 2) if label[2]
                    else label[3][0] if label[3] else 0)
            yield stack, values, labels
