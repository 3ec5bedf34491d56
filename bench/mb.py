# SPDX-License-Identifier: GPL-3.0-or-later
"""`plimsoll mb`: what its response file costs, and its rate beside wrk's."""
import json
import os
import statistics
import sys
import tempfile

import clients
import lab
import serve
from table import Table

CONNECTIONS = 50
CSV_BAR, WRK_BAR = 0.95, 1.0


def commands(nginx, folder, seconds):
    requests = os.path.join(folder, "requests.json")
    with open(requests, "w", encoding="utf-8") as f:
        json.dump([{"host": "127.0.0.1", "port": nginx.port, "method": "GET", "path": "/1k", "clients": CONNECTIONS, "keep-alive-requests": 0}], f)
    mb = [lab.PLIMSOLL, "mb", "-q", "-t", "1", "-i", requests, "-d", str(seconds)]
    found = {"plimsoll mb, no CSV": mb, "plimsoll mb, CSV": mb + ["-o", csv_of(folder)]}
    if lab.have("wrk"):
        found["wrk"] = clients.wrk(clients.Load(CONNECTIONS, seconds), nginx.url("1k"))
    return found


def csv_of(folder):
    return os.path.join(folder, "responses.csv")


def rows_and_forget(path):
    """How many lines it has; it is removed, so that no run pays for an earlier one's pages."""
    if not os.path.exists(path):
        return 0
    with open(path, "rb") as f:
        rows = sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))
    os.unlink(path)
    return rows


def measure(nginx, folder, options):
    todo = commands(nginx, folder, options.seconds)
    samples, names = {name: [] for name in todo}, list(todo)
    for r in range(options.rounds):
        for name in names[r % len(names):] + names[:r % len(names)]:
            sample = lab.run_counted(nginx, todo[name], options.seconds + 15)
            sample.rows = rows_and_forget(csv_of(folder))
            if sample.exit != 0 or sample.requests < CONNECTIONS or (name == "plimsoll mb, CSV") != (sample.rows > 0):
                raise RuntimeError(f"{name}: exit {sample.exit}, {sample.requests} requests, {sample.rows} rows: {sample.out}")
            samples[name].append(sample)
        print(f"mb-{CONNECTIONS}: round {r + 1} of {options.rounds}", file=sys.stderr)
    return samples


def ratio(ours, theirs):
    return statistics.median(a.requests / b.requests for a, b in zip(ours, theirs))


def run(options):
    with lab.Nginx() as nginx, tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder:
        samples = measure(nginx, folder, options)
    table = Table(f"mb-{CONNECTIONS}", f"1 KiB replies, keep-alive, {CONNECTIONS} clients of `plimsoll mb`: what the response file costs",
                  ["client", "requests/s", "µs/request", "rows written"])
    for name, runs in samples.items():
        table.add(name, f"{statistics.median(s.requests / options.seconds for s in runs):,.0f}",
                  f"{statistics.median(s.us_per_request for s in runs):.2f}", f"{statistics.median(s.rows for s in runs):,.0f}")
    with_csv = samples["plimsoll mb, CSV"]
    serve.at_least(table, "requests/s with CSV / without", ratio(with_csv, samples["plimsoll mb, no CSV"]), CSV_BAR)
    if "wrk" in samples:
        serve.at_least(table, "requests/s with CSV / wrk", ratio(with_csv, samples["wrk"]), WRK_BAR)
    # The server also counts what is in flight at the end; mb has a row for each that was answered or broken off.
    missing = statistics.median(abs(s.requests - s.rows) for s in with_csv)
    table.bar("requests without a row", missing, CONNECTIONS)
    return table
