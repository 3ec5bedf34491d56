# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of every kind byte for byte, Expect: 100-continue, and the checks that replies are held against."""
import email
import email.policy
import hashlib
import random
import ssl
import subprocess

import pytest

from lib.process import accepts, free_port, wait_until
from lib.recorder import Recorder
from lib.target import OK, reply

CHUNKED_OK = r"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"


@pytest.fixture
def start_recorder():
    started = []

    def start(**how):
        started.append(Recorder(**how))
        return started[-1]

    yield start
    for one in started:
        one.stop()
        assert not one.errors, one.errors


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Files of sizes around the limits of buffers and chunks."""
    folder, rng = tmp_path_factory.mktemp("bodies"), random.Random(7)
    for size in (0, 1, 4095, 65536, 65537, 262144, 262145, 3_000_001):
        (folder / f"{size}.bin").write_bytes(rng.randbytes(size))
    return folder


def parts_of(request):
    """The parts of a form: (name, file name, type, bytes), read by Python's own MIME parser."""
    kind, = request.field("content-type")
    message = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + request.body, policy=email.policy.HTTP)
    assert message.is_multipart() and not message.defects
    return [(p.get_param("name", header="content-disposition"), p.get_filename(), p.get_content_type() if "content-type" in p else None,
             p.get_payload(decode=True)) for p in message.iter_parts()]


@pytest.mark.parametrize("manner", [(), ("--chunked",), ("--expect-continue",), ("--chunked", "--expect-continue")])
@pytest.mark.parametrize("size", [1, 4095, 65536, 65537, 262145, 3_000_001])
def test_an_upload_arrives_byte_for_byte(load, start_recorder, files, manner, size):
    server = start_recorder(before_body=lambda fields: b"HTTP/1.1 100 Continue\r\n\r\n" if ("expect", "100-continue") in fields else None)
    path = files / f"{size}.bin"
    run = load("-T", str(path), *manner, "-c", "2", "-n", "8", server.url(), server=server)
    assert run.exit == 0 and len(server.requests) == 8
    assert run.totals["interim_replies"] == (8 if "--expect-continue" in manner else 0)
    for request in server.requests:
        assert request.method == "PUT" and request.body == path.read_bytes()
        assert bool(request.field("transfer-encoding")) == ("--chunked" in manner)
        assert request.field("content-length") == ([] if "--chunked" in manner else [str(size)])
        assert request.field("expect") == (["100-continue"] if "--expect-continue" in manner else [])


@pytest.mark.parametrize("manner", [(), ("--chunked",)])
def test_a_form_is_read_by_another_parser(load, start_recorder, files, manner):
    server = start_recorder()
    run = load("--form", "title=a \"quoted\" name & more", "--form", f"one=@{files / '65537.bin'}", "--form", "empty=", *manner,
               "--form", f"two=@{files / '1.bin'};type=image/png;filename=pixel.png", "--form", f"none=@{files / '0.bin'}",
               "-c", "2", "-n", "6", server.url(), server=server)
    assert run.exit == 0 and len(server.requests) == 6
    for request in server.requests:
        assert request.method == "POST"
        assert parts_of(request) == [
            ("title", None, None, b'a "quoted" name & more'),
            ("one", "65537.bin", "application/octet-stream", (files / "65537.bin").read_bytes()),
            ("empty", None, None, b""),
            ("two", "pixel.png", "image/png", (files / "1.bin").read_bytes()),
            ("none", "0.bin", "application/octet-stream", b""),
        ]
    assert "quoted" not in str(run.doc["command"]) and "quoted" not in str(run.doc["config"]), "values are not shown"


def test_a_form_over_tls(load, start_recorder, authority, files):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.cert, authority.key)
    server = start_recorder(tls=context)
    run = load("-k", "--form", f"one=@{files / '3000001.bin'}", "--form", "last=x", "-c", "2", "-n", "4", server.url(), server=server)
    assert run.exit == 0
    for request in server.requests:
        assert [p[3] for p in parts_of(request)] == [(files / "3000001.bin").read_bytes(), b"x"]


def test_a_large_form_is_not_held_in_memory(load, start_recorder, tmp_path):
    path, size = tmp_path / "large", 200 << 20
    with open(path, "wb") as f:
        f.truncate(size)
    server = start_recorder(keep=False)
    run = load("--form", f"blob=@{path}", "-c", "2", "-n", "2", server.url(), server=server, watch_rss=True)
    assert run.exit == 0 and run.peak_rss < 64 << 20
    assert run.totals["bytes_sent"] > 2 * size
    assert run.doc["phases"]["send"]["min"] > 0.005, "the time of the upload is in phases.send"


