# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU per request of each client in the same cells, interleaved; ratios are medians over the rounds."""
import statistics
import sys

import clients
import lab
from table import Table


class Cell:
    """One cell of the table. bars: (client, factor, peer) promise client ≤ factor × peer; each is also set against these."""

    def __init__(self, name, title, path, load, peers, bars, against=("wrk", "ab")):
        self.name, self.title, self.path, self.load, self.peers, self.bars = name, title, path, load, peers, bars
        self.against = against


def cells(seconds):
    load = clients.Load
    everybody = ["plimsoll", "plimsoll ab", "ab", "wrk", "h2load", "hey"]
    own = ("plimsoll ab", 1.00, "ab")
    keep_alive = [("plimsoll", 0.90, "wrk"), ("plimsoll", 1.00, "ab"), own]
    return [
        Cell("keepalive-50", "1 KiB replies, keep-alive, 50 connections", "1k", load(50, seconds), everybody, keep_alive),
        Cell("keepalive-400", "1 KiB replies, keep-alive, 400 connections", "1k", load(400, seconds), everybody, keep_alive),
        Cell("close-50", "1 KiB replies, one connection per request, 50 at a time", "1k", load(50, seconds, close=True), everybody,
             [("plimsoll", 0.98, "wrk"), own]),
        Cell("big-5", "1 MiB replies, keep-alive, 5 connections", "1m", load(5, seconds), everybody,
             [("plimsoll", 0.40, "wrk"), own]),
        Cell("tls-50", "1 KiB replies over TLS, keep-alive, 50 connections", "1k", load(50, seconds, tls=True), everybody,
             [("plimsoll", 0.98, "wrk"), own]),
        Cell("tls-new-20", "TLS, a new connection per request, no resumption, 20 at a time", "1k",
             load(20, seconds, close=True, tls=True), everybody, [("plimsoll", 1.00, "ab"), own]),
        Cell("tls-resumed-20", "TLS, a new connection per request, sessions resumed by who can, 20 at a time", "1k",
             load(20, seconds, close=True, tls=True, resume=True), ["plimsoll", "wrk"], [("plimsoll", 1.00, "wrk")], ("wrk",)),
        Cell("h2c-10", "1 KiB replies over HTTP/2 without TLS, 10 connections with 10 streams each", "1k",
             load(10, seconds, streams=10), ["plimsoll", "h2load"], [("plimsoll", 0.90, "h2load")], ("h2load",)),
    ]


def commands(nginx, cell):
    """Name -> command of the clients that are here and can do the cell."""
    found = {}
    for name in cell.peers:
        args = clients.CLIENTS[name](cell.load, nginx.url(cell.path, cell.load.tls, cell.load.streams > 0))
        if args and clients.available(name):
            found[name] = args
    return found


def measure(nginx, cell, rounds):
    """({client: [Sample per round]}, {client: why it is not there}). The order turns by one each round, so that drift falls
    on all alike."""
    todo = commands(nginx, cell)
    samples, failed = {name: [] for name in todo}, {}
    names = list(todo)
    for r in range(rounds):
        for name in names[r % len(names):] + names[:r % len(names)]:
            if name in failed:
                continue
            sample = lab.run_counted(nginx, todo[name], cell.load.seconds + 15)
            if sample.requests < cell.load.connections or sample.exit is None:
                end = "never ended" if sample.exit is None else f"exit {sample.exit}, {sample.requests} requests"
                failed[name] = f"{end}: {(sample.out.strip().splitlines() or ['nothing said'])[-1]}"
                del samples[name]
            else:
                sample.resumed = nginx.resumed_share() if cell.load.resume else None
                samples[name].append(sample)
        print(f"{cell.name}: round {r + 1} of {rounds}", file=sys.stderr)
    return samples, failed


def ratio(samples, client, peer):
    return statistics.median(a.us_per_request / b.us_per_request for a, b in zip(samples[client], samples[peer]))


def table_of(cell, samples, failed):
    table = Table(cell.name, f"{cell.title}: client CPU per request (user + system)",
                  ["client", "µs/request"] + [f"of {peer}" for peer in cell.against] + ["requests/s", "client CPU"] +
                  (["resumed"] if cell.load.resume else []))
    for name, runs in samples.items():
        against = [f"{ratio(samples, name, peer):.3f}" if peer in samples else "" for peer in cell.against]
        resumed = [s.resumed for s in runs if s.resumed is not None]
        table.add(name, f"{statistics.median(s.us_per_request for s in runs):.2f}", *against,
                  f"{statistics.median(s.requests / s.wall_s for s in runs):,.0f}",
                  f"{100 * statistics.median(s.cpu_s / s.wall_s for s in runs):.0f} %",
                  *([f"{100 * statistics.median(resumed):.1f} %" if resumed else "unknown"] if cell.load.resume else []))
    for client, factor, peer in cell.bars:
        if client in samples and peer in samples:
            table.bar(f"{client} / {peer}", ratio(samples, client, peer), factor)
        elif client in failed:
            table.bar_ok(f"{client} / {peer} ≤ {factor:g}", "not measured", False)
    table.notes += [f"{name} could not be measured: {why}" for name, why in failed.items()]
    return table


def run(cell, options):
    with lab.Nginx(resumes=cell.load.resume) as nginx:
        return table_of(cell, *measure(nginx, cell, options.rounds))
