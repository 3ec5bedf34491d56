# SPDX-License-Identifier: GPL-3.0-or-later
"""The gateway of plimsoll serve: flows, their cache, and what they do."""
import concurrent.futures
import json
import os
import uuid

import pytest

from lib.process import free_port
from lib.serve_http import Server, request


@pytest.fixture
def server(plimsoll, tmp_path):
    one = Server(plimsoll, "--threads", "2", "--data-root", str(tmp_path))
    one.root = tmp_path
    yield one
    assert one.stop() == 0


def put(server, name, definition):
    return server.ask(f"/flows/{name}", "PUT", json.dumps(definition).encode())


def counts(server):
    return server.ask("/cache").json()


def test_flows_that_come_with_the_server(server):
    reply = server.ask("/performance/echo", "POST", b'{"a": [1, 2]}', headers=["Content-Type: application/json"]).json()
    assert reply["echo"] == {"a": [1, 2]} and uuid.UUID(reply["id"]).version == 4
    reply = server.ask("/performance/rest").json()
    assert reply["performance"] == "test" and uuid.UUID(reply["id"]).version == 4
    assert server.ask("/performance/backend").json()["performance"] == "test"
    assert server.ask("/flows/echo").json() == {"name": "echo", "kind": "echo"}
    assert server.ask("/flows/rest").json() == {"name": "rest", "kind": "rest", "url": "/performance/backend"}
    assert os.listdir(server.root) == []  # nothing is written before somebody asks for it


def test_the_published_run(server):
    """Cache checked and off, flows made, cache on, one sample, then load: the store must stay idle."""
    assert counts(server)["enabled"] is True
    assert server.ask("/cache", "PUT", b'{"enabled":false}').json()["enabled"] is False
    assert put(server, "myecho", {"kind": "echo"}).status == 201
    assert put(server, "myrest", {"kind": "rest", "url": f"http://127.0.0.1:{server.port}/performance/backend"}).status == 201
    before = counts(server)["storeReads"]
    for _ in range(3):
        assert server.ask("/performance/myecho", "POST", b"x").json()["echo"] == "x"
    assert counts(server)["storeReads"] == before + 3
    server.ask("/cache", "PUT", b'{"enabled":true}')
    server.ask("/performance/myecho", "POST", b"x")
    server.ask("/performance/myrest")
    sample = counts(server)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: server.ask("/performance/myecho", "POST", b"x"), range(100)))
        assert all(reply.status == 200 for reply in pool.map(lambda _: server.ask("/performance/myrest"), range(100)))
    after = counts(server)
    assert after["storeReads"] == sample["storeReads"] and after["hits"] == sample["hits"] + 200


def test_definitions(server):
    assert put(server, "a", {"kind": "echo"}).status == 201
    assert put(server, "a", {"kind": "rest", "url": "http://localhost/x"}).status == 200
    assert server.ask("/flows/a").json() == {"name": "a", "kind": "rest", "url": "http://localhost/x"}
    assert json.loads((server.root / "flows" / "a.json").read_text())["kind"] == "rest"
    assert server.ask("/flows/a", "DELETE").status == 204
    assert server.ask("/flows/a").status == server.ask("/flows/a", "DELETE").status == server.ask("/performance/a").status == 404
    assert server.ask("/flows/echo", "DELETE").status == 409
    assert put(server, "echo", {"kind": "rest", "url": "http://localhost/x"}).status == 200
    assert server.ask("/performance/echo", "POST", b"x").status == 405
    assert server.ask("/flows/echo", "DELETE").status == 204
    assert server.ask("/performance/echo", "POST", b"x").status == 200


def test_a_definition_outlives_the_server(plimsoll, tmp_path):
    for kind in ["put", "get"]:
        server = Server(plimsoll, "--data-root", str(tmp_path))
        if kind == "put":
            put(server, "kept", {"kind": "echo"})
        assert server.ask("/performance/kept", "POST", b"1").json()["echo"] == 1
        assert server.stop() == 0


