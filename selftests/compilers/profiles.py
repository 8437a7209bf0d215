#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""profiles.py A B: two sample profiles of LLVM in text, of one program. Prints how
many lines both have that are executed often, and the smallest and the largest
ratio of their shares of all samples: 1 if both say the same."""

import re
import sys


def read(path):
    """The count of each line, by its function and what that is inlined in."""
    counts, stack = {}, []
    with open(path, encoding="ascii") as file:
        for text in file:
            depth = len(text) - len(text.lstrip())
            stack = stack[:depth]
            line = re.match(r"([\d.]+): (\d+)( |$)", text.strip())
            inlined = re.match(r"([\d.]+): (.+):\d+$", text.strip())
            if line:
                counts[(*stack, line[1])] = int(line[2])
            elif inlined:
                stack.append(f"{inlined[1]} {inlined[2]}")
            elif depth == 0 and text[0] != "#":
                stack = [text.split(":", maxsplit=1)[0]]
    return counts


def main():
    """The command."""
    first, second = (read(path) for path in sys.argv[1:])
    often = [key for key, count in first.items()
             if count >= 0.1 * max(first.values())]
    sums = [sum(counts.get(key, 0) for key in often)
            for counts in (first, second)]
    ratios = [second.get(key, 0) / sums[1] / (first[key] / sums[0])
              for key in often]
    print(len(often), f"{min(ratios):.3f} {max(ratios):.3f}")


if __name__ == "__main__":
    main()
