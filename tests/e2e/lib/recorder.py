# SPDX-License-Identifier: GPL-3.0-or-later
"""A small HTTP/1.1 server that reads requests to the letter and keeps what it saw: method, target, fields, body, connection."""
import hashlib
import socket
import threading

PLAIN = (200, [], b"ok")


class Request:
    def __init__(self, method, target, fields, body, connection, chunks):
        self.method, self.target, self.fields, self.body = method, target, fields, body
        self.connection, self.chunks = connection, chunks

    def field(self, name):
        return [value for n, value in self.fields if n == name.lower()]


class Recorder:
    """answer(request) -> (status, [fields], body). before_body(fields) -> bytes to send when the head has come, before the body is read, or
    a final reply (a tuple) that is given instead of reading it. keep: whole bodies, else only their digest."""

    def __init__(self, answer=None, before_body=None, keep=True, tls=None):
        self.answer, self.before_body, self.keep, self.tls = answer or (lambda request: PLAIN), before_body, keep, tls
        self.requests, self.connections, self.lock, self.errors = [], 0, threading.Lock(), []
        self.begun = 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path="/"):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}{path}"

    def counts(self):
        return {"begun": self.begun}

    def stop(self):
        self.socket.close()

    def _accept(self):
        while True:
            try:
                s, _ = self.socket.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
                number = self.connections
            threading.Thread(target=self._serve, args=(s, number), daemon=True).start()

    def _serve(self, s, number):
        try:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                s = self.tls.wrap_socket(s, server_side=True)
            with s, s.makefile("rb") as f:
                while self._one(s, f, number):
                    pass
        except OSError:
            pass
        except Exception as fault:  # told by the test, not lost in a thread
            self.errors.append(repr(fault))

    def _body(self, f, fields):
        names = dict(fields)
        digest, parts, sizes = hashlib.sha256(), [], []
        if names.get("transfer-encoding") == "chunked":
            while True:
                line = f.readline()
                assert line.endswith(b"\r\n"), line
                size = int(line[:-2], 16)
                data = f.read(size)
                assert f.read(2) == b"\r\n" and len(data) == size
                if size == 0:
                    break
                sizes.append(size)
                digest.update(data)
                parts.append(data if self.keep else b"")
        else:
            left = int(names.get("content-length", 0))
            while left:
                data = f.read(min(left, 1 << 20))
                if not data:
                    raise OSError("cut short")
                left -= len(data)
                digest.update(data)
                parts.append(data if self.keep else b"")
        return b"".join(parts) if self.keep else digest.hexdigest(), sizes

    def _one(self, s, f, number):
        line = f.readline()
        if not line:
            return False
        with self.lock:
            self.begun += 1
        method, target, version = line.decode("latin-1").rstrip("\r\n").split(" ")
        assert version == "HTTP/1.1", line
        fields = []
        while True:
            line = f.readline()
            assert line.endswith(b"\r\n"), line
            if line == b"\r\n":
                break
            name, _, value = line.decode("latin-1")[:-2].partition(":")
            fields.append((name.lower(), value.strip()))
        early = self.before_body(fields) if self.before_body else None
        if isinstance(early, tuple):
            self._reply(s, early)
            return False
        if early:
            s.sendall(early)
        body, chunks = self._body(f, fields)
        request = Request(method, target, fields, body, number, chunks)
        with self.lock:
            self.requests.append(request)
        self._reply(s, self.answer(request))
        return ("connection", "close") not in fields

    @staticmethod
    def _reply(s, reply):
        status, fields, body = reply
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *fields]
        s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body)
