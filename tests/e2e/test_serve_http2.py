# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/2 of plimsoll serve: over TLS by ALPN and in plain with prior knowledge; curl, nghttp and h2load as clients, and frames made by hand."""
import json
import re
import shutil
import struct
import subprocess
import time

import pytest

from lib.http2_frames import (CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, WINDOW_UPDATE, Peer,
                              block, frame, head)
from lib.process import wait_until
from lib.serve_http import Closed, Server, pattern


@pytest.fixture(scope="module")
def server(plimsoll, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    (root / "big.bin").write_bytes(bytes(range(256)) * 8192)
    one = Server(plimsoll, "--threads", "1", "--root", str(root), "--data-root", str(tmp_path_factory.mktemp("data")), "--max-body", "10MB",
                 "--max-head", "16KiB", "--idle-timeout", "1s", "--body-timeout", "1s", tls=True)
    one.root = root
    yield one
    assert one.stop() == 0


WAYS = {"plain": ("--http2-prior-knowledge",), "tls": ("-k", "--http2")}


def curl(server, way, path, *options):
    """(status, headers by name, body)"""
    done = subprocess.run(["curl", "-sS", "-m", "20", "-D", "/dev/stderr", *WAYS[way], *options, server.url(path, way == "tls")], capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr
    head = done.stderr.decode().strip().split("\r\n\r\n")[-1].splitlines()
    assert head[0].startswith("HTTP/2 "), head
    return int(head[0].split()[1]), {line.split(":", 1)[0]: line.split(":", 1)[1].strip() for line in head[1:]}, done.stdout


@pytest.mark.parametrize("way", WAYS)
def test_every_kind_of_answer(server, way):
    for size in [0, 1, 1024, 8192, 8193, 16384, 65536, 3_000_000]:
        for path in [f"/bytes/{size}", f"/{size}.html", f"/chunked/{size}"]:
            status, headers, body = curl(server, way, path)
            assert status == 200 and body == pattern(size) if "chunked" not in path else len(body) == size
            assert headers["server"].startswith("plimsoll/") and headers["date"].endswith("GMT") and "connection" not in headers and "transfer-encoding" not in headers
    assert curl(server, way, "/big.bin")[2] == (server.root / "big.bin").read_bytes()
    status, headers, body = curl(server, way, "/big.bin", "-r", "5-9")
    assert status == 206 and body == bytes(range(5, 10)) and headers["content-range"] == "bytes 5-9/2097152"
    status, headers, body = curl(server, way, "/big.bin", "-I")
    assert status == 200 and headers["content-length"] == "2097152" and len(body) < 1000  # curl shows the head twice
    assert curl(server, way, "/status/204")[0] == 204 and curl(server, way, "/status/418")[0] == 418
    assert json.loads(curl(server, way, "/nothing")[2])["status"] == 404
    status, headers, _ = curl(server, way, "/healthz", "-X", "DELETE")
    assert status == 405 and headers["allow"] == "GET, HEAD, OPTIONS"
    assert curl(server, way, "/delay/50")[2] == b'{"delayMs":50}\n'
    assert curl(server, way, "/drip?bytes=4&ms=20")[2] == b"xxxx"
    answer = json.loads(curl(server, way, "/headers?a=b", "-H", "X-Thing: 1")[2])
    assert answer["httpVersion"] == "2.0" and answer["path"] == "/headers" and answer["query"] == "a=b" and ["x-thing", "1"] in answer["headers"]
    assert answer["host"].endswith(str(server.tls_port if way == "tls" else server.port)) and answer["scheme"] == ("https" if way == "tls" else "http")
    assert json.loads(curl(server, way, "/recursive/9")[2])["calls"] == 67
    assert json.loads(curl(server, way, "/prime/1000")[2])["prime"] == 1009
    assert json.loads(curl(server, way, "/performance/echo", "-d", '{"a":1}')[2])["echo"] == {"a": 1}


@pytest.mark.parametrize("way", WAYS)
def test_uploads(server, way, tmp_path):
    (tmp_path / "up").write_bytes(bytes(range(256)) * 20_000)
    assert curl(server, way, "/blobs/" + way, "-T", str(tmp_path / "up"))[0] == 201
    assert curl(server, way, "/blobs/" + way)[2] == (tmp_path / "up").read_bytes()
    (tmp_path / "up").write_bytes(b"x" * 11_000_000)
    assert curl(server, way, "/bytes/1", "-T", str(tmp_path / "up"))[0] == 413
    assert curl(server, way, "/bytes/1", "-T", str(tmp_path / "up"), "-H", "Content-Length:")[0] == 413


def test_many_streams_at_once(server):
    if not shutil.which("h2load"):
        pytest.skip("no h2load here")
    for url in [server.url("/1024.html"), server.url("/1024.html", tls=True), server.url("/delay/5"), server.url("/chunked/100000")]:
        done = subprocess.run(["h2load", "-n", "2000", "-c", "10", "-m", "50", url], capture_output=True, text=True, timeout=60)
        assert re.search(r"requests: 2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored, 0 timeout", done.stdout), done.stdout
        assert "2000 2xx" in done.stdout


def test_http1_on_the_same_ports(server):
    assert server.ask("/bytes/3").body == server.ask("/bytes/3", tls=True).body == b"012"


# ---- Frames by hand ----

def test_by_hand(server):
    with Peer(server) as peer:
        for stream in [1, 3, 5]:
            peer.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, head()))
            assert peer.answered(stream)
        peer.send(frame(HEADERS, END_HEADERS, 7, head("/bytes/3", "POST")), frame(DATA, 0, 7, b"abc"), frame(DATA, END_STREAM, 7, b"def"))
        assert peer.answered(7)
        peer.send(frame(HEADERS, END_HEADERS, 9, head("/bytes/3", "POST")), frame(HEADERS, END_HEADERS | END_STREAM, 9, block(("x-trailer", "1"))))
        assert peer.answered(9)
        half = head()
        peer.send(frame(HEADERS, END_STREAM, 11, half[:7]), frame(CONTINUATION, END_HEADERS, 11, half[7:]))
        assert peer.answered(11)
        peer.send(frame(PING, 0, 0, b"12345678"))
        assert peer.next(PING)[1:] == (1, 0, b"12345678")


