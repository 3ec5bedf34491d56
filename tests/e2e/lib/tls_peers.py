# SPDX-License-Identifier: GPL-3.0-or-later
"""Real TLS servers that tell what each handshake was: nginx by its access log, HAProxy with client certificates."""
import os

from lib.process import Daemon, accepts, free_port, wait_until

NGINX = """
{user}
daemon off; master_process on; worker_processes 1;
pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 8192; }}
http {{
  log_format handshakes '$server_port $connection $ssl_session_reused $ssl_protocol $ssl_cipher $ssl_curve $ssl_alpn_protocol';
  access_log {folder}/access.log handshakes; server_tokens off; keepalive_requests 1000000;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4;
  scgi_temp_path {folder}/t5;
  ssl_certificate {cert}; ssl_certificate_key {key}; ssl_protocols TLSv1.2 TLSv1.3; ssl_ecdh_curve X25519:prime256v1:secp384r1;
  server {{ listen 127.0.0.1:{tickets} ssl; ssl_session_tickets on; return 200 ok; }}
  server {{ listen 127.0.0.1:{cache} ssl http2; ssl_session_tickets off; ssl_session_cache shared:one:4m; return 200 ok; }}
  server {{ listen 127.0.0.1:{never} ssl; ssl_session_tickets off; ssl_session_cache off; return 200 ok; }}
  server {{ listen 127.0.0.1:{asking} ssl; ssl_verify_client on; ssl_client_certificate {ca}; return 200 $ssl_client_s_dn; }}
}}
"""


class TlsNginx(Daemon):
    """Ports by how they keep sessions: tickets, cache (http2 too), never; asking wants a client certificate."""

    PORTS = ("tickets", "cache", "never", "asking")

    def __init__(self, folder, authority):
        self.folder, self._seen = str(folder), 0
        self.ports = {name: free_port() for name in self.PORTS}
        config = os.path.join(self.folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(NGINX.format(folder=self.folder, cert=authority.cert, key=authority.key, ca=authority.ca, **self.ports,
                                    user="user root;" if os.geteuid() == 0 else ""))
        super().__init__(["nginx", "-e", os.path.join(self.folder, "error.log"), "-p", self.folder, "-c", config])
        self.wait_for(lambda: all(accepts(port) for port in self.ports.values()), "nginx listens")

    def url(self, kind="tickets", path="/"):
        return f"https://localhost:{self.ports[kind]}{path}"

    def _lines(self):
        with open(os.path.join(self.folder, "access.log")) as file:
            return [line.split() for line in file]

    def take(self, requests):
        """The rows of so many requests since the last call: [port, connection, reused, protocol, cipher, curve, alpn]."""
        wait_until(lambda: len(self._lines()) >= self._seen + requests, f"{requests} lines in the access log")
        rows = self._lines()[self._seen:]
        self._seen += len(rows)
        return rows

    @staticmethod
    def handshakes(rows):
        """(all, resumed): one for each connection."""
        first = {row[1]: row for row in rows}
        return len(first), sum(row[2] == "r" for row in first.values())


HAPROXY = """
global
  maxconn 4000
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend required
  bind 127.0.0.1:{required} ssl crt {both} verify required ca-file {ca}
  http-request return status 200 content-type text/plain lf-string "%[ssl_c_s_dn(cn)]"
frontend old
  bind 127.0.0.1:{old} ssl crt {both} ssl-max-ver TLSv1.2
  http-request return status 200
frontend new
  bind 127.0.0.1:{new} ssl crt {both} ssl-min-ver TLSv1.3
  http-request return status 200
"""


class TlsHaproxy(Daemon):
    """required: refuses clients without a certificate of the authority; old and new: TLS 1.2 and 1.3 alone."""

    PORTS = ("required", "old", "new")

    def __init__(self, folder, authority):
        self.ports = {name: free_port() for name in self.PORTS}
        config = os.path.join(str(folder), "haproxy.cfg")
        with open(config, "w") as file:
            file.write(HAPROXY.format(both=authority.both, ca=authority.ca, **self.ports))
        super().__init__(["haproxy", "-db", "-f", config])
        self.wait_for(lambda: all(accepts(port) for port in self.ports.values()), "HAProxy listens")

    def url(self, kind):
        return f"https://localhost:{self.ports[kind]}/"
