# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripted target itself, asked with plain sockets and curl: what the other tests rely on."""
import socket
import subprocess
import time

import pytest

from lib.process import run, wait_until
from lib.target import OK, reply

ASK = b"GET /x HTTP/1.1\r\nHost: t\r\n\r\n"


def connect(target):
    return socket.create_connection(("127.0.0.1", target.port), timeout=10)


def read_to_end(s):
    out = b""
    while True:
        got = s.recv(65536)
        if not got:
            return out
        out += got


def test_counts_what_curl_sends(start_target, tmp_path):
    body = bytes(range(256)) * 1000
    (tmp_path / "body").write_bytes(body)
    target = start_target(OK, record=tmp_path / "record")
    done = run(["curl", "-sS", "-T", str(tmp_path / "body"), target.url("/a"), target.url("/b")], 20)
    assert done.exit == 0, done
    counts = target.stop()
    assert counts["requests"] == 2 and counts["accepted"] == 1 and counts["on_connection_max"] == 2
    assert counts["body_bytes_in"] == 256000 and counts["outstanding_max"] == 1
    recorded = (tmp_path / "record").read_bytes()
    assert len(recorded) == counts["bytes_in"] and body in recorded and recorded.count(b"HTTP/1.1\r\n") == 2


def test_pieces_arrive_apart(start_target):
    target = start_target(reply(body="abcdef"), split=20, pause="50ms")
    with connect(target) as s:
        s.sendall(ASK)
        first = s.recv(65536)
        assert len(first) == 20, first
        assert s.recv(65536).endswith(b"abcdef")


@pytest.mark.parametrize("split", ["each", "bytes"])
def test_pieces_add_up(start_target, split):
    target = start_target(reply(body="abcdef"), split=split, pause="50us")
    want = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef"
    with connect(target) as s:
        for _ in range(len(want) + 2):
            s.sendall(ASK)
            got = b""
            while len(got) < len(want):
                got += s.recv(65536)
            assert got == want


def test_rules_choose(start_target):
    target = start_target(*(reply(body=c) for c in "abcdef"), when=["path=/p:5", "only=2:1", "every=5:2", "after=7:3", "method=HEAD:4"])
    with connect(target) as s:
        got = b""
        for ask in (ASK, ASK, ASK.replace(b"GET", b"HEAD"), ASK.replace(b"/x", b"/p/q"), ASK, ASK, ASK, ASK):
            s.sendall(ask)
            got += s.recv(65536)[-1:]
    assert got == b"abefcaad"
    assert target.counts()["by_reply"][:6] == [3, 1, 1, 1, 1, 1]


def test_pick_and_index_delay(start_target):
    target = start_target(reply(body="a"), reply(body="b"), when=["pick=001"], index_delay="20ms", arrivals=10)
    with connect(target) as s:
        for i, letter in enumerate("aabaab", 1):
            begin = time.monotonic()
            s.sendall(ASK)
            assert s.recv(65536)[-1:] == letter.encode()
            assert time.monotonic() - begin >= 0.02 * i
    arrivals = target.counts()["arrivals"]
    assert len(arrivals) == 6 and arrivals[0] == 0 and arrivals[1] >= 0.02 and arrivals == sorted(arrivals)


@pytest.mark.parametrize("end, error", [("fin", None), ("close", None), ("rst", ConnectionResetError)])
def test_ends(start_target, end, error):
    target = start_target(r"HTTP/1.1 200 OK\r\n\r\nhalf\{%s}" % end)
    with connect(target) as s:
        s.sendall(ASK)
        if error:
            with pytest.raises(error):
                read_to_end(s)
        else:
            assert read_to_end(s).endswith(b"half")


def test_hang_and_pipelining_are_seen(start_target):
    target = start_target(r"\{hang}")
    with connect(target) as s:
        s.sendall(ASK * 3)
        wait_until(lambda: target.counts()["requests"] == 3, "three requests")
        assert target.counts()["outstanding_max"] == 3
    wait_until(lambda: target.counts()["abandoned"] == 1, "the client left")


def test_greeting_chunked_body_and_early(start_target):
    target = start_target(reply(body="hello"), OK, greet=0, when=["every=1:1"], early=True)
    with connect(target) as s:
        assert s.recv(65536).endswith(b"hello")
        s.sendall(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n")
        assert s.recv(65536).endswith(b"ok")
        assert target.counts()["heads"] == 1 and target.counts()["requests"] == 0
        s.sendall(b"0\r\nTrailer: x\r\n\r\n")
        wait_until(lambda: target.counts()["requests"] == 1, "the request is whole")
    assert target.counts()["body_bytes_in"] == 4


def test_large_sparse_body(start_target):
    size = (5 << 30) + 3
    target = start_target(reply(length=size, body=r"\{file %d}" % size))
    done = subprocess.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{size_download}", target.url()], capture_output=True, timeout=60)
    assert done.stdout == str(size).encode(), done


def test_addresses_ports_and_unix(start_target, tmp_path):
    path = tmp_path / "sock"
    many = start_target(OK, listen=["127.0.0.1", "127.0.0.2", f"unix:{path}"])
    for host in ("127.0.0.1", "127.0.0.2"):
        with socket.create_connection((host, many.port), timeout=5) as s:
            s.sendall(ASK)
            assert s.recv(100).endswith(b"ok")
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(str(path))
        s.sendall(ASK)
        assert s.recv(100).endswith(b"ok")
    assert [one["requests"] for one in many.counts()["listeners"][:3]] == [1, 1, 1]
    assert len(set(start_target(OK, ports=50).ports)) == 50


def test_dead_address_does_not_answer(start_target):
    target = start_target(OK, listen=["127.0.0.1"], dead=["127.0.0.2"])
    with pytest.raises(TimeoutError):
        socket.create_connection(("127.0.0.2", target.port), timeout=0.5)


@pytest.mark.parametrize("script", [r"\q", r"\{", r"\{wait 3}", r"\{file x}", r"\xg0"])
def test_bad_scripts_are_refused(target_program, script):
    done = run([target_program, "--reply", script], 10)
    assert done.exit == 2 and done.err.startswith("target: ")
