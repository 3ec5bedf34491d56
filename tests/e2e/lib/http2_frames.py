# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/2 by hand: frames as bytes, and a client that sends what the test says."""
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def integer(n, bits):
    limit = (1 << bits) - 1
    if n < limit:
        return bytes([n])
    out, n = [limit], n - limit
    while n >= 128:
        out.append(n % 128 + 128)
        n //= 128
    return bytes(out + [n])


def block(*fields):
    """Literals without indexing, names as they are."""
    return b"".join(b"\0" + integer(len(n), 7) + n.encode("latin-1") + integer(len(v), 7) + v.encode("latin-1") for n, v in fields)


def head(path="/bytes/3", method="GET", authority="a", *more):
    return block((":method", method), (":scheme", "http"), (":path", path), *([(":authority", authority)] if authority is not None else []), *more)


class Peer:
    def __init__(self, server):
        self.c = server.connect()
        self.c.send(PREFACE + frame(SETTINGS))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.c.close()

    def send(self, *frames):
        self.c.send(b"".join(frames))

    def next(self, *kinds):
        """The next frame of one of these kinds: (kind, flags, stream, payload)."""
        while True:
            start = self.c._take(9)
            payload = self.c._take(int.from_bytes(start[:3], "big"))
            if start[3] in kinds:
                return start[3], start[4], int.from_bytes(start[5:9], "big") & 0x7fffffff, payload

    def answered(self, stream):
        """Waits for the end of the stream's answer: True; False when it was reset, or the connection given up."""
        while True:
            kind, flags, number, _ = self.next(HEADERS, DATA, RST_STREAM, GOAWAY)
            if kind == GOAWAY or (kind == RST_STREAM and number == stream):
                return False
            if number == stream and flags & END_STREAM:
                return True
