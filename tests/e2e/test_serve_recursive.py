# SPDX-License-Identifier: GPL-3.0-or-later
"""The latency check of plimsoll serve: /recursive, and that nobody can make the server call somebody else with it."""
import concurrent.futures
import http.server
import json
import threading
import time
import urllib.parse

import pytest

from lib.process import free_port
from lib.serve_http import Server, request


@pytest.fixture(scope="module")
def server(plimsoll):
    one = Server(plimsoll, "--threads", "2", tls=True)
    yield one
    assert one.stop() == 0


class Other:
    """Another HTTP server, which counts what it is asked."""

    def __init__(self, replies=None, delay=0):
        self.asked, other = [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                other.asked.append(self.path)
                time.sleep(delay)
                status, body = (replies or {}).get(self.path.split("?")[0], (404, b"{}"))
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # who asked has gone

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


FIB = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]


@pytest.mark.parametrize("tls", [False, True])
def test_the_numbers_and_the_calls(server, tls):
    for n in [0, 1, 2, 3, 4, 5, 10]:
        with server.connect(tls) as c:
            c.send(f"GET /recursive/{n} HTTP/1.1\r\nHost: localhost:{server.tls_port if tls else server.port}\r\n\r\n".encode())
            answer = c.reply().json()
        assert answer["n"] == str(n) and answer["fibonacci"] == (FIB[n] or 1)
        assert answer["calls"] == 2 * (FIB[n] or 1) - 1 and isinstance(answer["msTime"], int)
        assert answer["meanCallSeconds"] * answer["calls"] == pytest.approx(answer["seconds"], abs=1e-5)


def test_the_published_command(server):
    answer = server.ask(f"/recursive/14?url=http://127.0.0.1:{server.port}").json()
    assert answer["fibonacci"] == 377 and answer["calls"] == 753


def test_nested_calls_never_starve(server, full):
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        url = urllib.parse.quote(f"http://127.0.0.1:{server.port}", safe="")
        answers = list(pool.map(lambda _: server.ask(f"/recursive/{12 if full else 9}?url={url}").json()["fibonacci"], range(20)))
    assert answers == [144 if full else 34] * 20


def test_the_base_is_passed_on_with_its_path(plimsoll):
    reply = json.dumps({"fibonacci": 5}).encode()
    with Other({"/app/recursive/4": (200, reply), "/app/recursive/3": (200, reply)}) as other:
        host = other.url.removeprefix("http://")
        server = Server(plimsoll, "--allow-upstream", host)
        answer = server.ask(f"/recursive/5?url={other.url}/app/").json()
        assert answer["fibonacci"] == 10 and answer["calls"] == 3
        base = urllib.parse.quote(other.url + "/app", safe="")
        assert other.asked == [f"/app/recursive/4?url={base}", f"/app/recursive/3?url={base}"]
        assert server.stop() == 0


@pytest.mark.parametrize("url", ["ftp://a", "http://", "a.test", "http://u:p@127.0.0.1:1", "http://127.0.0.1:1?x", "%zz", "http://a b", "http://127.0.0.1:99999"])
def test_bases_that_are_none(server, url):
    assert server.ask("/recursive/5?url=" + url.replace(" ", "%20")).status == 400


@pytest.mark.parametrize("n,status", [("26", 400), ("x", 400), ("-5", 400), ("99999999999999999999", 400), ("5?url=", 400)])
def test_numbers_that_are_none(server, n, status):
    assert server.ask(f"/recursive/{n}").status == status


def test_strangers_are_not_called(server):
    """Only asked for their id, once, and never for what the request wanted."""
    with Other({"/healthz": (200, b'{"status":"ok","clusterId":"somebody"}')}) as other:
        for _ in range(3):
            reply = server.ask(f"/recursive/5?url={other.url}", headers=["Connection: close"])
            assert reply.status == 403 and "--allow-upstream" in reply.json()["error"]
        assert set(other.asked) == {"/healthz"} and len(other.asked) <= 2  # once by each thread