def test_random_bodies_repeat_by_seed(load, start_recorder):
    def bodies(seed, size="300kB"):
        server = start_recorder()
        run = load("--body-random", size, "--seed", seed, "-c", "2", "-n", "4", server.url(), server=server)
        assert run.exit == 0
        one, = {request.body for request in server.requests}
        return one

    first = bodies("1")
    assert len(first) == 300_000 and first == bodies("1") and first != bodies("2")
    assert len(set(first)) == 256 and max(first.count(b) for b in range(256)) < 1500, "it looks like noise"
    assert len(bodies("1", "20MiB")) == 20 << 20 and len(bodies("1", "1B")) == 1


def test_without_100_continue_the_body_follows_after_a_second(load, start_recorder):
    server = start_recorder()
    run = load("--body", "hello", "--expect-continue", "-c", "1", "-n", "2", server.url(), server=server)
    assert run.exit == 0 and [r.body for r in server.requests] == [b"hello"] * 2
    assert 0.99 < run.latency["min"] < 1.2 and run.doc["phases"]["wait"]["max"] < 0.5


def test_refused_before_the_body(load, start_recorder):
    server = start_recorder(before_body=lambda fields: (413, ["Connection: close"], b"too large"))
    run = load("--body-random", "1MB", "--expect-continue", "-c", "2", "-n", "10", server.url(), server=server)
    assert run.exit == 3 and run.kinds() == {"status": 10} and run.doc["status"] == {"413": 10}
    assert server.connections == 10 and run.totals["bytes_sent"] < 10_000, "no body was sent"


@pytest.mark.parametrize("args, words", [
    (("--form", "a=1", "--body", "x"), "contradict"),
    (("--form", "a"), "NAME=VALUE"),
    (("--form", "a=@/nonexistent"), "No such file"),
    (("--form", "a=@/etc"), "regular file"),
    (("--form", "a=1", "-H", "Content-Type: text/plain"), "boundary"),
    (("--body-random", "20"), "20"),
    (("--chunked",), "without a body"),
    (("--body", "x", "--chunked", "--http1.0"), "contradict"),
    (("--body", "x", "--chunked", "-H", "Content-Length: 1"), "chunks"),
    (("--expect-body", "a("), "character"),
    (("--expect-body-sha256", "abc"), "64"),
    (("--expect-header", ": x"), "names no field"),
    (("--expect-body-size", "5"), "5"),
])
def test_bad_input(load, start_target, args, words):
    target = start_target(OK)
    done = load.refused(*args, target.url())
    assert words in done.err and target.counts()["accepted"] == 0


HELLO = hashlib.sha256(b"hello world").hexdigest()
PLAIN_HELLO = reply(fields=["X-State: good"], body="hello world")


@pytest.mark.parametrize("answer", [PLAIN_HELLO, CHUNKED_OK.replace("200 OK", r"200 OK\r\nX-State: good"),
                                    r"HTTP/1.1 200 OK\r\nX-State: good\r\nConnection: close\r\n\r\nhello world\{fin}"])
@pytest.mark.parametrize("split", [None, "bytes"])
@pytest.mark.parametrize("check, kind", [
    (("--expect-body-size", "11B"), None),
    (("--expect-body-size", "12B"), "body"),
    (("--expect-body-sha256", HELLO), None),
    (("--expect-body-sha256", "0" * 64), "body"),
    (("--expect-body", "^hel+o .orld$"), None),
    (("--expect-body", "goodbye"), "body"),
    (("--expect-header", "x-state: good"), None),
    (("--expect-header", "X-State"), None),
    (("--expect-header", "X-State: bad"), "header"),
    (("--expect-header", "X-State", "--expect-header", "X-Other"), "header"),
])
def test_checks(load, start_target, answer, split, check, kind):
    target = start_target(answer, **({"split": split} if split else {}))
    run = load(*check, "-c", "1", "-n", "4", target.url(), server=target)
    if kind is None:
        assert run.exit == 0 and run.totals["ok"] == 4
        return
    assert run.exit == 3 and run.kinds() == {kind: 4} and run.doc["status"] == {"200": 4}
    assert run.error(kind)["first"].startswith("HTTP/1.1 200 OK") and run.error(kind)["detail"]


def test_a_check_of_some_replies(load, start_target):
    target = start_target(reply(body="good"), reply(body="evil"), when=["nth=4:1"])
    run = load("--expect-body", "good", "-c", "1", "-n", "40", "--max-errors", "50%", target.url(), server=target)
    assert run.exit == 0 and run.kinds() == {"body": 10} and run.totals["ok"] == 30
    assert "evil" in run.error("body")["first"]


