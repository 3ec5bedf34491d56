# SPDX-License-Identifier: GPL-3.0-or-later
"""Uploads of 20 MB to `plimsoll serve`, raw and as a form, beside curl: one connection for what gets through, sixteen for what a
request costs. curl sends all uploads of a connection from one process, so that its start weighs little."""
import os
import re
import statistics
import sys
import tempfile

import lab
import serve
from table import Table

UPLOAD_BYTES = 20_000_000
THROUGHPUT_BAR, COST_BAR = 0.95, 1.5
# connections -> uploads of each: a second or two in all
UPLOADS_EACH = {1: 30, 16: 3}


class Target(serve.Serve):
    def __init__(self, folder):
        super().__init__("--data-root", folder)

    def requests(self):
        """Blobs that arrived whole."""
        counted = re.findall(rb'^plimsoll_serve_requests_total\{route="/blobs/\{path\}",status="2xx"\} (\d+)$', serve.get(self.url("metrics")),
                             re.M)
        return sum(int(n) for n in counted)


def plimsoll_command(form, connections, path, url):
    body = ["-X", "PUT", "--form", f"file=@{path}"] if form else ["-T", path]
    return [lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", str(connections), "-n", str(connections * UPLOADS_EACH[connections]),
            *body, url + "plimsoll"]


def curl_command(form, connections, path, url):
    """A shell that waits for its curls: what they cost becomes its own."""
    body = f"-X PUT -F file=@{path}" if form else f"-T {path}"
    uploads = " --next ".join(f"-s -S -o /dev/null {body} {url}curl" for _ in range(UPLOADS_EACH[connections]))
    return ["sh", "-c", f"for i in $(seq {connections}); do curl {uploads} & done; wait"]


COMMANDS = {"plimsoll": plimsoll_command, "curl": curl_command}


def measure(target, name, form, connections, path):
    """A Sample; every upload must have arrived."""
    before = target.requests()
    sample = lab.run_client(COMMANDS[name](form, connections, path, target.url("blobs/")), 60, poll_s=0.002)
    sample.requests = target.requests() - before
    if sample.requests != connections * UPLOADS_EACH[connections] or sample.exit != 0:
        raise RuntimeError(f"{name}: exit {sample.exit}, {sample.requests} uploads arrived: {sample.out}")
    return sample


def middle(values):
    return statistics.median(values)


def run(form, connections, options):
    kind = "form" if form else "raw"
    total = connections * UPLOADS_EACH[connections]
    table = Table(f"upload-{kind}-{connections}", f"{total} uploads of 20 MB ({'multipart/form-data' if form else 'raw'}), {connections} at a time",
                  ["client", "uploads/s", "MB/s", "CPU ms/upload", "uploads per CPU second"])
    if not lab.have("curl"):
        table.bar_ok("plimsoll / curl", "not measured: there is no curl", False)
        return table
    samples = {name: [] for name in COMMANDS}
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # no disk in between, where that can be
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir=memory) as folder, Target(folder) as target:
        path = os.path.join(folder, "upload.bin")
        with open(path, "wb") as f:
            f.write(os.urandom(UPLOAD_BYTES))
        for r in range(options.rounds):
            for name in list(COMMANDS)[::1 if r % 2 == 0 else -1]:
                samples[name].append(measure(target, name, form, connections, path))
            print(f"{table.name}: round {r + 1} of {options.rounds}", file=sys.stderr)
    for name, runs in samples.items():
        table.add(name, f"{middle(s.requests / s.wall_s for s in runs):.1f}",
                  f"{middle(s.requests / s.wall_s for s in runs) * UPLOAD_BYTES / 1e6:,.0f}", f"{middle(s.us_per_request for s in runs) / 1e3:.2f}",
                  f"{middle(s.requests / s.cpu_s for s in runs):.1f}")
    ours, theirs = samples["plimsoll"], samples["curl"]
    if connections == 1:
        serve.at_least(table, "uploads/s / curl", middle(b.wall_s / a.wall_s for a, b in zip(ours, theirs)), THROUGHPUT_BAR)
    else:
        serve.at_least(table, f"uploads per CPU second / {connections} curl processes", middle(b.cpu_s / a.cpu_s for a, b in zip(ours, theirs)),
                       COST_BAR)
    return table


def benches():
    return {f"upload-{'form' if form else 'raw'}-{n}": (lambda options, form=form, n=n: run(form, n, options))
            for form in (False, True) for n in UPLOADS_EACH}
