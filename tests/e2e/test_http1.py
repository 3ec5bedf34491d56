# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/1 to the letter: every legal reply in any pieces counts, with the same figures each time; every broken one fails by name."""
import pytest

from lib.target import OK, reply

CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def script(text):
    return text.replace("\r", r"\r").replace("\n", r"\n")


@pytest.mark.parametrize("interim, each", [
    ("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", 1),
    ("HTTP/1.1 100 Continue\r\n\r\n", 1),
    ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\n", 2),
    ("HTTP/1.1 102 Processing\r\nX: y\r\n\r\n\\{wait 1ms}", 1),
])
def test_interim_replies_are_not_the_reply(load, start_target, full, interim, each):
    """C38: 103 over HTTP/1 taken as the reply, then pipelining, then abort."""
    n = 1000 if full or "wait" not in interim else 200
    target = start_target(script(interim) + OK)
    run = load("-c", "1", "-n", str(n), target.url(), server=target)
    assert run.exit == 0 and run.doc["status"] == {"200": n}
    assert run.totals["interim_replies"] == n * each
    assert target.counts()["outstanding_max"] == 1 and target.counts()["accepted"] == 1


def test_switching_protocols_unasked_is_named(load, start_target):
    target = start_target(script("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n") + r"\{hang}")
    run = load("-c", "2", "-n", "10", target.url(), server=target)
    assert run.exit == 3 and run.kinds() == {"bad_message": 10}