@pytest.mark.parametrize("definition", [b"", b"{", b"[]", b"{}", b'{"kind":"soap"}', b'{"kind":"rest"}', b'{"kind":"rest","url":"ftp://a"}', b'{"kind":"rest","url":7}',
                                        b'{"kind":"rest","url":"http://u:p@a/"}', b'{"kind":"rest","url":"http://a b/"}', b"\xff", b"[" * 60000],
                         ids=["nothing", "half", "list", "empty", "kind", "no url", "ftp", "number", "user", "space", "no UTF-8", "deep"])
def test_definitions_that_are_none(server, definition):
    reply = server.ask("/flows/x", "PUT", definition)
    assert reply.status == 400 and reply.json()["error"]
    assert server.ask("/flows/x").status == 404


@pytest.mark.parametrize("name", ["..%2fx", "%2e%2e", ".x", "a%00b", "x" * 101, "a%20b", "backend", "ä".encode().hex()[:0] + "%c3%a4"])
def test_names_that_are_none(server, name):
    assert put(server, name, {"kind": "echo"}).status == 400
    assert not (server.root / "flows").exists()


def test_methods_of_flows(server):
    reply = server.ask("/performance/echo")
    assert reply.status == 405 and reply["Allow"] == "POST"
    reply = server.ask("/performance/rest", "POST", b"x")
    assert reply.status == 405 and reply["Allow"] == "GET"


@pytest.mark.parametrize("body,headers,echo", [
    (b"", [], None),
    (b"plain", [], "plain"),
    (b'"quoted"', [], "quoted"),
    (b" 7 ", [], 7),
    (b"a\"b\\\n\x01", [], 'a"b\\\n\x01'),
    (b"\xff", [], "�"),
    ("ä€😀".encode(), [], "ä€😀"),
    (b'{"a":1,"a":2}', ["Content-Type: application/json; charset=utf-8"], {"a": 2}),
    (b"x" * 1_000_000, [], "x" * 1_000_000),
], ids=range(9))
def test_what_is_echoed(server, body, headers, echo):
    assert server.ask("/performance/echo", "POST", body, headers).json()["echo"] == echo


def test_bodies_that_are_refused(server):
    for body in [b"{", b"[" * 10_000_000, b'{"a":' * 1_000_000]:
        reply = server.ask("/performance/echo", "POST", body, ["Content-Type: application/json"])
        assert reply.status == 400 and "JSON" in reply.json()["error"]
    with server.connect() as c:
        c.send(request("/performance/echo", "POST", headers=[f"Content-Length: {17 << 20}", "Expect: 100-continue"]))
        status = c.reply().status
        assert (c.reply().status if status == 100 else status) == 413


def test_rest_flows_call_nobody_else(server):
    put(server, "stranger", {"kind": "rest", "url": f"http://127.0.0.1:{free_port()}/"})
    reply = server.ask("/performance/stranger")
    assert reply.status == 403 and "--allow-upstream" in reply.json()["error"]
    put(server, "missing", {"kind": "rest", "url": f"http://127.0.0.1:{server.port}/status/404"})
    assert server.ask("/performance/missing").status == 502
    put(server, "query", {"kind": "rest", "url": f"http://127.0.0.1:{server.port}/bytes/3?x=y"})
    assert server.ask("/performance/query").status == 200


def test_the_cache(server):
    for body in [b"", b"{}", b'{"enabled":"no"}', b'{"enabled":1}', b"nonsense"]:
        assert server.ask("/cache", "PUT", body).status == 400
    server.ask("/performance/echo", "POST", b"1")
    server.ask("/performance/echo", "POST", b"1")
    assert counts(server) == {"enabled": True, "hits": 1, "misses": 1, "storeReads": 1}


def test_a_broken_store(server):
    (server.root / "flows").mkdir()
    (server.root / "flows" / "bad.json").write_text("{")
    assert server.ask("/flows/bad").status == 500
    assert server.ask("/performance/bad").status == 500
    assert server.ask("/healthz").status == 200
