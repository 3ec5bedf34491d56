# SPDX-License-Identifier: GPL-3.0-or-later
"""Peak memory: ten thousand connections, a million requests against ten, two thousand TLS handshakes against forty thousand."""
import clients
import lab
from table import Table

CONNECTIONS = 10000
CONNECTIONS_BAR_MIB = 40
REQUESTS_BAR_MIB = 1.0
COUNT_LIMIT_S = 1800  # ten million requests need some minutes on a quiet machine
HANDSHAKES = (2000, 40000)
HANDSHAKE_BAR_BYTES = 32  # the peak of equal runs differs by some hundred KiB; wrk grows 6 KiB each


def mib(sample):
    return sample.peak_kib / 1024


def connection_commands(url):
    # Long enough that everybody has opened all; ab and hey end by count.
    n = str(CONNECTIONS)
    return {
        "plimsoll": [lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", n, "-d", "4s", url],
        "plimsoll ab": [lab.PLIMSOLL, "ab", "-q", "-r", "-k", "-c", n, "-n", "50000", url],
        "ab": ["ab", "-q", "-r", "-k", "-c", n, "-n", "50000", url],
        "wrk": ["wrk", "-t", "1", "-c", n, "-d", "4s", url],
        "h2load": ["h2load", "--h1", "-t", "1", "-c", n, "-n", "50000", url],
        "hey": ["hey", "-cpus", "1", "-c", n, "-n", "50000", url],
    }


def ten_thousand(table, nginx):
    for name, args in connection_commands(nginx.url("1k")).items():
        if not clients.available(name):
            continue
        sample = lab.run_client(args, 60)
        ended = f"exit {sample.exit}" if sample.exit is not None else "stopped after 60 s"
        table.add(f"{name}: {CONNECTIONS:,} connections", f"{mib(sample):.1f} MiB", ended)
        if name == "plimsoll":
            table.bar(f"{CONNECTIONS:,} plain connections, peak", mib(sample), CONNECTIONS_BAR_MIB, " MiB")


def counts(table, nginx, few, many):
    peaks = []
    for n in (few, many):
        args = [lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", "50", "-n", str(n), nginx.url("1k")]
        sample = lab.run_counted(nginx, args, COUNT_LIMIT_S)
        table.add(f"plimsoll: {n:,} requests", f"{mib(sample):.1f} MiB", f"server counted {sample.requests:,}")
        peaks.append(mib(sample))
    table.bar(f"{many:,} requests against {few:,}, difference", abs(peaks[1] - peaks[0]), REQUESTS_BAR_MIB, " MiB")


def handshake_commands(url):
    """Name -> (commands of few and of many handshakes). wrk ends by time alone."""
    few, many = HANDSHAKES
    own = [lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", "20", "-k", "--tls-resume", "off", "--requests-per-connection", "1"]
    return {
        "plimsoll": [own + ["-n", str(n), url] for n in (few, many)],
        "ab": [["ab", "-q", "-r", "-c", "20", "-n", str(n), url] for n in (few, many)],
        "wrk": [clients.wrk(clients.Load(20, seconds, close=True, tls=True), url) for seconds in (2, 10)],
    }


def handshakes(table, nginx):
    for name, commands in handshake_commands(nginx.url("1k", tls=True)).items():
        if not clients.available(name):
            continue
        few, many = (lab.run_counted(nginx, command, COUNT_LIMIT_S) for command in commands)
        growth = 1024 * (many.peak_kib - few.peak_kib) / max(1, many.requests - few.requests)
        table.add(f"{name}: per TLS handshake", f"{growth:.0f} B", f"{few.requests:,} and {many.requests:,} handshakes")
        if name == "plimsoll":
            table.bar("growth per TLS handshake", max(0.0, growth), HANDSHAKE_BAR_BYTES, " B")


def run(options):
    table = Table("memory", "Peak memory of the client (VmHWM)", ["what", "memory", "remark"])
    few, many = (100000, 1000000) if options.quick else (1000000, 10000000)
    with lab.Nginx() as nginx:
        ten_thousand(table, nginx)
        counts(table, nginx, few, many)
        handshakes(table, nginx)
    return table
