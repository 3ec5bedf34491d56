# SPDX-License-Identifier: GPL-3.0-or-later
"""What the summaries of the suites share: reading the samples of a run, means with their intervals, tables.

The samples are the documents that `plimsoll run` leaves in {documents}, or what `plimsoll results export RUN` prints."""
import json
import math
import os
import statistics
import sys

T975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]


def read(places):
    """All documents of folders and files; of standard input when none is named."""
    documents = []
    for place in places:
        names = sorted(os.path.join(place, n) for n in os.listdir(place) if n.endswith(".json")) if os.path.isdir(place) else [place]
        for name in names:
            with open(name, encoding="utf-8") as f:
                found = json.load(f)
            documents.extend(found if isinstance(found, list) else [found])
    if not places:
        found = json.load(sys.stdin)
        documents = found if isinstance(found, list) else [found]
    return documents


def half_interval(values):
    """Half of the 95 % interval of their mean; None for one alone."""
    n = len(values)
    if n < 2:
        return None
    return T975[min(n - 1, len(T975)) - 1] * statistics.stdev(values) / n**0.5


def seconds(value):
    """1.23 ms, with three digits."""
    if value is None:
        return "-"
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if abs(value) >= scale or unit == "us":
            return f"{digits(value / scale)} {unit}"
    raise AssertionError


def digits(value, count=3):
    """A number with that many digits, without an exponent."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    places = max(0, count - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def with_interval(values, show):
    """+1.2 ms ± 0.3 ms of differences; without the second part for one alone."""
    mean, half = statistics.mean(values), half_interval(values)
    text = ("+" if mean >= 0 else "") + show(mean)
    return text if half is None else f"{text} ± {show(half)}"


def table(rows, left=1):
    """Columns as wide as they need to be; the first `left` begin at their left edge."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  " + "  ".join(cell.ljust(w) if k < left else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))).rstrip())


def markdown(rows):
    """The same as a table of Markdown."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for number, row in enumerate(rows):
        print("| " + " | ".join(cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))) + " |")
        if number == 0:
            print("|" + "|".join("-" * (w + 1) + ("-" if k == 0 else ":") for k, w in enumerate(widths)) + "|")
