# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll serve as an HTTP/1 server: framing, connections, limits, time-outs, the end."""
import contextlib
import os
import resource
import socket
import subprocess
import threading
import time

import pytest

from lib.process import wait_until
from lib.serve_http import Server, pattern, request


@pytest.fixture(scope="module")
def server(plimsoll):
    one = Server(plimsoll, "--threads", "1", "--head-timeout", "1s", "--body-timeout", "1s", "--idle-timeout", "1s", "--max-head", "8KiB",
                 "--max-body", "1MiB", tls=True)
    yield one
    assert one.stop() == 0


def curl(server, path, *options, tls=False):
    done = subprocess.run(["curl", "-sS", "-k", "-m", "20", *options, server.url(path, tls)], capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- Shapes ----

@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("size", [0, 1, 29, 1024, 8192, 65535, 65536, 300_000, 10_000_000])
def test_bodies_have_their_size(server, size, tls):
    assert curl(server, f"/bytes/{size}", tls=tls) == pattern(size)
    assert curl(server, f"/{size}.html", tls=tls) == pattern(size)
    assert curl(server, f"/chunked/{size}", tls=tls) == pattern(size)
    assert curl(server, f"/chunked/{size}", "--http1.0", tls=tls) == pattern(size)


@pytest.mark.parametrize("chunk", [1, 15, 16, 255, 256, 4095, 4096, 32768])
def test_chunks_have_their_size(server, chunk):
    with server.connect() as c:
        c.send(request(f"/chunked/{chunk * 3 + 1}?chunk={chunk}", headers=["Connection: close"]))
        raw = c.rest().split(b"\r\n\r\n", 1)[1]
    want = b"".join(b"%x\r\n" % n + pattern(chunk)[:n] + b"\r\n" for n in [chunk, chunk, chunk, 1])
    assert raw == want + b"0\r\n\r\n"


@pytest.mark.parametrize("path", ["/", "/1024.html", "/bytes/5", "/chunked/5", "/status/200", "/status/404", "/delay/1", "/healthz", "/nothing"])
def test_head_is_get_without_content(server, path):
    with server.connect() as c:
        c.send(request(path, "HEAD") + request(path))
        head, get = c.reply(head=True), c.reply()
    assert head.status == get.status
    assert [h for h in head.headers if h[0] != "Date"] == [h for h in get.headers if h[0] != "Date"]


def test_statuses(server):
    with server.connect() as c:
        for status in [200, 201, 204, 205, 206, 299, 301, 304, 400, 401, 404, 418, 429, 500, 503, 599]:
            c.send(request(f"/status/{status}"))
            reply = c.reply()
            assert reply.status == status
            if status in (204, 304):
                assert reply["Content-Length"] is None
            else:
                assert len(reply.body) == int(reply["Content-Length"])
        for wrong in ["0", "99", "100", "199", "600", "1000", "x", "-1", "2e2", "", "%32%30%30", "99999999999999999999"]:
            c.send(request(f"/status/{wrong}"))
            reply = c.reply()
            assert reply.status == (404 if wrong == "" else 400) and reply.json()["error"] and reply.json()["status"] == reply.status, wrong


def test_delays(server):
    begin = time.monotonic()
    assert server.ask("/delay/300").json() == {"delayMs": 300}
    assert 0.3 <= time.monotonic() - begin < 5
    assert server.ask("/delay/3600001").status == 400


def test_wrong_paths_and_methods(server):
    assert server.ask("/nothing").json()["status"] == 404
    reply = server.ask("/healthz", "DELETE")
    assert reply.status == 405 and reply["Allow"] == "GET, HEAD, OPTIONS" and "GET" in reply.json()["error"]
    reply = server.ask("/healthz", "OPTIONS")
    assert reply.status == 204 and reply["Allow"] == "GET, HEAD, OPTIONS" and reply["Content-Length"] is None
    assert server.ask("*", "OPTIONS").status == 204
    assert server.ask('/"quoted"\\').json()["status"] == 404  # JSON stays JSON whatever the path
    assert server.ask("/bytes/17179869185").status == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_shapes_take_bodies(server, method):
    with server.connect() as c:
        for body in [b"x", b"x" * 100_000, b"x" * 1_000_000]:
            c.send(request("/bytes/3", method, body))
            assert c.reply().body == b"012"
        c.send(request("/bytes/3", method, headers=["Transfer-Encoding: chunked"]) + b"5\r\nhello\r\n0\r\n\r\n" + request("/bytes/2"))
        assert c.reply().body == b"012"
        assert c.reply().body == b"01"


# ---- Connections ----

def test_keep_alive(server):
    with server.connect() as c:
        for _ in range(5):
            c.send(request("/bytes/1"))
            assert c.reply()["Connection"] is None
        c.send(request("/bytes/1", version="1.0", headers=["Connection: keep-alive"]))
        assert c.reply()["Connection"] == "keep-alive"
        c.send(request("/bytes/1", headers=["Connection: close"]))
        assert c.reply()["Connection"] == "close" and c.closes()
    with server.connect() as c:
        c.send(request("/bytes/1", version="1.0"))
        assert c.reply()["Connection"] == "close" and c.closes()


@pytest.mark.parametrize("tls", [False, True])
def test_pipelining(server, tls):
    paths = [f"/bytes/{n}" for n in range(500)] + ["/chunked/10000", "/delay/20", "/status/204", "/bytes/200000", "/healthz"]
    with server.connect(tls) as c:
        c.send(b"".join(request(p) for p in paths))
        for p in paths:
            reply = c.reply()
            assert reply.status == (204 if p == "/status/204" else 200)
            if p.startswith("/bytes"):
                assert reply.body == pattern(int(p[7:]))


def test_pipelined_requests_and_their_end(server):
    """A client that sends its requests and shuts its side down still gets every answer."""
    with server.connect() as c:
        c.send(request("/bytes/300000") + request("/bytes/3"))
        c.end()
        assert len(c.reply().body) == 300_000 and c.reply().body == b"012" and c.closes()


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return sum(int(t) for t in stat.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("path", ["/delay/400", "/drip?bytes=5&ms=100"])
def test_waiting_costs_nothing(server, path):
    """Whatever the client sends while its answer is not ready waits, and the server sleeps."""
    before = cpu_s(server.pid)
    with server.connect() as c:
        c.send(request(path))
        time.sleep(0.05)
        c.send(request("/bytes/3"))
        assert c.reply().status == 200 and c.reply().body == b"012"
    with server.connect() as c:
        c.send(request(path))
        time.sleep(0.05)
        c.end()
        assert b"delayMs" not in c.rest()
    assert cpu_s(server.pid) - before < 0.15


def test_requests_cut_at_every_byte(server):
    whole = request("/bytes/3", "POST", headers=["Transfer-Encoding: chunked"]) + b"5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n" + request("/bytes/2")
    with server.connect() as c:
        for cut in range(1, len(whole)):
            c.send(whole[:cut])
            time.sleep(0.0005)
            c.send(whole[cut:])
            assert c.reply().body == b"012" and c.reply().body == b"01"
        for i in range(len(whole)):
            c.send(whole[i:i + 1])
        assert c.reply().body == b"012" and c.reply().body == b"01"


def test_a_client_that_does_not_read(plimsoll):
    """Its replies wait in the kernel and here, bounded; nobody else waits."""
    server = Server(plimsoll, "--threads", "1")
    with server.connect() as slow:
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.send(request("/bytes/4000000000"))
        time.sleep(0.3)
        with server.connect() as c:
            begin = time.monotonic()
            for _ in range(50):
                c.send(request("/bytes/100"))
                assert len(c.reply().body) == 100
            assert time.monotonic() - begin < 8
        assert server.rss() < 32 << 20
    assert server.stop() == 0


def test_big_bodies_in_constant_memory(plimsoll, full):
    server = Server(plimsoll, "--threads", "1")
    size = (16 << 30) if full else (1 << 30)
    for path in [f"/bytes/{size}", f"/chunked/{size}"]:
        done = subprocess.run(["curl", "-sS", "-m", "300", "-o", "/dev/null", "-w", "%{size_download}", server.url(path)], capture_output=True, timeout=310)
        assert int(done.stdout) == size
    assert server.peak() < 32 << 20
    assert server.stop() == 0


# ---- Expect ----

def test_expect_100_continue(server):
    with server.connect() as c:
        c.send(request("/bytes/3", "PUT", headers=["Expect: 100-continue", "Content-Length: 5"]))
        assert c.reply().status == 100
        c.send(b"hello")
        assert c.reply().body == b"012"
        c.send(request("/nothing", "PUT", headers=["Expect: 100-continue", "Content-Length: 5"]))
        reply = c.reply()
        assert reply.status == 404 and reply["Connection"] == "close" and c.closes()
    with server.connect() as c:
        c.send(request("/bytes/3", "PUT", headers=["Expect: 100-continue", f"Content-Length: {2 << 20}"]))
        assert c.reply().status == 413 and c.closes()
    with server.connect() as c:  # the body came at once: nothing to continue
        c.send(request("/bytes/3", "PUT", b"hello", headers=["Expect: 100-continue"]))
        assert c.reply().status == 200


# ---- Limits ----

def test_limits(server):
    with server.connect() as c:
        c.send(request("/bytes/1", headers=["X: " + "x" * 9000]))
        reply = c.reply()
        assert reply.status == 431 and reply.json()["error"] and c.closes()
    with server.connect() as c:
        c.send(request("/" + "x" * 9000))
        assert c.reply().status == 414 and c.closes()
    with server.connect() as c:
        c.send(request("/bytes/1", headers=[f"X{n}: y" for n in range(200)]))
        assert c.reply().status == 431 and c.closes()
    with server.connect() as c:
        c.send(request("/bytes/1", "POST", b"x" * (2 << 20)))
        assert c.reply().status == 413
    with server.connect() as c:
        c.send(request("/bytes/1", "POST", headers=["Transfer-Encoding: chunked"]) + (b"4000\r\n" + b"x" * 0x4000 + b"\r\n") * 65)
        assert c.reply().status == 413 and c.closes()


def test_a_megabyte_of_head_is_answered_and_not_reset(server):
    with server.connect() as c:
        try:
            c.send(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n")
        except ConnectionError:
            pass
        assert c.reply().status == 431


# ---- Time-outs ----

def test_slow_heads_bodies_and_idle_ones(server):
    def slow_head(c):
        c.send(b"GET / HTTP/1.1\r\nHost: a\r\n")
        reply = c.reply()
        assert reply.status == 408 and reply["Connection"] == "close" and c.closes()

    def trickle(c):
        c.socket.settimeout(0.1)
        begin = time.monotonic()
        c.send(b"GET / HTTP/1.1\r\n")
        while time.monotonic() - begin < 5:
            try:
                c.send(b"X: y\r\n")
                assert b"408" in c.socket.recv(100)
                break
            except TimeoutError:
                continue
        assert time.monotonic() - begin < 2.5

    def slow_body(c):
        c.send(request("/bytes/1", "POST", headers=["Content-Length: 10"]) + b"12345")
        assert c.reply().status == 408 and c.closes()

    def silent(c):
        assert c.closes()

    def idle(c):
        c.send(request("/bytes/1"))
        assert c.reply().status == 200 and c.closes()

    for talk in [slow_head, trickle, slow_body, silent, idle]:
        with server.connect() as c:
            begin = time.monotonic()
            talk(c)
            assert 0.9 < time.monotonic() - begin < 3, talk.__name__


@pytest.mark.parametrize("chunked", [False, True])
def test_a_trickled_body_is_cut_off(plimsoll, chunked):
    server = Server(plimsoll, "--threads", "1", "--body-timeout", "500ms", "--min-rate", "2000B")
    with server.connect() as c:  # a byte before the end of each time-out
        c.send(request("/bytes/1", "POST", headers=["Transfer-Encoding: chunked" if chunked else "Content-Length: 1000000"]))
        c.socket.settimeout(0.1)
        begin = time.monotonic()
        said = b""
        while not said and time.monotonic() - begin < 10:
            with contextlib.suppress(TimeoutError):
                c.send(b"1\r\nx\r\n" if chunked else b"x")
                said = c.socket.recv(1000)
        assert b" 408 " in said and 0.4 < time.monotonic() - begin < 9
    assert server.stop() == 0
    server = Server(plimsoll, "--threads", "1", "--body-timeout", "2s", "--min-rate", "2000B")
    with server.connect() as c:  # slow, but fast enough: as long as it takes
        c.send(request("/bytes/1", "POST", headers=["Content-Length: 20000"]))
        for _ in range(25):
            c.send(b"x" * 800)
            time.sleep(0.1)
        assert c.reply().status == 200
    assert server.stop() == 0
    server = Server(plimsoll, "--threads", "1", "--body-timeout", "2s", "--min-rate", "0B")
    with server.connect() as c:
        c.send(request("/bytes/1", "POST", headers=["Content-Length: 10"]))
        for _ in range(10):
            c.send(b"x")
            time.sleep(0.3)
        assert c.reply().status == 200, "any byte is progress"
    assert server.stop() == 0


def test_a_tls_handshake_that_never_comes(server):
    with socket.create_connection(("127.0.0.1", server.tls_port), timeout=5) as s:
        begin = time.monotonic()
        assert s.recv(10) == b"" and 0.9 < time.monotonic() - begin < 3


def test_plain_text_on_the_tls_port_and_back(server):
    with socket.create_connection(("127.0.0.1", server.tls_port), timeout=5) as s:
        s.sendall(request())
        s.settimeout(3)
        try:
            while s.recv(100):
                pass
        except ConnectionResetError:
            pass
    with server.connect() as c:
        c.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n")
        assert c.reply().status == 400 and c.closes()
    assert server.ask("/healthz").status == 200


# ---- The end ----

def test_graceful_end(plimsoll):
    server = Server(plimsoll, "--threads", "2")
    with server.connect() as idle, server.connect() as busy, server.connect() as big:
        idle.send(request("/bytes/1"))
        idle.reply()
        busy.send(request("/delay/2500"))
        big.send(request("/bytes/50000000"))
        busy.taken()
        big.taken()
        begin = time.monotonic()
        server.signal(15)
        assert idle.closes() and time.monotonic() - begin < 2
        with pytest.raises(OSError):
            wait_until(lambda: server.connect().close(), "nobody listens any more", limit_s=1)
        reply = busy.reply()
        assert reply.json() == {"delayMs": 2500} and reply["Connection"] == "close" and busy.closes()
        assert len(big.reply().body) == 50_000_000 and big.closes()
    assert server.finish(10).exit == 0


def test_end_of_the_grace(plimsoll):
    server = Server(plimsoll, "--grace", "300ms")
    with server.connect() as c:
        c.send(request("/delay/60000"))
        c.taken()
        begin = time.monotonic()
        server.signal(15)
        assert c.closes() and 0.25 < time.monotonic() - begin < 8
    assert server.finish(10).exit == 3


def test_the_second_signal_drops(plimsoll):
    server = Server(plimsoll)
    with server.connect() as c:
        c.send(request("/delay/60000"))
        c.taken()
        server.signal(15)
        time.sleep(0.3)
        server.signal(15)
        assert c.closes()
    server.finish(5)


# ---- Many ----

def test_idle_connections_cost_little(plimsoll, full):
    """10 000 kept connections stay under 100 MiB, and the server still answers."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = min(10_000 if full else 4_000, limit - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    server = Server(plimsoll, "--threads", "2")
    connections = []
    try:
        for _ in range(count):
            connections.append(server.connect())
            connections[-1].send(request("/bytes/1000"))
            connections[-1].reply()
        assert server.ask("/healthz").status == 200
        assert server.rss() < 100 << 20
        assert server.rss() < (16 << 20) + count * 2048
    finally:
        for c in connections:
            c.close()
    assert server.stop() == 0


def test_slowloris_does_not_hurt_others(plimsoll, full):
    count = 5_000 if full else 1_000
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    server = Server(plimsoll, "--threads", "1")
    slow = [server.connect() for _ in range(count)]
    ended = threading.Event()

    def drip():
        while not ended.is_set():
            for c in slow:
                try:
                    c.send(b"GET / HTTP/1.1\r\nX: y\r\n" if not c._held else b"X: y\r\n")
                    c._held = bytearray(b"begun")
                except OSError:
                    pass
            ended.wait(0.5)

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        times = []
        with server.connect() as c:
            for _ in range(300):
                begin = time.monotonic()
                c.send(request("/1024.html"))
                c.reply()
                times.append(time.monotonic() - begin)
        assert sorted(times)[int(len(times) * 0.99) - 1] < 2
    finally:
        ended.set()
        thread.join()
        for c in slow:
            c.close()
    assert server.stop() == 0


def test_max_connections_wait_their_turn(plimsoll):
    server = Server(plimsoll, "--threads", "1", "--max-connections", "2")
    with server.connect() as a, server.connect() as b, server.connect() as c:
        for one in [a, b]:
            one.send(request("/bytes/1"))
            one.reply()
        c.send(request("/bytes/1"))
        c.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            c.reply()
        a.close()
        c.socket.settimeout(5)
        assert c.reply().status == 200
    assert server.stop() == 0


def test_running_out_of_descriptors_is_survived(plimsoll):
    wrapper = subprocess.Popen(["/bin/sh", "-c", f'ulimit -n 40; exec "{plimsoll}" serve --threads 1 --listen 127.0.0.1:0'],
                               stdout=subprocess.PIPE, text=True)
    try:
        port = int(wrapper.stdout.readline().rsplit(":", 1)[1])
        held = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(60)]
        time.sleep(0.3)
        ticks = lambda: sum(int(x) for x in open(f"/proc/{wrapper.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")
        before = ticks()
        time.sleep(0.5)
        assert ticks() - before < 0.2, "it spins"
        for s in held:
            s.close()
        with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
            s.sendall(request("/healthz"))
            assert b"200 OK" in s.recv(1000)
    finally:
        wrapper.terminate()
        wrapper.wait(10)
        wrapper.stdout.close()


def test_the_list_names_every_shape(server):
    text = server.ask("/").body.decode()
    for route in ["/bytes/{n}", "/{n}.html", "/status/{code}", "/delay/{ms}", "/chunked/{n}", "/healthz"]:
        assert route in text
    assert server.ask("/healthz").json()["status"] == "ok"
