# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that differ: {column} of a feed, {seq}, {uuid}, {random:8}, {connection}, in URL, headers and body."""
import collections
import re
import uuid
from urllib.parse import unquote

import pytest

from lib.recorder import Recorder
from lib.target import OK

FEED = 'name,note\nalice,plain\nbob,"with ""quotes"", a comma\nand a line"\n"c d/e?f&g=\u00e9",\n'
ROWS = [("alice", "plain"), ("bob", 'with "quotes", a comma\nand a line'), ("c d/e?f&g=\u00e9", "")]


@pytest.fixture
def server():
    one = Recorder()
    yield one
    one.stop()
    assert not one.errors, one.errors


@pytest.fixture
def feed(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_bytes(FEED.encode())
    return str(path)


def test_columns_in_order(load, server, feed):
    run = load("--feed", feed, "-c", "1", "-n", "7", "--body", '{"name": "{name}", "note": "{note}", "n": {seq}}', "-H", "X-Seq: {seq}",
               server.url("/u/{name}?q={name}"), server=server)
    assert run.exit == 0 and len(server.requests) == 7
    for i, request in enumerate(server.requests):
        name, note = ROWS[i % 3]
        assert unquote(request.target) == f"/u/{name}?q={name}" and re.fullmatch(r"[A-Za-z0-9/._~%?=-]+", request.target)
        assert request.target.count("?") == 1 and "&" not in request.target
        assert request.field("x-seq") == [str(i + 1)]
        assert request.body.decode() == f'{{"name": "{name}", "note": "{note}", "n": {i + 1}}}'
        assert request.field("content-length") == [str(len(request.body))]


def test_each_row_once_ends_the_run(load, server, tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("id\r\n" + "".join(f"{i}\r\n" for i in range(1001)))
    run = load("--feed", str(path), "--feed-order", "once", "-c", "7", "-t", "2", server.url("/{id}"), server=server)
    assert run.exit == 0 and run.totals["ok"] == 1001
    assert sorted(int(r.target[1:]) for r in server.requests) == list(range(1001))


def test_at_random_and_by_seed(load, tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("id\n" + "".join(f"{i}\n" for i in range(10)))

    def targets(seed):
        server = Recorder()
        run = load("--feed", str(path), "--feed-order", "random", "--seed", seed, "-c", "4", "-t", "2", "-n", "400", server.url("/{id}/{uuid}/{random:8}/{seq}"),
                   server=server)
        server.stop()
        assert run.exit == 0 and not server.errors
        return sorted(r.target for r in server.requests)

    first = targets("1")
    assert first == targets("1"), "whatever worker sends it, a request's values come from the seed and its number"
    assert first != targets("2")
    counts = collections.Counter(t.split("/")[1] for t in first)
    assert len(counts) == 10 and max(counts.values()) < 80
    parts = [t.split("/")[1:] for t in first]
    assert all(uuid.UUID(p[1]).version == 4 and uuid.UUID(p[1]).variant == uuid.RFC_4122 and re.fullmatch("[a-z0-9]{8}", p[2]) for p in parts)
    assert len({p[1] for p in parts}) == 400 and sorted(int(p[3]) for p in parts) == list(range(1, 401))


def test_connections_have_numbers(load, server):
    run = load("-c", "3", "-n", "30", "-H", "X-Connection: {connection}", server.url(), server=server)
    assert run.exit == 0
    seen = {(r.connection, r.field("x-connection")[0]) for r in server.requests}
    assert len(seen) == 3 and {number for _, number in seen} == {"1", "2", "3"}


def test_the_last_request_of_a_connection_differs_too(load, server):
    run = load("-c", "2", "-n", "20", "--requests-per-connection", "2", server.url("/{seq}"), server=server)
    assert run.exit == 0 and sorted(int(r.target[1:]) for r in server.requests) == list(range(1, 21))
    assert sum(r.field("connection") == ["close"] for r in server.requests) == 10


def test_braces_that_are_text(load, server):
    body = '{"a": {"b": 1}, "c": "{x}", "d": "{random}", "e": "{random:0}", "{": "}"}'
    run = load("-c", "1", "-n", "2", "--body", body, server.url("/{other}"), server=server)
    assert run.exit == 0 and all(r.body.decode() == body and r.target == "/{other}" for r in server.requests)


def test_a_feed_with_an_upload(load, server, feed, tmp_path):
    path = tmp_path / "body"
    path.write_bytes(b"{seq}" * 100_000)
    run = load("--feed", feed, "-T", str(path), "-c", "2", "-n", "6", server.url("/{name}"), server=server)
    assert run.exit == 0 and all(r.body == path.read_bytes() for r in server.requests), "files are sent as they are"


def test_with_a_rate(load, server):
    run = load("--rate", "500", "-d", "1s", "-c", "4", "-t", "2", server.url("/{seq}"), server=server)
    numbers = [int(r.target[1:]) for r in server.requests]
    assert run.exit == 0 and len(set(numbers)) == len(numbers) and max(numbers) <= len(numbers) + 2


@pytest.mark.parametrize("text, args, words", [
    ("name\na\n", ["/{nmae}"], ["nmae", "no such column", "name"]),
    ("name\na\n", ["-H", "X: {other}", "/"], ["other", "no such column"]),
    ("name,b\na\n", ["/{name}"], [":2: ", "1 values", "2 columns"]),
    ("name\n\"a\n", ["/{name}"], ["not closed"]),
    ("name\n\"a\"b\n", ["/{name}"], [":2: ", "after its quotes"]),
    ("name\n", ["/{name}"], ["no rows"]),
    ("", ["/"], ["is empty"]),
    ("name\nok\n\"a\nb\"\n", ["-H", "X: {name}", "/"], [":3: ", "control character"]),
    ("name\na\n", ["--body", "{name}", "--chunked", "/"], ["chunks"]),
    ("name\na\n", ["--feed-order", "once", "--warmup", "1s", "/"], ["contradict"]),
])
def test_mistakes(load, start_target, tmp_path, text, args, words):
    target, path = start_target(OK), tmp_path / "feed.csv"
    path.write_text(text)
    done = load.refused("--feed", str(path), *args[:-1], target.url(args[-1]))
    assert all(word in done.err for word in words), done.err
    assert target.counts()["accepted"] == 0


@pytest.fixture
def start_server():
    started = []

    def start(answer):
        started.append(Recorder(answer=answer))
        return started[-1]

    yield start
    for one in started:
        one.stop()
        assert not one.errors, one.errors


def test_cookies(load, start_server):
    def answer(request):
        fields = [] if request.field("cookie") else [f"Set-Cookie: id={request.connection}; Path=/; HttpOnly", "set-cookie: theme=dark"]
        return 200, fields, b"ok"

    server = start_server(answer)
    run = load("--cookies", "-c", "3", "-n", "30", server.url("/a"), server=server)
    assert run.exit == 0
    for connection in range(1, 4):
        seen = [r.field("cookie") for r in server.requests if r.connection == connection]
        assert seen[0] == [] and all(c == [f"id={connection}; theme=dark"] for c in seen[1:])
    assert server.connections == 3 and len(server.requests) == 30


def test_cookies_outlive_their_connection_and_are_taken_back(load, start_server):
    def answer(request):
        step = len(server.requests)
        fields = {1: ["Set-Cookie: a=1", "Set-Cookie: b=2", "Set-Cookie: c=3"], 2: ["Set-Cookie: b=; Max-Age=0", "Set-Cookie: a=4"],
                  3: ["Set-Cookie: c=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], 4: ["Set-Cookie: a=; Max-Age=-1"]}.get(step, [])
        return 200, fields, b"ok"

    server = start_server(answer)
    run = load("--cookies", "-c", "1", "-n", "5", "--requests-per-connection", "1", server.url(), server=server)
    assert run.exit == 0 and server.connections == 5
    assert [r.field("cookie") for r in server.requests] == [[], ["a=1; b=2; c=3"], ["c=3; a=4"], ["a=4"], []]


@pytest.mark.parametrize("attributes, kept", [
    ("Path=/a", True), ("Path=/a/", False), ("Path=/other", False), ("Path=/", True), ("Path=relative", True),
    ("Domain=127.0.0.1", True), ("Domain=elsewhere.test", False), ("Secure", False), ("SameSite=Lax; HttpOnly", True), ("Max-Age=60", True),
])
def test_cookies_of_others_are_not_kept(load, start_server, attributes, kept):
    server = start_server(lambda request: (200, [f"Set-Cookie: id=1; {attributes}"], b"ok"))
    run = load("--cookies", "-c", "1", "-n", "3", server.url("/a"), server=server)
    assert run.exit == 0 and [r.field("cookie") for r in server.requests] == [[]] + [["id=1"] if kept else []] * 2


def test_many_cookies_and_long_ones(load, start_server):
    server = start_server(lambda request: (200, [f"Set-Cookie: c{i}={'x' * 100}" for i in range(60)] + ["Set-Cookie: =x", "Set-Cookie: none"], b"ok"))
    run = load("--cookies", "-c", "1", "-n", "4", server.url("/a"), server=server)
    cookie, = server.requests[-1].field("cookie")
    assert run.exit == 0 and 3900 < len(cookie) <= 4096 and all(re.fullmatch(r"c\d+=x{100}", part) for part in cookie.split("; "))


def test_cookies_with_a_body_and_a_check(load, start_server, tmp_path):
    path = tmp_path / "body"
    path.write_bytes(b"z" * 200_000)
    server = start_server(lambda request: (200, ["Set-Cookie: id=1"], b"ok"))
    run = load("--cookies", "-T", str(path), "--expect-header", "Set-Cookie: id=1", "-c", "2", "-n", "6", server.url("/{seq}"), server=server)
    assert run.exit == 0 and all(r.body == path.read_bytes() for r in server.requests)
    assert "id=1" not in str(run.doc["errors"])


def test_cookies_contradict_a_cookie(load):
    assert "contradict" in load.refused("--cookies", "-H", "Cookie: a=b", "http://127.0.0.1:1/").err
