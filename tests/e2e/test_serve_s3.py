# SPDX-License-Identifier: GPL-3.0-or-later
"""Assets of plimsoll serve in S3: a real S3 server, and a gate before it that verifies signatures, counts, stalls and cuts."""
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from lib.assets import Asset, path_of, post
from lib.process import accepts, run, wait_until
from lib.s3 import KEYS, Gate, S3rver
from lib.serve_http import Closed, Server, request

STREAM = "?stream_from_s3=true"


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    server = S3rver(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture
def gate(s3):
    one = Gate(s3.port)
    yield one
    one.close()


@pytest.fixture
def start(plimsoll, tmp_path):
    started = []

    def start_one(port, *options, env=KEYS, threads="2"):
        server = Server(plimsoll, "--threads", threads, "--data-root", str(tmp_path), "--s3-bucket", "assets",
                        "--s3-endpoint", f"http://127.0.0.1:{port}", *options, env=env)
        started.append(server)
        return server

    yield start_one
    for one in started:
        one.close()


@pytest.fixture
def server(start, gate):
    one = start(gate.port)
    yield one
    assert one.stop() == 0


def curl(*arguments):
    done = subprocess.run(["curl", "-sS", "-m", "60", *arguments], capture_output=True, timeout=90)
    return done.returncode, done.stdout


# ---- What gets there

def test_a_clean_asset_is_copied(server, s3, gate):
    asset = Asset(server, "a.txt", b"hello")
    assert asset.made["state"] == "clean" and asset.made["s3"] in ("waiting", "stored")
    assert asset.wait(s3="stored")["state"] == "clean"
    assert s3.objects()[asset.id] == b"hello"
    asset.put("b.txt", b"replaced")
    wait_until(lambda: s3.objects()[asset.id] == b"replaced", "the copy is replaced")
    asset.wait(s3="stored")
    assert server.ask(asset.path, "DELETE").json()["state"] == "deleted"
    assert asset.id not in s3.objects()
    assert server.ask(asset.path).status == 404 and server.ask(asset.path, "DELETE").status == 404
    assert gate.connections > 0 and gate.refused == 0


def test_many_replacements_leave_the_last(server, s3):
    asset = Asset(server, "a", b"0")
    for i in range(1, 30):
        asset.put("a", str(i).encode() * 1000)
    assert asset.get(STREAM).body == b"29" * 1000
    wait_until(lambda: s3.objects()[asset.id] == b"29" * 1000 and asset.now()["s3"] == "stored", "the copy is the last one")


def test_copies_left_over_are_made_at_the_start(start, s3, gate):
    server = start(1)  # nobody listens there
    asset = Asset(server, "a", b"left over")
    asset.wait(s3="failed")
    assert "could not connect" in asset.now()["s3_error"]
    assert server.stop() == 0
    server = start(gate.port)
    asset.server = server
    asset.wait(s3="stored")
    assert s3.objects()[asset.id] == b"left over"


# ---- Streams

@pytest.mark.parametrize("how", [["--http1.0"], ["--http1.1"], ["--http2-prior-knowledge"]])
@pytest.mark.parametrize("size", [0, 29, 1 << 20, 9_999_999])
def test_streams(server, tmp_path, how, size):
    (tmp_path / "file").write_bytes(os.urandom(size))
    code, out = curl(server.url("/assets"), "--form", f"asset[file]=@{tmp_path}/file")
    url = json.loads(out)["file_url"] + STREAM
    assert code == 0
    code, out = curl(*how, url)
    assert code == 0 and out == (tmp_path / "file").read_bytes()
    code, out = curl(*how, "-I", url)
    assert code == 0 and re.search(rf"\r\ncontent-length: {size}\r\n".encode(), out, re.I)


def test_heads_ranges_and_conditions(server):
    asset = Asset(server, "a.css", b"0123456789")
    whole = asset.get(STREAM)
    assert whole.status == 200 and whole.body == b"0123456789" and whole["Content-Type"].startswith("text/css") and whole["ETag"] and whole["Last-Modified"]
    head = asset.get(STREAM, "HEAD")
    assert head.status == 200 and head["Content-Length"] == "10" and head["ETag"] == whole["ETag"]
    part = asset.get(STREAM, headers=["Range: bytes=2-4"])
    assert part.status == 206 and part.body == b"234" and part["Content-Range"] == "bytes 2-4/10"
    none = asset.get(STREAM, headers=["Range: bytes=100-"])
    assert none.status == 416 and none.body == b""
    same = asset.get(STREAM, headers=[f"If-None-Match: {whole['ETag']}"])
    assert same.status == 304 and same.body == b""
    assert asset.get(STREAM, headers=['If-None-Match: "other"']).body == b"0123456789"


def test_connections_to_s3_are_kept(server, gate):
    asset = Asset(server, "a", b"x" * 1000)
    asset.wait(s3="stored")
    before = gate.connections
    for i in range(30):
        assert len(asset.get(STREAM, "HEAD" if i % 3 == 0 else "GET").body) == (0 if i % 3 == 0 else 1000)
    assert gate.connections - before <= 3


def test_a_slow_client_holds_s3_back(server, gate):
    size = 150_000_000
    asset = Asset(server, "large", os.urandom(1_000_000) * (size // 1_000_000))
    asset.wait(s3="stored")
    before, rss = gate.passed, server.rss()
    with server.connect(timeout=60) as c:
        c.send(request(asset.media + STREAM))
        wait_until(lambda: gate.passed > before, "S3 sends")
        last = -1
        while gate.passed != last:  # until nothing moves any more
            last = gate.passed
            time.sleep(0.3)
        assert gate.passed - before < 60_000_000, "what the sockets' buffers hold, and no more"
        assert server.rss() - rss < 16 << 20
        reply = c.reply()
    assert reply.status == 200 and len(reply.body) == size
    assert server.rss() - rss < 16 << 20


def test_a_client_that_leaves_ends_the_transfer(server, gate):
    asset = Asset(server, "large", b"x" * 50_000_000)
    asset.wait(s3="stored")
    for _ in range(5):
        with server.connect() as c:
            c.send(request(asset.media + STREAM))
            c.socket.recv(100)
    assert asset.get(STREAM, "HEAD").status == 200


# ---- Presigned URLs

def test_redirects(server):
    asset = Asset(server, "a.txt", b"hello")
    asset.wait(s3="stored")
    reply = asset.get("?redirect_to_s3=true")
    assert reply.status == 302 and reply.body == b""
    with urllib.request.urlopen(reply["Location"], timeout=20) as got:
        assert got.read() == b"hello" and got.headers["Content-Type"].startswith("text/plain")
    tampered = [(asset.id, Asset(server, "other", b"").id), ("X-Amz-Expires=60", "X-Amz-Expires=61"), ("X-Amz-Credential=S3", "X-Amz-Credential=S4")]
    for old, new in tampered:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(reply["Location"].replace(old, new), timeout=20)
        assert refused.value.code == 403, (old, new)
        refused.value.close()
    code, out = curl("-IL", server.url(asset.media + "?redirect_to_s3=1"))
    assert code == 0 and b"200 OK" in out


def test_a_redirect_waits_for_the_copy(server, s3):
    asset = Asset(server, "a.txt", b"x" * 5_000_000)
    reply = asset.get("?redirect_to_s3=true")
    assert reply.status == 302 and len(s3.objects()[asset.id]) == 5_000_000


# ---- When S3 fails

def test_s3_is_down(start, tmp_path_factory):
    s3 = S3rver(tmp_path_factory.mktemp("down"))
    server = start(s3.port)
    asset = Asset(server, "a", b"hello")
    asset.wait(s3="stored")
    s3.stop()
    reply = asset.get(STREAM)
    assert reply.status == 502 and "could not connect" in reply.json()["error"]
    assert asset.get("?stream_from_s3=false").body == b"hello"
    new = Asset(server, "b", b"new")
    assert "could not connect" in new.wait(s3="failed")["s3_error"]
    for query in (STREAM, "?redirect_to_s3=true", "?proxy_to_s3=true"):
        assert new.get(query).status == 502, query
    gone = server.ask(asset.path, "DELETE")
    assert gone.status == 502 and "could not connect" in gone.json()["error"] and asset.get().body == b"hello"
    again = S3rver(s3.folder, s3.port)
    assert new.get(STREAM).body == b"new" and new.now()["s3"] == "stored"
    assert server.ask(asset.path, "DELETE").status == 200
    assert server.stop() == 0
    assert "was not copied to S3" in server.err() if server.running() else True
    again.stop()


@pytest.mark.parametrize("then", ["cut", "stall"])
@pytest.mark.parametrize("how", [["--http1.0"], ["--http1.1"], ["--http2-prior-knowledge"]])
def test_s3_breaks_off_midway(start, gate, how, then):
    server = start(gate.port, "--s3-timeout", "1500ms")
    asset = Asset(server, "a", b"x" * 3_000_000)
    asset.wait(s3="stored")
    gate.limit(1_000_000, then)
    code, out = curl(*how, server.url(asset.media + STREAM))
    assert code in (18, 52, 55, 56, 92), "curl saw a cut body"
    assert len(out) < 3_000_000
    gate.open()
    assert len(asset.get(STREAM).body) == 3_000_000
    assert server.stop() == 0


@pytest.mark.parametrize("then,status", [("cut", 502), ("stall", 504)])
def test_s3_says_nothing(start, gate, then, status):
    server = start(gate.port, "--s3-timeout", "1500ms")
    asset = Asset(server, "a", b"x" * 1000)
    asset.wait(s3="stored")
    gate.limit(0, then)
    for method, path in [("GET", asset.media + STREAM), ("DELETE", asset.path)]:
        reply = server.ask(path, method)
        assert reply.status == status and reply.json()["error"], reply
    assert asset.get(STREAM, "HEAD").status == status
    asset.put("a", b"y")
    failed = asset.wait(s3="failed")
    assert ("timed out" if status == 504 else "broke off") in failed["s3_error"]
    gate.open()
    assert asset.get(STREAM).body == b"y"
    assert server.stop() == 0


def test_the_object_is_gone(server, s3):
    asset = Asset(server, "a", b"hello")
    asset.wait(s3="stored")
    for name in os.listdir(os.path.join(s3.folder, "assets")):
        if name.startswith(asset.id):
            os.unlink(os.path.join(s3.folder, "assets", name))
    reply = asset.get(STREAM)
    assert reply.status == 502 and "404 NoSuchKey" in reply.json()["error"]


def test_wrong_credentials_are_told_but_not_shown(start, gate):
    server = start(gate.port, env={**KEYS, "AWS_SECRET_ACCESS_KEY": "not-the-secret-of-anybody"})
    asset = Asset(server, "a", b"hello")
    error = asset.wait(s3="failed")["s3_error"]
    reply = asset.get(STREAM)
    assert reply.status == 502 and "403 SignatureDoesNotMatch" in reply.json()["error"] and "403" in error
    said = server.err() + server.out() + error + reply.body.decode()
    assert "was not copied to S3" in said
    assert "not-the-secret-of-anybody" not in said and "S3RVER" not in said and "Signature=" not in said
    assert server.stop() == 0


# ---- What is asked for wrongly

def test_questions_that_are_none(plimsoll, server, tmp_path_factory):
    asset = Asset(server, "a", b"hello")
    assert asset.get("?stream_from_s3=true&redirect_to_s3=true").status == 400
    assert asset.get("?stream_from_s3=maybe").status == 400
    asset.put("b", b"hello")
    moved = server.ask(path_of(asset.made["file_url"]) + STREAM)
    assert moved.status == 302 and moved["Location"] == asset.media + STREAM
    plain = Server(plimsoll, "--data-root", str(tmp_path_factory.mktemp("plain")))
    other = Asset(plain, "a", b"hello")
    assert other.get(STREAM).status == 501 and "s3" not in other.now()
    assert plain.stop() == 0


@pytest.mark.parametrize("options,env,says", [
    (["--s3-bucket", "assets"], {"AWS_ACCESS_KEY_ID": "x"}, "AWS_SECRET_ACCESS_KEY"),
    (["--s3-bucket", "assets"], {"AWS_SECRET_ACCESS_KEY": "x"}, "AWS_ACCESS_KEY_ID"),
    (["--s3-bucket", "a/b"], KEYS, "a/b"),
    (["--s3-bucket", "assets", "--s3-endpoint", "ftp://h"], KEYS, "--s3-endpoint"),
    (["--s3-bucket", "assets", "--s3-endpoint", "http://u:p@h"], KEYS, "--s3-endpoint"),
    (["--s3-endpoint", "http://h"], KEYS, "--s3-bucket"),
])
def test_configurations_that_are_none(plimsoll, tmp_path, options, env, says):
    empty = dict.fromkeys(KEYS, "")
    done = run([plimsoll, "serve", "--listen", "127.0.0.1:0", "--data-root", tmp_path, *options], env={**empty, **env}, timeout_s=20)
    assert done.exit == 2 and says in done.err, done
    assert "u:p" not in done.err
