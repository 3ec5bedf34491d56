# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks for tests of shares: a server whose clock is right, and processes whose clock is off."""
import http.server
import os
import subprocess
import threading


class _Dated(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.send_response(200)  # and the Date
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


class Clock:
    """where: HOST:PORT to ask for the time."""

    def __init__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Dated)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.where = f"127.0.0.1:{self._server.server_port}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def build_off_clock(folder):
    """A library to preload: the wall clock of the process is off by OFF_CLOCK_S."""
    library = os.path.join(str(folder), "off_clock.so")
    source = os.path.join(os.path.dirname(__file__), "off_clock.c")
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-fPIC", "-shared", "-o", library, source], check=True, timeout=120)
    return library
