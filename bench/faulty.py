# SPDX-License-Identifier: GPL-3.0-or-later
"""A target that misbehaves in one way per port, and counts the requests it saw. It runs in a thread of the bench."""
import asyncio
import contextlib
import socket
import struct
import threading

BODY = b"x" * 1000


def head(status, length, extra=b""):
    return b"HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n%s\r\n" % (status, length, extra)


class Faulty:
    """ports[name] for each of FAULTS; seen[name] counts requests."""

    # name -> (reply bytes, what then). "reset" sends RST, "hang" never answers, "keep" waits for the next request.
    FAULTS = {
        "truncated": (head(b"200 OK", 1000) + BODY[:500], "close"),
        "garbage": (b"\x16\x03\x01 this is no HTTP at all\r\n\r\n", "close"),
        "status 500": (head(b"500 Internal Server Error", 5, b"Connection: keep-alive\r\n") + b"sorry", "keep"),
        "Connection: close": (head(b"200 OK", 1000, b"Connection: close\r\n") + BODY, "close"),
        "reset": (b"", "reset"),
        "no reply": (b"", "hang"),
    }

    def __init__(self):
        self.ports, self.seen = {}, {name: 0 for name in self.FAULTS}
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait(10)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.ports["refused"] = s.getsockname()[1]
        self.seen["refused"] = 0

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._ready.set()
        self._loop.run_forever()

    async def _listen(self):
        for name, (reply, then) in self.FAULTS.items():
            server = await asyncio.start_server(self._handler(name, reply, then), "127.0.0.1", 0, backlog=1024)
            self.ports[name] = server.sockets[0].getsockname()[1]

    def _handler(self, name, reply, then):
        async def serve(reader, writer):
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while True:
                    await reader.readuntil(b"\r\n\r\n")
                    self.seen[name] += 1
                    writer.write(reply)
                    await writer.drain()
                    if then == "reset":
                        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    if then == "hang":
                        await reader.read()
                    if then != "keep":
                        break
            writer.close()
        return serve

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
