# SPDX-License-Identifier: GPL-2.0-or-later
"""What pmscope prints, and where it differs from what is expected.

Numbers are compared as they are printed, digit by digit: a number of JSON is
kept as its text.
"""
import csv
import io
import json
import re
import subprocess


class Literal(str):
    """A number of JSON, as it was printed."""


class Checker:
    """Counts the figures that agree, and keeps the differences."""

    def __init__(self, pmscope, path):
        self.pmscope, self.path = pmscope, path
        self.figures = 0
        self.differences = []
        self.where = ""

    def run(self, *arguments):
        """stdout and stderr of pmscope with these arguments and the file."""
        self.where = " ".join(arguments)
        done = subprocess.run(
            [self.pmscope, *arguments, "-i", self.path], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            encoding="utf-8", errors="surrogateescape")
        if done.returncode not in (0, 1) or not done.stdout:
            raise RuntimeError(f"pmscope {self.where}: exit status "
                               f"{done.returncode}: {done.stderr[:200]}")
        return done.stdout, done.stderr

    def output(self, *arguments):
        """stdout of pmscope with these arguments alone."""
        self.where = " ".join(arguments)
        done = subprocess.run(
            [self.pmscope, *arguments], text=True, stdout=subprocess.PIPE,
            check=False, encoding="utf-8", errors="surrogateescape")
        return done.stdout

    def differ(self, what, printed, expected):
        self.differences.append(
            f"{self.where}: {what}: printed {printed}, expected {expected}")

    def equal(self, what, printed, expected):
        """Both are text, or dicts and lists of text."""
        if isinstance(expected, dict) and isinstance(printed, dict):
            for key in sorted(set(printed) | set(expected), key=str):
                self.equal(f"{what} {key}", printed.get(key, "nothing"),
                           expected.get(key, "nothing"))
        elif isinstance(expected, list) and isinstance(printed, list) and \
                len(expected) == len(printed):
            for i, value in enumerate(expected):
                self.equal(f"{what} [{i}]", printed[i], value)
        elif str(printed) == str(expected):
            self.figures += 1
        else:
            self.differ(what, printed, expected)

    def close(self, what, printed, expected, decimals):
        """@expected is exact, the tool's own sum is of doubles: their error
        may show in the last digits of a large number."""
        allowed = 0.5 * 10 ** -decimals + abs(float(expected)) * 1e-13 + 1e-9
        if "." in str(printed) or not decimals:
            exact = abs(float(printed) - float(expected)) <= allowed
            if exact and len(str(printed).partition(".")[2]) == decimals:
                self.figures += 1
                return
        self.differ(what, printed, f"{float(expected):.{decimals}f}")

    def result(self):
        """Prints the differences, and returns the exit status."""
        for line in self.differences[:40]:
            print(line)
        print(f"{self.figures} figures agree, "
              f"{len(self.differences)} differ")
        return 1 if self.differences else 0


def objects(text):
    """JSON lines, their numbers as Literal."""
    return [json.loads(line, parse_int=Literal, parse_float=Literal)
            for line in text.splitlines()]


def table(text):
    """CSV as a list of dicts."""
    rows = list(csv.reader(io.StringIO(text)))
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def is_filtered(options):
    """What passes a filter is looked at as JSON only: the forms have rows alike."""
    return any(option.startswith("--filter") for option in options)


def words(line):
    """A line of text with one space between words."""
    return " ".join(line.split())


def mean(total, count, decimals):
    return f"{total / count:.{decimals}f}"


def joined(text):
    """What `|` joins in a cell of CSV; a backslash escapes."""
    parts = re.findall(r"((?:\\.|[^\\|])*)\|", text + "|", re.DOTALL)
    return [re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL)
            for part in parts] if text else []
