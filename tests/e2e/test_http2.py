# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/2 against nginx, which counts: many streams, GOAWAY, limits, uploads, and a server that does not speak it."""
import os
import re
import urllib.request

import pytest

from lib import laws
from lib.process import Daemon, accepts, free_port

CONFIG = """
{user}
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log off; sendfile off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; client_max_body_size 100m; http2_max_concurrent_streams 8;
  ssl_certificate {cert}; ssl_certificate_key {key};
  server {{
    listen 127.0.0.1:{h2c} http2; listen 127.0.0.1:{h2} ssl http2; listen 127.0.0.1:{plain};
    keepalive_requests {limit}; root {folder}; default_type application/octet-stream;
    location = /status {{ stub_status; }}
    location = /gone {{ return 410 "gone\\n"; }}
    location = /none {{ return 204; }}
    location /put/ {{ dav_methods PUT; create_full_put_path on; }}
  }}
}}
"""


class Nginx2(Daemon):
    def __init__(self, folder, authority, limit):
        self.folder = str(folder)
        self.h2c, self.h2, self.plain = free_port(), free_port(), free_port()
        with open(os.path.join(self.folder, "kib"), "wb") as file:
            file.write(b"x" * 1024)
        with open(os.path.join(self.folder, "mib"), "wb") as file:
            file.write(b"y" * (1 << 20))
        config = os.path.join(self.folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(CONFIG.format(folder=self.folder, cert=authority.cert, key=authority.key, h2c=self.h2c, h2=self.h2, plain=self.plain,
                                     limit=limit, user="user root;" if os.geteuid() == 0 else ""))
        super().__init__(["nginx", "-e", os.path.join(self.folder, "error.log"), "-p", self.folder, "-c", config])
        self.wait_for(lambda: accepts(self.h2c) and accepts(self.plain), "nginx listens")

    def requests(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.plain}/status", timeout=10) as reply:
            counted = int(re.search(r"\n\s*\d+ \d+ (\d+)", reply.read().decode())[1])
        self._asked = getattr(self, "_asked", 0) + 1
        return counted - self._asked

    def url(self, path="/kib", tls=False):
        return f"https://localhost:{self.h2}{path}" if tls else f"http://127.0.0.1:{self.h2c}{path}"


@pytest.fixture(params=[100000, 100], ids=["kept", "goaway-after-100"])
def nginx2(request, tmp_path, authority):
    server = Nginx2(tmp_path, authority, request.param)
    server.limit = request.param
    yield server
    server.stop()


@pytest.mark.parametrize("streams", [1, 5, 8])
@pytest.mark.parametrize("tls", [False, True], ids=["h2c", "h2"])
def test_every_request_is_counted_by_the_server(load, nginx2, authority, streams, tls):
    before = nginx2.requests()
    args = ["--http2", "--cacert", authority.ca] if tls else ["--h2c"]
    run = load(*args, "--streams", str(streams), "-c", "4", "-n", "1003", nginx2.url(tls=tls))
    assert run.exit == 0 and run.totals["ok"] == 1003
    assert run.totals["body_bytes_received"] == 1003 * 1024
    # A stream that a GOAWAY refuses was never begun: the server counts just those that were.
    assert nginx2.requests() - before == laws.sent_in_all(run.doc) == 1003
    if nginx2.limit == 100:
        assert run.totals["connections_opened"] >= 11, "each connection ends after 100 requests"
    else:
        assert run.totals["connections_opened"] == 4
    if tls:
        assert run.totals["tls_handshakes"] == run.totals["connections_opened"]


def test_requests_in_flight_are_streams_times_connections(load, nginx2):
    run = load("--h2c", "--streams", "6", "-c", "3", "-d", "1s", nginx2.url())
    assert 15 < run.totals["in_flight_mean"] <= 18.01


def test_the_servers_limit_is_kept_to_and_said(load, nginx2):
    run = load("--h2c", "--streams", "20", "-c", "2", "-d", "500ms", nginx2.url())
    assert run.exit == 0
    assert any("8 streams" in warning for warning in run.doc["warnings"]), run.doc["warnings"]


def test_failures_are_shown_with_their_head(load, nginx2):
    run = load("--h2c", "--streams", "4", "-c", "2", "-n", "50", nginx2.url("/gone"))
    assert run.exit == 3 and run.doc["status"] == {"410": 50}
    first = run.error("status")["first"]
    assert first.startswith("HTTP/2 410") and "gone" in first


def test_no_content(load, nginx2):
    assert load("--h2c", "--streams", "4", "-c", "2", "-n", "50", nginx2.url("/none")).doc["status"] == {"204": 50}


def test_uploads_arrive_whole(load, nginx2, tmp_path):
    body = tmp_path / "body"
    body.write_bytes(os.urandom(300_000))
    run = load("--h2c", "--streams", "3", "-c", "2", "-n", "12", "-T", str(body), nginx2.url("/put/x"))
    assert run.totals["ok"] == 12, run.doc["errors"]
    assert open(os.path.join(nginx2.folder, "put", "x"), "rb").read() == body.read_bytes()
    assert run.totals["bytes_sent"] > 12 * 300_000


def test_big_bodies(load, nginx2):
    run = load("--h2c", "--streams", "3", "-c", "2", "-n", "30", nginx2.url("/mib"))
    assert run.totals["ok"] == 30 and run.totals["body_bytes_received"] == 30 << 20


def test_requests_per_connection(load, nginx2):
    run = load("--h2c", "--streams", "4", "-c", "2", "-n", "100", "--requests-per-connection", "10", nginx2.url())
    assert run.totals["ok"] == 100 and run.totals["connections_opened"] == 10


def test_a_rate_over_streams(load, nginx2):
    run = load("--h2c", "--streams", "4", "-c", "2", "--rate", "400/s", "-d", "1s", nginx2.url())
    # on a machine that stands still for a moment the last ones may be due too late
    assert run.totals["ok"] + run.totals["unfinished"] + run.totals["not_sent"] == 400 and run.totals["failed"] == 0
    assert run.totals["ok"] >= 380


def test_a_server_without_http2_is_named(load, nginx2, authority):
    plain = f"http://127.0.0.1:{nginx2.plain}/kib"
    run = load("--h2c", "-c", "2", "-n", "10", plain)
    assert run.exit == 3 and "HTTP/1" in run.error("bad_message")["detail"]


def test_a_server_that_does_not_choose_it(load, nginx, authority):
    run = load("--http2", "--cacert", authority.ca, "-c", "2", "-n", "10", nginx.url(tls=True))
    assert run.exit == 3 and run.totals["ok"] == 0
    detail = run.error("tls")["detail"]  # nginx refuses by an alert, others go on without a choice
    assert "ALPN" in detail or "no_application_protocol" in detail


@pytest.mark.parametrize("args, word", [
    (["--http2", "http://127.0.0.1:1/"], "--h2c"),
    (["--h2c", "https://127.0.0.1:1/"], "--http2"),
    (["--streams", "4", "http://127.0.0.1:1/"], "HTTP/2"),
    (["--h2c", "--http1.1", "http://127.0.0.1:1/"], "--http1.1"),
])
def test_what_does_not_go_together(load, args, word):
    assert word in load.refused(*args).err
