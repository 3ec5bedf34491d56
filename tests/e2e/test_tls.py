# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS: names, alerts, verification, slow handshakes, ends."""
import ssl

import pytest

from lib.target import OK, reply


def test_server_name_by_option(load, start_tls_target, authority):
    """C33: the target needs a name other than the URL's."""
    target = start_tls_target(only_name="a.test")
    run = load("--cacert", authority.ca, "--sni", "a.test", "-c", "4", "-n", "40", target.url())
    assert run.exit == 0 and run.totals["ok"] == 40 == target.requests
    assert set(target.names) == {"a.test"} and run.totals["tls_handshakes"] == 4 == target.handshakes


def test_missing_server_name_is_named(load, start_tls_target, authority):
    """C33: only "connect N" was said."""
    target = start_tls_target(only_name="a.test")
    run = load("--cacert", authority.ca, "-c", "4", "-n", "40", target.url())
    assert run.exit == 3 and run.kinds() == {"tls": 40} and run.totals["sent"] == 0
    assert "unrecognized_name" in run.error("tls")["detail"] and "alert" in run.error("tls")["detail"]
    assert "unrecognized_name" in run.err
    assert set(target.names) == {None}, "no name is sent for an address"


def test_server_name_by_url(load, start_tls_target, authority):
    target = start_tls_target(only_name="b.test")
    run = load("--cacert", authority.ca, "--resolve", f"b.test:{target.port}:127.0.0.1", "-c", "2", "-n", "20", target.url("b.test"))
    assert run.exit == 0 and target.requests == 20 and set(target.names) == {"b.test"}


def test_many_slow_handshakes(load, start_tls_target, authority, full):
    """C36: 64 handshakes at once: no reply, no cause. The handshake's time is apart from the request's."""
    connections = 500 if full else 150
    target = start_tls_target(hello_delay_s=0.6)
    run = load("--cacert", authority.ca, "-c", str(connections), "-n", str(connections * 2), target.url("localhost"), timeout_s=90)
    assert run.exit == 0 and run.totals["ok"] == connections * 2
    assert target.handshakes == connections == run.totals["tls_handshakes"]
    tls = run.doc["phases"]["tls"]
    assert tls["count"] == connections and tls["min"] >= 0.59
    assert tls["p50"] <= 6, "and not the sum of them all"
    assert run.doc["service_time"]["p50"] < 0.5
    assert run.latency["p50"] < 0.59, "the first connections are opened before the window"


def test_certificate_of_another_authority(load, start_tls_target):
    target = start_tls_target()
    run = load("-c", "2", "-n", "10", target.url("localhost"))
    assert run.exit == 3 and run.kinds() == {"tls": run.totals["started"]} and target.requests == 0
    assert "issuer" in run.error("tls")["detail"] or "self" in run.error("tls")["detail"] or "authority" in run.error("tls")["detail"]
    assert "--cacert" in run.err or "-k" in run.err, "and how to mend it"


def test_certificate_is_not_verified_when_asked(load, start_tls_target):
    target = start_tls_target()
    assert load("-k", "-c", "2", "-n", "10", target.url("localhost")).exit == 0


def test_certificate_of_another_name(load, start_tls_target, authority):
    target = start_tls_target()
    run = load("--cacert", authority.ca, "--resolve", f"c.test:{target.port}:127.0.0.1", "-c", "2", "-n", "10", target.url("c.test"))
    assert run.exit == 3 and run.kinds() == {"tls": run.totals["started"]} and target.requests == 0
    assert "name" in run.error("tls")["detail"].lower()


def test_expired_certificate(load, start_tls_target, authority):
    cert, key, _ = authority.issue("expired", "DNS:localhost", days="-1")
    target = start_tls_target(cert=cert, key=key)
    run = load("--cacert", authority.ca, "-c", "2", "-n", "10", target.url("localhost"))
    assert run.exit == 3 and "expired" in run.error("tls")["detail"]