def test_byte_by_byte(server):
    with server.connect() as c:
        for byte in PREFACE + frame(SETTINGS) + frame(HEADERS, END_HEADERS | END_STREAM, 1, head()):
            c.send(bytes([byte]))
        peer = object.__new__(Peer)
        peer.c = c
        assert peer.answered(1)


@pytest.mark.parametrize("payload", [
    head("/bytes/3", "GET", "a", ("Upper", "x")), head("/bytes/3", "GET", "a", ("connection", "close")), head("/bytes/3", "GET", "a", ("transfer-encoding", "chunked")),
    block((":method", "GET"), (":path", "/")), head("/bytes/3", "GET", "a", (":path", "/x")), head("/bytes/3", "GET", "a", ("x", "a\r\nb: c")),
    head("/bytes/3", "GET", "a", ("content-length", "5")), head("/bytes/3", "GET", "a", ("x", "\0")), b"\xff\xff\xff\xff\xff\xff", head("bytes")],
    ids=["upper case", "connection", "coding", "no scheme", "two paths", "line break", "wrong length", "NUL", "no HPACK", "no slash"])
def test_heads_that_break_the_protocol(server, payload):
    with Peer(server) as peer:
        peer.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, payload))
        assert not peer.answered(1)
    assert server.ask("/healthz").status == 200


@pytest.mark.parametrize("payload,status", [
    (head("/bytes/3", "GET", "a/b"), 400), (head("/bytes/3", "GET", "u@a"), 400), (head("/a#b"), 400), (head("/\xe4"), 400), (head("/bytes/3", "BREW"), 501),
    (head("/bytes/3", "GET", "a", ("host", "b")), 400), (head("/bytes/3", "GET", "a", *[(f"x{n}", "y") for n in range(200)]), 431), (head("/" + "x" * 60_000), 431)],
    ids=["authority", "user", "fragment", "no ASCII", "method", "two hosts", "many fields", "long"])
def test_heads_that_are_refused(server, payload, status):
    """Refused by themselves: other streams go on."""
    with Peer(server) as peer:
        pieces = [payload[i:i + 16000] for i in range(0, len(payload), 16000)]
        peer.send(*[frame(HEADERS if i == 0 else CONTINUATION, (END_STREAM if i == 0 else 0) | (END_HEADERS if i == len(pieces) - 1 else 0), 1, piece)
                    for i, piece in enumerate(pieces)])
        kind, flags, stream, payload = peer.next(HEADERS, RST_STREAM, GOAWAY)
        if kind == HEADERS:
            assert str(status).encode() in peer.next(DATA)[3]
            peer.send(frame(HEADERS, END_HEADERS | END_STREAM, 3, head()))
            assert peer.answered(3)
        else:
            assert status == 400  # nghttp2 refused it before us
    assert server.ask("/healthz").status == 200


def cut_off(server):
    return float(re.search(r"cut_off_total (\S+)", server.ask("/metrics").body.decode().split("TYPE plimsoll_serve_cut_off_total")[1])[1])


def test_a_reset_ends_the_handler(server):
    before = cut_off(server)
    with Peer(server) as peer:
        for stream in range(1, 41, 2):
            peer.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, head(["/delay/60000", "/prime/9007199254740881", "/drip?ms=1000", "/bytes/100000000"][stream % 4 - 1])))
            peer.send(frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))
        peer.send(frame(HEADERS, END_HEADERS | END_STREAM, 99, head()))
        assert peer.answered(99)
    wait_until(lambda: cut_off(server) == before + 20, "each is counted as cut off")


def test_a_connection_that_ends(server):
    for _ in range(10):
        with Peer(server) as peer:
            for stream in range(1, 21, 2):
                peer.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, head("/delay/60000")))
            time.sleep(0.01)
    assert server.ask("/healthz").status == 200


