# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll serve beside what it is compared with: nginx, a Node application, plain C loops. Server on core 0, client on core 1; pairs of
runs whose order turns each round; ratios are medians over the rounds."""
import contextlib
import json
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import lab
from table import Table

HERE = os.path.dirname(os.path.abspath(__file__))
RECURSIVE_N, PRIME_N, IDLE = 14, 2_000_000_000, 10_000
RECURSIVE_BAR, PRIME_BAR, FILES_BAR, DISK_BAR, IDLE_BAR_MIB = 4.0, 1.03, 0.9, 0.95, 100
FILES = [("s", 3000, 20_000), ("m", 300, 2_000_000), ("l", 6, 100_000_000)]


def get(url):
    with urllib.request.urlopen(url, timeout=60) as reply:
        return reply.read()


class Process:
    """A server on core 0."""

    def __init__(self, args, env=None):
        self._process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                                         preexec_fn=lab.pin(lab.SERVER_CORE))
        self.pid = self._process.pid

    def wait_ready(self, url):
        for _ in range(500):
            with contextlib.suppress(OSError):
                return get(url)
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        self.close()
        raise RuntimeError(f"{self._process.args[0]} did not start")

    def close(self):
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Serve(Process):
    """One thread on core 0, plain and TLS."""

    def __init__(self, *options, threads=1):
        self.port, self.tls_port = lab.free_ports(2)
        super().__init__([lab.PLIMSOLL, "serve", "--threads", str(threads), "--listen", f"127.0.0.1:{self.port}",
                          "--tls-listen", f"127.0.0.1:{self.tls_port}", *options])
        self.wait_ready(self.url("healthz"))

    def url(self, path, tls=False):
        return f"https://127.0.0.1:{self.tls_port}/{path}" if tls else f"http://127.0.0.1:{self.port}/{path}"

    def requests(self):
        """Requests so far, this one left out."""
        counted = re.findall(rb'^plimsoll_serve_requests_total\{.*\} (\d+)$', get(self.url("metrics")), re.M)
        return sum(int(n) for n in counted)


def cpu_ns(pid):
    """What the threads of a process have used, to the nanosecond."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total


def nginx_worker(nginx):
    pid = nginx._process.pid
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return int(f.read().split()[0])


def progress(name, done, rounds):
    print(f"{name}: round {done} of {rounds}", file=sys.stderr)


# ---- Requests: beside nginx ----

class Cell:
    def __init__(self, name, title, path, connections, tls, cpu_bar, rate_bar):
        self.name, self.title, self.path, self.connections, self.tls = name, title, path, connections, tls
        self.cpu_bar, self.rate_bar = cpu_bar, rate_bar


CELLS = [
    Cell("serve-1k", "1024 bytes, keep-alive, 50 connections", "1024.html", 50, False, 1.0, 1.0),
    Cell("serve-tls", "1024 bytes over TLS, keep-alive, 50 connections", "1024.html", 50, True, 1.0, 1.0),
    Cell("serve-1m", "1 MiB from disk, keep-alive, 5 connections", "1m", 5, False, None, DISK_BAR),
]


class Side:
    """One of the two servers, and what its runs gave."""

    def __init__(self, server, pid):
        self.server, self.pid = server, pid
        self.cpu_us, self.rate, self.share = [], [], []

    def run(self, cell, seconds):
        args = ["wrk", "-t", "1", "-c", str(cell.connections), "-d", f"{seconds}s", self.server.url(cell.path, cell.tls)]
        requests, cpu = self.server.requests(), cpu_ns(self.pid)
        sample = lab.run_client(args, seconds + 20)
        cpu, requests = cpu_ns(self.pid) - cpu, self.server.requests() - requests - 1
        if requests < cell.connections or "Non-2xx" in sample.out or sample.exit != 0:
            raise RuntimeError(f"{cell.name}: {sample.out}")
        self.cpu_us.append(cpu / 1e3 / requests)
        self.rate.append(requests / seconds)
        self.share.append(cpu / 1e9 / seconds)


def ratio(ours, theirs):
    return statistics.median(a / b for a, b in zip(ours, theirs))


