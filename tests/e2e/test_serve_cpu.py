# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPU checks of plimsoll serve, its static files, and what it says of a request."""
import os
import time

import pytest

from lib.process import wait_until
from lib.serve_http import Server, request


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("root")
    (folder / "index.html").write_text("<p>home")
    (folder / "ten.txt").write_text("0123456789")
    (folder / "empty.bin").write_bytes(b"")
    (folder / "big.bin").write_bytes(bytes(range(256)) * 8192)
    (folder / "a space+ä.txt").write_text("x")
    (folder / "sub").mkdir()
    (folder / "sub" / "index.html").write_text("sub")
    (folder / "sub" / "x.json").write_text("{}")
    os.mkfifo(folder / "pipe")
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "out.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "outside").symlink_to(folder.parent)
    (folder / "no.txt").write_text("x")
    return folder


@pytest.fixture(scope="module")
def server(plimsoll, root):
    one = Server(plimsoll, "--threads", "1", "--root", str(root), "--max-cpu", "300ms", tls=True)
    yield one
    assert one.stop() == 0


# ---- /prime ----

def divisions(n):
    """What the benchmark's own program does."""
    count, candidate = 0, max(n, 2)
    while True:
        prime = True
        for d in range(2, candidate // 2 + 1):
            count += 1
            if candidate % d == 0:
                prime = False
                break
        if prime:
            return candidate, count
        candidate += 1


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 6, 9, 24, 25, 97, 98, 1000, 7919, 7920, 50_000])
def test_primes_and_their_divisions(server, n):
    answer = server.ask(f"/prime/{n}").json()
    prime, count = divisions(n)
    assert answer["n"] == str(n) and answer["prime"] == prime and answer["divisions"] == count
    assert isinstance(answer["msTime"], int) and answer["seconds"] >= 0


def test_blocks_of_divisions_join(server):
    """2 500 009 is prime and takes more than one block of divisions."""
    answer = server.ask("/prime/2500009").json()
    assert answer["prime"] == 2500009 and answer["divisions"] == 2500009 // 2 - 1


def test_copies(server):
    answer = server.ask("/prime/1000000?threads=3").json()
    assert answer["prime"] == 1000003 and len(answer["threads"]) == 3
    assert sum(t["divisions"] for t in answer["threads"]) == answer["divisions"] == 3 * answer["threads"][0]["divisions"]


@pytest.mark.parametrize("n", ["99999999999999999999", "9007199254740993", "-5", "abc", "1.5", "1e3", "0x10", "", "1?threads=0", "1?threads=65", "1?threads=x"])
def test_numbers_that_are_none(server, n):
    reply = server.ask(f"/prime/{n}")
    assert reply.status in (400, 404) and reply.json()["error"]


def test_the_limit_of_cpu_time(server):
    begin = time.monotonic()
    reply = server.ask("/prime/9007199254740881")
    assert reply.status == 503 and time.monotonic() - begin < 3
    assert reply.json()["divisions"] > 1_000_000 and "0.3 s" in reply.json()["error"]


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return sum(int(t) for t in stat.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def test_the_search_ends_with_its_client_and_blocks_nobody(plimsoll):
    server = Server(plimsoll, "--threads", "1")
    c = server.connect()
    c.send(request("/prime/9007199254740881?threads=2"))
    wait_until(lambda: cpu_s(server.pid) > 0.1, "it searches")
    begin = time.monotonic()
    assert server.ask("/healthz").status == 200 and time.monotonic() - begin < 5
    c.close()

    def rests():
        before = cpu_s(server.pid)
        time.sleep(0.5)
        return cpu_s(server.pid) - before < 0.1
    wait_until(rests, "the search has ended")
    assert server.stop() == 0


def test_a_search_does_not_outlive_the_grace(plimsoll):
    server = Server(plimsoll, "--grace", "200ms")
    with server.connect() as c:
        c.send(request("/prime/9007199254740881"))
        wait_until(lambda: cpu_s(server.pid) > 0.1, "it searches")
        server.signal(15)
        assert server.finish(20).exit == 3


def test_fibonacci(server):
    want = [0, 1]
    for n in range(94):
        assert server.ask(f"/fibonacci/{n}").json()["fibonacci"] == want[n]
        want.append(want[-1] + want[-2])
    assert server.ask("/fibonacci/94").status == 422
    assert server.ask("/fibonacci/x").status == 400


# ---- /headers, /drip ----

def test_headers(server):
    answer = server.ask("/headers?a=%20b", "POST", b"x", headers=["X-A: 1", "X-A: \"2\"", "X-Raw: \xff\xe9"], tls=True).json()
    assert answer["method"] == "POST" and answer["path"] == "/headers" and answer["query"] == "a=%20b" and answer["scheme"] == "https"
    assert answer["host"] == "localhost" and answer["httpVersion"] == "1.1"
    assert ["X-A", "1"] in answer["headers"] and ["X-A", '"2"'] in answer["headers"]
    assert ["X-Raw", "��"] in answer["headers"]
    answer = server.ask("http://b.test:81/headers").json()
    assert answer["host"] == "b.test:81" and answer["path"] == "/headers"


def test_drips_come_one_at_a_time(server):
    with server.connect() as c:
        begin = time.monotonic()
        c.send(request("/drip?bytes=5&ms=200"))
        sizes = []
        while sum(sizes) < 5 or not sizes:
            data = c.socket.recv(1000)
            sizes.append(len(data.split(b"\r\n\r\n", 1)[-1]))
        assert 0.8 <= time.monotonic() - begin < 5 and len(sizes) >= 3
    assert len(server.ask("/drip?bytes=100000&ms=0").body) == 100_000
    assert server.ask("/drip?bytes=0").body == b""
    assert server.ask("/drip?bytes=1048577").status == 400
    assert server.ask("/drip?bytes=x").status == 400


# ---- Files ----

def test_files(server, root):
    reply = server.ask("/ten.txt")
    assert reply.status == 200 and reply.body == b"0123456789" and reply["Content-Type"].startswith("text/plain")
    assert reply["ETag"].startswith('"') and reply["Last-Modified"].endswith("GMT") and reply["Accept-Ranges"] == "bytes"
    for tls in [False, True]:
        assert server.ask("/big.bin", tls=tls).body == (root / "big.bin").read_bytes()
    assert server.ask("/empty.bin").body == b""
    assert server.ask("/a%20space%2B%C3%A4.txt").body == b"x"
    assert server.ask("/sub/").body == b"sub"
    assert server.ask("/sub/x.json")["Content-Type"] == "application/json"
    reply = server.ask("/sub?q")
    assert reply.status == 301 and reply["Location"] == "/sub/?q"
    assert server.ask("/ten.txt", "HEAD")["Content-Length"] == "10"
    assert server.ask("/missing").status == 404
    reply = server.ask("/ten.txt", "DELETE")
    assert reply.status == 405 and reply["Allow"] == "GET, HEAD, OPTIONS"
    assert server.ask("/pipe").status == 404


@pytest.mark.parametrize("path", ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/sub/../../secret.txt",
                                  "/%252e%252e/secret.txt", "/..%252fsecret.txt", "/out.txt", "/outside/secret.txt", "/%00", "/ten.txt%00",
                                  "//secret.txt", "/./ten.txt", "/sub//x.json", "/" + "x" * 300, "/%zz", "/%"])
