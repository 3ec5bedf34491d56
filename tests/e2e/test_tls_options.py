# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS to the letter: versions, ciphers, groups, ALPN, resumption, client certificates, against nginx, HAProxy and a scripted server."""
import json
import ssl
import subprocess

import pytest

from lib import certificates
from lib.tls_peers import TlsHaproxy, TlsNginx

VERSIONS = {"1.2": "TLSv1.2", "1.3": "TLSv1.3"}


@pytest.fixture(scope="module")
def tls_nginx(tmp_path_factory, authority):
    server = TlsNginx(tmp_path_factory.mktemp("tls_nginx"), authority)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def tls_haproxy(tmp_path_factory, authority):
    server = TlsHaproxy(tmp_path_factory.mktemp("tls_haproxy"), authority)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    return certificates.Authority(tmp_path_factory.mktemp("stranger"))


def one_connection_each(load, authority, version, resume, url, n=1000, more=()):
    return load("--cacert", authority.ca, "--tls-min", version, "--tls-max", version, "--tls-resume", resume, "-c", "10", "-n", str(n),
                "--requests-per-connection", "1", *more, url)


def check_kinds(run, full, resumed):
    """Both kinds of handshake in the counts and in the times."""
    tls, phase = run.doc["tls"], run.doc["phases"]["tls"]
    assert run.totals["tls_handshakes"] == full + resumed == phase["count"] and run.totals["tls_resumed"] == resumed
    assert (tls["full"] or {"count": 0})["count"] == full and (tls["resumed"] or {"count": 0})["count"] == resumed
    assert sum(tls[kind]["sum_ns"] for kind in ("full", "resumed") if tls[kind]) == phase["sum_ns"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("resume, low, high", [("off", 0, 0), ("on", 990, 1000), ("50%", 460, 540), ("0.9", 860, 940)])
@pytest.mark.parametrize("kind", ["tickets", "cache"])
def test_resumption(load, tls_nginx, authority, version, resume, low, high, kind):
    """C34: resumption was missing, or unknown: what was asked, what was counted here, and what the server says."""
    run = one_connection_each(load, authority, version, resume, tls_nginx.url(kind))
    assert run.exit == 0 and run.totals["ok"] == 1000
    rows = tls_nginx.take(1000)
    handshakes, resumed = tls_nginx.handshakes(rows)
    assert handshakes == 1000 == run.totals["tls_handshakes"] and {row[3] for row in rows} == {VERSIONS[version]}
    assert low <= resumed <= high
    check_kinds(run, handshakes - resumed, resumed)
    assert run.doc["tls"]["version"] == VERSIONS[version] and {run.doc["tls"]["cipher"]} == {row[4] for row in rows}
    assert ("resumed" in run.err) and (f"{resumed} of them resumed" in " ".join(run.err.split()))


@pytest.mark.parametrize("version", VERSIONS)
def test_resumption_that_the_server_declines(load, tls_nginx, authority, version):
    run = one_connection_each(load, authority, version, "on", tls_nginx.url("never"), n=100)
    assert run.exit == 0 and tls_nginx.handshakes(tls_nginx.take(100)) == (100, 0)
    check_kinds(run, 100, 0)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("resume, low, high", [("off", 0, 0), ("on", 192, 200), ("50%", 80, 120)])
def test_resumption_with_a_scripted_server(load, start_tls_target, authority, version, resume, low, high):
    target = start_tls_target(ending="clean", max_version=version, reply=b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
    run = load("--cacert", authority.ca, "--tls-resume", resume, "-c", "4", "-n", "200", "--requests-per-connection", "1", target.url("localhost"))
    assert run.exit == 0 and target.handshakes == 200 and low <= target.resumed <= high
    check_kinds(run, 200 - target.resumed, target.resumed)


@pytest.mark.parametrize("version", VERSIONS)
def test_sessions_of_two_ports(load, tls_nginx, authority, version):
    """Two servers of one name: the session of one is not offered to the other."""
    run = one_connection_each(load, authority, version, "on", tls_nginx.url("tickets"), n=400, more=[tls_nginx.url("cache")])
    handshakes, resumed = tls_nginx.handshakes(tls_nginx.take(400))
    assert run.exit == 0 and handshakes == 400 and resumed >= 380
    check_kinds(run, handshakes - resumed, resumed)


def test_resumption_with_http2(load, tls_nginx, authority):
    run = load("--cacert", authority.ca, "--tls-resume", "on", "--http2", "-c", "4", "-n", "200", "--requests-per-connection", "2",
               tls_nginx.url("cache"))
    handshakes, resumed = tls_nginx.handshakes(tls_nginx.take(200))
    assert run.exit == 0 and run.totals["ok"] == 200 and resumed >= handshakes - 4 > 90
    check_kinds(run, handshakes - resumed, resumed)


@pytest.mark.parametrize("version, option, cipher", [
    ("1.2", "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ("1.2", "ECDHE-ECDSA-CHACHA20-POLY1305:TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"),
    ("1.3", "TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
    ("1.3", "ECDHE-ECDSA-AES128-GCM-SHA256:TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256"),
])
def test_versions_and_ciphers(load, tls_nginx, authority, version, option, cipher):
    run = load("--cacert", authority.ca, "--tls-min", version, "--tls-max", version, "--ciphers", option, "-c", "2", "-n", "10", tls_nginx.url())
    assert run.exit == 0 and {(row[3], row[4]) for row in tls_nginx.take(10)} == {(VERSIONS[version], cipher)}
    assert run.doc["tls"]["version"] == VERSIONS[version] and run.doc["tls"]["cipher"] == cipher
    assert run.doc["config"]["tls_min"] == version and run.doc["config"]["ciphers"] == option
    assert f"{VERSIONS[version]} {cipher}" in " ".join(run.err.split())


@pytest.mark.parametrize("version, groups, curve", [("1.3", "P-384", "secp384r1"), ("1.3", "X25519", "X25519"), ("1.3", "P-256:X25519", "prime256v1"),
                                                    ("1.2", "P-256", "prime256v1"), ("1.2", "X25519:P-256", "X25519")])
def test_groups(load, tls_nginx, authority, version, groups, curve):
    """In TLS 1.2 that of the certificate must be among them."""
    run = load("--cacert", authority.ca, "--tls-min", version, "--tls-max", version, "--groups", groups, "-c", "2", "-n", "10", tls_nginx.url())
    assert run.exit == 0
    assert {row[5] for row in tls_nginx.take(10)} == {curve}


@pytest.mark.parametrize("options, protocol", [([], "-"), (["--alpn", "http/1.1"], "http/1.1"), (["--http2"], "h2"),
                                               (["--http2", "--alpn", "h2,http/1.1"], "h2")])
def test_protocols(load, tls_nginx, authority, options, protocol):
    run = load("--cacert", authority.ca, *options, "-c", "2", "-n", "10", tls_nginx.url("cache"))
    assert run.exit == 0 and {row[6] for row in tls_nginx.take(10)} == {protocol}


@pytest.mark.parametrize("kind, options, alert", [("old", ["--tls-min", "1.3"], "protocol_version"), ("new", ["--tls-max", "1.2"], "protocol_version")])
def test_no_version_in_common(load, tls_haproxy, authority, kind, options, alert):
    run = load("--cacert", authority.ca, *options, "-c", "2", "-n", "10", tls_haproxy.url(kind))
    assert run.exit == 3 and run.kinds() == {"tls": 10} and run.error("tls")["detail"] == f"alert {alert}"
    assert run.totals["tls_handshakes"] == 0 and f"alert {alert}" in run.err


def test_no_cipher_in_common(load, tls_nginx, authority):
    run = load("--cacert", authority.ca, "--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-GCM-SHA256", "-c", "2", "-n", "10", tls_nginx.url())
    assert run.exit == 3 and run.kinds() == {"tls": 10} and run.error("tls")["detail"] == "alert handshake_failure"


def test_client_certificate_of_one_target(load, tls_haproxy, authority, tmp_path):
    _, _, both = authority.issue("client-of-one", "DNS:client.test")
    path = tmp_path / "targets.json"
    path.write_text(json.dumps([{"url": tls_haproxy.url("required"), "cert": both}, tls_haproxy.url("required")]))
    run = load("--targets", str(path), "-c", "1", "-n", "6", "--cacert", authority.ca, "--max-errors", "100%")
    with_it, without = run.doc["targets"]
    assert with_it["totals"]["failed"] == 0 < with_it["totals"]["ok"] and without["totals"]["ok"] == 0, run.doc["targets"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("together", [False, True])
def test_client_certificate(load, tls_haproxy, tls_nginx, authority, version, together):
    cert, key, both = authority.issue("client", "DNS:client.test")
    options = ["--cert", both] if together else ["--cert", cert, "--key", key]
    for url in (tls_haproxy.url("required"), tls_nginx.url("asking")):
        run = load("--cacert", authority.ca, "--tls-max", version, *options, "-c", "4", "-n", "40", "--requests-per-connection", "4", url)
        assert run.exit == 0 and run.totals["ok"] == 40, run.doc["errors"]
    tls_nginx.take(40)


@pytest.mark.parametrize("per_connection", ["0", "1"])
@pytest.mark.parametrize("version, alert", [("1.2", "handshake_failure"), ("1.3", "certificate_required")])
def test_missing_client_certificate_is_named(load, tls_haproxy, authority, version, alert, per_connection):
    """With TLS 1.3 the refusal comes after the handshake, when a request may be out already: never "reset" or "closed early"."""
    run = load("--cacert", authority.ca, "--tls-max", version, "-c", "4", "-n", "60", "--requests-per-connection", per_connection,
               tls_haproxy.url("required"))
    assert run.exit == 3 and run.kinds() == {"tls": 60} and run.error("tls")["detail"] == f"alert {alert}"
    assert run.totals["ok"] == 0 and run.totals["retried"] == 0 and f"alert {alert}" in run.err


@pytest.mark.parametrize("version", VERSIONS)
def test_strange_client_certificate_is_named(load, tls_haproxy, authority, stranger, version):
    run = load("--cacert", authority.ca, "--tls-max", version, "--cert", stranger.cert, "--key", stranger.key, "-c", "4", "-n", "60",
               tls_haproxy.url("required"))
    assert run.exit == 3 and run.kinds() == {"tls": 60} and run.error("tls")["detail"] == "alert unknown_ca"


def test_missing_client_certificate_as_a_status(load, tls_nginx, authority):
    """nginx shakes hands all the same and answers 400."""
    run = load("--cacert", authority.ca, "-c", "2", "-n", "10", tls_nginx.url("asking"))
    assert run.exit == 3 and run.doc["status"] == {"400": 10} and run.kinds() == {"status": 10}
    tls_nginx.take(10)


def encrypted(authority, folder):
    path = str(folder / "encrypted.key")
    subprocess.run(["openssl", "pkey", "-in", authority.key, "-aes128", "-passout", "pass:hush", "-out", path], check=True, timeout=20)
    return path


@pytest.mark.parametrize("options, says", [
    (["--cacert", "/no/such"], "cannot use CA file /no/such: No such file or directory"),
    (["--cert", "/no/such"], "cannot use certificate file /no/such: No such file or directory"),
    (["--cert", "{cert}", "--key", "/no/such"], "cannot use key file /no/such: No such file or directory"),
    (["--cert", "{cert}"], "cannot use key file"),
    (["--cert", "{cert}", "--key", "{strange_key}"], "cannot use key file"),
    (["--cert", "{cert}", "--key", "{encrypted_key}"], "it is encrypted"),
    (["--ciphers", "NO-SUCH"], "NO-SUCH"),
    (["--groups", "P-257"], "P-257"),
])
def test_bad_files_and_names(load, authority, stranger, tmp_path, options, says):
    words = {"cert": authority.cert, "strange_key": stranger.key, "encrypted_key": encrypted(authority, tmp_path)}
    done = load.refused(*[o.format(**words) for o in options], "https://127.0.0.1:1/")
    assert says in " ".join(done.err.split()), done