def test_certificate_verifies_by_address(load, start_tls_target, authority):
    target = start_tls_target()
    assert load("--cacert", authority.ca, "-c", "2", "-n", "10", target.url("127.0.0.1")).exit == 0


def test_plain_server(load, start_target):
    """https to a port that speaks plain HTTP, and the other way round."""
    target = start_target(reply("400 Bad Request", fields=["Connection: close"]) + r"\{fin}", greet=0)
    run = load("-k", "-c", "2", "-n", "10", target.url(scheme="https"))
    assert run.exit == 3 and set(run.kinds()) == {"tls"} and run.totals["sent"] == 0


def test_tls_server_asked_in_plain(load, start_tls_target):
    target = start_tls_target()
    run = load("-c", "2", "-n", "10", "--timeout", "2s", f"http://127.0.0.1:{target.port}/")
    assert run.exit == 3 and run.totals["ok"] == 0
    assert set(run.kinds()) <= {"bad_message", "closed_early", "reset"}


def test_server_hangs_up_in_the_handshake(load, start_tls_target, authority):
    target = start_tls_target(ending="hello")
    run = load("--cacert", authority.ca, "-c", "2", "-n", "10", target.url("localhost"))
    assert run.exit == 3 and run.totals["sent"] == 0 and run.totals["failed"] == run.totals["started"] > 0
    assert set(run.kinds()) <= {"tls", "reset", "closed_early"}


def test_handshake_that_never_ends(load, start_target):
    target = start_target(OK)
    run = load("-k", "-c", "2", "-n", "4", "--connect-timeout", "300ms", target.url(scheme="https"), timeout_s=20)
    assert run.exit == 3 and sum(run.kinds().values()) == 4 and run.totals["sent"] == 0
    assert set(run.kinds()) <= {"connect_timeout", "tls", "timeout"} and run.wall_s < 5


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("ending", ["clean", "cut"])
def test_connection_per_request(load, start_tls_target, authority, version, ending):
    target = start_tls_target(ending=ending, max_version=version, reply=b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
    run = load("--cacert", authority.ca, "-c", "3", "-n", "60", "--requests-per-connection", "1", target.url("localhost"))
    assert run.exit == 0 and run.totals["ok"] == 60 == target.requests
    assert run.totals["tls_handshakes"] == 60 == target.handshakes and run.totals["tls_resumed"] == target.resumed == 0
    assert run.doc["tls"]["version"] == {ssl.TLSVersion.TLSv1_2: "TLSv1.2", ssl.TLSVersion.TLSv1_3: "TLSv1.3"}[version]
    assert run.doc["phases"]["tls"]["count"] == 60


def test_body_that_ends_with_the_tls_connection(load, start_tls_target, authority):
    target = start_tls_target(ending="clean", reply=b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 50_000)
    run = load("--cacert", authority.ca, "-c", "2", "-n", "20", target.url("localhost"))
    assert run.exit == 0 and run.totals["body_bytes_received"] == 20 * 50_000


def test_body_cut_by_the_end_of_the_tcp_connection(load, start_tls_target, authority):
    """Without close_notify nobody can tell a whole body from a cut one when it has a length that was not reached."""
    target = start_tls_target(ending="cut", reply=b"HTTP/1.1 200 OK\r\nContent-Length: 50001\r\n\r\n" + b"x" * 50_000)
    run = load("--cacert", authority.ca, "-c", "2", "-n", "20", target.url("localhost"))
    assert run.exit == 3 and run.kinds() == {"truncated": 20}
    assert run.totals["body_bytes_received"] == 20 * 50_000


def test_uploads_through_tls(load, nginx, authority, tmp_path):
    content = bytes(range(256)) * 4000
    (tmp_path / "body").write_bytes(content)
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-T", tmp_path / "body", "-c", "2", "-n", "10", nginx.url("/put/here", tls=True))
    assert run.exit == 0 and nginx.requests() - before == 10
    with open(f"{nginx.folder}/www/put/here", "rb") as file:
        assert file.read() == content