def test_nothing_outside(server, path):
    reply = server.ask(path)
    assert reply.status in (400, 404) and b"secret" not in reply.body.replace(path.encode(), b"")


@pytest.mark.parametrize("value,status,body,content_range", [
    ("bytes=0-0", 206, b"0", "bytes 0-0/10"),
    ("bytes=2-4", 206, b"234", "bytes 2-4/10"),
    ("bytes=7-", 206, b"789", "bytes 7-9/10"),
    ("bytes=7-100", 206, b"789", "bytes 7-9/10"),
    ("bytes=-3", 206, b"789", "bytes 7-9/10"),
    ("bytes=-100", 206, b"0123456789", "bytes 0-9/10"),
    ("bytes=10-", 416, b"", "bytes */10"),
    ("bytes=-0", 416, b"", "bytes */10"),
    ("bytes=4-2", 200, b"0123456789", None),
    ("bytes=0-1,3-4", 200, b"0123456789", None),
    ("bytes=x", 200, b"0123456789", None),
    ("lines=0-1", 200, b"0123456789", None),
    ("bytes=18446744073709551616-", 200, b"0123456789", None),
])
def test_ranges(server, value, status, body, content_range):
    reply = server.ask("/ten.txt", headers=[f"Range: {value}"])
    assert (reply.status, reply.body, reply["Content-Range"]) == (status, body, content_range)


def test_conditions(server, root):
    first = server.ask("/ten.txt")
    tag, date = first["ETag"], first["Last-Modified"]
    for header in [f"If-None-Match: {tag}", f'If-None-Match: "x", W/{tag}', "If-None-Match: *", f"If-Modified-Since: {date}"]:
        reply = server.ask("/ten.txt", headers=[header])
        assert reply.status == 304 and reply["ETag"] == tag and reply["Content-Length"] is None, header
    for header in ['If-None-Match: "x"', "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "If-Modified-Since: yesterday"]:
        assert server.ask("/ten.txt", headers=[header]).status == 200, header
    assert server.ask("/ten.txt", headers=['If-None-Match: "x"', f"If-Modified-Since: {date}"]).status == 200
    assert server.ask("/ten.txt", headers=["Range: bytes=0-0", f"If-Range: {tag}"]).status == 206
    assert server.ask("/ten.txt", headers=["Range: bytes=0-0", 'If-Range: "x"']).status == 200
    (root / "no.txt").write_text("changed")
    assert server.ask("/no.txt").body == b"changed"


def test_a_file_that_shrinks_is_cut_not_padded(plimsoll, tmp_path):
    (tmp_path / "f").write_bytes(b"x" * 50_000_000)
    server = Server(plimsoll, "--root", str(tmp_path))
    with server.connect() as c:
        c.send(request("/f"))
        c.socket.recv(100)
        os.truncate(tmp_path / "f", 1000)
        total = 0
        try:
            while data := c.socket.recv(1 << 20):
                total += len(data)
        except ConnectionResetError:
            pass
        assert total < 50_000_000
    assert server.ask("/healthz").status == 200
    assert server.stop() == 0


def test_a_root_that_is_none(plimsoll, tmp_path):
    from lib.process import Process
    done = Process([plimsoll, "serve", "--listen", "127.0.0.1:0", "--root", str(tmp_path / "none")]).finish(10)
    assert done.exit == 2 and "none" in done.err
