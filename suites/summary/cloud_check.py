#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers to suites/cloud-check.yaml beside those that were published, as tables of Markdown.

    suites/summary/cloud_check.py FOLDER [SMALL_N MEDIUM_N LARGE_N MEDIUM_BYTES LARGE_BYTES]
    plimsoll results export cloud-check@latest | suites/summary/cloud_check.py

Behind each published figure stands the ratio: how many times as quick this platform is as that one (of several samples:
their geometric mean). Ratios of files are those of bytes per second: a smaller scale writes fewer and smaller files than
were published."""
import statistics
import sys

from samples import digits, markdown, read

PRIME = {"2000000000": (5113, 4206, 3570), "3000000000": (14317, 11784, 10047)}    # ms
PRIME_PLATFORMS = ("CF, GCP n1", "Kubernetes, GCP n2", "laptop, i9")
RECURSIVE = {"10": (2333, 1178, 217, 100), "12": (6947, 3111, 607, 240), "14": (15074, 8150, 1657, 522)}    # ms
RECURSIVE_PLATFORMS = ("Cloud Foundry", "Kubernetes, ingress", "Kubernetes, local", "Docker on localhost")
FILES = {    # seconds
    "small_new": (4, 22, 12, 10, 244), "small_overwrite": (37, 41, 15, 12, 233), "small_replace": (7, 36, 24, 17, 304),
    "medium_new": (24, 27, 34, 35, 60), "medium_overwrite": (27, 30, 37, 35, 62), "medium_replace": (24, 27, 38, 36, 60),
    "large_new": (24, 24, 34, 34, 31), "large_overwrite": (24, 24, 34, 34, 31), "large_replace": (24, 25, 34, 34, 35)}
FILES_PLATFORMS = ("CephFS", "EFS", "NFS, HDD", "NFS, SSD", "Azure Files")
WORDS = {"new": "new", "overwrite": "overwrite", "replace": "delete and create"}
SIZES = {"small": (3000, 20_000), "medium": (300, 2_000_000), "large": (6, 100_000_000)}


def figures(documents):
    """{metric: geometric mean over the samples that have it}."""
    found = {}
    for document in documents:
        if document["valid"]:
            for name, metric in document["metrics"].items():
                if metric["value"] and metric["value"] > 0:
                    found.setdefault(name, []).append(metric["value"])
    return {name: statistics.geometric_mean(values) for name, values in found.items()}


def beside(theirs, ratio):
    return f"{theirs} ({digits(ratio, 2)}x)"


def cpu(found):
    asked = sorted((name.split(".")[1] for name in found if name.startswith("prime.")), key=int)
    if not asked:
        return
    rows = [("CPU: ms for the smallest prime at or above", "here", *PRIME_PLATFORMS)]
    for n in asked:
        mine = found[f"prime.{n}.ms"]
        rows.append((f"{int(n):,}", digits(mine, 4), *(beside(t, t / mine) for t in PRIME.get(n, ())), *(["not asked"] * 3 if n not in PRIME else [])))
    markdown(rows)
    print()


def latency(found):
    paths = list(dict.fromkeys(name.split(".", 1)[1].rsplit(".", 1)[0] for name in found if name.startswith("recursive_")))
    if not paths:
        return
    rows = [("Latency: ms for Fibonacci, every addition two calls", *paths, *RECURSIVE_PLATFORMS)]
    for n, published in RECURSIVE.items():
        mine = [found.get(f"recursive_{n}.{path}.ms") for path in paths]
        first = next((m for m in mine if m is not None), None)
        rows.append((f"of {n}", *(digits(m) for m in mine), *(beside(t, t / first) if first else str(t) for t in published)))
    markdown(rows)
    if len(paths) > 1:
        print(f"\n> Ratios of latency are those of the path \"{paths[0]}\".")
    print()


def files(found, counts, sizes):
    rows = [("Files: seconds", "here", "files/s", "MB/s", *FILES_PLATFORMS)]
    for name, published in FILES.items():
        size, kind = name.split("_")
        rate = found.get(f"{name}.files_per_s")
        if rate is None:
            continue
        count, bytes_each = SIZES[size]
        n, mine = counts.get(size, count), sizes.get(size, bytes_each)
        rows.append((f"{n} x {size_text(mine)}, {WORDS[kind]}", digits(n / rate), digits(rate), digits(rate * mine / 2**20),
                     *(beside(t, rate * mine * t / (count * bytes_each)) for t in published)))
    if len(rows) > 1:
        markdown(rows)
        if any((counts.get(size, n), sizes.get(size, b)) != (n, b) for size, (n, b) in SIZES.items()):
            print("\n> Published: 3000 x 20 kB, 300 x 2 MB, 6 x 100 MB; ratios of files are those of bytes per second.")


def size_text(number):
    for unit, scale in (("MB", 10**6), ("kB", 10**3)):
        if number >= scale:
            return f"{number / scale:g} {unit}"
    return f"{number} B"


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        sys.exit(__doc__)
    places = [a for a in sys.argv[1:] if not a.isdigit()]
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    found = figures(read(places))
    counts = dict(zip(SIZES, numbers))
    sizes = dict(zip(("medium", "large"), numbers[3:]))
    cpu(found)
    latency(found)
    files(found, counts, sizes)


if __name__ == "__main__":
    main()
