# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory: one nginx on core 0, one client at a time on core 1, and what each cost.

CPU is the client process' own user + system time (wait4); requests are counted by the server, never by the client.
Everything lives in a temporary folder, listens on a free loopback port and is stopped by its pid.
"""
import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

SERVER_CORE, CLIENT_CORE = 0, 1
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLIMSOLL = os.environ.get("PLIMSOLL", os.path.join(ROOT, "build/plimsoll"))

NGINX_CONF = """
daemon off; worker_processes 1; worker_rlimit_nofile {files}; pid {dir}/nginx.pid; error_log {dir}/error.log crit;
events {{ worker_connections {connections}; multi_accept off; }}
http {{
    {log} log_not_found off; sendfile on; tcp_nopush on; tcp_nodelay on; default_type text/plain;
    keepalive_requests 1000000000; keepalive_timeout 300s; open_file_cache max=100; server_tokens off;
    client_body_temp_path {dir}/tmp; proxy_temp_path {dir}/tmp; fastcgi_temp_path {dir}/tmp; uwsgi_temp_path {dir}/tmp;
    scgi_temp_path {dir}/tmp;
    ssl_certificate {dir}/cert.pem; ssl_certificate_key {dir}/key.pem;
    {sessions} ssl_protocols TLSv1.2 TLSv1.3;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        listen 127.0.0.1:{tls_port} ssl backlog=4096;
        listen 127.0.0.1:{h2c_port} http2 backlog=4096;
        root {dir}/www;
        location = /status {{ stub_status; }}
    }}
}}
"""

# How TLS sessions are kept, and the log. Where they are resumed, the server says so of each request in one character.
FULL_HANDSHAKES = ("ssl_session_cache off; ssl_session_tickets off;", "access_log off;")
RESUMABLE = ("ssl_session_cache shared:tls:10m; ssl_session_tickets on;",
             'log_format reused "$ssl_session_reused"; access_log reused.log reused buffer=1m flush=200ms;')


def pin(core):
    def in_child():
        os.sched_setaffinity(0, {core})
    return in_child if os.cpu_count() > 1 else None


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Nginx:
    """One worker on core 0: /1k (1024 bytes) and /1m (1 MiB), plain, TLS and HTTP/2 without TLS, /status. TLS sessions are resumed
    and counted only when asked for."""

    def __init__(self, connections=15000, resumes=False):
        self._folder = tempfile.TemporaryDirectory(prefix="plimsoll-bench-")
        self.dir = self._folder.name
        self.port, self.tls_port, self.h2c_port = free_ports(3)
        self._sessions, self._log = RESUMABLE if resumes else FULL_HANDSHAKES
        self._write_files(connections)
        self._process = subprocess.Popen(["nginx", "-p", self.dir, "-e", f"{self.dir}/error.log", "-c", f"{self.dir}/nginx.conf"],
                                         stdin=subprocess.DEVNULL, preexec_fn=pin(SERVER_CORE))
        self._wait_ready()

    def _write_files(self, connections):
        os.makedirs(f"{self.dir}/www")
        os.makedirs(f"{self.dir}/tmp")
        os.chmod(self.dir, 0o755)
        for name, size in (("1k", 1024), ("1m", 1 << 20)):
            with open(f"{self.dir}/www/{name}", "wb") as f:
                f.write(b"plimsoll" * (size // 8))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                        "-keyout", f"{self.dir}/key.pem", "-out", f"{self.dir}/cert.pem"], check=True, capture_output=True)
        with open(f"{self.dir}/nginx.conf", "w", encoding="utf-8") as f:
            f.write(NGINX_CONF.format(dir=self.dir, port=self.port, tls_port=self.tls_port, h2c_port=self.h2c_port,
                                      sessions=self._sessions, log=self._log, connections=connections, files=connections + 100))

    def _wait_ready(self):
        for _ in range(200):
            with contextlib.suppress(OSError):
                self.requests()
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        self.close()
        raise RuntimeError("nginx did not start")

    def url(self, path, tls=False, h2c=False):
        if h2c:
            return f"http://127.0.0.1:{self.h2c_port}/{path}"
        return f"https://127.0.0.1:{self.tls_port}/{path}" if tls else f"http://127.0.0.1:{self.port}/{path}"

    def requests(self):
        """Requests so far, this one included."""
        with urllib.request.urlopen(self.url("status"), timeout=5) as reply:
            return int(re.search(rb"requests\s+\d+ \d+ (\d+)", reply.read()).group(1))

    def resumed_share(self):
        """Of the requests over TLS since the last call; None when none came or nothing is counted."""
        time.sleep(0.4)
        try:
            with open(f"{self.dir}/reused.log", "r+", encoding="ascii") as f:
                lines = f.read().split()
                f.truncate(0)
        except OSError:
            return None
        tls = [line for line in lines if line in ("r", ".")]
        return sum(line == "r" for line in tls) / len(tls) if tls else None

    def close(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Sample:
    """What one client run cost and said."""

    def __init__(self, cpu_s, wall_s, exit_code, out, peak_kib, requests=0):
        self.cpu_s, self.wall_s, self.exit, self.out = cpu_s, wall_s, exit_code, out
        self.peak_kib, self.requests = peak_kib, requests

    @property
    def us_per_request(self):
        return self.cpu_s * 1e6 / self.requests if self.requests else float("nan")


def peak_rss_kib(pid):
    """VmHWM: ru_maxrss would include this script's own pages from before exec."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
            found = re.search(r"VmHWM:\s+(\d+) kB", f.read())
            return int(found.group(1)) if found else 0
    return 0


def run_client(args, limit_s, poll_s=0.02):
    """Runs args on the client's core, at most limit_s (exit is then None: it never ended). Its output is kept whole."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("http_", "https_", "HTTP_", "HTTPS_"))}
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        child = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment,
                                 preexec_fn=pin(CLIENT_CORE))
        peak, status, killed = 0, None, False
        while status is None:
            peak = max(peak, peak_rss_kib(child.pid))
            pid, code, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                status = code
            elif time.monotonic() - start > limit_s and not killed:
                killed = True
                child.kill()
            else:
                time.sleep(poll_s)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    return Sample(usage.ru_utime + usage.ru_stime, wall, None if killed else child.returncode, text, peak)


def run_counted(nginx, args, limit_s):
    """run_client() with the requests that the server counted meanwhile."""
    before = nginx.requests()
    sample = run_client(args, limit_s)
    sample.requests = nginx.requests() - before - 1
    return sample


def have(program):
    return any(os.access(os.path.join(d, program), os.X_OK) for d in os.environ.get("PATH", "").split(":") + ["/usr/sbin"])