def test_bodies_nobody_looks_at_stay_in_the_kernel(load, start_target):
    """A size is checked without reading: only patterns and digests bring bodies into the program."""
    size = 64 << 20
    target = start_target(reply(length=size, body=r"\{file %d}" % size))
    digest = hashlib.sha256(bytes(size)).hexdigest()
    for check in (("--expect-body-size", "64MiB"), ("--expect-body-sha256", digest)):
        run = load(*check, "-c", "1", "-n", "2", target.url())
        assert run.totals["body_bytes_received"] == 2 * size
        assert check[0] != "--expect-body-size" or run.exit == 0


H2_CONF = """
worker_processes 1; daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5; client_max_body_size 0; keepalive_requests 1000000;
    server {{ listen 127.0.0.1:{port} http2; root {folder}/www; location /up/ {{ dav_methods PUT; create_full_put_path on; }} }}
}}
"""


@pytest.fixture(scope="session")
def h2(tmp_path_factory):
    """nginx that speaks HTTP/2 with prior knowledge, and keeps what is PUT to /up/."""
    folder, port = tmp_path_factory.mktemp("h2"), free_port()
    (folder / "www").mkdir()
    (folder / "www" / "hello.txt").write_text("hello world")
    (folder / "conf").write_text(H2_CONF.format(folder=folder, port=port))
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "conf")], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: accepts(port), "nginx")
        yield f"http://127.0.0.1:{port}", folder / "www"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("args, kind", [
    (("--expect-body", "^hello"), None), (("--expect-body", "goodbye"), "body"), (("--expect-body-sha256", HELLO), None),
    (("--expect-header", "content-length: 11"), None), (("--expect-header", "X-None"), "header"),
    (("--expect-body-size", "11B"), None), (("--expect-body-size", "1B"), "body"),
])
def test_checks_over_http2(load, h2, args, kind):
    run = load("--h2c", "--streams", "4", "-c", "2", "-n", "40", *args, h2[0] + "/hello.txt")
    assert run.kinds() == ({kind: 40} if kind else {}) and run.totals["ok"] == (0 if kind else 40)
    assert all(e["first"].startswith("HTTP/2 200") for e in run.doc["errors"])


@pytest.mark.parametrize("size", [1, 65537, 3_000_001])
def test_uploads_over_http2(load, h2, files, size):
    path = files / f"{size}.bin"
    run = load("--h2c", "--streams", "3", "-T", str(path), "-c", "2", "-n", "12", f"{h2[0]}/up/{size}")
    assert run.exit == 0 and run.totals["ok"] == 12, run.doc["errors"]
    assert (h2[1] / "up" / str(size)).read_bytes() == path.read_bytes()


def test_a_form_over_http2(load, h2, files):
    run = load("--h2c", "-X", "PUT", "--form", "a=1", "--form", f"f=@{files / '65537.bin'}", "-c", "1", "-n", "2", f"{h2[0]}/up/form")
    body = (h2[1] / "up" / "form").read_bytes()
    assert run.exit == 0 and b'name="a"\r\n\r\n1\r\n--' in body and (files / "65537.bin").read_bytes() in body
    assert body.startswith(b"--plimsoll") and body.endswith(b"--\r\n")


def test_places_over_http2(load, h2):
    run = load("--h2c", "--streams", "4", "-X", "PUT", "--body", "number {seq}, {random:5}", "-c", "2", "-n", "50", f"{h2[0]}/up/n{{seq}}")
    assert run.exit == 0 and run.totals["ok"] == 50, run.doc["errors"]
    for i in range(1, 51):
        text = (h2[1] / "up" / f"n{i}").read_text()
        assert text.startswith(f"number {i}, ") and len(text) == len(f"number {i}, ") + 5


def test_the_log_counts_from_the_window(load, start_target, tmp_path):
    """The first requests of the window are due at its start, to the millisecond, whatever the warm-up was."""
    target, log = start_target(r"\{wait 5ms}" + OK), tmp_path / "log"
    run = load("-c", "2", "-d", "300ms", "--warmup", "200ms", "--log", str(log), target.url(), server=target)
    rows = [line.split(",") for line in log.read_text().splitlines()[1:]]
    due = sorted(float(row[0]) for row in rows if row[15] == "0")
    assert run.exit == 0 and 0 <= due[0] < 0.02 and due[-1] < 0.3
