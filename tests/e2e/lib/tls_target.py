# SPDX-License-Identifier: GPL-3.0-or-later
"""A small TLS server for what the scripted target does not speak: names it insists on, slow handshakes, resumption, ends without goodbye."""
import socket
import ssl
import threading
import time


class TlsTarget:
    """One thread for each connection. hello_delay_s: how long a connection waits before its handshake; only_name: any other SNI, or none,
    gets the alert unrecognized_name; ending: "" keeps the connection, "clean" and "cut" end it after each reply with and without close_notify,
    "hello" ends it instead of the handshake."""

    REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    def __init__(self, cert, key, hello_delay_s=0.0, only_name=None, ending="", reply=REPLY, max_version=None):
        self.accepted = self.handshakes = self.refused = self.requests = self.resumed = 0
        self.names = []
        self._delay, self._only, self._ending, self._reply = hello_delay_s, only_name, ending, reply
        self._lock = threading.Lock()
        self._open = set()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(cert, key)
        self._context.sni_callback = self._on_name
        if max_version:
            self._context.maximum_version = max_version
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=2000)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, host="127.0.0.1", path="/"):
        return f"https://{host}:{self.port}{path}"

    def stop(self):
        self._listener.close()
        with self._lock:
            open_now = list(self._open)
        for s in open_now:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _on_name(self, _connection, name, _context):
        with self._lock:
            self.names.append(name)
        if self._only and name != self._only:
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        return None

    def _accept(self):
        while True:
            try:
                s, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.accepted += 1
                self._open.add(s)
            threading.Thread(target=self._connection, args=(s,), daemon=True).start()

    def _connection(self, s):
        tls = s
        try:
            time.sleep(self._delay)
            if self._ending == "hello":
                return
            tls = self._handshake(s)
            if tls:
                self._serve(tls)
        except (OSError, ValueError):
            pass
        finally:
            with self._lock:
                self._open.discard(s)
            (tls or s).close()

    def _handshake(self, s):
        s.settimeout(30)
        tls = self._context.wrap_socket(s, server_side=True, do_handshake_on_connect=False)
        try:
            with self._lock:
                self._open.discard(s)
                self._open.add(tls)
            tls.do_handshake()
        except (ssl.SSLError, OSError):
            with self._lock:
                self.refused += 1
                self._open.discard(tls)
            tls.close()
            return None
        with self._lock:
            self.handshakes += 1
            self.resumed += bool(tls.session_reused)
        return tls

    def _serve(self, tls):
        pending = b""
        while True:
            while b"\r\n\r\n" not in pending:
                got = tls.recv(65536)
                if not got:
                    return
                pending += got
            pending = pending.split(b"\r\n\r\n", 1)[1]
            with self._lock:
                self.requests += 1
            tls.sendall(self._reply)
            if self._ending == "clean":
                tls.unwrap()
            if self._ending:
                return
