# SPDX-License-Identifier: GPL-3.0-or-later
"""A server that says how each of its connections ended, and whether it had been told that a request was the last."""
import socket
import ssl
import threading

CLOSED = 7  # of the kernel's TCP states


class Ends:
    REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    def __init__(self, cert=None, key=None):
        self.fins = self.resets = self.told = self.requests = self.connections = self.goodbyes = 0
        self._lock = threading.Lock()
        self._context = None
        if cert:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(cert, key)
            self._context.num_tickets = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=500)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self):
        return f"{'https' if self._context else 'http'}://localhost:{self.port}/"

    def stop(self):
        self._listener.close()

    def ended(self):
        with self._lock:
            return self.fins + self.resets + self.told

    def _accept(self):
        while True:
            try:
                s, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connection, args=(s,), daemon=True).start()

    def _count(self, **more):
        with self._lock:
            for name, n in more.items():
                setattr(self, name, getattr(self, name) + n)

    def _connection(self, s):
        s.settimeout(20)
        try:
            if self._context:
                s = self._context.wrap_socket(s, server_side=True, suppress_ragged_eofs=False)
            self._count(connections=1)
            try:
                told = self._serve(s)
            except OSError:
                told = False
            if told:
                self._count(told=1)
            else:  # the ssl module tells FIN from RST as little as whether goodbye was said before
                reset = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == CLOSED
                self._count(resets=reset, fins=not reset)
        except OSError:
            pass
        finally:
            s.close()

    def _serve(self, s):
        while True:
            got = b""
            while b"\r\n\r\n" not in got:
                more = s.recv(65536)
                if not more:
                    self._count(goodbyes=bool(self._context))
                    return False
                got += more
            self._count(requests=1)
            s.sendall(self.REPLY)
            if b"\r\nConnection: close" in got:
                return True
