#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the measured figures of README.md equal to those of docs/benchmarks.md.

Usage: readme.py [--write]

Says what differs and exits 1, or puts it right. `./dev bench --write` does the latter, `./dev check` the former.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README, PAGE = os.path.join(ROOT, "README.md"), os.path.join(ROOT, "docs/benchmarks.md")

# How README's row begins, the table of the page it is taken from, and that table's column.
ROWS = (
    ("instructions per request (user space)", "instructions", "instructions/request"),
    ("CPU per request, 1 KiB, keep-alive, 50 connections", "keepalive-50", "µs/request"),
    ("the same over TLS", "tls-50", "µs/request"),
    ("1 MiB replies, 5 connections", "big-5", "µs/request"),
)
CLIENTS = ("plimsoll", "ab", "wrk", "h2load")
KEPT = ("keepalive-50", "keepalive-400")
KEPT_SENTENCE = re.compile(r"(there plimsoll needs )[\d.]+ to [\d.]+( of what ab and wrk do)")
DAYS_SENTENCE = re.compile(r"(Measured on one machine of two cores) \([-\d, ]+\)")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def block(page, name):
    return page.split(f"<!-- bench {name} -->")[1].split(f"<!-- end {name} -->")[0]


def table(page, name):
    """{client: {column: text}} of one of the page's tables."""
    lines = [line for line in block(page, name).split("| bar |")[0].splitlines() if line.startswith("|")]
    head = cells(lines[0])
    return {cells(line)[0]: dict(zip(head, cells(line))) for line in lines[2:]}


def shown(text, column):
    """As README has it: three digits of a time, with its unit."""
    if column != "µs/request":
        return text
    value = float(text)
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f} µs"


def right(readme, page):
    """README with the figures of the page."""
    lines = readme.splitlines(keepends=True)
    for begin, name, column in ROWS:
        found = [i for i, line in enumerate(lines) if line.startswith(f"| {begin} |")]
        if len(found) != 1:
            raise SystemExit(f"README.md: {len(found)} rows begin with '{begin}'")
        old, figures = cells(lines[found[0]]), table(page, name)
        new = [old[0]] + [shown(figures[client][column], column) for client in CLIENTS] + old[1 + len(CLIENTS):]
        lines[found[0]] = "| " + " | ".join(new) + " |\n"
    ratios = [float(table(page, name)["plimsoll"][f"of {peer}"]) for name in KEPT for peer in ("wrk", "ab")]
    days = sorted({re.search(r"Measured (\d{4}-\d\d-\d\d)", block(page, name)).group(1) for _, name, _ in ROWS} |
                  {re.search(r"Measured (\d{4}-\d\d-\d\d)", block(page, "faults")).group(1)})
    text = KEPT_SENTENCE.sub(lambda m: f"{m.group(1)}{min(ratios):.3f} to {max(ratios):.3f}{m.group(2)}", "".join(lines))
    return DAYS_SENTENCE.sub(lambda m: f"{m.group(1)} ({', '.join(days)})", text)


def differences(old, new):
    return [f"README.md:{i}: has {a.strip()}\n  docs/benchmarks.md says {b.strip()}"
            for i, (a, b) in enumerate(zip(old.splitlines(), new.splitlines()), 1) if a != b]


def main(words):
    with open(README, encoding="utf-8") as f:
        old = f.read()
    with open(PAGE, encoding="utf-8") as f:
        new = right(old, f.read())
    if words == ["--write"]:
        with open(README, "w", encoding="utf-8") as f:
            f.write(new)
        return 0
    found = differences(old, new)
    print("\n".join(found + [f"readme: {len(ROWS)} measured rows, {len(found)} differences"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
