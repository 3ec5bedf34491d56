# SPDX-License-Identifier: GPL-3.0-or-later
"""Where connections go, through what, and who ends them: --proxy, --connect-to, --close."""
import base64

import pytest

from lib.ends import Ends
from lib.laws import check_count
from lib.process import wait_until
from lib.scripted_proxy import ScriptedProxy

BASIC = "Basic " + base64.b64encode(b"al ice:s:ecret").decode()
USER = "al%20ice:s:ecret@"


@pytest.fixture
def start_proxy():
    started = []

    def start(**options):
        started.append(ScriptedProxy(**options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def test_absolute_form(load, start_proxy, nginx):
    proxy, before = start_proxy(), nginx.requests()
    url = nginx.url("/kib") + "?a=1"
    run = load("--proxy", proxy.url(), "-c", "3", "-n", "30", url)
    assert run.exit == 0 and run.totals["body_bytes_received"] == 30 * 1024
    assert proxy.lines() == [f"GET {url} HTTP/1.1"] * 30 and proxy.accepted == 3 == run.totals["connections_opened"]
    assert all(f"\r\nHost: 127.0.0.1:{nginx.plain}\r\n" in head and "Proxy-Authorization" not in head for head in proxy.heads)
    check_count(run.doc, nginx.requests() - before)
    assert [a["address"] for a in run.doc["addresses"]] == [f"127.0.0.1:{proxy.port}"]


def test_name_of_the_target_is_the_proxys_to_find(load, start_proxy, nginx):
    """No lookup of it here; credentials and fragment of the URL are not for the proxy."""
    proxy = start_proxy()
    run = load("--proxy", proxy.url(), "-c", "1", "-n", "2", "--timeout", "2s", "http://joe:hush@no-such-host.invalid/x#y")
    assert run.exit == 3 and proxy.lines()[0] == "GET http://no-such-host.invalid/x HTTP/1.1"
    assert "\r\nHost: no-such-host.invalid\r\n" in proxy.heads[0]


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("options, per_connection", [([], 0), (["--requests-per-connection", "5"], 5), (["--http1.0"], 0)])
def test_tunnel(load, start_proxy, nginx, authority, options, per_connection, split):
    proxy, before = start_proxy(split=split), nginx.requests()
    run = load("--proxy", proxy.url(), "--cacert", authority.ca, *options, "-c", "3", "-n", "60", nginx.url("/kib", tls=True))
    connections = run.totals["connections_opened"]
    assert run.exit == 0 and run.totals["body_bytes_received"] == 60 * 1024
    assert (12 <= connections <= 15 if per_connection else connections == 3) and connections == run.totals["tls_handshakes"] == proxy.tunnels
    assert proxy.lines() == [f"CONNECT localhost:{nginx.tls} HTTP/1.1"] * connections
    assert all(f"\r\nHost: localhost:{nginx.tls}" in head for head in proxy.heads)
    check_count(run.doc, nginx.requests() - before)


def test_time_of_the_tunnel_belongs_to_connecting(load, start_proxy, nginx, authority):
    proxy = start_proxy(delay_s=0.2)
    run = load("--proxy", proxy.url(), "--cacert", authority.ca, "-c", "4", "-n", "8", nginx.url(tls=True))
    assert run.doc["phases"]["connect"]["min"] >= 0.2 > run.doc["phases"]["tls"]["p50"]


@pytest.mark.parametrize("tls", [False, True])
def test_credentials(load, start_proxy, nginx, authority, tls):
    proxy = start_proxy(authorization=BASIC)
    run = load("--proxy", proxy.url(USER), "--cacert", authority.ca, "-H", "X-A: b", "-c", "2", "-n", "20", nginx.url(tls=tls))
    assert run.exit == 0 and run.totals["ok"] == 20
    assert all(f"\r\nProxy-Authorization: {BASIC}" in head for head in proxy.heads)
    assert all(("\r\nX-A: b" in head) == (not tls) for head in proxy.heads), "what is for the target is not told to the proxy"
    assert "ecret" not in run.out + run.err and BASIC[6:] not in run.out + run.err
    assert run.doc["config"]["proxy"].endswith(f"@127.0.0.1:{proxy.port}")


def test_wrong_credentials_in_plain(load, start_proxy, nginx):
    proxy = start_proxy(authorization=BASIC)
    run = load("--proxy", proxy.url("a:b@"), "-c", "2", "-n", "20", nginx.url())
    assert run.exit == 3 and run.doc["status"] == {"407": 20}


@pytest.mark.parametrize("answer, status", [("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nno!\n", 403),
                                            ("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n", 502),
                                            ("HTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n", 302)])
def test_refused_tunnel_is_named(load, start_proxy, nginx, authority, answer, status):
    proxy, before = start_proxy(connect=answer), nginx.requests()
    run = load("--proxy", proxy.url(), "--cacert", authority.ca, "-c", "3", "-n", "60", nginx.url(tls=True))
    assert run.exit == 3 and run.kinds() == {"connect_refused": 60} and run.totals["sent"] == 0
    assert run.error("connect_refused")["detail"] == f"the proxy answered CONNECT with status {status}"
    assert answer.split("\r\n")[0] in run.error("connect_refused")["first"], "and what it said is kept"
    assert f"status {status}" in run.err and nginx.requests() - before == 0 and run.wall_s < 10


def test_wrong_credentials_of_a_tunnel(load, start_proxy, nginx, authority):
    proxy = start_proxy(authorization=BASIC)
    run = load("--proxy", proxy.url("a:b@"), "--cacert", authority.ca, "-c", "2", "-n", "20", nginx.url(tls=True))
    assert run.exit == 3 and run.error("connect_refused")["detail"] == "the proxy answered CONNECT with status 407"


@pytest.mark.parametrize("connect, kinds", [("close", {"closed_early"}), ("reset", {"reset"}), ("silent", {"connect_timeout"}),
                                            ("HTTP/1.1 200 OK\r\n\r\nbytes", {"bad_message"}), ("SSH-2.0-x\r\n\r\n", {"bad_message"}),
                                            ("HTTP/1.1 200 OK\r\nX: " + "y" * 70000 + "\r\n\r\n", {"header_too_large"})])
def test_proxies_that_break_the_protocol(load, start_proxy, nginx, authority, connect, kinds):
    proxy = start_proxy(connect=connect)
    run = load("--proxy", proxy.url(), "--cacert", authority.ca, "-c", "2", "-n", "10", "--connect-timeout", "300ms", nginx.url(tls=True))
    assert run.exit == 3 and set(run.kinds()) == kinds and run.totals["sent"] == 0 and run.totals["started"] == sum(run.kinds().values()) > 0
    if connect in ("close", "silent"):
        assert "CONNECT" in run.doc["errors"][0]["detail"]


def test_proxy_that_is_not_there(load, authority):
    run = load("--proxy", "http://127.0.0.1:1", "--cacert", authority.ca, "-c", "2", "-n", "4", "https://localhost:2/")
    assert run.exit == 3 and set(run.kinds()) == {"connect_refused"} and "CONNECT" not in run.error("connect_refused")["detail"]


def test_http2_through_a_tunnel(load, start_proxy, serve, authority, start_tls_target):
    """A server that does not speak it: the tunnel stood, ALPN is what failed."""
    proxy, target = start_proxy(), start_tls_target()
    run = load("--proxy", proxy.url(), "--cacert", authority.ca, "--http2", "-c", "2", "-n", "4", target.url("localhost"))
    assert run.exit == 3 and set(run.kinds()) == {"tls"} and "h2" in run.error("tls")["detail"] and proxy.tunnels > 0


def test_absolute_form_through_haproxy(load, haproxy, nginx):
    before = nginx.requests()
    run = load("--proxy", f"http://localhost:{haproxy.ports['http']}", "-c", "4", "-n", "200", "http://any.test/kib")
    assert run.exit == 0 and run.totals["body_bytes_received"] == 200 * 1024
    check_count(run.doc, nginx.requests() - before)


def test_connect_to(load, nginx, authority):
    """The URL's names go into the request, SNI and verification; its port is not asked."""
    before = nginx.requests()
    run = load("--connect-to", f"127.0.0.1:{nginx.tls}", "--cacert", authority.ca, "-c", "2", "-n", "20", "https://a.test:1/small")
    assert run.exit == 0 and nginx.requests() - before == 20
    run = load("--connect-to", f"127.0.0.1:{nginx.tls}", "--cacert", authority.ca, "-c", "2", "-n", "20", "https://other.test/small")
    assert run.exit == 3 and run.kinds() == {"tls": run.totals["started"]} and "name" in run.error("tls")["detail"].lower()
    run = load("--connect-to", f"localhost:{nginx.plain}", "-c", "2", "-n", "20", "http://no-such-host.invalid/small")
    assert run.exit == 0 and run.doc["config"]["connect_to"] == f"localhost:{nginx.plain}"


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("close, per_connection", [("server", 5), ("client", 5), ("reset", 5), ("server", 1), ("client", 1), ("reset", 1)])
def test_who_closes(load, authority, close, per_connection, tls):
    server = Ends(authority.cert, authority.key) if tls else Ends()
    run = load("--close", close, "--cacert", authority.ca, "--requests-per-connection", str(per_connection), "-c", "1", "-n", "100", server.url())
    server.stop()
    assert run.exit == 0 and run.totals["ok"] == 100 == server.requests and not run.totals["retried"]
    used = 100 // per_connection
    assert run.totals["connections_opened"] == server.connections == used
    wait_until(lambda: server.ended() == server.connections, "every connection has ended")
    if close == "server":
        assert server.told == used and server.resets == 0
    elif close == "client":
        assert server.told == 0 and server.fins == used and server.goodbyes == (used if tls else 0)
    else:
        assert server.told == 0 and server.resets == used


@pytest.mark.parametrize("close", ["server", "client", "reset"])
def test_who_closes_http10(load, start_target, close):
    server = Ends()
    run = load("--close", close, "--http1.0", "--requests-per-connection", "5", "-c", "2", "-n", "40", server.url())
    server.stop()
    assert run.exit == 0 and run.totals["ok"] == 40 == server.requests
