# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/1.1 pipelining against servers that count: order, ends of connections, limits, time-outs, checks, TLS."""
import os
import re
import urllib.request

import pytest

from lib import laws
from lib.process import Daemon, accepts, free_port
from lib.target import OK, reply

CLOSE = reply(fields=["Connection: close"]) + r"\{fin}"
CONFIG = """
{user}
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  ssl_certificate {cert}; ssl_certificate_key {key};
  server {{
    listen 127.0.0.1:{plain}; listen 127.0.0.1:{tls} ssl; keepalive_requests {limit}; root {folder};
    default_type application/octet-stream;
    location = /status {{ stub_status; }}
    location = /gone {{ return 410 "gone\\n"; }}
    location = /none {{ return 204; }}
    location /put/ {{ dav_methods PUT; create_full_put_path on; }}
  }}
}}
"""


class Nginx(Daemon):
    def __init__(self, folder, authority, limit):
        self.folder, self.plain, self.tls, self._asked = str(folder), free_port(), free_port(), 0
        for name, size in (("kib", 1024), ("big", 300_000)):
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(b"x" * size)
        config = os.path.join(self.folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(CONFIG.format(folder=self.folder, cert=authority.cert, key=authority.key, plain=self.plain, tls=self.tls, limit=limit,
                                     user="user root;" if os.geteuid() == 0 else ""))
        super().__init__(["nginx", "-e", os.path.join(self.folder, "error.log"), "-p", self.folder, "-c", config])
        self.wait_for(lambda: accepts(self.plain) and accepts(self.tls), "nginx listens")

    def requests(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.plain}/status", timeout=10) as answer:
            counted = int(re.search(r"\n\s*\d+ \d+ (\d+)", answer.read().decode())[1])
        self._asked += 1
        return counted - self._asked

    def url(self, path="/kib", tls=False):
        return f"https://localhost:{self.tls}{path}" if tls else f"http://127.0.0.1:{self.plain}{path}"


@pytest.fixture(params=[100000, 7], ids=["kept", "closed-after-7"])
def nginx1(request, tmp_path, authority):
    server = Nginx(tmp_path, authority, request.param)
    server.limit = request.param
    yield server
    server.stop()


@pytest.mark.parametrize("depth", [1, 4, 16])
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_every_request_is_counted_by_the_server(load, nginx1, authority, depth, tls):
    args = ["--cacert", authority.ca] if tls else []
    run = load(*args, "--pipeline", str(depth), "-c", "3", "-n", "1003", nginx1.url(tls=tls))
    totals = run.doc["totals"]
    assert (totals["ok"], totals["failed"], totals["body_bytes_received"]) == (1003, 0, 1003 * 1024), run.doc["errors"]
    laws.check_count(run.doc, nginx1.requests())
    assert run.doc["config"]["pipeline"] == depth
    if nginx1.limit > 1003:
        assert totals["connections_opened"] == 3


def test_requests_in_flight_are_depth_times_connections(load, start_target):
    server = start_target(r"\{wait 5ms}" + OK)
    run = load("--pipeline", "6", "-c", "2", "-d", "1s", server.url())
    assert server.stop()["outstanding_max"] == 6
    assert 10.5 < run.doc["totals"]["in_flight_mean"] <= 12.001


def test_replies_in_any_pieces_belong_to_their_requests(load, start_target):
    """Replies of two kinds in turn; their sizes and statuses come out as they were sent, however they were cut."""
    for split in ("bytes", "each", "37"):
        server = start_target(reply(body="a" * 10), reply("404 Not Found", body="b" * 20), when=["every=2:1"], split=split, pause="20us")
        run = load("--pipeline", "5", "-c", "2", "-n", "60", "--expect-status", "200,404", server.url())
        assert run.doc["status"] == {"200": 30, "404": 30}, split
        assert run.doc["totals"]["body_bytes_received"] == 30 * 10 + 30 * 20
        laws.check_count(run.doc, server.stop()["requests"])


@pytest.mark.parametrize("path", ["/gone", "/none", "/big"])
def test_kinds_of_replies(load, nginx1, path):
    run = load("--pipeline", "5", "-c", "2", "-n", "70", nginx1.url(path))
    laws.check_count(run.doc, nginx1.requests())
    assert run.doc["status"] == {{"/gone": "410", "/none": "204", "/big": "200"}[path]: 70}


def test_head_requests(load, nginx1):
    run = load("--pipeline", "5", "-c", "2", "-n", "70", "-X", "HEAD", nginx1.url("/big"))
    assert (run.doc["totals"]["ok"], run.doc["totals"]["body_bytes_received"]) == (70, 0)


def test_chunked_replies_with_checks(load, start_target):
    chunked = r"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Kind: c\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"
    server = start_target(chunked, reply(body="other?", fields=["X-Kind: o"]), when=["every=3:1"])
    run = load("--pipeline", "4", "-c", "2", "-n", "90", "--max-errors", "100%", "--expect-body", "^hello!$", server.url())
    assert (run.doc["totals"]["ok"], run.doc["totals"]["failed"]) == (60, 30)
    assert {e["kind"] for e in run.doc["errors"]} == {"body"}
    run = load("--pipeline", "4", "-c", "2", "-n", "90", "--max-errors", "100%", "--expect-header", "X-Kind: c", server.url())
    assert run.doc["totals"]["ok"] == 60 and {e["kind"] for e in run.doc["errors"]} == {"header"}


def test_a_close_in_the_middle_is_no_failure(load, start_target):
    """What was sent behind a reply that ends the connection was not looked at: it goes out again, and that is no retry."""
    server = start_target(OK, CLOSE, when=["nth=5:1"])
    run = load("--pipeline", "4", "-c", "2", "-n", "100", server.url())
    totals, counts = run.doc["totals"], server.stop()
    assert (totals["ok"], totals["failed"], totals["retried"]) == (100, 0, 0), run.doc["errors"]
    assert counts["replies"] == 100 == totals["sent"]


def test_a_close_in_the_middle_and_no_retry(load, start_target):
    server = start_target(OK, CLOSE, when=["nth=5:1"])
    run = load("--pipeline", "4", "-c", "1", "-n", "100", "--no-retry", "--max-errors", "100%", server.url())
    assert {(e["kind"], e["detail"].partition(" (")[0]) for e in run.doc["errors"]} == {
        ("closed_early", "behind a reply that ended the connection")}
    assert server.stop()["replies"] == run.doc["totals"]["ok"]


def test_a_server_that_closes_after_each_reply(load, start_target):
    server = start_target(CLOSE)
    run = load("--pipeline", "4", "-c", "2", "-n", "40", server.url())
    assert (run.doc["totals"]["ok"], run.doc["totals"]["connections_opened"]) == (40, 40), run.doc["errors"]


@pytest.mark.parametrize("end", [r"\{close}", r"\{rst}"])
def test_unanswered_requests_are_retried_once(load, start_target, end):
    """The fourth of a connection finds it gone: it and those behind it go out once more, the first of them alone."""
    server = start_target(OK, end, when=["nth=4:1"])
    run = load("--pipeline", "3", "-c", "1", "-n", "9", "--max-errors", "100%", server.url())
    totals = run.doc["totals"]
    assert totals["retried"] > 0 and totals["ok"] + totals["failed"] == 9
    assert {e["kind"] for e in run.doc["errors"]} <= {"closed_early", "reset"}
    server = start_target(OK, end, when=["only=4:1"])
    run = load("--pipeline", "3", "-c", "1", "-n", "20", "--no-retry", "--max-errors", "100%", server.url())
    assert run.doc["totals"]["retried"] == 0 and run.doc["totals"]["failed"] > 0


def test_post_is_warned_of_and_never_retried(load, start_target):
    server = start_target(OK, r"\{close}", when=["nth=4:1"])
    run = load("--pipeline", "3", "-c", "1", "-n", "12", "--body", "x", "--max-errors", "100%", server.url())
    assert any("POST was pipelined" in w for w in run.doc["warnings"]), run.doc["warnings"]
    assert run.doc["totals"]["retried"] == 0 and run.doc["totals"]["failed"] > 0
    server = start_target(OK)
    run = load("--pipeline", "3", "-c", "1", "-n", "12", server.url())
    assert not any("pipelined" in w for w in run.doc["warnings"])


@pytest.mark.parametrize("who", ["server", "client", "reset"])
def test_requests_per_connection(load, start_target, who):
    server = start_target(OK)
    run = load("--pipeline", "4", "-c", "2", "-n", "60", "--requests-per-connection", "6", "--close", who, server.url())
    counts = server.stop()
    assert (run.doc["totals"]["ok"], run.doc["totals"]["connections_opened"]) == (60, 10), run.doc["errors"]
    assert (counts["requests"], counts["on_connection_max"], counts["outstanding_max"]) == (60, 6, 4)


def test_a_rate_takes_places_in_the_pipeline(load, start_target):
    """A request that comes due while replies are awaited takes the next place; all of them on one connection."""
    server = start_target(r"\{wait 8ms}" + OK)
    run = load("--pipeline", "8", "-c", "1", "--rate", "100/s", "-d", "1s", server.url())
    counts = server.stop()
    assert run.doc["totals"]["started"] + run.doc["totals"]["not_sent"] == 100
    laws.check_count(run.doc, counts["requests"])
    assert (run.doc["totals"]["connections_opened"], counts["accepted"]) == (1, 1)


def test_uploads(load, nginx1, tmp_path):
    body = tmp_path / "body"
    body.write_bytes(os.urandom(200_000))
    run = load("--pipeline", "3", "-c", "2", "-n", "24", "-T", str(body), nginx1.url("/put/x"))
    assert (run.doc["totals"]["ok"], run.doc["totals"]["failed"]) == (24, 0), run.doc["errors"]
    assert (tmp_path / "put" / "x").read_bytes() == body.read_bytes()
    laws.check_count(run.doc, nginx1.requests())


def test_rendered_requests_stay_in_order(load, start_target, tmp_path):
    record = tmp_path / "record"
    server = start_target(OK, record=str(record))
    load("--pipeline", "4", "-c", "1", "-n", "40", server.url("/n/{seq}"))
    server.stop()
    assert re.findall(rb"GET /n/(\d+) ", record.read_bytes()) == [str(i).encode() for i in range(1, 41)]


def test_time_outs_name_the_first_and_those_behind(load, start_target):
    server = start_target(OK, r"\{hang}", when=["only=3:1"])
    run = load("--pipeline", "4", "-c", "1", "-n", "12", "--timeout", "300ms", "--max-errors", "100%", server.url())
    kinds = {e["kind"]: e for e in run.doc["errors"]}
    assert "timeout" in kinds and kinds["timeout"]["detail"] == "no reply", run.doc["errors"]
    assert set(kinds) <= {"timeout", "closed_early"}
    assert run.doc["totals"]["started"] == 12


def test_garbage_behind_a_reply(load, start_target):
    server = start_target(OK, OK + "garbage", when=["only=6:1"])
    run = load("--pipeline", "3", "-c", "1", "-n", "30", "--max-errors", "100%", server.url())
    assert "bad_message" in run.kinds() and set(run.kinds()) <= {"bad_message", "closed_early"}, run.doc["errors"]


def test_a_reply_cut_short(load, start_target):
    server = start_target(OK, reply(length=10, body="1234") + r"\{close}", when=["nth=4:1"])
    run = load("--pipeline", "3", "-c", "1", "-n", "30", "--max-errors", "100%", server.url())
    assert "truncated" in {e["kind"] for e in run.doc["errors"]}
    assert run.doc["totals"]["body_bytes_received"] >= 4


def test_a_body_that_ends_with_the_connection(load, start_target):
    server = start_target(r"HTTP/1.1 200 OK\r\n\r\nto the end\{fin}")
    run = load("--pipeline", "3", "-c", "2", "-n", "12", server.url())
    assert (run.doc["totals"]["ok"], run.doc["totals"]["body_bytes_received"]) == (12, 120), run.doc["errors"]


def test_warm_up_drain_and_log(load, start_target, tmp_path):
    log = tmp_path / "log.csv"
    server = start_target(r"\{wait 2ms}" + OK)
    run = load("--pipeline", "4", "-c", "2", "--warmup", "300ms", "-d", "500ms", "--log", str(log), server.url())
    laws.check_count(run.doc, server.stop()["requests"])
    assert len(log.read_text().splitlines()) - 1 == run.doc["totals"]["started"] + run.doc["warmup"]["started"]


@pytest.mark.parametrize("args, word", [(["--h2c"], "--streams"), (["--http2"], "--streams"), (["--http1.0"], "HTTP/1.1"),
                                        (["--expect-continue", "--body", "x"], "100 Continue")])
def test_what_does_not_go_together(load, args, word):
    scheme = "https" if "--http2" in args else "http"
    message = load.refused("--pipeline", "4", *args, f"{scheme}://127.0.0.1:1/").err
    assert word in message and "--pipeline" in message
