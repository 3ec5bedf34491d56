# SPDX-License-Identifier: GPL-3.0-or-later
"""Real servers: nginx, HAProxy in front of it, and our own serve. Generated configuration in a folder of the test, free ports, foreground."""
import os
import re
import socket
import urllib.request

from lib.process import Daemon, accepts, free_port

NGINX = """
{user}
daemon off; master_process on; worker_processes 1;
pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 8192; }}
http {{
  access_log off; server_tokens off; keepalive_requests 1000000; sendfile on; tcp_nopush on;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4;
  scgi_temp_path {folder}/t5; client_max_body_size 100m;
  ssl_certificate {cert}; ssl_certificate_key {key}; ssl_session_tickets on;
  server {{
    listen 127.0.0.1:{plain}; listen 127.0.0.1:{tls} ssl; listen unix:{folder}/nginx.sock;
    root {folder}/www; default_type application/octet-stream;
    location = /status {{ stub_status; }}
    location = /moved {{ return 302 /small; }}
    location = /forbidden {{ return 403; }}
    location = /none {{ return 204; }}
    location = /resumed {{ return 200 $ssl_session_reused; }}
    location /close/ {{ keepalive_requests 1; alias {folder}/www/; }}
    location /limited/ {{ keepalive_requests 100; alias {folder}/www/; }}
    location /put/ {{ dav_methods PUT; create_full_put_path on; }}
  }}
}}
"""

FILES = {"small": 29, "kib": 1024, "mib": 1 << 20}


class Nginx(Daemon):
    def __init__(self, folder, authority):
        self.folder = str(folder)
        self.plain, self.tls = free_port(), free_port()
        self.socket_path = os.path.join(self.folder, "nginx.sock")
        os.mkdir(os.path.join(self.folder, "www"))
        for name, size in FILES.items():
            with open(os.path.join(self.folder, "www", name), "wb") as file:
                file.write(b"x" * size)
        config = os.path.join(self.folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(NGINX.format(folder=self.folder, cert=authority.cert, key=authority.key, plain=self.plain, tls=self.tls,
                                    user="user root;" if os.geteuid() == 0 else ""))
        super().__init__(["nginx", "-e", os.path.join(self.folder, "error.log"), "-p", self.folder, "-c", config])
        self.wait_for(lambda: accepts(self.plain) and accepts(self.tls), "nginx listens")

    def url(self, path="/small", tls=False):
        return f"https://localhost:{self.tls}{path}" if tls else f"http://127.0.0.1:{self.plain}{path}"

    def requests(self):
        """How many it counted, this question left out."""
        with urllib.request.urlopen(self.url("/status"), timeout=10) as reply:
            counted = int(re.search(r"\n\s*\d+ \d+ (\d+)", reply.read().decode())[1])
        self._asked = getattr(self, "_asked", 0) + 1
        return counted - self._asked


HAPROXY = """
global
  stats socket {folder}/haproxy.sock mode 600 level user
  maxconn 4000
defaults
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  retries 0
frontend http
  mode http
  bind 127.0.0.1:{http}
  default_backend plain
frontend edge
  mode http
  bind 127.0.0.1:{edge} ssl crt {both}
  default_backend plain
frontend passthrough
  mode tcp
  bind 127.0.0.1:{passthrough}
  default_backend through
frontend reencrypt
  mode http
  bind 127.0.0.1:{reencrypt} ssl crt {both}
  default_backend again
backend plain
  mode http
  server nginx 127.0.0.1:{nginx_plain}
backend through
  mode tcp
  server nginx 127.0.0.1:{nginx_tls}
backend again
  mode http
  server nginx 127.0.0.1:{nginx_tls} ssl verify required ca-file {ca} sni str(localhost)
"""


class Haproxy(Daemon):
    TERMINATIONS = ("http", "edge", "passthrough", "reencrypt")

    def __init__(self, folder, authority, nginx):
        self.folder, self.nginx = str(folder), nginx
        self.ports = {name: free_port() for name in self.TERMINATIONS}
        config = os.path.join(self.folder, "haproxy.cfg")
        with open(config, "w") as file:
            file.write(HAPROXY.format(folder=self.folder, both=authority.both, ca=authority.ca, nginx_plain=nginx.plain, nginx_tls=nginx.tls,
                                      **self.ports))
        super().__init__(["haproxy", "-db", "-f", config])
        for name, port in self.ports.items():
            self.wait_for(lambda port=port: accepts(port), "HAProxy listens")
            # It counts a connection when it gets round to it: none of ours here may be counted later, among a test's own.
            self.wait_for(lambda name=name: self._counted_a_look(name), "HAProxy counted the connection that looked")

    def _counted_a_look(self, name):
        """A connection without a TLS handshake is one, but never becomes a session where TLS ends here."""
        row = self.frontend(name)
        return int(row["conn_tot"]) > 0 and (int(row["stot"]) > 0 or name in ("edge", "reencrypt"))

    def url(self, termination, path="/small"):
        scheme = "http" if termination == "http" else "https"
        return f"{scheme}://localhost:{self.ports[termination]}{path}"

    def frontend(self, name):
        """Its row of `show stat` by column name."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(10)
            s.connect(os.path.join(self.folder, "haproxy.sock"))
            s.sendall(b"show stat\n")
            rows = s.makefile().read().lstrip("# ").strip().split("\n")
        columns = rows[0].split(",")
        for row in rows[1:]:
            cells = dict(zip(columns, row.split(",")))
            if cells["pxname"] == name and cells["svname"] == "FRONTEND":
                return cells
        raise AssertionError(f"HAProxy has no frontend {name}")


class Serve(Daemon):
    """plimsoll serve on free ports, plain and TLS with a certificate of the tests' authority."""

    def __init__(self, program, authority, *options):
        self.plain, self.tls = free_port(), free_port()
        super().__init__([program, "serve", "--listen", f"127.0.0.1:{self.plain}", "--tls-listen", f"127.0.0.1:{self.tls}",
                          "--cert", authority.cert, "--key", authority.key, *options])
        self.wait_for(lambda: accepts(self.plain) and accepts(self.tls), "serve listens")

    def url(self, path="/", tls=False):
        return f"https://localhost:{self.tls}{path}" if tls else f"http://127.0.0.1:{self.plain}{path}"
