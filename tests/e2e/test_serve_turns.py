# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll serve --one-at-a-time: requests take turns, over all threads, connections and versions of HTTP."""
import os
import shutil
import subprocess
import threading
import time

import pytest

from lib.assets import Asset
from lib.serve_http import Server, request


@pytest.fixture
def server(plimsoll, tmp_path):
    one = Server(plimsoll, "--one-at-a-time", "--threads", "3", "--data-root", str(tmp_path))
    yield one
    assert one.stop() == 0


def at_once(*calls):
    """Their results, each from a thread of its own."""
    results = [None] * len(calls)

    def call(i):
        results[i] = calls[i]()

    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    return results


def test_one_after_the_other(server):
    began = time.monotonic()
    replies = at_once(*[lambda: server.ask("/delay/150")] * 8)
    assert [reply.status for reply in replies] == [200] * 8
    assert time.monotonic() - began >= 8 * 0.15


def test_idle_connections_hold_nothing(server):
    idle = [server.connect() for _ in range(20)]
    for c in idle:
        c.send(request("/bytes/10"))
        assert len(c.reply().body) == 10
    assert server.ask("/bytes/20").status == 200
    for c in reversed(idle):
        c.send(request("/bytes/30"))
        assert len(c.reply().body) == 30
        c.close()


def test_a_half_sent_request_holds_nothing(server):
    with server.connect() as c:
        c.send(request("/bytes/10")[:-2])
        assert server.ask("/bytes/20").status == 200
        c.send(b"\r\n")
        assert c.reply().status == 200


def test_who_leaves_gives_way(server):
    holder, waiting = server.connect(), server.connect()
    holder.send(request("/delay/60000"))
    holder.taken()
    waiting.send(request("/delay/60000"))
    waiting.taken()
    third = server.connect(timeout=20)
    third.send(request("/bytes/5"))
    third.taken()
    waiting.close()
    holder.close()
    assert len(third.reply().body) == 5
    third.close()


def test_pipelined_requests(server):
    with server.connect() as c, server.connect() as other:
        c.send(request("/bytes/1") * 50)
        other.send(request("/bytes/2") * 50)
        for _ in range(50):
            assert len(c.reply().body) == 1 and len(other.reply().body) == 2


def test_a_large_answer_is_a_turn(server):
    """Its client reads slowly: nobody else is served until all of it is sent."""
    with server.connect(timeout=30) as slow:
        slow.send(request("/bytes/100000000"))
        slow.taken()
        with server.connect(timeout=30) as other:
            other.send(request("/bytes/3"))
            other.socket.settimeout(0.5)
            with pytest.raises(TimeoutError):
                other.socket.recv(1)
            other.socket.settimeout(30)
            assert len(slow.reply().body) == 100_000_000
            assert len(other.reply().body) == 3


@pytest.mark.parametrize("how", [["--http1.0"], ["--http1.1"], ["--http2-prior-knowledge"]])
@pytest.mark.parametrize("size", [0, 1, 70_000, 12_000_000])
def test_uploads_that_wait(server, tmp_path, how, size):
    (tmp_path / "file").write_bytes(os.urandom(size))
    with server.connect() as holder:
        holder.send(request("/delay/400"))
        holder.taken()
        done = subprocess.run(["curl", "-sS", "-m", "40", *how, "-T", str(tmp_path / "file"), server.url("/blobs/x")], capture_output=True, timeout=60)
        assert done.returncode == 0 and b"error" not in done.stdout, done
        assert holder.reply().status == 200
    assert (tmp_path / "blobs" / "x").read_bytes() == (tmp_path / "file").read_bytes()


def test_uploads_of_many(server):
    assets = at_once(*[lambda i=i: Asset(server, f"f{i}", bytes([i]) * 300_000) for i in range(12)])
    for i, asset in enumerate(assets):
        assert asset.get().body == bytes([i]) * 300_000


@pytest.mark.skipif(not shutil.which("h2load"), reason="no h2load here")
def test_streams_of_one_connection(server):
    began = time.monotonic()
    done = subprocess.run(["h2load", "-n", "6", "-c", "1", "-m", "6", server.url("/delay/100")], capture_output=True, text=True, timeout=60)
    assert "status codes: 6 2xx" in done.stdout, done
    assert time.monotonic() - began >= 0.6


def test_calls_to_itself_belong_to_the_turn(server):
    replies = at_once(*[lambda: server.ask(f"/recursive/7?url={server.url('')}")] * 3, lambda: server.ask("/performance/rest"))
    assert [reply.status for reply in replies] == [200] * 4
    assert [reply.json()["fibonacci"] for reply in replies[:3]] == [13] * 3


def test_refusals_wait_for_nobody(server):
    with server.connect() as holder:
        holder.send(request("/delay/60000"))
        holder.taken()
        assert server.ask("/no/such/thing").status == 404
        with server.connect() as c:
            c.send(b"nonsense\r\n\r\n")
            assert c.reply().status == 400


def test_a_stop_lets_those_who_wait_finish(plimsoll, tmp_path):
    server = Server(plimsoll, "--one-at-a-time", "--threads", "2", "--data-root", str(tmp_path), "--grace", "20s")
    waiting = [server.connect(timeout=30) for _ in range(4)]
    for c in waiting:
        c.send(request("/delay/500"))
    for c in waiting:
        c.taken()
    assert server.stop() == 0
    for c in waiting:
        assert c.reply().status == 200
        c.close()
