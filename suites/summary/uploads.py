#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service costs: the two ways of suites/uploads.yaml side by side.

    suites/summary/uploads.py FOLDER
    plimsoll results export uploads@latest | suites/summary/uploads.py

Per size and concurrency: the mean upload each way, the difference with its 95 % interval (the samples are made in turn, so
they are taken in pairs), the ratio, throughput, and how the uploads ended. Then how the difference divides into a fixed
part and one per MB, and whether it grows with the concurrency."""
import re
import statistics
import sys

from samples import digits, half_interval, read, seconds, table, with_interval

UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
SPREAD, AT_ONCE = 0.5, 0.15    # as in docs/rounds.md


def megabytes(size):
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", size).groups()
    return int(number) * UNITS[unit or "B"] / 1e6


def by_cell(documents):
    """{(size, concurrency): {way: {sample: round}}} of the valid samples."""
    cells = {}
    for document in documents:
        if document["valid"]:
            cell = document["cell"]
            ways = cells.setdefault((cell["size"], int(cell["concurrency"])), {"direct": {}, "service": {}})
            ways[cell["way"]][document["sample"]] = document["rounds"][0]
    return cells


def ending(rounds):
    spreads = [r["completion_spread"] for r in rounds if r["completion_spread"] is not None]
    if not spreads:
        return "-"
    spread = statistics.mean(spreads)
    word = "evenly spread" if spread >= SPREAD else "all at once" if spread <= AT_ONCE else "mixed"
    return f"{spread:.2f} {word}"


def compare(cells):
    """The table; {concurrency: {size in MB: differences}}."""
    differences = {}
    rows = [("size", "at once", "direct", "service", "difference", "ratio", "MB/s direct", "MB/s service", "direct ended", "service ended")]
    for (size, number), ways in sorted(cells.items(), key=lambda item: (megabytes(item[0][0]), item[0][1])):
        both = sorted(set(ways["direct"]) & set(ways["service"]))
        direct, service = ([ways[w][k] for k in both] for w in ("direct", "service"))
        pairs = [(d["mean_ok_s"], s["mean_ok_s"]) for d, s in zip(direct, service)]
        if not pairs:
            rows.append((size, str(number), "no valid pair", "", "", "", "", "", "", ""))
            continue
        means = [statistics.mean(column) for column in zip(*pairs)]
        change = [b - a for a, b in pairs]
        differences.setdefault(number, {})[megabytes(size)] = change
        rates = [digits(megabytes(size) * statistics.mean(r["copies_per_s"] for r in rounds)) for rounds in (direct, service)]
        rows.append((size, str(number), seconds(means[0]), seconds(means[1]), with_interval(change, seconds), f"{means[1] / means[0]:.2f}",
                     *rates, ending(direct), ending(service)))
    table(rows)
    return differences


def fixed_and_per_mb(differences):
    """From the line through the sizes' differences, one for each sample."""
    for number, by_size in sorted(differences.items()):
        if len(by_size) < 2:
            continue
        lines = [statistics.linear_regression(list(by_size), ys) for ys in zip(*by_size.values())]
        slopes, fixed = [line.slope for line in lines], [line.intercept for line in lines]
        print(f"  {number} at once: {with_interval(fixed, seconds)} an upload and {with_interval(slopes, seconds)} per MB")


def growth(differences):
    sizes = sorted({size for by_size in differences.values() for size in by_size})
    for size in sizes:
        having = sorted(n for n, by_size in differences.items() if size in by_size)
        first, last = differences[having[0]][size], differences[having[-1]][size]
        if len(having) < 2:
            continue
        change = [b - a for a, b in zip(first, last)]
        half = half_interval(change)
        mean = statistics.mean(change)
        verdict = "" if half is None else "; it grows" if mean > half else "; it shrinks" if mean < -half else "; no growth that can be told from chance"
        print(f"  {digits(size)} MB: {seconds(statistics.mean(first))} with {having[0]} at once, {seconds(statistics.mean(last))} with {having[-1]}: "
              f"{with_interval(change, seconds)}{verdict}")


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        sys.exit(__doc__)
    cells = by_cell(read(sys.argv[1:]))
    print("What the service costs an upload (service less direct; ±: 95 % interval over the samples)")
    differences = compare(cells)
    if any(len(by_size) > 1 for by_size in differences.values()):
        print("\nIts fixed part and its part per MB")
        fixed_and_per_mb(differences)
    if len(differences) > 1:
        print("\nWhether it grows with the number at once (published, 20 MB: +0.2 s at 1, +1.5 s at 16)")
        growth(differences)


if __name__ == "__main__":
    main()