def beside_nginx(cell, options):
    with lab.Nginx() as nginx:
        shutil.copy(f"{nginx.dir}/www/1k", f"{nginx.dir}/www/1024.html")
        with Serve("--root", f"{nginx.dir}/www", "--cert", f"{nginx.dir}/cert.pem", "--key", f"{nginx.dir}/key.pem") as serve:
            sides = {"plimsoll serve": Side(serve, serve.pid), "nginx": Side(nginx, nginx_worker(nginx))}
            for r in range(options.rounds):
                for name in list(sides)[::1 if r % 2 == 0 else -1]:
                    sides[name].run(cell, options.seconds)
                progress(cell.name, r + 1, options.rounds)
    ours, theirs = sides.values()
    table = Table(cell.name, f"{cell.title}: the server's CPU per request and what one core carries",
                  ["server", "µs/request", "of nginx", "requests/s", "of nginx", "server CPU"])
    for name, side in sides.items():
        table.add(name, f"{statistics.median(side.cpu_us):.2f}", f"{ratio(side.cpu_us, theirs.cpu_us):.3f}",
                  f"{statistics.median(side.rate):,.0f}", f"{ratio(side.rate, theirs.rate):.3f}", f"{100 * statistics.median(side.share):.0f} %")
    if cell.cpu_bar:
        table.bar("CPU per request / nginx", ratio(ours.cpu_us, theirs.cpu_us), cell.cpu_bar)
    at_least(table, "requests/s / nginx", ratio(ours.rate, theirs.rate), cell.rate_bar)
    return table


def at_least(table, text, value, bar):
    table.bar_ok(f"{text} ≥ {bar:g}", f"{value:.3f}", value >= bar)


# ---- Latency: beside a Node application ----

def node_folder():
    """The application with its packages, installed once beside the build. None: there is no npm, or it reaches nobody."""
    folder = os.path.join(os.path.dirname(lab.PLIMSOLL), "bench-recursive")
    source = os.path.join(HERE, "recursive")
    os.makedirs(folder, exist_ok=True)
    for name in ("package.json", "package-lock.json", "server.js"):
        shutil.copy(os.path.join(source, name), folder)
    if not os.path.isdir(os.path.join(folder, "node_modules/express")):
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, timeout=300, check=False)
        if done.returncode != 0:
            return None
    return folder


def recursive(options):
    table = Table("serve-recursive", f"/recursive/{RECURSIVE_N}, 753 calls one after the other", ["application", "ms", "µs/call", "of Node"])
    folder = node_folder() if lab.have("node") and lab.have("npm") else None
    if folder is None:
        table.bar_ok(f"Node / plimsoll ≥ {RECURSIVE_BAR:g}", "not measured: its packages can not be installed", False)
        return table
    port = lab.free_ports(1)[0]
    with Serve() as serve, Process(["node", os.path.join(folder, "server.js")], {**os.environ, "PORT": str(port), "NODE_ENV": "production"}) as node:
        urls = {"plimsoll serve": serve.url(f"recursive/{RECURSIVE_N}"), "Node, Express and axios": f"http://127.0.0.1:{port}/recursive/{RECURSIVE_N}"}
        node.wait_ready(f"http://127.0.0.1:{port}/recursive/1")
        times = {name: [] for name in urls}
        for url in list(urls.values()) * 15:  # Node compiles what it has seen often
            assert json.loads(get(url))["fibonacci"] == 377
        for r in range(max(options.rounds, 7)):
            for name in list(urls)[::1 if r % 2 == 0 else -1]:
                begin = time.monotonic()
                get(urls[name])
                times[name].append(time.monotonic() - begin)
    ours, theirs = times.values()
    for name, seconds in times.items():
        middle = statistics.median(seconds)
        table.add(name, f"{middle * 1e3:.1f}", f"{middle * 1e6 / 753:.1f}", f"{ratio(seconds, theirs):.3f}")
    at_least(table, "Node / plimsoll", ratio(theirs, ours), RECURSIVE_BAR)
    return table


# ---- CPU and files: beside plain C loops ----

def compiled(name, folder):
    program = os.path.join(folder, name)
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-o", program, os.path.join(HERE, "loops", name + ".c")], check=True)
    return program


