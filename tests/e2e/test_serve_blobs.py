# SPDX-License-Identifier: GPL-3.0-or-later
"""The blob store of plimsoll serve: raw files, atomic, below their folder only."""
import os
import subprocess
import threading
import time

import pytest

from lib.process import wait_until
from lib.serve_http import Server, request


@pytest.fixture
def server(plimsoll, tmp_path):
    one = Server(plimsoll, "--threads", "2", "--data-root", str(tmp_path), "--max-disk", "50MB", tls=True)
    one.root = tmp_path
    yield one
    assert list((tmp_path / "uploads").glob("*")) == [] if (tmp_path / "uploads").exists() else True
    assert one.stop() == 0


def test_the_published_command(server, tmp_path):
    (tmp_path / "foo").write_bytes(os.urandom(20_000_000))
    for tls in [False, True]:
        done = subprocess.run(["curl", "-sSk", "-m", "30", "-w", "%{http_code}", "-T", str(tmp_path / "foo"), server.url("/blobs/foo1", tls)], capture_output=True, timeout=40)
        assert done.stdout == (b"204" if tls else b"201"), done.stderr
        assert server.ask("/blobs/foo1", tls=tls).body == (tmp_path / "foo").read_bytes()
    assert server.rss() < 32 << 20


def test_a_life(server):
    assert server.ask("/blobs/a/b/c.txt").status == 404
    assert server.ask("/blobs/a/b/c.txt", "PUT", b"one").status == 201
    reply = server.ask("/blobs/a/b/c.txt")
    assert reply.body == b"one" and reply["Content-Type"].startswith("text/plain") and reply["ETag"]
    assert server.ask("/blobs/a/b/c.txt", "HEAD")["Content-Length"] == "3"
    assert server.ask("/blobs/a/b/c.txt", headers=["Range: bytes=1-1"]).body == b"n"
    assert server.ask("/blobs/a/b/c.txt", "PUT", b"two!").status == 204
    assert server.ask("/blobs/a/b/c.txt").body == b"two!"
    assert server.ask("/blobs/a/b/c.txt", "DELETE").status == 204
    assert server.ask("/blobs/a/b/c.txt", "DELETE").status == 404
    assert os.listdir(server.root / "blobs") == []
    assert server.ask("/blobs/empty", "PUT", headers=["Content-Length: 0"]).status == 201
    assert server.ask("/blobs/empty").body == b""
    assert server.ask("/blobs/a%20b%2fc", "PUT", b"x").status == 201
    assert (server.root / "blobs" / "a b" / "c").read_bytes() == b"x"
    reply = server.ask("/blobs/a", "POST", b"x")
    assert reply.status == 405 and reply["Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS"


def test_chunked_uploads(server):
    with server.connect() as c:
        c.send(request("/blobs/c", "PUT", headers=["Transfer-Encoding: chunked", "Expect: 100-continue"]))
        assert c.reply().status == 100
        for _ in range(100):
            c.send(b"2710\r\n" + b"y" * 10_000 + b"\r\n")
        c.send(b"0\r\n\r\n")
        assert c.reply().status == 201
        c.send(request("/blobs/c"))
        assert c.reply().body == b"y" * 1_000_000


def test_names_against_folders(server):
    server.ask("/blobs/x/y", "PUT", b"1")
    assert server.ask("/blobs/x", "PUT", b"1").status == 409
    assert server.ask("/blobs/x/y/z", "PUT", b"1").status == 409
    assert server.ask("/blobs/x").status == 404
    assert server.ask("/blobs/x", "DELETE").status == 409
    assert server.ask("/blobs/x/y/z").status == 404
    assert server.ask("/blobs/x/y").body == b"1"


@pytest.mark.parametrize("path", ["..", "../x", "a/../../x", "%2e%2e/x", "..%2fx", "a//b", "a/", "./a", "a/.", "a%00b", "x" * 256, "%zz", "%2fetc/passwd"])
def test_names_that_are_none(server, path):
    for method in ["GET", "PUT", "DELETE"]:
        reply = server.ask(f"/blobs/{path}", method, b"x" if method == "PUT" else b"")
        assert reply.status == 400, (method, reply)
    assert not (server.root / "x").exists()


def test_links_lead_nowhere(server):
    server.ask("/blobs/d/a", "PUT", b"x")
    (server.root / "secret").write_text("secret")
    (server.root / "out").mkdir()
    os.symlink("../secret", server.root / "blobs" / "link")
    os.symlink("../out", server.root / "blobs" / "folder")
    assert server.ask("/blobs/link").status in (403, 404)
    assert server.ask("/blobs/folder/new", "PUT", b"x").status in (403, 409)
    assert server.ask("/blobs/link", "PUT", b"mine").status == 204  # replaces the link itself
    assert (server.root / "secret").read_text() == "secret" and os.listdir(server.root / "out") == []


def test_a_broken_upload_leaves_nothing(server):
    server.ask("/blobs/kept", "PUT", b"old")
    for method in ["close", "reset"]:
        c = server.connect()
        if method == "reset":
            c.socket.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")
        c.send(request("/blobs/kept", "PUT", headers=["Content-Length: 1000000"]) + b"new" * 1000)
        wait_until(lambda: os.listdir(server.root / "uploads"), "the upload begins")
        assert server.ask("/blobs/kept").body == b"old"
        c.close()
        wait_until(lambda: not os.listdir(server.root / "uploads"), "the upload is removed")
    with server.connect() as c:
        c.send(request("/blobs/kept", "PUT", headers=["Transfer-Encoding: chunked"]) + b"3\r\nnew\r\nxyz\r\n")
        assert c.reply().status == 400 and c.closes()
    assert server.ask("/blobs/kept").body == b"old"


def test_a_reader_never_sees_half(server):
    bodies = [bytes([c]) * 300_000 for c in b"ab"]
    server.ask("/blobs/both", "PUT", bodies[0])
    ended = threading.Event()

    def write():
        i = 0
        while not ended.is_set():
            i += 1
            assert server.ask("/blobs/both", "PUT", bodies[i % 2]).status == 204

    thread = threading.Thread(target=write)
    thread.start()
    try:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            assert server.ask("/blobs/both").body in bodies
    finally:
        ended.set()
        thread.join()


def test_the_limit_of_the_disk(server):
    assert server.ask("/blobs/a", "PUT", b"x" * 30_000_000).status == 201
    with server.connect() as c:
        c.send(request("/blobs/b", "PUT", headers=["Content-Length: 30000000"]))
        assert c.reply().status == 507
    with server.connect() as c:
        c.send(request("/blobs/b", "PUT", headers=["Transfer-Encoding: chunked"]))
        try:
            for _ in range(300):
                c.send(b"186a0\r\n" + b"x" * 100_000 + b"\r\n")
        except OSError:
            pass
        assert c.reply().status == 507
    assert server.ask("/blobs/b").status == 404
    assert server.ask("/blobs/a", "DELETE").status == 204
    assert server.ask("/blobs/b", "PUT", b"x" * 30_000_000).status == 201
    assert server.ask("/generate-files?n=30&size=1000000").status == 507


def test_the_token_of_the_environment(plimsoll, tmp_path):
    token = {"PLIMSOLL_TOKEN": "from-there"}
    server = Server(plimsoll, "--public", "--data-root", str(tmp_path), env=token)
    assert server.ask("/blobs/a", "PUT", b"x").status == 401
    assert server.ask("/blobs/a", "PUT", b"x", headers=["Authorization: Bearer from-there"]).status == 201
    assert server.stop() == 0
    server = Server(plimsoll, "--public", "--token", "from-here", "--data-root", str(tmp_path), env=token)
    assert server.ask("/blobs/b", "PUT", b"x", headers=["Authorization: Bearer from-there"]).status == 401
    assert server.ask("/blobs/b", "PUT", b"x", headers=["Authorization: Bearer from-here"]).status == 201
    assert server.stop() == 0
    server = Server(plimsoll, "--public", "--open-writes", "--data-root", str(tmp_path), env=token)
    assert server.ask("/blobs/c", "PUT", b"x").status == 201
    assert server.stop() == 0


def test_who_may_write(plimsoll, tmp_path):
    server = Server(plimsoll, "--public", "--token", "right", "--data-root", str(tmp_path))
    for method in ["PUT", "DELETE"]:
        assert server.ask("/blobs/a", method, b"x" if method == "PUT" else b"").status == 401
    with server.connect() as c:
        c.send(request("/blobs/a", "PUT", headers=["Content-Length: 5", "Expect: 100-continue"]))
        assert c.reply().status == 401
    assert server.ask("/blobs/a", "PUT", b"x", headers=["Authorization: Bearer right"]).status == 201
    assert server.ask("/blobs/a").status == 200
    assert server.stop() == 0
