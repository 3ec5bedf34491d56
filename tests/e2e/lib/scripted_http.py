# SPDX-License-Identifier: GPL-3.0-or-later
"""A small server for comparing ab with `plimsoll ab`: the first part of the path says what becomes of a request, and every byte that
was received is kept."""
import re
import socket
import struct
import threading

RESET = struct.pack("ii", 1, 0)


def _reply(body, status="200 OK", extra="", keep=False, length=True):
    head = f"HTTP/1.1 {status}\r\nServer: Scripted/1.0 here\r\n{extra}"
    if length:
        head += f"Content-Length: {len(body)}\r\n"
    head += f"Connection: {'keep-alive' if keep else 'close'}\r\n\r\n"
    return head.encode() + body


def _answer(name, argument, turn, keep):
    """(bytes, whether the connection goes on); None: a reset."""
    if name == "reset" and turn % 3 == 0:
        return None, False
    if name == "drop" and turn % 3 == 0:
        return b"", False
    if name == "cut" or (name == "cut3" and turn % 3 == 0):
        return _reply(b"x" * 1000, keep=keep)[:-500], False
    if name == "chunked":
        extra = "Transfer-Encoding: chunked\r\n"
        return _reply(b"5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nT: v\r\n\r\n", extra=extra, keep=keep, length=False), keep
    if name == "until-close":
        return _reply(b"hello", length=False), False
    if name == "head":
        return _reply(b"a", extra=f"X: {'y' * int(argument)}\r\n", keep=keep), keep
    if name == "lengths":
        return _reply(b"x" * (100 if turn % 3 else 101), keep=keep), keep
    if name == "statuses":
        return _reply(b"abc", ("200 OK", "404 Not Found", "500 Oops")[turn % 3], keep=keep), keep
    if name == "garbage":
        return b"garbage\r\n\r\n", False
    return _reply(b"hello", keep=keep), keep


class ScriptedHttp:
    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._socket.getsockname()[1]
        self.requests = []
        self._turns, self._lock = {}, threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def stop(self):
        self._socket.close()

    def take_requests(self):
        with self._lock:
            taken, self.requests = self.requests, []
            return taken

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _read_request(self, connection, rest):
        while b"\r\n\r\n" not in rest:
            more = connection.recv(65536)
            if not more:
                return None, b""
            rest += more
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        while length and len(rest) < int(length[1]):
            rest += connection.recv(65536)
        size = int(length[1]) if length else 0
        return head + b"\r\n\r\n" + rest[:size], rest[size:]

    def _serve(self, connection):
        rest = b""
        with connection:
            connection.settimeout(20)
            try:
                while True:
                    request, rest = self._read_request(connection, rest)
                    if request is None or not self._reply_to(connection, request):
                        return
            except OSError:
                return

    def _reply_to(self, connection, request):
        path = request.split(b" ")[1].decode()
        parts = re.sub(r"^http://[^/]*", "", path).split("/")
        with self._lock:
            self.requests.append(request)
            turn = self._turns[path] = self._turns.get(path, 0) + 1
        keep = b"Keep-Alive" in request
        answer, goes_on = _answer(parts[1], parts[2] if len(parts) > 2 else "", turn, keep)
        if answer is None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            return False
        if request.startswith(b"HEAD"):
            answer = answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        connection.sendall(answer)
        return goes_on
