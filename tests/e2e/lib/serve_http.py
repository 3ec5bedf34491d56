# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll serve as a child, and raw HTTP/1 connections to it: what a test writes is what goes on the wire."""
import re
import signal
import socket
import ssl
import time

from lib.process import Process, wait_until


class Server(Process):
    """plimsoll serve on free ports of loopback. server.port, and server.tls_port with tls=True."""

    def __init__(self, program, *options, tls=False, env=None, cwd=None):
        extra = ["--tls-listen", "127.0.0.1:0"] if tls else []
        super().__init__([program, "serve", "--listen", "127.0.0.1:0", *extra, *options], env=env, cwd=cwd)
        try:
            ports = wait_until(lambda: self._ports(2 if tls else 1), "serve listens")
        except AssertionError:
            said = self.err()
            self.close()
            raise AssertionError(f"serve did not start: {said}") from None
        self.port, self.tls_port = ports[0], ports[-1]

    def _ports(self, count):
        assert self.running(), self.err()
        ports = [int(p) for p in re.findall(r"listening on https?://[^\n]*:(\d+)\n", self.out())]
        return ports if len(ports) == count else None

    def url(self, path="/", tls=False):
        return f"https://localhost:{self.tls_port}{path}" if tls else f"http://127.0.0.1:{self.port}{path}"

    def connect(self, tls=False, timeout=10):
        return Connection(self.tls_port if tls else self.port, tls, timeout)

    def ask(self, path="/", method="GET", body=b"", headers=(), tls=False):
        """One request on a connection of its own. A server that has heard enough may close before the body is out: its reply counts."""
        with self.connect(tls) as c:
            try:
                c.send(request(path, method, body, headers))
            except (BrokenPipeError, ConnectionResetError):
                pass
            return c.reply(head=method == "HEAD")

    def stop(self):
        """SIGTERM, and the exit code."""
        self.signal(signal.SIGTERM)
        return self.finish(20).exit

    def rss(self):
        return self._status("VmRSS")

    def peak(self):
        return self._status("VmHWM")

    def _status(self, name):
        with open(f"/proc/{self.pid}/status") as status:
            return int(re.search(rf"{name}:\s+(\d+)", status.read())[1]) * 1024


def request(path="/", method="GET", body=b"", headers=(), version="1.1"):
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class Reply:
    def __init__(self, status, headers, body, version):
        self.status, self.headers, self.body, self.version = status, headers, body, version

    def __getitem__(self, name):
        """The only value of that field, or None."""
        values = [v for n, v in self.headers if n.lower() == name.lower()]
        assert len(values) <= 1, f"{name} came {len(values)} times"
        return values[0] if values else None

    def json(self):
        import json
        assert self["Content-Type"] == "application/json", self.headers
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:200]!r}>"


class Closed(AssertionError):
    pass


def unread(port, peer_port):
    """Bytes that wait in the receive queue of the connection at port, as the kernel has it; None: it is not there (yet)."""
    try:
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table][1:]
    except OSError:  # a sandbox without it
        time.sleep(1)
        return 0
    for row in rows:
        local, remote = (int(row[i].split(":")[1], 16) for i in (1, 2))
        if (local, remote) == (port, peer_port):
            return int(row[4].split(":")[1], 16)
    return None


class Connection:
    def __init__(self, port, tls=False, timeout=10):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            self.socket = context.wrap_socket(self.socket)
        self._held = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def taken(self):
        """Waits until the server has read all that was sent: what it is doing then is what the test is about."""
        here, there = self.socket.getsockname()[1], self.socket.getpeername()[1]
        wait_until(lambda: unread(there, here) == 0, "the server has read the request")

    def end(self):
        self.socket.shutdown(socket.SHUT_WR)

    def _more(self):
        got = self.socket.recv(1 << 18)
        if not got:
            raise Closed(f"closed after {bytes(self._held[:200])!r}")
        self._held += got

    def _take(self, n):
        while len(self._held) < n:
            self._more()
        taken = bytes(self._held[:n])
        del self._held[:n]
        return taken

    def _line(self):
        while b"\r\n" not in self._held:
            self._more()
        line = self._take(self._held.index(b"\r\n"))
        self._take(2)
        return line

    def _chunks(self):
        body = b""
        while True:
            size = int(self._line(), 16)
            if size == 0:
                assert self._line() == b""
                return body
            body += self._take(size)
            assert self._take(2) == b"\r\n"

    def rest(self):
        """Everything up to the end of the connection."""
        try:
            while True:
                self._more()
        except Closed:
            return self._take(len(self._held))

    def closes(self):
        """True when it ends without another byte."""
        try:
            return self.rest() == b""
        except ConnectionResetError:
            return True

    def reply(self, head=False):
        match = re.fullmatch(rb"HTTP/(1\.[01]) (\d{3}) ([\x20-\x7e]*)", self._line())
        assert match, "no status line"
        headers = []
        while True:
            line = self._line().decode("latin-1")
            if not line:
                break
            name, value = line.split(": ", 1)
            headers.append((name, value))
        reply = Reply(int(match[2]), headers, b"", match[1].decode())
        if head or reply.status < 200 or reply.status in (204, 304):
            return reply
        if reply["Transfer-Encoding"]:
            assert reply["Transfer-Encoding"] == "chunked" and not reply["Content-Length"]
            reply.body = self._chunks()
        elif reply["Content-Length"]:
            reply.body = self._take(int(reply["Content-Length"]))
        else:
            assert reply["Connection"] == "close", "neither length nor end"
            reply.body = self.rest()
        return reply


LINE = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n"


def pattern(n):
    """The content of sized bodies."""
    return (LINE * (n // 64 + 1))[:n]
