# SPDX-License-Identifier: GPL-3.0-or-later
"""Real servers and a real client: nginx, HAProxy in its four terminations, our own serve, curl against it."""
import pytest

from lib.laws import check_count
from lib.peers import FILES, Haproxy
from lib.process import run as run_process


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_nginx(load, nginx, authority, tls, name):
    n = 200 if name == "mib" else 2000
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-c", "10", "-n", str(n), nginx.url(f"/{name}", tls))
    assert run.exit == 0 and run.totals["ok"] == n and not run.doc["errors"]
    check_count(run.doc, nginx.requests() - before)
    assert run.totals["body_bytes_received"] == n * FILES[name]
    assert run.totals["connections_opened"] == 10 and run.totals["tls_handshakes"] == (10 if tls else 0)


@pytest.mark.parametrize("tls", [False, True])
def test_nginx_with_warm_up_and_time(load, nginx, authority, tls):
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-c", "10", "--warmup", "300ms", "-d", "1s", nginx.url("/kib", tls))
    assert run.exit == 0 and run.doc["warmup"]["ok"] > 0
    check_count(run.doc, nginx.requests() - before)


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("path, per_connection", [("/close/small", 1), ("/limited/small", 100)])
def test_nginx_limits_requests_per_connection(load, nginx, authority, tls, path, per_connection):
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-c", "5", "-n", "1000", nginx.url(path, tls))
    assert run.exit == 0 and run.totals["ok"] == 1000 and not run.doc["errors"]
    check_count(run.doc, nginx.requests() - before)
    assert 1000 // per_connection <= run.totals["connections_opened"] <= 1000 // per_connection + 5


@pytest.mark.parametrize("tls", [False, True])
def test_nginx_connection_per_request(load, nginx, authority, tls):
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-c", "5", "-n", "500", "--requests-per-connection", "1", nginx.url("/small", tls))
    assert run.exit == 0 and run.totals["connections_opened"] == 500
    check_count(run.doc, nginx.requests() - before)
    assert run.totals["tls_resumed"] == 0


@pytest.mark.parametrize("path, status, exit_code", [("/none", "204", 0), ("/moved", "302", 0), ("/forbidden", "403", 3), ("/absent", "404", 3)])
def test_nginx_statuses(load, nginx, path, status, exit_code):
    run = load("-c", "5", "-n", "100", nginx.url(path))
    assert run.exit == exit_code and run.doc["status"] == {status: 100}


def test_nginx_head_and_unix_socket(load, nginx):
    before = nginx.requests()
    assert load("-X", "HEAD", "-c", "5", "-n", "100", nginx.url("/mib")).totals["body_bytes_received"] == 0
    run = load("--unix-socket", nginx.socket_path, "-c", "5", "-n", "100", "http://any.test/mib")
    assert run.exit == 0 and run.totals["body_bytes_received"] == 100 * FILES["mib"]
    assert nginx.requests() - before == 200


@pytest.mark.parametrize("termination", Haproxy.TERMINATIONS)
@pytest.mark.parametrize("per_connection", ["0", "1", "50"])
def test_haproxy_terminations(load, haproxy, nginx, authority, termination, per_connection):
    before, proxied = nginx.requests(), int(haproxy.frontend(termination)["stot"])
    run = load("--cacert", authority.ca, "-c", "10", "-n", "1000", "--requests-per-connection", per_connection, haproxy.url(termination))
    assert run.exit == 0 and run.totals["ok"] == 1000 and not run.doc["errors"], run.doc["errors"]
    check_count(run.doc, nginx.requests() - before)
    assert run.totals["body_bytes_received"] == 1000 * FILES["small"]
    sessions = int(haproxy.frontend(termination)["stot"]) - proxied
    assert sessions == run.totals["connections_opened"]
    if per_connection != "0":
        assert 1000 // int(per_connection) <= sessions <= 1000 // int(per_connection) + 10
    assert run.totals["tls_handshakes"] == (0 if termination == "http" else sessions)


@pytest.mark.parametrize("termination", Haproxy.TERMINATIONS)
def test_haproxy_large_bodies(load, haproxy, nginx, authority, termination):
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-c", "4", "-n", "40", haproxy.url(termination, "/mib"))
    assert run.exit == 0 and run.totals["body_bytes_received"] == 40 * FILES["mib"]
    check_count(run.doc, nginx.requests() - before)


def test_haproxy_all_terminations_at_once(load, haproxy, nginx, authority):
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-c", "4", "-d", "1s", *[haproxy.url(t) for t in Haproxy.TERMINATIONS])
    assert run.exit == 0 and all(t["totals"]["ok"] > 0 for t in run.doc["targets"])
    check_count(run.doc, nginx.requests() - before)


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("path, body", [("/bytes/1024", 1024), ("/29.html", 29), ("/bytes/3000000", 3_000_000), ("/chunked/5000", 5000),
                                        ("/status/204", 0), ("/bytes/0", 0)])
def test_serve(load, serve, authority, tls, path, body):
    run = load("--cacert", authority.ca, "-c", "5", "-n", "100", serve.url(path, tls))
    assert run.exit == 0 and run.totals["ok"] == 100 and not run.doc["errors"]
    assert run.totals["body_bytes_received"] == 100 * body and run.totals["connections_opened"] == 5


def test_serve_delays(load, serve):
    run = load("-c", "5", "-n", "20", serve.url("/delay/50"))
    assert run.exit == 0 and 0.050 <= run.latency["min"] and run.latency["p50"] < 0.070


def curl(serve, authority, *options, url):
    done = run_process(["curl", "-sS", "--max-time", "20", "--cacert", authority.ca, *options, url], 30)
    assert done.exit == 0, done
    return done.out


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("options", [["--http1.1"], ["--http1.0"]])
def test_curl_against_serve(serve, authority, tls, options):
    def get(path, *more):
        return curl(serve, authority, *options, *more, url=serve.url(path, tls))

    assert "/bytes/" in get("/")
    for path, size in (("/bytes/0", 0), ("/bytes/1", 1), ("/1024.html", 1024), ("/bytes/2000000", 2_000_000), ("/chunked/70000", 70_000)):
        assert get(path, "-o", "/dev/null", "-w", "%{http_code} %{size_download}") == f"200 {size}", path
    for status in (200, 201, 204, 301, 304, 400, 404, 418, 500, 503):
        assert get(f"/status/{status}", "-o", "/dev/null", "-w", "%{http_code}") == str(status)
    assert float(get("/delay/120", "-o", "/dev/null", "-w", "%{time_total}")) >= 0.12
    assert get("/no/such/page", "-o", "/dev/null", "-w", "%{http_code}") == "404"
    assert get("/bytes/1024", "-I", "-o", "/dev/null", "-w", "%{http_code} %{size_download}") == "200 0"


def test_curl_keeps_its_connection_to_serve(serve, authority):
    urls = [serve.url(f"/bytes/{n}") for n in (1, 2, 3)]
    out = run_process(["curl", "-sS", "--max-time", "20", "-w", "%{num_connects}\n", *[w for u in urls for w in ("-o", "/dev/null", u)]], 30).out
    assert out.split() == ["1", "0", "0"]
