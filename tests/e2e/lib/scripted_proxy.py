# SPDX-License-Identifier: GPL-3.0-or-later
"""A small HTTP proxy: absolute-form requests are answered from where they point to, CONNECT opens a tunnel; every head is kept."""
import re
import select
import socket
import struct
import threading
import time

RESET = struct.pack("ii", 1, 0)


class ScriptedProxy:
    """One thread for each connection. authorization: what Proxy-Authorization must be, else 407; connect: what becomes of CONNECT: "" a
    tunnel, "close" and "reset" ends without an answer, "silent" no answer, other texts are the answer itself."""

    def __init__(self, authorization=None, connect="", split=False, delay_s=0.0):
        self.heads, self.accepted, self.tunnels = [], 0, 0
        self._authorization, self._connect, self._split, self._delay = authorization, connect, split, delay_s
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=500)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, user=""):
        return f"http://{user}127.0.0.1:{self.port}"

    def stop(self):
        self._listener.close()

    def lines(self):
        """The request lines."""
        with self._lock:
            return [head.split("\r\n", 1)[0] for head in self.heads]

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.accepted += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client:
            client.settimeout(20)
            try:
                while self._one(client):
                    pass
            except (OSError, AttributeError):  # an impossible target: the connection ends
                pass

    def _one(self, client):
        got = b""
        while b"\r\n\r\n" not in got:
            more = client.recv(65536)
            if not more:
                return False
            got += more
        head, _, rest = got.partition(b"\r\n\r\n")
        text = head.decode()
        with self._lock:
            self.heads.append(text)
        if self._authorization and f"\r\nProxy-Authorization: {self._authorization}" not in text:
            client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 4\r\n\r\nwho?")
            return True
        method, target, _ = text.split("\r\n", 1)[0].split(" ")
        if method == "CONNECT":
            return self._tunnel(client, target)
        return self._forward(client, target, head, rest)

    def _forward(self, client, target, head, rest):
        host, port = re.match(r"http://([^/:]+):(\d+)/", target).groups()
        with socket.create_connection((host, int(port)), timeout=20) as server:
            server.sendall(head.replace(b"keep-alive", b"close") + b"\r\nConnection: close\r\n\r\n" + rest)
            reply = b""
            while True:
                more = server.recv(65536)
                if not more:
                    break
                reply += more
        client.sendall(reply.replace(b"\r\nConnection: close", b""))
        return True

    def _tunnel(self, client, target):
        if self._connect == "close":
            return False
        if self._connect == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            return False
        if self._connect == "silent":
            client.recv(1)
            return False
        if self._connect:
            client.sendall(self._connect.encode())
            return True
        host, _, port = target.rpartition(":")
        time.sleep(self._delay)
        with socket.create_connection((host, int(port)), timeout=20) as server:
            self._answer(client)
            with self._lock:
                self.tunnels += 1
            self._pass_on(client, server)
        return False

    def _answer(self, client):
        answer = b"HTTP/1.0 200 Connection established\r\nVia: test\r\nContent-Length: 10\r\n\r\n"
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in [answer[i:i + 1] for i in range(len(answer))] if self._split else [answer]:
            client.sendall(piece)

    @staticmethod
    def _pass_on(client, server):
        other = {client: server, server: client}
        while True:
            for ready in select.select(list(other), [], [], 20)[0]:
                got = ready.recv(65536)
                if not got:
                    return
                other[ready].sendall(got)
