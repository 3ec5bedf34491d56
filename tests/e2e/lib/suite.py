# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of suites share: a server that counts what it was asked, and a runner with a store of its own."""
import collections
import http.server
import json
import os
import subprocess
import threading
import time


class Counter(http.server.ThreadingHTTPServer):
    """Counts requests by path, keeps their order, and answers a little JSON."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        self.seen = collections.Counter()
        self.order = []
        self.lock = threading.Lock()
        self.let_go = threading.Event()    # of those who asked for /silent
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def note(self, path):
        with self.lock:
            self.seen[path] += 1
            if not self.order or self.order[-1] != path:
                self.order.append(path)
            return self.seen[path]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: each reply would wait 40 ms for an acknowledgement

    def do_GET(self):
        count = self.server.note(self.path)
        if self.path == "/slow":
            time.sleep(0.03)
        if self.path == "/silent":
            self.server.let_go.wait(90)
            self.close_connection = True
            return
        body = json.dumps({"count": count, "inner": {"seconds": 1.0 / count}, "word": "x"}).encode()
        self.send_response(404 if self.path.startswith("/missing") else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class SuiteRunner:
    """run(text, *options): the suite's exit code, texts and JSON; its store is the test's own."""

    def __init__(self, plimsoll, folder):
        self.plimsoll, self.folder = plimsoll, folder
        self.env = dict(os.environ, PLIMSOLL_DB=str(folder / "results.db"))
        self.file, self.work = folder / "suite.yaml", folder / "work"

    def command(self, text, *options):
        self.file.write_text(text)
        return [self.plimsoll, "run", str(self.file), "--json", str(self.folder / "run.json"), "--work-dir", str(self.work), *options]

    def __call__(self, text, *options, timeout=90):
        path = self.folder / "run.json"
        path.unlink(missing_ok=True)
        done = subprocess.run(self.command(text, *options), env=self.env, capture_output=True, text=True, timeout=timeout)
        done.document = json.loads(path.read_text()) if path.exists() else None
        return done

    def documents(self):
        """Every document that the store has."""
        listed = subprocess.run([self.plimsoll, "results", "list", "--json"], env=self.env, capture_output=True, text=True, check=True)
        found = []
        for one in json.loads(listed.stdout):
            shown = subprocess.run([self.plimsoll, "results", "export", one["id"]], env=self.env, capture_output=True, text=True, check=True)
            decoder, at = json.JSONDecoder(), 0
            text = shown.stdout.strip()
            while at < len(text):
                value, at = decoder.raw_decode(text, at)
                found.extend(value if isinstance(value, list) else [value])
                while at < len(text) and text[at].isspace():
                    at += 1
        return found


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0] != "Z"
