#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service costs: the two ways of suites/uploads.yaml side by side.

    plimsoll results export uploads@latest | testbeds/blobs/differences.py

Per size and concurrency: the mean upload each way, the difference with its 95 % interval (the samples are made in turn, so
they are taken in pairs), the ratio, and how the uploads ended. Then how the difference divides into a fixed part and one
per MB, where there are two sizes or more."""
import json
import re
import statistics
import sys

UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
T975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]
SPREAD, AT_ONCE = 0.5, 0.15    # as in docs/rounds.md


def megabytes(size):
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", size).groups()
    return int(number) * UNITS[unit or "B"] / 1e6


def read(documents):
    """{(size, concurrency): {way: {sample: round}}} of the valid samples."""
    cells = {}
    for document in documents:
        if document["valid"]:
            cell = document["cell"]
            ways = cells.setdefault((cell["size"], int(cell["concurrency"])), {"direct": {}, "service": {}})
            ways[cell["way"]][document["sample"]] = document["rounds"][0]
    return cells


def interval(values):
    """Half of the 95 % interval of their mean."""
    n = len(values)
    if n < 2:
        return None
    return T975[min(n - 1, len(T975)) - 1] * statistics.stdev(values) / n**0.5


def ending(rounds):
    spreads = [r["completion_spread"] for r in rounds if r["completion_spread"] is not None]
    if not spreads:
        return "-"
    spread = statistics.mean(spreads)
    word = "evenly spread" if spread >= SPREAD else "all at once" if spread <= AT_ONCE else "mixed"
    return f"{spread:.2f} {word}"


def main():
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    documents = json.load(sys.stdin)
    cells = read(documents if isinstance(documents, list) else [documents])
    differences = {}
    print(f"{'size':>6} {'at once':>7} {'direct':>9} {'service':>9} {'difference':>20} {'ratio':>6} {'MB/s d':>7} {'MB/s s':>7}  ended (direct; service)")
    for (size, number), ways in sorted(cells.items(), key=lambda item: (megabytes(item[0][0]), item[0][1])):
        both = sorted(set(ways["direct"]) & set(ways["service"]))
        ways = {way: [rounds[k] for k in both] for way, rounds in ways.items()}
        pairs = [(d["mean_ok_s"], s["mean_ok_s"]) for d, s in zip(ways["direct"], ways["service"])]
        if not pairs:
            print(f"{size:>6} {number:>7}  no valid pair of samples")
            continue
        direct, service = (statistics.mean(column) for column in zip(*pairs))
        change = [b - a for a, b in pairs]
        half = interval(change)
        differences.setdefault(number, []).append((megabytes(size), statistics.mean(change)))
        rates = [megabytes(size) * statistics.mean(r["copies_per_s"] for r in ways[w]) for w in ("direct", "service")]
        shown = f"{statistics.mean(change):+.3f}" + (f" ± {half:.3f}" if half is not None else "") + " s"
        print(f"{size:>6} {number:>7} {direct:>7.3f} s {service:>7.3f} s {shown:>20} {service / direct:>6.2f} {rates[0]:>7.1f} {rates[1]:>7.1f}  "
              f"{ending(ways['direct'])}; {ending(ways['service'])}")
    for number, points in sorted(differences.items()):
        if len(points) >= 2:
            slope, fixed = statistics.linear_regression(*zip(*points))
            print(f"{number} at once: the service costs {fixed * 1000:+.1f} ms an upload and {slope * 1000:+.2f} ms per MB")
    if len(differences) >= 2:
        first, last = min(differences), max(differences)
        growth = statistics.mean(d for _, d in differences[last]) - statistics.mean(d for _, d in differences[first])
        print(f"From {first} to {last} at once the difference changes by {growth:+.3f} s (mean over the sizes)")


if __name__ == "__main__":
    main()
