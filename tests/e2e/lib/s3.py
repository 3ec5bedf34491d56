# SPDX-License-Identifier: GPL-3.0-or-later
"""A real S3 server (s3rver, from npm), and a gate before it that verifies signatures, which s3rver does not, counts, stalls and cuts."""
import hashlib
import os
import socket
import threading

from lib import npm, sigv4
from lib.process import Daemon, accepts, free_port

KEYS = {"AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER", "AWS_REGION": "eu-central-1"}


def install():
    """The path of s3rver's program."""
    return os.path.join(npm.install("s3"), "s3rver", "bin", "s3rver.js")


class S3rver(Daemon):
    BUCKET = "assets"

    def __init__(self, folder, port=None):
        self.folder, self.port = str(folder), port or free_port()
        super().__init__(["node", install(), "-d", self.folder, "-a", "127.0.0.1", "-p", self.port, "--no-vhost-buckets", "--configure-bucket", self.BUCKET])
        self.wait_for(lambda: accepts(self.port), "s3rver listens", limit_s=30)

    def objects(self):
        """Key: bytes, as they lie in its folder."""
        suffix = "._S3rver_object"
        found = {}
        for name in os.listdir(os.path.join(self.folder, self.BUCKET)):
            if name.endswith(suffix):
                with open(os.path.join(self.folder, self.BUCKET, name), "rb") as file:
                    found[name[:-len(suffix)]] = file.read()
        return found


class Gate:
    """Listens, and passes every connection on to a port, request by request; one whose signature or payload is wrong is answered with 403
    here. stop_after: bytes of replies that still pass, over all connections, before `then` happens to what follows: "stall" or "cut"."""

    def __init__(self, port):
        self.to, self.connections, self.passed, self.refused = port, 0, 0, 0
        self.stop_after, self.then, self._opened = None, "cut", threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._sockets, self._threads = [], []
        self._start(self._accept)

    def _start(self, target, *arguments):
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            try:
                server = socket.create_connection(("127.0.0.1", self.to), timeout=10)
            except OSError:
                client.close()
                continue
            for s in (client, server):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                s.settimeout(60)
            self._sockets += [client, server]
            self._start(self._requests, client, server)
            self._start(self._replies, server, client)

    def _requests(self, client, server):
        held = b""
        try:
            while data := client.recv(65536):
                held += data
                while b"\r\n\r\n" in held:
                    head, held = held.split(b"\r\n\r\n", 1)
                    held = self._request(client, server, head + b"\r\n\r\n", held)
        except OSError:
            pass
        self._end(client, server)

    def _request(self, client, server, head, held):
        """Passes one on with its body; returns what came behind it."""
        asked = sigv4.Request(head)
        fault = asked.fault(KEYS["AWS_ACCESS_KEY_ID"], KEYS["AWS_SECRET_ACCESS_KEY"])
        if fault:
            self._refuse(client, fault, is_head=asked.method == "HEAD")
            raise OSError
        server.sendall(head)
        digest, left = hashlib.sha256(), asked.length
        while left > 0:
            if not held and not (held := client.recv(65536)):
                raise OSError
            piece, held = held[:left], held[left:]
            left -= len(piece)
            digest.update(piece)
            wanted = asked.fields.get("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
            if left == 0 and wanted not in ("UNSIGNED-PAYLOAD", digest.hexdigest()):
                self._refuse(client, "XAmzContentSHA256Mismatch")
                raise OSError
            server.sendall(piece)
        return held

    def _refuse(self, client, code, is_head=False):
        self.refused += 1
        body = f"<Error><Code>{code}</Code><Message>AKID and StringToSign</Message></Error>".encode()
        client.sendall(f"HTTP/1.1 403 Forbidden\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + (b"" if is_head else body))
        client.shutdown(socket.SHUT_WR)
        while client.recv(65536):
            pass

    def _replies(self, source, sink):
        try:
            while data := source.recv(16384):
                if self.stop_after is not None and self.passed + len(data) > self.stop_after:
                    sink.sendall(data[:max(0, self.stop_after - self.passed)])
                    self.passed = self.stop_after
                    if self.then == "stall":
                        self._opened.wait(60)
                    break
                sink.sendall(data)
                self.passed += len(data)
        except OSError:
            pass
        self._end(source, sink)

    @staticmethod
    def _end(*sockets):
        for s in sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def limit(self, more, then):
        """So many bytes of replies from now on."""
        self._opened.clear()
        self.then, self.stop_after = then, self.passed + more

    def open(self):
        self.stop_after = None
        self._opened.set()

    def close(self):
        self.open()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for s in self._sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self._threads:
            thread.join(timeout=10)
        for s in self._sockets:
            s.close()