def test_a_forged_host(server):
    with Other() as other:
        with server.connect() as c:
            c.send(f"GET /recursive/5 HTTP/1.1\r\nHost: {other.url.removeprefix('http://')}\r\n\r\n".encode())
            assert c.reply().status == 403
        with server.connect() as c:
            c.send(f"GET /recursive/5 HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Forwarded-Host: {other.url.removeprefix('http://')}\r\n\r\n".encode())
            assert c.reply().json()["fibonacci"] == 5
        assert set(other.asked) <= {"/healthz"}


def test_a_closed_port_does_not_kill(server):
    reply = server.ask(f"/recursive/4?url=http://127.0.0.1:{free_port()}")
    assert reply.status == 403 and "refused" in reply.json()["error"]
    assert server.ask("/healthz").status == 200


def test_another_instance_of_the_cluster_is_us(plimsoll):
    a, b = (Server(plimsoll, "--cluster-id", "blue", "--threads", "1") for _ in range(2))
    assert a.ask(f"/recursive/6?url=http://127.0.0.1:{b.port}").json()["fibonacci"] == 8
    c = Server(plimsoll, "--cluster-id", "green")
    assert c.ask(f"/recursive/6?url=http://127.0.0.1:{b.port}").status == 403
    assert a.ask("/healthz").json()["clusterId"] == "blue"
    assert [s.stop() for s in (a, b, c)] == [0, 0, 0]


def test_self_urls_and_what_a_platform_says(plimsoll):
    port = free_port()
    vcap = json.dumps({"uris": [f"127.0.0.1:{port}"]})
    server = Server(plimsoll, env={"VCAP_APPLICATION": vcap})
    assert server.ask(f"/recursive/3?url=http://127.0.0.1:{port}").status == 502  # allowed, and nobody there
    assert server.stop() == 0
    server = Server(plimsoll, "--self-url", f"http://127.0.0.1:{port}")
    assert server.ask(f"/recursive/3?url=http://127.0.0.1:{port}").status == 502
    assert server.ask(f"/recursive/3?url=https://127.0.0.1:{port}").status == 403
    assert server.stop() == 0


def test_behind_a_tls_router(plimsoll):
    server = Server(plimsoll, "--trust-proxy")
    with server.connect() as c:
        c.send(f"GET /recursive/5 HTTP/1.1\r\nHost: app.test\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: 127.0.0.1:{server.port}\r\n\r\n".encode())
        assert c.reply().json()["fibonacci"] == 5
        c.send(f"GET /recursive/5 HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Forwarded-Proto: https\r\n\r\n".encode())
        assert c.reply().status == 403  # nobody speaks TLS there
    assert server.stop() == 0


@pytest.mark.parametrize("status,body", [(500, b"{}"), (200, b"nonsense"), (200, b'{"fibonacci":"8"}'), (200, b'{"fibonacci":-1}'), (200, b""), (204, b""),
                                         (200, b"[" * 1_000_000), (200, b'{"fibonacci":8' + b" " * 2_000_000 + b"}")],
                         ids=["500", "no JSON", "text", "negative", "nothing", "204", "deep", "large"])
def test_replies_that_are_none(plimsoll, status, body):
    with Other({"/recursive/4": (status, body)}) as other:
        server = Server(plimsoll, "--allow-upstream", other.url.removeprefix("http://"))
        assert server.ask(f"/recursive/5?url={other.url}").status == 502
        assert server.ask("/healthz").status == 200
        assert server.stop() == 0


def test_a_client_that_leaves_and_a_server_that_ends(plimsoll):
    with Other({"/recursive/9": (200, b"{}")}, delay=1) as other:
        server = Server(plimsoll, "--allow-upstream", other.url.removeprefix("http://"), "--grace", "100ms")
        for _ in range(5):
            with server.connect() as c:
                c.send(request(f"/recursive/10?url={other.url}"))
                c.taken()
        assert server.ask("/healthz").status == 200
        c = server.connect()
        c.send(request(f"/recursive/10?url={other.url}"))
        c.taken()
        server.signal(15)
        server.finish(5)
        c.close()
