# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/2 servers that break the protocol, or just never let anything begin: each run ends, and what was wrong has a name."""
import socket
import struct
import threading

import pytest


def frame(kind, flags, stream, payload=b"", length=None):
    return struct.pack(">I", len(payload) if length is None else length)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


SETTINGS = frame(4, 0, 0)
# name: (sent at once, sent after the first bytes of the client, the kind, a word of the detail)
HOSTILE = {
    "no-streams-allowed": (frame(4, 0, 0, struct.pack(">HI", 3, 0)), b"", {"timeout"}, ""),
    "bad-hpack": (SETTINGS, frame(1, 4, 1, b"\xff" * 6), {"bad_message"}, "COMPRESSION"),
    "unknown-stream": (SETTINGS, frame(0, 0, 99, b"x"), {"bad_message"}, "PROTOCOL"),
    "oversized-frame": (SETTINGS, frame(0, 0, 1, b"x" * 1000, 0xFFFFFF), {"bad_message"}, "FRAME_SIZE"),
    "window-overflow": (SETTINGS + 2 * frame(8, 0, 0, struct.pack(">I", 0x7FFFFFFF)), b"", {"bad_message"}, "low control"),
    "push-promise": (SETTINGS, frame(5, 4, 1, struct.pack(">I", 2) + b"\x88"), {"bad_message", "timeout"}, ""),
    "refused": (SETTINGS, frame(3, 0, 1, struct.pack(">I", 7)), {"reset", "timeout"}, ""),
    "goaway-at-once": (SETTINGS + frame(7, 0, 0, struct.pack(">II", 0, 0)), b"", {"reset"}, "GOAWAY"),
    "reply-without-status": (SETTINGS, frame(1, 5, 1, b"\x0f\x0d\x01\x30"), {"bad_message", "timeout"}, ""),
    "silence": (b"", b"", {"timeout"}, ""),
    "garbage": (b"\x00" * 3000, b"", {"bad_message"}, ""),
}


class Server:
    def __init__(self, first, then):
        self.first, self.then = first, then
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.play, args=(connection,), daemon=True).start()

    def play(self, connection):
        try:
            with connection:
                connection.settimeout(20)
                connection.sendall(self.first)
                if connection.recv(65536) and self.then:
                    connection.sendall(self.then)
                while connection.recv(65536):
                    pass
        except OSError:
            pass


@pytest.mark.parametrize("name", HOSTILE)
def test_every_run_ends_and_the_fault_is_named(load, name):
    first, then, kinds, word = HOSTILE[name]
    server = Server(first, then)
    try:
        run = load("--h2c", "-c", "2", "--streams", "3", "-n", "20", "--timeout", "400ms", f"http://127.0.0.1:{server.port}/", timeout_s=30)
    finally:
        server.listener.close()
    assert run.exit == 3 and run.totals["failed"] == 20 and run.totals["ok"] == 0
    assert set(run.kinds()) <= kinds, run.doc["errors"]
    assert word in " ".join(e["detail"] for e in run.doc["errors"])


def test_think_time_over_renewed_connections(load, nginx_that_renews):
    """Every slot holds one request at a time, also when its connection is renewed while it thinks."""
    run = load("--h2c", "--streams", "8", "--think", "1ms..5ms", "--ramp-up", "500ms", "-c", "4", "-d", "1s", nginx_that_renews.url())
    assert run.exit == 0 and run.totals["connections_opened"] > 8
    assert run.totals["in_flight_mean"] <= 32


@pytest.fixture
def nginx_that_renews(tmp_path, authority):
    from test_http2 import Nginx2

    server = Nginx2(tmp_path, authority, 50)
    yield server
    server.stop()
