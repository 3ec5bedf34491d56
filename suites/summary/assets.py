#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of suites/assets.yaml in ab's words: the six that were published, and what failed.

    suites/summary/assets.py FOLDER
    plimsoll results export assets@latest | suites/summary/assets.py"""
import statistics
import sys

from samples import digits, read, table

# (size, way, concurrency), its heading, and what ab said of it: requests/s, mean, across all, Kbytes/s, failed, non-2xx, percentiles
PUBLISHED = {
    ("29", "disk-nginx", "1"): ("29 B disk", 61.64, 16.223, 16.223, 22.45, 0, 0, (12, 28, 51, 91)),
    ("29", "s3-streamed", "1"): ("29 B S3", 21.78, 45.915, 45.915, 11.32, 0, 0, (39, 58, 157, 417)),
    ("1048576", "disk-nginx", "1"): ("1 MiB disk", 40.13, 24.920, 24.920, 41105.02, 0, 0, (21, 37, 65, 96)),
    ("1048576", "s3-streamed", "1"): ("1 MiB S3", 0.63, 1591.877, 1591.877, 643.57, 0, 0, (1391, 2645, 3800, 4373)),
    ("1048576", "s3-proxied", "1"): ("1 MiB S3 proxied", 0.66, 1521.197, 1521.197, 672.26, 2, 1, (1187, 2555, 3917, 25610)),
    ("1048576", "s3-proxied", "5"): ("the same, -c 5", 1.00, 4994.459, 998.892, 850.40, 209, 133, (1741, 10450, 40528, 54705)),
}
LINES = ("Complete requests", "Failed requests", "Non-2xx responses", "Requests per second", "Time per request (mean), ms",
         "(mean, across all concurrent requests), ms", "Transfer rate, Kbytes/s", "  50 %, ms", "  90 %, ms", "  99 %, ms", " 100 %, ms")


def by_cell(documents):
    cells = {}
    for document in documents:
        cell = document["cell"]
        cells.setdefault((cell["size"], cell["way"], cell["concurrency"]), []).append(document)
    return cells


def non_2xx(document):
    return sum(count for status, count in document["status"].items() if not status.startswith("2"))


def here(samples, concurrency):
    """As ab counts: a request that failed is complete too; times are those of all, so they are of samples without failures alone."""
    done = [d["totals"]["started"] - d["totals"]["unfinished"] for d in samples]
    rate = [n / d["duration_s"] for n, d in zip(done, samples)]
    timed = [d["latency"] for d in samples if d["latency"] is not None]
    percentile = lambda name: digits(1e3 * statistics.mean(t[name] for t in timed)) if timed else "-"
    mean = statistics.mean(rate)
    return (str(sum(done)), str(sum(d["totals"]["failed"] for d in samples)), str(sum(map(non_2xx, samples))), digits(mean, 4),
            digits(1e3 * concurrency / mean, 4), digits(1e3 / mean, 4),
            digits(statistics.mean(d["totals"]["bytes_received"] / 1024 / d["duration_s"] for d in samples), 4),
            percentile("p50"), percentile("p90"), percentile("p99"), percentile("max"))


def published(row):
    _, rate, mean, across, transfer, failed, bad, percentiles = row
    return ("1000", str(failed), str(bad), f"{rate:.2f}", f"{mean:.1f}", f"{across:.1f}", f"{transfer:.2f}", *(str(p) for p in percentiles))


def six(cells):
    rows = [("", *(row[0] for row in PUBLISHED.values()))]
    mine = [here(cells[key], int(key[2])) if key in cells else ("-",) * len(LINES) for key in PUBLISHED]
    rows += [(line, *(column[k] for column in mine)) for k, line in enumerate(LINES)]
    print("The six results as ab has them, here (all samples together; means of the samples' own figures)")
    table(rows)
    rows[1:] = [(line, *(published(row)[k] for row in PUBLISHED.values())) for k, line in enumerate(LINES)]
    print("\nand as they were published (1000 requests each, over a network, S3 far away)")
    table(rows)


def what_was_said(text):
    """The first line of the head and of the body."""
    head, _, body = text.replace("\r", "").partition("\n\n")
    lines = [head.split("\n")[0]] + [line.strip() for line in body.split("\n") if line.strip()][:1]
    return " / ".join(line[:60] for line in lines if line)


def failures(cells):
    rows = [("size", "way", "-c", "failed", "kind", "first at", "last at", "what was said first")]
    for (size, way, concurrency), samples in sorted(cells.items()):
        for document in samples:
            for error in document["errors"]:
                kind = error["kind"] + (f": {error['detail']}" if error.get("detail") else "")
                rows.append((size, way, concurrency, f"{error['count']} of {document['totals']['started']}", kind, f"{error['first_at_s']:.3f} s",
                             f"{error['last_at_s']:.3f} s", what_was_said(error.get("first") or "")))
    print("\nFailures by kind, a line for each sample's (published: 209 of 1000, by arithmetic 133 non-2xx replies and 76 short bodies)")
    if len(rows) > 1:
        table(rows)
    else:
        print("  none")


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        sys.exit(__doc__)
    cells = by_cell(read(sys.argv[1:]))
    six(cells)
    failures(cells)


if __name__ == "__main__":
    main()
