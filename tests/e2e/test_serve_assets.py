# SPDX-License-Identifier: GPL-3.0-or-later
"""The assets of plimsoll serve: files that come as forms and are served from disk."""
import json
import os
import subprocess

import pytest

from lib.assets import form, path_of, post
from lib.serve_http import Server, request


@pytest.fixture
def server(plimsoll, tmp_path):
    one = Server(plimsoll, "--threads", "1", "--data-root", str(tmp_path / "data"), "--max-disk", "30MB") if os.makedirs(tmp_path / "data") is None else None
    one.root = tmp_path / "data"
    yield one
    assert not (one.root / "uploads").exists() or os.listdir(one.root / "uploads") == []
    assert one.stop() == 0


@pytest.mark.parametrize("size", [0, 29, 1 << 20])
def test_the_published_command(server, tmp_path, size):
    (tmp_path / "1MB.dat").write_bytes(os.urandom(size))
    done = subprocess.run(["curl", "-sS", "-m", "20", server.url("/assets"), "--form", f"asset[file]=@{tmp_path}/1MB.dat"], capture_output=True, timeout=30)
    answer = json.loads(done.stdout)
    assert answer["_response_info"] == {"status": "created"} and answer["name"] == "1MB.dat" and answer["state"] == "clean"
    assert answer["content_type"] == "application/octet-stream"
    assert answer["id"].startswith(server.url("/assets/")) and answer["file_url"].startswith(server.url("/media/")) and answer["file_url"].endswith("/1MB.dat")
    reply = server.ask(path_of(answer["file_url"]))
    assert reply.body == (tmp_path / "1MB.dat").read_bytes() and reply["ETag"] and reply["Last-Modified"]


def test_a_life(server):
    reply = post(server, "a b.txt", b"one")
    assert reply.status == 201
    made = reply.json()
    asset, media = path_of(made["id"]), path_of(made["file_url"])
    assert media.endswith("/a%20b.txt") and made["content_type"].startswith("text/plain")
    got = server.ask(asset).json()
    assert got.pop("_response_info") == {"status": "ok"} and got == {k: v for k, v in made.items() if k != "_response_info"}
    assert server.ask(media, "HEAD")["Content-Length"] == "3"
    assert server.ask(media, headers=["Range: bytes=1-"]).body == b"ne"
    assert server.ask(media, headers=[f"If-None-Match: {server.ask(media)['ETag']}"]).status == 304
    changed = post(server, "c.css", b"body {}", "PUT", asset)
    assert changed.status == 200 and changed.json()["name"] == "c.css" and changed.json()["id"] == made["id"]
    reply = server.ask(media)
    assert reply.status == 302 and reply["Location"] == path_of(changed.json()["file_url"])
    assert server.ask(reply["Location"]).body == b"body {}"
    assert len(os.listdir(server.root / "assets" / asset.rsplit("/", 1)[1])) == 1
    gone = server.ask(asset, "DELETE").json()
    assert gone["state"] == "deleted" and os.listdir(server.root / "assets") == []
    for method, path in [("GET", asset), ("DELETE", asset), ("GET", media)]:
        assert server.ask(path, method).status == 404
    assert post(server, "x", b"x", "PUT", asset).status == 404


def test_other_fields_are_left_out(server):
    body, headers = form(("token", None, b"secret"), ("asset[file]", "f.bin", b"one"), ("asset[file]", "g.bin", b"two"), ("file", "h.bin", b"three"))
    answer = server.ask("/assets", "POST", body, headers).json()
    assert answer["name"] == "f.bin" and server.ask(path_of(answer["file_url"])).body == b"one"


@pytest.mark.parametrize("filename,name", [("../../etc/x", "x"), ("C:\\\\dir\\\\f.txt", "f.txt"), ("/a/b", "b"), ("ü".encode().decode("latin-1"), "ü"), ("a%2fb", "a%2fb")])
def test_names_become_harmless(server, filename, name):
    answer = post(server, filename, b"x").json()
    assert answer["name"] == name and server.ask(path_of(answer["file_url"])).body == b"x"


@pytest.mark.parametrize("filename", ["", "..", ".", ".hidden", "a/", "x" * 256, "../.."])
def test_names_that_are_none(server, filename):
    assert post(server, filename, b"x").status == 422
    assert not (server.root / "assets").exists() or os.listdir(server.root / "assets") == []


def test_bodies_that_are_none(server):
    whole, headers = form(("asset[file]", "f", b"x" * 1000))
    cases = [(whole[:-10], headers, 400), (b"", headers, 400), (b"nonsense", headers, 400), (whole, ["Content-Type: multipart/form-data"], 415),
             (whole, ["Content-Type: text/plain"], 415), (whole, [], 415), (*form(("other", "f", b"x")), 422), (*form(("asset[file]", None, b"x")), 422),
             (*form(*[("a", None, b"x")] * 10_000), 400), (b"--xyz\r\n\r\n" + whole, headers, 400), (*form(("asset[file]", "f", b"x"), end=False), 400)]
    for body, fields, status in cases:
        with server.connect() as c:
            try:
                c.send(request("/assets", "POST", headers=[*fields, f"Content-Length: {len(body)}"]) + body)
            except OSError:
                pass
            reply = c.reply()
            assert reply.status == status and reply.json()["error"], (body[:60], reply)
    assert not (server.root / "assets").exists() or os.listdir(server.root / "assets") == []


def test_a_body_cut_at_every_byte(server):
    body, headers = form(("asset[file]", "f", b"\r\n--xy\r\n--xyy\r\n"), ("b", None, b"c"))
    whole = request("/assets", "POST", body, headers)
    start = len(whole) - len(body)
    with server.connect() as c:
        for cut in range(start, len(whole)):
            c.send(whole[:cut])
            c.send(whole[cut:])
            media = path_of(c.reply().json()["file_url"])
            c.send(request(media))
            assert c.reply().body == b"\r\n--xy\r\n--xyy\r\n"


@pytest.mark.parametrize("path", ["/assets/x", "/assets/../..", "/assets/00000000-0000-0000-0000-000000000000", "/media/x/y", "/media/..%2f..%2fetc/passwd",
                                  "/media/00000000-0000-0000-0000-000000000000/..", "/media/00000000-0000-0000-0000-000000000000/a/b", "/media/x"])
def test_paths_that_are_none(server, path):
    assert server.ask(path).status in (400, 404)


def test_the_limit_of_the_disk(server):
    first = post(server, "a", b"x" * 20_000_000).json()
    body, headers = form(("asset[file]", "b", b"x" * 20_000_000))
    with server.connect() as c:
        c.send(request("/assets", "POST", headers=[*headers, f"Content-Length: {len(body)}", "Expect: 100-continue"]))
        status = c.reply().status
        assert (c.reply().status if status == 100 else status) == 507
    assert server.ask(path_of(first["id"]), "DELETE").status == 200
    second = post(server, "b", b"x" * 14_000_000)
    assert second.status == 201
    for _ in range(4):  # each replaces the one before
        assert post(server, "c", b"x" * 14_000_000, "PUT", path_of(second.json()["id"])).status == 200
    assert server.rss() < 32 << 20


def test_behind_a_proxy(plimsoll, tmp_path):
    server = Server(plimsoll, "--trust-proxy", "--data-root", str(tmp_path))
    body, headers = form(("asset[file]", "f", b"x"))
    answer = server.ask("/assets", "POST", body, [*headers, "X-Forwarded-Proto: https", "X-Forwarded-Host: assets.test"]).json()
    assert answer["file_url"].startswith("https://assets.test/media/")
    assert server.stop() == 0
