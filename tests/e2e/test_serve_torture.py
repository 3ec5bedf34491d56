# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that another server in the path could read differently (request smuggling), and worse. Each gets its refusal and a closed connection: nothing
behind it is taken for a request."""
import random
import socket

import pytest

from lib.serve_http import Closed, Server, request

HOST = b"Host: a\r\n"
NEXT = b"GET /status/299 HTTP/1.1\r\nHost: smuggled\r\n\r\n"
POST = b"POST /bytes/1 HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"

HEADS = {
    "both lengths": (400, POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "both lengths, coding first": (400, POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"),
    "two lengths": (400, POST + b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n"),
    "the same length twice": (400, POST + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n"),
    "a list of lengths": (400, POST + b"Content-Length: 0, 0\r\n\r\n"),
    "a length with a sign": (400, POST + b"Content-Length: +0\r\n\r\n"),
    "a length that is no number": (400, POST + b"Content-Length: ten\r\n\r\n"),
    "a length beyond 64 bits": (400, POST + b"Content-Length: 18446744073709551617\r\n\r\n"),
    "a length before its colon": (400, POST + b"Content-Length : 44\r\n\r\n"),
    "a length behind a tab": (400, POST + b"\tContent-Length: 44\r\n\r\n"),
    "a coding with a vertical tab": (400, POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n"),
    "a coding with a NUL": (400, POST + b"Transfer-Encoding: chunked\x00\r\n\r\n0\r\n\r\n"),
    "a coding in quotes": (400, POST + b'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n'),
    "identity": (400, POST + b"Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n"),
    "gzip then chunked": (501, POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    "chunked then gzip": (400, POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
    "chunked twice": (400, POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "chunked on 1.0": (400, b"POST /bytes/1 HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "obsolete folding": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n"),
    "a folded coding": (400, POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
    "bare LF everywhere": (400, b"GET /bytes/1 HTTP/1.1\nHost: a\n\n"),
    "bare LF at the end": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\n\n"),
    "bare CR": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\nX: y\rZ: w\r\n\r\n"),
    "CR CR LF": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\r\n\r\n"),
    "NUL in the target": (400, b"GET /bytes/1\x00 HTTP/1.1\r\nHost: a\r\n\r\n"),
    "NUL in a value": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n"),
    "a megabyte of head": (431, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n"),
    "a megabyte of target": (414, b"GET /" + b"x" * (1 << 20) + b" HTTP/1.1\r\nHost: a\r\n\r\n"),
    "ten thousand fields": (431, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 10_000 + b"\r\n"),
    "CONNECT": (501, b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
    "TRACE": (501, b"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"),
    "an unknown method": (501, b"BREW / HTTP/1.1\r\nHost: a\r\n\r\n"),
    "almost HTTP/2's preface": (505, b"PRI * HTTP/2.0\r\n\r\nSN\r\n\r\n"),
    "HTTP/2's preface as a second request": (505, b"GET /bytes/0 HTTP/1.1\r\nHost: a\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "HTTP/3.1": (505, b"GET / HTTP/3.1\r\nHost: a\r\n\r\n"),
    "HTTP/0.9": (400, b"GET /\r\n"),
    "no version": (400, b"GET / \r\nHost: a\r\n\r\n"),
    "two targets": (400, b"GET / /bytes/1 HTTP/1.1\r\nHost: a\r\n\r\n"),
    "no Host": (400, b"GET /bytes/1 HTTP/1.1\r\n\r\n"),
    "two Hosts": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    "a Host with a slash": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    "a field without colon": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\nContent-Length\r\n\r\n"),
    "a field without name": (400, b"GET /bytes/1 HTTP/1.1\r\nHost: a\r\n: 5\r\n\r\n"),
    "UTF-8 in the target": (400, "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n".encode()),
    "a TLS hello": (400, b"\x16\x03\x01\x02\x00\x01\x00\n\r\n\r\n"),
    "an unknown expectation": (417, POST + b"Expect: wonders\r\nContent-Length: 0\r\n\r\n"),
    "a scheme of others": (400, b"GET gopher://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
}

BODIES = {
    "no size": b"\r\n",
    "a size with a sign": b"+1\r\na\r\n0\r\n\r\n",
    "0x": b"0x1\r\na\r\n0\r\n\r\n",
    "a size with a space behind": b"1 \r\na\r\n0\r\n\r\n",
    "a size with a tab before": b"\t1\r\na\r\n0\r\n\r\n",
    "a size that is no number": b"xyz\r\na\r\n0\r\n\r\n",
    "bare LF behind the size": b"1\na\r\n0\r\n\r\n",
    "bare CR behind the size": b"1\ra\r\n0\r\n\r\n",
    "bare LF behind the content": b"1\r\na\n0\r\n\r\n",
    "nothing behind the content": b"1\r\na0\r\n\r\n",
    "two bytes too many": b"1\r\nabc\r\n0\r\n\r\n",
    "bare LF in an extension": b"1;x\na\r\n0\r\n\r\n",
    "NUL in an extension": b"1;\x00\r\na\r\n0\r\n\r\n",
    "bare LF at the end": b"0\r\n\n",
    "a folded trailer": b"0\r\nX: y\r\n z\r\n\r\n",
    "twenty digits": b"00000000000000000001\r\na\r\n0\r\n\r\n",
    "a mebibyte of extension": b"1;" + b"x" * (1 << 20) + b"\r\na\r\n0\r\n\r\n",
    "a mebibyte of trailers": b"0\r\n" + b"X: y\r\n" * (1 << 17) + b"\r\n",
}


@pytest.fixture(scope="module")
def server(plimsoll):
    one = Server(plimsoll, "--threads", "1", tls=True)
    yield one
    assert one.stop() == 0


def refused(server, data, status, tls=False, pieces=1):
    with server.connect(tls) as c:
        try:
            for i in range(pieces):
                c.send(data[len(data) * i // pieces:len(data) * (i + 1) // pieces])
        except OSError:
            pass  # it may have said no before everything was sent
        reply = c.reply()
        if data.startswith(b"GET /bytes/0 "):
            reply = c.reply()
        assert reply.status == status, reply
        assert reply["Connection"] == "close"
        assert reply.json()["status"] == status and len(reply.json()["error"]) > 10
        assert c.closes(), "something behind the refused request was answered"


@pytest.mark.parametrize("pieces", [1, 7])
@pytest.mark.parametrize("name", HEADS)
def test_heads(server, name, pieces):
    status, head = HEADS[name]
    refused(server, head + NEXT, status, pieces=pieces)


@pytest.mark.parametrize("name", ["both lengths", "two lengths", "a megabyte of head", "CONNECT"])
def test_heads_over_tls(server, name):
    status, head = HEADS[name]
    refused(server, head + NEXT, status, tls=True)


@pytest.mark.parametrize("name", BODIES)
def test_chunks(server, name):
    refused(server, CHUNKED + BODIES[name] + NEXT, 400)


def test_a_size_beyond_64_bits(server):
    refused(server, CHUNKED + b"fffffffffffffff\r\n" + NEXT, 413)
    refused(server, CHUNKED + b"ffffffffffffffff1\r\n" + NEXT, 413)


def test_what_looks_like_a_request_in_a_body_is_a_body(server):
    with server.connect() as c:
        c.send(POST + b"Content-Length: %d\r\n\r\n" % len(NEXT) + NEXT + request("/bytes/2"))
        assert c.reply().body == b"0" and c.reply().body == b"01"
        c.send(CHUNKED + b"%x\r\n" % len(NEXT) + NEXT + b"\r\n0\r\n\r\n" + request("/bytes/2"))
        assert c.reply().body == b"0" and c.reply().body == b"01"


def test_absolute_form_is_origin_form(server):
    with server.connect() as c:
        c.send(request("http://b.test:81/bytes/3"))
        assert c.reply().body == b"012"
        c.send(request("http://b.test"))
        assert c.reply().status == 200


def test_a_body_cut_short_is_not_answered(server):
    for data in [POST + b"Content-Length: 10\r\n\r\nabc", CHUNKED + b"5\r\nab", CHUNKED + b"1\r\na\r\n", b"GET /bytes/1 HT"]:
        with server.connect() as c:
            c.send(data)
            c.end()
            assert c.closes()


def test_garbage(server):
    """Random bytes, and good requests with a byte changed: an answer or a close, never a crash, and the next client is served."""
    chance = random.Random(1)
    good = request("/bytes/3", "POST", b"hello", headers=["X: y"]) + CHUNKED + b"3;a\r\nabc\r\n0\r\n\r\n"
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.2:
            data = bytearray(chance.randbytes(chance.randint(1, 500)))
        with server.connect(timeout=5) as c:
            c.send(bytes(data))
            c.end()
            try:
                while True:
                    assert 200 <= c.reply().status < 600
            except (Closed, ConnectionResetError):
                pass
    assert server.ask("/healthz").status == 200


def test_resets(server):
    import struct
    for path in ["/bytes/100000000", "/delay/200", "/chunked/100000000", "/bytes/1"]:
        for _ in range(20):
            c = server.connect()
            c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            c.send(request(path) * 3)
            c.close()
    assert server.ask("/healthz").status == 200
