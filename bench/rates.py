# SPDX-License-Identifier: GPL-3.0-or-later
"""The open model at half of what the closed one reached just before: how late requests leave, and what each costs."""
import json
import os
import statistics
import sys
import tempfile

import clients
import lab
from table import Table

CONNECTIONS = 50
LATENESS_BAR_US, RATE_BAR = 100, 0.001


def plimsoll(nginx, rate, seconds):
    """A Sample with the document's own words in .latency, .lateness_s and .said (requests/s)."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder:
        path = os.path.join(folder, "out.json")
        sample = lab.run_counted(nginx, [lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s",
                                         "--rate", str(rate), "--json", path, nginx.url("1k")], seconds + 15)
        if not os.path.exists(path):
            raise RuntimeError(f"plimsoll load --rate ended with {sample.exit}: {sample.out}")
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
    sample.latency, generator = document["latency"], document["generator"]
    sample.lateness_s, sample.said = generator["send_lateness_p99"], generator["rate_achieved"]
    return sample


def wrk2(nginx, rate, seconds):
    return lab.run_counted(nginx, ["wrk2", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s", "-R", str(rate), nginx.url("1k")],
                           seconds + 15)


def closed_maximum(nginx, seconds):
    args = clients.plimsoll(clients.Load(CONNECTIONS, seconds), nginx.url("1k"))
    return lab.run_counted(nginx, args, seconds + 15).requests / seconds


def measure(nginx, rate, options):
    runners = {"plimsoll": plimsoll, **({"wrk2": wrk2} if lab.have("wrk2") else {})}
    samples = {name: [] for name in runners}
    for r in range(options.rounds):
        for name in list(runners)[::1 if r % 2 == 0 else -1]:
            samples[name].append(runners[name](nginx, rate, options.seconds))
        print(f"open-{CONNECTIONS}: round {r + 1} of {options.rounds}", file=sys.stderr)
    return samples


def middle(values):
    return statistics.median(values)


def run(options):
    with lab.Nginx() as nginx:
        maximum = closed_maximum(nginx, options.seconds)
        rate = max(100, round(maximum / 2, -2))
        samples = measure(nginx, int(rate), options)
    ours = samples["plimsoll"]
    table = Table(f"open-{CONNECTIONS}", f"1 KiB replies, {CONNECTIONS} connections, half of the closed model's {maximum:,.0f} requests/s on "
                  "schedule", ["client", "µs/request", "requests/s asked", "requests/s seen by the server", "send lateness p99", "latency p50",
                               "latency p99"])
    for name, runs in samples.items():
        said = [f"{1e6 * middle(s.lateness_s for s in runs):.0f} µs"] + \
            [f"{1e6 * middle(s.latency[p] for s in runs):.0f} µs" for p in ("p50", "p99")] if name == "plimsoll" else [""] * 3
        table.add(name, f"{middle(s.us_per_request for s in runs):.2f}", f"{rate:,.0f}",
                  f"{middle(s.requests / options.seconds for s in runs):,.1f}", *said)
    table.bar("send lateness p99", 1e6 * middle(s.lateness_s for s in ours), LATENESS_BAR_US, " µs")
    off = {"the server": middle(abs(s.requests / options.seconds / rate - 1) for s in ours),
           "the result": middle(abs(s.said / rate - 1) for s in ours)}
    for who, share in off.items():
        table.bar_ok(f"rate achieved, as {who} counts, within {100 * RATE_BAR:g} % of asked", f"{100 * share:.3f} %", share <= RATE_BAR)
    if "wrk2" in samples:
        table.bar("CPU per request / wrk2", middle(a.us_per_request / b.us_per_request for a, b in zip(ours, samples["wrk2"])), 1.0)
    else:
        table.notes.append("wrk2 is left out: it is not installed, and Debian has no package of it.")
    return table