def test_body_that_ends_with_the_connection(load, start_target):
    """C39: "0 requests, 40117 read errors" though curl is happy."""
    target = start_target(script("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n") + r"\{x*1270}\{fin}")
    run = load("-c", "5", "-n", "100", target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 100 and not run.doc["errors"]
    assert run.totals["body_bytes_received"] == 127_000
    assert run.totals["bytes_received"] == target.counts()["bytes_out"]
    assert target.counts()["accepted"] == 100


@pytest.mark.parametrize("why, head", [
    ("a length", "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n"),
    ("chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ("neither", "HTTP/1.1 200 OK\r\n\r\n"),
    ("an error with a length", "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n"),
])
def test_head_has_no_body(load, start_target, why, head):
    """C42: waits for a body that never comes."""
    target = start_target(script(head))
    run = load("-X", "HEAD", "--expect-status", "200,404", "-c", "1", "-n", "100", target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 100 and run.totals["body_bytes_received"] == 0
    assert run.doc["duration_s"] < 5 and target.counts()["accepted"] == 1, "the connection is kept"


@pytest.mark.parametrize("head, status", [
    ("HTTP/1.1 204 No Content\r\n\r\n", "204"),
    ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "204"),
    ("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", "204"),
    ("HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", "304"),
    ("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", "304"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200"),
])
def test_replies_without_body(load, start_target, head, status):
    """C43: 204 and 304 that hang when they carry a length, or none."""
    target = start_target(script(head))
    run = load("-c", "1", "-n", "100", target.url(), server=target)
    assert run.exit == 0 and run.doc["status"] == {status: 100} and run.totals["body_bytes_received"] == 0
    assert run.doc["duration_s"] < 5 and target.counts()["accepted"] == 1


@pytest.mark.parametrize("size, n", [(64 << 10, 200), (200_000, 100), (10 << 20, 20), (5 << 30, 1)])
def test_large_bodies_count_exactly(load, start_target, size, n):
    """C45: over 128 KiB failed with code -1; over 2 GiB counted wrong."""
    target = start_target(reply(length=size, body=r"\{file %d}" % size))
    run = load("-c", "2", "-n", str(n), target.url(), server=target, watch_rss=True, timeout_s=120)
    assert run.exit == 0 and run.totals["ok"] == n
    assert run.totals["body_bytes_received"] == size * n
    assert run.totals["bytes_received"] == target.counts()["bytes_out"]
    assert run.peak_rss < 64 << 20


PIECES = {
    "length": "HTTP/1.1 200 OK\r\nServer: t\r\nContent-Length: 11\r\n\r\nhello world",
    "chunked": CHUNKED + "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n",
    "chunk extensions and trailers": CHUNKED + "6;a=b;c=\"d;e\"\r\nhello \r\n0005 ; x\r\nworld\r\n0;last\r\nTrailer: x\r\nOther: y\r\n\r\n",
    "upper-case sizes, no padding": CHUNKED + "B\r\nhello world\r\n00\r\n\r\n",
    "two interim replies": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                           "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
    "HTTP/1.0 kept alive": "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 11\r\n\r\nhello world",
    "no reason": "HTTP/1.1 200 \r\ncontent-length:11\r\n\r\nhello world",
    "until close": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello world\\{fin}",
}


@pytest.mark.parametrize("why", PIECES)
@pytest.mark.parametrize("split", ["each", "bytes"])
def test_replies_in_pieces(load, start_target, why, split):
    """C46: a crash when the first chunk's size is not in the first read. Split at every offset, and a byte a write: identical counters."""
    text = PIECES[why]
    wire = len(text.replace("\\{fin}", ""))
    n = wire + 1 if split == "each" else 5
    target = start_target(script(text), split=split, pause="200us")
    run = load("-c", "1", "-n", str(n), target.url(), server=target)
    assert run.exit == 0 and run.doc["status"] == {"200": n} and not run.doc["errors"], run.doc["errors"]
    assert run.totals["body_bytes_received"] == 11 * n
    assert run.totals["bytes_received"] == wire * n == target.counts()["bytes_out"]
    assert run.totals["interim_replies"] == text.count("HTTP/1.1 1") * n
    assert target.counts()["accepted"] == (n if "fin" in text else 1)


@pytest.mark.parametrize("size", [4097, 8192, 16 << 10, 60 << 10])
def test_large_heads(load, start_target, size):
    """C48: heads over 4 096 or 8 191 bytes failed."""
    one = reply(fields=["X-Large: " + r"\{h*%d}" % size])
    target = start_target(one)
    run = load("-c", "2", "-n", "50", target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 50


def test_head_of_many_fields(load, start_target):
    target = start_target(reply(fields=[f"X-Field-{i}: {i}" for i in range(2000)]))
    run = load("-c", "2", "-n", "20", target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 20


@pytest.mark.parametrize("field", ["X-Large: " + r"\{h*10485760}", r"\{h*10485760}: x"])
def test_head_too_large(load, start_target, field):
    """C48: a name of its own, and no hang."""
    target = start_target(reply(fields=[field]))
    run = load("-c", "2", "-n", "20", target.url(), server=target)
    assert run.exit == 3 and run.kinds() == {"header_too_large": 20} and run.totals["ok"] == 0
    assert run.wall_s < 10


@pytest.mark.parametrize("why, text, body", [
    ("half of a length", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\\{x*500}", 500),
    ("no last chunk", CHUNKED + "5\r\nhello\r\n", 5),
    ("inside a chunk", CHUNKED + "10\r\nhello", 5),
    ("inside a chunk's size", CHUNKED + "5\r\nhello\r\n1", 5),
    ("inside the trailer", CHUNKED + "5\r\nhello\r\n0\r\nA: b", 5),
    ("inside the head", "HTTP/1.1 200 OK\r\nContent-Le", 0),
    ("after an interim reply", "HTTP/1.1 100 Continue\r\n\r\n", 0),
])
@pytest.mark.parametrize("end", ["fin", "rst"])
def test_replies_cut_short(load, start_target, why, text, body, end):
    """C51: cut short and counted as success."""
    target = start_target(script(text) + r"\{%s}" % end)
    run = load("-c", "4", "-n", "40", target.url(), server=target)
    assert run.exit == 3 and run.totals["ok"] == 0
    kinds = run.kinds()
    assert sum(kinds.values()) == 40
    assert set(kinds) <= ({"truncated"} if end == "fin" else {"truncated", "reset"}), kinds
    if end == "fin":
        assert run.totals["body_bytes_received"] == body * 40
    assert run.totals["retried"] == 0, "a reply had begun"


@pytest.mark.parametrize("why, text", [
    ("no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n"),
    ("bad version", "HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nok"),
    ("status is no number", "HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok"),
    ("length is no number", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nok"),
    ("negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok"),
    ("length overflows", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok"),
    ("two lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"),
    ("bad chunk size", CHUNKED + "xyz\r\nhello\r\n0\r\n\r\n"),
    ("chunk longer than its size", CHUNKED + "3\r\nhello\r\n0\r\n\r\n"),
    ("a space before the colon", "HTTP/1.1 200 OK\r\nServer : x\r\nContent-Length: 2\r\n\r\nok"),
    ("NUL in a field", "HTTP/1.1 200 OK\r\nServer: a\\0b\r\nContent-Length: 2\r\n\r\nok"),
    ("a line without colon", "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 2\r\n\r\nok"),
])
def test_malformed_replies_are_named(load, start_target, why, text):
    target = start_target(script(text) + r"\{hang}")
    run = load("-c", "4", "-n", "40", "--timeout", "2s", target.url(), server=target)
    assert run.exit == 3 and run.kinds() == {"bad_message": 40}, run.doc["errors"]
    assert run.error("bad_message")["detail"], "with the parser's reason"
    assert run.wall_s < 5


def test_bytes_after_the_reply_spoil_the_connection_not_the_reply(load, start_target):
    """Pipelined garbage: nothing that was not asked for becomes a reply."""
    target = start_target(reply(body="ok", length=2) + script("HTTP/1.1 500 Not asked\r\nContent-Length: 0\r\n\r\n"))
    run = load("-c", "2", "-n", "40", target.url(), server=target)
    assert "500" not in run.doc["status"]
    assert run.totals["started"] == 40 and run.totals["ok"] + run.totals["failed"] == 40
    assert target.counts()["accepted"] >= 20, "such a connection is not used again"


def test_greeting_before_any_request(load, start_target):
    """A reply that comes before the question is not its answer."""
    target = start_target(script("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n") + r"\{fin}", OK, greet=0,
                          when=["every=1:1"])
    run = load("-c", "2", "-n", "20", target.url(), codes=(3,))
    assert run.totals["ok"] == 0 and run.totals["started"] == 20


@pytest.mark.parametrize("options, line", [([], "HTTP/1.1"), (["--http1.1"], "HTTP/1.1"), (["--http1.0"], "HTTP/1.0")])
def test_versions_sent(load, start_target, tmp_path, options, line):
    target = start_target(reply(fields=["Connection: keep-alive"]), record=tmp_path / "record")
    run = load(*options, "-c", "1", "-n", "10", target.url("/path?query=1"), server=target)
    assert run.exit == 0 and target.counts()["accepted"] == 1
    asked = (tmp_path / "record").read_bytes()
    assert asked.count(f"GET /path?query=1 {line}\r\n".encode()) == 10
    assert asked.count(f"Host: 127.0.0.1:{target.port}\r\n".encode()) == 10
    assert (b"keep-alive" in asked.lower()) == (line == "HTTP/1.0")


def test_http10_without_keep_alive_closes(load, start_target):
    target = start_target(script("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok") + r"\{fin}")
    run = load("--http1.0", "-c", "2", "-n", "20", target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 20 and target.counts()["accepted"] == 20


def heads(recorded):
    return [head.decode() for head in recorded.split(b"\r\n\r\n") if head]


def test_request_as_given(load, start_target, tmp_path):
    target = start_target(OK, record=tmp_path / "record")
    load("-c", "1", "-n", "2", "-X", "DELETE", "-H", "X-One: 1", "-H", "User-Agent: mine", "-H", "Accept:", "-H", "X-Empty;",
         "-H", "Host: other.test", target.url("/a?b=c#fragment"), server=target)
    one, two = heads((tmp_path / "record").read_bytes())
    assert one == two
    lines = one.split("\r\n")
    assert lines[0] == "DELETE /a?b=c HTTP/1.1"
    assert [line for line in lines if line.lower().startswith("host:")] == ["Host: other.test"]
    assert "X-One: 1" in lines and "User-Agent: mine" in lines
    assert [line.rstrip(" ") for line in lines if line.startswith("X-Empty")] == ["X-Empty:"]
    assert not any(line.lower().startswith("accept:") for line in lines)
    assert len({line.split(":")[0].lower() for line in lines[1:]}) == len(lines) - 1, "no field twice"


@pytest.mark.parametrize("how, method", [("--body", "POST"), ("--body-file", "POST"), ("-T", "PUT"), ("stdin", "POST")])
@pytest.mark.parametrize("size", [0, 1, 70_000, 3_000_000])
def test_uploads_arrive_to_the_byte(load, start_target, tmp_path, how, method, size):
    content = (b"0123456789abcdef\n" * (size // 17 + 1))[:size] if how == "--body" else (bytes(range(256)) * (size // 256 + 1))[:size]
    if how == "--body" and size > 100_000:
        pytest.skip("an argument of the command line cannot be that long")
    file = tmp_path / "body"
    file.write_bytes(content)
    target = start_target(OK, record=tmp_path / "record")
    option = {"--body": ["--body", content.decode("latin-1")], "--body-file": ["--body", f"@{file}"], "-T": ["-T", file],
              "stdin": ["--body", "@-"]}[how]
    run = load(*option, "-c", "1", "-n", "3", target.url("/up"), server=target, stdin=content)
    assert run.exit == 0 and run.totals["ok"] == 3
    counts = target.counts()
    assert counts["requests"] == 3 and counts["body_bytes_in"] == 3 * size
    assert run.totals["bytes_sent"] == counts["bytes_in"]
    recorded = (tmp_path / "record").read_bytes()
    head = recorded.split(b"\r\n\r\n", 1)[0]
    assert head.startswith(method.encode() + b" /up HTTP/1.1\r\n") and f"Content-Length: {size}".encode() in head
    assert recorded == (head + b"\r\n\r\n" + content) * 3


def test_uploads_of_many_connections(load, start_target, tmp_path):
    file = tmp_path / "body"
    file.write_bytes(b"z" * 1_000_003)
    target = start_target(OK)
    run = load("-T", file, "-c", "8", "-n", "50", target.url(), server=target)
    assert run.exit == 0 and target.counts()["body_bytes_in"] == 50 * 1_000_003
    assert run.totals["bytes_sent"] == target.counts()["bytes_in"]


@pytest.mark.parametrize("end, fields", [("", []), (r"\{fin}", ["Connection: close"])])
def test_reply_before_the_upload_is_through(load, start_target, tmp_path, end, fields):
    """A refusal that does not wait for the body is the answer, not a broken connection."""
    file = tmp_path / "body"
    file.write_bytes(b"z" * 5_000_000)
    target = start_target(reply("413 Too Large", fields=fields) + end, early=True)
    run = load("-T", file, "-c", "2", "-n", "6", "--expect-status", "413", target.url())
    assert run.exit == 0 and run.doc["status"] == {"413": 6}
    assert target.counts()["heads"] == 6 + run.totals["retried"] == 6


def test_an_early_reply_is_named(load, start_target, tmp_path):
    """More than sockets hold: the reply is here while the rest of the body is not sent. A success too is said to be one that did not wait."""
    file = tmp_path / "body"
    with open(file, "wb") as out:
        out.truncate(200_000_000)
    target = start_target(OK, early=True)
    run = load("-T", file, "-c", "1", "-n", "4", target.url())
    assert run.exit == 0 and run.totals["ok"] == 4 == run.totals["early_replies"] == run.totals["connections_opened"]
    assert run.totals["bytes_sent"] < 4 * 200_000_000 and any("before the request was sent whole" in w for w in run.doc["warnings"])
    full = load("--body", "x", "-c", "1", "-n", "4", start_target(OK).url())
    assert full.totals["early_replies"] == 0


def test_a_reply_before_any_request(load, start_target):
    target = start_target(OK, greet=0)
    run = load("-c", "1", "-n", "3", "--max-errors", "100%", target.url())
    assert run.totals["started"] == 3


def test_expected_statuses(load, start_target):
    target = start_target(OK, reply("404 Not Found"), reply("302 Found", fields=["Location: /"]), when=["pick=0121"])
    default = load("-c", "1", "-n", "40", target.url(), server=None)
    assert default.totals["ok"] == 20 and default.totals["failed"] == 20 and default.exit == 3, "redirects are ok, and not followed"
    asked = load("-c", "1", "-n", "40", "--expect-status", "404", target.url())
    assert asked.totals["ok"] == 20 and asked.kinds() == {"status": 20}
    assert sorted(e["detail"] for e in asked.doc["errors"]) == ["status 200", "status 302"]
    assert load("-c", "1", "-n", "40", "--expect-status", "200,302,4xx", target.url()).exit == 0