def prime(options):
    table = Table("serve-prime", f"/prime/{PRIME_N}: a thousand million divisions", ["what", "seconds", "of the loop"])
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder, Serve() as serve:
        loop = compiled("prime", folder)
        ours, theirs = [], []
        for r in range(min(options.rounds, 5)):
            def ask():
                ours.append(json.loads(get(serve.url(f"prime/{PRIME_N}")))["seconds"])

            def run():
                done = subprocess.run([loop, str(PRIME_N)], stdout=subprocess.PIPE, text=True, check=True, preexec_fn=lab.pin(lab.SERVER_CORE))
                theirs.append(float(done.stdout.split()[1]))
            for step in [ask, run][::1 if r % 2 == 0 else -1]:
                step()
            progress(table.name, r + 1, min(options.rounds, 5))
    for name, seconds in (("plimsoll serve", ours), ("a plain loop in C", theirs)):
        table.add(name, f"{statistics.median(seconds):.3f}", f"{ratio(seconds, theirs):.3f}")
    table.bar("plimsoll / loop", ratio(ours, theirs), PRIME_BAR)
    return table


def files(options):
    table = Table("serve-files", "/generate-files: written by one request, and by a plain loop in C", ["files", "how", "plimsoll s", "loop s", "loop / plimsoll"])
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder, Serve("--data-root", folder) as serve:
        loop = compiled("files", folder)
        os.makedirs(f"{folder}/output")
        for prefix, n, size in FILES:
            for how, extra in (("new", ""), ("over old ones", ""), ("each deleted first", "&deleteFirst=true")):
                ours, theirs = [], []

                def clear():
                    if how == "new":
                        for name in os.listdir(f"{folder}/output"):
                            os.unlink(f"{folder}/output/{name}")

                def ask():
                    clear()
                    ours.append(json.loads(get(serve.url(f"generate-files?prefix={prefix}&n={n}&size={size}{extra}")))["seconds"])

                def run():
                    clear()
                    done = subprocess.run([loop, f"{folder}/output", prefix, str(n), str(size), "1" if extra else "0"], stdout=subprocess.PIPE, text=True,
                                          check=True, preexec_fn=lab.pin(lab.SERVER_CORE))
                    theirs.append(float(done.stdout))
                for r in range(options.rounds + 1):
                    for step in [ask, run][::1 if r % 2 == 0 else -1]:
                        step()
                ours, theirs = ours[1:], theirs[1:]  # the first round makes the files
                value = ratio(theirs, ours)
                table.add(f"{n:,} × {size:,} B", how, f"{statistics.median(ours):.3f}", f"{statistics.median(theirs):.3f}", f"{value:.3f}")
                at_least(table, f"loop / plimsoll, {n} × {size} B, {how}", value, FILES_BAR)
                progress(f"{table.name} {prefix} {how}", options.rounds, options.rounds)
            for name in os.listdir(f"{folder}/output"):
                os.unlink(f"{folder}/output/{name}")
    return table


# ---- Memory ----

def idle(_options):
    table = Table("serve-idle", f"{IDLE:,} idle keep-alive connections", ["what", "resident"])
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    with Serve() as serve, contextlib.ExitStack() as stack:
        before = rss_mib(serve.pid)
        for _ in range(IDLE):
            s = stack.enter_context(socket.create_connection(("127.0.0.1", serve.port)))
            s.sendall(b"GET /1024.html HTTP/1.1\r\nHost: a\r\n\r\n")
            while len(s.recv(4096)) == 4096:
                pass
        after = rss_mib(serve.pid)
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    table.add("without connections", f"{before:.1f} MiB")
    table.add(f"with {IDLE:,}, each served once", f"{after:.1f} MiB")
    table.bar(f"{IDLE:,} idle connections", after, IDLE_BAR_MIB, " MiB")
    return table


def rss_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) / 1024


def benches():
    found = {cell.name: (lambda options, cell=cell: beside_nginx(cell, options)) for cell in CELLS}
    found.update({"serve-recursive": recursive, "serve-prime": prime, "serve-files": files, "serve-idle": idle})
    return found
