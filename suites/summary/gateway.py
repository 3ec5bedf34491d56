#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a gateway costs: suites/gateway.yaml through the gateway less straight to the application.

    suites/summary/gateway.py FOLDER
    plimsoll results export gateway@latest | suites/summary/gateway.py"""
import statistics
import sys

from samples import digits, half_interval, read, seconds, table, with_interval

FIGURES = ("p50", "mean", "p99")
PUBLISHED = {"echo": ("3.007 ms", "300.658 ms"), "rest": ("6.445 ms", "644.487 ms")}


def by_cell(documents):
    """{(flow, users): {via: {sample: document}}} of the valid samples."""
    cells = {}
    for document in documents:
        if document["valid"]:
            cell = document["cell"]
            cells.setdefault((cell["flow"], int(cell["users"])), {"direct": {}, "gateway": {}})[cell["via"]][document["sample"]] = document
    return dict(sorted(cells.items()))


def own_cost(cells):
    print("What the gateway itself costs a request (through it less direct; ±: 95 % interval over the samples)")
    rows = [("flow", "users", *FIGURES, "ratio of means")]
    for (flow, users), vias in cells.items():
        both = sorted(set(vias["direct"]) & set(vias["gateway"]))
        if not both:
            rows.append((flow, str(users), "no valid pair", "", "", ""))
            continue
        change = {f: [vias["gateway"][k]["latency"][f] - vias["direct"][k]["latency"][f] for k in both] for f in FIGURES}
        means = [statistics.mean(vias[v][k]["latency"]["mean"] for k in both) for v in ("gateway", "direct")]
        rows.append((flow, str(users), *(with_interval(change[f], seconds) for f in FIGURES), f"{means[0] / means[1]:.2f}"))
    table(rows, left=1)


def across_all(document):
    return document["duration_s"] / document["totals"]["ok"]


def as_ab_has_it(cells):
    print("\nTime per request as ab prints it. \"Mean, across all concurrent requests\" is the length of the run over its requests, the inverse of\n"
          "the throughput; a user waits the mean")
    rows = [("flow", "users", "via", "mean", "mean, across all concurrent requests", "requests/s")]
    for (flow, users), vias in cells.items():
        for via, samples in vias.items():
            if samples:
                rows.append((flow, str(users), via, seconds(statistics.mean(d["latency"]["mean"] for d in samples.values())),
                             seconds(statistics.mean(map(across_all, samples.values()))),
                             digits(statistics.mean(d["totals"]["requests_per_s"] for d in samples.values()), 4)))
    for flow, (across, mean) in PUBLISHED.items():
        rows.append((flow, "100", "published", mean, across, ""))
    table(rows)


def cpu(cells):
    rows = [("flow", "users", "via")]
    parts = sorted({name for vias in cells.values() for samples in vias.values() for d in samples.values() for name in d.get("watch") or {}})
    if not parts:
        return
    rows[0] += tuple(parts)
    for (flow, users), vias in cells.items():
        for via, samples in vias.items():
            shown = []
            for part in parts:
                found = [d["watch"][part].get("cpu_s_per_request") for d in samples.values() if part in (d.get("watch") or {})]
                found = [f for f in found if f is not None]
                half = half_interval(found)
                shown.append("-" if not found else seconds(statistics.mean(found)) + ("" if half is None else f" ± {seconds(half)}"))
            rows.append((flow, str(users), via, *shown))
    print("\nCPU per request of each part (the gateway does nothing when it is not on the way)")
    table(rows)


def cold(documents):
    prefix = "fact:cold "
    found = {k[len(prefix):]: v for d in documents for k, v in d["config"].items() if k.startswith(prefix)}
    if found:
        print("\nThe first request of each flow, its definition not in the cache and the connection not open; in none of the figures above")
        table([(name, value) for name, value in sorted(found.items())])


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        sys.exit(__doc__)
    documents = read(sys.argv[1:])
    cells = by_cell(documents)
    own_cost(cells)
    as_ab_has_it(cells)
    cpu(cells)
    cold(documents)


if __name__ == "__main__":
    main()
