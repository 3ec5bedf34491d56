# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS of plimsoll serve: its own certificate, given ones, and new ones while it runs."""
import shutil
import signal
import socket
import ssl

import pytest

from lib.process import Process, free_port, wait_until
from lib.serve_http import Server, request


def subject(port):
    """Whose certificate a new connection is shown: its common name stands in it as it is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=5)) as s:
        shown = s.getpeercert(binary_form=True)
    return next(name for name in ("first", "second") if name.encode() in shown)


def test_the_certificate_made_at_start(plimsoll, tmp_path):
    server = Server(plimsoll, "--cert-out", str(tmp_path / "ca.pem"), tls=True)
    context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    for name in ["localhost", "127.0.0.1"]:
        with context.wrap_socket(socket.create_connection(("127.0.0.1", server.tls_port), timeout=5), server_hostname=name) as s:
            s.sendall(request("/bytes/1"))
            assert b"200 OK" in s.recv(1000)
    assert server.stop() == 0


def test_certificates_are_read_again(plimsoll, authority, tmp_path):
    first, second = (authority.issue(name, "DNS:localhost") for name in ("first", "second"))
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"

    def install(pair):
        shutil.copy(pair[0], cert)
        shutil.copy(pair[1], key)

    install(first)
    server = Server(plimsoll, "--threads", "2", "--cert", str(cert), "--key", str(key), tls=True)
    assert subject(server.tls_port) == "first"
    with server.connect(tls=True) as old, server.connect(tls=True) as busy:
        old.send(request("/bytes/1"))
        assert old.reply().status == 200
        busy.send(request("/delay/300"))
        install(second)
        server.signal(signal.SIGHUP)
        wait_until(lambda: all(subject(server.tls_port) == "second" for _ in range(8)), "every thread shows the new one")
        old.send(request("/bytes/100000"))  # what was begun goes on
        assert len(old.reply().body) == 100_000 and busy.reply().status == 200
    for _ in range(20):
        server.signal(signal.SIGHUP)
        assert subject(server.tls_port) == "second"
    key.write_text("broken")
    server.signal(signal.SIGHUP)
    assert [subject(server.tls_port) for _ in range(8)] == ["second"] * 8
    assert server.running() and server.stop() == 0


@pytest.mark.parametrize("options", [("--cert", "CERT"), ("--cert", "KEY", "--key", "CERT"), ("--cert", "none.pem", "--key", "KEY")],
                         ids=["half", "swapped", "missing"])
def test_certificates_that_are_none(plimsoll, authority, tmp_path, options):
    options = [{"CERT": authority.cert, "KEY": authority.key}.get(o, o) for o in options]
    done = Process([plimsoll, "serve", "--tls-listen", f"127.0.0.1:{free_port()}", *options], cwd=tmp_path).finish(10)
    assert done.exit == 2 and done.err


def test_many_handshakes(server_with_tls):
    for _ in range(200):
        with server_with_tls.connect(tls=True) as c:
            c.send(request("/bytes/10", headers=["Connection: close"]))
            assert c.reply().body == b"0123456789"


@pytest.fixture
def server_with_tls(plimsoll):
    one = Server(plimsoll, "--threads", "1", tls=True)
    before = one.rss()
    yield one
    assert one.rss() < before + (16 << 20)
    assert one.stop() == 0


def test_a_client_that_aborts_its_handshake(server_with_tls):
    for garbage in [b"", b"\x16\x03\x01", b"\x16\x03\x01\x00\x05hello", b"GET / HTTP/1.1\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x28"] * 10:
        with socket.create_connection(("127.0.0.1", server_with_tls.tls_port), timeout=5) as s:
            s.sendall(garbage)
    assert server_with_tls.ask("/healthz", tls=True).status == 200


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_sessions_resume_with_any_thread(plimsoll, version):
    server = Server(plimsoll, "--threads", "4", tls=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    session, reused = None, []
    for _ in range(20):
        with context.wrap_socket(socket.create_connection(("127.0.0.1", server.tls_port), timeout=5), session=session) as s:
            s.sendall(request("/bytes/1"))
            assert b"200 OK" in s.recv(1000)
            reused.append(s.session_reused)
            session = s.session
    assert reused == [False] + [True] * 19
    assert server.stop() == 0
