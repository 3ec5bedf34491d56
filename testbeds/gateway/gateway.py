#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A gateway in front of an application's flows: HAProxy or nginx, as plain as either can be.

    testbeds/gateway/gateway.py --kind haproxy --dir /tmp/gateway --port 8080 --backend 127.0.0.1:3000

Stays in the foreground until TERM or Ctrl-C. Writes target lists for `plimsoll load --targets` to --dir:
targets-gateway-echo.json, targets-direct-echo.json and the same for the flow "rest"."""
import argparse
import json
import os
import signal
import subprocess
import sys

HAPROXY = """global
  maxconn 4000
defaults
  mode http
  maxconn 4000
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend gateway
  bind 127.0.0.1:{port}
  default_backend app
backend app
  server app {backend}
"""
NGINX = """worker_processes 1;
daemon off;
pid {dir}/nginx.pid;
error_log {dir}/nginx.err;
events {{ worker_connections 4000; }}
http {{
  access_log off;
  client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  keepalive_requests 1000000000;
  upstream app {{ server {backend}; keepalive 200; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; }}
  }}
}}
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kind", choices=("haproxy", "nginx"), default="haproxy")
    p.add_argument("--dir", required=True)
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--backend", required=True, help="HOST:PORT of the application")
    p.add_argument("--body", default='{"hello": "world"}', help="what is posted to the flow echo")
    o = p.parse_args()
    o.dir = os.path.abspath(o.dir)
    os.makedirs(o.dir, exist_ok=True)
    config = os.path.join(o.dir, f"{o.kind}.cfg")
    with open(config, "w", encoding="ascii") as f:
        f.write((HAPROXY if o.kind == "haproxy" else NGINX).format(port=o.port, backend=o.backend, dir=o.dir))
    for via, base in (("gateway", f"127.0.0.1:{o.port}"), ("direct", o.backend)):
        for flow in ("echo", "rest"):
            one = {"url": f"http://{base}/performance/{flow}", "expect": {"body": "\"id\""}}
            if flow == "echo":
                one.update(method="POST", body=o.body, headers={"Content-Type": "application/json"})
            with open(os.path.join(o.dir, f"targets-{via}-{flow}.json"), "w", encoding="utf-8") as f:
                json.dump({"targets": [one]}, f, indent=1)
    child = subprocess.Popen(["haproxy", "-db", "-f", config] if o.kind == "haproxy" else ["nginx", "-e", f"{o.dir}/nginx.err", "-c", config])

    def leave(*_):
        child.terminate()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    sys.exit(child.wait())


if __name__ == "__main__":
    main()