def test_an_answer_waits_for_the_window(server):
    with Peer(server) as peer:
        peer.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, head("/bytes/100000")))
        got = 0
        while got < 65535:
            got += len(peer.next(DATA)[3])
        assert got == 65535
        peer.send(frame(HEADERS, END_HEADERS | END_STREAM, 3, head("/status/204")))  # needs no window
        assert peer.answered(3)
        peer.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 100000)), frame(WINDOW_UPDATE, 0, 1, struct.pack(">I", 100000)))
        while got < 100_000:
            got += len(peer.next(DATA)[3])
        assert got == 100_000


def test_time_outs(server):
    for frames in [[], [frame(HEADERS, END_HEADERS, 1, head("/bytes/3", "POST"))]]:
        with Peer(server) as peer:
            peer.send(*frames)
            begin = time.monotonic()
            peer.c.rest()
            assert 0.8 < time.monotonic() - begin < 3


def test_trickles_are_cut_off(plimsoll):
    """Frames that ask for nothing, a head or a body byte by byte, a window that never opens: none of them keeps a connection for ever."""
    server = Server(plimsoll, "--threads", "1", "--idle-timeout", "600ms", "--body-timeout", "600ms", "--send-timeout", "600ms", "--min-rate", "2000B")
    ping = [frame(PING, 0, 0, b"12345678")] * 1000
    slow_head = [bytes([byte]) for byte in frame(HEADERS, END_HEADERS | END_STREAM, 1, head())][:-1]
    ways = {
        "pings": ping, "a head": slow_head,
        "a body": [frame(HEADERS, END_HEADERS, 1, head("/bytes/3", "POST"))] + [frame(DATA, 0, 1, b"x")] * 1000,
        "pings beside a body": [frame(HEADERS, END_HEADERS, 1, head("/bytes/3", "POST"))] + ping,
        "no window": [frame(HEADERS, END_HEADERS | END_STREAM, 1, head("/bytes/1000000"))] + ping,
    }
    for name, pieces in ways.items():
        with Peer(server) as peer:
            begin = time.monotonic()
            peer.c.socket.settimeout(0.1)
            for piece in pieces:
                try:
                    peer.send(piece)
                    while peer.c.socket.recv(1 << 16):
                        pass
                    break
                except TimeoutError:
                    assert time.monotonic() - begin < 10, name
                except ConnectionError:
                    break
            assert 0.4 < time.monotonic() - begin < 8, name
    assert server.stop() == 0


def test_a_trickled_body_is_not_saved_by_its_neighbours(plimsoll):
    """An upload that meets the rate, and requests that are answered, on the same connection: they go on, and it gets 408."""
    server = Server(plimsoll, "--threads", "1", "--body-timeout", "2s", "--min-rate", "2000B")
    with Peer(server) as peer:
        peer.send(frame(HEADERS, END_HEADERS, 1, head("/bytes/3", "POST")), frame(HEADERS, END_HEADERS, 3, head("/bytes/3", "POST")))
        begin, other, said = time.monotonic(), 3, b""
        while b"408" not in said and time.monotonic() - begin < 20:
            other += 2
            peer.send(frame(DATA, 0, 1, b"x"), frame(DATA, 0, 3, b"x" * 9000), frame(HEADERS, END_HEADERS | END_STREAM, other, head("/bytes/3")))
            number, flags = 0, 0
            while (number, flags & END_STREAM) != (other, END_STREAM):
                kind, flags, number, payload = peer.next(HEADERS, DATA, RST_STREAM, GOAWAY)
                assert kind in (HEADERS, DATA) or ((kind, number) == (RST_STREAM, 1) and said), kind
                said += payload if (kind, number) == (DATA, 1) else b""
            time.sleep(0.02)
        assert b"did not arrive in time" in said and time.monotonic() - begin > 1.5
        peer.send(frame(DATA, END_STREAM, 3, b"x"))
        assert peer.answered(3)
    assert server.stop() == 0


def test_garbage_behind_the_preface(server):
    with server.connect() as c:
        c.send(PREFACE + b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 10)
        try:
            assert b"HTTP/1.1" not in c.rest()
        except (Closed, ConnectionResetError):
            pass


def test_graceful_end(plimsoll):
    server = Server(plimsoll, "--threads", "1")
    with Peer(server) as peer, Peer(server) as idle:
        peer.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, head("/delay/500")))
        idle.next(SETTINGS)
        peer.c.taken()
        server.signal(15)
        assert idle.next(GOAWAY) and idle.c.rest() == b""
        assert peer.next(GOAWAY)
        assert peer.answered(1)
        peer.c.rest()
    assert server.finish(10).exit == 0


def test_writing_needs_the_token_here_too(plimsoll, tmp_path):
    server = Server(plimsoll, "--public", "--token", "right", "--data-root", str(tmp_path))
    (tmp_path / "up").write_bytes(b"x" * 100_000)
    assert curl(server, "plain", "/blobs/a", "-T", str(tmp_path / "up"))[0] == 401
    assert curl(server, "plain", "/blobs/a", "-T", str(tmp_path / "up"), "-H", "Authorization: Bearer right")[0] == 201
    assert server.stop() == 0
